//! `restride compare` as a crate's CI meets it: its table, its JSON, its exit code.
#![cfg(feature = "cli")]

#[path = "support/command.rs"]
mod command;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use command::{restride, stderr, stdout};

const SAVED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/report.json");

fn compare(arguments: &[&str]) -> Output {
    restride(&[&["compare"], arguments].concat())
}

/// The saved report, changed.
fn changed(folder: &Path, change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut report: Value = serde_json::from_slice(&fs::read(SAVED).unwrap()).unwrap();
    change(&mut report);
    let file = folder.join("changed.json");
    fs::write(&file, report.to_string()).unwrap();
    file
}

/// Multiplies the ratios of a strategy of the last case.
fn scale(report: &mut Value, strategy: &str, factor: f64) {
    for run in report["cases"][2]["runs"].as_array_mut().unwrap() {
        for measured in run["measurements"].as_array_mut().unwrap() {
            if measured["strategy"] == strategy {
                for end in ["median", "low", "high"] {
                    let figure = &mut measured["to_ceiling"][end];
                    *figure = (figure.as_f64().unwrap() * factor).into();
                }
            }
        }
    }
}

#[test]
fn the_same_report_has_no_regression() {
    let output = compare(&[SAVED, SAVED]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("0 slower and 0 faster"), "{}", stdout(&output));
}

#[test]
fn a_regression_past_the_threshold_is_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let slower = changed(folder.path(), |report| scale(report, "restride", 0.8));
    let slower = slower.to_str().unwrap();

    let output = compare(&[SAVED, slower]);
    assert_eq!(output.status.code(), Some(1));
    for word in ["4096 <squared>", "2 threads, fresh destination", "-20.0 %", "6 slower"] {
        assert!(stdout(&output).contains(word), "no `{word}` in\n{}", stdout(&output));
    }
    assert_eq!(stderr(&output), "");
    assert!(!stdout(&output).contains("1024 <squared>"), "what did not change is not listed");

    // The other way round it is an improvement, and so it is with patience.
    assert_eq!(compare(&[slower, SAVED]).status.code(), Some(0));
    assert_eq!(compare(&[SAVED, slower, "--threshold", "25%"]).status.code(), Some(0));
    assert_eq!(compare(&[SAVED, slower, "--threshold", "0.1"]).status.code(), Some(1));
}

#[test]
fn others_figures_count_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let slower = changed(folder.path(), |report| scale(report, "someone else's", 0.5));
    let slower = slower.to_str().unwrap();
    assert_eq!(compare(&[SAVED, slower]).status.code(), Some(0));
    assert_eq!(compare(&[SAVED, slower, "--strategy", "all"]).status.code(), Some(1));
    let theirs = ["--strategy", "someone else's"];
    assert_eq!(compare(&[&[SAVED, slower][..], &theirs].concat()).status.code(), Some(1));
    let output = compare(&[SAVED, slower, "--strategy", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("those of restride, someone else's"), "{}", stderr(&output));
}

#[test]
fn json_comes_alone_and_has_every_figure() {
    let folder = tempfile::tempdir().unwrap();
    let slower = changed(folder.path(), |report| scale(report, "restride", 0.8));
    let output = compare(&["--json", SAVED, slower.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&object["slower"], &object["faster"]), (&6.into(), &0.into()));
    assert_eq!(object["threshold"], 0.05);
    assert_eq!(object["before"], SAVED);
    let changes = object["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 18);
    let slower = changes.iter().filter(|change| change["verdict"] == "slower");
    for change in slower {
        assert!((change["change"].as_f64().unwrap() + 0.2).abs() < 0.01, "{change}");
        assert!(change["after"]["high"].as_f64() < change["before"]["low"].as_f64());
    }
}

#[test]
fn a_stopped_run_is_compared_as_far_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let part = changed(folder.path(), |report| {
        report["complete"] = false.into();
        report["cases"].as_array_mut().unwrap().truncate(1);
    });
    let output = compare(&[SAVED, part.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for words in ["the second was stopped early: 1 of 3", "Only in the first report: 1024"] {
        assert!(stdout(&output).contains(words), "no `{words}` in\n{}", stdout(&output));
    }
}

#[test]
fn what_cannot_be_compared_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let other = changed(folder.path(), |report| {
        report["suite"] = "another".into();
        report["cases"][0]["name"] = "a case of its own".into();
    });
    let other = other.to_str().unwrap();
    let output = compare(&[SAVED, other]);
    assert_eq!(output.status.code(), Some(2));
    for words in ["`example` and `another`", "first: 256 <squared>", "second: a case of its own"] {
        assert!(stderr(&output).contains(words), "no `{words}` in {}", stderr(&output));
    }
    assert_eq!(stdout(&output), "");

    let output = compare(&["--json", SAVED, other]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["error"]["kind"], "bad_input");

    let nonsense = folder.path().join("nonsense.json");
    fs::write(&nonsense, "[1, 2]").unwrap();
    for (second, message) in [(nonsense.to_str().unwrap(), "not a report"), ("none", "cannot read")]
    {
        let output = compare(&[SAVED, second]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    for threshold in ["much", "-1%", "200%", "5"] {
        let output = compare(&[SAVED, SAVED, &format!("--threshold={threshold}")]);
        assert_eq!(output.status.code(), Some(2), "{threshold}");
    }
}

#[test]
fn the_help_says_how_ci_uses_it() {
    let output = compare(&["--help"]);
    assert!(output.status.success());
    for words in ["Exit codes: 0 no regression, 1 a regression", "base.json change.json"] {
        assert!(stdout(&output).contains(words), "{}", stdout(&output));
    }
}
