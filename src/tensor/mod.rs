//! Tensors that share storage: every view operation of [`Layout`] as a method,
//! copies by the planned kernels, and the adjoints of both.
//!
//! ```
//! use restride::tensor::{Tensor, TensorError};
//!
//! let x = Tensor::from_vec((0..12u8).map(f32::from).collect(), &[3, 4])?;
//! let t = x.t();                            // shape [4, 3], the same storage
//! let dense = t.contiguous()?;              // a storage of its own
//! assert_eq!(t.get(&[2, 1])?, 6.0);
//!
//! t.set(&[2, 1], 60.0)?;
//! assert_eq!(x.get(&[1, 2])?, 60.0);        // one storage: the original has changed
//! assert_eq!(dense.get(&[2, 1])?, 6.0);     // the copy is a copy
//!
//! // No strides flatten the transpose, but those of the stepped slice do: 1, 3, 5, …
//! let refused = t.view(&[-1]).unwrap_err().to_string();
//! assert!(refused.ends_with("stride[0] = 1, but stride[1] * size[1] = 12"));
//! assert_eq!(x.slice(1, Some(1), None, 2)?.view(&[-1])?.strides(), [2]);
//! # Ok::<(), TensorError>(())
//! ```
//!
//! # Handles and copies
//!
//! A [`Tensor`] is a handle: a [`Storage`], counted by its references, and a layout. There is no
//! `clone`, since in Rust people expect one to be cheap or apart, and in PyTorch to copy:
//! [`Tensor::shallow_clone`] is another handle on the same elements, [`Tensor::deep_clone`] a copy
//! of them. A view keeps the whole storage alive, however little it shows.
//!
//! # Who may read and write
//!
//! Reads and writes go through shared references, since a write through one view is meant to be
//! seen by all others. The elements lie behind an `RwLock`, so no data race can be written in safe
//! code, and tensors may be sent to and shared between threads. A storage may be read by any number
//! at once, or written by one. **Nobody ever waits for it**: whoever comes at the wrong time gets
//! [`TensorError::InUse`] at once. Two reasons:
//!
//! - A write beside an unsynchronised read has no defined result. To wait for one and return it
//!   would hide that; threads that share a storage order their accesses themselves.
//! - No deadlock can be written. Opened storages are held while copies run on several threads, and
//!   callers may hold [`Read`] and [`Write`] across parallel calls of their own. A thread of the
//!   pool that wants the same storage meanwhile is refused and goes on. Copies themselves wait for
//!   nothing but their own work, and their helpers never look at the lock.
//!
//! Code that knows nothing of the lock, such as another library, may read a storage that is
//! [lent](Storage::lend) to it: nobody writes that until it is given back.
//!
//! A writer that panics leaves elements that are all values, if not all written; the storage stays
//! usable.
//!
//! | file | idea |
//! |---|---|
//! | `storage.rs` | the shared memory, its version, the lock |
//! | `access.rs` | a storage while it is open |
//! | `views.rs` | view operations |
//! | `copies.rs` | new storages: contiguous, reshape, vectors |
//! | `write.rs` | writing through a view |
//! | `saved.rs` | views that notice a change |
//! | `adjoint.rs` | gradients through views and copies |
//! | `scatter.rs` | the gradient of one storage |
//! | `accumulate/` | adding strided elements to strided places |

mod access;
mod accumulate;
mod adjoint;
mod copies;
mod error;
mod saved;
mod scatter;
mod storage;
mod views;
mod write;

use std::fmt;

pub use crate::kernels::accumulate::Additive;
pub use access::{Read, Write};
pub use adjoint::ViewChain;
pub use copies::ViewOrCopy;
pub use error::TensorError;
pub use saved::Saved;
pub use storage::{Lent, Storage};
pub use write::OnOverlap;

use crate::error::LayoutError;
use crate::layout::Layout;

/// Elements of a shared [`Storage`], seen through a [`Layout`]. See the [module](self) for what is
/// shared and what is not.
///
/// Shapes, strides and offsets are in elements. Axes and indices may be negative: they then count
/// from the end.
pub struct Tensor<T> {
    storage: Storage<T>,
    layout: Layout,
}

impl<T> Tensor<T> {
    /// The dense row-major tensor of `shape` whose storage is `vec` itself: nothing is copied.
    ///
    /// # Errors
    /// [`LayoutError::SizeMismatch`] unless the shape has as many elements as the vector;
    /// [`LayoutError::Overflow`], [`LayoutError::RankTooLarge`].
    pub fn from_vec(vec: Vec<T>, shape: &[usize]) -> Result<Self, LayoutError> {
        let layout = Layout::contiguous(shape)?;
        if layout.numel() != vec.len() {
            return Err(LayoutError::SizeMismatch {
                shape: vec![vec.len()],
                count: vec.len(),
                target: shape.iter().map(|&size| size as isize).collect(), // sizes fit isize
                requested: layout.numel(),
            });
        }
        Ok(Self { storage: Storage::new(vec), layout })
    }

    /// The elements of `storage` that `layout` shows.
    ///
    /// # Errors
    /// [`LayoutError::OutOfStorage`] when it shows elements that the storage does not have.
    pub fn from_storage(storage: Storage<T>, layout: Layout) -> Result<Self, LayoutError> {
        match layout.reach() {
            Some((first, last)) if last >= storage.len() => Err(LayoutError::OutOfStorage {
                first: first as i128,
                last: last as i128,
                storage_len: storage.len(),
            }),
            _ => Ok(Self { storage, layout }),
        }
    }

    /// The storage, shared with every view of it.
    pub fn storage(&self) -> &Storage<T> {
        &self.storage
    }

    /// The storage, and where in it each element lives.
    pub fn into_parts(self) -> (Storage<T>, Layout) {
        (self.storage, self.layout)
    }

    /// Where in the storage each element lives.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Strides of the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Storage element of `[0, 0, …]`. For an empty tensor, a number that means nothing.
    pub fn offset(&self) -> usize {
        self.layout.offset()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.layout.numel()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// Whether the elements lie dense in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.layout.is_contiguous()
    }

    /// Address of element 0 of the storage ([`Storage::base_ptr`]): the same for all its views.
    pub fn base_ptr(&self) -> *const T {
        self.storage.base_ptr()
    }

    /// Address of this tensor's element `[0, 0, …]`; the base pointer when there is none. For its
    /// use see [`Storage::base_ptr`].
    pub fn data_ptr(&self) -> *const T {
        let elements = if self.is_empty() { 0 } else { self.offset() };
        self.base_ptr().wrapping_add(elements)
    }

    /// Whether both are views of one storage, be it of different elements.
    pub fn shares_storage(&self, other: &Self) -> bool {
        self.storage.is_same(&other.storage)
    }

    /// Another handle on the same elements: nothing is copied, and writes through one are seen
    /// through the other.
    pub fn shallow_clone(&self) -> Self {
        self.through(self.layout.clone())
    }

    /// The same storage through `layout`, which shows elements that it has.
    fn through(&self, layout: Layout) -> Self {
        Self { storage: self.storage.clone(), layout }
    }
}

impl<T> fmt::Debug for Tensor<T> {
    /// The layout and the storage, no elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor")
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("offset", &self.offset())
            .field("storage", &self.storage)
            .finish()
    }
}
