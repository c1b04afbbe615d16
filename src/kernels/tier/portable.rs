//! The tier every target has: vectors of one 16-byte lane.

use super::{Rows, Tier};

/// See the module.
pub(crate) struct Portable;

/// Sixteen bytes without a type, as they travel between the typed vectors.
pub(crate) type Bytes16 = [u8; 16];

impl Tier for Portable {
    type Vector = Bytes16;
    const LANES: usize = 1;

    #[inline(always)]
    unsafe fn load(at: *const u8, rows: impl Rows, first: usize, _step: usize) -> Bytes16 {
        // SAFETY: the caller vouches for 16 bytes at the one row; `[u8; 16]` needs no alignment.
        unsafe { at.offset(rows.offset(first)).cast::<Bytes16>().read() }
    }

    #[inline(always)]
    unsafe fn load_row(at: *const u8) -> Bytes16 {
        // SAFETY: the caller vouches for 16 readable bytes.
        unsafe { at.cast::<Bytes16>().read() }
    }

    #[inline(always)]
    unsafe fn store(at: *mut u8, vector: Bytes16) {
        // SAFETY: the caller vouches for 16 writable bytes.
        unsafe { at.cast::<Bytes16>().write(vector) }
    }

    /// There is no portable streaming store.
    #[inline(always)]
    unsafe fn stream(at: *mut u8, vector: Bytes16) {
        // SAFETY: passed on.
        unsafe { Self::store(at, vector) }
    }
}
