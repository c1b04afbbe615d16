//! Which orders a layout is dense in: its elements fill a block of storage without gaps or
//! repeats, and walking the axes in that order walks the block forwards.

use smallvec::SmallVec;

use super::Layout;

impl Layout {
    /// Whether the elements lie dense in row-major order. Unit axes have no say; an empty
    /// layout is dense in every order.
    pub fn is_contiguous(&self) -> bool {
        self.is_empty() || self.is_dense_along((0..self.rank()).rev())
    }

    /// Whether the elements lie dense in column-major order (NumPy's Fortran order).
    pub fn is_column_major(&self) -> bool {
        self.is_empty() || self.is_dense_along(0..self.rank())
    }

    /// Whether some order of the axes makes the layout dense (PyTorch's non-overlapping and
    /// dense). An axis walked backwards does not count as dense.
    pub fn is_dense_in_some_order(&self) -> bool {
        self.is_empty() || {
            let mut order: SmallVec<[usize; 6]> =
                (0..self.rank()).filter(|&axis| self.shape[axis] > 1).collect();
            order.sort_by_key(|&axis| self.strides[axis]);
            self.is_dense_along(order.into_iter())
        }
    }

    /// Whether the layout is dense with channels innermost: NHWC order for the shape
    /// `[N, C, H, W]`, NDHWC for `[N, C, D, H, W]`. False at other ranks. As in PyTorch, an
    /// empty layout's strides are compared too.
    pub fn is_channels_last(&self) -> bool {
        match self.rank() {
            4 => self.is_dense_along([1, 3, 2, 0].into_iter()),
            5 => self.is_dense_along([1, 4, 3, 2, 0].into_iter()),
            _ => false,
        }
    }

    /// Whether each axis of `order`, innermost first, steps over exactly the elements of those
    /// before it.
    fn is_dense_along(&self, order: impl Iterator<Item = usize>) -> bool {
        let mut step = 1usize; // at most the element count, which fits isize
        for axis in order {
            let size = self.shape[axis];
            if size != 1 {
                if self.strides[axis] != step as isize {
                    return false;
                }
                step *= size;
            }
        }
        true
    }
}
