//! [burn](https://burn.dev): dense tensors of its CPU backend, [burn-flex](burn_flex).
//!
//! Views of that backend share memory and have strides, negative ones too; each operation that
//! wants dense memory copies first. Before, with burn alone:
//!
//! ```
//! use burn_backend::TensorData;
//! use burn_flex::FlexTensor;
//!
//! let rows = FlexTensor::from_data(TensorData::new(vec![1f32, 2., 3., 4., 5., 6.], [2, 3]));
//! let dense = rows.transpose(0, 1).to_contiguous();
//! # assert_eq!(dense.as_slice::<f32>(), Some(&[1., 4., 2., 5., 3., 6.][..]));
//! ```
//!
//! After:
//!
//! ```
//! use burn_backend::TensorData;
//! use burn_flex::FlexTensor;
//! use restride::interop::burn::contiguous;
//!
//! let rows = FlexTensor::from_data(TensorData::new(vec![1f32, 2., 3., 4., 5., 6.], [2, 3]));
//! let dense = contiguous(&rows.transpose(0, 1))?;
//! # assert_eq!(dense.as_slice::<f32>(), Some(&[1., 4., 2., 5., 3., 6.][..]));
//! # Ok::<(), restride::interop::burn::BurnError>(())
//! ```
//!
//! Backends and their extensions work with these tensors. Applications hand data in and out by
//! [`TensorData`], which is always dense: [`to_data`] makes it of a view of a backend's tensor, and
//! [`data_of`] of any strided elements, without a dense copy in between.
//!
//! `results/README.md`, under peers, has restride beside the crate's own copy: with fresh outputs and on
//! one thread, 5.0 times its speed for a transposed f32 matrix of 64 x 64, 5.0 times for 4096 x 4096.
//! `cargo bench --all-features --bench adapters -- burn` measures the adapter on your machine.

use burn_backend::{BoolStore, Bytes, DType, Element, Shape, TensorData, bf16, f16};
use burn_flex::FlexTensor;
use thiserror::Error;

use crate::copy;
use crate::error::{CopyError, LayoutError};
use crate::layout::Layout;

/// A tensor that cannot be made dense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BurnError {
    /// Elements that the backend has no strided tensors of.
    #[error("strided tensors of {dtype:?} are not known; convert it to another type first")]
    Unsupported {
        /// The tensor's type.
        dtype: DType,
    },
    /// Memory that holds no elements of the tensor's type.
    #[error(
        "{len} bytes at {address:#x} are no elements of {dtype:?}, which are aligned and whole"
    )]
    Misaligned {
        /// The tensor's type.
        dtype: DType,
        /// Address of the first byte.
        address: usize,
        /// Number of bytes.
        len: usize,
    },
    /// The elements could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
}

/// The tensor itself, sharing its memory, when it is dense row-major and all of that memory; else
/// a copy that is. Takes the place of [`FlexTensor::to_contiguous`].
///
/// Takes `f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8`, and truth values of a byte each.
///
/// # Errors
/// [`BurnError::Unsupported`] for other types; [`BurnError::Misaligned`] where the tensor was made
/// of bytes that are no elements; [`BurnError::Copy`] when the layout reaches outside the memory,
/// there are more than 64 axes, or the output cannot be allocated.
///
/// # Panics
/// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
pub fn contiguous(tensor: &FlexTensor) -> Result<FlexTensor, BurnError> {
    let dtype = tensor.dtype();
    let is_whole = tensor.is_contiguous()
        && tensor.layout().start_offset() == 0
        && tensor.layout().num_elements().checked_mul(dtype.size()) == Some(tensor.bytes().len());
    if is_whole {
        return Ok(tensor.clone());
    }
    let shape = tensor.layout().shape().clone();
    if shape.contains(&0) {
        return Ok(FlexTensor::empty(shape, dtype)); // whose memory may begin anywhere
    }
    let bytes = match dtype {
        DType::F64 => dense(tensor, FlexTensor::storage::<f64>),
        DType::F32 => dense(tensor, FlexTensor::storage::<f32>),
        DType::F16 => dense(tensor, FlexTensor::storage::<f16>),
        DType::BF16 => dense(tensor, FlexTensor::storage::<bf16>),
        DType::I64 => dense(tensor, FlexTensor::storage::<i64>),
        DType::I32 => dense(tensor, FlexTensor::storage::<i32>),
        DType::I16 => dense(tensor, FlexTensor::storage::<i16>),
        DType::I8 => dense(tensor, FlexTensor::storage::<i8>),
        DType::U64 => dense(tensor, FlexTensor::storage::<u64>),
        DType::U32 => dense(tensor, FlexTensor::storage::<u32>),
        DType::U16 => dense(tensor, FlexTensor::storage::<u16>),
        DType::U8 | DType::Bool(BoolStore::Native | BoolStore::U8) => {
            dense(tensor, FlexTensor::storage::<u8>)
        }
        DType::Bool(BoolStore::U32) | DType::Flex32 | DType::QFloat(_) => {
            return Err(BurnError::Unsupported { dtype });
        }
    }?;
    Ok(FlexTensor::new(bytes, burn_flex::Layout::contiguous(shape), dtype))
}

/// The elements of `tensor`, dense. Takes the place of [`FlexTensor::into_data`].
///
/// # Errors
/// As [`contiguous`].
///
/// # Panics
/// As [`contiguous`].
pub fn to_data(tensor: FlexTensor) -> Result<TensorData, BurnError> {
    let dense = contiguous(&tensor)?;
    drop(tensor); // it may be the other owner of the memory, which then need not be copied
    Ok(dense.into_data())
}

/// The elements that `layout` shows of `data`, for `Tensor::from_data`.
///
/// ```
/// use restride::Layout;
/// use restride::interop::burn::data_of;
///
/// // Channels last, as cameras and decoders write; channels first, as convolutions read.
/// let image: Vec<u8> = (0..2 * 4 * 3).collect();
/// let planes = Layout::contiguous(&[2, 4, 3])?.permute(&[2, 0, 1])?;
/// let data = data_of(&planes, &image)?;
/// assert_eq!(data.as_slice::<u8>().unwrap()[..4], [0, 3, 6, 9]);
/// # Ok::<(), restride::CopyError>(())
/// ```
///
/// # Errors
/// As [`crate::contiguous`].
///
/// # Panics
/// As [`crate::contiguous`].
pub fn data_of<E: Element>(layout: &Layout, data: &[E]) -> Result<TensorData, CopyError> {
    let elements = copy::contiguous(layout, data)?;
    Ok(TensorData::new(elements, Shape::from(layout.shape().to_vec())))
}

/// The tensor's elements in row-major order, as memory for another tensor. `storage` finds the
/// elements in the tensor's memory, when they are aligned and whole.
fn dense<E: Element>(
    tensor: &FlexTensor,
    storage: fn(&FlexTensor) -> &[E],
) -> Result<Bytes, BurnError> {
    let bytes = tensor.bytes();
    if !bytes.as_ptr().cast::<E>().is_aligned() || !bytes.len().is_multiple_of(size_of::<E>()) {
        let (dtype, address, len) = (tensor.dtype(), bytes.as_ptr().addr(), bytes.len());
        return Err(BurnError::Misaligned { dtype, address, len });
    }
    let elements = storage(tensor);
    let view = view(tensor.layout(), elements.len()).map_err(CopyError::from)?;
    Ok(Bytes::from_elems(copy::contiguous(&view, elements)?))
}

/// `layout`, which has elements, in this crate's terms, over a storage of `len` elements.
fn view(layout: &burn_flex::Layout, len: usize) -> Result<Layout, LayoutError> {
    Layout::from_parts(&layout.shape()[..], layout.strides(), layout.start_offset(), len)
}
