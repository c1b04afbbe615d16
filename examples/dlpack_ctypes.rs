//! A library that makes strided tensors dense for callers in any language that has DLPack.
//!
//! ```text
//! cargo build --release --example dlpack_ctypes --features dlpack
//! ```
//!
//! `tests/interop_dlpack/numpy.py` calls it from Python, over ctypes.

use std::error::Error;
use std::ptr;

use restride::interop::dlpack::{
    DLManagedTensor, DLManagedTensorVersioned, DlpackError, Element, Export, Imported, Plain,
};
use restride::{Layout, View};

/// A dense copy of `tensor`, for the caller to delete; null, with a line on standard error, when it
/// is refused. `tensor` is deleted in any case.
///
/// # Safety
/// As [`Imported::from_raw`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn example_contiguous(
    tensor: *mut DLManagedTensorVersioned,
) -> *mut DLManagedTensorVersioned {
    // SAFETY: passed on.
    let tensor = unsafe { Imported::from_raw(tensor) };
    said(|| Ok(dense(&tensor?)?.into_raw())).unwrap_or(ptr::null_mut())
}

/// [`example_contiguous`] for the struct without a version.
///
/// # Safety
/// As [`Imported::from_raw_older`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn example_contiguous_older(
    tensor: *mut DLManagedTensor,
) -> *mut DLManagedTensor {
    // SAFETY: passed on.
    let tensor = unsafe { Imported::from_raw_older(tensor) };
    said(|| Ok(dense(&tensor?)?.into_raw_older()?)).unwrap_or(ptr::null_mut())
}

/// Writes the elements of `src` to those of `dst`, both `f32`. Whether that went well; both are
/// deleted in any case.
///
/// # Safety
/// As [`Imported::from_raw`], for both; they share no element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn example_copy(
    src: *mut DLManagedTensorVersioned,
    dst: *mut DLManagedTensorVersioned,
) -> bool {
    // SAFETY: passed on.
    let (src, dst) = unsafe { (Imported::from_raw(src), Imported::from_raw(dst)) };
    let copied = said(|| {
        let (src, mut dst) = (src?, dst?);
        let elements = src.to_vec::<f32>()?;
        Ok(dst.copy_from(&View::new(Layout::contiguous(src.shape())?, &elements)?)?)
    });
    copied.is_some()
}

/// The numbers from 0 on as `u16[rows, columns]`, shown transposed and upside down: strides
/// `[-1, columns]`.
#[unsafe(no_mangle)]
pub extern "C" fn example_view(rows: u16, columns: u16) -> *mut DLManagedTensorVersioned {
    let view = said(|| {
        let matrix = Layout::contiguous(&[rows.into(), columns.into()])?.t().flip(&[0])?;
        let numbers: Vec<u16> = (0..matrix.numel()).map(|i| i as u16).collect();
        Ok(Export::of_vec(numbers, matrix)?.into_raw())
    });
    view.unwrap_or(ptr::null_mut())
}

/// The result of `call`, if there is one; what was refused goes to standard error.
fn said<T>(call: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Option<T> {
    call().inspect_err(|refusal| eprintln!("{refusal}")).ok()
}

/// A dense copy of the tensor, of its own type.
fn dense(tensor: &Imported) -> Result<Export, Box<dyn Error>> {
    fn of<T: Plain>(tensor: &Imported) -> Option<Result<Export, DlpackError>> {
        let copy = || Export::of_vec(tensor.to_vec::<T>()?, Layout::contiguous(tensor.shape())?);
        (tensor.dtype() == T::DTYPE).then(copy)
    }
    fn truth(tensor: &Imported) -> Option<Result<Export, DlpackError>> {
        let copy = || {
            let values = tensor.to_vec::<u8>()?.into_iter().map(|byte| byte != 0);
            Export::of_vec::<bool>(values.collect(), Layout::contiguous(tensor.shape())?)
        };
        (tensor.dtype() == bool::DTYPE).then(copy)
    }
    let integers = [of::<i8>, of::<i16>, of::<i32>, of::<i64>];
    let unsigned = [of::<u8>, of::<u16>, of::<u32>, of::<u64>];
    let others = [of::<f32>, of::<f64>, truth];
    let mut types = integers.into_iter().chain(unsigned).chain(others);
    let found = types.find_map(|of| of(tensor));
    Ok(found.ok_or_else(|| format!("no Rust type is known for {}", tensor.dtype()))??)
}
