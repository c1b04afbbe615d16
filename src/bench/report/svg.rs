//! Bars of the ratio to the ceiling: one panel for each thread count and kind of destination, a
//! group of bars for each case.

use core::error::Error;
use std::io;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Report, group_title};
use crate::bench::record::Destination;

/// Width of a panel in pixels.
const PANEL: u32 = 620;
/// Width of the case names' column within a panel.
const NAMES: u32 = 236;
/// Height of a bar in pixels.
const BAR: u32 = 7;
/// Height of the lines about machine and ceiling at the top.
const TITLE: u32 = 58;
/// Height of the legend below them.
const LEGEND: u32 = 34;
/// Height of a panel's title and axis.
const FRAME: u32 = 70;
/// Case names are cut to this many characters.
const NAME_CHARS: usize = 34;

/// Okabe and Ito's palette, which colour-blind readers can tell apart and which stands out from
/// white and from black alike.
pub(crate) const PALETTE: [RGBColor; 7] = [
    RGBColor(153, 153, 153),
    RGBColor(230, 159, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
];

/// Text and axes; the style sheet replaces it by what suits the reader's background.
pub(crate) const INK: RGBColor = RGBColor(64, 64, 64);

/// Colours by the reader's choice of a light or a dark page. Style rules win over the attributes
/// that the drawing carries.
const STYLE: &str = "<style>svg{background:#fff}text{fill:#222}\
     @media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}\
     line,polyline{stroke:#8b949e}}</style>";

/// The report's ratios as an SVG picture.
///
/// # Errors
/// What the plotting library said.
pub fn export(report: &Report) -> io::Result<Vec<u8>> {
    styled(&draw(report).map_err(io::Error::other)?)
}

/// The picture with its style sheet.
///
/// # Errors
/// When it is none.
pub(crate) fn styled(picture: &str) -> io::Result<Vec<u8>> {
    // The style sheet goes right behind the root element's opening tag.
    let root = picture.find("<svg").and_then(|at| Some(at + picture[at..].find('>')? + 1));
    let at = root.ok_or_else(|| io::Error::other("the picture has no root element"))?;
    Ok([&picture[..at], STYLE, &picture[at..]].concat().into_bytes())
}

type Drawn<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn draw(report: &Report) -> Drawn<String> {
    let strategies = report.strategies(false);
    let groups = report.groups();
    let columns = groups.len().clamp(1, 2);
    let lines = groups.len().div_ceil(columns).max(1);
    let bars = (report.cases.len() * (strategies.len() + 1)) as u32;
    let panel_height = bars * BAR + FRAME;
    let size = (PANEL * columns as u32, TITLE + LEGEND + panel_height * lines as u32);
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, size).into_drawing_area();
        let (title, rest) = root.split_vertically(TITLE);
        draw_title(&title, report)?;
        let (legend, rest) = rest.split_vertically(LEGEND);
        draw_legend(&legend, &strategies)?;
        let longest = longest_bar(report);
        for (area, group) in rest.split_evenly((lines, columns)).iter().zip(groups) {
            draw_panel(area, report, group, &strategies, longest)?;
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(picture)
}

/// The largest ratio of the report, so that all panels have one scale.
fn longest_bar(report: &Report) -> f64 {
    let runs = report.cases.iter().flat_map(|case| &case.runs);
    let strided = runs.flat_map(|run| &run.measurements).filter(|measured| !measured.dense);
    strided.map(|measured| measured.to_ceiling.median).fold(1.0, f64::max)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn color(index: usize) -> RGBColor {
    PALETTE[index % PALETTE.len()]
}

/// Where and when this was measured, and what 1 means: a picture travels without its report.
fn draw_title(area: &Area<'_>, report: &Report) -> Drawn {
    let cpu = report.context.cpu.as_deref().unwrap_or("unknown processor");
    let lines = [
        format!("{cpu}, {} kernels, {}", report.context.isa, date(report.started)),
        "Ceiling: the faster of memcpy and a streaming copy".into(),
        "of the same bytes with the same threads; 1 is as fast.".into(),
    ];
    for (place, line) in (0..).zip(lines) {
        let style = ("sans-serif", 11).into_font().color(&INK);
        area.draw(&Text::new(line, (16, 10 + 15 * place), style))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The Gregorian date in UTC, `seconds` after 1970 began.
fn date(seconds: u64) -> String {
    // Counted in years that begin in March, so that the leap day is the last of its year; these
    // repeat every 400 years, of 146097 days.
    let days = seconds / 86_400 + 719_468; // since 1 March of year 0
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // 0 is March; five months have 153 days
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + next)
}

fn draw_legend(area: &Area<'_>, strategies: &[&str]) -> Drawn {
    let mut x = 16;
    for (index, name) in strategies.iter().enumerate() {
        let mark = Rectangle::new([(x, 12), (x + 12, 24)], color(index).filled());
        area.draw(&mark).map_err(|error| error.to_string())?;
        let text =
            Text::new((*name).to_owned(), (x + 18, 12), ("sans-serif", 14).into_font().color(&INK));
        area.draw(&text).map_err(|error| error.to_string())?;
        x += 44 + 8 * name.chars().count() as i32;
    }
    Ok(())
}

fn draw_panel(
    area: &Area<'_>,
    report: &Report,
    group: (usize, Destination),
    strategies: &[&str],
    longest: f64,
) -> Drawn {
    let runs: Vec<_> = report.runs(group).collect();
    let slots = strategies.len() + 1; // one stays empty between cases
    let rows = (runs.len() * slots) as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(
            format!("{}: speed relative to the ceiling", group_title(group)),
            ("sans-serif", 15).into_font().color(&INK),
        )
        .margin(8)
        .margin_right(20)
        .x_label_area_size(24)
        .y_label_area_size(NAMES)
        // The first case is on top.
        .build_cartesian_2d(0.0..longest * 1.05, rows..0.0)
        .map_err(|error| error.to_string())?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .light_line_style(TRANSPARENT)
        .bold_line_style(INK.mix(0.3))
        .axis_style(INK)
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .draw()
        .map_err(|error| error.to_string())?;
    let bars = runs.iter().enumerate().flat_map(|(place, (_, run))| {
        strategies.iter().enumerate().filter_map(move |(index, name)| {
            let ratio = run.of(name)?.to_ceiling.median;
            let top = (place * slots + index) as f64 + 0.5;
            Some(Rectangle::new([(0.0, top), (ratio, top + 0.9)], color(index).filled()))
        })
    });
    chart.draw_series(bars).map_err(|error| error.to_string())?;
    let ceiling = PathElement::new([(1.0, 0.0), (1.0, rows)], INK.stroke_width(1));
    chart.draw_series([ceiling]).map_err(|error| error.to_string())?;
    for (place, (case, _)) in runs.iter().enumerate() {
        let middle = (place * slots) as f64 + slots as f64 / 2.0;
        let (_, y) = chart.backend_coord(&(0.0, middle));
        let (_, top) = area.get_base_pixel();
        let anchor = plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Left,
            plotters::style::text_anchor::VPos::Center,
        );
        let style = ("sans-serif", 12).into_font().color(&INK).pos(anchor);
        area.draw(&Text::new(shortened(&case.name), (8, y - top), style))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The name, or its beginning.
fn shortened(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS {
        return name.to_owned();
    }
    name.chars().take(NAME_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_follow_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_689_599, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(seconds), day);
        }
    }
}
