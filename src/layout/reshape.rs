//! The view rule, and what is copied where it says no.
//!
//! A shape can be viewed as another when each axis of the new shape is cut from a run of old
//! axes that continue each other: `stride[i] == stride[j] * size[j]` for neighbours `i`, `j`
//! (unit axes not counted). Where two neighbours do not continue each other the storage has a
//! seam, and the new shape must have an axis boundary at the same place.

use alloc::vec::Vec;

use super::{Layout, Shape, Strides, check_rank, checked_count};
use crate::error::LayoutError;

/// A layout reached without moving data, or the dense layout of a copy that is needed first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reshaped {
    /// A layout over the same storage.
    View(Layout),
    /// The layout, at offset 0, of a new storage that the elements have to be copied into, in
    /// logical order.
    Copy(Layout),
}

impl Reshaped {
    /// The layout, whichever way it is reached.
    pub fn layout(&self) -> &Layout {
        match self {
            Self::View(layout) | Self::Copy(layout) => layout,
        }
    }

    /// The layout, whichever way it is reached.
    pub fn into_layout(self) -> Layout {
        match self {
            Self::View(layout) | Self::Copy(layout) => layout,
        }
    }

    /// Whether data has to be copied.
    pub fn is_copy(&self) -> bool {
        matches!(self, Self::Copy(_))
    }
}

impl From<Layout> for Reshaped {
    /// A layout over the same storage.
    fn from(view: Layout) -> Self {
        Self::View(view)
    }
}

impl Layout {
    /// The same elements in another shape, without a copy; PyTorch's rule. One size may be -1.
    ///
    /// # Errors
    /// [`LayoutError::NotViewable`] when no strides describe it; [`LayoutError::SizeMismatch`],
    /// [`LayoutError::TwoInferred`], [`LayoutError::Ambiguous`], [`LayoutError::BadDim`],
    /// [`LayoutError::Overflow`], [`LayoutError::RankTooLarge`] when the shape cannot be.
    pub fn view(&self, shape: &[isize]) -> Result<Self, LayoutError> {
        let sizes = infer(shape, &self.shape)?;
        match self.view_strides(&sizes) {
            Some(strides) => Ok(Self { shape: sizes, strides, offset: self.offset }),
            None => Err(self.not_viewable(shape, &sizes)),
        }
    }

    /// The same elements in another shape: a view where [`Layout::view`] allows it, else the
    /// dense row-major layout of a copy.
    ///
    /// # Errors
    /// Those of [`Layout::view`] but [`LayoutError::NotViewable`].
    pub fn reshape(&self, shape: &[isize]) -> Result<Reshaped, LayoutError> {
        Ok(self.reshape_to(infer(shape, &self.shape)?))
    }

    /// Axes `start` to `end`, both included, as one.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`]; [`LayoutError::EmptyAxisRange`] when `start` comes after
    /// `end`.
    pub fn flatten(&self, start: isize, end: isize) -> Result<Reshaped, LayoutError> {
        let (Some(first), Some(last)) = (self.axis_or_scalar(start)?, self.axis_or_scalar(end)?)
        else {
            return Ok(self.reshape_to(Shape::from_elem(1, 1)));
        };
        if first > last {
            return Err(LayoutError::EmptyAxisRange { start, end });
        }
        if first == last {
            return Ok(Reshaped::View(self.clone()));
        }
        let mut shape = self.shape.clone();
        shape[first] = self.shape[first..=last].iter().product();
        shape.drain(first + 1..=last);
        Ok(self.reshape_to(shape))
    }

    /// Axis `axis` as several axes; one size may be -1. Always a view.
    ///
    /// # Errors
    /// [`LayoutError::NoSuchAxis`], and those of [`Layout::view`] for `sizes` as a shape of that
    /// axis' elements.
    pub fn unflatten(&self, axis: isize, sizes: &[isize]) -> Result<Self, LayoutError> {
        let axis = self.axis(axis)?;
        let split = infer(sizes, &self.shape[axis..=axis])?;
        let mut shape = Shape::from_slice(&self.shape[..axis]);
        shape.extend_from_slice(&split);
        shape.extend_from_slice(&self.shape[axis + 1..]);
        check_rank(shape.len())?;
        checked_count(&shape)?;
        match self.view_strides(&shape) {
            Some(strides) => Ok(Self { shape, strides, offset: self.offset }),
            None => {
                let target: Vec<isize> = shape.iter().map(|&size| size as isize).collect();
                Err(self.not_viewable(&target, &shape))
            }
        }
    }

    /// The layout in shape `sizes`, which has as many elements.
    fn reshape_to(&self, sizes: Shape) -> Reshaped {
        match self.view_strides(&sizes) {
            Some(strides) => Reshaped::View(Self { shape: sizes, strides, offset: self.offset }),
            None => Reshaped::Copy(Self::row_major(sizes)),
        }
    }

    /// The strides of `self` in shape `sizes`, which has as many elements; `None` when there are
    /// none. Unit axes get the strides PyTorch gives them.
    fn view_strides(&self, sizes: &[usize]) -> Option<Strides> {
        if self.is_empty() {
            return Some(if *sizes == *self.shape {
                self.strides.clone()
            } else {
                Self::row_major(sizes.into()).strides
            });
        }
        let mut strides = Strides::from_elem(1, sizes.len());
        let Some(&innermost) = self.strides.last() else {
            return Some(strides); // one element: every size is 1
        };
        // From the last axis on: collect old axes while they continue each other, then cut new
        // axes from the run.
        let mut open = sizes.len(); // new axes without strides
        let mut base = innermost; // stride of the run's innermost axis
        let mut run = 1usize; // elements of the run
        for axis in (0..self.rank()).rev() {
            run *= self.shape[axis];
            let continues = axis > 0
                && (self.shape[axis - 1] == 1
                    || isize::try_from(run).ok().and_then(|r| base.checked_mul(r))
                        == Some(self.strides[axis - 1]));
            if continues {
                continue;
            }
            let mut cut = 1usize;
            while open > 0 && (cut < run || sizes[open - 1] == 1) {
                open -= 1;
                // Saturates only on unit axes.
                strides[open] = base.saturating_mul(cut as isize);
                cut *= sizes[open];
            }
            if cut != run {
                return None;
            }
            if axis > 0 {
                base = self.strides[axis - 1];
                run = 1;
            }
        }
        (open == 0).then_some(strides)
    }

    /// Names the innermost seam of the storage that the shape `sizes` has no axis boundary at.
    fn not_viewable(&self, target: &[isize], sizes: &[usize]) -> LayoutError {
        let is_boundary = |elements: usize| {
            let mut inside = 1usize;
            sizes.iter().rev().any(|&size| {
                inside *= size;
                inside == elements
            })
        };
        let (mut outer, mut inner) = (0, 0);
        let mut elements = 1usize; // of the axes from `previous` on
        let mut previous: Option<usize> = None;
        for axis in (0..self.rank()).rev().filter(|&axis| self.shape[axis] > 1) {
            if let Some(next) = previous {
                let continues = self.strides[axis] as i128
                    == self.strides[next] as i128 * self.shape[next] as i128;
                if !continues && !is_boundary(elements) {
                    (outer, inner) = (axis, next);
                    break;
                }
            }
            elements *= self.shape[axis];
            previous = Some(axis);
        }
        LayoutError::NotViewable {
            shape: self.shape.to_vec(),
            strides: self.strides.to_vec(),
            target: target.into(),
            outer,
            inner,
        }
    }
}

/// The sizes of the requested shape `target` for the elements of `shape`, a -1 filled in.
fn infer(target: &[isize], shape: &[usize]) -> Result<Shape, LayoutError> {
    check_rank(target.len())?;
    let mut inferred = None;
    let mut sizes = Shape::with_capacity(target.len());
    for (axis, &size) in target.iter().enumerate() {
        match usize::try_from(size) {
            Ok(size) => sizes.push(size),
            Err(_) if size != -1 => {
                return Err(LayoutError::BadDim { size, target: target.into() });
            }
            Err(_) if inferred.is_some() => {
                return Err(LayoutError::TwoInferred { target: target.into() });
            }
            Err(_) => {
                inferred = Some(axis);
                sizes.push(1);
            }
        }
    }
    let requested = checked_count(&sizes).map_err(|_| LayoutError::count_overflow(target))?;
    let count = shape.iter().product();
    match inferred {
        None if requested == count => return Ok(sizes),
        Some(_) if requested == 0 && count == 0 => {
            return Err(LayoutError::Ambiguous { target: target.into() });
        }
        Some(axis) if requested != 0 && count % requested == 0 => {
            sizes[axis] = count / requested;
            return Ok(sizes);
        }
        _ => {}
    }
    Err(LayoutError::SizeMismatch { shape: shape.into(), count, target: target.into(), requested })
}
