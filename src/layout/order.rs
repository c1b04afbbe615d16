//! The storage elements of a layout in logical order.

use core::iter::FusedIterator;

use super::{Layout, Shape};

impl Layout {
    /// The storage element of every element, in logical row-major order (last axis fastest).
    pub fn storage_order(&self) -> StorageOrder<'_> {
        StorageOrder {
            layout: self,
            index: Shape::from_elem(0, self.rank()),
            position: self.offset as isize,
            left: self.numel(),
        }
    }
}

/// Iterator of [`Layout::storage_order`].
#[derive(Clone, Debug)]
pub struct StorageOrder<'a> {
    layout: &'a Layout,
    index: Shape,
    /// Storage element of `index`.
    position: isize,
    left: usize,
}

impl Iterator for StorageOrder<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let current = self.position as usize;
        if self.left == 0 {
            return Some(current);
        }
        // Only positions of elements are computed, and those fit isize.
        for axis in (0..self.index.len()).rev() {
            let (size, stride) = (self.layout.shape[axis], self.layout.strides[axis]);
            if size == 1 {
                continue;
            }
            if self.index[axis] + 1 < size {
                self.index[axis] += 1;
                self.position += stride;
                break;
            }
            self.index[axis] = 0;
            self.position -= (size - 1) as isize * stride;
        }
        Some(current)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for StorageOrder<'_> {}
impl FusedIterator for StorageOrder<'_> {}
