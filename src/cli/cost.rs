//! What a copy costs, asked of the planner in this one place.

use serde::Serialize;

use crate::layout::Layout;

/// The planner's answer for one copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// The class of the copy.
    pub class: String,
    /// How it is carried out, in words.
    pub plan: String,
    /// Distinct cache lines read and written.
    pub lines: Sides,
    /// Distinct pages read and written.
    pub pages: Sides,
}

/// A count for either side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sides {
    /// Of the source.
    pub source: usize,
    /// Of the destination.
    pub destination: usize,
}

impl Cost {
    /// The cost of copying `from` into `to`, with elements of `elem_size` bytes; `None` when no
    /// plan exists (the span of a layout exceeds the address range).
    pub fn of(_from: &Layout, _to: &Layout, _elem_size: usize) -> Option<Self> {
        None
    }
}
