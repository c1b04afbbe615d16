//! Vectors of the instruction-set tiers, behind one trait: algorithms are written once, and a
//! kernel is one of them compiled for one tier.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{Alternating, Neon};
pub(crate) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

use super::LINE;

/// Vectors of one instruction-set tier.
///
/// Methods are always inlined into a kernel's entry point, which carries the tier's target
/// features; they have none themselves.
pub(crate) trait Tier {
    /// One vector.
    type Vector: Copy;
    /// Its 16-byte lanes.
    const LANES: usize;

    /// Reads 16 bytes into each lane, lane `l` from row `first + l * step`.
    ///
    /// # Safety
    /// The tier's features are there; the 16 bytes at each of the rows are readable.
    unsafe fn load(at: *const u8, rows: impl Rows, first: usize, step: usize) -> Self::Vector;

    /// Reads `16 * LANES` contiguous bytes.
    ///
    /// # Safety
    /// The tier's features are there, the bytes are readable.
    unsafe fn load_row(at: *const u8) -> Self::Vector;

    /// Asks for the line at `at` to be brought into the caches, where the tier can. Any
    /// address will do.
    #[inline(always)]
    fn prefetch(_at: *const u8) {}

    /// Writes the vector to `at`, which may have any alignment.
    ///
    /// # Safety
    /// The tier's features are there; `16 * LANES` bytes at `at` are writable.
    unsafe fn store(at: *mut u8, vector: Self::Vector);

    /// Writes the vector to `at` past the caches.
    ///
    /// # Safety
    /// As for [`Tier::store`], and `at` is aligned to the vector's size.
    unsafe fn stream(at: *mut u8, vector: Self::Vector);

    /// [`Tier::stream`] or [`Tier::store`].
    ///
    /// # Safety
    /// As for the one.
    #[inline(always)]
    unsafe fn write<const STREAM: bool>(at: *mut u8, vector: Self::Vector) {
        // SAFETY: passed on.
        unsafe {
            match STREAM {
                true => Self::stream(at, vector),
                false => Self::store(at, vector),
            }
        }
    }
}

/// Copies one line to `to`, past the caches.
///
/// # Safety
/// As for [`copy_line`]; `to` is aligned.
#[inline(always)]
pub(crate) unsafe fn stream_line<T: Tier>(from: *const u8, to: *mut u8) {
    // SAFETY: passed on.
    unsafe { copy_line::<T, true>(from, to) }
}

/// Copies one line to `to`, past the caches with `STREAM`.
///
/// # Safety
/// The tier's features are there; a line is readable at `from`, writable at `to`, which with `STREAM` is
/// aligned to it.
#[inline(always)]
pub(crate) unsafe fn copy_line<T: Tier, const STREAM: bool>(from: *const u8, to: *mut u8) {
    for part in (0..LINE).step_by(16 * T::LANES) {
        // SAFETY: passed on.
        unsafe { T::write::<STREAM>(to.add(part), T::load_row(from.add(part))) };
    }
}

/// Byte offsets of a cell's rows on one side.
pub(crate) trait Rows: Copy {
    fn offset(self, row: usize) -> isize;

    /// Where row `row` may be found, which may lie behind the last one: good for a prefetch only.
    fn guess(self, row: usize) -> isize;
}

/// Rows a fixed number of bytes apart.
#[derive(Clone, Copy)]
pub(crate) struct Step(pub isize);

impl Rows for Step {
    #[inline(always)]
    fn offset(self, row: usize) -> isize {
        row as isize * self.0
    }

    #[inline(always)]
    fn guess(self, row: usize) -> isize {
        (row as isize).wrapping_mul(self.0)
    }
}

/// Rows anywhere.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a>(pub &'a [isize]);

impl Rows for Table<'_> {
    #[inline(always)]
    fn offset(self, row: usize) -> isize {
        self.0[row]
    }

    #[inline(always)]
    fn guess(self, row: usize) -> isize {
        self.0[row.min(self.0.len() - 1)]
    }
}
