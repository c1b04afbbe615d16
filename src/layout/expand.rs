//! Repeating axes by a zero stride.

use super::{Layout, Shape, Strides, check_rank, checked_count};
use crate::error::LayoutError;

impl Layout {
    /// Repeats axes of size 1, and adds axes in front, until the shape is `shape`. A size of -1
    /// keeps the axis. Repeated axes have stride 0.
    ///
    /// # Errors
    /// [`LayoutError::NotExpandable`] when `shape` has fewer axes or another size for an axis
    /// that is not 1; [`LayoutError::BadDim`] for a negative size other than -1, or a -1 for an
    /// axis that is added; [`LayoutError::Overflow`], [`LayoutError::RankTooLarge`].
    pub fn expand(&self, shape: &[isize]) -> Result<Self, LayoutError> {
        check_rank(shape.len())?;
        let not_expandable = |axis| LayoutError::NotExpandable {
            shape: self.shape.to_vec(),
            target: shape.into(),
            axis,
        };
        let added = shape.len().checked_sub(self.rank()).ok_or_else(|| not_expandable(None))?;

        let mut sizes = Shape::from_elem(0, shape.len());
        let mut strides = Strides::from_elem(0, shape.len());
        for (i, &asked) in shape.iter().enumerate().rev() {
            let bad_dim = || LayoutError::BadDim { size: asked, target: shape.into() };
            let (size, stride) = match i.checked_sub(added) {
                Some(axis) => (self.shape[axis], self.strides[axis]),
                None if asked == -1 => return Err(bad_dim()),
                // The stride PyTorch gives an axis added at size 1; it decides nothing.
                None if i + 1 < shape.len() && self.rank() > 0 => (
                    1,
                    strides[i + 1]
                        .saturating_mul(isize::try_from(sizes[i + 1]).unwrap_or(isize::MAX)),
                ),
                None => (1, 0),
            };
            let wanted = match asked {
                -1 => size,
                _ => usize::try_from(asked).map_err(|_| bad_dim())?,
            };
            (sizes[i], strides[i]) = match (size == wanted, size) {
                (true, _) => (size, stride),
                (false, 1) => (wanted, 0),
                _ => return Err(not_expandable(i.checked_sub(added))),
            };
        }
        checked_count(&sizes)?;
        Ok(Self { shape: sizes, strides, offset: self.offset })
    }

    /// [`Layout::expand`] by its other name.
    ///
    /// # Errors
    /// As [`Layout::expand`].
    pub fn broadcast_to(&self, shape: &[isize]) -> Result<Self, LayoutError> {
        self.expand(shape)
    }
}
