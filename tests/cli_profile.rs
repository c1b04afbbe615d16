//! `restride profile` and the machine part of `restride info`, as a user meets them.
#![cfg(feature = "cli")]

#[path = "support/command.rs"]
mod command;

use std::fs;

use serde_json::Value;

use command::{restride, stderr, stdout};

const SMALL: [&str; 3] = ["profile", "--quick", "f32[256,256].T"];

#[test]
fn one_screen_shows_time_model_and_simulation() {
    let output = restride(&SMALL);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for word in ["plan:", "naive", "restride", "memcpy", "ceiling", "model", "L1d", "walks"] {
        assert!(text.contains(word), "no `{word}` in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.lines().count() <= 45, "{text}");
    assert!(text.matches("Not counted").count() <= 1);
    assert_eq!(stderr(&output), "", "progress belongs to terminals");
}

#[test]
fn model_and_simulator_agree_where_the_answer_is_known() {
    // 64 KiB on each side; a level-1 cache of 4 KiB holds 64 of the 128 lines of a column.
    let output = restride(&[
        "profile",
        "--quick",
        "--json",
        "--cache",
        "l1=4K,4",
        "--cache",
        "l2=1M,16",
        "--cache",
        "l3=none",
        "f32[128,128].T",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let profile: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |name: &str| {
        let all = profile["strategies"].as_array().unwrap();
        all.iter().find(|one| one["strategy"] == name).unwrap()["simulated"].clone()
    };
    let naive = of("naive");
    assert_eq!((&naive["reads"], &naive["writes"]), (&16384.into(), &16384.into()));
    // Every load misses, every store line once; both sides begin 16 bytes behind a line.
    let misses = naive["levels"][0]["misses"].as_u64().unwrap();
    assert!((16384 + 1024..16384 + 1200).contains(&misses), "{misses}");
    let lines = naive["distinct_lines"].as_u64().unwrap();
    assert_eq!(lines, 2 * 1025);
    assert_eq!(naive["levels"][1]["misses"], lines, "all of it fits into the second level");
    assert_eq!(of("restride")["distinct_lines"], lines);
    assert_eq!(profile["predicted"]["src_lines"], 1024);
}

#[test]
fn html_is_one_page_without_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let path_text = path.to_str().unwrap();
    let output = restride(&[&SMALL[..], &["--html", path_text]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let page = fs::read_to_string(path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("prefers-color-scheme"));
    assert!(page.contains("f32[256,256].T") && page.contains("What limits it"));
    assert!(!page.contains("http") && !page.contains("<script"));
}

#[test]
fn sweeps_leave_a_picture_and_figures() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (svg, csv) = (file("a.svg"), file("a.csv"));
    let arguments = [
        "profile",
        "--sweep",
        "threads",
        "--quick",
        "f32[256,256].T",
        "--svg",
        &svg,
        "--csv",
        &csv,
    ];
    let output = restride(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("threads"));
    assert!(fs::read_to_string(svg).unwrap().contains("</svg>"));
    let csv = fs::read_to_string(csv).unwrap();
    assert!(csv.starts_with("curve,threads,GB/s\nnaive,1,"), "{csv}");
}

#[test]
fn every_sweep_over_sizes_has_a_point_for_every_curve() {
    for (sweep, curve) in [
        ("working-set", "memcpy,"),
        ("stores", "streaming stores,"),
        ("fresh", "\"fresh, huge pages\","),
        ("pages", "\"restride, huge pages\","),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let csv = folder.path().join("a.csv");
        let csv_path = csv.to_str().unwrap();
        let arguments = ["profile", "--quick", "f32[64,64].T", "--sweep", sweep, "--csv", csv_path];
        let output = restride(&[&arguments[..], &["--max-bytes", "12000"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output), "", "progress belongs to terminals");
        assert!(stdout(&output).starts_with("f32[64,64].T, made smaller and larger,"));
        let csv = fs::read_to_string(csv).unwrap();
        let points = csv.lines().filter(|line| line.starts_with(curve));
        assert_eq!(points.count(), 1, "{csv}");
    }
}

#[test]
fn tiles_make_a_map_with_the_planners_choice() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("a.svg");
    let svg_path = svg.to_str().unwrap();
    let arguments = ["profile", "--quick", "--json", "--sweep", "tile", "f32[128,128].T"];
    let output = restride(&[&arguments[..], &["--svg", svg_path]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let map: Value = serde_json::from_slice(&output.stdout).unwrap();
    let extents = serde_json::json!([32, 64, 128]);
    assert_eq!((&map["rows"], &map["columns"]), (&extents, &extents));
    let rates = map["rates"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
    assert_eq!(rates.filter(|rate| rate.as_f64().unwrap() > 0.0).count(), 9);
    assert!(map["planned"]["plan"].as_str().unwrap().starts_with("transposed_tile"));
    assert!(fs::read_to_string(svg).unwrap().contains("columns of a tile"));
    let output = restride(&["profile", "--sweep", "tile", "f32[128,128][:, ::2]"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no tile can be asked for"), "{}", stderr(&output));
}

#[test]
fn what_cannot_be_profiled_is_refused_with_a_reason() {
    for (arguments, word) in [
        (&["profile"][..], "SPEC"),
        (&["profile", "f32[0].T"], "no elements"),
        (&["profile", "f32[3,4].TT"], "TT"),
        (&["profile", "f32[3,4].T", "--cache", "l1=48K"], "SIZE,WAYS"),
        (&["profile", "f32[3,4].T", "--cache", "l9=48K,12"], "l1="),
        (&["profile", "f32[3,4].T", "--cache", "l2=1M,16,128"], "same size"),
        (&["profile", "f32[3,4].T", "--policy", "tree-plru", "--cache", "l1=64K,128"], "64 ways"),
        (&["profile", "--sweep", "sideways"], "sideways"),
    ] {
        let output = restride(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(word), "{arguments:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty());
    }
}

#[test]
fn info_tells_the_machine_and_what_it_could_not_learn() {
    let output = restride(&["info", "--json"]);
    let info: Value = serde_json::from_slice(&output.stdout).unwrap();
    let topology = &info["topology"];
    for key in ["processors", "caches", "tlbs", "pages", "nodes", "unknown"] {
        assert!(!topology[key].is_null(), "{key}");
    }
    let text = restride(&["info"]);
    let text = stdout(&text);
    let gaps = topology["unknown"].as_array().unwrap();
    for gap in gaps {
        assert!(text.contains(gap.as_str().unwrap()), "{text}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("counters")).count(), 1, "{text}");
}
