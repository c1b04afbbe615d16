//! `restride bench` as a user meets it: a process, its output, its exit code.
#![cfg(feature = "cli")]

#[path = "support/command.rs"]
mod command;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use command::{restride, stderr, stdout};

fn bench(arguments: &[&str]) -> Output {
    restride(&[&["bench"], arguments].concat())
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_table_shows_every_strategy_beside_the_ceiling() {
    let output = bench(&["--quick", "f32[64,64].T"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for word in ["naive", "rows", "scalar tiles", "SIMD tiles", "restride", "memcpy"] {
        assert!(text.contains(word), "no `{word}` in\n{text}");
    }
    for word in ["reused", "fresh", "32 KiB moved", "bytes read plus bytes written"] {
        assert!(text.contains(word), "no `{word}` in\n{text}");
    }
    assert!(!text.contains("as the bytes are worth"), "threads are the rows' business: {text}");
    assert!(text.contains(" stores\n"), "{text}");
    assert_eq!(stderr(&output), "", "progress belongs to terminals");
}

#[test]
fn json_on_standard_output_comes_alone() {
    let output = bench(&["--quick", "--threads", "1", "--json", "-", "f32[64,64].T"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["format"], 1);
    assert_eq!(report["complete"], true);
    assert!(report["context"]["processors"].as_u64() >= Some(1));
    let case = &report["cases"][0];
    assert_eq!(case["bytes_moved"], 2 * 64 * 64 * 4);
    assert_eq!(case["src_strides"], serde_json::json!([4, 256]));
    let runs = case["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for (run, destination) in runs.iter().zip(["reused", "fresh"]) {
        assert_eq!((&run["threads"], &run["destination"]), (&1.into(), &destination.into()));
        for measured in run["measurements"].as_array().unwrap() {
            let name = &measured["strategy"];
            assert!(measured["rounds"].as_array().unwrap().len() >= 3, "{name}");
            assert!(measured["seconds"]["median"].as_f64().unwrap() > 0.0, "{name}");
            assert!(measured["gb_per_second"].as_f64().unwrap() > 0.0, "{name}");
        }
        let ceiling = &run["ceiling"];
        let measured = run["measurements"].as_array().unwrap();
        let ceiling = measured.iter().find(|measured| measured["strategy"] == *ceiling).unwrap();
        assert_eq!(ceiling["to_ceiling"]["median"], 1.0);
    }
}

/// Real input: a photograph as NumPy saved it, its channels taken apart.
#[test]
fn a_file_can_be_the_source() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chelsea.npy.permute(2,0,1)");
    let output = bench(&["--quick", "--threads", "1", spec]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("792.8 KiB moved"), "{}", stdout(&output));

    let output = bench(&["missing.npy.T"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("missing.npy"), "{}", stderr(&output));
}

#[test]
fn files_are_written_beside_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let [json_file, csv, svg] = ["r.json", "r.csv", "r.svg"].map(|name| folder.path().join(name));
    let paths = [&json_file, &csv, &svg].map(|path| path.to_str().unwrap());
    let [j, c, s] = paths;
    let specs = ["u8x3[20,30].T", "f64[100].flip(0)"];
    let flags = ["--quick", "--threads", "1,2", "--json", j, "--csv", c, "--svg", s];
    let output = bench(&[&flags[..], &specs[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("flip"));

    let report = json(&json_file);
    assert_eq!(report["cases"].as_array().unwrap().len(), 2);
    let lines = fs::read_to_string(csv).unwrap();
    assert!(lines.starts_with("case,spec,threads,destination,strategy,bytes_moved,"));
    let measured: usize = report["cases"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|case| case["runs"].as_array().unwrap())
        .map(|run| run["measurements"].as_array().unwrap().len())
        .sum();
    assert_eq!(lines.lines().count(), 1 + measured);
    let picture = fs::read_to_string(svg).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    assert!(picture.contains("prefers-color-scheme:dark"));
    for words in
        ["2 threads, fresh destination", "The ceiling is the faster of", "f64[100].flip(0)"]
    {
        assert!(picture.contains(words), "{words}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");
}

#[test]
fn a_wrong_spec_is_told_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let file = file.to_str().unwrap();
    for wrong in ["f32[3,4].view(5)", "f32[3,4", "nothing"] {
        let output = bench(&["--json", file, "f32[2048,2048].T", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
        assert_eq!(stdout(&output), "");
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
        assert!(!Path::new(file).exists());
    }
}

#[test]
fn requests_that_cannot_be_met_exit_with_2() {
    let huge = "u8[2,70368744177664].T"; // 128 TiB, three times
    for (arguments, message) in [
        (&["f32[0,4].T"][..], "no elements"),
        (&[huge], "384 TiB"),
        (&["--suite", "no-such-suite"], "no suite"),
        (&["--suite", "models", "--filter", "no such case"], "no case left"),
        (&["--suite", "ttc57", "--max-bytes", "1k"], "no case left"),
        (&["--csv", "-", "f32[4,4].T"], "only --json"),
        (&["--svg", "-", "f32[4,4].T"], "only --json"),
        (&["--json", "no/x", "--csv", "no/x", "f32[4,4].T"], "named for two outputs"),
        (&["--svg", "./x", "--csv", "x", "f32[4,4].T"], "named for two outputs"),
        (&["--threads", "0", "f32[4,4].T"], "0"),
        (&["--threads", "many", "f32[4,4].T"], "many"),
        (&["--max-bytes", "ten", "f32[4,4].T"], "ten"),
    ] {
        let output = bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn an_unwritable_target_is_told_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing/r.json");
    let output = bench(&["--json", file.to_str().unwrap(), "f32[2048,2048].T"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("r.json: cannot create"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
}

#[test]
fn suites_are_filtered_and_scaled() {
    let folder = tempfile::tempdir().unwrap();
    let (suite, file) = (folder.path().join("s.json"), folder.path().join("r.json"));
    let text = r#"{"suite": "mine", "cases": [
        {"name": "small", "spec": "u8[8,8].T"},
        {"name": "smaller", "spec": "u8[4,4].T", "why": "still"},
        {"name": "large", "spec": "u8[4096,4096].T"},
        {"name": "other", "spec": "u8[6,6].T"}]}"#;
    fs::write(&suite, text).unwrap();
    let [suite, out] = [&suite, &file].map(|path| path.to_str().unwrap());
    let output = bench(&[
        "--quick",
        "--threads",
        "1",
        "--suite",
        suite,
        "--filter",
        "l",
        "--max-bytes",
        "1M",
        "--json",
        out,
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("Skipped by --max-bytes: 1 case"));
    let report = json(&file);
    assert_eq!(report["suite"], "mine");
    assert_eq!(report["skipped"], serde_json::json!(["large"]));
    let names: Vec<_> =
        report["cases"].as_array().unwrap().iter().map(|case| &case["name"]).collect();
    assert_eq!(names, ["small", "smaller"]);
    assert_eq!(report["cases"][1]["why"], "still");
}

/// A quick look at a suite of hours ends in time and says what it did not see.
#[test]
fn limited_time_leaves_cases_out_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let specs: Vec<String> = (0..12).map(|i| format!("f32[{},2048].T", 2000 + i)).collect();
    let mut arguments = vec!["--quick", "--threads", "1", "--within", "1", "--json"];
    arguments.push(file.to_str().unwrap());
    arguments.extend(specs.iter().map(String::as_str));
    let output = bench(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 seconds were not enough for 12"), "{}", stdout(&output));
    let report = json(&file);
    assert_eq!(report["complete"], true, "it came to its end");
    let names = |field: &str| report[field].as_array().unwrap().len();
    assert!(names("cases") >= 1 && names("out_of_time") >= 1);
    assert_eq!(report["cases"][0]["name"], "f32[2000,2048].T");
    assert_eq!(bench(&["--within", "0", "f32[4,4].T"]).status.code(), Some(2));
}

/// Whoever kills a long run keeps what was measured.
#[test]
#[cfg(unix)]
fn a_killed_run_leaves_a_usable_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let mut child = Command::new(env!("CARGO_BIN_EXE_restride"))
        .args(["bench", "--quick", "--threads", "1", "--json", file.to_str().unwrap()])
        .args(["u8[8,8].T", "f32[4096,4096].T", "f32[4096,4096].flip(1)"])
        .spawn()
        .unwrap();
    let measured = || {
        let text = fs::read(&file).ok()?;
        let report: Value = serde_json::from_slice(&text).expect("the file is always whole");
        report["cases"].as_array().map(Vec::len)
    };
    while measured().is_none_or(|cases| cases == 0) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let report = json(&file);
    assert_eq!((&report["planned"], &report["complete"]), (&3.into(), &false.into()));
    assert_eq!(report["cases"][0]["name"], "u8[8,8].T");

    // What was measured is of use to the other commands.
    let file = file.to_str().unwrap();
    for arguments in [&["report", file][..], &["compare", file, file]] {
        let output = Command::new(env!("CARGO_BIN_EXE_restride")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let told = stdout(&output).to_lowercase();
        assert!(told.contains("stopped early: ") && told.contains("of 3 cases"), "{told}");
    }
}

/// The limit on a file's size stands in for the disk that has no room; beyond it the kernel would
/// end the process.
#[test]
#[cfg(unix)]
fn no_room_for_a_file_is_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["json", "csv", "svg", "html"] {
        let file = folder.path().join(format);
        let script = "ulimit -f 0; exec \"$0\" bench --quick f32[64,64].T \"$1\" \"$2\"";
        let output = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_restride"), &format!("--{format}")])
            .arg(&file)
            .output()
            .unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(": cannot reserve "), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        // An earlier, shorter state of the file may be there, whole.
        for left in fs::read_dir(folder.path()).unwrap() {
            assert_eq!(left.unwrap().path(), file);
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn messages_name_the_users_path_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing/r");
    for flag in ["--json", "--csv", "--svg", "--html"] {
        let output = bench(&[flag, file.to_str().unwrap(), "f32[64,64].T"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(!stderr(&output).contains(".restride-"), "{}", stderr(&output));
        assert_eq!(stderr(&output).matches("missing").count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn with_json_on_standard_output_an_error_is_an_object_too() {
    for (spec, kind) in [("f32[3,4].view(5)", "size_mismatch"), ("f32[0,4].T", "bad_input")] {
        let output = bench(&["--json", "-", spec]);
        assert_eq!(output.status.code(), Some(2));
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["error"]["kind"], kind);
        assert!(stderr(&output).contains(object["error"]["message"].as_str().unwrap()));
    }
}
