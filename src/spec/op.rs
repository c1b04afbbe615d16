//! The operations a spec can name, with their arguments understood.

use super::rearrange::Rearrange;
use crate::layout::{IndexItem, MemoryFormat};

/// One view operation. Axes may be negative (counted from the end); sizes may be `-1` where
/// PyTorch infers them. Nothing is checked against a layout yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Op {
    /// `.T`: all axes reversed.
    T,
    /// `.mT`: the last two axes exchanged.
    MatrixT,
    /// `.t()`: a matrix transposed; vectors and scalars stay.
    SmallT,
    /// `.permute(dims)`.
    Permute(Vec<isize>),
    /// `.transpose(dim0, dim1)`, also called `swapaxes`.
    Transpose(isize, isize),
    /// `.movedim(source, destination)`.
    Movedim(Vec<isize>, Vec<isize>),
    /// `.flip(dims)`.
    Flip(Vec<isize>),
    /// `.squeeze()`: every unit axis dropped.
    Squeeze,
    /// `.squeeze(dims)`: these axes dropped where they are unit axes.
    SqueezeDims(Vec<isize>),
    /// `.unsqueeze(dim)`.
    Unsqueeze(isize),
    /// `.expand(sizes)`, also called `broadcast_to`.
    Expand(Vec<isize>),
    /// `.narrow(dim, start, length)`.
    Narrow {
        /// The axis.
        dim: isize,
        /// First index kept.
        start: isize,
        /// Number of indices kept.
        length: isize,
    },
    /// `.select(dim, index)`.
    Select {
        /// The axis.
        dim: isize,
        /// The index kept.
        index: isize,
    },
    /// `[…]`: basic indexing.
    Index(Vec<IndexItem>),
    /// `.diagonal(offset, dim1, dim2)`.
    Diagonal {
        /// Which diagonal; above the main one when positive.
        offset: isize,
        /// Axis of the rows.
        dim1: isize,
        /// Axis of the columns.
        dim2: isize,
    },
    /// `.unfold(dimension, size, step)`.
    Unfold {
        /// The axis.
        dim: isize,
        /// Length of each window.
        size: isize,
        /// Distance between windows.
        step: isize,
    },
    /// `.as_strided(size, stride, storage_offset)`.
    AsStrided {
        /// Sizes.
        shape: Vec<isize>,
        /// Strides, in elements.
        strides: Vec<isize>,
        /// Storage element of `[0, …, 0]`; the layout's own when absent.
        offset: Option<isize>,
    },
    /// `.flatten(start_dim, end_dim)`.
    Flatten(isize, isize),
    /// `.unflatten(dim, sizes)`.
    Unflatten(isize, Vec<isize>),
    /// `.view(shape)`: refused where it would have to copy.
    View(Vec<isize>),
    /// `.reshape(shape)`: copies where a view cannot exist.
    Reshape(Vec<isize>),
    /// `.contiguous(memory_format)`: copies unless the layout is already so.
    Contiguous(MemoryFormat),
    /// `.clone(memory_format)`: always copies.
    Clone(MemoryFormat),
    /// `.rearrange("… -> …", axis=size)`.
    Rearrange(Rearrange),
}
