//! Specs that end in consumers, as users of `bench`, `advise`, `explain` and `run` meet them.
#![cfg(feature = "cli")]

#[path = "support/command.rs"]
mod command;

use std::fs;
use std::process::Output;

use serde_json::Value;

use command::{restride, stderr, stdout};

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

const QUICK: [&str; 4] = ["bench", "--quick", "--threads", "1"];

#[test]
fn a_sequence_is_timed_under_every_policy() {
    let output = restride(&[&QUICK[..], &["f32[64,48].T.sum(0)"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for words in [
        "f32[64,48].T.sum(0), 12 KiB viewed",
        "consume the view",
        "materialize, consume",
        "consume 8 times",
        "consume dense memory",
        "there already",
        "reused",
        "fresh",
        "memcpy",
        "1 thread: materializing ",
        "by the model it ",
        "Making a view takes no time",
    ] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
    assert!(!text.contains("GB/s"), "no throughput of views: {text}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn files_carry_sequences_beside_copies() {
    let folder = tempfile::tempdir().unwrap();
    let [json, csv] = ["r.json", "r.csv"].map(|name| folder.path().join(name));
    let paths = [&json, &csv].map(|path| path.to_str().unwrap());
    let specs = ["u8[8,8].T", "f64[30,20].T.add(f64[20,1]).sum()", "f32[9,5].T.matmul(f32[4,9].T)"];
    let flags = ["--json", paths[0], "--csv", paths[1]];
    let output = restride(&[&QUICK[..], &flags[..], &specs[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));

    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    assert_eq!((&report["complete"], &report["planned"]), (&true.into(), &3.into()));
    assert_eq!(report["cases"].as_array().unwrap().len(), 1);
    let sequences = report["sequences"].as_array().unwrap();
    assert_eq!(sequences.len(), 2);
    assert_eq!(sequences[0]["consumers"], serde_json::json!([".add(f64[20,1])", ".sum()"]));
    assert_eq!(sequences[0]["viewed_bytes"], 30 * 20 * 8);
    assert_eq!(sequences[1]["result"], serde_json::json!([5, 4]));
    for sequence in sequences {
        let run = &sequence["runs"][0];
        let kinds = ["never", "at_once", "from"];
        for name in ["break_even_reused", "break_even_fresh"] {
            assert!(kinds.contains(&run[name]["kind"].as_str().unwrap()), "{run}");
        }
        for policy in run["policies"].as_array().unwrap() {
            assert!(policy["rounds"].as_array().unwrap().len() >= 3, "{policy}");
            assert!(policy["seconds"]["median"].as_f64().unwrap() > 0.0, "{policy}");
            assert!(policy["gb_per_second"].is_null(), "{policy}");
        }
        assert!(run["prediction"]["view_lines"].as_u64().unwrap() > 0);
    }
    let lines = fs::read_to_string(csv).unwrap();
    assert!(lines.lines().next().unwrap().ends_with(",page_faults,uses,pays_from"));
    assert_eq!(lines.lines().filter(|line| line.contains("consume the view")).count(), 2);
}

#[test]
fn saved_sequences_are_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let [json, html] = ["r.json", "r.html"].map(|name| folder.path().join(name));
    let paths = [&json, &html].map(|path| path.to_str().unwrap());
    let spec = "f32[30,20].T.sum(0)";
    let output = restride(&[&QUICK[..], &["--json", paths[0], spec]].concat());
    assert!(output.status.success(), "{}", stderr(&output));

    let output = restride(&["report", paths[0], "--html", paths[1]]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("consume the view"), "{}", stdout(&output));
    assert!(!stdout(&output).contains("Stopped early"), "{}", stdout(&output));
    let page = fs::read_to_string(&html).unwrap();
    for words in ["id=\"sequences\"", spec, "consume dense memory", "1 thread: materializing "] {
        assert!(page.contains(words), "no `{words}` in\n{page}");
    }
    assert!(!page.contains("href=\"#tables\""), "there are no copies");

    let output = restride(&["report", paths[0], "--markdown"]);
    assert!(stdout(&output).contains(": 1 thread: materializing "), "{}", stdout(&output));
    assert!(!stdout(&output).contains("Geometric means"), "{}", stdout(&output));

    // The figures of a sequence are checked like those of a copy.
    let mut report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    report["sequences"][0]["runs"][0]["policies"][0]["seconds"]["median"] = (-1.0).into();
    fs::write(&json, report.to_string()).unwrap();
    let output = restride(&["report", paths[0]]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the figures of consume the view"), "{}", stderr(&output));
}

#[test]
fn every_type_and_consumer_can_be_timed() {
    let chelsea = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chelsea.npy.permute(2,0,1)");
    let specs = [
        "i32[6,5].flip(0).sum(1)",
        "u8[12,10].T.add(u8[10,12])",
        "i64[100][::7].sum()",
        "f32[5].expand(4,5).sum(0)",
        "f32[2,3,4].matmul(f32[2,4,5]).sum(-1)",
        "f32[3,4].T.contiguous().sum()",
    ];
    for spec in specs.into_iter().map(String::from).chain([format!("{chelsea}.sum(0)")]) {
        let output = restride(&[&QUICK[..], &[&spec]].concat());
        assert!(output.status.success(), "{spec}: {}", stderr(&output));
    }
}

#[test]
fn advice_is_words_and_numbers() {
    let arguments = ["advise", "--quick", "--threads", "1", "f32[200,100].T.sum(0)"];
    let output = restride(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for words in ["Why: the sum reads the view directly", "measured", "predicted", "1 thread\n"] {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
    let output = restride(&[&arguments[..], &["--json"]].concat());
    let answer = object(&output);
    assert_eq!((&answer["threads"], &answer["viewed_bytes"]), (&1.into(), &80_000.into()));
    for key in ["best", "advice", "why"] {
        assert!(answer[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {answer}");
    }
    assert!(answer["ahead"].as_f64().unwrap() >= 1.0);
    assert!(answer["break_even_fresh"]["kind"].is_string());
    assert!(answer["prediction"]["copy"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["policies"].as_array().unwrap().len(), 7);
}

#[test]
fn what_reads_nothing_gets_no_advice() {
    let output = restride(&["advise", "f32[64,64].T"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    for words in ["nothing reads this view", ".sum(axis)", ".matmul(SPEC)"] {
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
    let output = restride(&["advise", "--json", "f32[64,64].T"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(object(&output)["error"]["at"], 12);
}

#[test]
fn wrong_sequences_are_told_before_anything_is_measured() {
    for (spec, words, at) in [
        ("f32[2048,2048].T.sum(5)", "axis 5 does not exist", 16),
        ("f32[3,4].add(f32[5])", "do not broadcast", 8),
        ("f32[3,4].add(i32[4])", "an argument of i32", 13),
        ("f32[3,4].matmul(f32[3])", "4 columns meet 3 rows", 8),
        ("f32[3,4].sum().T", "consumers come last", 14),
        ("bf16[3,4].sum()", "no arithmetic on bf16", 9),
        ("f32[3,4].summ()", "is `.sum` meant?", 9),
    ] {
        for command in [&["advise", "--json", spec][..], &["bench", "--json", "-", spec]] {
            let output = restride(command);
            assert_eq!(output.status.code(), Some(2), "{spec}");
            let error = &object(&output)["error"];
            assert!(error["message"].as_str().unwrap().contains(words), "{spec}: {error}");
            assert_eq!(error["at"], at, "{spec}");
        }
    }
    for (arguments, words) in [
        (&["bench", "--offset", "4", "f32[4,4].sum()"][..], "--offset"),
        (&["bench", "--svg", "x.svg", "f32[4,4].sum()"], "--svg"),
        (&["bench", "f32[0,4].sum()"], "no elements"),
        (&["advise", "u8[1,70368744177664].expand(8,-1).sum()"], "of memory"),
        (&["advise", "--threads", "0", "f32[4,4].sum()"], "0"),
    ] {
        let output = restride(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn explain_says_how_a_consumer_reads() {
    let spec = "f32[3,4].T.add(f32[3]).sum(0)";
    let output = restride(&["explain", spec]);
    assert!(output.status.success(), "{}", stderr(&output));
    for words in [
        ".add(f32[3]) of [4, 3] makes [4, 3]",
        "a block at a time",
        ".sum(0) of [4, 3] makes [3]",
        "restride advise",
    ] {
        assert!(stdout(&output).contains(words), "no `{words}` in\n{}", stdout(&output));
    }
    let explained = object(&restride(&["explain", "--json", spec]));
    assert_eq!(explained["shape"], serde_json::json!([4, 3]));
    assert_eq!(explained["steps"].as_array().unwrap().len(), 1);
    let consumers = explained["consumers"].as_array().unwrap();
    assert_eq!(consumers[1]["makes"], serde_json::json!([3]));
    assert_eq!(consumers[0]["reads_directly"], true);
    let plain = object(&restride(&["explain", "--json", "f32[3,4].T"]));
    assert_eq!(plain["consumers"], serde_json::json!([]));
}

#[test]
fn run_writes_views_only() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.npy");
    let chelsea = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chelsea.npy");
    let output = restride(&["run", chelsea, ".permute(2,0,1).sum(0)", "-o", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`.sum` makes no view"), "{}", stderr(&output));
    assert!(!out.exists());
}
