//! The report on a terminal: every figure of a few cases, the ratios of many.

use core::fmt::Write;

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::figures::{duration, gb_per_second, speed};
use super::{Report, doubts, group_title};
use crate::bench::memory::in_words;
use crate::bench::record::{CaseRecord, Destination, Measurement, RunRecord};
use crate::bench::sequence;

/// Up to this many cases are shown with every figure.
const FEW: usize = 3;

/// Relative noise from which a ratio carries a question mark.
const DOUBTFUL: f64 = 0.10;

/// What was measured, in whatever form the figures are shown.
pub const METHOD: [&str; 3] = [
    "GB/s counts bytes read plus bytes written, every element once each way.",
    "The ceiling is the faster of memcpy and a streaming copy of the same bytes with the same \
     threads.",
    "Fresh destination: allocation, page faults and release are inside the time; restride asks for \
     huge pages, as its `contiguous` does. An allocator that hands back memory it kept causes no \
     faults (the JSON counts them).",
];

/// The report as text, with what its figures mean at the end.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    if report.cases.len() <= FEW {
        for case in &report.cases {
            let _ = writeln!(text, "{}\nplan: {}\n{}", case_title(case), case.plan, details(case));
        }
    } else {
        for group in report.groups() {
            let _ = writeln!(text, "{}\n{}", group_title(group), summary(report, group));
        }
    }
    text.push_str(&legend(report));
    text.push_str(&sequence::table::render(report));
    for sentence in doubts::sentences(report) {
        let _ = writeln!(text, "{sentence}");
    }
    text
}

/// `name: spec, 8 MiB moved`.
fn case_title(case: &CaseRecord) -> String {
    let moved = in_words(case.bytes_moved);
    if case.name == case.spec {
        format!("{}, {moved} moved", case.spec)
    } else {
        format!("{}: {}, {moved} moved", case.name, case.spec)
    }
}

pub(in crate::bench) fn new_table(header: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
    table
}

/// A cell of a column of numbers.
pub(in crate::bench) fn number(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// Every figure of one case.
fn details(case: &CaseRecord) -> Table {
    let header = ["threads", "destination", "strategy", "time", "±", "GB/s", "ceiling", "memcpy"];
    let mut table = new_table(header.map(String::from).to_vec());
    for run in &case.runs {
        for measured in &run.measurements {
            table.add_row([
                number(run.threads.to_string()),
                Cell::new(run.destination.name()),
                Cell::new(&measured.strategy),
                number(duration(measured.seconds.median)),
                number(format!("{:.0} %", 100.0 * measured.seconds.noise())),
                number(gb_per_second(measured)),
                number(speed(measured.to_ceiling.median)),
                number(speed(measured.to_memcpy.median)),
            ]);
        }
    }
    table
}

/// One line a case: the dense copies' throughput, everybody's ratio to the better of them.
fn summary(report: &Report, group: (usize, Destination)) -> Table {
    let (dense, strided) = (report.strategies(true), report.strategies(false));
    let mut header = vec!["case".to_owned(), "moved".to_owned()];
    header.extend(dense.iter().map(|name| format!("{name} GB/s")));
    header.extend(strided.iter().map(|name| (*name).to_owned()));
    let mut table = new_table(header);
    for (case, run) in report.runs(group) {
        let mut row = vec![Cell::new(&case.name), number(in_words(case.bytes_moved))];
        row.extend(dense.iter().map(|name| number(throughput(run, name))));
        row.extend(strided.iter().map(|name| number(run.of(name).map_or("".into(), ratio))));
        table.add_row(row);
    }
    let mut means = vec![Cell::new("geometric mean"), Cell::new("")];
    means.extend(dense.iter().map(|_| Cell::new("")));
    means.extend(strided.iter().map(|name| {
        let mean = report.mean_to_ceiling(group, name);
        number(mean.map_or("".into(), |mean| speed(mean) + " "))
    }));
    table.add_row(means);
    table
}

/// A dense copy's throughput; the ceiling is marked.
fn throughput(run: &RunRecord, name: &str) -> String {
    let mark = if run.ceiling == name { "*" } else { " " };
    run.of(name).map_or("".into(), |measured| gb_per_second(measured) + mark)
}

/// A ratio to the ceiling, with a question mark when the rounds disagree.
fn ratio(measured: &Measurement) -> String {
    let mark = if measured.to_ceiling.noise() > DOUBTFUL { "?" } else { " " };
    speed(measured.to_ceiling.median) + mark
}

/// What the figures mean.
fn legend(report: &Report) -> String {
    if report.cases.is_empty() {
        return String::new();
    }
    let few = report.cases.len() <= FEW;
    let ratios = if few {
        "The columns ceiling and memcpy are speeds relative to the ceiling and to memcpy: 1 is as \
         fast."
    } else {
        "Figures below a strategy are speeds relative to the ceiling (the dense copy marked *): 1 \
         is as fast; ? marks medians not known to 10 %."
    };
    let [counted, ceiling, fresh] = METHOD;
    format!("{counted}\n{ceiling}\n{ratios}\n{fresh}\n")
}
