//! Matrix products, by the crate `gemm`: a BLIS-like macro-kernel that takes operands of any
//! strides, and packs blocks of them where it sees fit.

use gemm::Parallelism;

use crate::consume::Multiply;

/// A matrix somewhere in a slice, with every element inside.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a, T> {
    data: &'a [T],
    at: usize,
    rows: usize,
    cols: usize,
    row_step: isize,
    col_step: isize,
}

impl<'a, T> Matrix<'a, T> {
    /// The matrix of `[rows, cols]` elements of `data` that begins at element `at`. Steps are in
    /// elements.
    ///
    /// # Panics
    /// When an element lies outside `data`.
    pub fn new(data: &'a [T], at: usize, shape: [usize; 2], steps: [isize; 2]) -> Self {
        let (mut first, mut last) = (at as i128, at as i128);
        let mut strides = [1; 2]; // of a unit axis: its own stride decides nothing
        if !shape.contains(&0) {
            for ((stride, step), size) in strides.iter_mut().zip(steps).zip(shape) {
                if size > 1 {
                    *stride = step;
                    // At most (2^63 - 1)^2: no overflow.
                    let way = (size - 1) as i128 * step as i128;
                    if way < 0 { first += way } else { last += way }
                }
            }
            assert!(0 <= first && last < data.len() as i128, "a matrix outside its slice");
        }
        let ([rows, cols], [row_step, col_step]) = (shape, strides);
        Self { data, at, rows, cols, row_step, col_step }
    }
}

/// Writes the product of `a` and `b` to `out`, dense and row-major, on up to `threads` threads of
/// the current rayon pool.
///
/// # Panics
/// When the shapes do not fit each other.
pub(crate) fn product<T: Multiply>(
    a: Matrix<'_, T>,
    b: Matrix<'_, T>,
    out: &mut [T],
    threads: usize,
) {
    assert!(a.cols == b.rows && a.rows.checked_mul(b.cols) == Some(out.len()));
    if a.cols == 0 || out.is_empty() {
        return out.fill(T::ZERO);
    }
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    // SAFETY: `Matrix::new` has shown that every element of `a` and `b` lies in its slice; neither
    // matrix is empty. `out` has a place for each of the `a.rows * b.cols` results, is borrowed
    // mutably and so overlaps neither operand; it is not read before it is written.
    unsafe {
        gemm::gemm(
            a.rows,
            b.cols,
            a.cols,
            out.as_mut_ptr(),
            1,
            b.cols as isize,
            false,
            a.data.as_ptr().add(a.at),
            a.col_step,
            a.row_step,
            b.data.as_ptr().add(b.at),
            b.col_step,
            b.row_step,
            T::ZERO,
            T::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}
