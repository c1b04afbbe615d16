//! One line a point.

use std::io;

use super::Sweep;

/// The sweep as CSV with a heading.
///
/// # Errors
/// What the writer said.
pub fn export(sweep: &Sweep) -> io::Result<Vec<u8>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(["curve", sweep.x, sweep.y])?;
    for curve in &sweep.curves {
        for (x, y) in &curve.points {
            writer.write_record([&curve.name, &x.to_string(), &y.to_string()])?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}
