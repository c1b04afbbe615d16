//! Diagonals and sliding windows: new axes that walk along old ones.

use super::{Layout, check_rank, checked_count, wrap_axis};
use crate::error::LayoutError;

impl Layout {
    /// The diagonal of axes `a` and `b`, as a new last axis; both go away. A positive `offset`
    /// starts further along `b`, a negative one further along `a`.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`]; [`LayoutError::RepeatedAxis`] when `a` is `b`.
    pub fn diagonal(&self, offset: isize, a: isize, b: isize) -> Result<Self, LayoutError> {
        let (a, b) = (self.axis(a)?, self.axis(b)?);
        if a == b {
            return Err(LayoutError::RepeatedAxis { axis: a });
        }
        let shift = offset.unsigned_abs();
        let (shifted, other) = if offset < 0 { (a, b) } else { (b, a) };
        let len = self.shape[shifted].saturating_sub(shift).min(self.shape[other]);

        let mut result = self.clone();
        if len > 0 {
            result.offset = self.offset_after(shifted, shift, self.is_empty());
        }
        for axis in [a.max(b), a.min(b)] {
            result.shape.remove(axis);
            result.strides.remove(axis);
        }
        result.shape.push(len);
        // Two steps at once; saturation is met only where nothing is stepped along.
        result.strides.push(self.strides[a].saturating_add(self.strides[b]));
        Ok(result)
    }

    /// Windows of `size` indices along `axis`, every `step` indices: the axis counts windows, a
    /// new last axis runs inside one.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`]; [`LayoutError::RangeOutside`] for a window longer than the
    /// axis or of negative size; [`LayoutError::BadStep`] unless the step is positive;
    /// [`LayoutError::Overflow`], [`LayoutError::RankTooLarge`].
    pub fn unfold(&self, axis: isize, size: isize, step: isize) -> Result<Self, LayoutError> {
        check_rank(self.rank() + 1)?;
        let place = wrap_axis(axis, self.rank().max(1))
            .ok_or(LayoutError::NoSuchAxis { axis, rank: self.rank() })?;
        let Some(stride_step) = usize::try_from(step).ok().filter(|&s| s > 0) else {
            return Err(LayoutError::BadStep { step, allowed: "positive" });
        };
        // A scalar is one window of one element, as in PyTorch.
        let (available, stride) = match self.shape.get(place) {
            Some(&available) => (available, self.strides[place]),
            None => (1, 1),
        };
        let window = usize::try_from(size).ok().filter(|&w| w <= available).ok_or(
            LayoutError::RangeOutside { start: 0, len: size, axis: place, size: available },
        )?;
        let mut result = self.clone();
        if self.rank() > 0 {
            result.shape[place] = (available - window) / stride_step + 1;
            result.strides[place] = stride.saturating_mul(step);
        }
        result.shape.push(window);
        result.strides.push(stride);
        checked_count(&result.shape)?;
        Ok(result)
    }
}
