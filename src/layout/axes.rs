//! Operations that only rearrange axes: permute, transpose, move, flip, squeeze, unsqueeze.

use smallvec::SmallVec;

use super::{Layout, Shape, Strides, check_rank, wrap_axis};
use crate::error::LayoutError;

impl Layout {
    /// Axis `i` of the result is axis `axes[i]` of `self`.
    ///
    /// # Errors
    /// [`LayoutError::WrongCount`], [`LayoutError::NoSuchAxis`], [`LayoutError::RepeatedAxis`]
    /// unless `axes` names every axis once.
    pub fn permute(&self, axes: &[isize]) -> Result<Self, LayoutError> {
        Ok(self.with_axes(self.order_of_axes(axes)?.into_iter()))
    }

    /// `axes`, counted from the front, when they name every axis once.
    pub(super) fn order_of_axes(
        &self,
        axes: &[isize],
    ) -> Result<SmallVec<[usize; 6]>, LayoutError> {
        if axes.len() != self.rank() {
            return Err(LayoutError::WrongCount {
                what: "axes of a permutation",
                given: axes.len(),
                needed: self.rank(),
            });
        }
        self.distinct_axes(axes)
    }

    /// Exchanges two axes (NumPy's `swapaxes`).
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`].
    pub fn transpose(&self, a: isize, b: isize) -> Result<Self, LayoutError> {
        let mut result = self.clone();
        if let (Some(a), Some(b)) = (self.axis_or_scalar(a)?, self.axis_or_scalar(b)?) {
            result.shape.swap(a, b);
            result.strides.swap(a, b);
        }
        Ok(result)
    }

    /// All axes in reverse order (`.T`).
    pub fn t(&self) -> Self {
        self.with_axes((0..self.rank()).rev())
    }

    /// The last two axes exchanged (`.mT`).
    ///
    /// # Errors
    /// [`LayoutError::TooFewAxes`] below rank 2.
    pub fn mt(&self) -> Result<Self, LayoutError> {
        if self.rank() < 2 {
            return Err(LayoutError::TooFewAxes { needed: 2, rank: self.rank() });
        }
        self.transpose(-2, -1)
    }

    /// Moves axis `from[i]` to place `to[i]` of the result; the others keep their order.
    ///
    /// # Errors
    /// [`LayoutError::WrongCount`] for lists of different lengths, [`LayoutError::NoSuchAxis`],
    /// [`LayoutError::RepeatedAxis`].
    pub fn movedim(&self, from: &[isize], to: &[isize]) -> Result<Self, LayoutError> {
        if from.len() != to.len() {
            return Err(LayoutError::WrongCount {
                what: "places for moved axes",
                given: to.len(),
                needed: from.len(),
            });
        }
        let (from, to) = (self.distinct_axes(from)?, self.distinct_axes(to)?);
        let mut staying = (0..self.rank()).filter(|axis| !from.contains(axis));
        let order: SmallVec<[usize; 6]> = (0..self.rank())
            .filter_map(|place| match to.iter().position(|&t| t == place) {
                Some(moved) => Some(from[moved]),
                None => staying.next(),
            })
            .collect();
        Ok(self.with_axes(order.into_iter()))
    }

    /// Walks `axes` backwards: a view, as in NumPy, with negated strides.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`], [`LayoutError::RepeatedAxis`].
    pub fn flip(&self, axes: &[isize]) -> Result<Self, LayoutError> {
        let axes = self.distinct_axes(axes)?;
        let mut result = self.clone();
        for &axis in &axes {
            let last = self.shape[axis].saturating_sub(1);
            result.offset = result.offset_after(axis, last, self.is_empty());
            // Saturation is met only by strides that decide nothing.
            result.strides[axis] = self.strides[axis].saturating_neg();
        }
        Ok(result)
    }

    /// Drops every axis of size 1.
    pub fn squeeze(&self) -> Self {
        self.with_axes((0..self.rank()).filter(|&axis| self.shape[axis] != 1))
    }

    /// Drops those of `axes` that have size 1; the others are left alone, as in PyTorch.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`], [`LayoutError::RepeatedAxis`].
    pub fn squeeze_dims(&self, axes: &[isize]) -> Result<Self, LayoutError> {
        let axes = self.distinct_axes(axes)?;
        Ok(self.with_axes(
            (0..self.rank()).filter(|axis| self.shape[*axis] != 1 || !axes.contains(axis)),
        ))
    }

    /// Inserts an axis of size 1 at place `axis` of the result.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchPlace`] when the result has no such axis,
    /// [`LayoutError::RankTooLarge`].
    pub fn unsqueeze(&self, axis: isize) -> Result<Self, LayoutError> {
        let rank = self.rank() + 1;
        let place =
            wrap_axis(axis, rank).ok_or(LayoutError::NoSuchPlace { axis, rank: self.rank() })?;
        check_rank(rank)?;
        let mut result = self.clone();
        result.insert_unit_axis(place);
        Ok(result)
    }

    /// Inserts an axis of size 1 at `place`, with the stride PyTorch gives it: that of an axis
    /// which the next one continues.
    pub(super) fn insert_unit_axis(&mut self, place: usize) {
        let stride = match (self.shape.get(place), self.strides.get(place)) {
            // Sizes fit isize; a product that does not fit decides nothing on a unit axis.
            (Some(&size), Some(&stride)) => stride.saturating_mul(size as isize),
            _ => 1,
        };
        self.shape.insert(place, 1);
        self.strides.insert(place, stride);
    }

    /// The axes `order` of `self`, in that order; those left out must have size 1.
    fn with_axes(&self, order: impl Iterator<Item = usize> + Clone) -> Self {
        Self {
            shape: order.clone().map(|axis| self.shape[axis]).collect::<Shape>(),
            strides: order.map(|axis| self.strides[axis]).collect::<Strides>(),
            offset: self.offset,
        }
    }
}
