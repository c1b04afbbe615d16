//! [nalgebra]: matrices and views of any strides, to owned matrices and into each other.
//!
//! The methods are those of every [`Matrix`] with a row or column count known at run time only:
//! where both are part of the type, the compiler makes a few moves of the whole copy. Before, with
//! nalgebra alone:
//!
//! ```
//! use nalgebra::DMatrix;
//!
//! let a = DMatrix::from_fn(4, 6, |row, column| (10 * row + column) as f32);
//! let every_other = a.view_with_steps((0, 0), (2, 3), (1, 1));
//!
//! let owned = every_other.into_owned();
//! let transposed = a.transpose();
//!
//! let mut corner = DMatrix::zeros(6, 6);
//! corner.view_mut((0, 0), (6, 4)).copy_from(&transposed);
//! # assert_eq!(owned[(1, 2)], 24.0);
//! # assert_eq!(corner[(5, 3)], 35.0);
//! ```
//!
//! After:
//!
//! ```
//! use nalgebra::DMatrix;
//! use restride::interop::nalgebra::{ToDense, TryCopyFrom};
//!
//! let a = DMatrix::from_fn(4, 6, |row, column| (10 * row + column) as f32);
//! let every_other = a.view_with_steps((0, 0), (2, 3), (1, 1));
//!
//! let owned = every_other.to_dense()?;
//! let transposed = a.to_transposed()?;
//!
//! let mut corner = DMatrix::zeros(6, 6);
//! corner.view_mut((0, 0), (6, 4)).try_copy_from_transposed(&a)?;
//! # assert_eq!((owned[(1, 2)], corner[(5, 3)]), (24.0, 35.0));
//! # assert_eq!(transposed, a.transpose());
//! # Ok::<(), restride::CopyError>(())
//! ```
//!
//! `results/README.md`, under peers, has restride beside the crate's own copy: with fresh outputs and on
//! one thread, 1.5 times its speed for a transposed f32 matrix of 64 x 64, 12 times for 4096 x 4096.
//! `cargo bench --all-features --bench adapters -- nalgebra` measures the adapter on your machine.

use core::marker::PhantomData;

use nalgebra::allocator::Allocator;
use nalgebra::storage::{RawStorage, RawStorageMut};
use nalgebra::{Const, DefaultAllocator, Dim, Dyn, Matrix, OMatrix, Scalar, VecStorage};

use super::foreign::{Destination, Source};
use crate::error::CopyError;
use crate::exec::HugePages;
use crate::layout::Layout;
use crate::plan::PlanOptions;

/// Matrices and views, to owned column-major matrices. Strides may be 0.
pub trait ToDense<T: Scalar, R: Dim, C: Dim> {
    /// The elements in a new matrix. A replacement of `into_owned` and `clone_owned`.
    ///
    /// # Errors
    /// [`CopyError`] when the output is larger than `isize::MAX` bytes or cannot be allocated.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
    fn to_dense(&self) -> Result<OMatrix<T, R, C>, CopyError>
    where
        DefaultAllocator: InVector<T, R, C>,
    {
        self.to_dense_with(&PlanOptions::default(), HugePages::Auto)
    }

    /// [`ToDense::to_dense`] by a plan of these options.
    ///
    /// # Errors
    /// As [`ToDense::to_dense`], or what the options make [`crate::Plan::new`] refuse.
    ///
    /// # Panics
    /// As [`ToDense::to_dense`].
    fn to_dense_with(
        &self,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<OMatrix<T, R, C>, CopyError>
    where
        DefaultAllocator: InVector<T, R, C>;

    /// The elements in a new matrix with rows and columns exchanged. A replacement of `transpose`.
    ///
    /// # Errors
    /// As [`ToDense::to_dense`].
    ///
    /// # Panics
    /// As [`ToDense::to_dense`].
    fn to_transposed(&self) -> Result<OMatrix<T, C, R>, CopyError>
    where
        DefaultAllocator: InVector<T, C, R>,
    {
        self.to_transposed_with(&PlanOptions::default(), HugePages::Auto)
    }

    /// [`ToDense::to_transposed`] by a plan of these options.
    ///
    /// # Errors
    /// As [`ToDense::to_dense_with`].
    ///
    /// # Panics
    /// As [`ToDense::to_dense`].
    fn to_transposed_with(
        &self,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<OMatrix<T, C, R>, CopyError>
    where
        DefaultAllocator: InVector<T, C, R>;
}

impl<T, R: Dim, C: Dim, S: RawStorage<T, R, C>> ToDense<T, R, C> for Matrix<T, R, C, S>
where
    T: Scalar + Copy + Send + Sync,
{
    fn to_dense_with(
        &self,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<OMatrix<T, R, C>, CopyError>
    where
        DefaultAllocator: InVector<T, R, C>,
    {
        let (rows, columns) = self.shape_generic();
        let elements = Seen::of(self).to_vec(options, pages)?;
        Ok(DefaultAllocator::matrix(rows, columns, elements))
    }

    fn to_transposed_with(
        &self,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<OMatrix<T, C, R>, CopyError>
    where
        DefaultAllocator: InVector<T, C, R>,
    {
        let (rows, columns) = self.shape_generic();
        let elements = Seen::of(self).transposed().to_vec(options, pages)?;
        Ok(DefaultAllocator::matrix(columns, rows, elements))
    }
}

/// An allocator whose matrices of `R` rows and `C` columns lie in a vector: nalgebra's own, where one
/// of the two is known at run time only.
pub trait InVector<T: Scalar, R: Dim, C: Dim>: Allocator<R, C> {
    /// The matrix of these elements, column by column, in their vector.
    ///
    /// # Panics
    /// Unless there are as many elements as the shape has.
    fn matrix(rows: R, columns: C, elements: Vec<T>) -> OMatrix<T, R, C>
    where
        DefaultAllocator: Allocator<R, C>;
}

impl<T: Scalar, C: Dim> InVector<T, Dyn, C> for DefaultAllocator {
    fn matrix(rows: Dyn, columns: C, elements: Vec<T>) -> OMatrix<T, Dyn, C> {
        OMatrix::from_data(VecStorage::new(rows, columns, elements))
    }
}

impl<T: Scalar, const R: usize> InVector<T, Const<R>, Dyn> for DefaultAllocator {
    fn matrix(rows: Const<R>, columns: Dyn, elements: Vec<T>) -> OMatrix<T, Const<R>, Dyn> {
        OMatrix::from_data(VecStorage::new(rows, columns, elements))
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
    /// use nalgebra::DMatrix;
    /// use restride::interop::nalgebra::TryCopyFrom;
    ///
    /// let mut a = DMatrix::<f64>::zeros(2, 3);
    /// let refused = a.try_copy_from(&DMatrix::identity(3, 2)).unwrap_err();
    /// assert_eq!(refused.to_string(), "the source has shape [3, 2], but the destination [2, 3]");
    /// a.try_copy_from_transposed(&DMatrix::identity(3, 2))?;
    /// assert_eq!(a, DMatrix::identity(2, 3));
    /// # Ok::<(), restride::CopyError>(())
    /// ```
    fn try_copy_from<R: Dim, C: Dim, S: RawStorage<T, R, C>>(
        &mut self,
        src: &Matrix<T, R, C, S>,
    ) -> Result<(), CopyError>;

    /// Writes the elements of `src`, rows and columns exchanged, to this matrix' places. A
    /// replacement of `src.transpose_to(self)`.
    ///
    /// # Errors
    /// As [`TryCopyFrom::try_copy_from`], for the shape of `src` with its axes exchanged.
    ///
    /// # Panics
    /// As [`TryCopyFrom::try_copy_from`].
    fn try_copy_from_transposed<R: Dim, C: Dim, S: RawStorage<T, R, C>>(
        &mut self,
        src: &Matrix<T, R, C, S>,
    ) -> Result<(), CopyError>;
}

impl<T, R: Dim, C: Dim, S: RawStorageMut<T, R, C>> TryCopyFrom<T> for Matrix<T, R, C, S>
where
    T: Scalar + Copy + Send + Sync,
{
    fn try_copy_from<R2: Dim, C2: Dim, S2: RawStorage<T, R2, C2>>(
        &mut self,
        src: &Matrix<T, R2, C2, S2>,
    ) -> Result<(), CopyError> {
        Seen::of(src).copy_to(self)
    }

    fn try_copy_from_transposed<R2: Dim, C2: Dim, S2: RawStorage<T, R2, C2>>(
        &mut self,
        src: &Matrix<T, R2, C2, S2>,
    ) -> Result<(), CopyError> {
        Seen::of(src).transposed().copy_to(self)
    }
}

/// The elements of a matrix, as it is or transposed.
struct Seen<'a, T> {
    first: *const T,
    shape: [usize; 2],
    strides: [isize; 2],
    matrix: PhantomData<&'a [T]>,
}

impl<'a, T: Copy + Send + Sync> Seen<'a, T> {
    fn of<R: Dim, C: Dim, S: RawStorage<T, R, C>>(matrix: &'a Matrix<T, R, C, S>) -> Self {
        let (shape, strides) = numbers(matrix);
        Self { first: matrix.as_ptr(), shape, strides, matrix: PhantomData }
    }

    fn transposed(mut self) -> Self {
        self.shape.reverse();
        self.strides.reverse();
        self
    }

    fn source(&self) -> Source<'_, T> {
        // SAFETY: the matrix is borrowed for `'a`: its elements, which the pointer and the strides
        // address in this order of the axes or the other, are initialized, in one allocation, and
        // written by nobody meanwhile. `RawStorage` vouches for the three.
        unsafe { Source::new(self.first, &self.shape, &self.strides) }
    }

    fn to_vec(&self, options: &PlanOptions, pages: HugePages) -> Result<Vec<T>, CopyError> {
        self.source().to_vec(&Layout::column_major(&self.shape)?, options, pages)
    }

    fn copy_to<R: Dim, C: Dim, S: RawStorageMut<T, R, C>>(
        &self,
        to: &mut Matrix<T, R, C, S>,
    ) -> Result<(), CopyError> {
        let (shape, strides) = numbers(to);
        // SAFETY: the matrix is borrowed mutably, so that until the copy is done nobody else reads
        // or writes its elements, which the pointer and the strides address in one allocation.
        // `RawStorageMut` vouches for the three.
        let places = unsafe { Destination::new(to.as_mut_ptr(), &shape, &strides) };
        self.source().copy_to(places, &PlanOptions::default())
    }
}

/// Shape and strides of a matrix, rows first, in elements.
fn numbers<T, R: Dim, C: Dim, S: RawStorage<T, R, C>>(
    matrix: &Matrix<T, R, C, S>,
) -> ([usize; 2], [isize; 2]) {
    let ((rows, columns), (down, across)) = (matrix.shape(), matrix.strides());
    // A stride past `isize::MAX` is one that nothing steps along, or the plan refuses the span.
    let step = |stride: usize| isize::try_from(stride).unwrap_or(isize::MAX);
    ([rows, columns], [step(down), step(across)])
}
