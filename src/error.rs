//! Errors, split by what was being done: a layout operation, planning, a safe copy.

use thiserror::Error;

/// A view operation that cannot be carried out, or a layout that cannot exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A product or sum of sizes, strides or offsets does not fit `isize`.
    #[error("{what} overflows")]
    Overflow {
        /// What was being computed, for example `element count of [2, 13]`.
        what: String,
    },
}

/// A copy that cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The element size is zero.
    #[error("the element size is 0 bytes; it must be at least 1")]
    ZeroElementSize,
    /// Shape and strides differ in length.
    #[error(
        "shape has {shape} axes, source strides {src}, destination strides {dst}; they must agree"
    )]
    RankMismatch {
        /// Axes of the shape.
        shape: usize,
        /// Source strides given.
        src: usize,
        /// Destination strides given.
        dst: usize,
    },
    /// More than [`crate::layout::MAX_RANK`] axes.
    #[error("rank {rank} is above the limit of 64")]
    RankTooLarge {
        /// Axes of the shape.
        rank: usize,
    },
    /// The elements span more bytes than an object can have.
    #[error("{what} exceeds isize::MAX bytes")]
    Overflow {
        /// What was being computed.
        what: &'static str,
    },
    /// The destination addresses one byte more than once.
    #[error(
        "the destination addresses one element several times ({how}); materialize into a layout that does not overlap itself"
    )]
    DestinationOverlap {
        /// The axis or the reason.
        how: String,
    },
}

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
    #[error("the plan moves elements of {plan} bytes, but the slice has elements of {slice} bytes")]
    ElementSize {
        /// Element size of the plan, in bytes.
        plan: usize,
        /// `size_of::<T>()`, in bytes.
        slice: usize,
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
    #[error("source and destination {}share an element; materialize the source first", if *.certain { "" } else { "may " })]
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
