//! The report as text: for each case restride, the best library, and the rest.

use core::fmt::Write;

use comfy_table::{Cell, CellAlignment, Table, presets};
use restride::bench::record::{CaseRecord, Measurement, Report, RunRecord};
use restride::bench::report::table;
use restride::bench::stats::geometric_mean;
use restride::bench::strategy::Strategy;

/// Every figure, then restride against the best library of each case.
pub fn render(report: &Report) -> String {
    let mut text = table::render(report);
    for (threads, destination) in report.groups() {
        let plural = if threads == 1 { "" } else { "s" };
        let place = format!("{threads} thread{plural}, {} destination", destination.name());
        let _ = writeln!(text, "\nAgainst the best library: {place}");
        let runs: Vec<_> = report.runs((threads, destination)).collect();
        let _ = writeln!(text, "{}", versus(&runs));
    }
    text + "restride / best: how many times as fast restride is, by medians; < marks cases where a \
            library is ahead.\nMost libraries plan in every call: \
            `restride, planned anew` does the same.\n"
}

/// One line a case.
fn versus(runs: &[(&CaseRecord, &RunRecord)]) -> Table {
    let mut table = Table::new();
    let header = ["case", "restride", "best library", "", "restride / best", ""];
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(header);
    let number = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut leads = Vec::new();
    for (case, run) in runs {
        let Some(ours) = run.of(Strategy::Restride.name()) else { continue };
        let Some(best) = best_library(run) else {
            table.add_row([Cell::new(&case.name), number(speed(ours)), Cell::new("none can")]);
            continue;
        };
        let lead = best.seconds.median / ours.seconds.median;
        leads.push(lead);
        table.add_row([
            Cell::new(&case.name),
            number(speed(ours)),
            Cell::new(&best.strategy),
            number(speed(best)),
            number(format!("{lead:.2}")),
            Cell::new(if lead < 1.0 { "<" } else { "" }),
        ]);
    }
    if let Some(mean) = geometric_mean(leads) {
        let empty = || Cell::new("");
        let title = Cell::new("geometric mean");
        table.add_row([title, empty(), empty(), empty(), number(format!("{mean:.2}")), empty()]);
    }
    table
}

/// The fastest of those that are neither restride nor a dense copy.
fn best_library(run: &RunRecord) -> Option<&Measurement> {
    let ours = Strategy::Restride.name();
    let libraries = run.measurements.iter();
    let libraries = libraries.filter(|one| !one.dense && !one.strategy.starts_with(ours));
    libraries.min_by(|a, b| a.seconds.median.total_cmp(&b.seconds.median))
}

/// Speed relative to the ceiling.
fn speed(measured: &Measurement) -> String {
    let ratio = measured.to_ceiling.median;
    if ratio < 0.095 { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
}
