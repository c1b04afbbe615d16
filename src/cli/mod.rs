//! The `restride` command.

use std::process::ExitCode;

/// Runs the command on the process's arguments.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
