//! restride turns any strided tensor view into dense memory at the speed of memory.
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
//! ```
#![warn(missing_docs)]

pub mod error;
pub mod layout;

pub mod analysis;

pub mod machine;
pub mod plan;

mod kernels;

mod exec;

mod copy;

pub mod spec;

#[doc(hidden)]
pub mod oracle;

#[cfg(feature = "capi")]
pub mod capi;

#[cfg(feature = "cli")]
pub mod bench;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod npy;

pub use copy::{View, ViewMut, contiguous, contiguous_with, copy, copy_within};
#[cfg(feature = "affinity")]
pub use error::PinError;
pub use error::{CopyError, ErrorKind, LayoutError, PlanError};
pub use exec::HugePages;
#[cfg(feature = "affinity")]
pub use exec::pinned_pool;
pub use layout::{IndexItem, Layout, MemoryFormat, Reshaped};
pub use plan::{CopySpec, Plan, PlanCache, PlanOptions, StorePolicy, Strategy, Threads};
