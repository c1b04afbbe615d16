//! A map of tiles in colours. They are the same on light pages and on dark ones, and every field says
//! its figure, so that nothing depends on telling two colours apart.

use plotters::prelude::*;
use plotters::style::colors::colormaps::{ColorMap, ViridisRGB};

use super::Map;
use super::svg::TITLE;
use crate::bench::report::chart::paper::{Area, CENTER, Drawn, LEFT, MARGIN, RIGHT, text, told};

/// Height of a field.
const FIELD: i32 = 40;
/// Widest field.
const WIDEST: i32 = 90;
/// Left of the fields: the rows' figures and what they are.
const SIDE: i32 = 110;
/// Right of them: the scale of colours.
const SCALE: i32 = 170;
/// Below them: the columns' figures and what they are, and two lines of words.
const BELOW: i32 = 110;

/// A colour that the map has not, seen on either page.
const FRAME: RGBColor = RGBColor(255, 45, 85);

/// Height of the picture.
pub(super) fn height(map: &Map) -> u32 {
    // The scale needs some room of its own.
    let fields = FIELD * map.rows.len().max(4) as i32;
    (TITLE as i32 + fields + BELOW) as u32
}

/// Draws the map.
pub(super) fn draw(area: &Area<'_>, map: &Map) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let field = ((width as i32 - SIDE - SCALE) / map.columns.len().max(1) as i32).min(WIDEST);
    let rates = map.rates.iter().flatten().copied().filter(|rate| rate.is_finite());
    let (least, most) = rates.fold((f64::MAX, f64::MIN), |(a, b), rate| (a.min(rate), b.max(rate)));
    let top = TITLE as i32;
    let corner =
        |row: usize, column: usize| (SIDE + column as i32 * field, top + row as i32 * FIELD);
    let rectangle = |from: (i32, i32), to: (i32, i32), style: ShapeStyle| -> Drawn {
        Ok(area.draw(&Rectangle::new([from, to], style)).map_err(told)?)
    };
    text(area, &map.title, (MARGIN, 20), 18, LEFT)?;
    for (row, rates) in map.rates.iter().enumerate() {
        for (column, &rate) in rates.iter().enumerate() {
            let (x, y) = corner(row, column);
            let color = color(rate, least, most);
            rectangle((x, y), (x + field - 1, y + FIELD - 1), color.filled())?;
            let style = ("sans-serif", 13).into_font().color(&on(color)).pos(CENTER);
            let place = (x + field / 2, y + FIELD / 2);
            area.draw(&Text::new(format!("{rate:.1}"), place, style)).map_err(told)?;
        }
    }
    let bottom = top + map.rows.len() as i32 * FIELD;
    for (row, figure) in map.rows.iter().enumerate() {
        let (x, y) = corner(row, 0);
        text(area, &figure.to_string(), (x - 8, y + FIELD / 2), 13, RIGHT)?;
    }
    for (column, figure) in map.columns.iter().enumerate() {
        let (x, _) = corner(0, column);
        text(area, &figure.to_string(), (x + field / 2, bottom + 14), 13, CENTER)?;
    }
    let middle = (top + bottom) / 2;
    text(area, "rows", (SIDE - 56, middle - 8), 13, RIGHT)?;
    text(area, "of a tile", (SIDE - 56, middle + 8), 13, RIGHT)?;
    let center = SIDE + field * map.columns.len() as i32 / 2;
    text(area, "columns of a tile", (center, bottom + 36), 13, CENTER)?;
    let (rows, columns) = map.planned.cells;
    let words = format!(
        "GB/s read and written. memcpy: {:.1}. Framed: nearest to the planner's own cells of {rows} x \
         {columns}, with {:.1}.",
        map.memcpy, map.planned.rate
    );
    text(area, &words, (MARGIN, bottom + 64), 13, LEFT)?;
    let words =
        "Rows lie along the destination's run, columns along the source's, in units of the copy.";
    text(area, words, (MARGIN, bottom + 84), 13, LEFT)?;
    let (row, column) = (nearest(&map.rows, rows), nearest(&map.columns, columns));
    let (x, y) = corner(row, column);
    let (right, low) = (x + field - 1, y + FIELD - 1);
    let corners = [(x, y), (right, y), (right, low), (x, low), (x, y)];
    area.draw(&PathElement::new(corners, FRAME.stroke_width(3))).map_err(told)?;
    scale(area, (SIDE + field * map.columns.len() as i32 + 40, top), bottom - top, (least, most))
}

/// The scale of colours, `height` pixels high.
fn scale(area: &Area<'_>, (x, y): (i32, i32), height: i32, (least, most): (f64, f64)) -> Drawn {
    const STEPS: i32 = 24;
    let edge = |step: i32| y + height - height * step / STEPS;
    for step in 0..STEPS {
        let value = least + (most - least) * (f64::from(step) + 0.5) / f64::from(STEPS);
        let field = [(x, edge(step + 1)), (x + 18, edge(step))];
        area.draw(&Rectangle::new(field, color(value, least, most).filled())).map_err(told)?;
    }
    for step in [0, STEPS / 2, STEPS] {
        let value = least + (most - least) * f64::from(step) / f64::from(STEPS);
        let at = edge(step).clamp(y + 8, y + height - 8);
        text(area, &format!("{value:.1} GB/s"), (x + 26, at), 13, LEFT)?;
    }
    Ok(())
}

/// Dark and blue for the least, bright and yellow for the most.
fn color(value: f64, least: f64, most: f64) -> RGBColor {
    let span = (most - least).max(1e-9);
    let share = ((value - least) / span).clamp(0.0, 1.0);
    ViridisRGB.get_color(if share.is_finite() { share } else { 0.0 })
}

/// Letters that stand out on `color`; neither of them is a colour that turns on dark pages.
fn on(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let bright = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if bright > 120.0 { RGBColor(1, 1, 1) } else { RGBColor(254, 254, 254) }
}

/// The place of the figure nearest to `value`, by ratio.
fn nearest(figures: &[u32], value: usize) -> usize {
    let off = |&figure: &u32| (f64::from(figure) / value.max(1) as f64).ln().abs();
    let places = figures.iter().enumerate();
    places.min_by(|a, b| off(a.1).total_cmp(&off(b.1))).map_or(0, |(place, _)| place)
}
