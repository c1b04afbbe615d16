//! Who takes part: the ways to carry out one copy, and the dense copies beside them.

use crate::exec::HugePages;
use crate::plan::{Plan, PlanOptions, Strategy as Family, Threads};

use super::BenchError;
use super::buffers::Buffer;
use super::case::Case;
use super::ceiling::{Dense, memcpy};
use super::naive::Naive;
use super::record::Destination;
use super::stream;

/// A prepared copy that can be run again and again.
pub trait Copier: Send + Sync {
    /// Copies once.
    ///
    /// # Safety
    /// The pointers are those that the copier was prepared for: `src` at its first element (or
    /// byte), `dst` at the first element of a destination of the case's size; everything the
    /// case reads is readable, everything it writes writable and written by nobody else, and
    /// the two do not overlap.
    unsafe fn run(&self, src: *const u8, dst: *mut u8);
}

/// A prepared copy that allocates its output in every call.
pub trait Maker: Send + Sync {
    /// Copies once into new memory, shows the output's bytes to `see`, and frees it.
    ///
    /// # Safety
    /// As for [`Copier::run`] of `src`.
    unsafe fn run(&self, src: *const u8, see: &mut dyn FnMut(&[u8]));
}

/// Where a contender's output goes.
pub enum Way {
    /// Into memory that it is given.
    Into(Box<dyn Copier>),
    /// Into memory that it allocates: it takes no part where the destination is reused.
    New(Box<dyn Maker>),
}

impl Copier for Plan {
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: the same obligations.
        unsafe { self.execute_raw(src, dst) }
    }
}

/// What a contender's output must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The case's copy: it reads from the view's first element.
    Copy,
    /// A dense copy of as many bytes from the beginning of the source.
    Dense,
}

/// One participant of a run: a strategy, or a peer that a harness of its own adds.
pub struct Contender {
    /// Its name in tables and files.
    pub name: String,
    /// What it copies.
    pub role: Role,
    /// Whether a fresh destination asks for huge pages, as [`crate::contiguous`] does for its
    /// output.
    pub pages: HugePages,
    /// How it copies.
    pub way: Way,
    /// Whether it is somebody else's code. A fault of such a contender is recorded and leaves it
    /// out of the run; a fault of our own ends the benchmark.
    pub peer: bool,
}

/// One run to prepare for.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// What to copy.
    pub case: &'a Case,
    /// What the copies will read.
    pub source: &'a Buffer,
    /// Threads allowed, all in the pool that the run takes place in.
    pub threads: usize,
    /// Memory that will be written.
    pub destination: Destination,
}

/// Prepares everybody who takes part in a run.
pub type Field = dyn Fn(&Setup<'_>) -> Result<Vec<Contender>, BenchError> + Sync;

/// The field of `restride bench`: every [`Strategy`].
///
/// # Errors
/// [`BenchError::Plan`] when the planner refuses the case's copy.
pub fn strategies(setup: &Setup<'_>) -> Result<Vec<Contender>, BenchError> {
    let prepare = |strategy: Strategy| strategy.prepare(setup.case, setup.threads);
    Strategy::all().into_iter().map(prepare).collect()
}

/// The strategies that `restride bench` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The loop people write by hand.
    Naive,
    /// Row copies (or element loops) in the order of the output.
    Rows,
    /// Cache-blocked tiles of scalar moves.
    ScalarTiles,
    /// Cache-blocked tiles of vector transposes.
    SimdTiles,
    /// What restride's planner chooses.
    Restride,
    /// A dense copy with streaming stores.
    StreamingCopy,
    /// libc's dense copy.
    Memcpy,
}

impl Strategy {
    /// Every strategy this machine has, in the order of tables.
    pub fn all() -> Vec<Self> {
        use Strategy::*;
        [Naive, Rows, ScalarTiles, SimdTiles, Restride, StreamingCopy, Memcpy]
            .into_iter()
            .filter(|strategy| *strategy != StreamingCopy || stream::is_available())
            .collect()
    }

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Rows => "rows",
            Self::ScalarTiles => "scalar tiles",
            Self::SimdTiles => "SIMD tiles",
            Self::Restride => "restride",
            Self::StreamingCopy => "streaming copy",
            Self::Memcpy => "memcpy",
        }
    }

    /// Prepares the strategy for `case` on up to `threads` threads of the pool it will run in.
    ///
    /// # Errors
    /// [`BenchError::Plan`] when the planner refuses the copy.
    pub fn prepare(self, case: &Case, threads: usize) -> Result<Contender, BenchError> {
        let (role, copier) = self.copier(case, threads)?;
        let pages = match self {
            Self::Restride => HugePages::Auto,
            _ => HugePages::Never,
        };
        let (name, way) = (self.name().into(), Way::Into(copier));
        Ok(Contender { name, role, pages, way, peer: false })
    }

    /// The strategy's copy of `case`, and what it copies.
    ///
    /// # Errors
    /// [`BenchError::Plan`] when the planner refuses the copy.
    pub fn copier(
        self,
        case: &Case,
        threads: usize,
    ) -> Result<(Role, Box<dyn Copier>), BenchError> {
        let bytes = case.output_bytes;
        let plan = |family| self.plan(case, threads, family);
        let copy: (_, Box<dyn Copier>) = match self {
            Self::Naive => (Role::Copy, Box::new(Naive::new(&case.copy, threads))),
            Self::Rows => (Role::Copy, plan(Family::Rows)?),
            Self::ScalarTiles => (Role::Copy, plan(Family::ScalarTiles)?),
            Self::SimdTiles => (Role::Copy, plan(Family::SimdTiles)?),
            Self::Restride => (Role::Copy, plan(Family::Auto)?),
            Self::StreamingCopy => {
                (Role::Dense, Box::new(Dense::new(stream::copy, bytes, threads)))
            }
            Self::Memcpy => (Role::Dense, Box::new(Dense::new(memcpy, bytes, threads))),
        };
        Ok(copy)
    }

    fn plan(
        self,
        case: &Case,
        threads: usize,
        strategy: Family,
    ) -> Result<Box<dyn Copier>, BenchError> {
        let threads = if threads == 1 { Threads::Serial } else { Threads::AtMost(threads) };
        let options = PlanOptions { threads, strategy, ..PlanOptions::default() };
        Ok(Box::new(case.plan(&options)?))
    }
}
