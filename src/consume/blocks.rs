//! Two operands brought together block by block.
//!
//! An operand whose elements lie beside each other where the output's do is read where it is, as is
//! one that repeats. Any other (transposed, stepped, reversed) is first copied, a block of a few
//! cache lines by many rows at a time, into a buffer that stays in the cache; the copy kernels read
//! whole lines then, which a loop in the output's order would fetch again for every element.

use smallvec::SmallVec;

use super::element::Element;
use crate::copy::{View, ViewMut, copy_with};
use crate::error::ConsumeError;
use crate::kernels::on_tier::{Loops, on_tier};
use crate::layout::Layout;
use crate::plan::{PlanOptions, StorePolicy};

/// An axis of the output with the steps of both operands, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joint {
    pub len: usize,
    pub steps: [isize; 2],
    /// The output's step.
    pub out: usize,
}

/// Axes, outermost first.
type Joints = SmallVec<[Joint; 6]>;

/// Merges each axis with the next inner one where all three sides advance in lockstep.
pub(super) fn coalesce(axes: &mut Joints) {
    let mut merged = Joints::new();
    for &axis in axes.iter() {
        let extent = |step: isize| step.checked_mul(axis.len as isize);
        match merged.last_mut() {
            Some(outer)
                if outer.out == axis.out * axis.len
                    && axis.steps.map(extent) == outer.steps.map(Some) =>
            {
                *outer = Joint { len: outer.len * axis.len, ..axis };
            }
            _ => merged.push(axis),
        }
    }
    *axes = merged;
}

/// Rows shorter than this are worth gathering into longer ones.
const SHORT: usize = 16;

/// A block's extent along the axis in which the output is dense, and along the one in which a
/// buffered operand is.
const ALONG: usize = 512;
const ACROSS: usize = 128;

/// Elements a block has at most, and at least where there are as many.
const MOST: usize = ALONG * ACROSS;
const LEAST: usize = MOST / 16;

/// Both operands over the axes of the output.
pub(super) struct Blocks<'a, T> {
    pub data: [&'a [T]; 2],
    /// The operands' elements for the output's first.
    pub at: [isize; 2],
    pub axes: &'a [Joint],
}

impl<T: Element> Blocks<'_, T> {
    /// Writes the sum to `out`.
    pub fn add(&self, out: &mut [T]) -> Result<(), ConsumeError> {
        let buffered = self.buffered();
        let Some(lens) = self.block(buffered) else {
            on_tier(AddBlock { sides: self.data, at: self.at, axes: self.axes.into(), out });
            return Ok(());
        };
        let counts: SmallVec<[usize; 6]> =
            self.axes.iter().zip(&lens).map(|(axis, len)| axis.len.div_ceil(*len)).collect();
        let most = lens.iter().product();
        let mut buffers = buffered.map(|is| vec![T::ZERO; if is { most } else { 0 }]);
        let mut index = SmallVec::<[usize; 6]>::from_elem(0, counts.len());
        loop {
            self.add_block(&index, &lens, buffered, &mut buffers, out)?;
            if !advance(&mut index, |axis| counts[axis]) {
                return Ok(());
            }
        }
    }

    /// Which operands go through a buffer.
    fn buffered(&self) -> [bool; 2] {
        let Some((last, outer)) = self.axes.split_last() else { return [false; 2] };
        let short = last.len < SHORT && !outer.is_empty();
        last.steps.map(|step| short || !matches!(step, 0 | 1))
    }

    /// The extents of a block; `None` when nothing goes through a buffer.
    fn block(&self, buffered: [bool; 2]) -> Option<SmallVec<[usize; 6]>> {
        if buffered == [false; 2] {
            return None;
        }
        let axes = self.axes;
        let mut lens = SmallVec::<[usize; 6]>::from_elem(1, axes.len());
        let last = axes.len() - 1;
        lens[last] = ALONG.min(axes[last].len);
        for side in (0..2).filter(|&side| buffered[side]) {
            let step = |axis: &usize| axes[*axis].steps[side].unsigned_abs();
            let dense = (0..axes.len()).filter(|axis| step(axis) > 0).min_by_key(step);
            if let Some(axis) = dense.filter(|&axis| axis != last) {
                lens[axis] = ACROSS.min(axes[axis].len);
            }
        }
        // Two operands that run across each other share the room.
        while lens.iter().product::<usize>() > MOST {
            let longest = lens.iter_mut().max()?;
            *longest = longest.div_ceil(2);
        }
        for axis in (0..axes.len()).rev() {
            let room = LEAST / lens.iter().product::<usize>();
            lens[axis] = axes[axis].len.min(lens[axis] * room.max(1));
        }
        Some(lens)
    }

    /// Adds the block at `index`, counted in blocks of `lens`.
    fn add_block(
        &self,
        index: &[usize],
        lens: &[usize],
        buffered: [bool; 2],
        buffers: &mut [Vec<T>; 2],
        out: &mut [T],
    ) -> Result<(), ConsumeError> {
        let mut axes = Joints::from(self.axes);
        let (mut at, mut out_at) = (self.at, 0);
        for ((axis, &index), &len) in axes.iter_mut().zip(index).zip(lens) {
            let first = index * len;
            axis.len = len.min(axis.len - first);
            out_at += first * axis.out;
            for (at, step) in at.iter_mut().zip(axis.steps) {
                *at += first as isize * step;
            }
        }
        for (side, buffer) in buffers.iter_mut().enumerate().filter(|(side, _)| buffered[*side]) {
            fill(self.data[side], at[side], &mut axes, side, buffer)?;
            at[side] = 0;
        }
        let side = |side: usize| if buffered[side] { &buffers[side][..] } else { self.data[side] };
        let sides = [side(0), side(1)];
        coalesce(&mut axes);
        on_tier(AddBlock { sides, at, axes, out: &mut out[out_at..] });
        Ok(())
    }
}

/// Copies one side's block of `data`, from `at` on, into `buffer`, in the order of the output, and
/// makes the axes' steps those of the buffer.
fn fill<T: Element>(
    data: &[T],
    at: isize,
    axes: &mut [Joint],
    side: usize,
    buffer: &mut [T],
) -> Result<(), ConsumeError> {
    let shape: SmallVec<[usize; 6]> = axes.iter().map(|axis| axis.len).collect();
    let steps: SmallVec<[isize; 6]> = axes.iter().map(|axis| axis.steps[side]).collect();
    // The position is an element's, and so not negative.
    let from = Layout::from_parts(&shape, &steps, at as usize, data.len())?;
    let to = Layout::contiguous(&shape)?;
    for (axis, &step) in axes.iter_mut().zip(to.strides()) {
        axis.steps[side] = step;
    }
    // The buffer is read at once: its stores stay in the cache.
    let options = PlanOptions { stores: StorePolicy::Cached, ..PlanOptions::serial() };
    copy_with(&View::new(from, data)?, ViewMut::new(to, buffer)?, &options)?;
    Ok(())
}

/// Moves `index` to the next position of axes of the lengths `len`, the last axis first; false after
/// the last one.
#[inline(always)]
fn advance(index: &mut [usize], len: impl Fn(usize) -> usize) -> bool {
    for axis in (0..index.len()).rev() {
        index[axis] += 1;
        if index[axis] < len(axis) {
            return true;
        }
        index[axis] = 0;
    }
    false
}

/// Operands whose innermost steps are 0 or 1.
struct AddBlock<'a, T> {
    sides: [&'a [T]; 2],
    at: [isize; 2],
    axes: Joints,
    /// From the block's first element on.
    out: &'a mut [T],
}

impl<T: Element> Loops for AddBlock<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sides, at, axes, out } = self;
        let one = Joint { len: 1, steps: [0; 2], out: 1 };
        let (last, outer) = axes.split_last().unwrap_or((&one, &[]));
        let mut index = SmallVec::<[usize; 6]>::from_elem(0, outer.len());
        loop {
            let (mut at, mut out_at) = (at, 0);
            for (axis, &i) in outer.iter().zip(&index) {
                out_at += i * axis.out;
                at[0] += i as isize * axis.steps[0];
                at[1] += i as isize * axis.steps[1];
            }
            // Positions of elements: never negative.
            let [a, b] = [0, 1].map(|side: usize| &sides[side][at[side] as usize..]);
            add_row(a, b, last.steps, &mut out[out_at..][..last.len]);
            if !advance(&mut index, |axis| outer[axis].len) {
                return;
            }
        }
    }
}

/// Adds one row. A step of 0 repeats the first element.
#[inline(always)]
fn add_row<T: Element>(a: &[T], b: &[T], steps: [isize; 2], out: &mut [T]) {
    match steps {
        [0, 0] => out.fill(a[0].plus(b[0])),
        [0, _] => out.iter_mut().zip(b).for_each(|(out, &b)| *out = a[0].plus(b)),
        [_, 0] => out.iter_mut().zip(a).for_each(|(out, &a)| *out = a.plus(b[0])),
        _ => out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (&a, &b))| *out = a.plus(b)),
    }
}
