//! Unit by unit, column after column: `kernels::gather` and `kernels::strided`.

use super::{Access, Kind, Sink, View};

/// Every unit of the cell, along `p` first.
pub(super) fn cell(view: &View<'_>, sink: &mut impl Sink) {
    let bytes = view.g.unit;
    for j in 0..view.cell.q {
        for i in 0..view.cell.p {
            let (src, dst) = view.unit(i, j);
            sink.access(Access { address: src, bytes, kind: Kind::Read });
            sink.access(Access { address: dst, bytes, kind: Kind::Write });
        }
    }
}
