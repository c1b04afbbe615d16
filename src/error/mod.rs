//! Errors, split by what was being done: a layout operation, planning, a safe copy, a consumer.

#[cfg(feature = "consume")]
mod consume;
mod copy;
mod kind;
mod layout;
#[cfg(feature = "affinity")]
mod pin;
mod plan;

#[cfg(feature = "consume")]
pub use consume::ConsumeError;
pub use copy::CopyError;
pub use kind::ErrorKind;
pub use layout::LayoutError;
#[cfg(feature = "affinity")]
pub use pin::PinError;
pub use plan::PlanError;

use alloc::format;
use alloc::string::String;

/// `n` with the word for so many.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
