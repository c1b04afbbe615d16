//! The report as one picture for a README: the curve of a size sweep, or the bars of any other
//! suite.

use std::io;

use super::Report;
use super::chart::{Chart, is_sweep, palette, picture};

/// The report's main chart as an SVG file.
///
/// # Errors
/// What the plotting library said.
pub fn export(report: &Report) -> io::Result<Vec<u8>> {
    let mut charts = Chart::of(report);
    charts.retain(|chart| match chart {
        Chart::Bars => true,
        Chart::Sizes => is_sweep(report),
        Chart::Scaling => false,
    });
    // The curve first.
    charts.sort_by_key(|chart| *chart != Chart::Sizes);
    let picture = picture(report, &charts, true)?;
    let titles: Vec<_> = charts.iter().map(|chart| chart.title()).collect();
    styled(&picture, &titles.join(", "))
}

/// The picture with a title, and colours for dark pages as well.
///
/// # Errors
/// When it is none.
pub(crate) fn styled(picture: &str, title: &str) -> io::Result<Vec<u8>> {
    // Title and style sheet go right behind the root element's opening tag.
    let root = picture.find("<svg").and_then(|at| Some(at + picture[at..].find('>')? + 1));
    let at = root.ok_or_else(|| io::Error::other("the picture has no root element"))?;
    let style = palette::dark_style();
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let head = format!("<title>{title}</title><style>{style}</style>");
    Ok([&picture[..at], &head, &picture[at..]].concat().into_bytes())
}
