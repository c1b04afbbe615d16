//! Adapters: the arrays of other crates, copied by plans without leaving their types.
//!
//! Each is a file and a cargo feature. Its page shows the code before and after, and names the bench
//! that measures both.
//!
//! | feature | what it takes | what it adds |
//! |---|---|---|
//! | `faer` | `MatRef` and `MatMut` of any strides | owned matrices, copies between views |
//! | `half` | `f16`, `bf16` | sums and additions |
//! | `nalgebra` | `Matrix` over any storage | owned matrices, transposed or not, copies between views |
//! | `ndarray` | `ArrayRef`: arrays and views of any dimension | owned arrays of either order, assignment |
//! | `num-complex` | `Complex` | sums and additions |
//!
//! Copies need no feature for their elements: whatever is `Copy + Send + Sync` is copied, `f16` and
//! complex numbers included. Crates without an adapter here: see the [guide](crate::guide).

#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
mod foreign;

#[cfg(feature = "faer")]
pub mod faer;
#[cfg(feature = "half")]
pub mod half;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "num-complex")]
pub mod num_complex;
