//! What a tensor refuses.

use thiserror::Error;

use crate::error::{CopyError, LayoutError};

/// An operation on tensors that was refused. No element has been written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorError {
    /// The result's layout could not be computed.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Elements could not be copied or added.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// Writing through a view that shows one element at several places.
    #[error(
        "the view of shape {shape:?} with strides {strides:?} {} one element at several places, \
         and cannot be written through; materialize it first, by contiguous() or deep_clone()",
        if *certain { "shows" } else { "may show" }
    )]
    SelfOverlap {
        /// Shape of the view.
        shape: Vec<usize>,
        /// Strides of the view, in elements.
        strides: Vec<isize>,
        /// Whether such an element was found, rather than not ruled out within bounded work.
        certain: bool,
    },
    /// Source and destination share an element.
    #[error(
        "source and destination {}share an element; ask for OnOverlap::Buffer, or materialize the \
         source first",
        if *certain { "" } else { "may " }
    )]
    Overlap {
        /// Whether a shared element was found, rather than not ruled out within bounded work.
        certain: bool,
    },
    /// Somebody else has the storage open.
    #[error(
        "the storage cannot be {wanted} now: {}; let them finish first",
        if *wanted == "read" { "it is open for writing" } else { "it is open elsewhere" }
    )]
    InUse {
        /// `read` or `written`: what was asked for.
        wanted: &'static str,
    },
    /// The storage of a saved view has been written since.
    #[error(
        "the storage of the saved view was written after it was saved: version {now}, not {saved}; \
         save a deep_clone() to keep its values"
    )]
    Changed {
        /// The storage's version when the view was saved.
        saved: u64,
        /// Its version now.
        now: u64,
    },
    /// A gradient with respect to a view that shows one element at several places.
    #[error(
        "the source of shape {shape:?} with strides {strides:?} {} one element at several places, \
         which have no gradients of their own; begin at the tensor that it is a view of",
        if *certain { "shows" } else { "may show" }
    )]
    SharedGradient {
        /// Shape of the source.
        shape: Vec<usize>,
        /// Strides of the source, in elements.
        strides: Vec<isize>,
        /// Whether such an element was found, rather than not ruled out within bounded work.
        certain: bool,
    },
    /// A gradient between tensors of different storages.
    #[error("the result is no view of the source: they share no storage")]
    NoView,
}
