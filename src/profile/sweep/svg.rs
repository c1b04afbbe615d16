//! Curves as an SVG picture.

use core::error::Error;
use std::io;

use plotters::prelude::*;

use super::Sweep;
use crate::bench::memory::in_words;
use crate::bench::report::chart::palette::{self, PAPER};
use crate::bench::report::svg::styled;

const SIZE: (u32, u32) = (900, 480);
const INK: RGBColor = palette::INK.light;

/// The sweep as an SVG picture.
///
/// # Errors
/// What the plotting library said.
pub fn export(sweep: &Sweep) -> io::Result<Vec<u8>> {
    styled(&draw(sweep).map_err(io::Error::other)?, &sweep.title)
}

fn draw(sweep: &Sweep) -> Result<String, Box<dyn Error + Send + Sync>> {
    let points = || sweep.curves.iter().flat_map(|curve| &curve.points);
    let finite = |n: &f64| n.is_finite();
    let x = |n: f64| if sweep.logarithmic { n.max(1.0).log2() } else { n };
    let places = || points().map(|point| x(point.0));
    let (left, right) = (places().fold(f64::MAX, f64::min), places().fold(f64::MIN, f64::max));
    let top = points().map(|point| point.1).filter(finite).fold(0.0, f64::max) * 1.08;
    let margin = ((right - left) * 0.02).max(0.1);
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
        root.fill(&PAPER.light).map_err(|error| error.to_string())?;
        let style = |size: i32| ("sans-serif", size).into_font().color(&INK);
        let mut chart = ChartBuilder::on(&root)
            .caption(&sweep.title, style(17))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d(left - margin..right + margin, 0.0..top.max(1e-9))
            .map_err(|error| error.to_string())?;
        let label = |at: &f64| match (sweep.logarithmic, sweep.x.contains("bytes")) {
            (true, true) => in_words(at.exp2().round() as u64),
            (true, false) => format!("{:.0}", at.exp2()),
            _ => format!("{at:.0}"),
        };
        let whole = if sweep.logarithmic { (right - left) as usize + 1 } else { points().count() };
        chart
            .configure_mesh()
            .x_desc(sweep.x)
            .y_desc(sweep.y)
            .x_labels(whole.clamp(2, 14))
            .x_label_formatter(&label)
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.15))
            .axis_style(INK)
            .label_style(style(12))
            .axis_desc_style(style(13))
            .draw()
            .map_err(|error| error.to_string())?;
        for (at, name) in &sweep.marks {
            let at = x(*at);
            if (left..=right).contains(&at) {
                let line = PathElement::new([(at, 0.0), (at, top)], INK.mix(0.5).stroke_width(1));
                chart.draw_series([line]).map_err(|error| error.to_string())?;
                let text = Text::new(name.clone(), (at, top * 0.99), style(12));
                chart.draw_series([text]).map_err(|error| error.to_string())?;
            }
        }
        let names: Vec<&str> = sweep.curves.iter().map(|curve| curve.name.as_str()).collect();
        for (curve, shade) in sweep.curves.iter().zip(palette::of(&names)) {
            let color = shade.light;
            let points = curve.points.iter().filter(|(_, y)| finite(y));
            chart
                .draw_series(LineSeries::new(
                    points.map(|&(at, y)| (x(at), y)),
                    color.stroke_width(2),
                ))
                .map_err(|error| error.to_string())?
                .label(&curve.name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], color.stroke_width(3))
                });
        }
        if sweep.curves.len() > 1 {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .label_font(style(13))
                .border_style(TRANSPARENT)
                .draw()
                .map_err(|error| error.to_string())?;
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, Kind};
    use super::*;

    #[test]
    fn a_picture_names_its_curves_and_marks() {
        let curve = |name: &str| Curve { name: name.into(), points: vec![(1e4, 3.0), (1e6, 9.0)] };
        let sweep = Sweep {
            kind: Kind::WorkingSet,
            title: "a title".into(),
            x: "bytes",
            y: "GB/s",
            logarithmic: true,
            curves: vec![curve("one"), curve("two")],
            marks: vec![(1e5, "L1d".into())],
        };
        let picture = String::from_utf8(export(&sweep).unwrap()).unwrap();
        for word in ["a title", "one", "two", "L1d", "prefers-color-scheme"] {
            assert!(picture.contains(word), "{word}");
        }
    }
}
