//! What every chart shares: its width, its letters, its grid and its legend.

use core::error::Error;
use core::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::palette::{self, INK};

/// Width of a picture in pixels.
pub const WIDTH: u32 = 1000;
/// Pixels left free at the sides.
pub const MARGIN: i32 = 12;
/// Height of a legend's line.
const LEGEND_LINE: u32 = 20;
/// Pixels of a legend's letter: what a wide one takes at its size.
const LETTER: u32 = 7;

/// Letters that begin at their position, end there, or stand around it; centred in height.
pub const LEFT: Pos = Pos { h_pos: HPos::Left, v_pos: VPos::Center };
/// Letters that end at their position.
pub const RIGHT: Pos = Pos { h_pos: HPos::Right, v_pos: VPos::Center };
/// Letters around their position.
pub const CENTER: Pos = Pos { h_pos: HPos::Center, v_pos: VPos::Center };

/// What drawing returns.
pub type Drawn<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// A part of a picture.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The plotting library's errors cannot be sent; their words can.
pub fn told(error: impl Display) -> String {
    error.to_string()
}

/// Writes `words` at pixel `at` of `area`.
pub fn text(area: &Area<'_>, words: &str, at: (i32, i32), size: u32, anchor: Pos) -> Drawn {
    let style = ("sans-serif", size).into_font().color(&INK.light).pos(anchor);
    Ok(area.draw(&Text::new(words.to_owned(), at, style)).map_err(told)?)
}

/// Draws a straight line between two pixels of `area`.
pub fn line(area: &Area<'_>, from: (i32, i32), to: (i32, i32), style: ShapeStyle) -> Drawn {
    Ok(area.draw(&PathElement::new([from, to], style)).map_err(told)?)
}

/// Ink that lets the paper through: grids and marks.
pub fn faint(share: f64) -> ShapeStyle {
    INK.light.mix(share).stroke_width(1)
}

/// Where the marks of a legend stand, line by line.
fn legend_places(names: &[&str]) -> Vec<(i32, i32)> {
    let (mut x, mut y) = (MARGIN as u32, 0);
    let place = |name: &&str| {
        let width = 36 + LETTER * name.chars().count() as u32;
        if x + width > WIDTH - MARGIN as u32 && x > MARGIN as u32 {
            (x, y) = (MARGIN as u32, y + LEGEND_LINE);
        }
        let at = (x as i32, y as i32);
        x += width;
        at
    };
    names.iter().map(place).collect()
}

/// Height of the legend of `names`.
pub fn legend_height(names: &[&str]) -> u32 {
    legend_places(names).last().map_or(0, |&(_, y)| y as u32) + LEGEND_LINE + 8
}

/// A coloured square and a name for each strategy.
pub fn legend(area: &Area<'_>, names: &[&str]) -> Drawn {
    for ((name, shade), (x, y)) in names.iter().zip(palette::of(names)).zip(legend_places(names)) {
        let square = [(x, y + 4), (x + 12, y + 16)];
        area.draw(&Rectangle::new(square, shade.light.filled())).map_err(told)?;
        text(area, name, (x + 18, y + 10), 15, LEFT)?;
    }
    Ok(())
}

/// The name, or its beginning.
pub fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_legend_has_several_lines() {
        let names = vec!["a strategy with a name"; 12];
        let places = legend_places(&names);
        assert!(places.iter().all(|&(x, _)| (MARGIN..WIDTH as i32).contains(&x)));
        assert!(legend_height(&names) > legend_height(&names[..2]));
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
