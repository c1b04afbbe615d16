//! Bars of the ratio to the ceiling: a line of bars for each case, side by side for each thread
//! count and kind of destination.

use plotters::prelude::*;

use super::palette::{self, INK, Shade};
use super::paper::{
    Area, CENTER, Drawn, LEFT, MARGIN, WIDTH, faint, legend, legend_height, line, shortened, text,
    told,
};
use crate::bench::record::{CaseRecord, Destination, Report, RunRecord};
use crate::bench::report::figures::speed;
use crate::bench::report::group_title;

/// Width of the case names' column.
const NAMES: u32 = 190;
/// Case names are cut to this many characters.
const NAME_CHARS: usize = 28;
/// Groups that stand side by side; more begin a new line.
const ACROSS: usize = 4;
/// Height of a group's title.
const TITLE: u32 = 22;
/// Height of the axis below the bars.
const AXIS: u32 = 26;
/// Height free between two cases.
const GAP: u32 = 8;
/// Pixels to the right of the longest bar, for the figure behind it.
const FIGURE: u32 = 34;
/// The longest ratio drawn: a broadcast that reads next to nothing would squeeze all others.
const LONGEST: f64 = 1.6;
/// The strategy whose figures are written out.
const WRITTEN: &str = "restride";
/// Pixels from one figure to the next below it, at least.
const FIGURE_HEIGHT: i32 = 11;

/// How to read the chart.
pub fn words() -> String {
    "Each bar is a copy's speed as a share of the ceiling's, the median of the ratios taken round \
     by round; the thin line over it is the 95 % bootstrap interval. 1 is as fast as the faster \
     dense copy of the same bytes."
        .into()
}

/// Pixels of one bar: many strategies get thinner ones.
fn thickness(strategies: usize) -> u32 {
    if strategies <= 6 { 7 } else { 5 }
}

/// Pixels of one case.
fn row(strategies: usize) -> u32 {
    (thickness(strategies) * strategies as u32).max(14) + GAP
}

/// The groups, a line of panels each.
fn lines(report: &Report) -> Vec<Vec<(usize, Destination)>> {
    report.groups().chunks(ACROSS).map(<[_]>::to_vec).collect()
}

/// Height of the chart.
pub fn height(report: &Report) -> u32 {
    let strategies = report.strategies(false);
    let panel = report.cases.len() as u32 * row(strategies.len()) + TITLE + AXIS;
    legend_height(&strategies) + lines(report).len() as u32 * panel
}

/// Draws the chart.
pub fn draw(area: &Area<'_>, report: &Report) -> Drawn {
    let strategies = report.strategies(false);
    let bars = Bars {
        report,
        shades: palette::of(&strategies),
        row: row(strategies.len()),
        thickness: thickness(strategies.len()),
        longest: longest(report),
        strategies,
    };
    let (top, mut rest) = area.split_vertically(legend_height(&bars.strategies));
    legend(&top, &bars.strategies)?;
    for groups in lines(report) {
        let panel = report.cases.len() as u32 * bars.row + TITLE + AXIS;
        let (all, below) = rest.split_vertically(panel);
        let (names, panels) = all.split_horizontally(NAMES);
        bars.draw_names(&names)?;
        let (panels, _) = panels.split_horizontally(WIDTH - NAMES - MARGIN as u32);
        // A last line of fewer panels keeps the scale of the others.
        let across = report.groups().len().min(ACROSS);
        for (panel, group) in panels.split_evenly((1, across)).iter().zip(groups) {
            bars.draw_panel(panel, group)?;
        }
        rest = below;
    }
    Ok(())
}

/// The largest ratio of the report within [`LONGEST`], so that all panels have one scale.
fn longest(report: &Report) -> f64 {
    let runs = report.cases.iter().flat_map(|case| &case.runs);
    let strided = runs.flat_map(|run| &run.measurements).filter(|measured| !measured.dense);
    strided.map(|measured| measured.to_ceiling.median).fold(1.0, f64::max).min(LONGEST)
}

/// What all panels share.
struct Bars<'a> {
    report: &'a Report,
    strategies: Vec<&'a str>,
    shades: Vec<Shade>,
    row: u32,
    thickness: u32,
    longest: f64,
}

impl Bars<'_> {
    fn draw_names(&self, area: &Area<'_>) -> Drawn {
        for (place, case) in (0..).zip(&self.report.cases) {
            let middle = (TITLE + place * self.row + self.row / 2) as i32;
            text(area, &shortened(&case.name, NAME_CHARS), (MARGIN, middle), 14, LEFT)?;
        }
        Ok(())
    }

    fn draw_panel(&self, area: &Area<'_>, group: (usize, Destination)) -> Drawn {
        let (title, plot) = area.split_vertically(TITLE);
        let (width, _) = title.dim_in_pixel();
        text(&title, &group_title(group), (width as i32 / 2, 10), 14, CENTER)?;
        let rows = self.report.cases.len() as u32 * self.row;
        // Upright, the axis counts pixels: the first case is on top.
        let mut chart = ChartBuilder::on(&plot)
            .margin_left(8)
            .margin_right(FIGURE)
            .x_label_area_size(AXIS)
            .build_cartesian_2d(0.0..self.longest, f64::from(rows)..0.0)
            .map_err(told)?;
        let bands = (0..self.report.cases.len() as u32).step_by(2).map(|place| {
            let top = f64::from(place * self.row);
            let band = [(0.0, top), (self.longest, top + f64::from(self.row))];
            Rectangle::new(band, INK.light.mix(0.05).filled())
        });
        chart.draw_series(bands).map_err(told)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .y_labels(0)
            .x_labels(if width > 300 { 8 } else { 4 })
            .x_label_formatter(&|ratio| format!("{ratio:.1}"))
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.light.mix(0.2))
            .axis_style(INK.light.mix(0.5))
            .label_style(("sans-serif", 13).into_font().color(&INK.light))
            .draw()
            .map_err(told)?;
        let ceiling = PathElement::new([(1.0, 0.0), (1.0, f64::from(rows))], faint(0.8));
        chart.draw_series([ceiling]).map_err(told)?;

        let to_pixel = |ratio: f64, y: f64| {
            let (x, y) = chart.backend_coord(&(ratio, y));
            let (left, top) = plot.get_base_pixel();
            (x - left, y - top)
        };
        for (place, case) in (0..).zip(&self.report.cases) {
            if let Some(run) = run_of(case, group) {
                self.draw_case(&plot, f64::from(place * self.row), run, &to_pixel)?;
            }
        }
        Ok(())
    }

    /// One case's bars below `top`, each with its interval.
    fn draw_case(
        &self,
        plot: &Area<'_>,
        top: f64,
        run: &RunRecord,
        to_pixel: &impl Fn(f64, f64) -> (i32, i32),
    ) -> Drawn {
        let bars = f64::from(self.thickness * self.strategies.len() as u32);
        let first = top + (f64::from(self.row) - bars) / 2.0;
        let mut figures = Vec::new();
        for (index, (name, shade)) in self.strategies.iter().zip(&self.shades).enumerate() {
            let Some(ratio) = run.of(name).map(|measured| measured.to_ceiling) else { continue };
            let cut = |ratio: f64| ratio.min(self.longest);
            let (left, upper) = to_pixel(0.0, first + (index as f64) * f64::from(self.thickness));
            let (right, _) = to_pixel(cut(ratio.median), top);
            let lower = upper + self.thickness as i32 - 1;
            let bar = [(left, upper), (right.max(left + 1), lower)];
            plot.draw(&Rectangle::new(bar, shade.light.filled())).map_err(told)?;
            let middle = upper + (self.thickness as i32 - 1) / 2;
            let (low, high) = (to_pixel(cut(ratio.low), top).0, to_pixel(cut(ratio.high), top).0);
            if high - low > 2 {
                line(plot, (low, middle), (high, middle), faint(0.8))?;
            }
            if *name == WRITTEN || ratio.median > self.longest {
                figures.push((
                    *name == WRITTEN,
                    speed(ratio.median),
                    (right.max(high) + 4, middle),
                ));
            }
        }
        // Bars that are cut may leave no room for all figures: restride's comes first.
        figures.sort_by_key(|(written, ..)| !written);
        let mut taken: Vec<i32> = Vec::new();
        for (_, figure, (end, middle)) in figures {
            if taken.iter().all(|other| (other - middle).abs() >= FIGURE_HEIGHT) {
                text(plot, &figure, (end, middle), 12, LEFT)?;
                taken.push(middle);
            }
        }
        Ok(())
    }
}

/// The case's run of a group, if it has one.
fn run_of(case: &CaseRecord, (threads, destination): (usize, Destination)) -> Option<&RunRecord> {
    case.runs.iter().find(|run| run.threads == threads && run.destination == destination)
}
