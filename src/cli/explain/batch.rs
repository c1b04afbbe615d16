//! Many specs at once: one a line in, one JSON object a line out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use super::{Explained, json};
use crate::cli::CliError;

/// Explains every line of `path` (`-`: standard input). A bad line gets an object that says so,
/// and the next line its turn; line n of the output is about line n of the input.
///
/// # Errors
/// [`CliError::BadInput`] when `path` cannot be read, [`CliError::Stdout`] when `out` cannot be
/// written.
pub fn run(path: &Path, with_order: bool, out: &mut impl Write) -> Result<(), CliError> {
    let unreadable = |error: io::Error| {
        CliError::BadInput(format!("cannot read the specs in {}: {error}", path.display()))
    };
    let mut input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).map_err(unreadable)?))
    };
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).map_err(unreadable)? > 0 {
        // What is not UTF-8 becomes U+FFFD, which no spec but a path can hold.
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        json::write(&Explained::of(text, with_order), out).map_err(CliError::Stdout)?;
        line.clear();
    }
    Ok(())
}
