//! What may be wrong with a copy before any pointer is known.

use thiserror::Error;

use crate::machine::Isa;

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
    /// The options ask for tiles, but nothing is transposed.
    #[error("no tile can be asked for: the copy is not one of transposed tiles, but of {kernel}")]
    NoTiles {
        /// The kernel of the copy.
        kernel: &'static str,
    },
    /// The options ask for tiles that the copy's kernel cannot take.
    #[error(
        "tiles of {rows} x {columns} are impossible here; the nearest possible are \
         {nearest_rows} x {nearest_columns}"
    )]
    Tile {
        /// Units asked for along the destination's run.
        rows: u32,
        /// Units asked for along the source's run.
        columns: u32,
        /// Units along the destination's run that are possible.
        nearest_rows: u32,
        /// Units along the source's run that are possible.
        nearest_columns: u32,
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
