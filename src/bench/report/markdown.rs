//! The report in short as Markdown: for the page beside saved results, for a CI job's summary.

use core::fmt::Write;

use super::figures::{date, speed};
use super::{Report, doubts, facts, group_title};
use crate::bench::sequence;

/// Means of the ratios to the ceiling, what became of sequences, doubts, machine and method.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Measured on {} on {} by `{}`.",
        date(report.started),
        escaped(report.context.cpu.as_deref().unwrap_or("an unknown processor")),
        facts::command(report).replace('`', "'")
    );
    if !report.cases.is_empty() {
        text += &means(report);
    }
    for sequence in &report.sequences {
        for verdict in sequence::table::verdicts(sequence) {
            let _ = writeln!(text, "- {}", escaped(&verdict));
        }
    }
    for sentence in doubts::sentences(report) {
        let _ = writeln!(text, "- {}", escaped(&sentence));
    }
    text += "\n<details><summary>Machine and method</summary>\n\n| | |\n|---|---|\n";
    for (name, fact) in facts::of(report) {
        text += &cells(vec![name.into(), escaped(&fact)]);
    }
    text += "\n</details>\n";
    text
}

/// The table of the ratios' means, with a line about it.
fn means(report: &Report) -> String {
    let names = report.strategies(false);
    let (count, noun) =
        (report.cases.len(), if report.cases.len() == 1 { "case" } else { "cases" });
    let mut text =
        format!("Geometric means of the speed relative to the ceiling over {count} {noun}:\n\n");
    text +=
        &cells([vec![String::new()], names.iter().map(|name| escaped(name)).collect()].concat());
    text += &format!("|---|{}\n", "---:|".repeat(names.len()));
    for group in report.groups() {
        let mean = |name: &&str| report.mean_to_ceiling(group, name).map_or("".into(), speed);
        text += &cells([vec![group_title(group)], names.iter().map(mean).collect()].concat());
    }
    text.push('\n');
    text
}

fn cells(cells: Vec<String>) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// Text that Markdown shows as it is, within a table too.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' => escaped.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' => {
                escaped.extend(['\\', character]);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}
