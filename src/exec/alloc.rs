//! Memory for fresh outputs: an ordinary vector, not touched before the copy writes it.
//!
//! A large output costs more in page faults than in copying: each 4 KiB page is faulted in and
//! cleared by itself. On Linux a range of memory can be advised to be backed by 2 MiB pages
//! instead. The advice sticks to the addresses, not to the vector, so where the allocator later
//! hands the same addresses to somebody else it would go on working there, unasked. It is
//! therefore given only where the allocator made a mapping for the vector alone, which goes
//! back to the system, advice and all, when the vector is freed.
//!
//! Allocators do not say which vectors those are, and size decides nothing: glibc also serves
//! large requests from the heap once blocks of that size have been freed. Two signs together tell:
//!
//! - The address. glibc and musl begin a mapping with a header of 16 bytes, so the vector starts
//!   16 bytes behind a page boundary, or at its alignment if that is larger. In the heap that is a
//!   coincidence, one in 256, or in 64 for what begins on a cache line.
//! - Nothing has been touched yet. Memory that is recycled mostly has.
//!
//! Where they do not hold, as with other allocators, which keep and reuse their mappings, the
//! vector is what the allocator made it.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::error::CopyError;

/// Whether a fresh output may ask for huge pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HugePages {
    /// Where the output is large and lies in a mapping of its own (Linux, with the feature `std`).
    #[default]
    Auto,
    /// The memory is left as the allocator made it.
    Never,
}

/// A vector of `len` elements whose values are not there yet; its memory has not been touched.
/// The allocation's failure is an error value.
pub(crate) fn uninit_vec<T>(
    len: usize,
    pages: HugePages,
) -> Result<Vec<MaybeUninit<T>>, CopyError> {
    let mut vec = Vec::<MaybeUninit<T>>::new();
    vec.try_reserve_exact(len)
        .map_err(|_| CopyError::Allocation { bytes: len.saturating_mul(size_of::<T>()) })?;
    if pages == HugePages::Auto {
        advise(vec.spare_capacity_mut());
    }
    // SAFETY: `MaybeUninit<T>` needs no initialization, and the capacity is at least `len`.
    unsafe { vec.set_len(len) };
    Ok(vec)
}

/// Asks for huge pages behind `memory`, fresh from the allocator, where that touches nobody else.
/// Whether it worked cannot be told, and changes no value.
pub(crate) fn advise<T>(memory: &mut [MaybeUninit<T>]) {
    advise_aligned(memory.as_mut_ptr().cast(), size_of_val(memory), align_of::<T>());
}

/// [`advise`] for so many bytes that were allocated with an alignment of `align` bytes.
pub(crate) fn advise_aligned(first: *mut u8, bytes: usize, align: usize) {
    #[cfg(all(feature = "std", target_os = "linux"))]
    huge::advise(first, bytes, align);
    #[cfg(not(all(feature = "std", target_os = "linux")))]
    let _ = (first, bytes, align);
}

#[cfg(all(feature = "std", target_os = "linux"))]
mod huge {
    use crate::machine::Machine;

    /// Bytes of a huge page on x86-64 and, with 4 KiB base pages, on aarch64.
    const HUGE: usize = 2 << 20;
    /// Bytes from which a range is worth the call.
    const WORTH: usize = 4 << 20;
    /// Bytes in front of what glibc and musl hand out of a mapping.
    const HEADER: usize = 16;

    pub(super) fn advise(first: *mut u8, bytes: usize, align: usize) {
        let page = Machine::current().page;
        if bytes < WORTH || first.addr() % page != HEADER.max(align) {
            return;
        }
        // Only huge pages that lie wholly inside: the rest may be a neighbour's.
        let start = first.addr().next_multiple_of(HUGE);
        let end = (first.addr() + bytes) / HUGE * HUGE;
        if start >= end {
            return;
        }
        let start = first.wrapping_add(start - first.addr());
        if untouched(start, page) {
            // SAFETY: the range is page-aligned and belongs to the allocation. The advice changes
            // how it is backed, not what it holds.
            unsafe { libc::madvise(start.cast(), end - start.addr(), libc::MADV_HUGEPAGE) };
        }
    }

    /// Whether the first huge page's worth of memory at `start` has no page in memory yet.
    fn untouched(start: *mut u8, page: usize) -> bool {
        let mut resident = [0u8; HUGE / 4096];
        // SAFETY: `start` is page-aligned, and the call writes a byte for each of the at most 512
        // pages. It reads no memory behind `start`.
        let status = unsafe { libc::mincore(start.cast(), HUGE, resident.as_mut_ptr()) };
        page >= 4096 && status == 0 && resident.iter().all(|byte| byte & 1 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_size_is_an_error() {
        for pages in [HugePages::Auto, HugePages::Never] {
            let refused = uninit_vec::<u64>(usize::MAX / 16, pages);
            assert_eq!(refused.err(), Some(CopyError::Allocation { bytes: usize::MAX / 16 * 8 }));
            assert!(uninit_vec::<u64>(usize::MAX, pages).is_err());
        }
    }

    /// Whether the kernel's flags of the mapping that holds `address` name a huge-page advice.
    #[cfg(target_os = "linux")]
    fn is_advised(address: usize) -> bool {
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut inside = false;
        for line in smaps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let range = range.and_then(|(start, end)| {
                let hex = |text| usize::from_str_radix(text, 16).ok();
                Some(hex(start)?..hex(end)?)
            });
            if let Some(range) = range {
                inside = range.contains(&address);
            } else if inside && line.starts_with("VmFlags:") {
                return line.split(' ').any(|flag| flag == "hg");
            }
        }
        panic!("no mapping holds {address:#x}")
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_large_vector_is_advised_unless_the_caller_says_no() {
        let middle = |vec: &Vec<MaybeUninit<u8>>| vec.as_ptr().addr() + vec.len() / 2;
        let never = uninit_vec::<u8>(64 << 20, HugePages::Never).unwrap();
        let auto = uninit_vec::<u8>(64 << 20, HugePages::Auto).unwrap();
        assert!(!is_advised(middle(&never)));
        assert!(is_advised(middle(&auto)) || auto.as_ptr().addr() % 4096 != 16);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn memory_that_begins_on_a_line_is_advised_too() {
        let bytes = 64 << 20;
        let layout = std::alloc::Layout::from_size_align(bytes, 64).unwrap();
        // SAFETY: the layout has a size, and the memory is given back with the same one.
        unsafe {
            let first = std::alloc::alloc(layout);
            advise_aligned(first, bytes, 64);
            assert!(is_advised(first.addr() + bytes / 2) || first.addr() % 4096 != 64);
            std::alloc::dealloc(first, layout);
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn memory_that_was_used_before_is_left_alone() {
        let mut vec = uninit_vec::<u8>(64 << 20, HugePages::Never).unwrap();
        vec.fill(MaybeUninit::new(1));
        advise(&mut vec);
        assert!(!is_advised(vec.as_ptr().addr() + vec.len() / 2));
    }
}
