//! The report as one web page that needs nothing from outside: charts, tables, facts. Everything
//! on it can be reached by keyboard, and it has no script.

use std::io;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::{Chart, palette, picture};
use super::figures::{date, duration, gb_per_second, speed};
use super::page::head;
use super::{Report, doubts, facts, group_title, table};
use crate::bench::memory::in_words;
use crate::bench::record::{Destination, RunRecord};
use crate::bench::sequence;
use crate::bench::stats::Estimate;

/// The report as an HTML file.
///
/// # Errors
/// What the plotting library said.
pub fn export(report: &Report) -> io::Result<Vec<u8>> {
    let charts = Chart::of(report);
    let figures: Vec<Markup> =
        charts.iter().map(|&chart| figure(report, chart)).collect::<Result<_, _>>()?;
    let title = format!("restride bench: {}", report.suite);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, &palette::dark_style()))
            body {
                a.skip href="#content" { "Skip to the charts" }
                header {
                    h1 { (title) }
                    p {
                        (report.measured()) " case(s) on "
                        (report.context.cpu.as_deref().unwrap_or("an unknown processor"))
                        ", " (date(report.started))
                    }
                    nav aria-label="Sections" {
                        ul {
                            @for chart in &charts {
                                li { a href={ "#" (anchor(*chart)) } { (chart.title()) } }
                            }
                            @if !report.cases.is_empty() {
                                li { a href="#tables" { "Tables" } }
                            }
                            @if !report.sequences.is_empty() {
                                li { a href="#sequences" { "Sequences" } }
                            }
                            li { a href="#facts" { "Machine and method" } }
                        }
                    }
                }
                main #content {
                    (doubtful(report))
                    @for figure in &figures { (figure) }
                    @if !report.cases.is_empty() { (tables(report)) }
                    (sequence::html::section(report))
                    (facts_section(report))
                }
            }
        }
    };
    Ok(page.into_string().into_bytes())
}

fn anchor(chart: Chart) -> &'static str {
    match chart {
        Chart::Bars => "ratios",
        Chart::Sizes => "sizes",
        Chart::Scaling => "scaling",
    }
}

fn doubtful(report: &Report) -> Markup {
    let sentences = doubts::sentences(report);
    html! {
        @if !sentences.is_empty() {
            section.doubts aria-label="Doubts" {
                ul { @for sentence in &sentences { li { (sentence) } } }
            }
        }
    }
}

fn figure(report: &Report, chart: Chart) -> io::Result<Markup> {
    let named = format!("<svg role=\"img\" aria-label=\"{}\" ", chart.title());
    let drawn = picture(report, &[chart], false)?.replacen("<svg ", &named, 1);
    let id = anchor(chart);
    Ok(html! {
        section aria-labelledby=(id) {
            h2 #(id) { (chart.title()) }
            figure {
                // Wider than a telephone: scrolled there, by keyboard too.
                div.scroll tabindex="0" role="group" aria-label={ "Chart: " (chart.title()) } {
                    (PreEscaped(drawn))
                }
                figcaption { (chart.words(report)) " The figures are in the tables below." }
            }
        }
    })
}

fn tables(report: &Report) -> Markup {
    html! {
        section aria-labelledby="tables" {
            h2 #tables { "Tables" }
            @for (place, group) in report.groups().into_iter().enumerate() {
                (summary(report, group, place))
                details {
                    summary { "Every figure: " (group_title(group)) }
                    (every_figure(report, group))
                }
            }
        }
    }
}

/// Ratios to the ceiling, one line a case.
fn summary(report: &Report, group: (usize, Destination), place: usize) -> Markup {
    let (dense, strided) = (report.strategies(true), report.strategies(false));
    let id = format!("group-{place}");
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(id) {
            table {
                caption #(id) {
                    (group_title(group)) ": GB/s of the dense copies (the ceiling is marked *), \
                    speed relative to the ceiling of the others"
                }
                thead {
                    tr {
                        th scope="col" { "case" }
                        th.figure scope="col" { "moved" }
                        @for name in &dense { th.figure scope="col" { (name) " GB/s" } }
                        @for name in &strided { th.figure scope="col" { (name) } }
                    }
                }
                tbody {
                    @for (case, run) in report.runs(group) {
                        tr {
                            th scope="row" title=(case.spec) { (case.name) }
                            td.figure { (in_words(case.bytes_moved)) }
                            @for name in &dense { td.figure { (throughput(run, name)) } }
                            @for name in &strided {
                                td.figure {
                                    @if let Some(measured) = run.of(name) {
                                        (with_interval(measured.to_ceiling))
                                    }
                                }
                            }
                        }
                    }
                }
                tfoot {
                    tr {
                        th scope="row" { "geometric mean" }
                        td {}
                        @for _ in &dense { td {} }
                        @for name in &strided {
                            td.figure {
                                (report.mean_to_ceiling(group, name).map_or("".into(), speed))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A dense copy's throughput; the ceiling is marked.
fn throughput(run: &RunRecord, name: &str) -> String {
    let mark = if run.ceiling == name { "*" } else { "" };
    run.of(name).map_or("".into(), |measured| gb_per_second(measured) + mark)
}

/// The median, and its interval in small print.
fn with_interval(estimate: Estimate) -> Markup {
    html! {
        (speed(estimate.median)) " "
        small { (speed(estimate.low)) "–" (speed(estimate.high)) }
    }
}

/// A line for each case and strategy.
fn every_figure(report: &Report, group: (usize, Destination)) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Every figure: " (group_title(group)) } {
            table {
                thead {
                    tr {
                        @for name in ["case", "strategy"] { th scope="col" { (name) } }
                        @for name in ["time", "GB/s", "to ceiling", "to memcpy", "rounds"] {
                            th.figure scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for (case, run) in report.runs(group) {
                        @for measured in &run.measurements {
                            tr {
                                th scope="row" { (case.name) }
                                td { (measured.strategy) }
                                td.figure { (duration(measured.seconds.median)) }
                                td.figure { (gb_per_second(measured)) }
                                td.figure { (with_interval(measured.to_ceiling)) }
                                td.figure { (with_interval(measured.to_memcpy)) }
                                td.figure { (measured.rounds.len()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn facts_section(report: &Report) -> Markup {
    html! {
        section aria-labelledby="facts" {
            h2 #facts { "Machine and method" }
            dl {
                @for (name, fact) in facts::of(report) {
                    div { dt { (name) } dd { (fact) } }
                }
            }
            @for sentence in table::METHOD { p { (sentence) } }
        }
    }
}
