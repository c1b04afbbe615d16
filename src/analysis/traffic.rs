//! How many cache lines and pages a copy touches, counted from its sizes and strides.
//!
//! The counts assume that the first byte is aligned to a line (a page); another alignment adds at
//! most one per contiguous block.

use super::normalize::{Axis, Normalized};

/// Distinct cache lines and pages on both sides of a copy, and what the plain loop makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The bytes read.
    pub src: Side,
    /// The bytes written.
    pub dst: Side,
    /// Source lines that a plain loop in destination order fetches through a cache of
    /// `cache_bytes`: lines that fall out before their next element is wanted count again.
    pub plain_loop_src_lines: usize,
}

/// What one side of a copy touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Distinct cache lines.
    pub lines: usize,
    /// Distinct pages.
    pub pages: usize,
}

impl Traffic {
    /// Counts for `copy`, with lines of `line` bytes, pages of `page` bytes, and a cache of
    /// `cache_bytes` in front of the plain loop.
    ///
    /// # Panics
    /// When `line` or `page` is 0.
    pub fn of(copy: &Normalized, line: usize, page: usize, cache_bytes: usize) -> Self {
        if copy.bytes == 0 {
            let none = Side { lines: 0, pages: 0 };
            return Self { src: none, dst: none, plain_loop_src_lines: 0 };
        }
        let side = |step: fn(&Axis) -> isize| Side {
            lines: granules(copy.run, &copy.axes, step, line),
            pages: granules(copy.run, &copy.axes, step, page),
        };
        Self {
            src: side(|axis| axis.src),
            dst: side(|axis| axis.dst),
            plain_loop_src_lines: plain_loop_fetches(copy, line, cache_bytes),
        }
    }
}

/// Distinct `granule`-byte blocks touched by runs of `run` bytes at the given steps.
fn granules(run: usize, axes: &[Axis], step: fn(&Axis) -> isize, granule: usize) -> usize {
    let mut steps: smallvec::SmallVec<[(usize, usize); 6]> = axes
        .iter()
        .map(|axis| (step(axis).unsigned_abs(), axis.len))
        .filter(|&(step, _)| step > 0) // a broadcast axis touches nothing new
        .collect();
    steps.sort_unstable();

    // Grow one solid block while the next step leaves no whole granule untouched, then repeat it.
    let span = steps.iter().fold(run, |span, &(step, len)| span + step * (len - 1));
    let mut solid = run;
    let mut copies = 1usize;
    for &(step, len) in &steps {
        if copies == 1 && step <= solid.max(granule) {
            solid += step * (len - 1);
        } else {
            copies = copies.saturating_mul(len);
        }
    }
    copies.saturating_mul(solid.div_ceil(granule)).min(span.div_ceil(granule))
}

/// Source lines fetched when the loops run in destination order.
///
/// A loop nest whose inner loops touch no more lines than the cache holds fetches each of them
/// once. So does the next loop out if it steps by less than a line: each of its iterations finds
/// the lines it shares with the one before still there. Every loop outside repeats that.
fn plain_loop_fetches(copy: &Normalized, line: usize, cache_bytes: usize) -> usize {
    let lines = |inner: &[Axis]| granules(copy.run, inner, |axis| axis.src, line);
    let cached = |inner: &[Axis]| lines(inner) <= cache_bytes / line;
    let fits = (0..copy.axes.len()).find(|&outer| cached(&copy.axes[outer..]));
    let fits = fits.unwrap_or(copy.axes.len());
    let shares_lines = |axis: &Axis| axis.src.unsigned_abs() < line;
    let creeps = cached(&copy.axes[fits..]) && copy.axes[..fits].last().is_some_and(shares_lines);
    let (outside, inside) = copy.axes.split_at(fits - usize::from(creeps));
    outside.iter().fold(lines(inside), |fetched, axis| fetched.saturating_mul(axis.len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CopySpec;

    fn traffic(shape: &[usize], src: &[isize], dst: &[isize]) -> Traffic {
        Traffic::of(
            &Normalized::of(&CopySpec::new(4, shape, src, dst)).unwrap(),
            64,
            4096,
            48 << 10,
        )
    }

    #[test]
    fn a_dense_copy_touches_its_bytes() {
        let t = traffic(&[1024], &[4], &[4]);
        assert_eq!((t.src, t.dst), (Side { lines: 64, pages: 1 }, Side { lines: 64, pages: 1 }));
        assert_eq!(t.plain_loop_src_lines, 64);
    }

    #[test]
    fn a_large_transpose_fetches_a_line_per_element_in_the_plain_loop() {
        let n = 4096;
        let t = traffic(&[n, n], &[4, 4 * n as isize], &[4 * n as isize, 4]);
        assert_eq!(t.src, t.dst);
        assert_eq!(t.src.lines, n * n / 16);
        assert_eq!(t.plain_loop_src_lines, n * n);
    }

    #[test]
    fn a_loop_that_steps_by_less_than_a_line_fetches_each_line_once_a_pass() {
        let plain = |elem, shape: &[usize], src: &[isize], dst: &[isize]| {
            let copy = Normalized::of(&CopySpec::new(elem, shape, src, dst)).unwrap();
            Traffic::of(&copy, 64, 4096, 48 << 10).plain_loop_src_lines
        };
        assert_eq!(plain(4, &[500_000], &[8], &[4]), 62_500); // f32[1000000][::2]
        assert_eq!(plain(1, &[1_000_000], &[-1], &[1]), 15_625); // u8[1000000][::-1]
        // f32[2048,4096][:,::2]
        assert_eq!(plain(4, &[2048, 2048], &[16384, 8], &[8192, 4]), 524_288);
        // u8[300,451,3].permute(2,0,1): a pass of 6343 lines for each of three channels.
        let chelsea = plain(1, &[3, 300, 451], &[1, 1353, 3], &[135_300, 451, 1]);
        assert!((3 * 6_341..=3 * 6_343).contains(&chelsea), "{chelsea}");
    }

    #[test]
    fn a_small_transpose_fetches_each_line_once() {
        let t = traffic(&[64, 64], &[4, 256], &[256, 4]);
        assert_eq!(t.plain_loop_src_lines, 256);
    }

    #[test]
    fn gaps_wider_than_a_line_are_not_counted() {
        let t = traffic(&[100], &[256], &[4]);
        assert_eq!((t.src.lines, t.dst.lines), (100, 7));
        // A step of two elements still touches every line.
        assert_eq!(traffic(&[800], &[8], &[4]).src.lines, 100);
    }

    #[test]
    fn a_broadcast_touches_its_source_once() {
        let t = traffic(&[4096, 4096], &[0, 4], &[16384, 4]);
        assert_eq!((t.src.lines, t.dst.lines), (256, 1 << 20));
    }
}
