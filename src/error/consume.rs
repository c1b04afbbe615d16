//! What may be wrong with the operands of a consumer.

use thiserror::Error;

use super::{CopyError, ErrorKind, LayoutError, counted};

/// A consumer that cannot read its operands: a sum, an addition or a matrix product.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConsumeError {
    /// Two shapes that do not broadcast to each other.
    #[error(
        "shapes {a:?} and {b:?} do not broadcast: they differ at axis {axis}, where neither is 1"
    )]
    Broadcast {
        /// Shape of the first operand; of a matrix product, its axes before the matrices'.
        a: Vec<usize>,
        /// Shape of the second operand.
        b: Vec<usize>,
        /// The axis of the result at which they differ.
        axis: usize,
    },
    /// Matrices whose inner axes differ.
    #[error(
        "shapes {a:?} and {b:?} have no matrix product: {} columns meet {} rows",
        a[a.len() - 1],
        b[b.len().saturating_sub(2)]
    )]
    Inner {
        /// Shape of the first operand, with at least one axis.
        a: Vec<usize>,
        /// Shape of the second operand, with at least one axis.
        b: Vec<usize>,
    },
    /// A matrix product of something without axes.
    #[error("a matrix product needs at least one axis on either side")]
    Scalar,
    /// Memory for the result that has another number of elements.
    #[error("the result has {}, but there is room for {given}", counted(*needed, "element", "elements"))]
    OutputLength {
        /// Elements there is room for.
        given: usize,
        /// Elements of the result.
        needed: usize,
    },
    /// A result that could not be allocated.
    #[error("cannot allocate {bytes} bytes for the result")]
    Allocation {
        /// Bytes asked for.
        bytes: usize,
    },
    /// An axis that does not exist, or a result that has no layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A part that could not be brought into order.
    #[error(transparent)]
    Copy(#[from] CopyError),
}

impl ConsumeError {
    /// What kind of mistake this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Broadcast { .. } | Self::Inner { .. } | Self::OutputLength { .. } => {
                ErrorKind::SizeMismatch
            }
            Self::Scalar => ErrorKind::BadAxis,
            Self::Layout(error) | Self::Copy(CopyError::Layout(error)) => error.kind(),
            Self::Allocation { .. } => ErrorKind::Overflow,
            Self::Copy(_) => ErrorKind::Unsupported,
        }
    }
}
