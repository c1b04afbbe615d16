//! `restride explain --html`: the file, and the page in a browser, clicked and typed at.
#![cfg(feature = "cli")]

#[path = "report_page/browser.rs"]
mod browser;
#[path = "support/command.rs"]
mod command;

use std::fs;
use std::path::{Path, PathBuf};

use browser::{Browser, Scheme};
use command::restride;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The page about `spec`, in a folder that lives as long as the test.
fn page(folder: &TempDir, spec: &str) -> PathBuf {
    let file = folder.path().join("page.html");
    let output = restride(&["explain", spec, "--html", file.to_str().unwrap()]);
    assert!(file.is_file(), "{spec}: {output:?}");
    file
}

/// What `explain --json` says with `more` arguments.
fn explained(spec: &str, more: &[&str]) -> Value {
    let output = restride(&[&["explain", spec, "--json"], more].concat());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The data in a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"<script id="data" type="application/json">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// What `script` returns in the page about `spec`, after the page has drawn itself. The script
/// knows `step(n)`, `element(i, …)`, `slot(panel, n)`, `key(name)` and `marked(selector)`; its
/// answer holds none of `&<>`, which the browser would escape.
fn asked(browser: &Browser, spec: &str, script: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = page(&folder, spec);
    let text = fs::read_to_string(&file).unwrap();
    let (before, after) = text.rsplit_once("</body>").unwrap();
    let probe = format!("<script>{PROBE}\nanswer(() => {{ {script} }});</script>");
    fs::write(&file, [before, &probe, "</body>", after].concat()).unwrap();
    let elements = browser.elements(&file);
    let (_, rest) = elements.split_once(r#"<pre id="answer">"#).expect("an answer");
    let answer: Value = serde_json::from_str(rest.split_once("</pre>").unwrap().0).unwrap();
    assert_eq!(answer["failed"], Value::Null, "{spec}");
    answer["is"].clone()
}

const PROBE: &str = r##"
const step = (n) => document.querySelector(`[data-at="${n}"]`).click();
const cells = () => [...document.querySelectorAll("#grid [data-position]")];
const element = (...index) =>
  cells().find((cell) => cell.getAttribute("aria-label").startsWith(`element [${index.join(", ")}],`));
const slot = (panel, n) => document.querySelector(`[data-panel="${panel}"] [data-slot="${n}"]`);
const key = (name) =>
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const marked = (selector) =>
  [...document.querySelectorAll(`${selector} [aria-selected="true"]`)]
    .map((node) => Number(node.dataset.slot ?? node.dataset.position));
const text = (id) => document.getElementById(id).textContent;
function answer(ask) {
  let failed = null, is = null;
  window.onerror = (message) => { failed = message; };
  try { is = ask() ?? null; } catch (error) { failed = String(error); }
  const pre = document.createElement("pre");
  pre.id = "answer";
  pre.textContent = JSON.stringify({ failed, is });
  document.body.append(pre);
}
"##;

#[test]
fn the_page_is_whole_and_asks_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(page(&folder, "f32[3,4].T")).unwrap();
    assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"));
    let addresses = text.matches("http").count() - text.matches("http-equiv").count();
    assert_eq!((addresses, text.matches("http://www.w3.org/2000/svg").count()), (1, 1));
    for outside in [" src=", "@import", "url(http", "fetch(", "<link rel=\"stylesheet"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(text.contains("default-src 'none'"));
    assert!(text.len() < 200_000, "{}", text.len());
}

#[test]
fn the_page_knows_what_json_says() {
    for spec in ["f32[3,4].T.reshape(-1)[::2]", "f32[3,4].T.view(-1)", "u8[]", "f32[0,3].T"] {
        let folder = tempfile::tempdir().unwrap();
        let data = data(&fs::read_to_string(page(&folder, spec)).unwrap());
        assert_eq!(data["report"], explained(spec, &[]), "{spec}");
        let steps = data["report"]["steps"].as_array().unwrap();
        let copies = data["copies"].as_array().unwrap();
        let copied: Vec<bool> = copies.iter().map(|copy| !copy.is_null()).collect();
        let said: Vec<bool> = steps.iter().map(|step| step["copied"] == true).collect();
        assert_eq!(copied, said, "{spec}");
    }
    let folder = tempfile::tempdir().unwrap();
    let data = data(&fs::read_to_string(page(&folder, "f32[3,4].T.reshape(-1)")).unwrap());
    assert_eq!(data["source"]["storage_len"], 12);
    assert_eq!(data["copies"][1]["from"], json!({"shape": [4, 3], "strides": [1, 4], "offset": 0}));
    assert_eq!(data["copies"][1]["to"]["strides"], json!([3, 1]));
}

#[test]
fn the_text_and_the_json_come_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let html = ["--html", file.to_str().unwrap()];
    for more in [&[][..], &["--json"][..], &["--json", "--order"][..]] {
        let plain = restride(&[&["explain", "f32[3,4].T"], more].concat());
        let paged = restride(&[&["explain", "f32[3,4].T"], more, &html].concat());
        assert_eq!((paged.status.code(), &paged.stdout), (Some(0), &plain.stdout), "{more:?}");
        assert!(file.is_file());
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_view_that_cannot_be_still_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let spec = "f32[3,4].T.view(-1)";
    let output = restride(&["explain", spec, "--html", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot merge"));
    let data = data(&fs::read_to_string(&file).unwrap());
    assert_eq!(data["failed"], ".view(-1)");
    assert_eq!(data["report"]["steps"].as_array().unwrap().len(), 1);
    assert!(data["advice"].as_str().unwrap().contains("reshape"));
}

#[test]
fn without_a_source_there_is_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    for spec in ["f32[3,4", "f32[3,4].T.nonsense()", "missing.npy.T"] {
        let output = restride(&["explain", spec, "--html", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{spec}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{spec}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_anything_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/page.html");
    for target in [missing.to_str().unwrap(), folder.path().to_str().unwrap(), "-"] {
        let output = restride(&["explain", "f32[3,4].T", "--html", target]);
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{target}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.starts_with("error: ") && (target == "-" || told.contains(target)), "{told}");
        let output = restride(&["explain", "f32[3,4].T", "--json", "--html", target]);
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(2), "{target}");
        assert_eq!(object["error"]["kind"], "bad_input", "{target}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let output = restride(&["explain", "--batch", "-", "--json", "--html", "page.html"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn names_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a<b>&'{{data}}<!--\u{2028}.npy");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/chelsea.npy"), &name).unwrap();
    let source = format!("\"{}\"", name.display());
    let spec = format!("{source}[:8, :8].transpose(0, 1)");
    let text = fs::read_to_string(page(&folder, &spec)).unwrap();
    assert_eq!((text.matches("<script").count(), text.matches("</script>").count()), (2, 2));
    assert!(!text.contains("a<b>") && !text.contains("<!--"), "no tag, no comment");
    assert_eq!(data(&text)["report"]["spec"], spec);
    let Some(browser) = Browser::find() else { return };
    let script = "return document.querySelector('#tab-0 code').textContent.length;";
    assert_eq!(asked(&browser, &spec, script), json!(source.encode_utf16().count()));
}

/// Every element of every kind of view, clicked: the slot that lights up is the one that the
/// order names.
#[test]
fn a_clicked_element_lights_its_slot() {
    let Some(browser) = Browser::find() else { return };
    for spec in [
        "f32[3,4].T",
        "f32[6][::-1]",
        "f32[4,1].expand(4,5)",
        "f64[2,3,4].permute(2,0,1)[:, ::-1, 1:]",
        "u8x3[5,6].diagonal()",
        "i16[9].unfold(0,4,2)",
        "u8[]",
    ] {
        let script = "return cells().map((cell) => { cell.click(); return marked('.storage'); });";
        let found = asked(&browser, spec, script);
        let order = explained(spec, &["--order"])["order"].clone();
        let order: Vec<Value> =
            order.as_array().unwrap().iter().map(|slot| json!([slot])).collect();
        assert_eq!(found, json!(order), "{spec}");
    }
}

#[test]
fn the_sum_is_written_out() {
    let Some(browser) = Browser::find() else { return };
    let script =
        "element(2, 1).click(); return [text('sums'), text('live'), location.hash.split('&')];";
    let said = asked(&browser, "f32[3,4].T[:, ::-1]", script);
    // Strides 1 and -4 from slot 8.
    assert_eq!(said[1], "Storage: element [2, 1] is slot 8 + 2*1 + 1*-4 = 6.");
    let sum = said[0].as_str().unwrap();
    assert!(sum.contains("2·1") && sum.contains("1·(−4)"), "{sum}");
    assert!(sum.ends_with("bytes 24 to 27, cache line 0"), "{sum}");
    assert_eq!(said[2], json!(["#step=2", "at=2,1"]));
}

#[test]
fn a_clicked_slot_lights_every_reader() {
    let Some(browser) = Browser::find() else { return };
    let script = "slot(0, 2).click(); return [marked('#grid'), marked('.storage'), text('live')];";
    let found = asked(&browser, "f32[4,1].expand(4,5)", script);
    assert_eq!((&found[0], &found[1]), (&json!([10, 11, 12, 13, 14]), &json!([2])));
    assert!(found[2].as_str().unwrap().starts_with("Slot 2 is read by 5 elements: [2, 0] [2, 1]"));
    let script = "slot(0, 3).click(); return [marked('#grid'), marked('.storage'), text('live')];";
    let found = asked(&browser, "f32[8][::2]", script);
    assert_eq!((&found[0], &found[1]), (&json!([]), &json!([3])));
    assert!(found[2].as_str().unwrap().contains("not visible in this view"));
}

#[test]
fn a_copy_shows_where_an_element_went() {
    let Some(browser) = Browser::find() else { return };
    let script = "
      const all = cells().map((cell) => {
        cell.click();
        const slots = [...marked('[data-panel=\"0\"]'), ...marked('[data-panel=\"1\"]')];
        return [Number(cell.textContent), ...slots];
      });
      const arrows = (kind) => document.querySelectorAll(`#arrows .${kind}`).length;
      return [all, arrows('reads'), arrows('moved')];";
    for spec in [
        "f32[2,3,4].permute(2,0,1).contiguous()",
        "f32[3,4].T.reshape(2,6)",
        "f32[3,4].T.contiguous().T.reshape(-1)",
    ] {
        let found = asked(&browser, spec, script);
        let order = explained(spec, &["--order"])["order"].clone();
        let before = explained(spec.rsplit_once('.').unwrap().0, &["--order"]);
        let all = found[0].as_array().unwrap();
        assert_eq!(all.len(), order.as_array().unwrap().len(), "{spec}");
        for (position, found) in all.iter().enumerate() {
            assert_eq!(found[0], order[position], "{spec}: the value");
            assert_eq!(found[2], json!(position), "{spec}: dense memory in logical order");
            if before["shares_storage"] == true {
                assert_eq!(found[1], before["order"][position], "{spec}: where it was");
            }
        }
        assert_eq!((&found[1], &found[2]), (&json!(1), &json!(1)), "{spec}: arrows");
    }
}

#[test]
fn keys_move_and_choose() {
    let Some(browser) = Browser::find() else { return };
    let script = "
      element(0, 0).focus();
      key('ArrowRight'); key('ArrowDown'); key('Enter');
      const chosen = [marked('#grid'), marked('.storage')];
      slot(0, 0).focus();
      key('End'); key('ArrowLeft'); key(' ');
      chosen.push(marked('#grid'), marked('.storage'));
      key('Escape');
      chosen.push(marked('#grid'));
      document.getElementById('tab-1').focus();
      key('ArrowLeft');
      chosen.push(text('grid-size'), document.activeElement.id);
      chosen.push(document.querySelectorAll('#grid [tabindex=\"0\"]').length);
      return chosen;";
    let found = asked(&browser, "f32[3,4].T", script);
    assert_eq!(found, json!([[4], [5], [8], [10], [], "3 × 4", "tab-0", 1]));
}

#[test]
fn a_scan_counts_steps_and_lines() {
    let Some(browser) = Browser::find() else { return };
    let script = "
      const touched = () => document.querySelectorAll('.touched').length;
      const steps = (count) => {
        for (let n = 0; n < count; n++) document.getElementById('step').click();
      };
      document.getElementById('line').value = 16;
      document.getElementById('line').dispatchEvent(new Event('change'));
      const before = [document.querySelectorAll('[data-line]').length, touched()];
      steps(3);
      const early = [text('count'), touched()];
      steps(20);
      return [before, early, text('count'), text('deltas'), text('verdict'), text('lines')];";
    let found = asked(&browser, "f32[3,4].T", script);
    assert_eq!(found[0], json!([3, 0]));
    assert_eq!(found[1], json!(["3 of 12 elements", 3]));
    assert_eq!(found[2], "12 of 12 elements");
    assert_eq!(found[3], "+4jump8 of 8−7jump3 of 3");
    assert_eq!(found[4], "In all: 8 steps of +4, 3 steps of −7.");
    let lines = found[5].as_str().unwrap();
    for part in ["lines fetched3 of 3", "12 of 12", "100 %", "changes of line11 of 11"] {
        assert!(lines.contains(part), "{part} in {lines}");
    }
    let repeat = "document.getElementById('step').click(); return text('deltas');";
    let found = asked(&browser, "f32[2,1].expand(2,3)", repeat);
    assert_eq!(found, "0the same slot again0 of 4+1the next slot0 of 1");
}

#[test]
fn a_failed_view_is_explained_on_the_page() {
    let Some(browser) = Browser::find() else { return };
    let script = "
      const told = text('failure');
      step(1);
      return [told, document.getElementById('failure').hidden, cells().length];";
    let found = asked(&browser, "f32[3,4].T.view(-1)", script);
    let told = found[0].as_str().unwrap();
    for part in [
        "stride[0] = 1, but stride[1] * size[1] = 12",
        "+4 (8 times) and −7 (3 times)",
        ".reshape(…) copies",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert_eq!((&found[1], &found[2]), (&json!(true), &json!(12)));
}

/// What is drawn of a large view is bounded, and moves along.
#[test]
fn large_views_are_seen_through_a_window() {
    let Some(browser) = Browser::find() else { return };
    let script = "
      const drawn = () => [cells().length, document.querySelectorAll('[data-slot]').length];
      const first = [...drawn(), text('grid-note')];
      element(5, 15).focus();
      key('ArrowRight'); key('Enter');
      const moved = [marked('#grid'), marked('.storage'), document.activeElement.dataset.position];
      const side = document.getElementById('window-side');
      side.value = 64;
      side.dispatchEvent(new Event('change'));
      return [first, moved, drawn()];";
    let found = asked(&browser, "f32[4096,4096].T", script);
    assert_eq!(found[0], json!([256, 256, "256 elements of 16,777,216 drawn."]));
    let position = 5 * 4096 + 16;
    assert_eq!(found[1], json!([[position], [16 * 4096 + 5], position.to_string()]));
    let drawn = |kind: usize| found[2][kind].as_u64().unwrap();
    assert!(drawn(0) <= 4096 && drawn(1) <= 4096, "{found}");
    let script = "return [cells().length, text('grid-note')];";
    let found = asked(&browser, "u8[3000000000,3000000000].T", script);
    assert_eq!(found[0], 0);
    assert!(found[1].as_str().unwrap().starts_with("Too many to draw"), "{found}");
    let found = asked(&browser, "f32[5,0,3]", script);
    assert!(found[1].as_str().unwrap().starts_with("A size of 0"), "{found}");
}

#[test]
fn the_page_draws_in_light_and_dark_on_wide_and_narrow_screens() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = page(&folder, "f32[2,3,4].permute(2,0,1).contiguous()");
    let mark = (255, 178, 36);
    for (scheme, paper) in [(Scheme::Light, (255, 255, 255)), (Scheme::Dark, (13, 17, 23))] {
        for width in [1200, 600] {
            let screen = browser.look(&file, (width, 1400), scheme);
            let share = |colour| screen.count(colour) as f64 / screen.area() as f64;
            assert!(share(paper) > 0.5, "{scheme:?} {width}: {}", share(paper));
            assert!(share(mark) > 0.001, "{scheme:?} {width}: {}", share(mark));
        }
    }
}
