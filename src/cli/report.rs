//! `restride report`: a saved report as table, files or Markdown.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::outputs::Outputs;
use super::{CliError, CliResult};
use crate::bench::report::{markdown, table};
use crate::bench::saved;

/// Arguments of `restride report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
FILE is what `restride bench --json FILE` wrote, be it of a run that was stopped, or what another \
program wrote in the same form: further strategies are further measurements of a run.

In CI, a summary of the job:
  restride report bench.json --markdown >> \"$GITHUB_STEP_SUMMARY\"")]
pub struct Args {
    /// A report in JSON.
    file: PathBuf,
    #[command(flatten)]
    outputs: Outputs,
    /// Print a summary as Markdown instead of the table.
    #[arg(long)]
    markdown: bool,
}

/// Runs `restride report`.
///
/// # Errors
/// [`CliError::BadInput`] for a file that is no report or a target that cannot be written.
pub fn run(args: Args) -> CliResult {
    let files = args.outputs.files(None)?;
    let report = saved::load(&args.file)?;
    files.write(&report)?;
    let text = if args.markdown { markdown::render(&report) } else { table::render(&report) };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}
