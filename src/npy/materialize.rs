//! A view of mapped bytes written densely into mapped bytes, piece by piece.

use smallvec::SmallVec;

use crate::error::{CopyError, LayoutError};
use crate::layout::Layout;
use crate::plan::{CopySpec, Plan, PlanOptions};

use super::error::FileError;

/// Bytes written between two reports of progress: enough for a plan to be worth its setting up,
/// and little enough for a bar to move.
const PIECE: usize = 128 << 20;

/// Writes the elements of `layout` over `src` into `dst` in dense row-major order, in pieces
/// along the outermost axes, and tells `progress` the bytes of each piece after writing it.
/// Elements have `item_size` bytes; strides and offset of `layout` count elements.
///
/// Returns in words how it was done.
///
/// # Errors
/// [`FileError`] when the copy cannot be planned or `layout` reaches outside `src`.
///
/// # Panics
/// When `dst` is not exactly as long as the result.
pub fn materialize(
    src: &[u8],
    layout: &Layout,
    item_size: usize,
    dst: &mut [u8],
    options: &PlanOptions,
    progress: impl FnMut(usize),
) -> Result<String, FileError> {
    in_pieces(src, layout, item_size, dst, options, progress, PIECE)
}

fn in_pieces(
    src: &[u8],
    layout: &Layout,
    item_size: usize,
    dst: &mut [u8],
    options: &PlanOptions,
    mut progress: impl FnMut(usize),
    piece: usize,
) -> Result<String, FileError> {
    assert_eq!(Some(dst.len()), layout.numel().checked_mul(item_size), "length of the result");
    if dst.is_empty() {
        return Ok("nothing to copy".into());
    }

    // Indices of the axes before `cut` are walked one by one, those of `cut` in runs of `rows`.
    let inner = |axis: usize| layout.shape()[axis + 1..].iter().product::<usize>() * item_size;
    let cut = (0..layout.rank()).find(|&axis| inner(axis) <= piece);
    let cut = cut.unwrap_or(layout.rank().saturating_sub(1));
    let (length, row_bytes) = match layout.shape().get(cut) {
        Some(&length) => (length, inner(cut)),
        None => (1, item_size), // one element without axes
    };
    let rows = (piece / row_bytes).clamp(1, length);

    let mut plan = Piece::plan(layout, cut, rows, item_size, options)?;
    let outer: usize = layout.shape()[..cut].iter().product();
    let words = match outer * length.div_ceil(rows) {
        1 => plan.plan.to_string(),
        pieces => format!("{pieces} pieces, the first {}", plan.plan),
    };
    let mut done = 0;
    for block in 0..outer {
        let mut row = 0;
        while row < length {
            let count = rows.min(length - row);
            if plan.rows != count {
                plan = Piece::plan(layout, cut, count, item_size, options)?;
            }
            let from = element(layout, cut, block, row) * item_size;
            let bytes = count * row_bytes;
            plan.plan.execute_bytes(src, from, dst, done)?;
            row += count;
            done += bytes;
            progress(bytes);
        }
    }
    Ok(words)
}

/// The plan of a piece, for `rows` indices of the axis that is cut.
struct Piece {
    rows: usize,
    plan: Plan,
}

impl Piece {
    fn plan(
        layout: &Layout,
        cut: usize,
        rows: usize,
        item_size: usize,
        options: &PlanOptions,
    ) -> Result<Self, FileError> {
        let mut shape: SmallVec<[usize; 6]> = layout.shape()[cut..].into();
        if let Some(first) = shape.first_mut() {
            *first = rows;
        }
        let in_bytes = |(&stride, &size): (&isize, &usize)| {
            if size == 1 {
                return Ok(0); // never stepped along: its stride decides nothing
            }
            isize::try_from(item_size)
                .ok()
                .and_then(|item| stride.checked_mul(item))
                .ok_or_else(|| LayoutError::Overflow { what: format!("stride {stride} in bytes") })
        };
        let strides = layout.strides()[cut..].iter().zip(&shape).map(in_bytes);
        let strides: SmallVec<[isize; 6]> = strides.collect::<Result<_, _>>()?;
        let dense = Layout::contiguous(&shape)?;
        let mut spec = CopySpec::to_contiguous(&dense, item_size)?;
        spec.src_strides = strides;
        Ok(Self { rows, plan: Plan::new(&spec, options).map_err(CopyError::from)? })
    }
}

/// The storage element of index `row` of axis `cut`, with the axes before it at their
/// `block`-th index in row-major order and the axes after it at 0.
fn element(layout: &Layout, cut: usize, mut block: usize, row: usize) -> usize {
    let mut at = layout.offset() as isize;
    let mut step = |axis: usize, index: usize| {
        if index > 0 {
            at += index as isize * layout.strides()[axis];
        }
    };
    if cut < layout.rank() {
        step(cut, row);
    }
    for axis in (0..cut).rev() {
        let size = layout.shape()[axis];
        step(axis, block % size);
        block /= size;
    }
    at as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_join_to_the_whole() {
        let item = 3;
        let src: Vec<u8> = (0..120 * item).map(|byte| byte as u8).collect();
        let base = Layout::contiguous(&[2, 3, 4, 5]).unwrap();
        for layout in [
            base.clone(),
            base.permute(&[3, 1, 0, 2]).unwrap(),
            base.permute(&[2, 0, 3, 1]).unwrap().flip(&[0, 2]).unwrap(),
            base.select(0, 1).unwrap().unsqueeze(1).unwrap().expand(&[3, 2, 4, 5]).unwrap(),
            base.select(1, 2).unwrap().flip(&[0, 1, 2]).unwrap(),
            Layout::contiguous(&[]).unwrap(),
        ] {
            let expected: Vec<u8> =
                layout.storage_order().flat_map(|at| &src[at * item..][..item]).copied().collect();
            for piece in [1, 2, 3, 4, 7, 15, 16, 60, 100, 1000] {
                let mut dst = vec![0xaa; expected.len()];
                let mut reported = 0;
                let options = PlanOptions::default();
                let count = |bytes| reported += bytes;
                in_pieces(&src, &layout, item, &mut dst, &options, count, piece).unwrap();
                assert_eq!(dst, expected, "{layout:?} in pieces of {piece} bytes");
                assert_eq!(reported, dst.len());
            }
        }
    }
}
