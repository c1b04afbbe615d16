//! `restride run`: view operations applied to a `.npy` file, the dense result written to another.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{CliError, CliResult, source};
use crate::error::LayoutError;
use crate::layout::Layout;
use crate::npy::{FileError, NpyFile, Output, Scratch, materialize, stages};
use crate::plan::{PlanOptions, Threads};
use crate::spec::{Trace, parse_ops};

/// Results from this size on, in bytes, take long enough for a progress bar.
const LONG: u64 = 256 << 20;

/// Arguments of `restride run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The `.npy` file to read.
    input: PathBuf,
    /// View operations, for example '.permute(2,0,1)[:, ::-1]'; none copies the array as it is.
    #[arg(default_value = "", hide_default_value = true)]
    ops: String,
    /// The `.npy` file to write; it may be the input.
    #[arg(short, long, value_name = "OUTPUT")]
    output: PathBuf,
    /// Use at most this many threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print one JSON object that says what was done.
    #[arg(long)]
    pub(super) json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    input: String,
    output: String,
    /// The dtype's description as both headers spell it; a type string without its quotes.
    dtype: String,
    /// Bytes of one item.
    item_size: usize,
    /// Sizes of the result's axes, in items.
    shape: Vec<usize>,
    /// Where the result's items were in the storage they were copied from last, in items.
    strides: Vec<isize>,
    offset: usize,
    /// Bytes of the result without its header.
    bytes: usize,
    /// How often the data were copied: once, and once more for each copy the operations force.
    copies: usize,
    /// How each of them was carried out, in words.
    plan: Vec<String>,
    /// From opening the input to the output's rename.
    seconds: f64,
}

/// Runs `restride run`.
///
/// # Errors
/// [`CliError::BadInput`] when the input cannot be read or the output's place not be written,
/// [`CliError::BadSpec`] when the operations are wrong, [`CliError::Other`] when writing fails.
/// No output is left then.
pub fn run(args: Args) -> CliResult {
    let begun = Instant::now();
    if args.output == Path::new("-") {
        let message = "-: the output must be a file; to write to one called `-`, say ./-";
        return Err(CliError::BadInput(message.into()));
    }
    let input = NpyFile::open(&args.input)?;
    let header = input.header();
    let bad_ops = |error| CliError::BadSpec { spec: args.ops.clone(), error };
    let mut trace = Trace::start(source::of_file(header));
    trace.apply_all(&parse_ops(&args.ops).map_err(bad_ops)?, &args.ops).map_err(bad_ops)?;

    let shape = trace.layout().shape();
    let head = header.encode_row_major(shape).map_err(|source| {
        CliError::from(FileError::Header { path: args.output.clone(), source })
    })?;
    let stages = stages(&trace)?;
    let bytes = trace.layout().numel() * header.item_size;
    let mut output = Output::create(&args.output, &head, bytes)?;
    let plan = in_pool(args.threads, |options| {
        copy(&input, &stages, &mut output, &args.output, options)
    })??;
    output.commit()?;

    let report = Report {
        input: args.input.display().to_string(),
        output: args.output.display().to_string(),
        dtype: header.dtype().to_owned(),
        item_size: header.item_size,
        shape: shape.to_vec(),
        strides: trace.layout().strides().to_vec(),
        offset: trace.layout().offset(),
        bytes,
        copies: stages.len(),
        plan,
        seconds: begun.elapsed().as_secs_f64(),
    };
    print(&report, args.json)
}

/// Carries the copies out, one after the other; what lies between two of them goes to scratch
/// files beside the output. Returns the plan of each in words.
fn copy(
    input: &NpyFile,
    stages: &[Layout],
    output: &mut Output,
    target: &Path,
    options: &PlanOptions,
) -> Result<Vec<String>, FileError> {
    let item_size = input.header().item_size;
    let bytes = |layout: &Layout| layout.numel() * item_size;
    let bar = progress_bar(stages.iter().map(|layout| bytes(layout) as u64).sum());
    let report = |bytes: usize| bar.inc(bytes as u64);

    let mut plans = Vec::with_capacity(stages.len());
    let mut scratch: Option<Scratch> = None;
    for (done, layout) in stages.iter().enumerate() {
        let source = scratch.as_ref().map_or(input.data(), Scratch::data);
        let into = |dst| materialize(source, layout, item_size, dst, options, report);
        if done + 1 == stages.len() {
            plans.push(into(output.data_mut())?);
        } else {
            let mut next = Scratch::create_beside(target, bytes(layout))?;
            plans.push(into(next.data_mut())?);
            scratch = Some(next);
        }
    }
    bar.finish_and_clear();
    Ok(plans)
}

/// A bar on standard error, or none for short work; indicatif draws to terminals only.
fn progress_bar(bytes: u64) -> ProgressBar {
    if bytes < LONG {
        return ProgressBar::hidden();
    }
    let template = "{wide_bar} {bytes}/{total_bytes} at {bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template).expect("a valid template");
    ProgressBar::new(bytes).with_style(style)
}

/// Calls `work` in a pool of `threads` threads, or where it is when their number is left open.
fn in_pool<T: Send>(
    threads: Option<u16>,
    work: impl FnOnce(&PlanOptions) -> T + Send,
) -> Result<T, CliError> {
    let options = |threads| PlanOptions { threads, ..PlanOptions::default() };
    match threads.map(usize::from) {
        None => Ok(work(&options(Threads::Auto))),
        Some(1) => Ok(work(&options(Threads::Serial))),
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map(|pool| pool.install(|| work(&options(Threads::AtMost(threads)))))
            .map_err(|error| CliError::Other(format!("cannot start {threads} threads: {error}"))),
    }
}

fn print(report: &Report, json: bool) -> CliResult {
    let text = if json {
        serde_json::to_string(report).map_err(|error| CliError::Other(error.to_string()))?
    } else {
        format!(
            "{}: {:?} of dtype {}, {} bytes in {:.3} s",
            report.output, report.shape, report.dtype, report.bytes, report.seconds
        )
    };
    writeln!(io::stdout(), "{text}").map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Write { .. } | FileError::Copy(_) => Self::Other(error.to_string()),
            _ => Self::BadInput(error.to_string()),
        }
    }
}

impl From<LayoutError> for CliError {
    fn from(error: LayoutError) -> Self {
        Self::BadInput(error.to_string())
    }
}
