//! Rows that are added to rows: the loops inside a strided accumulate.
//!
//! Safe loops over slices, without an index into memory for each element, that the compiler turns
//! into vectors; [`on_tier`](super::on_tier) has them compiled for the machine's tier. How many elements are summed
//! side by side is fixed, so sums of floating-point numbers are the same on every tier.

/// Elements that can be added up.
///
/// Sums are formed in whatever order is fast: the addition is taken to be commutative and
/// associative, which for floating-point numbers holds up to rounding. Integers wrap around, as
/// PyTorch's do.
pub trait Additive: Copy + Send + Sync {
    /// The sum of no elements.
    const ZERO: Self;

    /// The sum of two elements.
    fn plus(self, other: Self) -> Self;
}

macro_rules! additive {
    ($($type:ty: $zero:expr, |$a:ident, $b:ident| $sum:expr;)*) => {
        $(impl Additive for $type {
            const ZERO: Self = $zero;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
        })*
    };
}

additive! {
    f32: 0.0, |a, b| a + b;
    f64: 0.0, |a, b| a + b;
    i8: 0, |a, b| a.wrapping_add(b);
    i16: 0, |a, b| a.wrapping_add(b);
    i32: 0, |a, b| a.wrapping_add(b);
    i64: 0, |a, b| a.wrapping_add(b);
    i128: 0, |a, b| a.wrapping_add(b);
    isize: 0, |a, b| a.wrapping_add(b);
    u8: 0, |a, b| a.wrapping_add(b);
    u16: 0, |a, b| a.wrapping_add(b);
    u32: 0, |a, b| a.wrapping_add(b);
    u64: 0, |a, b| a.wrapping_add(b);
    u128: 0, |a, b| a.wrapping_add(b);
    usize: 0, |a, b| a.wrapping_add(b);
}

/// Equally spaced elements of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Place of the first one.
    pub first: isize,
    /// How many there are, at least 1.
    pub len: usize,
    /// Distance from each to the next, of either sign; 0 repeats one.
    pub step: isize,
}

impl Run {
    /// The places from the lowest to the highest.
    #[inline(always)]
    fn range(self) -> core::ops::RangeInclusive<usize> {
        let last = self.first + self.step * (self.len - 1) as isize;
        self.first.min(last) as usize..=self.first.max(last) as usize
    }
}

/// Adds the elements `from` of `src` to the elements `to` of `dst`, of which there are as many.
/// `to` steps forwards, or all elements go to one place (a step of 0).
#[inline(always)]
pub(crate) fn add_run<T: Additive>(dst: &mut [T], to: Run, src: &[T], from: Run) {
    let src = &src[from.range()];
    let dst = &mut dst[to.range()];
    let step = from.step.unsigned_abs();
    match (to.step, from.step) {
        (0, 0) => dst[0] = dst[0].plus(repeated(src[0], from.len)),
        (0, 1 | -1) => dst[0] = dst[0].plus(sum(src)),
        (0, _) => dst[0] = src.iter().step_by(step).fold(dst[0], |sum, &x| sum.plus(x)),
        (1, 0) => each(dst.iter_mut(), core::iter::repeat_n(&src[0], from.len)),
        (1, 1) => each(dst.iter_mut(), src.iter()),
        (1, -1) => each(dst.iter_mut(), src.iter().rev()),
        (1, 2..) => each(dst.iter_mut(), src.iter().step_by(step)),
        (1, _) => each(dst.iter_mut(), src.iter().rev().step_by(step)),
        (apart, 0) => {
            each(dst.iter_mut().step_by(apart as usize), core::iter::repeat_n(&src[0], from.len));
        }
        (apart, 1..) => each(dst.iter_mut().step_by(apart as usize), src.iter().step_by(step)),
        (apart, _) => {
            each(dst.iter_mut().step_by(apart as usize), src.iter().rev().step_by(step));
        }
    }
}

#[inline(always)]
fn each<'a, T: Additive + 'a>(
    to: impl Iterator<Item = &'a mut T>,
    from: impl Iterator<Item = &'a T>,
) {
    for (to, from) in to.zip(from) {
        *to = to.plus(*from);
    }
}

/// The sum of `count` times the same, at least one, by doubling.
#[inline(always)]
fn repeated<T: Additive>(x: T, count: usize) -> T {
    let (mut power, mut left, mut sum) = (x, count - 1, x);
    while left > 0 {
        if left % 2 == 1 {
            sum = sum.plus(power);
        }
        power = power.plus(power);
        left /= 2;
    }
    sum
}

/// Partial sums kept side by side, in registers.
const SUMS: usize = 32;

/// The sum of a row.
#[inline(always)]
fn sum<T: Additive>(row: &[T]) -> T {
    let mut sums = [T::ZERO; SUMS];
    let (blocks, rest) = row.as_chunks::<SUMS>();
    for block in blocks {
        for (sum, &x) in sums.iter_mut().zip(block) {
            *sum = sum.plus(x);
        }
    }
    let rest = rest.iter().fold(T::ZERO, |sum, &x| sum.plus(x));
    sums.iter().fold(rest, |sum, &x| sum.plus(x))
}

/// Adds the rows of `src` that begin at the places `rows`, each as long as `dst`, to `dst`: eight
/// rows a pass, so that their sum stays in registers.
#[inline(always)]
pub(crate) fn add_rows<T: Additive>(dst: &mut [T], src: &[T], rows: Run) {
    let len = dst.len();
    let mut first = rows.first;
    for _ in 0..rows.len / 8 {
        let row = |k: isize| &src[(first + k * rows.step) as usize..][..len];
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        let (e, f, g, h) = (row(4), row(5), row(6), row(7));
        for (i, to) in dst.iter_mut().enumerate() {
            let half = a[i].plus(b[i]).plus(c[i].plus(d[i]));
            let other = e[i].plus(f[i]).plus(g[i].plus(h[i]));
            *to = to.plus(half.plus(other));
        }
        first += 8 * rows.step;
    }
    for _ in 0..rows.len % 8 {
        each(dst.iter_mut(), src[first as usize..][..len].iter());
        first += rows.step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_every_step_go_where_index_arithmetic_says() {
        let src: Vec<u32> = (1..=600).collect();
        for to_step in 0..4isize {
            for from_step in -4..5isize {
                for len in [1usize, 2, 7, 31, 32, 33, 70] {
                    let to = Run { first: 3, len, step: to_step };
                    let from = Run { first: 299, len, step: from_step };
                    let mut dst = vec![5u32; 300];
                    let mut expected = dst.clone();
                    for i in 0..len as isize {
                        expected[(3 + i * to_step) as usize] += src[(299 + i * from_step) as usize];
                    }
                    add_run(&mut dst, to, &src, from);
                    assert_eq!(dst, expected, "{to:?} {from:?}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_rows_is_added() {
        let src: Vec<u64> = (0..200).map(|i| i * i).collect();
        for rows in 1..20usize {
            for step in [-9isize, 0, 5] {
                let mut dst = [1u64; 6];
                let first = if step < 0 { 190 } else { 2 };
                add_rows(&mut dst, &src, Run { first, len: rows, step });
                for (i, &sum) in dst.iter().enumerate() {
                    let row = |r: usize| src[(first + r as isize * step) as usize + i];
                    assert_eq!(sum, 1 + (0..rows).map(row).sum::<u64>());
                }
            }
        }
    }
}
