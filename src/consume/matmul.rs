//! Matrix products, batched or not.

use super::element::Multiply;
use super::shape::{broadcast, expanded, product};
use super::{check_output, workers, zeroed};
use crate::copy::View;
use crate::error::ConsumeError;
use crate::kernels::gemm::{self, Matrix};
use crate::layout::{Layout, StorageOrder};
use crate::plan::Threads;

/// The matrix product of two views by PyTorch's rules for `matmul`, as a dense row-major vector:
/// vectors count as a row on the left and a column on the right, axes before the last two broadcast.
///
/// # Errors
/// [`ConsumeError::Scalar`], [`ConsumeError::Inner`] or [`ConsumeError::Broadcast`] when the shapes
/// have no product; [`ConsumeError::Layout`] when it has too many elements;
/// [`ConsumeError::Allocation`].
pub fn matmul<T: Multiply>(
    a: &View<'_, T>,
    b: &View<'_, T>,
    threads: Threads,
) -> Result<Vec<T>, ConsumeError> {
    let shape = product(a.layout().shape(), b.layout().shape())?;
    let mut out = zeroed(Layout::contiguous(&shape)?.numel())?;
    matmul_into(a, b, threads, &mut out)?;
    Ok(out)
}

/// [`matmul`] into memory that exists.
///
/// # Errors
/// [`ConsumeError::OutputLength`] when `out` has not as many elements as the product, and those of
/// [`matmul`].
pub fn matmul_into<T: Multiply>(
    a: &View<'_, T>,
    b: &View<'_, T>,
    threads: Threads,
    out: &mut [T],
) -> Result<(), ConsumeError> {
    check_output(out.len(), &product(a.layout().shape(), b.layout().shape())?)?;
    if out.is_empty() {
        return Ok(());
    }
    let (left, right) = (Batch::left(a.layout(), b.layout())?, Batch::right(b.layout())?);
    let ([m, k], [_, n]) = (left.matrix, right.matrix);
    let operations = 2usize.saturating_mul(m).saturating_mul(n).saturating_mul(k);
    let threads = workers(threads, operations);

    let batch = broadcast(left.outer.shape(), right.outer.shape())?;
    let (left, right) = (left.over(&batch)?, right.over(&batch)?);
    let places = left.places().zip(right.places());
    for ((i, j), out) in places.zip(out.chunks_exact_mut(m * n)) {
        let left = Matrix::new(a.data(), i, left.matrix, left.steps);
        let right = Matrix::new(b.data(), j, right.matrix, right.steps);
        gemm::product(left, right, out, threads);
    }
    Ok(())
}

/// Matrices of one shape.
struct Batch {
    /// Where the first element of each is.
    outer: Layout,
    matrix: [usize; 2],
    steps: [isize; 2],
}

impl Batch {
    /// The left operand: a vector is a row. With a single matrix on the right, the rows of a whole
    /// batch are the rows of one matrix, if one stride leads through all of them.
    fn left(a: &Layout, b: &Layout) -> Result<Self, ConsumeError> {
        if a.rank() == 1 {
            return Self::of(&a.unsqueeze(0)?);
        }
        if a.rank() > 2 && b.rank() <= 2 && !a.is_empty() {
            let columns = a.shape()[a.rank() - 1] as isize;
            if let Ok(rows) = a.view(&[-1, columns]) {
                return Self::of(&rows);
            }
        }
        Self::of(a)
    }

    /// The right operand: a vector is a column.
    fn right(b: &Layout) -> Result<Self, ConsumeError> {
        if b.rank() == 1 { Self::of(&b.unsqueeze(1)?) } else { Self::of(b) }
    }

    /// The matrices in the last two of at least two axes.
    fn of(layout: &Layout) -> Result<Self, ConsumeError> {
        let split = layout.rank() - 2;
        let last_two = |of: &[usize]| [of[split], of[split + 1]];
        let steps = [layout.strides()[split], layout.strides()[split + 1]];
        let mut outer = layout.clone();
        if !layout.is_empty() {
            for _ in 0..2 {
                outer = outer.select(-1, 0)?;
            }
        } else {
            outer = Layout::contiguous(&layout.shape()[..split])?;
        }
        Ok(Self { outer, matrix: last_two(layout.shape()), steps })
    }

    fn over(self, batch: &[usize]) -> Result<Self, ConsumeError> {
        Ok(Self { outer: expanded(&self.outer, batch)?, ..self })
    }

    fn places(&self) -> StorageOrder<'_> {
        self.outer.storage_order()
    }
}
