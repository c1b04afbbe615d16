//! `restride explain`, as a user runs it.
#![cfg(feature = "cli")]

#[path = "support/command.rs"]
mod command;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use command::{restride, stderr, stdout};

#[test]
fn a_view_that_cannot_exist_is_explained_with_its_numbers() {
    let output = restride(&["explain", "f32[3,4].T.view(-1)"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let message = stderr(&output);
    assert!(message.contains("stride[0] = 1, but stride[1] * size[1] = 12"), "{message}");
    assert!(message.contains("f32[3,4].T.view(-1)\n  |           ^^^^^^^^^"), "{message}");
    assert!(message.contains("reshape"), "{message}");
    assert!(!message.contains('\x1b'), "no colours without a terminal: {message:?}");
}

#[test]
fn a_strided_view_is_shown() {
    let output = restride(&["explain", "f32[3,4][:,1::2].view(-1)"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let text = stdout(&output);
    assert!(text.contains("[6]") && text.contains("[2]"), "{text}");
    assert!(text.contains("a view of the source"), "{text}");
}

#[test]
fn a_copy_is_classified_planned_and_counted() {
    let output = restride(&["explain", "f32[4096,4096].T.contiguous()"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let text = stdout(&output);
    for part in ["transposed_tile", "transpose_u32", "1048576 cache lines in 16384 pages"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn json_is_one_object_with_the_agreed_keys() {
    let output = restride(&["explain", "f32[3,4].T.reshape(-1)[::2]", "--json", "--order"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let object: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(object["spec"], "f32[3,4].T.reshape(-1)[::2]");
    assert_eq!((&object["ok"], &object["error"]), (&json!(true), &Value::Null));
    assert_eq!((&object["shape"], &object["strides"]), (&json!([6]), &json!([2])));
    assert_eq!((&object["offset"], &object["shares_storage"]), (&json!(0), &json!(false)));
    assert_eq!(object["order"], json!([0, 8, 5, 2, 10, 7]));
    let steps = object["steps"].as_array().unwrap();
    let copied: Vec<bool> = steps.iter().map(|step| step["copied"].as_bool().unwrap()).collect();
    assert_eq!(copied, [false, true, false]);
    assert_eq!(steps[0]["op"], ".T");
    assert_eq!((&steps[0]["class"], &steps[1]["class"]), (&Value::Null, &json!("transposed_tile")));
    assert_eq!(steps[1]["cost"]["destination"]["lines"], 1);
    assert_eq!((&steps[0]["shape"], &steps[0]["strides"]), (&json!([4, 3]), &json!([1, 4])));
}

#[test]
fn a_bad_spec_is_an_object_and_a_message() {
    let output = restride(&["explain", "f32[3,4].T.view(-1)", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot merge"));
    let object: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((&object["ok"], &object["error"]["kind"]), (&json!(false), &json!("not_viewable")));
    assert_eq!(object["error"]["at"], 10);
    assert_eq!(object["steps"].as_array().unwrap().len(), 1, "what could be done is shown");
    assert_eq!((&object["shape"], &object["order"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_batch_answers_every_line_and_never_stops() {
    let mut input = Vec::new();
    for i in 0..2500 {
        input.extend_from_slice(format!("f32[3,{}].T.reshape(-1)\n", i % 9 + 1).as_bytes());
        input.extend_from_slice(b"f32[3,4].T.view(-1)\r\n\n\xff\xfe[2]\n");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_restride"))
        .args(["explain", "--batch", "-", "--json", "--order"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let objects: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 10_000);
    for four in objects.chunks(4) {
        assert_eq!(four[0]["ok"], true);
        assert_eq!(four[1]["error"]["kind"], "not_viewable");
        assert_eq!(four[2]["error"]["kind"], "bad_spec");
        assert_eq!(four[3]["error"]["kind"], "bad_spec");
    }
}

#[test]
fn a_batch_that_cannot_be_read_is_bad_input() {
    for path in ["/nonexistent/specs", "/"] {
        let output = restride(&["explain", "--batch", path, "--json"]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn a_file_is_a_source() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chelsea.npy");
    let spec = format!("'{path}'[::2, ::2].permute(2, 0, 1)");
    let output = restride(&["explain", &spec, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let object: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((&object["dtype"], &object["elem_size"]), (&json!("|u1"), &json!(1)));
    assert_eq!(object["shape"], json!([3, 150, 226]));
    assert_eq!(object["strides"], json!([1, 2706, 6]));

    let output = restride(&["explain", "/nonexistent/file.npy.T", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let object: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((&object["error"]["kind"], &object["error"]["at"]), (&json!("bad_spec"), &json!(0)));
}

#[test]
fn wrong_usage_is_bad_input() {
    for arguments in
        [&["explain"][..], &["explain", "--batch", "-"], &["explain", "f32[]", "--nope"]]
    {
        let output = restride(arguments);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_success_and_a_full_disk_is_not() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_restride"))
        .args(["explain", "f32[100000]", "--json", "--order"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));

    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_restride"))
        .args(["explain", "f32[3]"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&output).lines().count(), 1);
}

#[test]
fn info_speaks_of_this_build() {
    let output = restride(&["info", "--json"]);
    let object: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
    let tiers = object["isa_available"].as_array().unwrap();
    assert!(tiers.contains(&object["isa"]), "{object}");
    assert!(stdout(&restride(&["info"])).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_tier_that_cannot_be_forced_is_one_clear_line() {
    let explain = |isa: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_restride"));
        command.args(["explain", "f32[3,4].T", "--json"]).env("RESTRIDE_ISA", isa);
        command.output().unwrap()
    };
    for isa in ["avx1024", "", "Portable"] {
        let output = explain(isa);
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        assert_eq!(
            stderr(&output),
            format!("error: RESTRIDE_ISA={isa:?} is no tier; use portable, avx2, avx512 or neon\n")
        );
    }
    assert_eq!(explain("portable").status.code(), Some(0));
}
