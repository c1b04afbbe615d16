//! Bandwidth against one number at a time, and against two.
//!
//! | sweep         | across                          | shows |
//! |---------------|---------------------------------|---|
//! | `working-set` | bytes read and written          | a step where they outgrow a cache |
//! | `stride`      | bytes from element to element   | sets that run out of ways at powers of two |
//! | `tile`        | rows and columns of a tile      | which tiles suit the caches and prefetchers |
//! | `threads`     | threads, each on its processor  | where memory is used up |
//! | `stores`      | bytes read and written          | where streaming stores begin to pay |
//! | `fresh`       | bytes read and written          | what page faults cost, with huge pages and without |
//! | `pages`       | bytes read and written          | what page walks cost once the TLBs are outgrown |

pub mod csv;
mod heat;
mod pages;
mod points;
mod scaled;
pub mod svg;
pub mod text;
mod tiles;

use serde::Serialize;

pub use points::{LARGEST, Settings, run};

/// What to sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The size of SPEC's copy, and of a dense copy beside it.
    WorkingSet,
    /// The source stride of a copy of few elements.
    Stride,
    /// Rows and columns of the tiles of SPEC's transpose.
    Tile,
    /// Threads on SPEC's copy.
    Threads,
    /// Cached against streaming stores, by SPEC's size.
    Stores,
    /// New memory against memory used before, by SPEC's size.
    Fresh,
    /// 4 KiB pages against huge ones, by SPEC's size.
    Pages,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Sweep {
    /// Against one number.
    Curves(Curves),
    /// Against two.
    Map(Map),
}

impl Sweep {
    /// What it says above the picture.
    pub fn title(&self) -> &str {
        match self {
            Self::Curves(curves) => &curves.title,
            Self::Map(map) => &map.title,
        }
    }
}

/// Curves over one number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curves {
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
    /// What else there is to say, a sentence each.
    pub notes: Vec<String>,
}

impl Curves {
    /// Whether bytes go along the picture.
    fn counts_bytes(&self) -> bool {
        self.x.starts_with("bytes")
    }
}

/// One curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, ascending along `x`.
    pub points: Vec<(f64, f64)>,
}

/// GB/s against the rows and columns of a tile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Map {
    /// What was swept.
    pub kind: Kind,
    /// What it says above the picture.
    pub title: String,
    /// Units of a tile along the destination's run, ascending.
    pub rows: Vec<u32>,
    /// Units along the source's run, ascending.
    pub columns: Vec<u32>,
    /// GB/s, by rows, then columns.
    pub rates: Vec<Vec<f64>>,
    /// The planner's own cells, and GB/s with them.
    pub planned: Planned,
    /// GB/s of memcpy for as many bytes.
    pub memcpy: f64,
}

/// What the planner chooses by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planned {
    /// Its plan, in words.
    pub plan: String,
    /// Units of its cells along the destination's run and along the source's.
    pub cells: (usize, usize),
    /// GB/s.
    pub rate: f64,
}
