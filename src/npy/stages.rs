//! The copies that a chain of operations needs, as few as its result allows.

use core::cmp::Reverse;

use crate::error::LayoutError;
use crate::layout::Layout;
use crate::spec::{CopyStep, Trace};

/// The copies that turn the source's storage into the dense row-major result of `trace`, first
/// to last: each layout says where the elements lie in the storage before it; in row-major
/// order they are the next storage, and at last the result. There is always at least one.
///
/// A copy that the operations ask for but whose result can be had from an earlier storage just
/// as well (`.clone()` at the end, `.T.reshape(-1)`) is left out.
///
/// # Errors
/// [`LayoutError`] when the result has more elements than can be counted.
pub fn stages(trace: &Trace) -> Result<Vec<Layout>, LayoutError> {
    let result = trace.layout();
    if result.is_empty() {
        return Ok(vec![result.clone()]);
    }
    let mut wanted: Vec<CopyStep> =
        trace.steps().iter().filter_map(|step| step.copy.clone()).collect();
    wanted.push(CopyStep { from: result.clone(), to: Layout::contiguous(result.shape())? });

    let mut needed: Vec<CopyStep> = Vec::new();
    for copy in wanted {
        match needed.last_mut() {
            // What the last copy wrote is read as it was written: write it as wanted at once.
            Some(last) if last.to == copy.from => last.to = copy.to,
            // Both storages are row-major: equal byte for byte, whatever the shapes.
            Some(last) if last.to.is_contiguous() && keeps_storage(&copy, last.to.numel()) => {}
            _ => needed.push(copy),
        }
    }
    needed.iter().map(in_storage_order).collect()
}

/// Whether `copy`, out of a row-major storage of `len` elements, makes that storage again.
fn keeps_storage(CopyStep { from, to }: &CopyStep, len: usize) -> bool {
    from.offset() == 0 && from.numel() == len && from.is_contiguous() && to.is_contiguous()
}

/// The layout that a copy reads, with the axes in the order in which it fills its storage.
fn in_storage_order(CopyStep { from, to }: &CopyStep) -> Result<Layout, LayoutError> {
    let mut axes: Vec<isize> = (0..to.rank() as isize).collect();
    // A row-major storage has its order, whatever the strides of unit axes.
    if !to.is_contiguous() {
        axes.sort_by_key(|&axis| Reverse(to.strides()[axis as usize]));
    }
    from.permute(&axes)
}
