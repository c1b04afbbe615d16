//! Shapes, signed strides and offsets: what a view is, before any byte moves.
//!
//! A [`Layout`] is made by a constructor, which checks it against its storage, and changed by
//! view operations, which return a new layout over the same storage. What holds for every
//! layout, so that no later step has to check it again:
//!
//! - at most [`MAX_RANK`] axes;
//! - the non-zero sizes multiply to at most `isize::MAX`, also when another size is zero;
//! - with elements: every element's position lies inside the storage, in `0..isize::MAX`;
//! - without elements: none of the strides matters, nor does the offset. It may lie past the
//!   storage, as PyTorch's may, but never above `isize::MAX`: add it to no pointer.
//!
//! The stride of an axis of size 1 (a *unit axis*) is never stepped along: it may be any number
//! and decides nothing.
//!
//! | file | idea |
//! |---|---|
//! | `construct.rs` | layouts from numbers, checked against a storage |
//! | `axes.rs` | operations that only rearrange axes |
//! | `slice.rs` | ranges, single indices and NumPy's basic indexing |
//! | `window.rs` | diagonals and sliding windows |
//! | `expand.rs` | repeating axes by a zero stride |
//! | `reshape.rs` | the view rule, and what is copied where it says no |
//! | `density.rs` | which orders a layout is dense in |
//! | `memory_format.rs` | channels-last and order-keeping copies |
//! | `order.rs` | the storage elements in logical order |
//! | `overlap.rs` | does memory overlap |

mod axes;
mod construct;
mod density;
mod expand;
mod memory_format;
mod order;
pub mod overlap;
mod reshape;
mod slice;
mod window;

use smallvec::SmallVec;

pub use memory_format::MemoryFormat;
pub use order::StorageOrder;
pub use overlap::Overlap;
pub use reshape::Reshaped;
pub use slice::IndexItem;

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
///
/// ```
/// use restride::Layout;
///
/// let matrix = Layout::contiguous(&[3, 4])?;
/// let columns = matrix.slice(1, Some(1), None, 2)?; // x[:, 1::2]
/// assert_eq!((columns.shape(), columns.strides(), columns.offset()), (&[3, 2][..], &[4, 2][..], 1));
/// assert_eq!(columns.view(&[-1])?.strides(), [2]);
///
/// let refused = matrix.t().view(&[-1]).unwrap_err();
/// assert!(refused.to_string().ends_with("stride[0] = 1, but stride[1] * size[1] = 12"));
/// # Ok::<(), restride::LayoutError>(())
/// ```
///
/// Axes are given as `isize` and count from the end when negative. A layout without axes (a
/// scalar) accepts the axes 0 and -1 where PyTorch does: in transpose, squeeze, flip, movedim,
/// flatten and unfold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Shape,
    strides: Strides,
    offset: usize,
}

impl Layout {
    /// Sizes of the axes, in elements.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Strides of the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Storage element of `[0, 0, …]`. For an empty layout, a number that means nothing.
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

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Lowest and highest storage element touched; `None` when there are no elements.
    pub fn reach(&self) -> Option<(usize, usize)> {
        if self.is_empty() {
            return None;
        }
        let (mut low, mut high) = (self.offset, self.offset);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            if size > 1 {
                let extent = (size - 1) * stride.unsigned_abs();
                if stride < 0 {
                    low -= extent;
                } else {
                    high += extent;
                }
            }
        }
        Some((low, high))
    }

    /// Elements of the shortest storage that holds the layout's elements.
    pub fn required_len(&self) -> usize {
        self.reach().map_or(0, |(_, high)| high + 1)
    }

    /// `axis` counted from the front.
    fn axis(&self, axis: isize) -> Result<usize, LayoutError> {
        wrap_axis(axis, self.rank()).ok_or(LayoutError::NoSuchAxis { axis, rank: self.rank() })
    }

    /// `axis` counted from the front; a scalar has one axis to name, which is then `None`.
    fn axis_or_scalar(&self, axis: isize) -> Result<Option<usize>, LayoutError> {
        if self.rank() == 0 && wrap_axis(axis, 1).is_some() {
            return Ok(None);
        }
        self.axis(axis).map(Some)
    }

    /// `axes` counted from the front, each named once.
    fn distinct_axes(&self, axes: &[isize]) -> Result<SmallVec<[usize; 6]>, LayoutError> {
        let mut named = 0u64; // one bit an axis: MAX_RANK is 64
        let mut found = SmallVec::new();
        let rank = self.rank().max(1);
        for &axis in axes {
            let wrapped =
                wrap_axis(axis, rank).ok_or(LayoutError::NoSuchAxis { axis, rank: self.rank() })?;
            if named & (1 << wrapped) != 0 {
                return Err(LayoutError::RepeatedAxis { axis: wrapped });
            }
            named |= 1 << wrapped;
            if wrapped < self.rank() {
                found.push(wrapped);
            }
        }
        Ok(found)
    }
}

/// `axis` counted from the front of `rank` axes.
fn wrap_axis(axis: isize, rank: usize) -> Option<usize> {
    let from_front = if axis < 0 { rank.checked_add_signed(axis)? } else { axis.unsigned_abs() };
    (from_front < rank).then_some(from_front)
}

/// Fails when `rank` is above [`MAX_RANK`].
fn check_rank(rank: usize) -> Result<(), LayoutError> {
    if rank > MAX_RANK { Err(LayoutError::RankTooLarge { rank }) } else { Ok(()) }
}

/// Number of elements of `shape`. A zero does not excuse the other sizes: they too must
/// multiply to at most `isize::MAX`, so that dense strides exist for every layout.
fn checked_count(shape: &[usize]) -> Result<usize, LayoutError> {
    let mut product = 1usize;
    for &size in shape {
        product = product
            .checked_mul(size.max(1))
            .filter(|&p| isize::try_from(p).is_ok())
            .ok_or_else(|| LayoutError::count_overflow(shape))?;
    }
    Ok(if shape.contains(&0) { 0 } else { product })
}
