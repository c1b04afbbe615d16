//! Sequences on a terminal: a table for each, then from how many uses on a copy pays.

use core::fmt::Write;

use comfy_table::{Cell, Table};

use crate::bench::memory::in_words;
use crate::bench::record::{Destination, Report};
use crate::bench::report::figures::duration;
use crate::bench::report::table::{new_table, number};

use super::policy::Policy;
use super::record::{PolicyRecord, SequenceRecord, SequenceRun};

/// The sequences of a report as text, with what the figures mean at the end; empty without any.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    for sequence in &report.sequences {
        let _ = writeln!(text, "{}\n{}", title(sequence), table(sequence));
        for run in &sequence.runs {
            let _ = writeln!(text, "{}", verdict(run));
        }
        for run in &sequence.runs {
            for warning in &run.warnings {
                let threads = run.threads;
                let advice = warning.advice();
                let _ = writeln!(text, "warning: {threads} threads: {warning}: {advice}");
            }
        }
        text.push('\n');
    }
    if !text.is_empty() {
        text.push_str(LEGEND);
    }
    text
}

/// What the figures mean.
pub(super) const LEGEND: &str = "\
Sequences: `a use` is the time divided by the uses of the view's values, `to the view` the speed of a
use relative to consuming the view (1 is as fast), and `memcpys` the time in memcpys of the viewed
bytes. Making a view takes no time and has no line. Consumers write their results to memory that is
reused; `fresh` is the dense copy's allocation, with page faults and release inside the time.
";

/// `name: spec, 64 MiB viewed`.
fn title(sequence: &SequenceRecord) -> String {
    let viewed = in_words(sequence.viewed_bytes);
    if sequence.name == sequence.spec {
        format!("{}, {viewed} viewed", sequence.spec)
    } else {
        format!("{}: {}, {viewed} viewed", sequence.name, sequence.spec)
    }
}

fn table(sequence: &SequenceRecord) -> Table {
    let header =
        ["threads", "policy", "dense copy", "time", "±", "a use", "to the view", "memcpys"];
    let mut table = new_table(header.map(String::from).to_vec());
    for run in &sequence.runs {
        for policy in &run.policies {
            let view = run.seconds(Policy::View);
            let a_use = policy.seconds_a_use();
            table.add_row([
                number(run.threads.to_string()),
                Cell::new(&policy.policy),
                Cell::new(place(policy)),
                number(duration(policy.seconds.median)),
                number(format!("{:.0} %", 100.0 * policy.seconds.noise())),
                number(a_use.map_or(String::new(), duration)),
                number(a_use.map_or(String::new(), |a_use| format!("{:.2}", view / a_use))),
                number(format!("{:.2}", policy.memcpys.median)),
            ]);
        }
    }
    table
}

/// Where the dense copy is.
pub(super) fn place(policy: &PolicyRecord) -> &'static str {
    match policy.destination {
        Some(destination) => destination.name(),
        None if policy.policy == Policy::Dense.name() => "there already",
        None => "",
    }
}

/// The verdict of each run with the sequence's name.
pub(in crate::bench) fn verdicts(sequence: &SequenceRecord) -> impl Iterator<Item = String> {
    sequence.runs.iter().map(|run| format!("{}: {}", sequence.name, verdict(run)))
}

/// From how many uses on a copy pays, measured and predicted.
pub(super) fn verdict(run: &SequenceRun) -> String {
    let threads = if run.threads == 1 { "thread" } else { "threads" };
    format!(
        "{} {threads}: materializing {} ({} memory), {} ({} memory); by the model it {}",
        run.threads,
        run.break_even_reused,
        Destination::Reused.name(),
        run.break_even_fresh,
        Destination::Fresh.name(),
        run.prediction.break_even
    )
}
