//! Operations that lead to a new storage, or may: contiguous, reshape, copies, vectors.
//!
//! All copies run as planned by [`Plan`](crate::Plan), in the current rayon pool where they are
//! large.

use super::{Tensor, TensorError};
use crate::copy::contiguous;
use crate::layout::{Layout, MemoryFormat, Reshaped};
use crate::tensor::scatter::in_storage_order;

/// What a reshape came to. Either way the elements are the same, in the same logical order.
#[derive(Debug)]
pub enum ViewOrCopy<T> {
    /// A view: it shares the storage.
    View(Tensor<T>),
    /// A copy, in a storage of its own, since no strides describe the view.
    Copy(Tensor<T>),
}

impl<T> ViewOrCopy<T> {
    /// The tensor, whichever it is.
    pub fn into_tensor(self) -> Tensor<T> {
        match self {
            Self::View(tensor) | Self::Copy(tensor) => tensor,
        }
    }

    /// The tensor, whichever it is.
    pub fn tensor(&self) -> &Tensor<T> {
        match self {
            Self::View(tensor) | Self::Copy(tensor) => tensor,
        }
    }

    /// Whether elements were copied.
    pub fn is_copy(&self) -> bool {
        matches!(self, Self::Copy(_))
    }
}

impl<T: Copy + Send + Sync> Tensor<T> {
    /// The same elements in another shape: a view where strides describe it, else a dense copy.
    /// One size may be -1.
    ///
    /// ```
    /// use restride::tensor::Tensor;
    ///
    /// let x = Tensor::from_vec(vec![0, 1, 2, 3, 4, 5], &[2, 3])?;
    /// assert!(!x.reshape(&[3, 2])?.is_copy());
    /// let flat = x.t().reshape(&[-1])?;
    /// assert!(flat.is_copy());
    /// assert_eq!(flat.tensor().to_vec()?, [0, 3, 1, 4, 2, 5]);
    /// # Ok::<(), restride::tensor::TensorError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Layout::reshape`], and [`Tensor::to_vec`] where it copies.
    ///
    /// # Panics
    /// When it copies, and the environment variable `RESTRIDE_ISA` cannot be obeyed.
    pub fn reshape(&self, shape: &[isize]) -> Result<ViewOrCopy<T>, TensorError> {
        self.reshaped(self.layout.reshape(shape)?)
    }

    /// Axes `start` to `end`, both included, as one: a view where strides describe it, else a
    /// dense copy.
    ///
    /// # Errors
    /// As [`Layout::flatten`], and [`Tensor::to_vec`] where it copies.
    ///
    /// # Panics
    /// As [`Tensor::reshape`].
    pub fn flatten(&self, start: isize, end: isize) -> Result<ViewOrCopy<T>, TensorError> {
        self.reshaped(self.layout.flatten(start, end)?)
    }

    /// The tensor itself (another handle) when it is dense row-major already, else a copy that is.
    ///
    /// # Errors
    /// As [`Tensor::to_vec`], where it copies.
    ///
    /// # Panics
    /// As [`Tensor::reshape`].
    pub fn contiguous(&self) -> Result<Self, TensorError> {
        self.contiguous_in(MemoryFormat::Contiguous)
    }

    /// The tensor itself (another handle) when it has the memory format already, else a copy that
    /// has it.
    ///
    /// # Errors
    /// As [`Layout::to_memory_format`], and [`Tensor::to_vec`] where it copies.
    ///
    /// # Panics
    /// As [`Tensor::reshape`].
    pub fn contiguous_in(&self, format: MemoryFormat) -> Result<Self, TensorError> {
        match self.layout.to_memory_format(format)? {
            Reshaped::View(view) => Ok(self.through(view)),
            Reshaped::Copy(dense) => self.copied_to(dense),
        }
    }

    /// A copy, in a storage of its own, whose axes keep the order they have in memory (PyTorch's
    /// `clone()`).
    ///
    /// # Errors
    /// As [`Tensor::to_vec`].
    ///
    /// # Panics
    /// As [`Tensor::reshape`].
    pub fn deep_clone(&self) -> Result<Self, TensorError> {
        self.deep_clone_in(MemoryFormat::Preserve)
    }

    /// A copy, in a storage of its own, in the memory format.
    ///
    /// # Errors
    /// As [`Layout::dense_in`], and [`Tensor::to_vec`].
    ///
    /// # Panics
    /// As [`Tensor::reshape`].
    pub fn deep_clone_in(&self, format: MemoryFormat) -> Result<Self, TensorError> {
        self.copied_to(self.layout.dense_in(format)?)
    }

    /// The elements in logical row-major order.
    ///
    /// # Errors
    /// [`TensorError::InUse`] while somebody writes the storage; [`TensorError::Copy`] when the
    /// vector is too large or cannot be allocated.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed.
    pub fn to_vec(&self) -> Result<Vec<T>, TensorError> {
        Ok(contiguous(&self.layout, self.read()?.elements())?)
    }

    /// The elements in logical row-major order: the storage's own vector, without a copy, when this
    /// is its only handle and shows all of it in that order.
    ///
    /// # Errors
    /// As [`Tensor::to_vec`], where it copies.
    ///
    /// # Panics
    /// As [`Tensor::to_vec`], where it copies.
    pub fn into_vec(self) -> Result<Vec<T>, TensorError> {
        if self.is_contiguous() && self.numel() == self.storage.len() {
            match self.storage.into_vec() {
                Ok(vec) => return Ok(vec),
                Err(storage) => return Self { storage, layout: self.layout }.to_vec(),
            }
        }
        self.to_vec()
    }

    /// The element at `index`, which names every axis.
    ///
    /// # Errors
    /// [`LayoutError::WrongCount`](crate::LayoutError::WrongCount),
    /// [`LayoutError::IndexOutOfRange`](crate::LayoutError::IndexOutOfRange);
    /// [`TensorError::InUse`] while somebody writes the storage.
    pub fn get(&self, index: &[isize]) -> Result<T, TensorError> {
        let element = self.element(index)?;
        Ok(self.read()?.elements()[element])
    }

    fn reshaped(&self, result: Reshaped) -> Result<ViewOrCopy<T>, TensorError> {
        Ok(match result {
            Reshaped::View(view) => ViewOrCopy::View(self.through(view)),
            Reshaped::Copy(dense) => {
                ViewOrCopy::Copy(Self { storage: self.to_vec()?.into(), layout: dense })
            }
        })
    }

    /// A copy laid out as `to`, which fills its storage from its first element to its last.
    fn copied_to(&self, to: Layout) -> Result<Self, TensorError> {
        let (_, from) = in_storage_order(&to, &self.layout)?;
        let vec = contiguous(&from, self.read()?.elements())?;
        Ok(Self { storage: vec.into(), layout: to })
    }
}
