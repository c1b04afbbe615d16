//! Why a subcommand gave up: decides the exit code and prints the one message.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Serialize;
use thiserror::Error;

use crate::error::ErrorKind;
use crate::spec::SpecError;

/// A subcommand's failure.
#[derive(Debug, Error)]
pub enum CliError {
    /// The input is wrong: exit code 2.
    #[error("{0}")]
    BadInput(String),
    /// A spec is wrong: exit code 2, with a pointer into its text.
    #[error("{error}")]
    BadSpec {
        /// The text the error points into.
        spec: String,
        /// What is wrong and where.
        error: SpecError,
    },
    /// Standard output could not be written: exit code 1, or 0 when the reader went away.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    /// Anything else: exit code 1.
    #[error("{0}")]
    Other(String),
}

impl CliError {
    /// Prints one JSON object with the error on standard output, unless that is what failed.
    pub fn print_json(&self) {
        let unplaced = |kind| ErrorReport { kind, message: self.to_string().into(), at: None };
        let error = match self {
            Self::Stdout(_) => return,
            Self::BadSpec { spec, error } => ErrorReport::of_spec(error, spec),
            Self::BadInput(_) => unplaced("bad_input"),
            Self::Other(_) => unplaced("failed"),
        };
        if let Ok(text) = serde_json::to_string(&ErrorObject { error }) {
            // The exit code and the message tell the same to whoever cannot read this.
            let _ = writeln!(io::stdout(), "{text}");
        }
    }

    /// Prints the message on standard error and returns the process's exit code.
    pub fn report(&self) -> ExitCode {
        let text = match self {
            Self::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::BadSpec { spec, error } => {
                annotate(spec, error, io::stderr().is_terminal() && !no_color())
            }
            other => format!("error: {other}"),
        };
        // Nobody is left to tell when standard error cannot be written either.
        let _ = writeln!(io::stderr(), "{text}");
        match self {
            Self::BadInput(_) | Self::BadSpec { .. } => ExitCode::from(2),
            Self::Stdout(_) | Self::Other(_) => ExitCode::from(1),
        }
    }
}

/// What programs get to read.
#[derive(Serialize)]
struct ErrorObject<'a> {
    error: ErrorReport<'a>,
}

/// An error in JSON output.
#[derive(Serialize)]
pub(super) struct ErrorReport<'a> {
    kind: &'static str,
    message: Cow<'a, str>,
    /// Character (not byte) of the spec at which the fault begins, from 0; null when the fault is
    /// not in a spec.
    at: Option<usize>,
}

impl<'a> ErrorReport<'a> {
    /// The report of an error in `spec`.
    pub(super) fn of_spec(error: &'a SpecError, spec: &str) -> Self {
        let at = Some(error.char_index(spec));
        Self { kind: error.kind.as_str(), message: (&*error.message).into(), at }
    }
}

/// Whether the user asked for no colours (<https://no-color.org>).
fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The message with the faulty part of `spec` underlined.
fn annotate(spec: &str, error: &SpecError, color: bool) -> String {
    let source = Snippet::source(spec).annotation(AnnotationKind::Primary.span(error.at.clone()));
    let mut report = Level::ERROR.primary_title(&*error.message).element(source);
    if let Some(advice) = advice(error.kind) {
        report = report.element(Level::HELP.message(advice));
    }
    if color { Renderer::styled() } else { Renderer::plain() }.render(&[report])
}

/// What to do, where the message alone does not say it.
pub(super) fn advice(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::NotViewable => {
            Some("`.reshape(…)` copies where no view exists; `.contiguous()` before `.view(…)` too")
        }
        ErrorKind::BadAxis => Some("axes count from 0 at the front, or from -1 at the end"),
        ErrorKind::TwoInferred => Some("write the other size as a number"),
        _ => None,
    }
}
