//! [ndarray]: arrays and views of any dimension, to dense arrays and into each other.
//!
//! The methods are those of [`ArrayRef`], which owned arrays, views, shared and copy-on-write
//! arrays all dereference to. Before, with ndarray alone:
//!
//! ```
//! use ndarray::Array3;
//!
//! let image = Array3::from_shape_fn((4, 5, 3), |(y, x, c)| (100 * y + 10 * x + c) as f32);
//! let planes = image.view().permuted_axes([2, 0, 1]); // channels first, nothing moved
//!
//! let dense = planes.as_standard_layout().into_owned();
//!
//! let mut upside_down = Array3::zeros((3, 4, 5));
//! upside_down.slice_mut(ndarray::s![.., ..;-1, ..]).assign(&planes);
//! # assert_eq!(dense[[2, 3, 4]], upside_down[[2, 0, 4]]);
//! ```
//!
//! After:
//!
//! ```
//! use ndarray::Array3;
//! use restride::interop::ndarray::{ToDense, TryAssign};
//!
//! let image = Array3::from_shape_fn((4, 5, 3), |(y, x, c)| (100 * y + 10 * x + c) as f32);
//! let planes = image.view().permuted_axes([2, 0, 1]);
//!
//! let dense = planes.to_standard()?;
//!
//! let mut upside_down = Array3::zeros((3, 4, 5));
//! upside_down.slice_mut(ndarray::s![.., ..;-1, ..]).try_assign(&planes)?;
//! # assert_eq!(dense, planes.as_standard_layout());
//! # assert_eq!(dense[[2, 3, 4]], upside_down[[2, 0, 4]]);
//! # Ok::<(), restride::CopyError>(())
//! ```
//!
//! `results/README.md`, under peers, has restride beside the crate's own copy: with fresh outputs and on
//! one thread, 2.5 times its speed for a transposed f32 matrix of 64 x 64, 12 times for 4096 x 4096.
//! `cargo bench --all-features --bench adapters -- ndarray` measures the adapter on your machine.

use ndarray::{Array, ArrayRef, CowArray, Dimension, Order, ShapeBuilder};

use super::foreign::{Destination, Source};
use crate::error::{CopyError, LayoutError};
use crate::exec::HugePages;
use crate::layout::Layout;
use crate::plan::PlanOptions;

/// Arrays and views, to dense arrays.
///
/// Strides may have either sign or be 0, and there may be no elements.
pub trait ToDense<T: Clone, D: Dimension> {
    /// The elements in a new array in standard layout (row-major). A replacement of
    /// `as_standard_layout().into_owned()`.
    ///
    /// # Errors
    /// [`CopyError`] when the array has more than 64 axes, or the output is larger than
    /// `isize::MAX` bytes or cannot be allocated.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
    fn to_standard(&self) -> Result<Array<T, D>, CopyError> {
        self.to_order_with(Order::RowMajor, &PlanOptions::default(), HugePages::Auto)
    }

    /// The elements in a new array in Fortran layout (column-major).
    ///
    /// # Errors
    /// As [`ToDense::to_standard`].
    ///
    /// # Panics
    /// As [`ToDense::to_standard`].
    fn to_fortran(&self) -> Result<Array<T, D>, CopyError> {
        self.to_order_with(Order::ColumnMajor, &PlanOptions::default(), HugePages::Auto)
    }

    /// The array itself where it is in standard layout already, else [`ToDense::to_standard`]. A
    /// replacement of `as_standard_layout()`.
    ///
    /// # Errors
    /// As [`ToDense::to_standard`].
    ///
    /// # Panics
    /// As [`ToDense::to_standard`].
    fn standard(&self) -> Result<CowArray<'_, T, D>, CopyError>;

    /// The elements in a new array of either order, by a plan of these options.
    ///
    /// # Errors
    /// As [`ToDense::to_standard`], or what the options make [`crate::Plan::new`] refuse.
    ///
    /// # Panics
    /// As [`ToDense::to_standard`].
    fn to_order_with(
        &self,
        order: Order,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<Array<T, D>, CopyError>;
}

impl<T: Copy + Send + Sync, D: Dimension> ToDense<T, D> for ArrayRef<T, D> {
    fn standard(&self) -> Result<CowArray<'_, T, D>, CopyError> {
        if self.is_standard_layout() {
            return Ok(CowArray::from(self.view()));
        }
        self.to_standard().map(CowArray::from)
    }

    fn to_order_with(
        &self,
        order: Order,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<Array<T, D>, CopyError> {
        let dense = match order {
            Order::ColumnMajor => Layout::column_major(self.shape())?,
            _ => Layout::contiguous(self.shape())?,
        };
        let elements = source(self).to_vec(&dense, options, pages)?;
        let shape = self.raw_dim().set_f(order.is_column_major());
        // The vector has as many elements as the shape, so this finds nothing to refuse.
        Array::from_shape_vec(shape, elements)
            .map_err(|_| LayoutError::count_overflow(self.shape()).into())
    }
}

/// Arrays and mutable views, written from others.
pub trait TryAssign<T> {
    /// Writes the elements of `src`, broadcast to this shape as NumPy does, to this array's places.
    /// A replacement of `assign`, with an error value where that panics.
    ///
    /// # Errors
    /// [`LayoutError::NotExpandable`] when `src` does not broadcast to this shape;
    /// [`LayoutError::RankTooLarge`] for more than 64 axes. Nothing is written then.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
    ///
    /// ```
    /// use ndarray::{Array2, arr1};
    /// use restride::interop::ndarray::TryAssign;
    ///
    /// let mut rows = Array2::zeros((2, 3));
    /// rows.try_assign(&arr1(&[1, 2, 3]))?;
    /// assert_eq!(rows, ndarray::arr2(&[[1, 2, 3], [1, 2, 3]]));
    ///
    /// let refused = rows.try_assign(&arr1(&[1, 2])).unwrap_err().to_string();
    /// assert!(refused.contains("shape [2] does not expand to [2, 3]"));
    /// # Ok::<(), restride::CopyError>(())
    /// ```
    fn try_assign<E: Dimension>(&mut self, src: &ArrayRef<T, E>) -> Result<(), CopyError>;
}

impl<T: Copy + Send + Sync, D: Dimension> TryAssign<T> for ArrayRef<T, D> {
    fn try_assign<E: Dimension>(&mut self, src: &ArrayRef<T, E>) -> Result<(), CopyError> {
        let Some(src) = src.broadcast(self.raw_dim()) else {
            return Err(not_expandable(src.shape(), self.shape()).into());
        };
        let first = self.as_mut_ptr();
        // SAFETY: the array is borrowed mutably, so that until the copy is done nobody else reads
        // or writes its elements, which `first` and the strides address, and no two share a place.
        let places = unsafe { Destination::new(first, self.shape(), self.strides()) };
        source(&src).copy_to(places, &PlanOptions::default())
    }
}

/// The elements of an array.
fn source<T: Copy + Send + Sync, D: Dimension>(array: &ArrayRef<T, D>) -> Source<'_, T> {
    // SAFETY: the array is borrowed: its elements, which the pointer and the strides address, are
    // initialized, in one allocation, and written by nobody meanwhile.
    unsafe { Source::new(array.as_ptr(), array.shape(), array.strides()) }
}

/// Why an array of the shape `src` does not broadcast to `dst`.
fn not_expandable(src: &[usize], dst: &[usize]) -> LayoutError {
    let added = dst.len().checked_sub(src.len());
    let differs = |added: usize| (0..src.len()).find(|&i| src[i] != 1 && src[i] != dst[added + i]);
    LayoutError::NotExpandable {
        shape: src.into(),
        target: dst.iter().map(|&size| size as isize).collect(), // an array's sizes fit isize
        axis: added.and_then(differs),
    }
}
