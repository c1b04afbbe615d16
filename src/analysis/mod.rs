//! What a copy really is, once everything that has no say is removed.
//!
//! [`normalize`](Normalized::of) reduces a [`CopySpec`](crate::CopySpec) to the fewest loops that
//! visit the same bytes; [`Class`] names the pattern that is left; [`Traffic`] counts the cache
//! lines and pages it touches. All of it is arithmetic on sizes and byte strides: no memory is
//! looked at.

mod classify;
mod normalize;
mod traffic;

pub use classify::{Class, Pattern};
pub use normalize::{Axes, Axis, Normalized};
pub use traffic::{Side, Traffic};
