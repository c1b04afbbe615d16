//! Adapters: tensors, arrays and matrices of other crates, copied by plans without leaving their types.
//!
//! Each is a cargo feature and a module of its own. Its page shows the code before and after, and names
//! the bench that measures both.
//!
//! | feature | what it takes | what it adds |
//! |---|---|---|
//! | `burn` | tensors of burn's CPU backend, slices | dense tensors, `TensorData` |
//! | `candle` | CPU tensors of every dtype | dense tensors, by a function and a `CustomOp1` |
//! | `dlpack` | strided tensors of any library that speaks DLPack | dense vectors, writes, exports |
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

#[cfg(feature = "burn")]
pub mod burn;
#[cfg(feature = "candle")]
pub mod candle;
#[cfg(feature = "dlpack")]
pub mod dlpack;
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
