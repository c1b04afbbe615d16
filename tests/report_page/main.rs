//! The pictures as a reader sees them, in a browser, on light pages and on dark ones.
#![cfg(feature = "cli")]

mod browser;

use std::path::{Path, PathBuf};
use std::process::Command;

use browser::{Browser, Scheme};
use restride::bench::report::chart::palette::{self, Shade};

const SAVED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/report.json");

/// Who takes part in the saved report.
const ENTRANTS: [&str; 2] = ["restride", "someone else's"];

/// Writes the saved report to `name` by `flag`.
fn rendered(folder: &Path, flag: &str, name: &str) -> PathBuf {
    let file = folder.join(name);
    let status = Command::new(env!("CARGO_BIN_EXE_restride"))
        .args(["report", SAVED, flag, file.to_str().unwrap()])
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    file
}

/// The colour of a scheme.
fn colour(shade: Shade, scheme: Scheme) -> (u8, u8, u8) {
    match scheme {
        Scheme::Light => (shade.light.0, shade.light.1, shade.light.2),
        Scheme::Dark => (shade.dark.0, shade.dark.1, shade.dark.2),
    }
}

/// Looks at a file in both schemes: there is paper, there are letters, and there are marks in
/// every entrant's colour.
fn assert_drawn(browser: &Browser, file: &Path, size: (u32, u32)) {
    for scheme in [Scheme::Light, Scheme::Dark] {
        let screen = browser.look(file, size, scheme);
        let share = |shade| screen.count(colour(shade, scheme)) as f64 / screen.area() as f64;
        assert!(share(palette::PAPER) > 0.5, "{scheme:?}: no paper in {}", file.display());
        assert!(share(palette::INK) > 0.0001, "{scheme:?}: no letters in {}", file.display());
        for (name, shade) in ENTRANTS.iter().zip(palette::of(&ENTRANTS)) {
            assert!(share(shade) > 0.001, "{scheme:?}: no bars of {name} in {}", file.display());
        }
        let (other, paper) = match scheme {
            Scheme::Light => (Scheme::Dark, palette::PAPER),
            Scheme::Dark => (Scheme::Light, palette::PAPER),
        };
        let wrong = screen.count(colour(paper, other)) as f64 / screen.area() as f64;
        assert!(wrong < 0.01, "{scheme:?}: {file:?} is drawn on the other paper");
    }
}

#[test]
fn the_picture_draws_in_light_and_dark() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let picture = rendered(folder.path(), "--svg", "report.svg");
    assert_drawn(&browser, &picture, (1000, 1300));
}

#[test]
fn the_page_draws_in_light_and_dark() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = rendered(folder.path(), "--html", "report.html");
    assert_drawn(&browser, &page, (1100, 1900));
}

/// A telephone's width: the page itself does not scroll sideways, its charts and tables do.
#[test]
fn the_page_draws_on_a_telephone() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = rendered(folder.path(), "--html", "report.html");
    assert_drawn(&browser, &page, (500, 1900));
}

#[test]
fn the_browser_finds_charts_and_tables() {
    let Some(browser) = Browser::find() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = rendered(folder.path(), "--html", "report.html");
    let elements = browser.elements(&page);
    assert_eq!(elements.matches("<svg").count(), 3);
    let bar = format!("fill=\"#{:02X}", palette::of(&["restride"])[0].light.0);
    // Three cases in three thread counts and two kinds of destination, and the legends.
    assert!(elements.matches(&bar).count() >= 18, "{}", elements.matches(&bar).count());
    assert_eq!(elements.matches("<caption").count(), 6);
    assert!(elements.contains("256 &lt;squared&gt;"), "names are text, not elements");
}
