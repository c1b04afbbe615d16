//! What a caller may ask of a plan.

use crate::machine::Isa;

/// How many threads a plan may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// The calling thread only.
    Serial,
    /// As many threads of the current rayon pool as the bytes are worth.
    #[default]
    Auto,
    /// [`Threads::Auto`], but never more than this many; 0 means 1, the calling thread.
    AtMost(usize),
}

/// Whether stores pass the caches by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StorePolicy {
    /// Streaming when the destination exceeds the last-level cache's share.
    #[default]
    Auto,
    /// Ordinary stores.
    Cached,
    /// Non-temporal stores wherever the kernel has them.
    Streaming,
}

/// Which kernel family a plan may use. Anything but [`Strategy::Auto`] is for measuring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The planner's choice.
    #[default]
    Auto,
    /// Row copies (or element loops) in destination order, never tiles.
    Rows,
    /// Cache-blocked tiles of scalar moves.
    ScalarTiles,
    /// Cache-blocked tiles of vector transposes.
    SimdTiles,
}

/// Extents of the cells of a transpose, in units: elements, or runs of elements that lie next to
/// each other on both sides. For measuring.
///
/// A cell at the end of a run may be up to twice as long. Where several axes make up a run, its
/// extent is rounded to whole axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileSize {
    /// Units along the destination's run: source rows that a cell takes.
    pub rows: u32,
    /// Units along the source's run: destination rows that it writes to.
    pub columns: u32,
}

/// What the caller asks of a plan. The default lets the planner decide everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlanOptions {
    /// Threads the plan may use.
    pub threads: Threads,
    /// Bytes of output that are worth one more thread; a copy of fewer than twice as many stays on
    /// the calling thread. 0 means 1 byte.
    pub grain: usize,
    /// Cached or streaming stores.
    pub stores: StorePolicy,
    /// Kernel family.
    pub strategy: Strategy,
    /// Instruction-set tier; `None` for the machine's.
    pub isa: Option<Isa>,
    /// Cells of a transpose; `None` for the planner's choice.
    pub tile: Option<TileSize>,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            threads: Threads::Auto,
            grain: 256 << 10,
            stores: StorePolicy::Auto,
            strategy: Strategy::Auto,
            isa: None,
            tile: None,
        }
    }
}

impl PlanOptions {
    /// The defaults, on the calling thread only.
    pub fn serial() -> Self {
        Self { threads: Threads::Serial, ..Self::default() }
    }
}
