//! The whole report, raw rounds included.

use std::io;

use super::Report;

/// The report as one JSON object and a line end.
///
/// # Errors
/// What the serializer said.
pub fn export(report: &Report) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(report)?;
    bytes.push(b'\n');
    Ok(bytes)
}
