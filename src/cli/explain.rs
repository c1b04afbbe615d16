//! `restride explain`: a spec, step by step.

use std::process::ExitCode;

use super::CliResult;

/// Arguments of `restride explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A source and view operations, for example 'f32[3,4].T.reshape(-1)'.
    spec: String,
}

/// Runs `restride explain`.
///
/// # Errors
/// [`super::CliError::BadSpec`] when the spec is wrong.
pub fn run(_args: Args) -> CliResult {
    Ok(ExitCode::SUCCESS)
}
