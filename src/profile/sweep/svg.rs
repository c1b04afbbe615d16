//! A sweep as an SVG picture, readable on light and on dark pages.

use std::io;

use plotters::prelude::*;

use super::{Curves, Sweep, heat};
use crate::bench::memory::in_words;
use crate::bench::report::chart::palette::{self, PAPER};
use crate::bench::report::chart::paper::{
    Area, CENTER, Drawn, LEFT, MARGIN, RIGHT, WIDTH, faint, legend, legend_height, line, text, told,
};
use crate::bench::report::svg::styled;

/// Height of a picture of curves.
const HEIGHT: u32 = 500;
/// Height of the title.
pub(super) const TITLE: u32 = 36;
/// Pixels for the figures beside the axes, and below them.
const FIGURES: i32 = 56;
const BELOW: i32 = 52;
/// Height of a line of the marks' names.
const NAMES: i32 = 18;
/// Pixels of a letter of them.
const LETTER: i32 = 7;
/// How many times the least figure the largest is where logarithms take their place.
const WIDE: f64 = 12.0;

/// The sweep as an SVG picture.
///
/// # Errors
/// What the plotting library said.
pub fn export(sweep: &Sweep) -> io::Result<Vec<u8>> {
    let picture = match sweep {
        Sweep::Curves(curves) => picture(HEIGHT, &|area| draw(area, curves)),
        Sweep::Map(map) => picture(heat::height(map), &|area| heat::draw(area, map)),
    };
    styled(&picture.map_err(io::Error::other)?, sweep.title())
}

/// A picture of the given height that `draw` fills.
fn picture(height: u32, draw: &dyn Fn(&Area<'_>) -> Drawn) -> Drawn<String> {
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (WIDTH, height)).into_drawing_area();
        root.fill(&PAPER.light).map_err(told)?;
        draw(&root)?;
        root.present().map_err(told)?;
    }
    Ok(picture)
}

/// The sweep's numbers as places in the picture: logarithms along it where they double, and up it
/// where they differ widely.
struct Scale<'a> {
    sweep: &'a Curves,
    left: f64,
    right: f64,
    /// Whether figures are logarithms.
    wide: bool,
    low: f64,
    high: f64,
}

impl<'a> Scale<'a> {
    fn of(sweep: &'a Curves) -> Self {
        let (mut left, mut right) = (f64::MAX, f64::MIN);
        let (mut least, mut most) = (f64::MAX, f64::MIN_POSITIVE);
        for &(x, y) in sweep.curves.iter().flat_map(|curve| &curve.points) {
            let x = along(sweep, x);
            (left, right) = (left.min(x), right.max(x));
            if y.is_finite() && y > 0.0 {
                (least, most) = (least.min(y), most.max(y));
            }
        }
        let room = 0.02 * (right - left).max(1.0);
        let wide = sweep.y == "GB/s" && most > WIDE * least;
        let (low, high) = match wide {
            true => (least.log10() - 0.05, most.log10() + 0.05),
            false => (0.0, most * 1.05),
        };
        Self { sweep, left: left - room, right: right + room, wide, low, high }
    }

    fn along(&self, x: f64) -> f64 {
        along(self.sweep, x)
    }

    fn up(&self, y: f64) -> f64 {
        if self.wide { y.max(f64::MIN_POSITIVE).log10() } else { y }
    }

    /// Figures to label up the picture: 1, 2 and 5 times powers of ten, or equal steps of them.
    fn figures(&self) -> Vec<f64> {
        let round = |power: i32| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power));
        if self.wide {
            let powers = self.low.floor() as i32..=self.high.floor() as i32;
            let figures = powers.flat_map(round);
            return figures
                .filter(|figure| (self.low..=self.high).contains(&figure.log10()))
                .collect();
        }
        let steps = (-3..12).flat_map(round);
        let step = steps.into_iter().find(|step| self.high / step <= 7.0).unwrap_or(self.high);
        (0..).map(|n| f64::from(n) * step).take_while(|&figure| figure <= self.high).collect()
    }

    /// Places to label along the picture: every second or so power of two, or every whole number.
    fn labels(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.left.ceil() as i32, self.right.floor() as i32);
        let step = ((last - first) / 12 + 1).max(1) as usize;
        let said = |at: i32| match (self.sweep.logarithmic, self.sweep.counts_bytes()) {
            (true, true) => in_words(1 << at),
            (true, false) => format!("{}", 1u64 << at),
            (false, _) => at.to_string(),
        };
        (first..=last).step_by(step).map(|at| (f64::from(at), said(at))).collect()
    }
}

/// Where a number of the sweep lies along the picture.
fn along(sweep: &Curves, x: f64) -> f64 {
    if sweep.logarithmic { x.max(1.0).log2() } else { x }
}

fn draw(area: &Area<'_>, sweep: &Curves) -> Drawn {
    let names: Vec<&str> = sweep.curves.iter().map(|curve| curve.name.as_str()).collect();
    let (head, rest) = area.split_vertically(TITLE);
    text(&head, &sweep.title, (MARGIN, 20), 18, LEFT)?;
    let (top, plot) = match names.len() {
        0 | 1 => rest.split_vertically(0),
        _ => rest.split_vertically(legend_height(&names)),
    };
    if names.len() > 1 {
        legend(&top, &names)?;
    }
    let scale = Scale::of(sweep);
    let (width, height) = plot.dim_in_pixel();
    let marks: Vec<(f64, &str)> = sweep
        .marks
        .iter()
        .map(|(at, name)| (scale.along(*at), name.as_str()))
        .filter(|(at, _)| (scale.left..=scale.right).contains(at))
        .collect();
    let left_edge = FIGURES;
    let right_edge = width as i32 - MARGIN - 8;
    let across = |x: f64| {
        let share = (x - scale.left) / (scale.right - scale.left);
        left_edge + (share * f64::from(right_edge - left_edge)).round() as i32
    };
    let lines = name_lines(&marks, &across, right_edge);
    let band = NAMES * (1 + lines.iter().max().copied().unwrap_or(0)) + 22;
    let floor = height as i32 - BELOW;
    let up = |y: f64| {
        let share = (scale.up(y) - scale.low) / (scale.high - scale.low);
        floor - (share * f64::from(floor - band)).round() as i32
    };
    for figure in scale.figures() {
        line(&plot, (left_edge, up(figure)), (right_edge, up(figure)), faint(0.15))?;
        text(&plot, &figure.to_string(), (left_edge - 8, up(figure)), 13, RIGHT)?;
    }
    line(&plot, (left_edge, floor), (right_edge, floor), faint(0.5))?;
    text(&plot, sweep.y, (MARGIN, band - 16), 13, LEFT)?;
    for (at, words) in scale.labels() {
        line(&plot, (across(at), floor), (across(at), floor + 4), faint(0.5))?;
        text(&plot, &words, (across(at), floor + 14), 13, CENTER)?;
    }
    text(&plot, sweep.x, ((left_edge + right_edge) / 2, floor + 36), 13, CENTER)?;
    for ((at, name), row) in marks.iter().zip(&lines) {
        let (x, y) = (across(*at), NAMES * row);
        for y in (y + NAMES - 6..floor).step_by(8) {
            line(&plot, (x, y), (x, (y + 4).min(floor)), faint(0.5))?;
        }
        let ends = x + LETTER * name.chars().count() as i32 > right_edge;
        let (place, anchor) = if ends { (x - 4, RIGHT) } else { (x + 4, LEFT) };
        text(&plot, name, (place, y + NAMES / 2), 13, anchor)?;
    }
    for (curve, shade) in sweep.curves.iter().zip(palette::of(&names)) {
        let points = curve.points.iter().filter(|(_, y)| y.is_finite());
        let points: Vec<(i32, i32)> =
            points.map(|&(x, y)| (across(scale.along(x)), up(y))).collect();
        let style = shade.light.stroke_width(2);
        plot.draw(&PathElement::new(points.clone(), style)).map_err(told)?;
        for at in points {
            plot.draw(&Circle::new(at, 2, shade.light.filled())).map_err(told)?;
        }
    }
    Ok(())
}

/// The line that the name of each mark goes on, so that none touches another.
fn name_lines(marks: &[(f64, &str)], across: &dyn Fn(f64) -> i32, right: i32) -> Vec<i32> {
    let mut taken: Vec<(i32, i32, i32)> = Vec::new();
    let line_of = |&(at, name): &(f64, &str)| {
        let (x, width) = (across(at), LETTER * name.chars().count() as i32 + 8);
        let (from, to) = if x + width > right { (x - width, x) } else { (x, x + width) };
        let free = |line: &i32| taken.iter().all(|&(l, a, b)| l != *line || to <= a || b <= from);
        let line = (0..).find(free).unwrap_or(0);
        taken.push((line, from, to));
        line
    };
    marks.iter().map(line_of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, Kind, Map, Planned};
    use super::*;

    #[test]
    fn a_picture_names_its_curves_and_marks() {
        let curve = |name: &str| Curve { name: name.into(), points: vec![(1e4, 3.0), (1e6, 9.0)] };
        let sweep = Curves {
            kind: Kind::WorkingSet,
            title: "a title".into(),
            x: "bytes",
            y: "GB/s",
            logarithmic: true,
            curves: vec![curve("one"), curve("two")],
            marks: vec![(1e5, "L1d".into())],
            notes: Vec::new(),
        };
        let picture = String::from_utf8(export(&Sweep::Curves(sweep)).unwrap()).unwrap();
        for word in ["a title", "one", "two", "L1d", "prefers-color-scheme"] {
            assert!(picture.contains(word), "{word}");
        }
    }

    #[test]
    fn a_map_shows_every_figure_and_the_planners_choice() {
        let map = Map {
            kind: Kind::Tile,
            title: "a map".into(),
            rows: vec![32, 64],
            columns: vec![32, 64, 128],
            rates: vec![vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 12.3]],
            planned: Planned { plan: "p".into(), cells: (64, 128), rate: 12.0 },
            memcpy: 20.0,
        };
        let picture = String::from_utf8(export(&Sweep::Map(map)).unwrap()).unwrap();
        for word in ["a map", "12.3", "128", "GB/s", "planner", "prefers-color-scheme"] {
            assert!(picture.contains(word), "{word}");
        }
    }

    #[test]
    fn names_of_near_marks_go_on_lines_of_their_own() {
        let marks = [(0.0, "one long name"), (10.0, "another"), (300.0, "far away")];
        assert_eq!(name_lines(&marks, &|x| x as i32, 900), [0, 1, 0]);
    }
}
