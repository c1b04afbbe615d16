//! The report on a terminal: every figure of a few cases, the ratios of many.

use core::fmt::Write;
use core::mem::discriminant;

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::{Report, group_title};
use crate::bench::memory::in_words;
use crate::bench::record::{CaseRecord, Measurement, RunRecord};
use crate::bench::stats::geometric_mean;
use crate::bench::warning::Warning;

/// Up to this many cases are shown with every figure.
const FEW: usize = 3;

/// Relative noise from which a ratio carries a question mark.
const DOUBTFUL: f64 = 0.10;

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
    text + &legend(report) + &doubts(report)
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

fn new_table(header: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
    table
}

/// A cell of a column of numbers.
fn number(text: String) -> Cell {
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
fn summary(report: &Report, group: (usize, crate::bench::record::Destination)) -> Table {
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
        let runs = report.runs(group).filter_map(|(_, run)| run.of(name));
        let mean = geometric_mean(runs.map(|measured| measured.to_ceiling.median));
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

fn gb_per_second(measured: &Measurement) -> String {
    let figure = measured.gb_per_second;
    if figure < 10.0 { format!("{figure:.2}") } else { format!("{figure:.1}") }
}

/// A ratio to the ceiling, with a question mark when the rounds disagree.
fn ratio(measured: &Measurement) -> String {
    let mark = if measured.to_ceiling.noise() > DOUBTFUL { "?" } else { " " };
    speed(measured.to_ceiling.median) + mark
}

/// A relative speed with at least two digits that mean something.
fn speed(ratio: f64) -> String {
    if ratio < 0.095 { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
}

/// Seconds in the unit that leaves one to three digits before the point.
fn duration(seconds: f64) -> String {
    let (scale, unit) = match seconds {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{:.2} {unit}", seconds * scale)
}

/// What the figures mean.
fn legend(report: &Report) -> String {
    let few = report.cases.len() <= FEW;
    let ratios = if few {
        "The columns ceiling and memcpy are speeds relative to the ceiling and to memcpy: 1 is as \
         fast."
    } else {
        "Figures below a strategy are speeds relative to the ceiling (the dense copy marked *): 1 \
         is as fast; ? marks medians not known to 10 %."
    };
    format!(
        "GB/s counts bytes read plus bytes written, every element once each way.\n\
         The ceiling is the faster of memcpy and a streaming copy of the same bytes with the same \
         threads.\n{ratios}\n\
         Fresh destination: allocation, page faults and release are inside the time; restride asks for \
         huge pages, as its `contiguous` does. An allocator that hands back memory it kept causes no \
         faults (the JSON counts them).\n"
    )
}

/// What was left out and what is doubtful.
fn doubts(report: &Report) -> String {
    let mut text = String::new();
    if !report.skipped.is_empty() {
        let count = report.skipped.len();
        let _ = writeln!(text, "Skipped by --max-bytes: {count} case(s).");
    }
    if !report.complete {
        let (done, planned) = (report.cases.len(), report.planned);
        let _ = writeln!(text, "Stopped early: {done} of {planned} cases measured.");
    }
    for (case, run) in
        report.cases.iter().flat_map(|case| case.runs.iter().map(move |run| (case, run)))
    {
        let place = group_title((run.threads, run.destination));
        for out in &run.left_out {
            let (name, fault) = (&out.strategy, &out.fault);
            let _ = writeln!(text, "left out: {name} in {} ({place}): {fault}", case.name);
        }
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {warning}: {}", warning.advice());
    }
    for worst in worst_of_each_kind(report) {
        let _ = writeln!(text, "warning: {worst}");
    }
    text
}

/// One sentence for each kind of warning that runs carry: the worst, and how many more there are
/// (the JSON file has them all).
fn worst_of_each_kind(report: &Report) -> Vec<String> {
    let mut kinds: Vec<(usize, &Warning, String)> = Vec::new();
    for case in &report.cases {
        for run in &case.runs {
            let place =
                || format!("{} ({})", case.name, group_title((run.threads, run.destination)));
            for warning in &run.warnings {
                match kinds
                    .iter_mut()
                    .find(|(_, worst, _)| discriminant(*worst) == discriminant(warning))
                {
                    None => kinds.push((1, warning, place())),
                    Some((count, worst, at)) => {
                        *count += 1;
                        if warning.severity() > worst.severity() {
                            (*worst, *at) = (warning, place());
                        }
                    }
                }
            }
        }
    }
    let sentence = |(count, worst, at): (usize, &Warning, String)| {
        let more = match count - 1 {
            0 => String::new(),
            more => format!(" ({more} lesser of this kind elsewhere)"),
        };
        format!("{at}: {worst}{more}: {}", worst.advice())
    };
    kinds.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_their_digits() {
        let said = [3.2e-9, 4.5e-5, 0.25, 12.0].map(duration);
        assert_eq!(said, ["3.20 ns", "45.00 µs", "250.00 ms", "12.00 s"]);
    }
}
