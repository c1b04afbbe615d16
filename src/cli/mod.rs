//! The `restride` command: one file for each subcommand, with its arguments and its `run`.
//!
//! Exit codes: 0 done, 2 bad input, 1 anything else. Results go to standard output, messages to
//! standard error, and for programs that asked for JSON an object with the error to standard
//! output too. A reader that closes the pipe early is not an error.

pub mod advise;
pub mod bench;
pub mod compare;
pub mod cost;
pub mod error;
pub mod explain;
pub mod info;
pub mod outputs;
pub mod profile;
pub mod report;
pub mod run;
pub mod source;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use error::CliError;

use crate::machine::Isa;

/// What every subcommand's `run` returns.
pub type CliResult = Result<ExitCode, CliError>;

/// Turns any strided tensor view into dense memory at the speed of memory.
#[derive(Debug, Parser)]
#[command(name = "restride", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure every way to copy what a spec asks for, beside memcpy and a streaming copy.
    Bench(bench::Args),
    /// Say whether to consume a view as it is or to materialize it first, by measuring both.
    Advise(advise::Args),
    /// Tell what became faster or slower from one saved benchmark to another.
    Compare(compare::Args),
    /// Show what a chain of view operations does to a layout, and what copying it costs.
    Explain(explain::Args),
    /// Show a saved benchmark as table, CSV, picture or web page.
    Report(report::Args),
    /// Apply view operations to a `.npy` file and write the dense result.
    Run(run::Args),
    /// Show what a copy does to the caches: time, model, simulated and counted misses.
    Profile(profile::Args),
    /// Show what restride knows about this machine.
    Info(info::Args),
}

impl Command {
    /// Whether a failure is told on standard output as JSON. `explain` does so by itself, as its
    /// object shows how far it came.
    fn errors_as_json(&self) -> bool {
        match self {
            Self::Run(args) => args.json,
            Self::Bench(args) => args.json_on_stdout(),
            Self::Advise(args) => args.json,
            Self::Compare(args) => args.json,
            Self::Profile(args) => args.json(),
            Self::Explain(_) | Self::Info(_) | Self::Report(_) => false,
        }
    }
}

/// Runs the command on the process's arguments.
pub fn main() -> ExitCode {
    let command = Cli::parse().command;
    let errors_as_json = command.errors_as_json();
    let result = match Isa::requested() {
        // Found later, by whatever asks first for the machine, it would be a panic.
        Err(error) => Err(CliError::BadInput(error.to_string())),
        Ok(_) => match command {
            Command::Bench(args) => bench::run(args),
            Command::Advise(args) => advise::run(args),
            Command::Compare(args) => compare::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Report(args) => report::run(args),
            Command::Run(args) => run::run(args),
            Command::Profile(args) => profile::run(args),
            Command::Info(args) => info::run(args),
        },
    };
    result.unwrap_or_else(|error| {
        if errors_as_json {
            error.print_json();
        }
        error.report()
    })
}
