//! One line a point.

use std::io;

use super::Sweep;

/// The sweep as CSV with a heading.
///
/// # Errors
/// What the writer said.
pub fn export(sweep: &Sweep) -> io::Result<Vec<u8>> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    match sweep {
        Sweep::Curves(sweep) => {
            writer.write_record(["curve", sweep.x, sweep.y])?;
            for curve in &sweep.curves {
                for (x, y) in &curve.points {
                    writer.write_record([&curve.name, &x.to_string(), &y.to_string()])?;
                }
            }
        }
        Sweep::Map(map) => {
            writer.write_record(["tile rows", "tile columns", "GB/s"])?;
            for (rows, rates) in map.rows.iter().zip(&map.rates) {
                for (columns, rate) in map.columns.iter().zip(rates) {
                    writer.write_record([
                        rows.to_string(),
                        columns.to_string(),
                        rate.to_string(),
                    ])?;
                }
            }
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}
