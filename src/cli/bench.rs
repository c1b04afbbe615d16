//! `restride bench`: every strategy beside the ceiling.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::outputs::{Files, Outputs, STDOUT};
use super::{CliError, CliResult, source};
use crate::bench::case::Case;
use crate::bench::record::{Destination, Report, Settings};
use crate::bench::report::{Export, json, table};
use crate::bench::rounds::Pace;
use crate::bench::run::{self, Watch};
use crate::bench::sequence::{self, Sequence};
use crate::bench::strategy::{Field, strategies};
use crate::bench::suite::{self, Suite};
use crate::bench::{BenchError, memory, resolve, team};

/// More threads than any machine has: a larger number is a mistake.
const MOST_THREADS: usize = 1024;

/// Arguments of `restride bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "With neither SPEC nor --suite, the suite `main` runs.")]
pub struct Args {
    /// Sources with view operations, for example 'f32[4096,4096].T' or 'image.npy.permute(2,0,1)'.
    /// One that ends in .sum(), .sum(axis), .add(SPEC) or .matmul(SPEC) is timed with what it ends in.
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,
    /// A suite: main, models, permutation, sizes, ttc57, or a JSON file of the same form.
    #[arg(long, value_name = "FILE|NAME")]
    suite: Vec<String>,
    /// Only cases whose name or spec contains this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Skip cases that write more than this, for example 64M.
    #[arg(long, value_name = "N", value_parser = memory::parse_bytes)]
    max_bytes: Option<u64>,
    /// Thread counts to measure, each apart: numbers or `all`.
    #[arg(long, value_name = "N,M", value_delimiter = ',', default_value = "1,all",
          value_parser = parse_threads)]
    threads: Vec<usize>,
    /// Few rounds, and no more cases than two minutes allow: a first look.
    #[arg(long)]
    quick: bool,
    /// Leave cases out, evenly, so that everything takes about this many seconds; --quick has 90.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    within: Option<u32>,
    /// Let source and destination begin this many bytes later than the allocator places them.
    #[arg(long, value_name = "BYTES", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=4096))]
    offset: u32,
    /// Write everything, raw rounds included, as JSON; `-` is standard output, and then nothing
    /// else goes there. A file is brought up to date after each case.
    #[arg(long, value_name = "FILE|-")]
    json: Option<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
}

/// What a program that measures other contenders by this command's arguments brings along.
#[derive(Clone, Copy)]
pub struct Harness<'a> {
    /// Who takes part.
    pub field: &'a Field,
    /// Copies of a case's source that contenders keep at the same time.
    pub copies: u64,
    /// Whether to pin threads; libraries that start their own would be kept on one processor.
    pub pin: bool,
    /// The report as text.
    pub render: fn(&Report) -> String,
}

/// Runs `restride bench`.
///
/// # Errors
/// As for [`run_with`].
pub fn run(args: Args) -> CliResult {
    run_with(args, Harness { field: &strategies, copies: 0, pin: true, render: table::render })
}

/// Measures what `args` ask for by means of `harness`.
///
/// # Errors
/// [`CliError::BadSpec`] or [`CliError::BadInput`], normally before anything is measured;
/// [`CliError::Other`] when a result was wrong or the disk is full.
pub fn run_with(args: Args, harness: Harness<'_>) -> CliResult {
    let offset = args.offset as usize;
    let json = args.json.clone().filter(|_| !args.json_on_stdout());
    let files = args.outputs.files(json.map(|path| (path, json::export as Export)))?;
    let (suite, entries) = suites(&args)?;
    let (work, skipped) = within_limit(work(&entries)?, args.max_bytes)?;
    let Work { cases, sequences } = &work;
    check_flags(&args, &work)?;
    memory::guard(cases, offset, harness.copies)?;
    sequence::run::guard(sequences)?;

    let mut threads = args.threads.clone();
    threads.sort_unstable();
    threads.dedup();
    let mut pace = if args.quick { Pace::QUICK } else { Pace::DEFAULT };
    pace.limit = args.within.map(f64::from).or(pace.limit);
    let settings = Settings { threads, pace, offset, pin: harness.pin };
    let mut report = run::empty_report(suite, work.len(), skipped, settings);

    let mut session = Session { files, bar: progress_bar(&work, &report) };
    session.files.write(&report)?; // a target that cannot be written is told now, not after minutes
    if !cases.is_empty() {
        run::run(cases, harness.field, &mut report, &mut session)?;
    }
    sequence::run::run(sequences, &mut report, &mut session)?;
    report.complete = true;
    session.files.write(&report)?;
    session.bar.finish_and_clear();

    let text = if args.json_on_stdout() {
        json::export(&report)
    } else {
        Ok((harness.render)(&report).into())
    };
    let mut stdout = std::io::stdout().lock();
    text.and_then(|text| stdout.write_all(&text).and_then(|()| stdout.flush()))
        .map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// The entries asked for, and what to call them together.
fn suites(args: &Args) -> Result<(String, Vec<suite::Entry>), CliError> {
    let mut suites = Vec::new();
    if !args.specs.is_empty() {
        suites.push(Suite::of_specs(&args.specs));
    }
    for name in &args.suite {
        suites.push(Suite::load(name)?);
    }
    if suites.is_empty() {
        suites.push(Suite::load(suite::MAIN)?);
    }
    if let Some(text) = &args.filter {
        suites.iter_mut().for_each(|suite| suite.filter(text));
        if suites.iter().all(|suite| suite.cases.is_empty()) {
            let why = format!("none has `{text}` in its name or spec");
            return Err(BenchError::NothingLeft { why }.into());
        }
    }
    let names: Vec<_> = suites.iter().map(|suite| suite.name.clone()).collect();
    let entries: Vec<_> = suites.into_iter().flat_map(|suite| suite.cases).collect();
    if entries.is_empty() {
        return Err(BenchError::NothingLeft { why: "the suite is empty".into() }.into());
    }
    Ok((names.join(", "), entries))
}

/// What is to be measured.
#[derive(Default)]
struct Work {
    /// Copies.
    cases: Vec<Case>,
    /// Views with what reads them.
    sequences: Vec<Sequence>,
}

impl Work {
    fn len(&self) -> usize {
        self.cases.len() + self.sequences.len()
    }
}

/// Every entry's case or sequence: a mistake in the last one is told before the first is measured.
fn work(entries: &[suite::Entry]) -> Result<Work, CliError> {
    let mut work = Work::default();
    for entry in entries {
        match Sequence::of(entry, source::origin)? {
            Some(sequence) => work.sequences.push(sequence),
            None => work.cases.push(resolve::case(entry, source::origin)?),
        }
    }
    Ok(work)
}

/// What writes at most `limit` bytes, and the names of the others.
fn within_limit(work: Work, limit: Option<u64>) -> Result<(Work, Vec<String>), CliError> {
    let Some(limit) = limit else { return Ok((work, Vec::new())) };
    let fits = |case: &Case| case.output_bytes as u64 <= limit;
    let (cases, large): (Vec<_>, Vec<_>) = work.cases.into_iter().partition(fits);
    let fits = |sequence: &Sequence| sequence.viewed_bytes() as u64 <= limit;
    let (sequences, long): (Vec<_>, Vec<_>) = work.sequences.into_iter().partition(fits);
    let work = Work { cases, sequences };
    if work.len() == 0 {
        let why = format!("every case writes more than {}", memory::in_words(limit));
        return Err(BenchError::NothingLeft { why }.into());
    }
    let names = large.into_iter().map(|case| case.name);
    Ok((work, names.chain(long.into_iter().map(|sequence| sequence.name)).collect()))
}

/// Refuses flags that the work has no use for.
fn check_flags(args: &Args, work: &Work) -> Result<(), CliError> {
    if let Some(sequence) = work.sequences.first().filter(|_| args.offset > 0) {
        let name = &sequence.name;
        let message =
            format!("{name}: --offset moves copies only; leave out what ends in a consumer");
        return Err(CliError::BadInput(message));
    }
    if args.outputs.svg.is_some() && work.cases.is_empty() {
        let message = "--svg draws copies, but every SPEC ends in a consumer; use --html, --json or \
                       --csv";
        return Err(CliError::BadInput(message.into()));
    }
    Ok(())
}

impl Args {
    /// Whether standard output gets JSON and nothing else.
    pub(super) fn json_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new(STDOUT))
    }
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(work: &Work, report: &Report) -> ProgressBar {
    let runs = work.cases.len() * Destination::ALL.len() + work.sequences.len();
    let runs = runs * report.settings.threads.len();
    let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {eta} left  {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Keeps the bar and the files up to date.
struct Session {
    files: Files,
    bar: ProgressBar,
}

impl Watch<CliError> for Session {
    fn begins(
        &mut self,
        case: &Case,
        threads: usize,
        destination: Destination,
    ) -> Result<(), CliError> {
        self.bar.set_message(format!("{} ×{threads} {}", case.name, destination.name()));
        Ok(())
    }

    fn ends(&mut self) {
        self.bar.inc(1);
    }

    fn measured(&mut self, report: &Report) -> Result<(), CliError> {
        self.files.write(report)
    }
}

impl sequence::run::Watch<CliError> for Session {
    fn begins(&mut self, sequence: &Sequence, threads: usize) -> Result<(), CliError> {
        self.bar.set_message(format!("{} ×{threads}", sequence.name));
        Ok(())
    }

    fn ends(&mut self) {
        self.bar.inc(1);
    }

    fn measured(&mut self, report: &Report) -> Result<(), CliError> {
        self.files.write(report)
    }
}

/// A thread count: a number from 1, or `all`.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    if text == "all" {
        return Ok(team::processors());
    }
    match text.parse() {
        Ok(threads @ 1..=MOST_THREADS) => Ok(threads),
        _ => Err(format!("`{text}` is neither `all` nor a number from 1 to {MOST_THREADS}")),
    }
}

impl From<BenchError> for CliError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Spec { spec, error, .. } => Self::BadSpec { spec, error },
            error if error.is_bad_input() => Self::BadInput(error.to_string()),
            error => Self::Other(error.to_string()),
        }
    }
}
