//! The axes of a view in the order of memory.

use smallvec::SmallVec;

use crate::layout::Layout;

/// An axis walked forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// Positions.
    pub len: usize,
    /// Elements from one position to the next.
    pub step: usize,
}

impl Axis {
    /// No axis: the one position there is.
    pub const POINT: Self = Self { len: 1, step: 0 };
}

/// Axes, outermost first.
pub(super) type Axes = SmallVec<[Axis; 6]>;

/// The lowest storage element of a layout that is not empty, where a walk that goes forwards along
/// every axis begins.
pub(super) fn start(layout: &Layout) -> usize {
    layout.reach().map_or(0, |(lowest, _)| lowest)
}

/// Axis `axis` of `layout`, walked forwards from [`start`].
pub(super) fn forwards(layout: &Layout, axis: usize) -> Axis {
    match layout.shape()[axis] {
        1 => Axis::POINT, // a unit axis' stride decides nothing
        len => Axis { len, step: layout.strides()[axis].unsigned_abs() },
    }
}

/// Merges each axis with the next inner one where the outer step is exactly the inner axis' extent.
/// The axes are in the order of falling steps.
pub(super) fn coalesce(axes: &mut Axes) {
    let mut merged = Axes::new();
    for &axis in axes.iter() {
        match merged.last_mut() {
            // An extent past the storage cannot be another axis' step.
            Some(outer) if axis.step.checked_mul(axis.len) == Some(outer.step) => {
                *outer = Axis { len: outer.len * axis.len, ..axis };
            }
            _ => merged.push(axis),
        }
    }
    *axes = merged;
}

/// Calls `visit` with the storage element of every position of `axes` in order, beginning at `at`.
#[inline(always)]
pub(super) fn positions(axes: &[Axis], at: usize, mut visit: impl FnMut(usize)) {
    let mut index = SmallVec::<[usize; 6]>::from_elem(0, axes.len());
    let mut at = at;
    loop {
        visit(at);
        let mut axis = axes.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < axes[axis].len {
                at += axes[axis].step;
                break;
            }
            at -= axes[axis].step * (axes[axis].len - 1);
            index[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_advance_in_lockstep_merge() {
        let axis = |len, step| Axis { len, step };
        let mut axes = Axes::from_slice(&[axis(2, 12), axis(3, 4), axis(4, 1)]);
        coalesce(&mut axes);
        assert_eq!(axes[..], [axis(24, 1)]);
        let mut axes = Axes::from_slice(&[axis(2, 20), axis(3, 5), axis(4, 1)]);
        coalesce(&mut axes);
        assert_eq!(axes[..], [axis(2, 20), axis(3, 5), axis(4, 1)]);
    }

    #[test]
    fn positions_are_visited_in_order() {
        let axes = [Axis { len: 2, step: 10 }, Axis { len: 3, step: 2 }];
        let mut seen = Vec::new();
        positions(&axes, 5, |at| seen.push(at));
        assert_eq!(seen, [5, 7, 9, 15, 17, 19]);
        let mut seen = Vec::new();
        positions(&[], 5, |at| seen.push(at));
        assert_eq!(seen, [5]);
    }
}
