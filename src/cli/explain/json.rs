//! The explanation for programs: one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use super::{Explained, how_read};
use crate::cli::cost::Cost;
use crate::cli::error::ErrorReport;
use crate::spec::{Step, Trace};

/// The object. Strides and offsets are in elements. The result's fields are null when there is
/// no result.
#[derive(Serialize)]
pub struct Report<'a> {
    spec: &'a str,
    ok: bool,
    error: Option<ErrorReport<'a>>,
    dtype: Option<&'a str>,
    elem_size: Option<usize>,
    steps: Vec<StepReport<'a>>,
    shape: Option<&'a [usize]>,
    strides: Option<&'a [isize]>,
    offset: Option<usize>,
    shares_storage: Option<bool>,
    order: Option<&'a [usize]>,
    /// What reads the result; empty for a spec of view operations only.
    consumers: Vec<ConsumerReport<'a>>,
}

#[derive(Serialize)]
struct ConsumerReport<'a> {
    op: &'a str,
    /// Shape of what it reads: the result's, or what the consumer before made.
    reads: &'a [usize],
    /// Shape of what it makes, dense and row-major.
    makes: &'a [usize],
    /// Whether it takes the view as it is, without a dense copy first.
    reads_directly: bool,
    why: String,
}

#[derive(Serialize)]
struct StepReport<'a> {
    op: &'a str,
    shape: &'a [usize],
    strides: &'a [isize],
    offset: usize,
    copied: bool,
    /// Of a copy.
    class: Option<&'static str>,
    why: &'a str,
    /// Which storage the step's result lives in: 0 is the source's.
    storage: usize,
    /// Of a copy.
    cost: Option<Cost>,
}

/// Writes the object and a line break.
pub fn write(explained: &Explained<'_>, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &report(explained, explained.order.as_deref()))?;
    writeln!(out)
}

/// What there is to say, with this order.
pub fn report<'a>(explained: &'a Explained<'_>, order: Option<&'a [usize]>) -> Report<'a> {
    let trace = explained.trace.as_ref();
    let result = trace.filter(|_| explained.error.is_none());
    Report {
        spec: explained.text,
        ok: explained.error.is_none(),
        error: explained.error.as_ref().map(|error| ErrorReport::of_spec(error, explained.text)),
        dtype: trace.map(|trace| trace.origin().dtype.as_str()),
        elem_size: trace.map(|trace| trace.origin().elem_size),
        steps: trace.map_or(vec![], |trace| {
            trace.steps().iter().map(|step| step_report(trace, step)).collect()
        }),
        shape: result.map(|trace| trace.layout().shape()),
        strides: result.map(|trace| trace.layout().strides()),
        offset: result.map(|trace| trace.layout().offset()),
        shares_storage: result.map(Trace::shares_storage),
        order,
        consumers: result.map_or(vec![], |trace| {
            let readings = explained.readings.iter().enumerate();
            readings
                .map(|(place, reading)| ConsumerReport {
                    op: &reading.text,
                    reads: &reading.reads,
                    makes: &reading.makes,
                    reads_directly: true,
                    why: how_read(place, reading, trace),
                })
                .collect()
        }),
    }
}

fn step_report<'a>(trace: &Trace, step: &'a Step) -> StepReport<'a> {
    let elem_size = trace.origin().elem_size;
    let cost = step.copy.as_ref().and_then(|copy| Cost::of(&copy.from, &copy.to, elem_size));
    StepReport {
        op: &step.op,
        shape: step.layout.shape(),
        strides: step.layout.strides(),
        offset: step.layout.offset(),
        copied: step.copy.is_some(),
        class: cost.as_ref().map(|cost| cost.class),
        why: &step.why,
        storage: step.storage,
        cost,
    }
}
