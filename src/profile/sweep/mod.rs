//! Bandwidth against one number at a time.
//!
//! | sweep         | across                          | shows |
//! |---------------|---------------------------------|---|
//! | `working-set` | bytes read and written          | a step where they outgrow a cache |
//! | `stride`      | bytes from element to element   | sets that run out of ways at powers of two |
//! | `threads`     | threads, each on its processor  | where memory is used up |
//! | `stores`      | bytes read and written          | where streaming stores begin to pay |
//! | `fresh`       | bytes written                   | what page faults cost, with huge pages and without |

pub mod csv;
mod points;
pub mod svg;
pub mod text;

use serde::Serialize;

pub use points::run;

/// What to sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The size of a square transpose, and of a dense copy beside it.
    WorkingSet,
    /// The source stride of a copy of few elements.
    Stride,
    /// Threads on the spec's copy.
    Threads,
    /// Cached against streaming stores, by size.
    Stores,
    /// New memory against memory used before, by size.
    Fresh,
}

/// Curves over one number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    /// What was swept.
    pub kind: Kind,
    /// What it says above the picture.
    pub title: String,
    /// The number along the picture, with its unit.
    pub x: &'static str,
    /// The figure up the picture, with its unit.
    pub y: &'static str,
    /// Whether `x` doubles rather than counts.
    pub logarithmic: bool,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Places along `x` worth knowing: cache sizes.
    pub marks: Vec<(f64, String)>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, ascending along `x`.
    pub points: Vec<(f64, f64)>,
}
