//! A sweep on a terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::{Curves, Kind, Map, Planned, Sweep};
use crate::bench::memory::in_words;
use crate::profile::report::text::wrapped;

/// The sweep as a table: a line for each place, a column for each curve; of a map, a line for each
/// number of rows.
pub fn render(sweep: &Sweep) -> String {
    match sweep {
        Sweep::Curves(curves) => of_curves(curves),
        Sweep::Map(map) => of_map(map),
    }
}

fn of_curves(sweep: &Curves) -> String {
    let names = sweep
        .curves
        .iter()
        .map(|curve| format!("{}\n{}", curve.name.replace(", ", ",\n"), sweep.y));
    let mut table = table([sweep.x.to_owned()].into_iter().chain(names));
    let places = sweep.curves.first().map_or(0, |curve| curve.points.len());
    for place in 0..places {
        let x = sweep.curves[0].points[place].0;
        let sizes = sweep.counts_bytes() && sweep.kind != Kind::Stride;
        let x = if sizes { in_words(x as u64) } else { x.to_string() };
        let figures = sweep.curves.iter().map(|curve| format!("{:.2}", curve.points[place].1));
        add(&mut table, [x].into_iter().chain(figures));
    }
    let notes: String = sweep.notes.iter().map(|note| format!("{note}\n")).collect();
    format!("{}\n{table}\n{notes}", sweep.title)
}

fn of_map(map: &Map) -> String {
    let widths = map.columns.iter().map(u32::to_string);
    let mut table = table(["rows \\ columns".to_owned()].into_iter().chain(widths));
    for (rows, rates) in map.rows.iter().zip(&map.rates) {
        let figures = rates.iter().map(|rate| format!("{rate:.1}"));
        add(&mut table, [rows.to_string()].into_iter().chain(figures));
    }
    let Planned { plan, cells: (p, q), rate } = &map.planned;
    let plan = wrapped(&format!("plan: {plan}"), "      ");
    format!(
        "{}: GB/s\n{table}\n\
         Rows: units of a tile along the destination's run; columns: along the source's.\n\
         memcpy {:.1} GB/s; the planner's own {p} x {q}: {rate:.1} GB/s\n{plan}\n",
        map.title, map.memcpy
    )
}

fn table(heading: impl Iterator<Item = String>) -> Table {
    let mut table = Table::new();
    let right = |text| Cell::new(text).set_alignment(CellAlignment::Right);
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(heading.map(right));
    table
}

fn add(table: &mut Table, row: impl Iterator<Item = String>) {
    table.add_row(row.map(|text| Cell::new(text).set_alignment(CellAlignment::Right)));
}
