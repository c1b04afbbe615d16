//! Shares a grid of cells out among the threads of the caller's rayon pool.

use core::ops::Range;

use crate::plan::Nest;

/// Runs every cell of `nest`, in as many equal ranges as there are threads to use.
///
/// # Safety
/// As for [`super::run`].
pub(super) unsafe fn run(nest: &Nest, threads: usize, src: *const u8, dst: *mut u8) {
    let sides = Sides { src, dst };
    // SAFETY: passed on.
    unsafe { split(nest, 0..nest.cells(), threads, sides) }
}

/// Halves `cells` until each part is one thread's. Joining needs no allocation.
///
/// # Safety
/// As for [`super::run`], for the cells of the range.
unsafe fn split(nest: &Nest, cells: Range<usize>, threads: usize, sides: Sides) {
    if threads <= 1 || cells.len() <= 1 {
        // SAFETY: passed on.
        return unsafe { nest.run(cells, sides.src, sides.dst) };
    }
    let left_threads = threads / 2;
    let middle = cells.start + split_point(cells.len(), left_threads, threads);
    let (left, right) = (cells.start..middle, middle..cells.end);
    rayon::join(
        // SAFETY: passed on; cells write disjoint units, so the halves do not interfere.
        || unsafe { split(nest, left, left_threads, sides) },
        // SAFETY: as above.
        || unsafe { split(nest, right, threads - left_threads, sides) },
    );
}

/// `cells * part / whole` without overflow.
fn split_point(cells: usize, part: usize, whole: usize) -> usize {
    cells / whole * part + cells % whole * part / whole
}

/// Both sides' pointers, which the threads of one copy share.
#[derive(Clone, Copy)]
struct Sides {
    src: *const u8,
    dst: *mut u8,
}

// SAFETY: the source is only read, and no two cells of a nest write the same byte; `super::run`'s
// caller vouches for access from any thread.
unsafe impl Send for Sides {}
// SAFETY: as above.
unsafe impl Sync for Sides {}
