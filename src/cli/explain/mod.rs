//! `restride explain`: a spec, step by step, and what its copies cost.

mod batch;
mod explorer;
mod json;
mod text;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::{CliError, CliResult, source};
use crate::bench::report;
use crate::bench::sequence::advice;
use crate::bench::sequence::resolve::{Operand, Reading, readings};
use crate::spec::{Spec, SpecError, Trace};

/// Arguments of `restride explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A source and view operations, for example 'f32[3,4].T.reshape(-1)' or 'image.npy[::2]'. What
    /// reads the view may come last: .sum(), .sum(axis), .add(SPEC), .matmul(SPEC).
    #[arg(required_unless_present = "batch")]
    spec: Option<String>,
    /// Explain every line of this file (`-`: standard input), one JSON object a line.
    #[arg(long, value_name = "FILE", conflicts_with = "spec", requires = "json")]
    batch: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// List which element of the source's storage each result element came from.
    #[arg(long)]
    order: bool,
    /// Write a web page too, on which elements and storage can be explored step by step; it needs
    /// nothing from the network.
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    html: Option<PathBuf>,
}

/// Runs `restride explain`.
///
/// # Errors
/// [`CliError::BadSpec`] when the spec is wrong, [`CliError::BadInput`] when a batch cannot be
/// read or the page not be written there, [`CliError::Stdout`] when the answer cannot be written,
/// [`CliError::Other`] when the disk is full.
pub fn run(args: Args) -> CliResult {
    let mut out = BufWriter::new(io::stdout().lock());
    if let Some(path) = &args.batch {
        batch::run(path, args.order, &mut out)?;
    } else if let Some(text) = &args.spec {
        let explained = Explained::of(text, args.order);
        if let Some(path) = &args.html {
            write_page(&explained, path).inspect_err(|error| {
                if args.json {
                    error.print_json();
                }
            })?;
        }
        if args.json {
            json::write(&explained, &mut out).map_err(CliError::Stdout)?;
        } else if let Explained { trace: Some(trace), error: None, .. } = &explained {
            text::write(&explained, trace, &mut out).map_err(CliError::Stdout)?;
        }
        out.flush().map_err(CliError::Stdout)?;
        if let Some(error) = explained.error {
            return Err(CliError::BadSpec { spec: text.clone(), error });
        }
    }
    out.flush().map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page about a spec that has at least a source; without one there is nothing to show.
fn write_page(explained: &Explained<'_>, path: &Path) -> Result<(), CliError> {
    if path == Path::new("-") {
        return Err(CliError::BadInput("--html needs a file, not standard output".into()));
    }
    let Some(trace) = &explained.trace else { return Ok(()) };
    let page = explorer::page(explained, trace).map_err(|e| CliError::Other(e.to_string()))?;
    Ok(report::write_file(path, page.as_bytes())?)
}

/// A spec carried as far as it goes.
struct Explained<'a> {
    text: &'a str,
    /// The part of the text that names the source.
    source: &'a str,
    /// The steps that could be carried out; `None` when there is not even a source.
    trace: Option<Trace>,
    /// Asked for, and listed.
    order: Option<Vec<usize>>,
    /// What reads the view, and then what came of it.
    readings: Vec<Reading>,
    /// Why the spec could not be carried out to its end.
    error: Option<SpecError>,
}

impl<'a> Explained<'a> {
    fn of(text: &'a str, with_order: bool) -> Self {
        let mut explained =
            Self { text, source: "", trace: None, order: None, readings: Vec::new(), error: None };
        explained.error = explained.carry_out(with_order).err();
        explained
    }

    fn carry_out(&mut self, with_order: bool) -> Result<(), SpecError> {
        let spec = Spec::parse(self.text)?;
        self.source = &self.text[spec.source_at.clone()];
        let trace = self.trace.insert(Trace::start(source::origin(&spec)?));
        trace.apply_all(&spec.ops, self.text)?;
        self.readings = readings(&spec, trace, self.text, source::origin)?;
        if with_order {
            self.order = Some(trace.order(self.text)?);
        }
        Ok(())
    }
}

/// How `reading` number `place` reads what it reads, in a sentence.
fn how_read(place: usize, reading: &Reading, trace: &Trace) -> String {
    if place > 0 {
        return "reads the dense result of the consumer before".into();
    }
    let view = Operand { layout: trace.layout().clone(), file: None };
    advice::how_read(reading, &view)
}
