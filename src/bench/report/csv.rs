//! One line for each case, thread count, kind of destination and strategy.

use std::io;

use serde::Serialize;

use super::Report;
use crate::bench::{digits, sequence};

/// A line. Sizes are in bytes, times in seconds; ratios are speeds, 1 is as fast. The last two
/// columns are for policies of sequences, which have no throughput.
#[derive(Serialize)]
pub(in crate::bench) struct Line<'a> {
    pub case: &'a str,
    pub spec: &'a str,
    pub threads: usize,
    pub destination: &'a str,
    pub strategy: &'a str,
    pub bytes_moved: Option<u64>,
    pub rounds: usize,
    #[serde(serialize_with = "digits::one")]
    pub seconds: f64,
    #[serde(serialize_with = "digits::one")]
    pub seconds_low: f64,
    #[serde(serialize_with = "digits::one")]
    pub seconds_high: f64,
    #[serde(serialize_with = "digits::option")]
    pub gb_per_second: Option<f64>,
    pub ceiling: &'a str,
    #[serde(serialize_with = "digits::option")]
    pub to_ceiling: Option<f64>,
    #[serde(serialize_with = "digits::option")]
    pub to_ceiling_low: Option<f64>,
    #[serde(serialize_with = "digits::option")]
    pub to_ceiling_high: Option<f64>,
    #[serde(serialize_with = "digits::one")]
    pub to_memcpy: f64,
    #[serde(serialize_with = "digits::one")]
    pub to_memcpy_low: f64,
    #[serde(serialize_with = "digits::one")]
    pub to_memcpy_high: f64,
    #[serde(serialize_with = "digits::option")]
    pub page_faults: Option<f64>,
    /// How often the view's values are consumed.
    pub uses: Option<u32>,
    /// Uses from which on materializing pays; empty where it never does.
    pub pays_from: Option<u64>,
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
                    bytes_moved: Some(case.bytes_moved),
                    rounds: measured.rounds.len(),
                    seconds: seconds.median,
                    seconds_low: seconds.low,
                    seconds_high: seconds.high,
                    gb_per_second: Some(measured.gb_per_second),
                    ceiling: &run.ceiling,
                    to_ceiling: Some(ceiling.median),
                    to_ceiling_low: Some(ceiling.low),
                    to_ceiling_high: Some(ceiling.high),
                    to_memcpy: memcpy.median,
                    to_memcpy_low: memcpy.low,
                    to_memcpy_high: memcpy.high,
                    page_faults: measured.page_faults,
                    uses: None,
                    pays_from: None,
                })?;
            }
        }
    }
    for line in report.sequences.iter().flat_map(sequence::csv::lines) {
        writer.serialize(line)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}
