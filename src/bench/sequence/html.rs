//! Sequences on the web page: a table for each, and from how many uses on a copy pays.

use maud::{Markup, html};

use crate::bench::memory::in_words;
use crate::bench::record::Report;
use crate::bench::report::figures::duration;
use crate::bench::stats::Estimate;

use super::record::{SequenceRecord, SequenceRun};
use super::table::{LEGEND, place, verdict};

/// The section of a report's sequences; empty without any.
pub(in crate::bench) fn section(report: &Report) -> Markup {
    html! {
        @if !report.sequences.is_empty() {
            section aria-labelledby="sequences" {
                h2 #sequences { "Sequences" }
                @for (place, sequence) in report.sequences.iter().enumerate() {
                    (figures(sequence, place))
                    @for run in &sequence.runs { p { (verdict(run)) } }
                }
                p { (LEGEND) }
            }
        }
    }
}

/// A line for each policy of one sequence.
fn figures(sequence: &SequenceRecord, number: usize) -> Markup {
    let id = format!("sequence-{number}");
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(id) {
            table {
                caption #(id) {
                    (sequence.name) ", " (in_words(sequence.viewed_bytes)) " viewed"
                }
                thead {
                    tr {
                        th.figure scope="col" { "threads" }
                        th scope="col" { "policy" }
                        th scope="col" { "dense copy" }
                        @for name in ["time", "a use", "memcpys"] {
                            th.figure scope="col" { (name) }
                        }
                    }
                }
                tbody { @for run in &sequence.runs { (lines(run)) } }
            }
        }
    }
}

fn lines(run: &SequenceRun) -> Markup {
    html! {
        @for policy in &run.policies {
            tr {
                td.figure { (run.threads) }
                th scope="row" { (policy.policy) }
                td { (place(policy)) }
                td.figure { (with_interval(policy.seconds, duration)) }
                td.figure { (policy.seconds_a_use().map_or(String::new(), duration)) }
                td.figure { (with_interval(policy.memcpys, |memcpys| format!("{memcpys:.2}"))) }
            }
        }
    }
}

/// The median, and its interval in small print.
fn with_interval(estimate: Estimate, in_words: impl Fn(f64) -> String) -> Markup {
    let Estimate { median, low, high } = estimate;
    html! {
        (in_words(median)) " "
        small { (in_words(low)) "–" (in_words(high)) }
    }
}
