//! Memory that any number of tensors share, and the borrows through which it is reached.

use std::fmt;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use super::TensorError;

/// A block of elements that tensors share. It lives as long as any tensor over it does.
///
/// Its length never changes, so its elements never move. `Storage` is a handle: cloning it copies
/// no element.
pub struct Storage<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    elements: RwLock<Vec<T>>,
    len: usize,
    /// Where the elements begin. Written once: atomic only because a plain pointer is not `Sync`.
    base: AtomicPtr<T>,
    version: AtomicU64,
    /// How many [`Lent`] there are: as long as there is one, nobody writes.
    lent: AtomicUsize,
}

impl<T> Storage<T> {
    /// The elements of `vec`, which is taken over as it is.
    pub fn new(mut vec: Vec<T>) -> Self {
        Self {
            shared: Arc::new(Shared {
                len: vec.len(),
                base: AtomicPtr::new(vec.as_mut_ptr()),
                version: AtomicU64::new(0),
                lent: AtomicUsize::new(0),
                elements: RwLock::new(vec),
            }),
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shared.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Address of element 0; dangling when there is none. To read or write through it is `unsafe`,
    /// and sound only while nobody writes, or does anything, to the same elements.
    pub fn base_ptr(&self) -> *const T {
        self.shared.base.load(Ordering::Relaxed)
    }

    /// How often the storage has been opened for writing. Two equal versions mean equal elements.
    pub fn version(&self) -> u64 {
        self.shared.version.load(Ordering::Acquire)
    }

    /// Whether both are handles of one storage.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Handles that keep the storage alive, those inside tensors included.
    pub fn handles(&self) -> usize {
        Arc::strong_count(&self.shared)
    }

    /// The vector itself when this is the only handle, without copying.
    ///
    /// # Errors
    /// The storage, when there are other handles.
    pub fn into_vec(self) -> Result<Vec<T>, Self> {
        match Arc::try_unwrap(self.shared) {
            Ok(shared) => Ok(shared.elements.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Err(shared) => Err(Self { shared }),
        }
    }

    /// Lends the elements out, to be read through [`base_ptr`](Self::base_ptr) by code that knows
    /// nothing of the lock.
    ///
    /// # Errors
    /// [`TensorError::InUse`] while somebody writes.
    pub fn lend(&self) -> Result<Lent<T>, TensorError> {
        let _open = self.read()?;
        // Whoever writes next locks after this lock is given back, and so sees the count.
        self.shared.lent.fetch_add(1, Ordering::Relaxed);
        Ok(Lent { storage: self.clone() })
    }

    /// The elements, to be read: by any number of threads at once.
    ///
    /// # Errors
    /// [`TensorError::InUse`] while somebody writes.
    pub(super) fn read(&self) -> Result<RwLockReadGuard<'_, Vec<T>>, TensorError> {
        match self.shared.elements.try_read() {
            Ok(elements) => Ok(elements),
            // Whatever a writer that panicked has left, every element is a value.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(TensorError::InUse { wanted: "read" }),
        }
    }

    /// The elements, to be written; begins a new version.
    ///
    /// # Errors
    /// [`TensorError::InUse`] while somebody else reads or writes, or the elements are lent out.
    pub(super) fn write(&self) -> Result<RwLockWriteGuard<'_, Vec<T>>, TensorError> {
        let elements = match self.shared.elements.try_write() {
            Ok(elements) => elements,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(TensorError::InUse { wanted: "written" }),
        };
        // Acquire: what borrowers have read, they have read before it is written.
        if self.shared.lent.load(Ordering::Acquire) > 0 {
            return Err(TensorError::InUse { wanted: "written" });
        }
        self.shared.version.fetch_add(1, Ordering::Release);
        Ok(elements)
    }
}

/// A storage that nobody writes for as long as this lives: who tries is told
/// [`TensorError::InUse`]. It may be dropped on any thread.
///
/// ```
/// use restride::tensor::{Storage, Tensor, TensorError};
///
/// let x = Tensor::from_vec(vec![1, 2, 3], &[3])?;
/// let lent = x.storage().lend()?;
/// assert!(matches!(x.fill(0), Err(TensorError::InUse { .. })));
/// assert_eq!(x.get(&[0])?, 1); // others may read
/// drop(lent);
/// x.fill(0)?;
/// # Ok::<(), TensorError>(())
/// ```
#[derive(Debug)]
pub struct Lent<T> {
    storage: Storage<T>,
}

impl<T> Lent<T> {
    /// What is lent.
    pub fn storage(&self) -> &Storage<T> {
        &self.storage
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        self.storage.shared.lent.fetch_sub(1, Ordering::Release);
    }
}

impl<T> Clone for Storage<T> {
    /// Another handle of the same storage.
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T> From<Vec<T>> for Storage<T> {
    fn from(vec: Vec<T>) -> Self {
        Self::new(vec)
    }
}

impl<T> fmt::Debug for Storage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage")
            .field("len", &self.len())
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}
