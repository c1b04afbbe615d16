//! One line for each case, thread count, kind of destination and strategy.

use std::io;

use serde::Serialize;

use super::Report;
use crate::bench::digits;

/// A line. Sizes are in bytes, times in seconds; ratios are speeds, 1 is as fast.
#[derive(Serialize)]
struct Line<'a> {
    case: &'a str,
    spec: &'a str,
    threads: usize,
    destination: &'a str,
    strategy: &'a str,
    bytes_moved: u64,
    rounds: usize,
    #[serde(serialize_with = "digits::one")]
    seconds: f64,
    #[serde(serialize_with = "digits::one")]
    seconds_low: f64,
    #[serde(serialize_with = "digits::one")]
    seconds_high: f64,
    #[serde(serialize_with = "digits::one")]
    gb_per_second: f64,
    ceiling: &'a str,
    #[serde(serialize_with = "digits::one")]
    to_ceiling: f64,
    #[serde(serialize_with = "digits::one")]
    to_ceiling_low: f64,
    #[serde(serialize_with = "digits::one")]
    to_ceiling_high: f64,
    #[serde(serialize_with = "digits::one")]
    to_memcpy: f64,
    #[serde(serialize_with = "digits::one")]
    to_memcpy_low: f64,
    #[serde(serialize_with = "digits::one")]
    to_memcpy_high: f64,
    #[serde(serialize_with = "digits::option")]
    page_faults: Option<f64>,
}

/// The report's medians and intervals as CSV with a heading.
///
/// # Errors
/// What the writer said.
pub fn export(report: &Report) -> io::Result<Vec<u8>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for case in &report.cases {
        for run in &case.runs {
            for measured in &run.measurements {
                let (seconds, ceiling, memcpy) =
                    (measured.seconds, measured.to_ceiling, measured.to_memcpy);
                writer.serialize(Line {
                    case: &case.name,
                    spec: &case.spec,
                    threads: run.threads,
                    destination: run.destination.name(),
                    strategy: &measured.strategy,
                    bytes_moved: case.bytes_moved,
                    rounds: measured.rounds.len(),
                    seconds: seconds.median,
                    seconds_low: seconds.low,
                    seconds_high: seconds.high,
                    gb_per_second: measured.gb_per_second,
                    ceiling: &run.ceiling,
                    to_ceiling: ceiling.median,
                    to_ceiling_low: ceiling.low,
                    to_ceiling_high: ceiling.high,
                    to_memcpy: memcpy.median,
                    to_memcpy_low: memcpy.low,
                    to_memcpy_high: memcpy.high,
                    page_faults: measured.page_faults,
                })?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}
