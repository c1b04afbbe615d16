//! The order of axes in memory that a dense copy should have.

use smallvec::SmallVec;

use super::{Layout, Reshaped, Shape, Strides};
use crate::error::LayoutError;

/// An order of the axes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryFormat {
    /// Row-major.
    #[default]
    Contiguous,
    /// `[N, C, H, W]` stored as NHWC.
    ChannelsLast,
    /// `[N, C, D, H, W]` stored as NDHWC.
    ChannelsLast3d,
    /// The order the source has.
    Preserve,
}

impl Layout {
    /// The layout itself when it is dense row-major already, else that of a dense copy.
    pub fn to_contiguous(&self) -> Reshaped {
        if self.is_contiguous() {
            Reshaped::View(self.clone())
        } else {
            Reshaped::Copy(Self::row_major(self.shape.clone()))
        }
    }

    /// The layout itself when it has memory format `format` already, else that of a dense copy
    /// which has it.
    ///
    /// # Errors
    /// As [`Layout::dense_in`].
    pub fn to_memory_format(&self, format: MemoryFormat) -> Result<Reshaped, LayoutError> {
        let dense = self.dense_in(format)?;
        let already = match format {
            MemoryFormat::Contiguous => self.is_contiguous(),
            MemoryFormat::ChannelsLast | MemoryFormat::ChannelsLast3d => self.is_channels_last(),
            MemoryFormat::Preserve => self.is_dense_in_some_order(),
        };
        Ok(if already { Reshaped::View(self.clone()) } else { Reshaped::Copy(dense) })
    }

    /// The layout, at offset 0, of a fresh dense copy in memory format `format`. With
    /// [`MemoryFormat::Preserve`] the axes keep the order of their strides, signs aside, and a layout that is
    /// dense in some order keeps its strides.
    ///
    /// # Errors
    /// [`LayoutError::FormatRank`] when the format is defined for another rank.
    pub fn dense_in(&self, format: MemoryFormat) -> Result<Self, LayoutError> {
        match format {
            MemoryFormat::Contiguous => Ok(Self::row_major(self.shape.clone())),
            MemoryFormat::ChannelsLast => self.dense_channels_last("channels_last", &[1, 3, 2, 0]),
            MemoryFormat::ChannelsLast3d => {
                self.dense_channels_last("channels_last_3d", &[1, 4, 3, 2, 0])
            }
            MemoryFormat::Preserve => Ok(self.dense_preserving_order()),
        }
    }

    /// The dense layout with axes `order`, innermost first. Unlike elsewhere, PyTorch lets an
    /// axis of size 0 make the strides after it 0.
    fn dense_channels_last(
        &self,
        format: &'static str,
        order: &[usize],
    ) -> Result<Self, LayoutError> {
        if self.rank() != order.len() {
            return Err(LayoutError::FormatRank { format, needed: order.len(), rank: self.rank() });
        }
        let mut strides = Strides::from_elem(0, self.rank());
        let mut step = 1usize;
        for &axis in order {
            strides[axis] = step as isize;
            step *= self.shape[axis];
        }
        Ok(Self { shape: self.shape.clone(), strides, offset: 0 })
    }

    /// The dense layout whose axes have the order of this layout's strides.
    fn dense_preserving_order(&self) -> Self {
        if self.is_dense_in_some_order() {
            return Self { offset: 0, ..self.clone() };
        }
        // Unit axes are left out of the order: their strides would disturb it.
        let order = self.axes_by_stride();
        let stepped: Shape = self.shape.clone();
        let mut result = Self::dense_from_innermost(stepped, order.into_iter());
        for axis in (0..self.rank()).rev().filter(|&axis| self.shape[axis] == 1) {
            result.strides[axis] = match self.shape.get(axis + 1) {
                Some(&size) => result.strides[axis + 1].saturating_mul(size as isize),
                None => 1,
            };
        }
        result
    }

    /// The axes of size 2 and more, innermost first, as PyTorch orders them for a copy that
    /// keeps the order: last axis first, then moved outwards past every axis with a smaller
    /// stride, or with an equal stride and a smaller size. A negative stride counts by how far it
    /// steps. A zero stride compares with nothing.
    fn axes_by_stride(&self) -> SmallVec<[usize; 6]> {
        let mut order: SmallVec<[usize; 6]> =
            (0..self.rank()).rev().filter(|&axis| self.shape[axis] > 1).collect();
        for i in 1..order.len() {
            let mut moving = i;
            for other in (0..i).rev() {
                let (a, b) = (order[other], order[moving]);
                let (sa, sb) = (self.strides[a].unsigned_abs(), self.strides[b].unsigned_abs());
                if sa == 0 || sb == 0 {
                    continue;
                }
                if sa > sb || (sa == sb && self.shape[a] > self.shape[b]) {
                    order.swap(other, moving);
                    moving = other;
                } else if sa < sb {
                    break;
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversed_axis_keeps_its_place_in_the_order() {
        let preserved = |layout: &Layout| layout.dense_in(MemoryFormat::Preserve).unwrap();
        let matrix = Layout::contiguous(&[3, 4]).unwrap();
        assert_eq!(preserved(&matrix.flip(&[0]).unwrap()).strides(), [4, 1]);
        let cube = Layout::contiguous(&[2, 3, 4]).unwrap();
        for axes in [&[0][..], &[1], &[2], &[0, 1], &[1, 2], &[0, 1, 2]] {
            assert_eq!(preserved(&cube.flip(axes).unwrap()).strides(), [12, 4, 1], "{axes:?}");
        }
    }
}
