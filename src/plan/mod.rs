//! From a copy's numbers to an immutable plan of how to carry it out.

mod spec;

pub use spec::CopySpec;

use crate::error::PlanError;

/// How many threads a plan may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// The calling thread only.
    Serial,
    /// As many threads of the current rayon pool as the bytes are worth.
    #[default]
    Auto,
    /// [`Threads::Auto`], but never more than this many.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanOptions {
    /// Threads the plan may use.
    pub threads: Threads,
    /// Cached or streaming stores.
    pub stores: StorePolicy,
    /// Kernel family.
    pub strategy: Strategy,
}

/// How a copy will be carried out. Immutable, `Send + Sync`, reusable for any pointers of the
/// same layout.
#[derive(Clone, Debug)]
pub struct Plan {
    spec: CopySpec,
}

impl Plan {
    /// Plans the copy `spec`.
    ///
    /// # Errors
    /// [`PlanError`] when the numbers contradict each other, overflow, or the destination
    /// overlaps itself.
    pub fn new(spec: &CopySpec, _options: &PlanOptions) -> Result<Self, PlanError> {
        Ok(Self { spec: spec.clone() })
    }

    /// Carries the plan out.
    ///
    /// # Safety
    /// - `src` and `dst` point at element `[0, …, 0]` of either side.
    /// - Every source element is readable, every destination element writable.
    /// - No destination element overlaps a source element.
    pub unsafe fn execute_raw(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: the caller's obligations are the oracle's.
        unsafe { crate::oracle::naive_copy(&self.spec, src, dst) }
    }
}
