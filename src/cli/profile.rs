//! `restride profile`: what a layout does to the caches, by clock, model, simulator and hardware.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{CliError, CliResult, source};
use crate::bench::report::write_file;
use crate::bench::rounds::Pace;
use crate::bench::suite::Entry;
use crate::bench::{memory, resolve};
use crate::machine::Machine;
use crate::profile::report::{self, Settings, html, text};
use crate::profile::simulate::{Caches, Policy};
use crate::profile::sweep::{self, Kind};
use crate::profile::topology::Topology;

/// The spec that sweeps use unless there is another.
const SWEPT: &str = "f32[2048,2048].T";
/// Accesses of a strategy that are simulated, and with `--quick`.
const ACCESSES: u64 = 1 << 27;
const QUICK_ACCESSES: u64 = 1 << 23;

/// Arguments of `restride profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  restride profile 'f32[4096,4096].T'
  restride profile 'f32[1024,1024].T' --cache l1=32K,8 --cache l3=none
  restride profile --sweep working-set 'f32[1024,1024].T' --max-bytes 67108864
  restride profile --sweep tile --svg tile.svg --csv tile.csv")]
pub struct Args {
    /// A source with view operations, for example 'f32[4096,4096].T'.
    #[arg(value_name = "SPEC", required_unless_present = "sweep")]
    spec: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Write the same page as HTML.
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    html: Option<PathBuf>,
    /// Threads of the measured copies: a number or `all`; 1 unless given.
    #[arg(long, value_name = "N", conflicts_with = "sweep",
          value_parser = super::bench::parse_threads)]
    threads: Option<usize>,
    /// Few rounds, and only a part simulated: a first look.
    #[arg(long)]
    quick: bool,
    /// Simulate another cache: l1=SIZE,WAYS[,LINE], also l2, l3; tlb1=ENTRIES,WAYS[,PAGE], also
    /// tlb2; l2=none leaves one out.
    #[arg(long, value_name = "LEVEL=SIZE,WAYS", conflicts_with = "sweep")]
    cache: Vec<String>,
    /// How the simulated caches choose what to give up.
    #[arg(long, value_name = "POLICY", default_value = "lru", conflicts_with = "sweep")]
    policy: PolicyName,
    /// Measure bandwidth against one number at a time, or two, instead of one copy; of SPEC, or of a
    /// transpose.
    #[arg(long, value_name = "WHAT")]
    sweep: Option<Kind>,
    /// Sweep over sizes up to this many bytes, read and written together.
    #[arg(long, value_name = "BYTES", requires = "sweep")]
    max_bytes: Option<usize>,
    /// Draw the sweep.
    #[arg(long, value_name = "FILE", requires = "sweep")]
    svg: Option<PathBuf>,
    /// Write the sweep's figures.
    #[arg(long, value_name = "FILE", requires = "sweep")]
    csv: Option<PathBuf>,
}

/// Replacement policies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PolicyName {
    /// Least recently used.
    Lru,
    /// The tree that resembles it.
    TreePlru,
}

impl Args {
    /// Whether a failure is told as JSON.
    pub(super) fn json(&self) -> bool {
        self.json
    }
}

/// Runs `restride profile`.
///
/// # Errors
/// [`CliError::BadSpec`] or [`CliError::BadInput`] before anything is measured;
/// [`CliError::Other`] when a result was wrong or a file cannot be written.
pub fn run(args: Args) -> CliResult {
    match args.sweep {
        Some(kind) => swept(&args, kind),
        None => profiled(&args),
    }
}

fn profiled(args: &Args) -> CliResult {
    let spec = args.spec.as_deref().unwrap_or_default();
    let mut caches = Caches::of(&Topology::detect(), Machine::current());
    let bad = |error: crate::profile::simulate::ShapeError| CliError::BadInput(error.to_string());
    for cache in &args.cache {
        caches
            .set(cache)
            .map_err(|error| CliError::BadInput(format!("--cache {cache}: {error}")))?;
    }
    caches.policy = match args.policy {
        PolicyName::Lru => Policy::Lru,
        PolicyName::TreePlru => Policy::TreePlru,
    };
    caches.check().map_err(bad)?;
    let case = case(spec)?;
    if let Some(path) = &args.html {
        write_file(path, b"")?; // a target that cannot be written is told before the work
    }
    let settings = Settings {
        threads: args.threads.unwrap_or(1),
        pace: if args.quick { Pace::QUICK } else { Pace::DEFAULT },
        caches,
        accesses: if args.quick { QUICK_ACCESSES } else { ACCESSES },
    };
    let bar = progress_bar(None);
    let profile = report::profile(&case, &settings, &|step| bar.set_message(step.to_owned()))?;
    bar.finish_and_clear();
    if let Some(path) = &args.html {
        write_file(path, html::render(&profile).as_bytes())?;
    }
    let mut out = io::stdout().lock();
    let written = if args.json {
        let json = serde_json::to_writer(&mut out, &profile).map_err(io::Error::from);
        json.and_then(|()| writeln!(out))
    } else {
        out.write_all(text::render(&profile).as_bytes())
    };
    written.map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn swept(args: &Args, kind: Kind) -> CliResult {
    if args.svg.is_some() && args.svg == args.csv {
        return Err(CliError::BadInput("--svg and --csv name the same file".into()));
    }
    let case = case(args.spec.as_deref().unwrap_or(SWEPT))?;
    for path in [&args.svg, &args.csv].into_iter().flatten() {
        write_file(path, b"")?;
    }
    let settings = sweep::Settings {
        pace: if args.quick { Pace::QUICK } else { Pace::DEFAULT },
        largest: args.max_bytes,
    };
    let bar = progress_bar(Some(0));
    let sweep = sweep::run(kind, &case, &settings, &|done, of| {
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    let failed = |error: io::Error| CliError::Other(error.to_string());
    let write = |path: &Option<PathBuf>, bytes: Vec<u8>| match path {
        Some(path) => write_file(Path::new(path), &bytes).map_err(CliError::from),
        None => Ok(()),
    };
    write(&args.svg, sweep::svg::export(&sweep).map_err(failed)?)?;
    write(&args.csv, sweep::csv::export(&sweep).map_err(failed)?)?;
    let mut out = io::stdout().lock();
    let written = if args.json {
        let json = serde_json::to_writer(&mut out, &sweep).map_err(io::Error::from);
        json.and_then(|()| writeln!(out))
    } else {
        out.write_all(sweep::text::render(&sweep).as_bytes())
    };
    written.map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// The copy that a spec asks for, if it fits into memory.
fn case(spec: &str) -> Result<crate::bench::case::Case, CliError> {
    let entry = Entry { name: spec.into(), spec: spec.into(), why: None };
    let case = resolve::case(&entry, source::origin)?;
    memory::guard(std::slice::from_ref(&case), 0, 0)?;
    Ok(case)
}

/// Progress on standard error, if that is a terminal: a bar of known length, or a spinner.
fn progress_bar(length: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
    let template =
        if length.is_some() { "{bar:24} {pos}/{len} {eta} left" } else { "{spinner} {msg}" };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}
