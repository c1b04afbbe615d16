//! Strided tensors of other crates, made dense by plans; one cargo feature each.
//!
//! | module and feature | takes | gives |
//! |---|---|---|
//! | `burn` | tensors of burn's CPU backend, slices | dense tensors, `TensorData` |
//! | `candle` | CPU tensors, as a function and as a `CustomOp1` | dense tensors |
//! | `dlpack` | strided tensors of any library that speaks DLPack | dense vectors, writes, exports |

#[cfg(feature = "burn")]
pub mod burn;
#[cfg(feature = "candle")]
pub mod candle;
#[cfg(feature = "dlpack")]
pub mod dlpack;
