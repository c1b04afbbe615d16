//! DLPack: strided tensors that change hands between libraries without a copy.
//!
//! NumPy, PyTorch, JAX, TensorFlow, CuPy, MLX and others give and take tensors as a pointer to a C
//! struct with a function that frees it; what they give is often strided, and what they take need
//! not be dense. Both structs are known here: [`DLManagedTensorVersioned`] of DLPack 1, and the
//! older [`DLManagedTensor`] without a version and flags. Rules are cited from the
//! [specification](https://dmlc.github.io/dlpack/latest/c_api.html).
//!
//! # Taking a tensor
//!
//! Before, a loop over indices:
//!
//! ```
//! # use restride::interop::dlpack::DLTensor;
//! /// # Safety
//! /// A tensor of rank 2 and `f32` elements in the CPU's memory, aligned, strides not null.
//! unsafe fn dense(tensor: &DLTensor) -> Vec<f32> {
//!     let mut dense = Vec::new();
//!     // SAFETY: the caller vouches for two sizes, two strides, and an `f32` at every index.
//!     unsafe {
//!         let first = tensor.data.cast::<u8>().add(tensor.byte_offset as usize).cast::<f32>();
//!         for i in 0..*tensor.shape {
//!             for j in 0..*tensor.shape.add(1) {
//!                 let element = i * *tensor.strides + j * *tensor.strides.add(1);
//!                 dense.push(*first.offset(element as isize));
//!             }
//!         }
//!     }
//!     dense
//! }
//! ```
//!
//! After, with every rank, sign of stride, alignment and element type, and the deleter called:
//!
//! ```
//! use restride::interop::dlpack::{DLManagedTensorVersioned, DlpackError, Export, Imported};
//!
//! /// # Safety
//! /// As [`Imported::from_raw`].
//! unsafe fn dense(tensor: *mut DLManagedTensorVersioned) -> Result<Vec<f32>, DlpackError> {
//!     // SAFETY: passed on.
//!     unsafe { Imported::from_raw(tensor) }?.to_vec()
//! }
//!
//! # let columns = restride::Layout::contiguous(&[2, 3])?.t();
//! # let tensor = Export::of_vec(vec![0f32, 1., 2., 3., 4., 5.], columns)?.into_raw();
//! # // SAFETY: a tensor that was just made, taken once.
//! # assert_eq!(unsafe { dense(tensor) }?, [0., 3., 1., 4., 2., 5.]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `cargo bench --all-features --bench adapters -- dlpack` measures one against the other.
//!
//! # Giving a tensor
//!
//! [`Export`] says what is given: a vector, a tensor, or a look at a tensor that others keep. The
//! memory lives until the taker calls the deleter.
//!
//! # In Python
//!
//! `__dlpack__` returns a capsule around the pointer. Who takes it renames the capsule **before**
//! calling [`Imported::from_raw`], to `used_dltensor_versioned` or `used_dltensor`: the tensor is
//! taken over even where it is then refused, and the capsule must not free it a second time.
//!
//! | file | idea |
//! |---|---|
//! | `abi.rs` | the structs of the specification |
//! | `element.rs` | which Rust types its data types are |
//! | `owner.rs` | a tensor whose deleter is called once |
//! | `import.rs` | tensors of other libraries |
//! | `export.rs` | tensors for other libraries |

mod abi;
mod element;
mod error;
mod export;
mod import;
mod owner;

pub use abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    FLAG_IS_COPIED, FLAG_READ_ONLY, VERSION,
};
pub use element::{Element, Plain, code};
pub use error::DlpackError;
pub use export::Export;
pub use import::Imported;
