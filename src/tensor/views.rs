//! View operations: the result shares the storage, no element moves.
//!
//! Each is the operation of the same name of [`Layout`], which says what it means and when it is
//! refused.

use super::Tensor;
use crate::error::LayoutError;
use crate::layout::{IndexItem, Layout};

impl<T> Tensor<T> {
    /// All axes in reverse order (`.T`).
    pub fn t(&self) -> Self {
        self.through(self.layout.t())
    }

    /// The last two axes exchanged (`.mT`).
    ///
    /// # Errors
    /// As [`Layout::mt`].
    pub fn mt(&self) -> Result<Self, LayoutError> {
        self.layout.mt().map(|view| self.through(view))
    }

    /// Axis `i` of the result is axis `axes[i]`.
    ///
    /// # Errors
    /// As [`Layout::permute`].
    pub fn permute(&self, axes: &[isize]) -> Result<Self, LayoutError> {
        self.layout.permute(axes).map(|view| self.through(view))
    }

    /// Two axes exchanged.
    ///
    /// # Errors
    /// As [`Layout::transpose`].
    pub fn transpose(&self, a: isize, b: isize) -> Result<Self, LayoutError> {
        self.layout.transpose(a, b).map(|view| self.through(view))
    }

    /// [`Tensor::transpose`] by NumPy's name.
    ///
    /// # Errors
    /// As [`Layout::transpose`].
    pub fn swapaxes(&self, a: isize, b: isize) -> Result<Self, LayoutError> {
        self.transpose(a, b)
    }

    /// Axis `from[i]` at place `to[i]`, the others in order around them.
    ///
    /// # Errors
    /// As [`Layout::movedim`].
    pub fn movedim(&self, from: &[isize], to: &[isize]) -> Result<Self, LayoutError> {
        self.layout.movedim(from, to).map(|view| self.through(view))
    }

    /// `axes` walked backwards, by negative strides.
    ///
    /// # Errors
    /// As [`Layout::flip`].
    pub fn flip(&self, axes: &[isize]) -> Result<Self, LayoutError> {
        self.layout.flip(axes).map(|view| self.through(view))
    }

    /// Without the axes of size 1.
    pub fn squeeze(&self) -> Self {
        self.through(self.layout.squeeze())
    }

    /// Without those of `axes` that have size 1.
    ///
    /// # Errors
    /// As [`Layout::squeeze_dims`].
    pub fn squeeze_dims(&self, axes: &[isize]) -> Result<Self, LayoutError> {
        self.layout.squeeze_dims(axes).map(|view| self.through(view))
    }

    /// With a new axis of size 1 at place `axis`.
    ///
    /// # Errors
    /// As [`Layout::unsqueeze`].
    pub fn unsqueeze(&self, axis: isize) -> Result<Self, LayoutError> {
        self.layout.unsqueeze(axis).map(|view| self.through(view))
    }

    /// Axes of size 1, and new ones in front, repeated until the shape is `shape`; -1 keeps an
    /// axis. Unless the repeated axes have size 1 still, the result cannot be written through.
    ///
    /// # Errors
    /// As [`Layout::expand`].
    pub fn expand(&self, shape: &[isize]) -> Result<Self, LayoutError> {
        self.layout.expand(shape).map(|view| self.through(view))
    }

    /// [`Tensor::expand`] by NumPy's name.
    ///
    /// # Errors
    /// As [`Layout::expand`].
    pub fn broadcast_to(&self, shape: &[isize]) -> Result<Self, LayoutError> {
        self.expand(shape)
    }

    /// `len` indices of `axis`, from `start` on.
    ///
    /// # Errors
    /// As [`Layout::narrow`].
    pub fn narrow(&self, axis: isize, start: isize, len: isize) -> Result<Self, LayoutError> {
        self.layout.narrow(axis, start, len).map(|view| self.through(view))
    }

    /// Index `index` of `axis`, which goes away.
    ///
    /// # Errors
    /// As [`Layout::select`].
    pub fn select(&self, axis: isize, index: isize) -> Result<Self, LayoutError> {
        self.layout.select(axis, index).map(|view| self.through(view))
    }

    /// `start:stop:step` along `axis`, with Python's meaning.
    ///
    /// # Errors
    /// As [`Layout::slice`].
    pub fn slice(
        &self,
        axis: isize,
        start: Option<isize>,
        stop: Option<isize>,
        step: isize,
    ) -> Result<Self, LayoutError> {
        self.layout.slice(axis, start, stop, step).map(|view| self.through(view))
    }

    /// NumPy's basic indexing, `x[items]`.
    ///
    /// # Errors
    /// As [`Layout::index`].
    pub fn index(&self, items: &[IndexItem]) -> Result<Self, LayoutError> {
        self.layout.index(items).map(|view| self.through(view))
    }

    /// The diagonal of axes `a` and `b` as a new last axis.
    ///
    /// # Errors
    /// As [`Layout::diagonal`].
    pub fn diagonal(&self, offset: isize, a: isize, b: isize) -> Result<Self, LayoutError> {
        self.layout.diagonal(offset, a, b).map(|view| self.through(view))
    }

    /// Windows of `size` indices along `axis`, every `step` indices; a new last axis runs inside
    /// one. Windows that overlap cannot be written through.
    ///
    /// # Errors
    /// As [`Layout::unfold`].
    pub fn unfold(&self, axis: isize, size: isize, step: isize) -> Result<Self, LayoutError> {
        self.layout.unfold(axis, size, step).map(|view| self.through(view))
    }

    /// The storage through any layout inside it. Without an `offset` this tensor's is kept.
    ///
    /// # Errors
    /// As [`Layout::as_strided`].
    pub fn as_strided(
        &self,
        shape: &[isize],
        strides: &[isize],
        offset: Option<isize>,
    ) -> Result<Self, LayoutError> {
        let view = self.layout.as_strided(shape, strides, offset, self.storage.len())?;
        Ok(self.through(view))
    }

    /// Axis `axis` as several axes; one size may be -1.
    ///
    /// # Errors
    /// As [`Layout::unflatten`].
    pub fn unflatten(&self, axis: isize, sizes: &[isize]) -> Result<Self, LayoutError> {
        self.layout.unflatten(axis, sizes).map(|view| self.through(view))
    }

    /// The same elements in another shape; one size may be -1. Refused where it would take a copy:
    /// [`Tensor::reshape`] makes one.
    ///
    /// # Errors
    /// As [`Layout::view`].
    pub fn view(&self, shape: &[isize]) -> Result<Self, LayoutError> {
        self.layout.view(shape).map(|view| self.through(view))
    }

    /// Storage element of index `index`, which names every axis.
    pub(super) fn element(&self, index: &[isize]) -> Result<usize, LayoutError> {
        if index.len() != self.rank() {
            return Err(LayoutError::WrongCount {
                what: "indices of an element",
                given: index.len(),
                needed: self.rank(),
            });
        }
        let items: smallvec::SmallVec<[IndexItem; 6]> =
            index.iter().map(|&i| IndexItem::Int(i)).collect();
        self.layout.index(&items).map(|element: Layout| element.offset())
    }
}
