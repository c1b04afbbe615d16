//! Dense copies of the same number of bytes with the same threads: what the memory can do, and
//! so what a strided copy is held against.

use core::ops::Range;

use super::stats;
use super::strategy::Copier;

/// Bytes below which another thread is not worth its wake-up: a dense copy of few bytes runs on
/// fewer threads than allowed, or the ceiling would be the thread pool's and not the memory's.
const GRAIN: usize = 256 << 10;

/// Copies a slice: source, destination, bytes.
pub type CopySlice = unsafe fn(*const u8, *mut u8, usize);

/// A dense copy cut into one slice for each thread, all copied at the same time.
#[derive(Debug)]
pub struct Dense {
    copy: CopySlice,
    slices: Vec<Range<usize>>,
}

impl Dense {
    /// A dense copy of `bytes` by `copy` on up to `threads` threads.
    pub fn new(copy: CopySlice, bytes: usize, threads: usize) -> Self {
        Self { copy, slices: slices(bytes, threads) }
    }
}

impl Copier for Dense {
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        if let [whole] = self.slices.as_slice() {
            // SAFETY: the caller's obligations; there is one slice.
            return unsafe { (self.copy)(src, dst, whole.len()) };
        }
        let (src, dst) = (src as usize, dst as usize);
        rayon::broadcast(|context| {
            let Some(slice) = self.slices.get(context.index()) else { return };
            let (src, dst) = ((src + slice.start) as *const u8, (dst + slice.start) as *mut u8);
            // SAFETY: the caller's obligations; the slices are disjoint parts of the whole.
            unsafe { (self.copy)(src, dst, slice.len()) };
        });
    }
}

/// libc's `memcpy`, as every program calls it.
///
/// # Safety
/// `len` bytes are readable at `src` and writable at `dst`, and the two do not overlap.
pub unsafe fn memcpy(src: *const u8, dst: *mut u8, len: usize) {
    // SAFETY: the caller's obligations. A copy of unknown length compiles to a call of memcpy.
    unsafe { src.copy_to_nonoverlapping(dst, core::hint::black_box(len)) }
}

/// Cuts `bytes` into at most `threads` slices of whole cache lines, none below the grain. There
/// is always at least one.
fn slices(bytes: usize, threads: usize) -> Vec<Range<usize>> {
    let parts = threads.min(bytes / GRAIN).max(1);
    let size = bytes.div_ceil(parts).next_multiple_of(64);
    (0..parts).map(|part| (part * size).min(bytes)..((part + 1) * size).min(bytes)).collect()
}

/// The faster, by median, of the dense copies `(name, samples)`; `None` without samples.
pub fn best<'a>(dense: impl IntoIterator<Item = (&'a str, &'a [f64])>) -> Option<&'a str> {
    dense
        .into_iter()
        .filter_map(|(name, samples)| Some((name, stats::median(samples)?)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_everything_once() {
        for bytes in [0, 1, GRAIN, 2 * GRAIN + 1, 100 * GRAIN - 63] {
            for threads in [1, 2, 3, 64] {
                let slices = slices(bytes, threads);
                assert!(!slices.is_empty() && slices.len() <= threads);
                assert_eq!(slices[0].start, 0);
                assert!(slices.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert_eq!(slices[slices.len() - 1].end, bytes);
            }
        }
        assert_eq!(slices(GRAIN, 8).len(), 1);
    }

    #[test]
    fn the_ceiling_is_the_faster_dense_copy() {
        let (memcpy, stream) = ([2.0, 2.0, 9.0], [3.0, 1.0, 1.0]);
        let both = [("memcpy", &memcpy[..]), ("streaming copy", &stream[..])];
        assert_eq!(best(both), Some("streaming copy"));
        assert_eq!(best([("memcpy", &memcpy[..])]), Some("memcpy"));
        assert_eq!(best([("memcpy", &[][..])]), None);
    }
}
