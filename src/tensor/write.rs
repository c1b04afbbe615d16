//! Writing through a view: every other view of the storage sees it.

use super::{Additive, Tensor, TensorError};
use crate::copy::{View, contiguous, copy, copy_within};
use crate::error::LayoutError;
use crate::layout::Layout;
use crate::layout::overlap::{Overlap, share_element};
use crate::tensor::accumulate::accumulate;

/// What to do when source and destination share an element, so that writing one changes the other
/// (or when that cannot be ruled out within bounded work).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnOverlap {
    /// Say so, and write nothing.
    #[default]
    Refuse,
    /// Copy the source into a buffer first: the result is what the source held before.
    Buffer,
}

impl<T: Copy + Send + Sync> Tensor<T> {
    /// Writes the element at `index`, which names every axis.
    ///
    /// # Errors
    /// As [`Tensor::get`] for the index, and as [`Tensor::write`].
    pub fn set(&self, index: &[isize], value: T) -> Result<(), TensorError> {
        let element = self.element(index)?;
        self.write()?.elements_mut()[element] = value;
        Ok(())
    }

    /// Writes `value` to every element.
    ///
    /// ```
    /// use restride::tensor::{Tensor, TensorError};
    ///
    /// let x = Tensor::from_vec(vec![0; 6], &[2, 3])?;
    /// x.select(1, -1)?.fill(7)?;
    /// assert_eq!(x.to_vec()?, [0, 0, 7, 0, 0, 7]);
    ///
    /// let rows = Tensor::from_vec(vec![1, 2, 3], &[3])?.expand(&[2, 3])?;
    /// let refused = rows.fill(0).unwrap_err();
    /// assert!(matches!(refused, TensorError::SelfOverlap { .. }));
    /// assert!(refused.to_string().contains("materialize it first"));
    /// # Ok::<(), TensorError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::write`].
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed.
    pub fn fill(&self, value: T) -> Result<(), TensorError> {
        let repeated = Layout::from_parts(self.shape(), &vec![0; self.rank()], 0, 1)?;
        let mut open = self.write()?;
        Ok(copy(&View::new(repeated, &[value])?, open.view_mut()?)?)
    }

    /// Writes the elements of `src`, which has the same shape, to this tensor's places.
    ///
    /// ```
    /// use restride::tensor::{OnOverlap, Tensor, TensorError};
    ///
    /// let x = Tensor::from_vec(vec![1, 2, 3, 4], &[4])?;
    /// let (head, tail) = (x.narrow(0, 0, 3)?, x.narrow(0, 1, 3)?);
    /// let refused = tail.copy_from(&head, OnOverlap::Refuse);
    /// assert_eq!(refused, Err(TensorError::Overlap { certain: true }));
    /// tail.copy_from(&head, OnOverlap::Buffer)?;
    /// assert_eq!(x.to_vec()?, [1, 1, 2, 3]);
    /// # Ok::<(), TensorError>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::ShapesDiffer`]; [`TensorError::Overlap`] when the two share an element, or
    /// may, and `on_overlap` does not ask for a buffer; [`TensorError::Copy`] when the buffer
    /// cannot be allocated; [`TensorError::InUse`] while somebody writes the source's storage; and
    /// as [`Tensor::write`].
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed.
    pub fn copy_from(&self, src: &Self, on_overlap: OnOverlap) -> Result<(), TensorError> {
        match self.source(src, on_overlap)? {
            Source::Apart => {
                let (src, mut open) = (src.read()?, self.write()?);
                copy(&View::new(src.layout().clone(), src.elements())?, open.view_mut()?)?;
            }
            Source::SameStorage => {
                copy_within(self.write()?.elements_mut(), &src.layout, &self.layout)?;
            }
            Source::Buffered => {
                let mut open = self.write()?;
                let buffer = contiguous(&src.layout, open.elements())?;
                copy(&View::new(Layout::contiguous(self.shape())?, &buffer)?, open.view_mut()?)?;
            }
        }
        Ok(())
    }

    /// How the elements of `src` may be read while this tensor is written.
    fn source(&self, src: &Self, on_overlap: OnOverlap) -> Result<Source, TensorError> {
        if src.shape() != self.shape() {
            let (src, dst) = (src.shape().into(), self.shape().into());
            return Err(LayoutError::ShapesDiffer { src, dst }.into());
        }
        if !self.shares_storage(src) {
            return Ok(Source::Apart);
        }
        match (share_element(&src.layout, &self.layout), on_overlap) {
            (Overlap::No, _) => Ok(Source::SameStorage),
            (_, OnOverlap::Buffer) => Ok(Source::Buffered),
            (overlap, _) => Err(TensorError::Overlap { certain: overlap == Overlap::Yes }),
        }
    }
}

/// Where a source lies, seen from its destination.
enum Source {
    /// In another storage.
    Apart,
    /// In the same storage, without a shared element.
    SameStorage,
    /// In the same storage, to be buffered.
    Buffered,
}

impl<T: Additive> Tensor<T> {
    /// Adds the elements of `src`, which has the same shape, to this tensor's: how the gradients
    /// of a tensor that is used several times come together. Where both are views of one storage
    /// the source is copied first.
    ///
    /// # Errors
    /// As [`Tensor::copy_from`].
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed.
    pub fn add_from(&self, src: &Self, on_overlap: OnOverlap) -> Result<(), TensorError> {
        match self.source(src, on_overlap)? {
            Source::Apart => {
                let (src, mut open) = (src.read()?, self.write()?);
                accumulate(open.elements_mut(), &self.layout, src.elements(), src.layout())?;
            }
            Source::SameStorage | Source::Buffered => {
                // One slice cannot be borrowed for both: the source is buffered in any case.
                let mut open = self.write()?;
                let buffer = contiguous(&src.layout, open.elements())?;
                let dense = Layout::contiguous(self.shape())?;
                accumulate(open.elements_mut(), &self.layout, &buffer, &dense)?;
            }
        }
        Ok(())
    }
}
