//! What runs on one cell of a copy.
//!
//! A *cell* is a block of `p × q` units: `p` along the axis in which the destination is
//! contiguous, `q` along one other axis. A *unit* is what moves as one: an element, or a run of
//! them that is contiguous on both sides. Every kernel of every family and tier has the same
//! signature, [`CellFn`], so that a plan holds one function pointer and the executor one loop.
//!
//! | file          | source along `p`            | source along `q`     |
//! |---------------|-----------------------------|----------------------|
//! | `rows`        | contiguous bytes            | any step             |
//! | `fill`        | one unit, repeated          | any step             |
//! | `reverse`     | contiguous, backwards       | any step             |
//! | `gather`      | any step                    | any step             |
//! | `strided`     | any step, strided destination too | any step       |
//! | `collect`     | any step, by way of slots   | any step             |
//! | `interleave`  | any step (a few units)      | contiguous           |
//! | `transpose`   | any table of rows           | contiguous           |
//!
//! Two stand apart: `few` runs the loops of a copy of few units without cells, and the rows of
//! `accumulate` are added, so that it knows the elements' type and works on slices.
//!
//! Elements may have padding, whose bytes need not be initialized. Kernels therefore look at no byte:
//! units travel as `MaybeUninit`, or whole in vector registers, by loads, permutations and stores that
//! keep every byte. The language has no rule yet that allows an uninitialized byte in a vector; what
//! a kernel relies on is that the compiler cannot know of one, since kernels are called through
//! pointers on memory that it did not see being made, and that instructions move any bits. So a kernel
//! must not be inlined into its caller, nor read a unit as an integer.
//!
//! To add a kernel: write it against [`Geometry`] and [`Cell`], name what it relies on at its head,
//! give it a [`Kernel`] in its family's lookup function, and let `plan::choose` ask for it. The
//! random-layout tests reach it through `RESTRIDE_ISA`.

#[cfg(feature = "std")]
pub(crate) mod accumulate;
pub(crate) mod blend;
// Only x86-64 has kernels that stream, here and in `rows`.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused))]
pub(crate) mod collect;
pub(crate) mod few;
pub(crate) mod fill;
pub(crate) mod gather;
#[cfg(feature = "consume")]
pub(crate) mod gemm;
pub(crate) mod interleave;
#[cfg(feature = "std")]
pub(crate) mod on_tier;
pub(crate) mod reverse;
#[cfg_attr(not(target_arch = "x86_64"), allow(unused))]
pub(crate) mod rows;
pub(crate) mod stream;
pub(crate) mod strided;
mod tier;
pub(crate) mod transpose;
pub(crate) mod unit;

use alloc::boxed::Box;

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// The parts of a cell's addresses that are the same for every cell of a plan. Steps and table
/// entries are in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Geometry {
    /// Bytes of one unit.
    pub unit: usize,
    /// Source and destination step along `p`.
    pub sp: isize,
    pub dp: isize,
    /// Source and destination step along `q`.
    pub sq: isize,
    pub dq: isize,
    /// Bytes from a source row to the one that will be asked for while it is copied, which may lie
    /// anywhere.
    pub ahead: isize,
    /// Tile kernels only: which destination rows follow one another without a gap.
    pub seams: Option<Seams>,
    /// Tile kernels only: source offset of each index of `p`, destination offset of each of `q`.
    pub src_rows: Box<[isize]>,
    pub dst_rows: Box<[isize]>,
}

/// Destination rows that follow one another without a gap: behind row `j` begins row `j + step`, for all
/// but the last `step` of every `period` rows, in every cell. Without a period that holds for all rows of
/// `q`, from one cell to the next as well. `p` is never cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seams {
    pub step: usize,
    pub period: Option<usize>,
}

/// One block of a copy: the addresses of its first unit on either side, and its extents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub src: *const u8,
    pub dst: *mut u8,
    pub p: usize,
    pub q: usize,
    /// The first unit of the cell that comes next, of this one if it is the last: for a prefetch.
    pub next: *const u8,
    /// Whether `q` goes on before and after the cell: those rows are the copy's, and other cells'.
    pub more: (bool, bool),
}

/// A kernel's entry point.
///
/// # Safety
/// - The CPU has every feature of the kernel's tier.
/// - For all `i < cell.p`, `j < cell.q`, the `geometry.unit` bytes at the unit's source address
///   are readable, those at its destination address writable, and no destination byte is a source
///   byte or is another unit's destination byte. Addresses follow from the steps, or for tile
///   kernels from the tables, which have at least `p` and `q` entries.
/// - What else the family relies on (for example `dp == unit`), as said at its head.
pub(crate) type CellFn = unsafe fn(geometry: &Geometry, cell: Cell);

/// A kernel as plans hold and print it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    /// Operation, unit, tile, and tier, for example `transpose_u32_16x4_avx512`.
    pub name: &'static str,
    pub run: CellFn,
    pub stores: Stores,
}

/// How a kernel stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stores {
    /// Through the caches.
    Cached,
    /// Whole lines past the caches; the ends of rows that fill a line only in part go through them.
    Lines,
    /// Whole lines past the caches, put together in a buffer from parts that are none.
    Joined,
}

impl Stores {
    /// [`Stores::Lines`] for a kernel that streams.
    pub(crate) const fn lines(stream: bool) -> Self {
        if stream { Self::Lines } else { Self::Cached }
    }
}

impl Kernel {
    /// A kernel of ordinary stores.
    pub(crate) const fn cached(name: &'static str, run: CellFn) -> Self {
        Self { name, run, stores: Stores::Cached }
    }

    /// Whether stores pass the caches by, and need a fence before another thread may read them.
    pub(crate) fn streams(&self) -> bool {
        self.stores != Stores::Cached
    }
}
