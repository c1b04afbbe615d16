//! Buffers whose neighbours may not be touched: any access before or behind them is a fault.

use std::ptr;

/// `len` bytes in a mapping of their own, with an inaccessible page on either side.
pub struct Guarded {
    map: *mut u8,
    map_len: usize,
    data: *mut u8,
    len: usize,
}

/// Which guard page the buffer touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The buffer begins right behind the first guard page.
    Front,
    /// The buffer ends right before the second.
    Back,
}

const PAGE: usize = 4096;

impl Guarded {
    /// A zeroed buffer of `len` bytes.
    pub fn new(len: usize, against: Against) -> Self {
        let body = len.next_multiple_of(PAGE).max(PAGE);
        let map_len = body + 2 * PAGE;
        // SAFETY: a fresh anonymous mapping; its two outer pages are then made inaccessible.
        unsafe {
            let map = libc::mmap(
                ptr::null_mut(),
                map_len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(map, libc::MAP_FAILED, "mmap of {map_len} bytes");
            let map = map.cast::<u8>();
            assert_eq!(libc::mprotect(map.cast(), PAGE, libc::PROT_NONE), 0);
            assert_eq!(libc::mprotect(map.add(PAGE + body).cast(), PAGE, libc::PROT_NONE), 0);
            let data = match against {
                Against::Front => map.add(PAGE),
                Against::Back => map.add(PAGE + body - len),
            };
            Self { map, map_len, data, len }
        }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the accessible, initialized part of the mapping.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, unmapped once.
        unsafe { libc::munmap(self.map.cast(), self.map_len) };
    }
}
