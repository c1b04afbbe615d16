//! The structs are those of the specification, as another crate has generated them from its header.

use std::mem::offset_of;

use dlpark::ffi;
use restride::interop::dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    FLAG_IS_COPIED, FLAG_READ_ONLY, VERSION, code,
};

macro_rules! same_struct {
    ($name:ident: $($field:ident)*) => {
        assert_eq!(size_of::<$name>(), size_of::<ffi::$name>());
        assert_eq!(align_of::<$name>(), align_of::<ffi::$name>());
        $(assert_eq!(offset_of!($name, $field), offset_of!(ffi::$name, $field));)*
    };
}

#[test]
fn fields_lie_where_the_header_puts_them() {
    same_struct!(DLPackVersion: major minor);
    same_struct!(DLDevice: device_type device_id);
    same_struct!(DLDataType: code bits lanes);
    same_struct!(DLTensor: data device ndim dtype shape strides byte_offset);
    same_struct!(DLManagedTensor: dl_tensor manager_ctx deleter);
    same_struct!(DLManagedTensorVersioned: version manager_ctx deleter flags dl_tensor);
}

#[test]
fn numbers_are_those_of_the_header() {
    assert_eq!(VERSION.major, ffi::DLPACK_MAJOR_VERSION);
    assert_eq!(FLAG_READ_ONLY, u64::from(ffi::DLPACK_FLAG_BITMASK_READ_ONLY));
    assert_eq!(FLAG_IS_COPIED, u64::from(ffi::DLPACK_FLAG_BITMASK_IS_COPIED));
    assert_eq!(DLDevice::CPU.device_type as u32, ffi::DLDeviceType::CPU.0);
    let ours = [code::INT, code::UINT, code::FLOAT, code::BFLOAT, code::COMPLEX, code::BOOL];
    let theirs = [
        ffi::DLDataTypeCode::INT,
        ffi::DLDataTypeCode::UINT,
        ffi::DLDataTypeCode::FLOAT,
        ffi::DLDataTypeCode::BFLOAT,
        ffi::DLDataTypeCode::COMPLEX,
        ffi::DLDataTypeCode::BOOL,
    ];
    assert_eq!(ours, theirs.map(|code| code.0));
}
