//! Errors, split by what was being done: a layout operation, planning, a safe copy.

use thiserror::Error;

use crate::machine::Isa;

/// What kind of mistake an error is: the short word that machine-readable output carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No strides describe the requested view of this memory: it needs a copy.
    NotViewable,
    /// Element counts or sizes that must agree do not.
    SizeMismatch,
    /// More than one size is -1.
    TwoInferred,
    /// A -1 that any size would satisfy.
    Ambiguous,
    /// A negative size where none has a meaning.
    BadDim,
    /// An axis that does not exist, is named twice, or is missing.
    BadAxis,
    /// An index, range, step or storage element outside what exists.
    BadIndex,
    /// A text form that cannot be read.
    BadSpec,
    /// A size, stride or offset too large to be represented.
    Overflow,
    /// A request with a meaning, but not one that is served.
    Unsupported,
}

impl ErrorKind {
    /// The word used in machine-readable output, for example `not_viewable`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotViewable => "not_viewable",
            Self::SizeMismatch => "size_mismatch",
            Self::TwoInferred => "two_inferred",
            Self::Ambiguous => "ambiguous",
            Self::BadDim => "bad_dim",
            Self::BadAxis => "bad_axis",
            Self::BadIndex => "bad_index",
            Self::BadSpec => "bad_spec",
            Self::Overflow => "overflow",
            Self::Unsupported => "unsupported",
        }
    }
}

impl core::fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `n` with the word for so many.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

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
    /// The options ask for a tier that this CPU does not have.
    #[error("this CPU has no {isa}; leave the tier to the machine, or ask for a lower one")]
    IsaUnavailable {
        /// The tier asked for.
        isa: Isa,
    },
    /// The destination addresses one byte more than once, or that could not be ruled out.
    #[error(
        "the destination {} one element several times; copy into a layout that does not overlap itself",
        if *certain { "addresses" } else { "may address" }
    )]
    DestinationOverlap {
        /// Whether a repeated byte was found, rather than not ruled out within bounded work.
        certain: bool,
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

/// A consumer that cannot read its operands: a sum, an addition or a matrix product.
#[cfg(feature = "consume")]
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

#[cfg(feature = "consume")]
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

/// A pool of pinned threads that cannot be had.
#[cfg(feature = "affinity")]
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PinError {
    /// Fewer processors than threads.
    #[error("{threads} threads cannot have a processor each: this process may use {processors}")]
    TooFewProcessors {
        /// Threads asked for.
        threads: usize,
        /// Processors this process may use; 0 where the system does not tell.
        processors: usize,
    },
    /// The system left a thread free to move.
    #[error("the system pinned only {pinned} of {threads} threads")]
    Refused {
        /// Threads asked for.
        threads: usize,
        /// Threads that were pinned.
        pinned: usize,
    },
    /// The threads could not be started.
    #[error(transparent)]
    Pool(#[from] rayon::ThreadPoolBuildError),
}
