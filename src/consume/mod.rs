//! What reads a view after it was made: sums, element-wise addition, matrix products.
//!
//! Making a view is free and says nothing about what reads it next. Every function here takes
//! strided views as they are and is fast on them, so that reading a view directly can be compared
//! with materializing it first:
//!
//! - sums walk the axes in the order in which they lie in memory, whatever the view calls them;
//! - an addition walks its dense output, and brings an operand that runs across it through the
//!   copy kernels into the cache, a block at a time;
//! - a matrix product takes strides of any kind, and packs blocks of its operands where it sees fit.
//!
//! ```
//! use restride::consume::{matmul, sum_axis};
//! use restride::{Layout, Threads, View};
//!
//! let data: Vec<f32> = (0..12u8).map(f32::from).collect();
//! let view = View::new(Layout::contiguous(&[3, 4])?.t(), &data)?; // [4, 3], nothing moved
//! assert_eq!(sum_axis(&view, 0, Threads::Auto)?, [6.0, 22.0, 38.0]);
//!
//! let ones = [1f32; 3];
//! let column = View::new(Layout::contiguous(&[3, 1])?, &ones)?;
//! assert_eq!(matmul(&view, &column, Threads::Auto)?, [12.0, 15.0, 18.0, 21.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `element.rs` | the types that can be added up and multiplied |
//! | `shape.rs` | the shapes of results: broadcasting, products, a dropped axis |
//! | `walk.rs` | the axes of a view in the order of memory |
//! | `accumulate.rs` | the inner loops of sums |
//! | `sum.rs` | sums of everything and along one axis |
//! | `add.rs`, `blocks.rs` | additions: the walk over the output, blocks of operands |
//! | `matmul.rs` | matrix products, batched or not |

mod accumulate;
mod add;
mod blocks;
mod element;
mod matmul;
mod shape;
mod sum;
mod walk;

pub use add::{add, add_into};
#[cfg(any(feature = "half", feature = "num-complex"))]
pub(crate) use element::sealed;
pub use element::{Element, Multiply};
pub use matmul::{matmul, matmul_into};
pub use shape::{broadcast, product, without_axis};
pub use sum::{sum, sum_axis, sum_axis_into};

use crate::error::ConsumeError;
use crate::plan::Threads;

/// Bytes read that are worth one more thread, as for copies.
const GRAIN: usize = 256 << 10;

/// Threads of the current rayon pool that reading `bytes` is worth, at least 1.
fn workers(threads: Threads, bytes: usize) -> usize {
    let limit = match threads {
        Threads::Serial => 1,
        Threads::Auto => usize::MAX,
        Threads::AtMost(n) => n.max(1),
    };
    // Asking rayon for its size starts the global pool, which a small view must not do.
    match limit.min(bytes / GRAIN) {
        0 | 1 => 1,
        worth => worth.min(rayon::current_num_threads()),
    }
}

/// A zeroed vector for a result.
fn zeroed<T: Element>(len: usize) -> Result<Vec<T>, ConsumeError> {
    let bytes = len.saturating_mul(size_of::<T>());
    // Memory that comes zeroed is not touched before it is written, but a refusal would end the
    // process: asked for and given back, the same amount tells beforehand.
    Vec::<T>::new().try_reserve_exact(len).map_err(|_| ConsumeError::Allocation { bytes })?;
    Ok(vec![T::ZERO; len])
}

/// Fails when `out` is no room for exactly the elements of `shape`.
fn check_output(out: usize, shape: &[usize]) -> Result<(), ConsumeError> {
    let needed = shape.iter().product();
    if out == needed { Ok(()) } else { Err(ConsumeError::OutputLength { given: out, needed }) }
}
