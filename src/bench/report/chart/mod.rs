//! Charts of a report as SVG: readable on light and on dark pages, without anything from outside.

pub mod palette;
pub mod paper;

mod bars;
mod scaling;
mod sizes;

pub use sizes::is_sweep;

use std::io;

use plotters::prelude::*;

use super::figures::date;
use crate::bench::record::Report;
use paper::{Area, Drawn, WIDTH, told};

/// Height of the lines about machine and ceiling at a picture's top.
const HEADER: u32 = 44;

/// What can be drawn of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The ratio to the ceiling, case by case.
    Bars,
    /// Throughput against the bytes that a case moves.
    Sizes,
    /// Speed-up with the number of threads.
    Scaling,
}

impl Chart {
    /// The charts for which a report has figures.
    pub fn of(report: &Report) -> Vec<Self> {
        let has = |chart: &Self| match chart {
            Self::Bars => !report.strategies(false).is_empty(),
            Self::Sizes => sizes::has_figures(report),
            Self::Scaling => scaling::has_figures(report),
        };
        [Self::Bars, Self::Sizes, Self::Scaling].into_iter().filter(has).collect()
    }

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Bars => "Speed relative to the ceiling",
            Self::Sizes => "Throughput against size",
            Self::Scaling => "Thread scaling",
        }
    }

    /// How to read it.
    pub fn words(self, report: &Report) -> String {
        match self {
            Self::Bars => bars::words(),
            Self::Sizes => sizes::words(report),
            Self::Scaling => scaling::words(report),
        }
    }

    fn height(self, report: &Report) -> u32 {
        match self {
            Self::Bars => bars::height(report),
            Self::Sizes => sizes::height(report),
            Self::Scaling => scaling::height(report),
        }
    }

    fn draw(self, area: &Area<'_>, report: &Report) -> Drawn {
        match self {
            Self::Bars => bars::draw(area, report),
            Self::Sizes => sizes::draw(area, report),
            Self::Scaling => scaling::draw(area, report),
        }
    }
}

/// `charts` one below the other as the text of an `<svg>` element. It is drawn for a light page;
/// [`palette::dark_style`] makes it fit a dark one.
///
/// With `header`, two lines say where, when and against what this was measured: a picture travels
/// without its report.
///
/// # Errors
/// What the plotting library said.
pub fn picture(report: &Report, charts: &[Chart], header: bool) -> io::Result<String> {
    draw(report, charts, header).map_err(io::Error::other)
}

fn draw(report: &Report, charts: &[Chart], header: bool) -> Drawn<String> {
    let header = if header { HEADER } else { 0 };
    let heights = charts.iter().map(|chart| chart.height(report));
    let height = header + heights.sum::<u32>().max(1);
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (WIDTH, height)).into_drawing_area();
        // A paper of its own: a viewer that knows no style sheet may be dark.
        root.fill(&palette::PAPER.light).map_err(told)?;
        let (top, mut rest) = root.split_vertically(header);
        if header > 0 {
            draw_header(&top, report)?;
        }
        for chart in charts {
            let (area, below) = rest.split_vertically(chart.height(report));
            chart.draw(&area, report)?;
            rest = below;
        }
        root.present().map_err(told)?;
    }
    Ok(picture)
}

fn draw_header(area: &Area<'_>, report: &Report) -> Drawn {
    let cpu = report.context.cpu.as_deref().unwrap_or("unknown processor");
    let (isa, day) = (&report.context.isa, date(report.started));
    let (suite, version) = (&report.suite, &report.context.restride);
    let measured = format!("{suite}: restride {version} with {isa} kernels on {cpu}, {day}");
    paper::text(area, &measured, (paper::MARGIN, 16), 15, paper::LEFT)?;
    paper::text(
        area,
        "The ceiling is the faster of memcpy and a streaming copy of the same bytes with the same \
         threads, in the same rounds.",
        (paper::MARGIN, 34),
        13,
        paper::LEFT,
    )
}
