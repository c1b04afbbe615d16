//! Sums of everything and along one axis, in the order of memory.

use core::cmp::Reverse;

use rayon::prelude::*;

use super::accumulate::{Partial, SIDE_BY_SIDE, accumulate};
use super::element::Element;
use super::shape::{place, without_axis};
use super::walk::{self, Axes, Axis, coalesce, forwards, positions};
use super::{check_output, workers, zeroed};
use crate::copy::{View, ViewMut, copy_with};
use crate::error::ConsumeError;
use crate::kernels::on_tier::{Loops, on_tier};
use crate::layout::{Layout, Strides};
use crate::plan::{PlanOptions, Threads};
use crate::tensor::Additive;

/// The sum of all elements of `view`; 0 without any. Integers wrap around; floating-point elements
/// are added in the order of memory, short stretches in their type and those in `f64`.
///
/// ```
/// use restride::{Layout, Threads, View, consume};
/// let data: Vec<f32> = (0..12u8).map(f32::from).collect();
/// let columns = View::new(Layout::contiguous(&[3, 4])?.slice(1, Some(1), None, 2)?, &data)?;
/// assert_eq!(consume::sum(&columns, Threads::Auto), 1.0 + 3.0 + 5.0 + 7.0 + 9.0 + 11.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sum<T: Element>(view: &View<'_, T>, threads: Threads) -> T {
    let (data, layout) = (view.data(), view.layout());
    if layout.is_empty() {
        return T::ZERO;
    }
    let mut axes: Axes = (0..layout.rank()).map(|axis| forwards(layout, axis)).collect();
    let times = axes.iter().filter(|axis| axis.step == 0).map(|axis| axis.len).product();
    axes.retain(|axis| axis.step != 0);
    axes.sort_by_key(|axis| Reverse(axis.step));
    coalesce(&mut axes);

    let start = walk::start(layout);
    let elements: usize = axes.iter().map(|axis| axis.len).product();
    let parts = workers(threads, elements * size_of::<T>());
    // The outermost axis that gives every worker something, or else the longest.
    let cut = (0..axes.len())
        .find(|&axis| axes[axis].len >= parts)
        .or_else(|| (0..axes.len()).max_by_key(|&axis| axes[axis].len));
    let total = match cut {
        Some(cut) if parts > 1 => {
            let whole = axes[cut];
            let part = |i: usize| {
                let (first, end) = (whole.len * i / parts, whole.len * (i + 1) / parts);
                let mut axes = axes.clone();
                axes[cut].len = end - first;
                (axes, start + first * whole.step)
            };
            (0..parts)
                .into_par_iter()
                .map(part)
                .filter(|(axes, _)| axes[cut].len > 0)
                .map(|(axes, start)| on_tier(SumAll { data, start, axes: &axes }))
                .reduce(|| <T::Wide>::ZERO, Additive::plus)
        }
        _ => on_tier(SumAll { data, start, axes: &axes }),
    };
    T::narrow(T::repeated(total, times))
}

/// The sum over all positions of some axes.
struct SumAll<'a, T> {
    data: &'a [T],
    start: usize,
    axes: &'a [Axis],
}

impl<T: Element> Loops for SumAll<'_, T> {
    type Output = T::Wide;

    #[inline(always)]
    fn run(self) -> T::Wide {
        let (outer, kept, summed) = match self.axes {
            [outer @ .., kept, summed] => (outer, *kept, *summed),
            [summed] => (&[][..], Axis::POINT, *summed),
            [] => (&[][..], Axis::POINT, Axis::POINT),
        };
        let mut sums = Sums::new();
        let mut total = <T::Wide>::ZERO;
        positions(outer, self.start, |at| {
            sums.each(self.data, at, kept, summed, |sums| {
                total = sums.iter().fold(total, |total, &sum| total.plus(sum));
            });
        });
        total
    }
}

/// The sums of `view` along `axis` (which counts from the end when negative), as a dense row-major
/// vector of the remaining shape. Sums of an axis of size 0 are 0.
///
/// # Errors
/// [`ConsumeError::Layout`] when there is no such axis; [`ConsumeError::Allocation`].
pub fn sum_axis<T: Element>(
    view: &View<'_, T>,
    axis: isize,
    threads: Threads,
) -> Result<Vec<T>, ConsumeError> {
    let shape = without_axis(view.layout().shape(), axis)?;
    let mut out = zeroed(Layout::contiguous(&shape)?.numel())?;
    sum_axis_into(view, axis, threads, &mut out)?;
    Ok(out)
}

/// [`sum_axis`] into memory that exists.
///
/// # Errors
/// [`ConsumeError::OutputLength`] when `out` has not as many elements as the remaining shape, and
/// those of [`sum_axis`]: results that would come out in another order than row-major go through
/// memory of their own.
pub fn sum_axis_into<T: Element>(
    view: &View<'_, T>,
    axis: isize,
    threads: Threads,
    out: &mut [T],
) -> Result<(), ConsumeError> {
    let (data, layout) = (view.data(), view.layout());
    let axis = place(axis, layout.rank())?;
    let kept: Vec<usize> = (0..layout.rank()).filter(|&a| Some(a) != axis).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| layout.shape()[axis]).collect();
    check_output(out.len(), &shape)?;
    if out.is_empty() || layout.is_empty() {
        out.fill(T::ZERO);
        return Ok(());
    }
    let order = Order::of(layout, &kept, &shape)?;
    let summed = axis.map_or(Axis::POINT, |axis| forwards(layout, axis));
    let (summed, times) = match summed.step {
        0 => (Axis::POINT, summed.len),
        _ => (summed, 1),
    };
    let sums = SumAxis { data, start: walk::start(layout), summed, times, axes: order.axes };
    if order.sums.is_contiguous() && order.len == out.len() {
        sums.on(threads, out);
        return Ok(());
    }
    let mut unordered = zeroed(order.len)?;
    sums.on(threads, &mut unordered);
    let to = ViewMut::new(Layout::contiguous(&shape)?, out)?;
    let options = PlanOptions { threads, ..PlanOptions::default() };
    Ok(copy_with(&View::new(order.sums, &unordered)?, to, &options)?)
}

/// The order in which sums along one axis come out: that of the kept axes in memory.
struct Order {
    /// The kept axes, merged where they can be.
    axes: Axes,
    /// How many sums there are.
    len: usize,
    /// Where the sums of the logical positions are among them.
    sums: Layout,
}

impl Order {
    /// The order for the axes `kept` of `layout`, which have the sizes `shape`.
    fn of(layout: &Layout, kept: &[usize], shape: &[usize]) -> Result<Self, ConsumeError> {
        let stepped = |&place: &usize| forwards(layout, kept[place]).step > 0;
        let mut order: Vec<usize> = (0..kept.len()).filter(stepped).collect();
        order.sort_by_key(|&place| Reverse(forwards(layout, kept[place]).step));

        let mut strides = Strides::from_elem(0, kept.len());
        let (mut len, mut first) = (1, 0);
        for &place in order.iter().rev() {
            strides[place] = len as isize;
            if layout.strides()[kept[place]] < 0 {
                // Walked forwards in memory, so backwards here.
                strides[place] = -strides[place];
                first += len * (shape[place] - 1);
            }
            len *= shape[place];
        }
        let mut axes = order.iter().map(|&place| forwards(layout, kept[place])).collect();
        coalesce(&mut axes);
        Ok(Self { axes, len, sums: Layout::from_parts(shape, &strides, first, len)? })
    }
}

/// Sums along one axis, in the order of the others in memory.
#[derive(Clone)]
struct SumAxis<'a, T> {
    data: &'a [T],
    start: usize,
    summed: Axis,
    /// How often each element counts.
    times: usize,
    /// The kept axes.
    axes: Axes,
}

impl<T: Element> SumAxis<'_, T> {
    /// Writes all sums to `out`.
    fn on(self, threads: Threads, out: &mut [T]) {
        let parts = workers(threads, out.len() * self.summed.len * size_of::<T>());
        if parts == 1 {
            return on_tier(SumRows { sums: &self, out });
        }
        if self.axes.len() < 2 && out.len() < (64 * parts).min(SIDE_BY_SIDE) {
            return self.of_parts(parts, out);
        }
        let outer = self.axes[0];
        let rows = outer.len.div_ceil(parts);
        let inner = out.len() / outer.len;
        out.par_chunks_mut(rows * inner).enumerate().for_each(|(i, out)| {
            let mut part = self.clone();
            part.axes[0].len = out.len() / inner;
            part.start += i * rows * outer.step;
            on_tier(SumRows { sums: &part, out });
        });
    }

    /// Cuts the summed axis: a few long sums.
    fn of_parts(self, parts: usize, out: &mut [T]) {
        let whole = self.summed;
        let sums = (0..parts).into_par_iter().map(|i| {
            let (first, end) = (whole.len * i / parts, whole.len * (i + 1) / parts);
            let start = self.start + first * whole.step;
            let summed = Axis { len: end - first, ..whole };
            on_tier(FewSums { sums: &Self { start, summed, ..self.clone() } })
        });
        let sums = sums.reduce_with(|mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).plus(b));
            a
        });
        for (out, sum) in out.iter_mut().zip(sums.unwrap_or_default()) {
            *out = T::narrow(T::repeated(sum, self.times));
        }
    }
}

/// Sums written as values.
struct SumRows<'a, T> {
    sums: &'a SumAxis<'a, T>,
    out: &'a mut [T],
}

impl<T: Element> Loops for SumRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sums, mut out } = self;
        let (&kept, outer) = sums.axes.split_last().unwrap_or((&Axis::POINT, &[]));
        let mut block = Sums::new();
        positions(outer, sums.start, |at| {
            block.each(sums.data, at, kept, sums.summed, |done| {
                let (head, rest) = core::mem::take(&mut out).split_at_mut(done.len());
                for (out, &sum) in head.iter_mut().zip(done) {
                    *out = T::narrow(T::repeated(sum, sums.times));
                }
                out = rest;
            });
        });
    }
}

/// A few sums, left wide.
struct FewSums<'a, T> {
    sums: &'a SumAxis<'a, T>,
}

impl<T: Element> Loops for FewSums<'_, T> {
    type Output = Vec<T::Wide>;

    #[inline(always)]
    fn run(self) -> Vec<T::Wide> {
        let SumAxis { data, start, summed, ref axes, .. } = *self.sums;
        let mut sums = Vec::new();
        let kept = axes.first().copied().unwrap_or(Axis::POINT);
        Sums::new().each(data, start, kept, summed, |done| sums.extend_from_slice(done));
        sums
    }
}

/// Room for a block of sums.
struct Sums<T: Element> {
    partial: Partial<T>,
    wide: [T::Wide; SIDE_BY_SIDE],
}

impl<T: Element> Sums<T> {
    #[inline(always)]
    fn new() -> Self {
        Self { partial: Partial::new(), wide: [<T::Wide>::ZERO; SIDE_BY_SIDE] }
    }

    /// Calls `finished` with the sums along `summed` for all positions of `kept`, from `at` on, a
    /// block after the other.
    #[inline(always)]
    fn each(
        &mut self,
        data: &[T],
        at: usize,
        kept: Axis,
        summed: Axis,
        mut finished: impl FnMut(&[T::Wide]),
    ) {
        for first in (0..kept.len).step_by(SIDE_BY_SIDE) {
            let block = Axis { len: SIDE_BY_SIDE.min(kept.len - first), ..kept };
            let sums = &mut self.wide[..block.len];
            sums.fill(<T::Wide>::ZERO);
            accumulate(data, at + first * kept.step, block, summed, &mut self.partial, sums);
            finished(sums);
        }
    }
}
