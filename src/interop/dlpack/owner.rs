//! A tensor whose deleter is called once.

use core::ptr::NonNull;

use super::abi::{DLManagedTensor, DLManagedTensorVersioned};

/// A tensor of another library, freed when dropped.
pub(super) enum Owner {
    Versioned(NonNull<DLManagedTensorVersioned>),
    Older(NonNull<DLManagedTensor>),
}

impl Drop for Owner {
    fn drop(&mut self) {
        match *self {
            Self::Versioned(tensor) => {
                // SAFETY: who made this owner gave up a tensor that can be read this far whatever
                // its version, and that nobody has freed.
                let deleter = unsafe { (*tensor.as_ptr()).deleter };
                if let Some(deleter) = deleter {
                    // SAFETY: the tensor's own deleter, called once, for this is the only owner.
                    unsafe { deleter(tensor.as_ptr()) }
                }
            }
            Self::Older(tensor) => {
                // SAFETY: who made this owner gave up a tensor that nobody has freed.
                let deleter = unsafe { (*tensor.as_ptr()).deleter };
                if let Some(deleter) = deleter {
                    // SAFETY: the tensor's own deleter, called once, for this is the only owner.
                    unsafe { deleter(tensor.as_ptr()) }
                }
            }
        }
    }
}
