//! Memory to copy from and to: what an ordinary program gets from its allocator.
//!
//! Nothing is aligned beyond what the allocator promises, because users' arrays are not: glibc
//! begins a large allocation 16 bytes after a cache line, and a kernel that only shines on
//! aligned memory must not look better here than it is.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::alloc;

use crate::exec::{HugePages, advise};

use super::BenchError;

/// The allocator's promise, as for a `Vec<f64>`.
const ALIGN: usize = 16;

/// What a poisoned byte holds.
pub const POISON: u8 = 0xA5;

/// An ordinary allocation whose use begins `offset` bytes in.
#[derive(Debug)]
pub struct Buffer {
    base: NonNull<u8>,
    layout: Layout,
    offset: usize,
    len: usize,
}

// SAFETY: the buffer owns its memory; sharing it is only reading pointers.
unsafe impl Send for Buffer {}
// SAFETY: `&Buffer` gives out a pointer and `&[u8]`; every write through the pointer is under
// the obligations of the unsafe block that makes it.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Allocates `len` usable bytes that begin `offset` bytes into the allocation. The memory is
    /// neither touched nor initialized.
    ///
    /// # Errors
    /// [`BenchError::Allocation`] when the system refuses.
    fn uninitialized(len: usize, offset: usize) -> Result<Self, BenchError> {
        let refused = || BenchError::Allocation { bytes: len };
        let size = len.checked_add(offset).ok_or_else(refused)?.max(1);
        let layout = Layout::from_size_align(size, ALIGN).map_err(|_| refused())?;
        // SAFETY: the layout's size is at least 1.
        let base = NonNull::new(unsafe { alloc::alloc(layout) }).ok_or_else(refused)?;
        Ok(Self { base, layout, offset, len })
    }

    /// The whole allocation.
    fn allocation_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the allocation is this buffer's, borrowed mutably, and may be uninitialized.
        unsafe { core::slice::from_raw_parts_mut(self.base.as_ptr().cast(), self.layout.size()) }
    }

    /// `len` bytes of non-repeating data, touched.
    ///
    /// # Errors
    /// [`BenchError::Allocation`] when the system refuses.
    pub fn noise(len: usize, offset: usize) -> Result<Self, BenchError> {
        let mut buffer = Self::poisoned(len, offset)?;
        fill_noise(buffer.bytes_mut());
        Ok(buffer)
    }

    /// `len` poisoned bytes, touched.
    ///
    /// # Errors
    /// [`BenchError::Allocation`] when the system refuses.
    pub fn poisoned(len: usize, offset: usize) -> Result<Self, BenchError> {
        let buffer = Self::uninitialized(len, offset)?;
        // SAFETY: the whole allocation, padding included, is ours to write.
        unsafe { buffer.base.as_ptr().write_bytes(POISON, buffer.layout.size()) };
        Ok(buffer)
    }

    /// Overwrites every byte with [`POISON`].
    pub fn poison(&mut self) {
        self.bytes_mut().fill(POISON);
    }

    /// Usable bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no byte is usable.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first usable byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.as_mut_ptr()
    }

    /// The first usable byte, for a copy that the caller makes sure nobody reads meanwhile.
    pub fn as_mut_ptr(&self) -> *mut u8 {
        // SAFETY: `offset` is at most the allocation's size.
        unsafe { self.base.as_ptr().add(self.offset) }
    }

    /// The usable bytes. Buffers made by the public constructors are initialized.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `len` bytes from the first usable one belong to the allocation, and both
        // public constructors write all of them.
        unsafe { core::slice::from_raw_parts(self.as_ptr(), self.len) }
    }

    /// The usable bytes, writable.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and `self` is borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc` with this layout and is freed once.
        unsafe { alloc::dealloc(self.base.as_ptr(), self.layout) };
    }
}

/// Runs `copy` on a new, untouched allocation of `len` bytes and frees it: what a program pays
/// that makes a new array in every call, page faults and release included. With
/// [`HugePages::Auto`] the allocation asks for huge pages as the output of [`crate::contiguous`]
/// does.
///
/// # Errors
/// [`BenchError::Allocation`] when the system refuses.
pub fn with_fresh(
    len: usize,
    offset: usize,
    pages: HugePages,
    copy: impl FnOnce(*mut u8),
) -> Result<(), BenchError> {
    let mut buffer = Buffer::uninitialized(len, offset)?;
    if pages == HugePages::Auto {
        advise(buffer.allocation_mut());
    }
    copy(buffer.as_mut_ptr());
    // The allocation may not be optimized away: its content counts as used.
    core::hint::black_box(buffer.as_ptr());
    Ok(())
}

/// Clears bit 30 of either half: read as one or two floats, eight bytes are then finite, and a
/// library that multiplies by one on the way keeps every bit of them.
const FINITE: u64 = 0xBFFF_FFFF_BFFF_FFFF;

/// Fills `bytes` with a sequence that does not repeat: every eight bytes are a mix of their
/// position, so a wrongly permuted output cannot look right.
fn fill_noise(bytes: &mut [u8]) {
    let (words, tail) = bytes.as_chunks_mut::<8>();
    let mut position = 0;
    for word in words {
        position += 1;
        *word = (mix(position) & FINITE).to_le_bytes();
    }
    let last = mix(position + 1).to_le_bytes();
    tail.copy_from_slice(&last[..tail.len()]);
}

/// A bijection of 64-bit numbers whose images of 1, 2, 3 … look random (SplitMix64's output
/// function).
pub fn mix(position: u64) -> u64 {
    let mut z = position.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_does_not_repeat() {
        let buffer = Buffer::noise(8 * 1000 + 3, 5).unwrap();
        assert_eq!(buffer.len(), 8003);
        let (words, _) = buffer.bytes().as_chunks::<8>();
        let distinct: std::collections::HashSet<_> = words.iter().collect();
        assert_eq!(distinct.len(), words.len());
        for word in words {
            let (low, high) = word.split_at(4);
            let float = |half: &[u8]| f32::from_le_bytes(half.try_into().unwrap());
            assert!(float(low).is_finite() && float(high).is_finite());
            assert!(f64::from_le_bytes(*word).is_finite());
        }
    }

    #[test]
    fn an_offset_shifts_the_first_byte() {
        let buffer = Buffer::poisoned(64, 3).unwrap();
        assert_eq!(buffer.as_ptr() as usize % ALIGN, 3);
        assert!(buffer.bytes().iter().all(|&byte| byte == POISON));
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert!(matches!(Buffer::poisoned(usize::MAX / 2, 0), Err(BenchError::Allocation { .. })));
        assert!(Buffer::poisoned(usize::MAX, 1).is_err());
        assert!(Buffer::poisoned(0, 0).unwrap().is_empty());
    }
}
