//! Memory for fresh outputs.

use std::mem::MaybeUninit;

use crate::error::CopyError;

/// A vector of `len` elements whose values are not there yet. The allocation's failure is an
/// error value.
pub(crate) fn uninit_vec<T>(len: usize) -> Result<Vec<MaybeUninit<T>>, CopyError> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len)
        .map_err(|_| CopyError::Allocation { bytes: len.saturating_mul(size_of::<T>()) })?;
    // SAFETY: `MaybeUninit<T>` needs no initialization, and the capacity is at least `len`.
    unsafe { vec.set_len(len) };
    Ok(vec)
}
