//! Speed-up with the number of threads, over all cases that are large enough to share.

use plotters::prelude::*;

use super::palette;
use super::paper::{
    Area, CENTER, Drawn, RIGHT, WIDTH, faint, legend, legend_height, line, text, told,
};
use crate::bench::memory::in_words;
use crate::bench::record::{CaseRecord, Destination, Report};
use crate::bench::stats::geometric_mean;

/// Height of a panel.
const PANEL: u32 = 260;
/// Height of its title.
const TITLE: u32 = 24;
/// Pixels for the labels of the axes.
const LABELS: u32 = 34;
/// Cases that move fewer bytes are not worth a second thread, and are left out if others are
/// there.
const WORTH_SHARING: u64 = 8 << 20;

/// Thread counts, ascending.
fn threads(report: &Report) -> Vec<usize> {
    let mut threads: Vec<usize> = report.groups().into_iter().map(|(threads, _)| threads).collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

/// Whether the report has several thread counts.
pub fn has_figures(report: &Report) -> bool {
    threads(report).len() > 1
}

/// The cases that count.
fn cases(report: &Report) -> Vec<&CaseRecord> {
    let large: Vec<_> =
        report.cases.iter().filter(|case| case.bytes_moved >= WORTH_SHARING).collect();
    if large.is_empty() { report.cases.iter().collect() } else { large }
}

/// How to read the chart.
pub fn words(report: &Report) -> String {
    let counted = cases(report);
    let (count, least) = (counted.len(), threads(report).first().copied().unwrap_or(1));
    let which = if counted.iter().all(|case| case.bytes_moved >= WORTH_SHARING) {
        format!("the {count} case(s) that move at least {}", in_words(WORTH_SHARING))
    } else {
        format!("all {count} case(s)")
    };
    format!(
        "How many times as fast as on {least} thread(s): the geometric mean over {which}. The \
         dashed line is as many times as fast as there are threads; memory gives out before that."
    )
}

/// Everybody: strided strategies, then dense copies.
fn strategies(report: &Report) -> Vec<&str> {
    [report.strategies(false), report.strategies(true)].concat()
}

/// Height of the chart.
pub fn height(report: &Report) -> u32 {
    legend_height(&strategies(report)) + PANEL
}

/// Draws the chart: a panel for each kind of destination.
pub fn draw(area: &Area<'_>, report: &Report) -> Drawn {
    let names = strategies(report);
    let (top, rest) = area.split_vertically(legend_height(&names));
    legend(&top, &names)?;
    let curves = Destination::ALL.map(|destination| curves(report, destination, &names));
    let points = curves.iter().flatten().flatten();
    let highest = points.map(|&(_, speedup)| speedup).fold(1.0, f64::max);
    for (place, (destination, curves)) in (0..).zip(Destination::ALL.iter().zip(&curves)) {
        let (_, from) = rest.split_horizontally(place * WIDTH / 2);
        let (panel, _) = from.split_horizontally(WIDTH / 2);
        let title = format!("{} destination", destination.name());
        draw_panel(&panel, &title, &threads(report), &names, curves, highest)?;
    }
    Ok(())
}

/// Threads and speed-up, for each of `names`.
fn curves(report: &Report, destination: Destination, names: &[&str]) -> Vec<Vec<(f64, f64)>> {
    let (threads, cases) = (threads(report), cases(report));
    let least = threads[0];
    let seconds = |case: &CaseRecord, threads: usize, name: &str| {
        let mut runs = case.runs.iter();
        let run = runs.find(|run| run.threads == threads && run.destination == destination)?;
        Some(run.of(name)?.seconds.median)
    };
    let point = |name: &str, threads: usize| {
        let speedups = cases
            .iter()
            .filter_map(|case| Some(seconds(case, least, name)? / seconds(case, threads, name)?));
        Some((threads as f64, geometric_mean(speedups)?))
    };
    let curve = |name: &&str| threads.iter().filter_map(|&n| point(name, n)).collect();
    names.iter().map(curve).collect()
}

fn draw_panel(
    area: &Area<'_>,
    title: &str,
    threads: &[usize],
    names: &[&str],
    curves: &[Vec<(f64, f64)>],
    highest: f64,
) -> Drawn {
    let (head, plot) = area.split_vertically(TITLE);
    let (width, _) = head.dim_in_pixel();
    text(&head, title, (width as i32 / 2, 14), 14, CENTER)?;
    let (least, most) = (threads[0] as f64, threads[threads.len() - 1] as f64);
    let room = 0.06 * (most - least);
    let mut chart = ChartBuilder::on(&plot)
        .margin_left(6)
        .margin_right(14)
        .x_label_area_size(LABELS)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(least - room..most + room, 0.0..highest * 1.1)
        .map_err(told)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .x_labels(0)
        .y_labels(5)
        .y_label_formatter(&|speedup| format!("{speedup:.1}"))
        .light_line_style(TRANSPARENT)
        .bold_line_style(faint(0.15))
        .axis_style(faint(0.5))
        .label_style(("sans-serif", 13).into_font().color(&super::palette::INK.light))
        .draw()
        .map_err(told)?;

    let (left, top) = plot.get_base_pixel();
    let pixel = |threads: f64, speedup: f64| {
        let (x, y) = chart.backend_coord(&(threads, speedup));
        (x - left, y - top)
    };
    for &count in threads {
        let (x, y) = pixel(count as f64, 0.0);
        line(&plot, (x, y), (x, y + 4), faint(0.5))?;
        text(&plot, &count.to_string(), (x, y + 14), 13, CENTER)?;
    }
    let (x, y) = pixel(most + room, 0.0);
    text(&plot, "threads", (x, y + 28), 13, RIGHT)?;
    // As many times as fast as there are threads, as far as the panel reaches.
    let end = most.min(least * highest * 1.1);
    let dash = (end - least) / 24.0;
    for piece in (0..24).step_by(2) {
        let at = |piece: i32| {
            let threads = least + dash * f64::from(piece);
            pixel(threads, threads / least)
        };
        line(&plot, at(piece), at(piece + 1), faint(0.5))?;
    }
    for ((name, shade), curve) in names.iter().zip(palette::of(names)).zip(curves) {
        let width = if *name == "restride" { 3 } else { 2 };
        let style = shade.light.stroke_width(width);
        chart.draw_series([PathElement::new(curve.clone(), style)]).map_err(told)?;
        let dots = curve.iter().map(|&at| Circle::new(at, 3, shade.light.filled()));
        chart.draw_series(dots).map_err(told)?;
    }
    Ok(())
}
