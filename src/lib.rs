//! restride turns any strided tensor view into dense memory at the speed of memory.
//!
//! # Quick start
//!
//! A [`Layout`] says where the elements of a view live; changing it moves nothing. [`contiguous`]
//! writes what it shows into a new dense vector:
//!
//! ```
//! use restride::{Layout, Reshaped, contiguous};
//!
//! let data: Vec<f32> = (0..12u8).map(f32::from).collect();
//! let view = Layout::contiguous(&[3, 4])?.t(); // shape [4, 3], strides [1, 4]
//! assert_eq!(contiguous(&view, &data)?, [0., 4., 8., 1., 5., 9., 2., 6., 10., 3., 7., 11.]);
//!
//! // A reshape says whether strides can express it, and if not, why.
//! assert!(matches!(view.reshape(&[12])?, Reshaped::Copy(_)));
//! let why = view.view(&[12]).unwrap_err().to_string();
//! assert!(why.contains("stride[0] = 1, but stride[1] * size[1] = 12"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Libraries with tensors of their own describe a copy by a [`CopySpec`], plan it once, and run the
//! [`Plan`] on pointers ([`Plan::execute_raw`]) or checked slices ([`Plan::execute`]):
//!
//! ```
//! use restride::{CopySpec, Plan, PlanOptions};
//!
//! // f32[3,4] to its transpose; strides in bytes, of the shape [4, 3].
//! let spec = CopySpec::new(4, &[4, 3], &[4, 16], &[12, 4]);
//! let plan = Plan::new(&spec, &PlanOptions::default())?;
//! let src: Vec<f32> = (0..12u8).map(f32::from).collect();
//! let mut dst = vec![core::mem::MaybeUninit::uninit(); 12];
//! plan.execute(&src, 0, &mut dst, 0)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Tensors with a storage that views share, and gradients through views: [`tensor`]. Adapters for the
//! arrays of other crates: [`interop`]. How to put a plan under a tensor type of your own: [`guide`].
//!
//! # Units
//!
//! Shapes count elements. Strides and offsets of a [`Layout`] are in **elements**, strides of a
//! [`CopySpec`] in **bytes**. Strides have either sign, or are 0.
//!
//! # Safety
//!
//! Everything but [`Plan::execute_raw`] is safe to call with any numbers: what cannot be done is an
//! error value, and nothing is written then.
//!
//! # Processors, threads, features
//!
//! Kernels are chosen at run time for the CPU; the environment variable `RESTRIDE_ISA` (`portable`,
//! `avx2`, `avx512`, `neon`) forces a tier, and a value that is no tier, or not this CPU's, panics in the
//! first call that plans. Large copies run in the current rayon pool ([`PlanOptions::threads`]).
//!
//! | feature | |
//! |---|---|
//! | `std`, `rayon` | on by default; without `std` see below |
//! | `affinity` | a pool with one thread pinned to each core |
//! | `consume` | sums, additions and matrix products of strided views |
//! | `capi` | the C interface |
//! | `burn`, `candle`, `faer`, `nalgebra`, `ndarray` | copies of their tensors and views, in their types ([`interop`]) |
//! | `dlpack` | exchange of strided tensors with any library, Python's included ([`interop`]) |
//! | `half`, `num-complex` | sums and additions of their elements |
//! | `profile` | the machine's caches, a simulator of them, hardware counters |
//! | `cli` | the command: `explain`, `run`, `bench`, `report`, `compare`, `advise`, `profile`, `info` |
//!
//! Without `std` the crate needs an allocator, no operating system: layouts, plans, copies on the
//! calling thread. There are no tensors and specs, no `RESTRIDE_ISA`, and the caches are assumed to
//! have common sizes; tiers are those of the compiler's target, on x86-64 also those that the CPU
//! reports.
//!
//! # The source
//!
//! Read the source in the order of the pipeline:
//!
//! ```text
//! SPEC / tensor / pointers
//!    │  layout      shape, signed strides, offset; the view rules
//!    ▼
//!  analysis         drop unit axes · flip negatives · order · coalesce · classify
//!    ▼
//!  plan             loop nest + kernel + tile + store policy + thread split
//!    ▼
//!  kernels          one family a file
//!    ▼
//!  exec             runs a plan over raw pointers: serial or rayon
//!    ▲
//!  copy, tensor, interop, capi, cli     facades over the same plan
//! ```
#![warn(missing_docs)]
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod error;
pub mod layout;

pub mod analysis;

pub mod machine;
pub mod plan;

mod kernels;

mod exec;

mod copy;

#[cfg(feature = "std")]
pub mod tensor;

#[cfg(feature = "consume")]
pub mod consume;

#[cfg(feature = "std")]
pub mod spec;

pub mod interop;

pub mod guide;

#[doc(hidden)]
pub mod oracle;

#[cfg(feature = "capi")]
pub mod capi;

#[cfg(feature = "profile")]
pub mod profile;

#[cfg(feature = "cli")]
pub mod bench;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod npy;

pub use copy::{
    View, ViewMut, contiguous, contiguous_in_order, contiguous_with, copy, copy_within,
};
#[cfg(feature = "consume")]
pub use error::ConsumeError;
#[cfg(feature = "affinity")]
pub use error::PinError;
pub use error::{CopyError, ErrorKind, LayoutError, PlanError};
pub use exec::HugePages;
#[cfg(feature = "affinity")]
pub use exec::pinned_pool;
pub use layout::{IndexItem, Layout, MemoryFormat, Reshaped};
pub use plan::{CopySpec, Plan, PlanCache, PlanOptions, StorePolicy, Strategy, Threads, TileSize};
#[cfg(feature = "std")]
pub use tensor::Tensor;

/// The README's examples compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
