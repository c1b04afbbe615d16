//! The explanation as a web page that needs nothing from outside: every step's elements beside
//! the storage they are read from, to be clicked and walked through.
//!
//! | file | idea |
//! |---|---|
//! | `page.html` | the parts of the page, and where data, style and script go |
//! | `style.css` | how it looks, on light and on dark screens |
//! | `layout.js` | which slot an index reads, and which indices read a slot |
//! | `trace.js` | the data: steps, storages, where values came from |
//! | `lesson.js` | a sentence for each step |
//! | `dom.js` | making elements |
//! | `grid.js` | the logical side |
//! | `storage.js` | the physical side, in cache lines |
//! | `arrows.js` | lines between the two |
//! | `sums.js` | the address sum |
//! | `scan.js` | the walk in logical order |
//! | `page.js` | what is chosen, keys, and the page's address |

use serde::Serialize;

use super::json::Report;
use super::{Explained, json};
use crate::cli::error::advice;
use crate::layout::Layout;
use crate::spec::{CopyStep, Spec, Trace};

const PAGE: &str = include_str!("page.html");
const STYLE: &str =
    concat!(include_str!("../../../bench/report/colours.css"), include_str!("style.css"));
/// What a file uses at load time stands in a file before it.
const SCRIPT: &str = concat!(
    include_str!("dom.js"),
    include_str!("layout.js"),
    include_str!("trace.js"),
    include_str!("lesson.js"),
    include_str!("grid.js"),
    include_str!("storage.js"),
    include_str!("arrows.js"),
    include_str!("sums.js"),
    include_str!("scan.js"),
    include_str!("page.js"),
);

/// What the page knows. Strides and offsets are in elements.
#[derive(Serialize)]
struct Data<'a> {
    /// What `--json` prints without `--order`.
    report: Report<'a>,
    source: Source<'a>,
    /// For each step, the copy it took.
    copies: Vec<Option<Copy<'a>>>,
    /// The operation that could not be carried out, as the spec writes it.
    failed: Option<&'a str>,
    /// What to do about the failure.
    advice: Option<&'static str>,
}

#[derive(Serialize)]
struct Source<'a> {
    text: &'a str,
    /// In elements.
    storage_len: usize,
    #[serde(flatten)]
    layout: Numbers<'a>,
}

#[derive(Serialize)]
struct Copy<'a> {
    from: Numbers<'a>,
    to: Numbers<'a>,
}

impl<'a> Copy<'a> {
    fn of(copy: &'a CopyStep) -> Self {
        Self { from: Numbers::of(&copy.from), to: Numbers::of(&copy.to) }
    }
}

#[derive(Serialize)]
struct Numbers<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
    offset: usize,
}

impl<'a> Numbers<'a> {
    fn of(layout: &'a Layout) -> Self {
        Self { shape: layout.shape(), strides: layout.strides(), offset: layout.offset() }
    }
}

/// The page about `explained`, which came as far as `trace`.
///
/// # Errors
/// What the JSON writer said.
pub fn page(explained: &Explained<'_>, trace: &Trace) -> serde_json::Result<String> {
    let origin = trace.origin();
    let data = Data {
        // An order may be as long as a storage, and the page finds its own.
        report: json::report(explained, None),
        source: Source {
            text: explained.source,
            storage_len: origin.storage_len,
            layout: Numbers::of(&origin.layout),
        },
        copies: trace.steps().iter().map(|step| step.copy.as_ref().map(Copy::of)).collect(),
        failed: failed_op(explained, trace),
        advice: explained.error.as_ref().and_then(|error| advice(error.kind)),
    };
    // Inside a script element only `<` can end it; in JSON it stands in strings alone.
    let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
    let title = format!("{} · restride", escaped(explained.text));
    Ok(filled(&[("title", &title), ("style", STYLE), ("data", &data), ("script", SCRIPT)]))
}

/// The operation after the last one that was carried out.
fn failed_op<'a>(explained: &Explained<'a>, trace: &Trace) -> Option<&'a str> {
    let spec = Spec::parse(explained.text).ok()?;
    spec.ops.get(trace.steps().len()).map(|op| &explained.text[op.at.clone()])
}

/// The page with each marker replaced, in their order. What was put in is not searched again.
fn filled(parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = PAGE;
    for (marker, text) in parts {
        let (before, after) = rest.split_once(&format!("{{{{{marker}}}}}")).unwrap_or((rest, ""));
        page += before;
        page += text;
        rest = after;
    }
    page + rest
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(spec: &str) -> String {
        let explained = Explained::of(spec, false);
        page(&explained, explained.trace.as_ref().unwrap()).unwrap()
    }

    #[test]
    fn every_part_is_put_in() {
        let page = page_of("f32[3,4].T");
        assert!(!page.contains("{{"), "no marker is left");
        assert!(page.contains("--axis-0:") && page.contains("start();"));
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn text_stays_text() {
        // File names may hold anything.
        let mut explained = Explained::of("f32[2,3].T", false);
        explained.text = "'</script><b>{{script}}.npy'.T";
        let page = page(&explained, explained.trace.as_ref().unwrap()).unwrap();
        assert_eq!(page.matches("</script>").count(), 2, "one for the data, one for the script");
        assert!(page.contains("&lt;/script&gt;&lt;b&gt;"), "in the title");
        assert!(page.contains("\\u003c/script>\\u003cb>{{script}}"), "in the data");
    }
}
