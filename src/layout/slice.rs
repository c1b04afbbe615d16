//! Ranges, single indices and NumPy's basic indexing.

use smallvec::SmallVec;

use super::{Layout, check_rank};
use crate::error::LayoutError;

/// One entry of a bracket index, `x[…]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexItem {
    /// One index; its axis goes away. Negative ones count from the end.
    Int(isize),
    /// `start:stop:step` with Python's meaning; the step may have either sign.
    Slice {
        /// First index, or the end the step starts from.
        start: Option<isize>,
        /// Index before which to stop, or the end the step runs to.
        stop: Option<isize>,
        /// Step; 1 when absent.
        step: Option<isize>,
    },
    /// `...`: every axis that no other entry speaks of.
    Ellipsis,
    /// `None`: a new axis of size 1.
    NewAxis,
}

impl Layout {
    /// `len` indices of `axis`, from `start` on.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`]; [`LayoutError::RangeOutside`] unless
    /// `0 <= start <= start + len <= size`, a negative `start` counted from the end.
    pub fn narrow(&self, axis: isize, start: isize, len: isize) -> Result<Self, LayoutError> {
        let axis = self.axis(axis)?;
        let size = self.shape[axis];
        let outside = LayoutError::RangeOutside { start, len, axis, size };
        let from_front =
            if start < 0 { size.checked_add_signed(start) } else { Some(start.unsigned_abs()) };
        match (from_front, usize::try_from(len)) {
            (Some(first), Ok(len)) if first <= size && len <= size - first => {
                let mut result = self.clone();
                result.shape[axis] = len;
                result.offset = self.offset_after(axis, first, result.is_empty());
                Ok(result)
            }
            _ => Err(outside),
        }
    }

    /// Index `index` of `axis`; the axis goes away.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`], [`LayoutError::IndexOutOfRange`].
    pub fn select(&self, axis: isize, index: isize) -> Result<Self, LayoutError> {
        let axis = self.axis(axis)?;
        let mut result = self.clone();
        result.select_at(axis, index, axis)?;
        Ok(result)
    }

    /// `start:stop:step` along `axis`, with Python's meaning. A negative step walks backwards,
    /// by a negative stride.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`]; [`LayoutError::BadStep`] for a step of 0.
    pub fn slice(
        &self,
        axis: isize,
        start: Option<isize>,
        stop: Option<isize>,
        step: isize,
    ) -> Result<Self, LayoutError> {
        let axis = self.axis(axis)?;
        let mut result = self.clone();
        result.slice_at(axis, start, stop, step)?;
        Ok(result)
    }

    /// NumPy's basic indexing: `x[items]`.
    ///
    /// Axes beyond the entries are kept. A new axis gets the stride that
    /// [`Layout::unsqueeze`] gives it.
    ///
    /// # Errors
    /// [`LayoutError::TooManyIndices`], [`LayoutError::TwoEllipses`],
    /// [`LayoutError::IndexOutOfRange`], [`LayoutError::BadStep`],
    /// [`LayoutError::RankTooLarge`].
    pub fn index(&self, items: &[IndexItem]) -> Result<Self, LayoutError> {
        let named = items
            .iter()
            .filter(|i| matches!(i, IndexItem::Int(_) | IndexItem::Slice { .. }))
            .count();
        if items.iter().filter(|i| matches!(i, IndexItem::Ellipsis)).count() > 1 {
            return Err(LayoutError::TwoEllipses);
        }
        if named > self.rank() {
            return Err(LayoutError::TooManyIndices { given: named, rank: self.rank() });
        }
        let mut result = self.clone();
        let mut axis = 0; // of the result so far: the next one to be spoken of
        let mut source_axis = 0; // the same axis of `self`
        let mut new_axes: SmallVec<[usize; 6]> = SmallVec::new();
        for item in items {
            match *item {
                IndexItem::Int(index) => {
                    result.select_at(axis, index, source_axis)?;
                    source_axis += 1;
                }
                IndexItem::Slice { start, stop, step } => {
                    result.slice_at(axis, start, stop, step.unwrap_or(1))?;
                    axis += 1;
                    source_axis += 1;
                }
                IndexItem::Ellipsis => {
                    axis += self.rank() - named;
                    source_axis += self.rank() - named;
                }
                // Inserted afterwards, when the strides they follow are known.
                IndexItem::NewAxis => new_axes.push(axis),
            }
        }
        check_rank(result.rank() + new_axes.len())?;
        for &place in new_axes.iter().rev() {
            result.insert_unit_axis(place);
        }
        Ok(result)
    }

    /// Keeps index `index` of `axis` only and drops the axis, which errors call `named`.
    fn select_at(&mut self, axis: usize, index: isize, named: usize) -> Result<(), LayoutError> {
        let size = self.shape[axis];
        let from_front =
            if index < 0 { size.checked_add_signed(index) } else { Some(index.unsigned_abs()) }
                .filter(|&i| i < size)
                .ok_or(LayoutError::IndexOutOfRange { index, axis: named, size })?;
        self.offset = self.offset_after(axis, from_front, self.is_empty());
        self.shape.remove(axis);
        self.strides.remove(axis);
        Ok(())
    }

    /// Keeps `start:stop:step` of `axis`.
    fn slice_at(
        &mut self,
        axis: usize,
        start: Option<isize>,
        stop: Option<isize>,
        step: isize,
    ) -> Result<(), LayoutError> {
        if step == 0 {
            return Err(LayoutError::BadStep { step, allowed: "positive or negative" });
        }
        let size = self.shape[axis];
        let (first, len) = resolve_slice(size, start, stop, step);
        let empty = len == 0 || self.is_empty();
        self.offset = self.offset_after(axis, first, empty);
        self.shape[axis] = len;
        // With two or more elements the product is a distance between two of them. Otherwise
        // it decides nothing and may saturate.
        self.strides[axis] = self.strides[axis].saturating_mul(step);
        Ok(())
    }

    /// The offset after moving to index `index` of `axis`.
    ///
    /// With elements left (`empty` false) the index exists and the sum fits. An empty result has
    /// no first element; its offset still moves as PyTorch's does, within `0..=isize::MAX`.
    pub(super) fn offset_after(&self, axis: usize, index: usize, empty: bool) -> usize {
        let stride = self.strides[axis];
        if index == 0 {
            self.offset // whatever the stride
        } else if !empty {
            self.offset.wrapping_add_signed(stride * index as isize)
        } else {
            let moved = self.offset as i128 + index as i128 * stride as i128;
            moved.clamp(0, isize::MAX as i128) as usize
        }
    }
}

/// First index and length of Python's `start:stop:step` over `size` indices, `step` not 0.
/// When the length is 0, the first index is where PyTorch begins a forward slice, and 0 for a
/// backward one.
fn resolve_slice(
    size: usize,
    start: Option<isize>,
    stop: Option<isize>,
    step: isize,
) -> (usize, usize) {
    let n = size as i128; // sizes fit isize: every sum below fits i128
    let clamp = |index: isize, low: i128, high: i128| {
        let index = index as i128;
        (if index < 0 { index + n } else { index }).clamp(low, high)
    };
    if step > 0 {
        let first = start.map_or(0, |s| clamp(s, 0, n));
        let end = stop.map_or(n, |s| clamp(s, 0, n));
        let len = (end - first).max(0).unsigned_abs().div_ceil(step.unsigned_abs() as u128);
        (first as usize, len as usize)
    } else {
        let first = start.map_or(n - 1, |s| clamp(s, -1, n - 1));
        let end = stop.map_or(-1, |s| clamp(s, -1, n - 1));
        let len = (first - end).max(0).unsigned_abs().div_ceil(step.unsigned_abs() as u128);
        (first.max(0) as usize * usize::from(len > 0), len as usize)
    }
}
