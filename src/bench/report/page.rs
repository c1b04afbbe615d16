//! What every page of figures begins with: reports, and the profiles of `restride profile`.

use maud::{Markup, PreEscaped, html};

/// Look of a page: the colours that all pages share, and what reports and profiles are made of.
const STYLE: &str = concat!(include_str!("colours.css"), include_str!("page.css"));

/// The head of a report's or a profile's page, with rules of its own after the look they share.
pub(crate) fn head(title: &str, rules: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            style { (PreEscaped(STYLE)) (PreEscaped(rules)) }
        }
    }
}
