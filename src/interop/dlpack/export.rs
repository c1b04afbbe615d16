//! Tensors for other libraries.
//!
//! Another library knows nothing of the lock that guards a [`Storage`](crate::tensor::Storage): it
//! reads, and unless told otherwise writes, whenever it likes. So what it gets is either its own,
//! a vector that nothing here refers to any more, or flagged as read-only and
//! [lent](crate::tensor::Storage::lend), which keeps everybody here from writing it.

use core::ffi::c_void;
use core::fmt;
use core::ptr;

use super::abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLTensor, FLAG_IS_COPIED,
    FLAG_READ_ONLY, VERSION,
};
use super::element::Element;
use super::error::DlpackError;
use crate::copy::check_reach;
use crate::layout::Layout;
use crate::tensor::Tensor;

/// A tensor to be given to another library. Dropped instead, it frees what it holds.
///
/// [`into_raw`](Self::into_raw) or [`into_raw_older`](Self::into_raw_older) makes the pointer that
/// the library takes. Element `[0, 0, …]` is where `data` points, and `byte_offset` is 0, as
/// takers that overlook it expect. Strides are always given; negative ones some libraries refuse,
/// PyTorch among them.
///
/// | from | the taker | copied |
/// |---|---|---|
/// | [`of_vec`](Self::of_vec) | may write | never |
/// | [`of_tensor`](Self::of_tensor) | may write | when the storage has other handles |
/// | [`of_shared`](Self::of_shared) | may read | never |
///
/// ```
/// use restride::interop::dlpack::{Export, Imported};
/// use restride::tensor::{Tensor, TensorError};
///
/// let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let given = Export::of_shared(&x.t())?.into_raw();
///
/// // SAFETY: a tensor that was just made, taken once; nobody can write its memory.
/// let taken = unsafe { Imported::from_raw(given) }?;
/// assert_eq!(taken.as_ptr().cast(), x.data_ptr()); // one memory
/// assert!(taken.is_read_only());
/// assert!(matches!(x.fill(0.0), Err(TensorError::InUse { .. })));
///
/// drop(taken);
/// x.fill(0.0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Export {
    /// Keeps the elements alive and where they are.
    _keeper: Box<dyn Send + Sync>,
    /// Element `[0, 0, …]`; null where there are no elements.
    first: *mut c_void,
    /// No boxed slices: moving a box ends the use of pointers into it.
    shape: Vec<i64>,
    strides: Vec<i64>,
    dtype: DLDataType,
    flags: u64,
}

// SAFETY: the pointer leads to what the keeper keeps, and `Element`s may be sent and shared.
unsafe impl Send for Export {}
// SAFETY: nothing is read or written through a shared reference.
unsafe impl Sync for Export {}

impl Export {
    /// The elements of `data` that `layout` shows.
    ///
    /// # Errors
    /// [`CopyError::OutOfReach`](crate::CopyError::OutOfReach) when the layout reaches outside the
    /// vector.
    pub fn of_vec<T: Element>(data: Vec<T>, layout: Layout) -> Result<Self, DlpackError> {
        check_reach("source", &layout, data.len())?;
        let mut data = data;
        let base = data.as_mut_ptr();
        Ok(Self::new(Box::new(data), base, &layout, 0))
    }

    /// The elements of `tensor`: its storage itself when this is the storage's only handle, else a
    /// dense copy of what the tensor shows, so that the taker's writes race with nobody's here.
    ///
    /// # Errors
    /// As [`Tensor::to_vec`], where it copies.
    ///
    /// # Panics
    /// As [`Tensor::to_vec`], where it copies.
    pub fn of_tensor<T: Element>(tensor: Tensor<T>) -> Result<Self, DlpackError> {
        let (storage, layout) = tensor.into_parts();
        match storage.into_vec() {
            Ok(vec) => Self::of_vec(vec, layout),
            Err(storage) => {
                let tensor = Tensor::from_storage(storage, layout)?;
                let copy = Self::of_vec(tensor.to_vec()?, Layout::contiguous(tensor.shape())?)?;
                Ok(Self { flags: FLAG_IS_COPIED, ..copy })
            }
        }
    }

    /// A look at the elements of `tensor`, which stay where they are. Until the taker lets go,
    /// writes to their storage are refused by
    /// [`TensorError::InUse`](crate::tensor::TensorError::InUse); anybody may read it.
    ///
    /// # Errors
    /// [`TensorError::InUse`](crate::tensor::TensorError::InUse) while somebody writes the storage.
    pub fn of_shared<T: Element>(tensor: &Tensor<T>) -> Result<Self, DlpackError> {
        let lent = tensor.storage().lend()?;
        let base = tensor.base_ptr().cast_mut();
        Ok(Self::new(Box::new(lent), base, tensor.layout(), FLAG_READ_ONLY))
    }

    /// What `layout` shows of the elements at `base`, which it does not leave.
    fn new<T: Element>(
        keeper: Box<dyn Send + Sync>,
        base: *mut T,
        layout: &Layout,
        flags: u64,
    ) -> Self {
        let first = if layout.is_empty() {
            ptr::null_mut()
        } else {
            base.wrapping_add(layout.offset()).cast()
        };
        Self {
            _keeper: keeper,
            first,
            shape: layout.shape().iter().map(|&size| size as i64).collect(), // sizes fit isize
            strides: layout.strides().iter().map(|&stride| stride as i64).collect(),
            dtype: T::DTYPE,
            flags,
        }
    }

    /// Whether the taker may not write.
    pub fn is_read_only(&self) -> bool {
        self.flags & FLAG_READ_ONLY != 0
    }

    /// The tensor for a library to take. Whoever gets the pointer calls the deleter, once and from
    /// any thread; if nobody does, the memory is never freed.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let tensor = DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete::<DLManagedTensorVersioned>),
            flags: self.flags,
            dl_tensor: self.described(),
        };
        Given::into_raw(tensor, self)
    }

    /// [`into_raw`](Self::into_raw) in the older struct, for libraries that do not know the other.
    ///
    /// # Errors
    /// [`DlpackError::NoReadOnlyFlag`] for what may only be read.
    pub fn into_raw_older(self) -> Result<*mut DLManagedTensor, DlpackError> {
        if self.is_read_only() {
            return Err(DlpackError::NoReadOnlyFlag);
        }
        let tensor = DLManagedTensor {
            dl_tensor: self.described(),
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete::<DLManagedTensor>),
        };
        Ok(Given::into_raw(tensor, self))
    }

    /// The tensor. Its arrays are those of `self`, on the heap, which moving it does not move.
    fn described(&self) -> DLTensor {
        // Takers only read the arrays; the specification's types do not say so.
        let array = |entries: &[i64]| {
            if entries.is_empty() { ptr::null_mut() } else { entries.as_ptr().cast_mut() }
        };
        DLTensor {
            data: self.first,
            device: DLDevice::CPU,
            ndim: self.shape.len() as i32, // at most 64
            dtype: self.dtype,
            shape: array(&self.shape),
            strides: array(&self.strides),
            byte_offset: 0,
        }
    }
}

impl fmt::Debug for Export {
    /// The layout and the type, no elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export")
            .field("shape", &self.shape)
            .field("strides", &self.strides)
            .field("dtype", &format_args!("{}", self.dtype))
            .field("read_only", &self.is_read_only())
            .finish_non_exhaustive()
    }
}

/// A tensor that was given away, with all that it needs.
#[repr(C)]
struct Given<M> {
    /// First, so that a pointer to it is a pointer to the whole.
    tensor: M,
    _export: Export,
}

impl<M> Given<M> {
    fn into_raw(tensor: M, export: Export) -> *mut M {
        Box::into_raw(Box::new(Self { tensor, _export: export })).cast()
    }
}

/// The deleter: frees a tensor that was given away.
///
/// # Safety
/// `tensor` comes from [`Given::into_raw`], for the same `M`, and was not freed.
unsafe extern "C" fn delete<M>(tensor: *mut M) {
    if !tensor.is_null() {
        // SAFETY: the box made there, freed once.
        drop(unsafe { Box::from_raw(tensor.cast::<Given<M>>()) });
    }
}
