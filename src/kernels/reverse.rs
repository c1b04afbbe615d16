//! Contiguous source units, written in the opposite order.
//!
//! Relies on `dp == unit` and `sp == -unit`. The x86 tiers and NEON treat it as a gather of step -1;
//! here is the portable kernel, which reverses one vector of sixteen bytes at a time and moves what
//! is left of a row unit by unit.

use wide::{u8x16, u16x8, u32x4, u64x2};

use super::unit::{Fixed, Unit};
use super::{Cell, Geometry, Kernel, gather};
use crate::machine::Isa;

/// The kernel of tier `isa` for units of `size` bytes, where there is one; `gather` serves every
/// other.
pub(crate) fn kernel(isa: Isa, size: usize, stream: bool) -> Option<Kernel> {
    let backwards = -isize::try_from(size).ok()?;
    if let Some(kernel) = gather::steps(isa, size, backwards, stream) {
        return Some(kernel);
    }
    let kernel = match size {
        1 => Kernel::cached("reverse_u8_portable", vectors::<u8x16, 1>),
        2 => Kernel::cached("reverse_u16_portable", vectors::<u16x8, 2>),
        4 => Kernel::cached("reverse_u32_portable", vectors::<u32x4, 4>),
        8 => Kernel::cached("reverse_u64_portable", vectors::<u64x2, 8>),
        _ => return None,
    };
    Some(kernel)
}

/// Sixteen bytes whose units can change places.
trait Reverse: Copy {
    fn reverse(self) -> Self;
}

macro_rules! reverse_by_shuffle {
    ($($vector:ty: [$($lane:literal)*];)*) => {
        $(impl Reverse for $vector {
            #[inline(always)]
            fn reverse(self) -> Self {
                self.shuffle_wrapping(<$vector>::new([$($lane),*]))
            }
        })*
    };
}

reverse_by_shuffle! {
    u8x16: [15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0];
    u16x8: [7 6 5 4 3 2 1 0];
    u32x4: [3 2 1 0];
    u64x2: [1 0];
}

unsafe fn vectors<V: Reverse, const UNIT: usize>(g: &Geometry, cell: Cell) {
    debug_assert!(size_of::<V>() == 16 && g.unit == UNIT && g.sp == -g.dp && g.dp == UNIT as isize);
    let whole = cell.p * UNIT / 16 * 16;
    for j in 0..cell.q as isize {
        // SAFETY: row `j` exists on both sides.
        let (src, dst) = unsafe { (cell.src.offset(j * g.sq), cell.dst.offset(j * g.dq)) };
        for at in (0..whole).step_by(16) {
            // SAFETY: destination bytes at..at+16 are units at/UNIT and up of this row; their
            // sources are the 16 bytes that end with unit at/UNIT's, since units run backwards.
            unsafe {
                let from = src.offset(UNIT as isize - 16 - at as isize).cast::<V>();
                dst.add(at).cast::<V>().write_unaligned(from.read_unaligned().reverse());
            }
        }
        for i in whole / UNIT..cell.p {
            // SAFETY: unit (i, j) is one of the cell's.
            unsafe {
                let from = src.offset(-((i * UNIT) as isize));
                Fixed::<UNIT>.copy(from, dst.add(i * UNIT));
            }
        }
    }
}
