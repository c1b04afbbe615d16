//! A sweep on a terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::{Kind, Sweep};
use crate::bench::memory::in_words;

/// The sweep as a table: a line for each place, a column for each curve.
pub fn render(sweep: &Sweep) -> String {
    let mut table = Table::new();
    let names = sweep.curves.iter().map(|curve| format!("{} {}", curve.name, sweep.y));
    let heading: Vec<String> = [sweep.x.to_owned()].into_iter().chain(names).collect();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(heading);
    let places = sweep.curves.first().map_or(0, |curve| curve.points.len());
    for place in 0..places {
        let x = sweep.curves[0].points[place].0;
        let sizes = matches!(sweep.kind, Kind::WorkingSet | Kind::Stores | Kind::Fresh);
        let x = if sizes { in_words(x as u64) } else { x.to_string() };
        let figures = sweep.curves.iter().map(|curve| format!("{:.2}", curve.points[place].1));
        let row = [x].into_iter().chain(figures);
        table.add_row(row.map(|text| Cell::new(text).set_alignment(CellAlignment::Right)));
    }
    format!("{}\n{table}\n", sweep.title)
}
