//! Throughput against the bytes that a copy moves, with the caches' sizes marked.

use core::ops::Range;

use plotters::prelude::*;

use super::palette;
use super::paper::{
    Area, CENTER, Drawn, LEFT, RIGHT, WIDTH, faint, legend, legend_height, line, text, told,
};
use crate::bench::memory::in_words;
use crate::bench::record::{Destination, Report};
use crate::bench::report::group_title;

/// Panels side by side.
const ACROSS: usize = 2;
/// Height of a panel.
const PANEL: u32 = 300;
/// Height of its title.
const TITLE: u32 = 24;
/// Pixels for the labels of the axes.
const LABELS: u32 = 34;

/// Whether the report has cases of different sizes.
pub fn has_figures(report: &Report) -> bool {
    let mut sizes = report.cases.iter().map(|case| case.bytes_moved);
    sizes.next().is_some_and(|first| sizes.any(|size| size != first))
}

/// Whether the specs differ in their numbers only: then sizes make a curve.
pub fn is_sweep(report: &Report) -> bool {
    let form = |spec: &str| -> String {
        spec.chars().filter(|character| !character.is_ascii_digit()).collect()
    };
    let mut forms = report.cases.iter().map(|case| form(&case.spec));
    let first = forms.next();
    has_figures(report) && forms.all(|form| Some(form) == first)
}

/// How to read the chart.
pub fn words(report: &Report) -> String {
    let points = if is_sweep(report) {
        "Every point is a case, joined for each strategy."
    } else {
        "Every point is a case and a strategy; the cases differ in more than their size."
    };
    format!(
        "{points} GB/s counts bytes read plus bytes written; so does the axis below. Dashed lines \
         mark what the caches hold. Both axes are logarithmic."
    )
}

/// Everybody: strided strategies, then dense copies.
fn strategies(report: &Report) -> Vec<&str> {
    [report.strategies(false), report.strategies(true)].concat()
}

/// Height of the chart.
pub fn height(report: &Report) -> u32 {
    let lines = report.groups().len().div_ceil(ACROSS) as u32;
    legend_height(&strategies(report)) + lines * PANEL
}

/// Draws the chart.
pub fn draw(area: &Area<'_>, report: &Report) -> Drawn {
    let names = strategies(report);
    let (top, mut rest) = area.split_vertically(legend_height(&names));
    legend(&top, &names)?;
    let scales = Scales::of(report);
    for groups in report.groups().chunks(ACROSS) {
        let (all, below) = rest.split_vertically(PANEL);
        for (place, &group) in (0..).zip(groups) {
            let width = WIDTH / ACROSS as u32;
            let (_, from) = all.split_horizontally(place * width);
            let (panel, _) = from.split_horizontally(width);
            draw_panel(&panel, report, group, &names, &scales)?;
        }
        rest = below;
    }
    Ok(())
}

/// The axes: binary logarithms of bytes, decimal ones of GB/s; the same in all panels.
struct Scales {
    bytes: Range<f64>,
    speed: Range<f64>,
}

impl Scales {
    fn of(report: &Report) -> Self {
        let (mut bytes, mut speed) = (f64::MAX..f64::MIN, f64::MAX..f64::MIN);
        let widen = |range: &mut Range<f64>, value: f64| {
            *range = range.start.min(value)..range.end.max(value);
        };
        for case in &report.cases {
            widen(&mut bytes, (case.bytes_moved as f64).log2());
            for measured in case.runs.iter().flat_map(|run| &run.measurements) {
                widen(&mut speed, measured.gb_per_second.log10());
            }
        }
        Self {
            bytes: bytes.start - 0.5..bytes.end + 0.5,
            // Room for the caches' names on top.
            speed: speed.start - 0.05..speed.end + 0.15,
        }
    }

    /// Powers of two to label: no more than ten of them.
    fn sizes(&self) -> impl Iterator<Item = i32> {
        let (first, last) = (self.bytes.start.ceil() as i32, self.bytes.end.floor() as i32);
        let step = ((last - first) / 10 + 1).max(2) as usize;
        (first..=last).step_by(step)
    }

    /// 1, 2 and 5 times powers of ten, with how they are written.
    fn speeds(&self) -> impl Iterator<Item = (f64, String)> {
        let decades = self.speed.start.floor() as i32..=self.speed.end.floor() as i32;
        let figures = decades.flat_map(|power| {
            [1.0, 2.0, 5.0].map(|digit| {
                let decimals = usize::try_from(-power).unwrap_or(0);
                let figure = digit * 10f64.powi(power);
                (figure.log10(), format!("{figure:.decimals$}"))
            })
        });
        figures.filter(|(at, _)| self.speed.contains(at))
    }
}

fn draw_panel(
    area: &Area<'_>,
    report: &Report,
    group: (usize, Destination),
    names: &[&str],
    scales: &Scales,
) -> Drawn {
    let (title, plot) = area.split_vertically(TITLE);
    let (width, _) = title.dim_in_pixel();
    text(&title, &group_title(group), (width as i32 / 2, 14), 14, CENTER)?;
    text(&title, "GB/s", (LABELS as i32, 14), 13, RIGHT)?;
    let mut chart = ChartBuilder::on(&plot)
        .margin_left(6)
        .margin_right(14)
        .x_label_area_size(LABELS)
        .y_label_area_size(LABELS)
        .build_cartesian_2d(scales.bytes.clone(), scales.speed.clone())
        .map_err(told)?;

    let (left, top) = plot.get_base_pixel();
    let (across, upright) = chart.plotting_area().get_pixel_range();
    let (across, upright) =
        (across.start - left..across.end - left, upright.start - top..upright.end - top);
    let pixel = |bytes: f64, speed: f64| {
        let (x, y) = chart.backend_coord(&(bytes, speed));
        (x - left, y - top)
    };
    for (at, figure) in scales.speeds() {
        let (_, y) = pixel(scales.bytes.start, at);
        line(&plot, (across.start, y), (across.end, y), faint(0.15))?;
        text(&plot, &figure, (across.start - 5, y), 13, RIGHT)?;
    }
    for power in scales.sizes() {
        let (x, _) = pixel(f64::from(power), scales.speed.start);
        line(&plot, (x, upright.end), (x, upright.end + 4), faint(0.5))?;
        text(&plot, &in_words(1 << power), (x, upright.end + 14), 13, CENTER)?;
    }
    line(&plot, (across.start, upright.end), (across.end, upright.end), faint(0.5))?;
    for cache in &report.context.caches {
        let at = (cache.bytes as f64).log2();
        if scales.bytes.contains(&at) {
            let (x, _) = pixel(at, scales.speed.start);
            for y in (upright.start..upright.end).step_by(8) {
                line(&plot, (x, y), (x, (y + 4).min(upright.end)), faint(0.5))?;
            }
            text(&plot, &format!("L{}", cache.level), (x + 4, upright.start + 8), 13, LEFT)?;
        }
    }

    let sweep = is_sweep(report);
    for (name, shade) in names.iter().zip(palette::of(names)) {
        let mut points: Vec<(f64, f64)> = report
            .runs(group)
            .filter_map(|(case, run)| {
                let speed = run.of(name)?.gb_per_second.log10();
                Some(((case.bytes_moved as f64).log2(), speed))
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        if sweep {
            let width = if *name == "restride" { 3 } else { 2 };
            let style = shade.light.stroke_width(width);
            chart.draw_series([PathElement::new(points.clone(), style)]).map_err(told)?;
        }
        let radius = if sweep { 2 } else { 3 };
        let dots = points.into_iter().map(|at| Circle::new(at, radius, shade.light.filled()));
        chart.draw_series(dots).map_err(told)?;
    }
    Ok(())
}
