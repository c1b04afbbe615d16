//! `restride report` as a user meets it: saved figures, by whomever, made into files.
#![cfg(feature = "cli")]

#[path = "support/command.rs"]
mod command;

use std::fs;
use std::path::Path;

use command::{restride, stderr, stdout};

/// A report of two entrants with names that no markup may swallow.
const SAVED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/report.json");

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_table_shows_every_entrant() {
    let output = restride(&["report", SAVED]);
    assert!(output.status.success(), "{}", stderr(&output));
    for word in ["restride", "someone else's", "memcpy", "0.50", "0.25", "4096"] {
        assert!(stdout(&output).contains(word), "no `{word}` in\n{}", stdout(&output));
    }
}

#[test]
fn pictures_and_tables_are_made_from_saved_figures() {
    let folder = tempfile::tempdir().unwrap();
    let [csv, svg, html] = ["r.csv", "r.svg", "r.html"].map(|name| folder.path().join(name));
    let flags = ["--csv", path(&csv), "--svg", path(&svg), "--html", path(&html)];
    let output = restride(&[&["report", SAVED][..], &flags].concat());
    assert!(output.status.success(), "{}", stderr(&output));

    let [csv, svg, html] = [&csv, &svg, &html].map(|file| fs::read_to_string(file).unwrap());
    // Three cases, three thread counts, two destinations, three strategies.
    assert_eq!(csv.lines().count(), 1 + 3 * 3 * 2 * 3);
    for text in [&svg, &html] {
        assert!(text.contains("prefers-color-scheme:dark"));
        assert!(text.contains("256 &lt;squared&gt; &amp; &quot;quoted&quot;"), "names are escaped");
        assert!(text.contains("someone else"));
    }
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("fill=\"#FFFFFF\""), "the picture has a paper of its own");
    // The cases are one layout in three sizes.
    assert!(svg.contains("GB/s"), "a sweep is drawn as a curve too");
    assert_eq!(html.matches("<svg").count(), 3, "ratios, sizes, scaling");
    assert_eq!(html.matches("<table").count(), 2 * 6);
}

#[test]
fn the_page_needs_nothing_from_outside_and_no_mouse() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("r.html");
    assert!(restride(&["report", SAVED, "--html", path(&html)]).status.success());
    let page = fs::read_to_string(&html).unwrap();
    for outside in ["src=", "<script", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let links: Vec<_> =
        page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() >= 6, "{links:?}");
    for link in links {
        let id = link.strip_prefix('#').expect("links stay on the page");
        assert!(page.contains(&format!("id=\"{id}\"")), "{link} leads nowhere");
    }
    // What scrolls can be scrolled by keyboard, and has a name.
    let scrolled = page.split("class=\"scroll\"").skip(1);
    assert!(scrolled.clone().count() >= 9);
    for rest in scrolled {
        let tag = rest.split('>').next().unwrap();
        assert!(tag.contains("tabindex=\"0\"") && tag.contains("aria-label"), "{tag}");
    }
}

#[test]
fn a_summary_comes_as_markdown() {
    let output = restride(&["report", SAVED, "--markdown"]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.contains("| 1 thread, reused destination | 0.50 | 0.25 |"), "{text}");
    for fact in ["| CPU | Example CPU |", "| Date | 2026-01-01 |", "huge pages | madvise |"] {
        assert!(text.contains(fact), "no `{fact}` in\n{text}");
    }
}

#[test]
fn the_report_of_a_stopped_run_is_shown_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let text = fs::read_to_string(SAVED).unwrap();
    fs::write(&file, text.replace("\"complete\": true", "\"complete\": false")).unwrap();
    let output = restride(&["report", path(&file)]);
    assert!(output.status.success());
    assert!(stdout(&output).contains("Stopped early: 3 of 3"), "{}", stdout(&output));
}

#[test]
fn a_report_without_a_case_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let [file, svg, html] = ["r.json", "r.svg", "r.html"].map(|name| folder.path().join(name));
    let text = fs::read_to_string(SAVED).unwrap();
    let (head, _) = text.split_once("\"cases\": [").unwrap();
    fs::write(&file, format!("{head}\"cases\": []}}")).unwrap();
    let output = restride(&["report", path(&file), "--svg", path(&svg), "--html", path(&html)]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(fs::read_to_string(&svg).unwrap().contains("</svg>"));
}

#[test]
fn what_is_no_report_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("r.html");
    let broken = folder.path().join("broken.json");
    for (content, message) in [
        ("{", "not a report"),
        ("{\"format\": 99}", "format 99"),
        ("{\"suite\": \"main\", \"cases\": []}", "missing field `format`"),
        ("\u{0}", "not a report"),
    ] {
        fs::write(&broken, content).unwrap();
        let output = restride(&["report", path(&broken), "--html", path(&html)]);
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(stderr(&output).contains("broken.json"), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
        assert!(!html.exists());
    }
    let output = restride(&["report", "no such.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot read no such.json"), "{}", stderr(&output));
    let output = restride(&["report", SAVED, "--html", "-"]);
    assert_eq!(output.status.code(), Some(2));
}

/// What `bench` saves is what `report` reads.
#[test]
fn a_measured_report_comes_out_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let [json, one, two] = ["r.json", "1.html", "2.html"].map(|name| folder.path().join(name));
    let specs = ["f32[64,64].T", "f32[128,128].T"];
    let flags = ["bench", "--quick", "--json", path(&json), "--html", path(&one)];
    let output = restride(&[&flags[..], &specs].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let output = restride(&["report", path(&json), "--html", path(&two)]);
    assert!(output.status.success(), "{}", stderr(&output));
    let [one, two] = [one, two].map(|file| fs::read_to_string(file).unwrap());
    // Figures have four digits in the file; bars may be a pixel apart.
    assert_eq!(one.matches("<rect").count(), two.matches("<rect").count());
    assert!(one.contains("f32[128,128].T") && two.contains("--quick"));
}
