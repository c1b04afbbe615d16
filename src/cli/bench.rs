//! `restride bench`: every strategy beside the ceiling.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{CliError, CliResult, source};
use crate::bench::case::Case;
use crate::bench::record::{Destination, Report, Settings};
use crate::bench::report::{self, Export, csv, json, svg, table};
use crate::bench::rounds::Pace;
use crate::bench::run::{self, Watch};
use crate::bench::strategy::{Field, strategies};
use crate::bench::suite::{self, Suite};
use crate::bench::{BenchError, memory, resolve, team};

/// More threads than any machine has: a larger number is a mistake.
const MOST_THREADS: usize = 1024;

/// The path that means standard output.
const STDOUT: &str = "-";

/// Arguments of `restride bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = "With neither SPEC nor --suite, the suite `main` runs.")]
pub struct Args {
    /// Sources with view operations, for example 'f32[4096,4096].T' or 'image.npy.permute(2,0,1)'.
    #[arg(value_name = "SPEC")]
    specs: Vec<String>,
    /// A suite: main, models, permutation, ttc57, or a JSON file of the same form.
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
    /// Few rounds: a first look.
    #[arg(long)]
    quick: bool,
    /// Let source and destination begin this many bytes later than the allocator places them.
    #[arg(long, value_name = "BYTES", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=4096))]
    offset: u32,
    /// Write everything, raw rounds included, as JSON; `-` is standard output, and then nothing
    /// else goes there. A file is brought up to date after each case.
    #[arg(long, value_name = "FILE|-")]
    json: Option<PathBuf>,
    /// Write medians and intervals as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratios to the ceiling.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
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
    let files = files(&args)?;
    let (suite, entries) = suites(&args)?;
    let (cases, skipped) = within_limit(cases(&entries)?, args.max_bytes)?;
    memory::guard(&cases, offset, harness.copies)?;

    let mut threads = args.threads.clone();
    threads.sort_unstable();
    threads.dedup();
    let pace = if args.quick { Pace::QUICK } else { Pace::DEFAULT };
    let settings = Settings { threads, pace, offset, pin: harness.pin };
    let mut report = run::empty_report(suite, cases.len(), skipped, settings);

    let mut session = Session { files, bar: progress_bar(&cases, &report) };
    session.write(&report)?; // a target that cannot be written is told now, not after minutes
    run::run(&cases, harness.field, &mut report, &mut session)?;
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

/// Every entry's case: a mistake in the last one is told before the first is measured.
fn cases(entries: &[suite::Entry]) -> Result<Vec<Case>, CliError> {
    entries.iter().map(|entry| Ok(resolve::case(entry, source::origin)?)).collect()
}

/// The cases that write at most `limit` bytes, and the names of the others.
fn within_limit(
    cases: Vec<Case>,
    limit: Option<u64>,
) -> Result<(Vec<Case>, Vec<String>), CliError> {
    let Some(limit) = limit else { return Ok((cases, Vec::new())) };
    let fits = |case: &Case| case.output_bytes as u64 <= limit;
    let (cases, large): (Vec<_>, Vec<_>) = cases.into_iter().partition(fits);
    if cases.is_empty() {
        let why = format!("every case writes more than {}", memory::in_words(limit));
        return Err(BenchError::NothingLeft { why }.into());
    }
    Ok((cases, large.into_iter().map(|case| case.name).collect()))
}

impl Args {
    /// Whether standard output gets JSON and nothing else.
    pub(super) fn json_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new(STDOUT))
    }
}

/// The files asked for, each with what makes its content.
fn files(args: &Args) -> Result<Vec<(PathBuf, Export)>, CliError> {
    let json = args.json.clone().filter(|_| !args.json_on_stdout());
    let exports: [(Option<PathBuf>, Export); 3] =
        [(json, json::export), (args.csv.clone(), csv::export), (args.svg.clone(), svg::export)];
    let mut files: Vec<(PathBuf, Export)> = Vec::new();
    for (path, export) in exports {
        let Some(path) = path else { continue };
        if path == Path::new(STDOUT) {
            let message = "only --json can go to standard output; --csv and --svg need a file";
            return Err(CliError::BadInput(message.into()));
        }
        if files.iter().any(|(other, _)| place(other) == place(&path)) {
            let message = format!("{}: named for two outputs", path.display());
            return Err(CliError::BadInput(message));
        }
        files.push((path, export));
    }
    Ok(files)
}

/// A path that is the same for every spelling of one place, existing or not.
fn place(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.into())
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(cases: &[Case], report: &Report) -> ProgressBar {
    let runs = cases.len() * report.settings.threads.len() * Destination::ALL.len();
    let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {eta} left  {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Keeps the bar and the files up to date.
struct Session {
    files: Vec<(PathBuf, Export)>,
    bar: ProgressBar,
}

impl Session {
    fn write(&self, report: &Report) -> Result<(), CliError> {
        for (path, export) in &self.files {
            let bytes = export(report).map_err(|error| CliError::Other(error.to_string()))?;
            report::write_file(path, &bytes)?;
        }
        Ok(())
    }
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
        self.write(report)
    }
}

/// A thread count: a number from 1, or `all`.
fn parse_threads(text: &str) -> Result<usize, String> {
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
