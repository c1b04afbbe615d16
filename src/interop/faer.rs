//! [faer]: matrices and views of any strides, to owned matrices and into each other.
//!
//! The methods are those of all that is seen as a [`MatRef`] or
//! [`MatMut`], of element types that faer computes with or not. Before, with faer
//! alone:
//!
//! ```
//! use faer::Mat;
//!
//! let a = Mat::from_fn(4, 6, |row, column| (10 * row + column) as f32);
//! let transposed = a.transpose().to_owned();
//!
//! let mut corner = Mat::zeros(6, 6);
//! corner.submatrix_mut(0, 0, 6, 4).reverse_rows_mut().copy_from(a.transpose());
//! # assert_eq!((transposed[(5, 3)], corner[(0, 3)]), (35.0, 35.0));
//! ```
//!
//! After:
//!
//! ```
//! use faer::Mat;
//! use restride::interop::faer::{ToDense, TryCopyFrom};
//!
//! let a = Mat::from_fn(4, 6, |row, column| (10 * row + column) as f32);
//! let transposed = a.transpose().to_dense()?;
//!
//! let mut corner = Mat::zeros(6, 6);
//! corner.submatrix_mut(0, 0, 6, 4).reverse_rows_mut().try_copy_from(a.transpose())?;
//! # assert_eq!((transposed[(5, 3)], corner[(0, 3)]), (35.0, 35.0));
//! # Ok::<(), restride::CopyError>(())
//! ```
//!
//! Views whose values are conjugated where they are read have a type of their own in faer, and keep
//! it: nothing is conjugated.
//!
//! `results/README.md`, under peers, has restride beside the crate's own copy: with fresh outputs and on
//! one thread, 2.0 times its speed for a transposed f32 matrix of 64 x 64, 12 times for 4096 x 4096.
//! `cargo bench --all-features --bench adapters -- faer` measures the adapter on your machine.

use faer::mat::{AsMatMut, AsMatRef};
use faer::{Mat, MatMut, MatRef, TryReserveError};

use super::foreign::{Destination, Source};
use crate::error::{CopyError, PlanError};
use crate::exec::{HugePages, advise_aligned};
use crate::plan::PlanOptions;

/// Matrices and views, to owned matrices.
///
/// Strides may have either sign or be 0, and there may be no elements.
pub trait ToDense<T> {
    /// The elements in a new matrix, column-major, with faer's gaps between the columns. A
    /// replacement of `to_owned`.
    ///
    /// # Errors
    /// [`CopyError::Allocation`] when the new matrix cannot be allocated;
    /// [`PlanError::ZeroElementSize`] for elements without bytes, of which faer has no matrices.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
    fn to_dense(&self) -> Result<Mat<T>, CopyError> {
        self.to_dense_with(&PlanOptions::default(), HugePages::Auto)
    }

    /// [`ToDense::to_dense`] by a plan of these options.
    ///
    /// # Errors
    /// As [`ToDense::to_dense`], or what the options make [`crate::Plan::new`] refuse.
    ///
    /// # Panics
    /// As [`ToDense::to_dense`].
    fn to_dense_with(&self, options: &PlanOptions, pages: HugePages) -> Result<Mat<T>, CopyError>;
}

impl<T, M> ToDense<T> for M
where
    T: Copy + Send + Sync,
    M: AsMatRef<T = T, Rows = usize, Cols = usize>,
{
    fn to_dense_with(&self, options: &PlanOptions, pages: HugePages) -> Result<Mat<T>, CopyError> {
        if size_of::<T>() == 0 {
            return Err(PlanError::ZeroElementSize.into());
        }
        let from = self.as_mat_ref();
        let (rows, columns) = from.shape();
        let mut out = Mat::<T>::new();
        out.try_reserve(rows, columns).map_err(|refused| CopyError::Allocation {
            bytes: match refused {
                TryReserveError::AllocError { layout } => layout.size(),
                TryReserveError::CapacityOverflow => {
                    rows.saturating_mul(columns).saturating_mul(size_of::<T>())
                }
            },
        })?;
        let first = out.as_ptr_mut();
        let (shape, strides) = ([rows, columns], [1, out.col_stride()]);
        if pages == HugePages::Auto {
            // Where the size allows it faer begins every column on a cache line.
            let line = if size_of::<T>().is_power_of_two() { 64 } else { 1 };
            let bytes = out.col_stride().unsigned_abs() * columns * size_of::<T>();
            advise_aligned(first.cast(), bytes, align_of::<T>().max(line));
        }
        // SAFETY: the new matrix has room for as many rows and columns, one element and a column's
        // room apart, and nobody else knows it.
        let places = unsafe { Destination::new(first, &shape, &strides) };
        copy(from, places, options)?;
        // SAFETY: there is room for as many rows and columns, and the copy has written them.
        unsafe { out.set_dims(rows, columns) };
        Ok(out)
    }
}

/// Matrices and mutable views, written from others.
pub trait TryCopyFrom<T> {
    /// Writes the elements of `src`, which has the same shape, to this matrix' places. A
    /// replacement of `copy_from`, with an error value where that panics.
    ///
    /// # Errors
    /// [`LayoutError::ShapesDiffer`](crate::LayoutError::ShapesDiffer). Nothing is written then.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
    ///
    /// ```
    /// use faer::Mat;
    /// use restride::interop::faer::TryCopyFrom;
    ///
    /// let (mut a, b) = (Mat::<f64>::zeros(2, 3), Mat::<f64>::identity(3, 2));
    /// let refused = a.try_copy_from(&b).unwrap_err();
    /// assert_eq!(refused.to_string(), "the source has shape [3, 2], but the destination [2, 3]");
    /// a.try_copy_from(b.transpose())?;
    /// assert_eq!(a, Mat::<f64>::identity(2, 3));
    /// # Ok::<(), restride::CopyError>(())
    /// ```
    fn try_copy_from(
        &mut self,
        src: impl AsMatRef<T = T, Rows = usize, Cols = usize>,
    ) -> Result<(), CopyError>;
}

impl<T, M> TryCopyFrom<T> for M
where
    T: Copy + Send + Sync,
    M: AsMatMut<T = T, Rows = usize, Cols = usize>,
{
    fn try_copy_from(
        &mut self,
        src: impl AsMatRef<T = T, Rows = usize, Cols = usize>,
    ) -> Result<(), CopyError> {
        let to: MatMut<'_, T> = self.as_mat_mut();
        let (rows, columns) = to.shape();
        let (shape, strides) = ([rows, columns], [to.row_stride(), to.col_stride()]);
        // SAFETY: the matrix is borrowed mutably, so that until the copy is done nobody else reads
        // or writes its elements, which the pointer and the strides address in one allocation.
        let places = unsafe { Destination::new(to.as_ptr_mut(), &shape, &strides) };
        copy(src.as_mat_ref(), places, &PlanOptions::default())
    }
}

/// Copies the elements of `from` to `places`.
fn copy<T: Copy + Send + Sync>(
    from: MatRef<'_, T>,
    places: Destination<'_, T>,
    options: &PlanOptions,
) -> Result<(), CopyError> {
    let (rows, columns) = from.shape();
    let (shape, strides) = ([rows, columns], [from.row_stride(), from.col_stride()]);
    // SAFETY: the matrix is borrowed: its elements, which the pointer and the strides address, are
    // initialized, in one allocation, and written by nobody meanwhile.
    unsafe { Source::new(from.as_ptr(), &shape, &strides) }.copy_to(places, options)
}
