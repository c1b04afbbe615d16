//! What may be wrong with a layout or a view of it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use thiserror::Error;

use super::{ErrorKind, counted};

/// A view operation that cannot be carried out, or a layout that cannot exist.
///
/// Sizes, strides and offsets are in elements unless a field says bytes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A product or sum of sizes, strides or offsets does not fit `isize`.
    #[error("{what} overflows")]
    Overflow {
        /// What was being computed, for example `element count of [2, 13]`.
        what: String,
    },
    /// No strides describe the requested shape: two axes that would have to merge cannot.
    #[error(
        "view of shape {shape:?} with strides {strides:?} as {target:?} needs a copy: \
         axes {outer} and {inner} cannot merge: stride[{outer}] = {}, \
         but stride[{inner}] * size[{inner}] = {}",
        strides[*outer],
        strides[*inner] as i128 * shape[*inner] as i128
    )]
    NotViewable {
        /// Shape of the source.
        shape: Vec<usize>,
        /// Strides of the source.
        strides: Vec<isize>,
        /// The requested shape, as it was written.
        target: Vec<isize>,
        /// The outer axis of the pair; only unit axes lie between the two.
        outer: usize,
        /// The inner axis of the pair.
        inner: usize,
    },
    /// The requested shape holds another number of elements.
    #[error(
        "shape {shape:?} has {count} elements, but {target:?} {} {requested}",
        if target.contains(&-1) { "needs a multiple of" } else { "has" }
    )]
    SizeMismatch {
        /// Shape of the source.
        shape: Vec<usize>,
        /// Elements of the source.
        count: usize,
        /// The requested shape, as it was written.
        target: Vec<isize>,
        /// Elements of the requested shape, a -1 not counted.
        requested: usize,
    },
    /// More than one size is -1.
    #[error("{target:?} has more than one -1; only one size can be inferred")]
    TwoInferred {
        /// The requested shape, as it was written.
        target: Vec<isize>,
    },
    /// A -1 beside a zero, for a source without elements.
    #[error("the -1 in {target:?} is ambiguous: the other sizes multiply to 0, so any size fits")]
    Ambiguous {
        /// The requested shape, as it was written.
        target: Vec<isize>,
    },
    /// A negative size without a meaning.
    #[error("{size} in {target:?} is not a size")]
    BadDim {
        /// The offending size.
        size: isize,
        /// The requested shape, as it was written.
        target: Vec<isize>,
    },
    /// A shape that the source does not broadcast to.
    #[error(
        "shape {shape:?} does not expand to {target:?}: {}",
        match axis {
            Some(axis) => format!("axis {axis} of the source is neither 1 nor the size asked for"),
            None => String::from("it has more axes"),
        }
    )]
    NotExpandable {
        /// Shape of the source.
        shape: Vec<usize>,
        /// The requested shape, as it was written.
        target: Vec<isize>,
        /// The axis of the source that does not fit; `None` when the source has too many.
        axis: Option<usize>,
    },
    /// Two sides of a copy have different shapes.
    #[error("the source has shape {src:?}, but the destination {dst:?}")]
    ShapesDiffer {
        /// Shape of the source.
        src: Vec<usize>,
        /// Shape of the destination.
        dst: Vec<usize>,
    },
    /// An axis that does not exist.
    #[error(
        "axis {axis} does not exist: there {} {}",
        if *rank == 1 { "is" } else { "are" },
        counted(*rank, "axis", "axes")
    )]
    NoSuchAxis {
        /// The axis as it was given; negative ones count from the end.
        axis: isize,
        /// Number of axes.
        rank: usize,
    },
    /// A new axis at a place that the result does not have.
    #[error("no new axis fits at {axis}: the layout has {}", counted(*rank, "axis", "axes"))]
    NoSuchPlace {
        /// The place as it was given; negative ones count from the result's end.
        axis: isize,
        /// Number of axes before the new one.
        rank: usize,
    },
    /// Fewer axes than the operation works on.
    #[error("at least {needed} axes are needed, but the layout has {rank}")]
    TooFewAxes {
        /// Axes needed.
        needed: usize,
        /// Number of axes.
        rank: usize,
    },
    /// An axis named twice where every axis may be named once.
    #[error("axis {axis} is named more than once")]
    RepeatedAxis {
        /// The axis, counted from the front.
        axis: usize,
    },
    /// A range of axes that ends before it starts.
    #[error("axes {start} to {end} are no range: the first comes after the last")]
    EmptyAxisRange {
        /// First axis, as it was given.
        start: isize,
        /// Last axis, as it was given.
        end: isize,
    },
    /// A list with the wrong number of entries.
    #[error("{what}: {given} given, {needed} needed")]
    WrongCount {
        /// What the list holds.
        what: &'static str,
        /// Entries given.
        given: usize,
        /// Entries needed.
        needed: usize,
    },
    /// An index outside its axis.
    #[error("index {index} is outside axis {axis} of size {size}")]
    IndexOutOfRange {
        /// The index as it was given; negative ones count from the end.
        index: isize,
        /// The axis, counted from the front.
        axis: usize,
        /// Size of the axis.
        size: usize,
    },
    /// A range that leaves its axis.
    #[error("{len} elements from {start} on do not lie inside axis {axis} of size {size}")]
    RangeOutside {
        /// First index as it was given; negative ones count from the end.
        start: isize,
        /// Length of the range.
        len: isize,
        /// The axis, counted from the front.
        axis: usize,
        /// Size of the axis.
        size: usize,
    },
    /// A step that does not move, or moves the wrong way.
    #[error("step {step} is not allowed: it must be {allowed}")]
    BadStep {
        /// The step as it was given.
        step: isize,
        /// What is allowed.
        allowed: &'static str,
    },
    /// More indices than axes.
    #[error(
        "{} for {}",
        counted(*given, "index", "indices"),
        counted(*rank, "axis", "axes")
    )]
    TooManyIndices {
        /// Integers and slices given.
        given: usize,
        /// Number of axes.
        rank: usize,
    },
    /// `...` given more than once.
    #[error("an index can have only one ellipsis (...)")]
    TwoEllipses,
    /// Elements outside the storage.
    #[error("the layout reaches elements {first} to {last} of a storage of {storage_len}")]
    OutOfStorage {
        /// Lowest element touched, or an offset that is negative.
        first: i128,
        /// Highest element touched, or an offset that is negative.
        last: i128,
        /// Elements of the storage.
        storage_len: usize,
    },
    /// More than [`crate::layout::MAX_RANK`] axes.
    #[error("{rank} axes are above the limit of 64")]
    RankTooLarge {
        /// Number of axes.
        rank: usize,
    },
    /// A memory format that is defined for another number of axes.
    #[error("{format} needs {needed} axes, but there are {rank}")]
    FormatRank {
        /// The memory format.
        format: &'static str,
        /// Number of axes it is defined for.
        needed: usize,
        /// Number of axes.
        rank: usize,
    },
    /// Elements of no size.
    #[error("the element size is 0 bytes; it must be at least 1")]
    ZeroElementSize,
    /// A distance in bytes that is no whole number of elements.
    #[error("{what} of {bytes} bytes is not a multiple of the element size of {elem_size} bytes")]
    NotWholeElements {
        /// What the distance is, for example `the stride of axis 0`.
        what: String,
        /// The distance, in bytes.
        bytes: isize,
        /// Size of one element, in bytes.
        elem_size: usize,
    },
}

impl LayoutError {
    /// What kind of mistake this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Overflow { .. } => ErrorKind::Overflow,
            Self::NotViewable { .. } => ErrorKind::NotViewable,
            Self::SizeMismatch { .. } | Self::NotExpandable { .. } | Self::ShapesDiffer { .. } => {
                ErrorKind::SizeMismatch
            }
            Self::TwoInferred { .. } => ErrorKind::TwoInferred,
            Self::Ambiguous { .. } => ErrorKind::Ambiguous,
            Self::BadDim { .. } => ErrorKind::BadDim,
            Self::NoSuchAxis { .. }
            | Self::NoSuchPlace { .. }
            | Self::TooFewAxes { .. }
            | Self::RepeatedAxis { .. }
            | Self::EmptyAxisRange { .. }
            | Self::WrongCount { .. } => ErrorKind::BadAxis,
            Self::IndexOutOfRange { .. }
            | Self::RangeOutside { .. }
            | Self::BadStep { .. }
            | Self::TooManyIndices { .. }
            | Self::TwoEllipses
            | Self::OutOfStorage { .. } => ErrorKind::BadIndex,
            Self::RankTooLarge { .. }
            | Self::FormatRank { .. }
            | Self::ZeroElementSize
            | Self::NotWholeElements { .. } => ErrorKind::Unsupported,
        }
    }

    /// An [`LayoutError::Overflow`] of the element count of `shape`.
    pub(crate) fn count_overflow(shape: &[impl core::fmt::Debug]) -> Self {
        Self::Overflow { what: format!("element count of {shape:?}") }
    }
}
