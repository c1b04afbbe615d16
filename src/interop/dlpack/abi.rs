//! The structs of the [specification](https://dmlc.github.io/dlpack/latest/c_api.html), with its
//! names. The layout of the versioned one is frozen for all of version 1, that of the older one
//! for good.

use core::ffi::c_void;

/// The version that exports are made by.
///
/// Tensors of any version 1 are taken: minor versions add values, and change no layout.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 3 };

/// Flag of [`DLManagedTensorVersioned`]: the elements may not be written.
pub const FLAG_READ_ONLY: u64 = 1;

/// Flag of [`DLManagedTensorVersioned`]: the giver has made a copy for the taker alone.
pub const FLAG_IS_COPIED: u64 = 1 << 1;

/// A version of the interface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DLPackVersion {
    /// Changes when the layout of [`DLManagedTensorVersioned`] does.
    pub major: u32,
    /// Changes when values are added.
    pub minor: u32,
}

/// Where the elements are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DLDevice {
    /// What kind of device; 1 is the CPU.
    pub device_type: i32,
    /// Which one of its kind; 0 for the CPU.
    pub device_id: i32,
}

impl DLDevice {
    /// The CPU's ordinary memory.
    pub const CPU: Self = Self { device_type: 1, device_id: 0 };
}

/// What one element is: `lanes` numbers of `bits` bits each.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DLDataType {
    /// What kind of number: see [`code`](super::code).
    pub code: u8,
    /// Bits of one number.
    pub bits: u8,
    /// Numbers in one element; 1 but for vectors.
    pub lanes: u16,
}

/// A strided tensor, which owns nothing.
///
/// Element `[i0, i1, …]` is at `data + byte_offset + (i0*strides[0] + i1*strides[1] + …) * size`,
/// with `size` the bytes of one element.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// The memory; null where there are no elements.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// Number of axes.
    pub ndim: i32,
    /// What the elements are.
    pub dtype: DLDataType,
    /// `ndim` sizes, in elements; may be null where there are no axes.
    pub shape: *mut i64,
    /// `ndim` strides, in elements, of either sign. Null where there are no axes and, before
    /// version 1.2, for a dense row-major tensor.
    pub strides: *mut i64,
    /// Bytes from `data` to element `[0, 0, …]`.
    pub byte_offset: u64,
}

/// A tensor with its deleter: the older struct, without version and flags.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The giver's.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this struct, when called with a pointer to it. It may be absent.
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// A tensor with its deleter, version and flags.
///
/// Of a tensor of another major version, nothing behind `deleter` may be read.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The version it is made by.
    pub version: DLPackVersion,
    /// The giver's.
    pub manager_ctx: *mut c_void,
    /// Frees the tensor and this struct, when called with a pointer to it. It may be absent.
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
    /// [`FLAG_READ_ONLY`], [`FLAG_IS_COPIED`] and others.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}
