//! Element-wise addition of two views, in the order of its dense output.

use rayon::prelude::*;
use smallvec::SmallVec;

use super::blocks::{Blocks, Joint, coalesce};
use super::element::Element;
use super::shape::{broadcast, expanded};
use super::{check_output, workers, zeroed};
use crate::copy::View;
use crate::error::ConsumeError;
use crate::layout::Layout;
use crate::plan::Threads;

/// The element-wise sum of two views, broadcast to each other as PyTorch does, as a dense row-major
/// vector. Integers wrap around.
///
/// # Errors
/// [`ConsumeError::Broadcast`] when the shapes do not fit each other; [`ConsumeError::Layout`] when
/// the result has too many elements; [`ConsumeError::Allocation`].
///
/// ```
/// use restride::{Layout, Threads, View, consume};
/// let data: Vec<i32> = (0..6).collect();
/// let rows = View::new(Layout::contiguous(&[2, 3])?, &data)?;
/// let column = View::new(Layout::contiguous(&[2, 1])?, &[10, 20])?;
/// assert_eq!(consume::add(&rows, &column, Threads::Auto)?, [10, 11, 12, 23, 24, 25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add<T: Element>(
    a: &View<'_, T>,
    b: &View<'_, T>,
    threads: Threads,
) -> Result<Vec<T>, ConsumeError> {
    let shape = broadcast(a.layout().shape(), b.layout().shape())?;
    let mut out = zeroed(Layout::contiguous(&shape)?.numel())?;
    add_into(a, b, threads, &mut out)?;
    Ok(out)
}

/// [`add`] into memory that exists.
///
/// # Errors
/// [`ConsumeError::OutputLength`] when `out` has not as many elements as the result, and those of
/// [`add`]: blocks of an operand that runs across the output go through memory of their own.
pub fn add_into<T: Element>(
    a: &View<'_, T>,
    b: &View<'_, T>,
    threads: Threads,
    out: &mut [T],
) -> Result<(), ConsumeError> {
    let shape = broadcast(a.layout().shape(), b.layout().shape())?;
    check_output(out.len(), &shape)?;
    if out.is_empty() {
        return Ok(());
    }
    let layouts = [expanded(a.layout(), &shape)?, expanded(b.layout(), &shape)?];
    let mut axes: SmallVec<[Joint; 6]> = SmallVec::new();
    let mut step = 1;
    for axis in (0..shape.len()).rev().filter(|&axis| shape[axis] > 1) {
        let steps = [0, 1].map(|side: usize| layouts[side].strides()[axis]);
        axes.insert(0, Joint { len: shape[axis], steps, out: step });
        step *= shape[axis];
    }
    coalesce(&mut axes);

    let data = [a.data(), b.data()];
    let at = [layouts[0].offset() as isize, layouts[1].offset() as isize];
    let parts = workers(threads, 3 * size_of_val(out));
    let Some(&outer) = axes.first().filter(|_| parts > 1) else {
        return Blocks { data, at, axes: &axes }.add(out);
    };
    let rows = outer.len.div_ceil(parts);
    out.par_chunks_mut(rows * outer.out).enumerate().try_for_each(|(i, out)| {
        let mut axes = axes.clone();
        axes[0].len = out.len() / outer.out;
        let skip = (i * rows) as isize;
        let at = [0, 1].map(|side: usize| at[side] + skip * outer.steps[side]);
        Blocks { data, at, axes: &axes }.add(out)
    })
}
