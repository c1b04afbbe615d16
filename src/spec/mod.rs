//! The text form of a view: a source, then operations as PyTorch and NumPy write them.
//!
//! ```text
//! SPEC    = SOURCE OP* CONSUMER*
//! SOURCE  = DTYPE "[" sizes "]"         dense row-major, for example f32[3,4] or f32[]
//!         | path ending in .npy         quoted if it holds spaces or brackets
//! DTYPE   = bool u8 i8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64 c64 c128 u128 u8xN
//! OP      = .name | .name(arguments) | [index, …]
//! CONSUMER = .sum() | .sum(dim) | .add(SOURCE OP*) | .matmul(SOURCE OP*)
//! ```
//!
//! With its source replaced by `x`, a spec evaluates in Python: arguments are bare integers,
//! tuples, lists or keywords where PyTorch takes them; negative axes count from the end; `-1`
//! is inferred. Two things differ from PyTorch: [`flip`](Op::Flip) and slices with a negative
//! step are views with a negative stride, as in NumPy, and `rearrange`
//! (einops' notation) is a method.
//!
//! A [`Consumer`] reads the view that stands before it and makes new values; nothing but another
//! consumer may follow. A [`Trace`] ends where the first one begins.
//!
//! Parsing ([`Spec::parse`]) knows nothing of layouts; a [`Trace`] carries the operations out.
//!
//! ```
//! use restride::spec::{Source, Spec, Trace, Origin};
//!
//! let text = "f32[3,4][:, 1::2].reshape(-1)";
//! let spec = Spec::parse(text)?;
//! let Source::Dense { dtype, shape } = &spec.source else { unreachable!() };
//! let mut trace = Trace::start(Origin::dense(*dtype, shape)?);
//! trace.apply_all(&spec.ops, text)?;
//! assert_eq!((trace.layout().shape(), trace.layout().strides()), (&[6][..], &[2][..]));
//! assert!(trace.shares_storage());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod consumer;
mod cursor;
mod dtype;
mod error;
mod op;
mod parse;
mod rearrange;
mod signature;
mod trace;
mod value;
mod why;

pub use consumer::{Consumer, ConsumerAt};
pub use dtype::DType;
pub use error::SpecError;
pub use op::Op;
pub use parse::{OpAt, Source, Spec, parse_ops};
pub use rearrange::Rearrange;
pub use trace::{CopyStep, Origin, Step, Trace};
