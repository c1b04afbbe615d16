//! The copies that a chain of operations needs, as few as its result allows.

use core::cmp::Reverse;

use crate::error::LayoutError;
use crate::layout::Layout;
use crate::spec::{Effect, Trace};

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
    let copies = trace.steps().iter().filter(|step| step.effect == Effect::Copy);
    let mut wanted: Vec<Copy> =
        copies.map(|step| Copy { from: step.before.clone(), to: step.layout.clone() }).collect();
    wanted.push(Copy { from: result.clone(), to: Layout::contiguous(result.shape())? });

    let mut needed: Vec<Copy> = Vec::new();
    for copy in wanted {
        match needed.last_mut() {
            // What the last copy wrote is read as it was written: write it as wanted at once.
            Some(last) if last.to == copy.from && last.can_fill(&copy.to) => last.to = copy.to,
            // Both storages are row-major: equal byte for byte, whatever the shapes.
            Some(last) if last.to.is_contiguous() && copy.keeps_storage(last.to.numel()) => {}
            _ => needed.push(copy),
        }
    }
    needed.into_iter().map(Copy::in_storage_order).collect()
}

/// One copy from storage to storage.
struct Copy {
    /// Where the elements are in the storage before.
    from: Layout,
    /// Where they go, in the same logical order: dense, without gaps. Row-major, or of the shape
    /// of `from` with its axes in some other order.
    to: Layout,
}

impl Copy {
    /// Whether this copy could as well go to `to`, which has as many elements.
    fn can_fill(&self, to: &Layout) -> bool {
        to.is_contiguous() || to.shape() == self.from.shape()
    }

    /// Whether the copy of a storage of `len` elements is that storage again.
    fn keeps_storage(&self, len: usize) -> bool {
        let Self { from, to } = self;
        from.offset() == 0 && from.numel() == len && from.is_contiguous() && to.is_contiguous()
    }

    /// The source's layout with its axes in the order in which the copy fills its storage.
    fn in_storage_order(self) -> Result<Layout, LayoutError> {
        if self.to.is_contiguous() {
            return Ok(self.from);
        }
        let mut axes: Vec<isize> = (0..self.to.rank() as isize).collect();
        axes.sort_by_key(|&axis| Reverse(self.to.strides()[axis as usize]));
        self.from.permute(&axes)
    }
}
