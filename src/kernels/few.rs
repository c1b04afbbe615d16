//! Copies of a few units: the copy's own loops, unit by unit, without tiles or cells.
//!
//! A plan for them is nothing but the normalized loops, so that making it costs little. The units may
//! have any size, the axes any steps.

use super::unit::{Bytes, Fixed, Unit};
use crate::analysis::Axis;

/// Units that this is for: with more of them the other kernels win back what their plan costs.
pub(crate) const MOST_UNITS: usize = 32;
/// Bytes of a unit that this is for.
pub(crate) const MOST_BYTES: usize = 512;

/// The kernel as plans hold and print it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Few {
    /// Operation and unit, for example `few_4B`.
    pub name: &'static str,
    run: Loops,
}

/// An entry point: bytes of a unit, axes from the outermost to the innermost, addresses of the first
/// unit.
type Loops = unsafe fn(usize, &[Axis], *const u8, *mut u8);

impl Few {
    /// Copies every unit of `axes`.
    ///
    /// # Safety
    /// - `unit` is the size that the kernel was asked for.
    /// - `src` and `dst` are the addresses of the first unit. Every unit is readable at its source
    ///   address, writable at its destination address, and no destination byte is a source byte or
    ///   another unit's.
    #[inline(always)]
    pub unsafe fn run(&self, unit: usize, axes: &[Axis], src: *const u8, dst: *mut u8) {
        // SAFETY: passed on.
        unsafe { (self.run)(unit, axes, src, dst) }
    }
}

/// The kernel for units of `size` bytes.
pub(crate) fn kernel(size: usize) -> Few {
    macro_rules! fixed {
        ($($n:literal)*) => {
            match size {
                $($n => Few {
                    name: concat!("few_", stringify!($n), "B"),
                    // SAFETY: the obligations of `Few::run`, passed on.
                    run: |_, axes, src, dst| unsafe { loops(Fixed::<$n>, axes, src, dst) },
                },)*
                _ => Few {
                    name: "few_any",
                    // SAFETY: as above.
                    run: |unit, axes, src, dst| unsafe { loops(Bytes(unit), axes, src, dst) },
                },
            }
        };
    }
    fixed!(1 2 3 4 6 8 12 16 24 32)
}

/// # Safety
/// The obligations of [`Few::run`].
#[inline(always)]
unsafe fn loops<U: Unit>(unit: U, axes: &[Axis], src: *const u8, dst: *mut u8) {
    match *axes {
        // SAFETY: the only unit.
        [] => unsafe { unit.copy(src, dst) },
        // SAFETY: passed on.
        [p] => unsafe { row(unit, p, src, dst) },
        [q, p] => {
            for j in 0..q.len as isize {
                // SAFETY: row `j` of the copy exists on both sides.
                unsafe { row(unit, p, src.offset(j * q.src), dst.offset(j * q.dst)) };
            }
        }
        // SAFETY: passed on.
        [..] => unsafe { nested(unit, axes, src, dst) },
    }
}

/// Three axes or more, one call for each index of all but the last two.
///
/// # Safety
/// The obligations of [`Few::run`].
unsafe fn nested<U: Unit>(unit: U, axes: &[Axis], src: *const u8, dst: *mut u8) {
    match *axes {
        [q, ref inner @ ..] if inner.len() > 1 => {
            for j in 0..q.len as isize {
                // SAFETY: index `j` of the outermost axis has a first unit on both sides.
                unsafe { nested(unit, inner, src.offset(j * q.src), dst.offset(j * q.dst)) };
            }
        }
        // SAFETY: passed on.
        _ => unsafe { loops(unit, axes, src, dst) },
    }
}

/// # Safety
/// The obligations of [`Few::run`] for one axis.
#[inline(always)]
unsafe fn row<U: Unit>(unit: U, p: Axis, src: *const u8, dst: *mut u8) {
    for i in 0..p.len as isize {
        // SAFETY: unit `i` of the row exists on both sides.
        unsafe { unit.copy(src.offset(i * p.src), dst.offset(i * p.dst)) };
    }
}
