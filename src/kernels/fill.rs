//! One source unit repeated along a contiguous destination row.
//!
//! Relies on `dp == unit` and `sp == 0`.

use core::mem::MaybeUninit;

use super::{Cell, Geometry, Kernel};

/// The kernel for units of `size` bytes, where there is one; `gather` serves every other.
pub(crate) fn kernel(size: usize) -> Option<Kernel> {
    let kernel = match size {
        1 => Kernel::cached("fill_u8_portable", words::<1>),
        2 => Kernel::cached("fill_u16_portable", words::<2>),
        4 => Kernel::cached("fill_u32_portable", words::<4>),
        8 => Kernel::cached("fill_u64_portable", words::<8>),
        16 => Kernel::cached("fill_u128_portable", words::<16>),
        _ => return None,
    };
    Some(kernel)
}

/// Units that divide sixteen bytes: a vector of copies is stored again and again.
unsafe fn words<const UNIT: usize>(g: &Geometry, cell: Cell) {
    debug_assert!(g.unit == UNIT && g.sp == 0 && g.dp == UNIT as isize);
    let bytes = cell.p * UNIT;
    for j in 0..cell.q as isize {
        // SAFETY: row `j` exists on both sides; its source is one unit, of bytes that, as a value's
        // padding, need not be initialized.
        let (unit, dst) = unsafe {
            let src = cell.src.offset(j * g.sq).cast::<[MaybeUninit<u8>; UNIT]>();
            (src.read(), cell.dst.offset(j * g.dq))
        };
        let mut copies = [MaybeUninit::<u8>::uninit(); 16];
        for lane in copies.chunks_exact_mut(UNIT) {
            lane.copy_from_slice(&unit);
        }
        let whole = bytes / 16 * 16;
        for at in (0..whole).step_by(16) {
            // SAFETY: bytes at..at+16 lie in the row, and the vector needs no alignment.
            unsafe { dst.add(at).cast::<[MaybeUninit<u8>; 16]>().write(copies) };
        }
        // SAFETY: the rest of the row, fewer than 16 bytes and whole units.
        unsafe { copies.as_ptr().copy_to_nonoverlapping(dst.add(whole).cast(), bytes - whole) };
    }
}
