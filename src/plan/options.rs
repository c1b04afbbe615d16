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
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            threads: Threads::Auto,
            grain: 256 << 10,
            stores: StorePolicy::Auto,
            strategy: Strategy::Auto,
            isa: None,
        }
    }
}

impl PlanOptions {
    /// The defaults, on the calling thread only.
    pub fn serial() -> Self {
        Self { threads: Threads::Serial, ..Self::default() }
    }
}
