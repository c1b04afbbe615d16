//! DLPack tensors: taken from a library that counts what it frees, given to one that checks them,
//! and exchanged with NumPy.
#![cfg(feature = "dlpack")]

mod abi;
mod export;
mod foreign;
mod import;
mod numpy;
mod refusals;
