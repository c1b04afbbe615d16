//! `restride info`: the machine as restride sees it.

use std::process::ExitCode;

use super::CliResult;

/// Arguments of `restride info`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs `restride info`.
///
/// # Errors
/// [`super::CliError::Stdout`] when standard output cannot be written.
pub fn run(_args: Args) -> CliResult {
    Ok(ExitCode::SUCCESS)
}
