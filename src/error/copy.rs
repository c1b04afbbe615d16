//! What may be wrong with a copy between slices.

use thiserror::Error;

use super::{LayoutError, PlanError, counted};

/// A safe copy between slices that was refused before any element was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The copy could not be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A layout could not be computed.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The element type's size is not the plan's.
    #[error(
        "the plan moves elements of {}, but the slice has elements of {}",
        counted(*plan, "byte", "bytes"),
        counted(*slice, "byte", "bytes")
    )]
    ElementSize {
        /// Element size of the plan, in bytes.
        plan: usize,
        /// `size_of::<T>()`, in bytes.
        slice: usize,
    },
    /// A plan for values steps by parts of a value.
    #[error(
        "the {side} steps by {bytes} bytes, which is no whole number of {elem_size}-byte elements"
    )]
    PartElements {
        /// `source` or `destination`.
        side: &'static str,
        /// The step, in bytes.
        bytes: isize,
        /// `size_of::<T>()`, in bytes.
        elem_size: usize,
    },
    /// The layout reaches outside the slice.
    #[error("the {side} layout reaches elements {first}..={last} of a slice of {len}")]
    OutOfReach {
        /// `source` or `destination`.
        side: &'static str,
        /// Lowest element touched, relative to the slice.
        first: i128,
        /// Highest element touched, relative to the slice.
        last: i128,
        /// Length of the slice in elements.
        len: usize,
    },
    /// Source and destination in one slice share an element, or may.
    #[error("source and destination {}share an element; materialize the source first", if *certain { "" } else { "may " })]
    Overlap {
        /// Whether a shared element was found, rather than not ruled out.
        certain: bool,
    },
    /// The output could not be allocated.
    #[error("cannot allocate {bytes} bytes for the output")]
    Allocation {
        /// Size of the refused allocation, in bytes.
        bytes: usize,
    },
}
