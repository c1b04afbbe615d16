//! Another library: gives tensors with whatever numbers a test asks for, and counts deletions.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restride::interop::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    Element, VERSION,
};

/// How often a tensor was deleted.
#[derive(Clone, Debug, Default)]
pub struct Deletions(Arc<AtomicUsize>);

impl Deletions {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// A tensor to be given. Its elements lie in `memory`, `byte_offset` bytes from its start on.
#[derive(Clone, Debug)]
pub struct Foreign {
    pub memory: Vec<u8>,
    pub is_null: bool,
    pub byte_offset: u64,
    pub ndim: i32,
    pub shape: Option<Vec<i64>>,
    pub strides: Option<Vec<i64>>,
    pub dtype: DLDataType,
    pub device_type: i32,
    pub version: DLPackVersion,
    pub flags: u64,
    pub has_deleter: bool,
    pub deletions: Deletions,
}

/// What a given tensor needs until it is deleted.
struct Context {
    foreign: Foreign,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Foreign {
    /// The elements of `values` in row-major order of `shape`.
    pub fn dense<T: Element>(values: &[T], shape: &[i64]) -> Self {
        // SAFETY: an element's bytes are all initialized.
        let bytes = unsafe {
            std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values))
        };
        Self {
            memory: bytes.to_vec(),
            is_null: false,
            byte_offset: 0,
            ndim: shape.len() as i32,
            shape: Some(shape.to_vec()),
            strides: None,
            dtype: T::DTYPE,
            device_type: DLDevice::CPU.device_type,
            version: VERSION,
            flags: 0,
            has_deleter: true,
            deletions: Deletions::default(),
        }
    }

    /// With these strides, in elements, and the offset of element `[0, 0, …]` in bytes.
    pub fn strided(self, strides: &[i64], byte_offset: u64) -> Self {
        Self { strides: Some(strides.to_vec()), byte_offset, ..self }
    }

    fn context(&self) -> (*mut Context, DLTensor) {
        let mut context = Box::new(Context {
            foreign: self.clone(),
            shape: self.shape.clone().unwrap_or_default(),
            strides: self.strides.clone().unwrap_or_default(),
        });
        let data = context.foreign.memory.as_mut_ptr().cast::<c_void>();
        let tensor = DLTensor {
            data: if self.is_null { ptr::null_mut() } else { data },
            device: DLDevice { device_type: self.device_type, device_id: 0 },
            ndim: self.ndim,
            dtype: self.dtype,
            shape: if self.shape.is_some() { context.shape.as_mut_ptr() } else { ptr::null_mut() },
            strides: match self.strides {
                Some(_) => context.strides.as_mut_ptr(),
                None => ptr::null_mut(),
            },
            byte_offset: self.byte_offset,
        };
        (Box::into_raw(context), tensor)
    }

    pub fn give(&self) -> *mut DLManagedTensorVersioned {
        let (context, dl_tensor) = self.context();
        Box::into_raw(Box::new(DLManagedTensorVersioned {
            version: self.version,
            manager_ctx: context.cast(),
            deleter: self.has_deleter.then_some(delete),
            flags: self.flags,
            dl_tensor,
        }))
    }

    pub fn give_older(&self) -> *mut DLManagedTensor {
        let (context, dl_tensor) = self.context();
        Box::into_raw(Box::new(DLManagedTensor {
            dl_tensor,
            manager_ctx: context.cast(),
            deleter: self.has_deleter.then_some(delete_older),
        }))
    }
}

unsafe extern "C" fn delete(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: made by `give`, deleted once or the count shows it.
    unsafe {
        let tensor = Box::from_raw(tensor);
        free(tensor.manager_ctx);
    }
}

unsafe extern "C" fn delete_older(tensor: *mut DLManagedTensor) {
    // SAFETY: made by `give_older`, deleted once or the count shows it.
    unsafe {
        let tensor = Box::from_raw(tensor);
        free(tensor.manager_ctx);
    }
}

/// # Safety
/// `context` comes from [`Foreign::context`].
unsafe fn free(context: *mut c_void) {
    // SAFETY: passed on.
    let context = unsafe { Box::from_raw(context.cast::<Context>()) };
    context.foreign.deletions.0.fetch_add(1, Ordering::SeqCst);
}
