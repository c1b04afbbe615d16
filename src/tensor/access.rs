//! What a tensor's storage looks like while it is open: borrowed for reading or for writing.

use std::sync::{RwLockReadGuard, RwLockWriteGuard};

use super::{Tensor, TensorError};
use crate::copy::ViewMut;
use crate::error::CopyError;
use crate::layout::Layout;
use crate::layout::overlap::{Overlap, self_overlap};

/// A tensor open for reading. While it is there nobody writes the storage, and who tries is told
/// so at once.
#[derive(Debug)]
pub struct Read<'a, T> {
    elements: RwLockReadGuard<'a, Vec<T>>,
    layout: &'a Layout,
}

impl<T> Read<'_, T> {
    /// Where each element of the tensor lies in [`elements`](Self::elements).
    pub fn layout(&self) -> &Layout {
        self.layout
    }

    /// The whole storage.
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// The tensor's elements in logical order, when they lie in memory in that order.
    pub fn as_slice(&self) -> Option<&[T]> {
        let within = dense_range(self.layout)?;
        Some(&self.elements[within])
    }

    /// The tensor's elements in logical row-major order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.layout.storage_order().map(|element| &self.elements[element])
    }
}

/// A tensor open for writing. While it is there nobody else reads or writes the storage, and who
/// tries is told so at once.
#[derive(Debug)]
pub struct Write<'a, T> {
    elements: RwLockWriteGuard<'a, Vec<T>>,
    layout: &'a Layout,
}

impl<T> Write<'_, T> {
    /// Where each element of the tensor lies in [`elements`](Self::elements). No two share a place.
    pub fn layout(&self) -> &Layout {
        self.layout
    }

    /// The whole storage.
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// The whole storage.
    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }

    /// The tensor's elements in logical order, when they lie in memory in that order.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let within = dense_range(self.layout)?;
        Some(&mut self.elements[within])
    }

    /// The tensor as the destination of a [`copy`](crate::copy()).
    pub(super) fn view_mut(&mut self) -> Result<ViewMut<'_, T>, CopyError>
    where
        T: Copy,
    {
        ViewMut::new(self.layout.clone(), &mut self.elements)
    }
}

impl<T> Tensor<T> {
    /// Opens the tensor for reading. It holds the storage until it is dropped; see
    /// [the rules](super#who-may-read-and-write).
    ///
    /// # Errors
    /// [`TensorError::InUse`] while somebody writes the storage.
    pub fn read(&self) -> Result<Read<'_, T>, TensorError> {
        Ok(Read { elements: self.storage.read()?, layout: &self.layout })
    }

    /// Opens the tensor for writing, which counts as a change of its storage. It holds the storage
    /// until it is dropped; see [the rules](super#who-may-read-and-write).
    ///
    /// # Errors
    /// [`TensorError::SelfOverlap`] when the view shows an element more than once (or that cannot
    /// be ruled out within bounded work), as an expanded one does: to write one of its elements
    /// would change others. [`TensorError::InUse`] while somebody else reads or writes the storage.
    pub fn write(&self) -> Result<Write<'_, T>, TensorError> {
        match self_overlap(&self.layout) {
            Overlap::No => Ok(Write { elements: self.storage.write()?, layout: &self.layout }),
            overlap => Err(TensorError::SelfOverlap {
                shape: self.shape().into(),
                strides: self.strides().into(),
                certain: overlap == Overlap::Yes,
            }),
        }
    }
}

/// Where the elements of a dense row-major layout lie; `None` for any other.
fn dense_range(layout: &Layout) -> Option<core::ops::Range<usize>> {
    match layout.reach() {
        None => Some(0..0),
        Some((first, last)) => layout.is_contiguous().then_some(first..last + 1),
    }
}
