//! `librestride.so`: the functions of `restride::capi`, for C.

#[cfg(not(feature = "capi"))]
use ::restride as _;
#[cfg(feature = "capi")]
pub use ::restride::capi::*;
