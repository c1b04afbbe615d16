//! What is refused of a tensor that changes hands.

use thiserror::Error;

use super::abi::{DLDataType, DLPackVersion, VERSION};
use crate::error::{CopyError, LayoutError, PlanError};
use crate::tensor::TensorError;

/// A DLPack tensor that is refused, or an operation on one. No element has been written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DlpackError {
    /// A pointer that is needed is null.
    #[error("{what} is a null pointer")]
    Null {
        /// What the pointer leads to, for example `the tensor`.
        what: &'static str,
    },
    /// A tensor whose layout in memory is not known.
    #[error(
        "the tensor is of DLPack {}.{}, but only versions {}.x are known; ask its library for \
         one of those (in Python by max_version)",
        version.major, version.minor, VERSION.major
    )]
    Version {
        /// The tensor's version.
        version: DLPackVersion,
    },
    /// Elements that the CPU may not be able to reach.
    #[error(
        "the tensor is on a device of type {device_type}, not the CPU (type 1); copy it there first"
    )]
    Device {
        /// The specification's number of the device's kind.
        device_type: i32,
    },
    /// Elements that are no whole bytes each.
    #[error(
        "elements of type {dtype} are not whole bytes each; convert them to a wider type first"
    )]
    PartBytes {
        /// The data type.
        dtype: DLDataType,
    },
    /// A negative number of axes.
    #[error("the tensor has {ndim} axes")]
    NegativeRank {
        /// The number of axes.
        ndim: i32,
    },
    /// A negative size.
    #[error("axis {axis} has size {size}")]
    NegativeSize {
        /// The axis, counted from the front.
        axis: usize,
        /// Its size.
        size: i64,
    },
    /// Numbers that no object in memory has.
    #[error("{what} exceeds what memory can hold")]
    Overflow {
        /// What was being computed.
        what: &'static str,
    },
    /// Elements of another type than asked for.
    #[error("the tensor's elements are {tensor}, not {asked}")]
    ElementType {
        /// The tensor's data type.
        tensor: DLDataType,
        /// That of the Rust type.
        asked: DLDataType,
    },
    /// Writing to a tensor that may only be read.
    #[error("the tensor is read-only; copy its elements out and write those")]
    ReadOnly,
    /// A look at a tensor, in a struct that cannot say that it may only be read.
    #[error(
        "the older struct has no read-only flag; give the tensor away by Export::of_tensor, or by \
         the versioned struct"
    )]
    NoReadOnlyFlag,
    /// The layout cannot exist.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The elements could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The tensor could not be read.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl From<PlanError> for DlpackError {
    fn from(error: PlanError) -> Self {
        Self::Copy(error.into())
    }
}
