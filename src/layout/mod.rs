//! Shapes, signed strides and offsets: what a view is, before any byte moves.

use smallvec::SmallVec;

use crate::error::LayoutError;

/// The most axes a layout can have (NumPy's limit).
pub const MAX_RANK: usize = 64;

/// Sizes of a layout's axes; up to six are stored inline.
pub type Shape = SmallVec<[usize; 6]>;
/// Strides of a layout's axes; up to six are stored inline.
pub type Strides = SmallVec<[isize; 6]>;

/// Where each element of a view lives in its storage.
///
/// Element `[i0, i1, …]` is storage element `offset + i0*strides[0] + i1*strides[1] + …`.
/// Strides and the offset are in **elements**.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Shape,
    strides: Strides,
    offset: usize,
}

impl Layout {
    /// The dense row-major layout of `shape`, at offset 0.
    ///
    /// # Errors
    /// [`LayoutError::Overflow`] when the non-zero sizes multiply past `isize::MAX`.
    pub fn contiguous(shape: &[usize]) -> Result<Self, LayoutError> {
        let mut strides = Strides::from_elem(1, shape.len());
        let mut step = 1usize;
        for (stride, &size) in strides.iter_mut().zip(shape).rev() {
            *stride = step as isize;
            step =
                step.checked_mul(size.max(1)).filter(|&s| isize::try_from(s).is_ok()).ok_or_else(
                    || LayoutError::Overflow { what: format!("element count of {shape:?}") },
                )?;
        }
        Ok(Self { shape: shape.into(), strides, offset: 0 })
    }

    /// Sizes of the axes, in elements.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Strides of the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Storage element of `[0, 0, …]`.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements (the product of the sizes).
    pub fn numel(&self) -> usize {
        self.shape.iter().product()
    }
}
