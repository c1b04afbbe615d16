//! [candle](candle_core): contiguous tensors of the CPU.
//!
//! Before, with candle alone:
//!
//! ```
//! use candle_core::{Device, Tensor};
//!
//! # fn main() -> candle_core::Result<()> {
//! let heads = Tensor::arange(0f32, 24., &Device::Cpu)?.reshape((2, 3, 4))?;
//! let dense = heads.transpose(0, 1)?.contiguous()?;
//! # assert_eq!(dense.to_vec3::<f32>()?[2][1], [20., 21., 22., 23.]);
//! # Ok(())
//! # }
//! ```
//!
//! After:
//!
//! ```
//! use candle_core::{Device, Tensor};
//! use restride::interop::candle::contiguous;
//!
//! # fn main() -> candle_core::Result<()> {
//! let heads = Tensor::arange(0f32, 24., &Device::Cpu)?.reshape((2, 3, 4))?;
//! let dense = contiguous(&heads.transpose(0, 1)?)?;
//! # assert_eq!(dense.to_vec3::<f32>()?[2][1], [20., 21., 22., 23.]);
//! # Ok(())
//! # }
//! ```
//!
//! Gradients pass as they do through candle's own. As an operation, for code that holds
//! [`CustomOp1`]s, it is [`Contiguous`]: `tensor.apply_op1(Contiguous)`.
//!
//! `results/README.md`, under peers, has restride beside the crate's own copy: with fresh outputs and on
//! one thread, 10 times its speed for a transposed f32 matrix of 64 x 64, 11 times for 4096 x 4096.
//! `cargo bench --all-features --bench adapters -- candle` measures the adapter on your machine.

use candle_core::{CpuStorage, CustomOp1, Error, Result, Shape, Tensor, backend::BackendStorage};

use crate::copy;
use crate::error::LayoutError;
use crate::layout::{Layout, Strides};

/// The tensor itself, sharing its storage, when it is dense row-major; else a copy that is.
///
/// Takes the place of [`Tensor::contiguous`]: the shape, the type and the device are kept, and
/// gradients pass. A tensor of another device than the CPU is left to that method.
///
/// # Errors
/// As [`Contiguous`], or as [`Tensor::contiguous`] on another device.
///
/// # Panics
/// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`crate::Plan::new`].
pub fn contiguous(tensor: &Tensor) -> Result<Tensor> {
    if tensor.is_contiguous() || !tensor.device().is_cpu() {
        return tensor.contiguous();
    }
    tensor.apply_op1(Contiguous)
}

/// The operation that copies a tensor of the CPU into a new dense row-major one, also when it is
/// dense already. The gradient with respect to its argument is that with respect to its result.
///
/// Takes elements of whole bytes: `u8 u32 i16 i32 i64 bf16 f16 f32 f64 f8e4m3 f8e8m0`. Fails with
/// [`Error::UnsupportedDTypeForOp`] for others (`f4 f6e2m3 f6e3m2`), with a wrapped [`CopyError`]
/// when there are more than 64 axes or the output cannot be allocated, and with candle's own error
/// on another device.
///
/// [`CopyError`]: crate::CopyError
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contiguous;

impl CustomOp1 for Contiguous {
    fn name(&self) -> &'static str {
        "restride-contiguous"
    }

    fn cpu_fwd(
        &self,
        storage: &CpuStorage,
        layout: &candle_core::Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let dense = match storage {
            CpuStorage::U8(elements) => CpuStorage::U8(dense(elements, layout)?),
            CpuStorage::U32(elements) => CpuStorage::U32(dense(elements, layout)?),
            CpuStorage::I16(elements) => CpuStorage::I16(dense(elements, layout)?),
            CpuStorage::I32(elements) => CpuStorage::I32(dense(elements, layout)?),
            CpuStorage::I64(elements) => CpuStorage::I64(dense(elements, layout)?),
            CpuStorage::BF16(elements) => CpuStorage::BF16(dense(elements, layout)?),
            CpuStorage::F16(elements) => CpuStorage::F16(dense(elements, layout)?),
            CpuStorage::F32(elements) => CpuStorage::F32(dense(elements, layout)?),
            CpuStorage::F64(elements) => CpuStorage::F64(dense(elements, layout)?),
            CpuStorage::F8E4M3(elements) => CpuStorage::F8E4M3(dense(elements, layout)?),
            CpuStorage::F8E8M0(bytes) => CpuStorage::F8E8M0(dense(bytes, layout)?),
            // Several elements share a byte, in an order that candle does not lay down.
            CpuStorage::F6E2M3(_) | CpuStorage::F6E3M2(_) | CpuStorage::F4(_) => {
                return Err(Error::UnsupportedDTypeForOp(storage.dtype(), self.name()).bt());
            }
        };
        Ok((dense, layout.shape().clone()))
    }

    fn bwd(&self, _arg: &Tensor, _res: &Tensor, grad_res: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some(grad_res.clone()))
    }
}

/// The elements that `layout` shows, in row-major order.
fn dense<T: Copy + Send + Sync>(elements: &[T], layout: &candle_core::Layout) -> Result<Vec<T>> {
    let view = view(layout, elements.len()).map_err(Error::wrap)?;
    copy::contiguous(&view, elements).map_err(Error::wrap)
}

/// `layout` in this crate's terms, over a storage of `len` elements.
fn view(layout: &candle_core::Layout, len: usize) -> core::result::Result<Layout, LayoutError> {
    let dims = layout.dims();
    if dims.contains(&0) {
        return Layout::contiguous(dims);
    }
    let strides = layout
        .stride()
        .iter()
        .map(|&stride| {
            isize::try_from(stride)
                .map_err(|_| LayoutError::Overflow { what: format!("stride {stride}") })
        })
        .collect::<core::result::Result<Strides, _>>()?;
    Layout::from_parts(dims, &strides, layout.start_offset(), len)
}
