//! The naive copy that every fast path is checked against, and that the bench shows as the
//! loop people write by hand. Nothing else uses it.

use crate::plan::CopySpec;

/// One element at a time, in logical row-major order.
///
/// # Safety
/// The obligations of [`crate::Plan::execute_raw`].
pub unsafe fn naive_copy(spec: &CopySpec, src: *const u8, dst: *mut u8) {
    if spec.shape.contains(&0) {
        return;
    }
    // SAFETY: the pointers are those of element [0, …, 0], which exists.
    unsafe { copy_axes(spec, 0, src, dst) }
}

/// Copies the elements below axis `axis`.
///
/// # Safety
/// `src` and `dst` point at elements of either side whose indices from `axis` on are zero.
unsafe fn copy_axes(spec: &CopySpec, axis: usize, src: *const u8, dst: *mut u8) {
    if axis == spec.shape.len() {
        // SAFETY: both pointers address one element.
        unsafe { core::ptr::copy_nonoverlapping(src, dst, spec.elem_size) };
        return;
    }
    for i in 0..spec.shape[axis] as isize {
        // SAFETY: index `i` of this axis exists, so both addresses are elements' addresses.
        unsafe {
            copy_axes(
                spec,
                axis + 1,
                src.offset(i * spec.src_strides[axis]),
                dst.offset(i * spec.dst_strides[axis]),
            );
        }
    }
}
