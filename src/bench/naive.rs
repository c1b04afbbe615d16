//! The loop people write by hand: nested loops in the order of the output, one typed element at
//! a time.

use crate::layout::MAX_RANK;
use crate::plan::CopySpec;

use super::strategy::Copier;

/// Size, source step and destination step (bytes) of one loop.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: usize,
    src: isize,
    dst: isize,
}

/// Moves the elements of the innermost loop.
type CopyRow = unsafe fn(Axis, usize, *const u8, *mut u8);

/// Nested loops over the axes of a copy, the last one innermost, shared out among threads along
/// the first.
#[derive(Debug)]
pub struct Naive {
    outer: Vec<Axis>,
    row: Axis,
    elem_size: usize,
    copy_row: CopyRow,
    threads: usize,
}

impl Naive {
    /// The loops of `copy`, which has at least one element and which the planner accepts.
    pub fn new(copy: &CopySpec, threads: usize) -> Self {
        let mut outer: Vec<Axis> = (0..copy.shape.len())
            .filter(|&axis| copy.shape[axis] > 1)
            .map(|axis| Axis {
                size: copy.shape[axis],
                src: copy.src_strides[axis],
                dst: copy.dst_strides[axis],
            })
            .collect();
        let row = outer.pop().unwrap_or(Axis { size: 1, src: 0, dst: 0 });
        let copy_row: CopyRow = match copy.elem_size {
            1 => copy_typed::<u8>,
            2 => copy_typed::<u16>,
            4 => copy_typed::<u32>,
            8 => copy_typed::<u64>,
            16 => copy_typed::<u128>,
            _ => copy_opaque,
        };
        Self { outer, row, elem_size: copy.elem_size, copy_row, threads }
    }

    /// Runs the loops with the first one cut to `first`.
    ///
    /// # Safety
    /// Those of [`Copier::run`]; `first` is within the first loop.
    unsafe fn run_part(&self, first: core::ops::Range<usize>, src: *const u8, dst: *mut u8) {
        let skip = first.start as isize;
        let Some(&head) = self.outer.first() else {
            let row = Axis { size: first.len(), ..self.row };
            // SAFETY: element `first.start` of the row exists, and `first.len()` from there.
            unsafe {
                let (src, dst) = (src.offset(skip * row.src), dst.offset(skip * row.dst));
                (self.copy_row)(row, self.elem_size, src, dst);
            }
            return;
        };
        let mut index = [0usize; MAX_RANK];
        index[0] = first.start;
        // Pointers step past the last element before they step back: only wrapping arithmetic
        // may do that.
        let mut src = src.wrapping_offset(skip * head.src);
        let mut dst = dst.wrapping_offset(skip * head.dst);
        loop {
            // SAFETY: the pointers address element `[index…, 0]`, and the row begins there.
            unsafe { (self.copy_row)(self.row, self.elem_size, src, dst) };
            let mut axis = self.outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                let Axis { size, src: src_step, dst: dst_step } = self.outer[axis];
                let (begin, end) = if axis == 0 { (first.start, first.end) } else { (0, size) };
                src = src.wrapping_offset(src_step);
                dst = dst.wrapping_offset(dst_step);
                index[axis] += 1;
                if index[axis] < end {
                    break;
                }
                let back = (end - begin) as isize;
                src = src.wrapping_offset(src_step.wrapping_mul(back).wrapping_neg());
                dst = dst.wrapping_offset(dst_step.wrapping_mul(back).wrapping_neg());
                index[axis] = begin;
            }
        }
    }
}

impl Copier for Naive {
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        let size = self.outer.first().map_or(self.row.size, |axis| axis.size);
        let parts = self.threads.min(size);
        if parts <= 1 {
            // SAFETY: the caller's obligations; the range is the whole first loop.
            return unsafe { self.run_part(0..size, src, dst) };
        }
        let (src, dst) = (src as usize, dst as usize);
        rayon::scope(|scope| {
            for part in 0..parts {
                let range = size * part / parts..size * (part + 1) / parts;
                scope.spawn(move |_| {
                    // SAFETY: the caller's obligations; the parts write different elements.
                    unsafe { self.run_part(range, src as *const u8, dst as *mut u8) };
                });
            }
        });
    }
}

/// A row of elements that have a type of their size.
///
/// # Safety
/// `row.size` elements exist on either side, `row.src` and `row.dst` bytes apart.
unsafe fn copy_typed<T: Copy>(row: Axis, _elem_size: usize, src: *const u8, dst: *mut u8) {
    for i in 0..row.size as isize {
        // SAFETY: element `i` exists on either side; views need not align their elements.
        unsafe {
            let element = src.offset(i * row.src).cast::<T>().read_unaligned();
            dst.offset(i * row.dst).cast::<T>().write_unaligned(element);
        }
    }
}

/// A row of elements of any other size.
///
/// # Safety
/// As for [`copy_typed`].
unsafe fn copy_opaque(row: Axis, elem_size: usize, src: *const u8, dst: *mut u8) {
    for i in 0..row.size as isize {
        // SAFETY: element `i` exists on either side, and the sides do not overlap.
        unsafe {
            let (src, dst) = (src.offset(i * row.src), dst.offset(i * row.dst));
            src.copy_to_nonoverlapping(dst, elem_size);
        }
    }
}
