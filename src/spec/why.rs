//! Says in words why an operation was a view, or why it had to copy.

use super::{CopyStep, Op};
use crate::error::LayoutError;
use crate::layout::Layout;

/// The reason for what `op` did to `before`, whose storage has `storage_len` elements.
pub(super) fn in_words(
    op: &Op,
    before: &Layout,
    after: &Layout,
    copy: Option<&CopyStep>,
    storage_len: usize,
) -> String {
    if let Some(copy) = copy {
        return why_copied(op, copy, after);
    }
    if before == after {
        return match op {
            Op::Contiguous(_) => "already dense in this order: nothing to do".into(),
            _ => "nothing changes".into(),
        };
    }
    match op {
        Op::T | Op::MatrixT | Op::SmallT | Op::Permute(_) | Op::Transpose(..) | Op::Movedim(..) => {
            "the axes change places, the elements stay".into()
        }
        Op::Flip(_) => "a negative stride reads the axis backwards (PyTorch would copy)".into(),
        Op::Squeeze | Op::SqueezeDims(_) | Op::Unsqueeze(_) => {
            "a unit axis comes or goes: no index ever steps along it".into()
        }
        Op::Expand(_) => "a stride of 0 repeats elements that are stored once".into(),
        Op::Narrow { .. } | Op::Select { .. } | Op::Index(_) => index(before, after),
        Op::Diagonal { .. } => "one stride steps along both axes at once".into(),
        Op::Unfold { .. } => "windows are a second stride over the same elements".into(),
        Op::AsStrided { .. } => {
            format!("these strides stay inside the storage's {storage_len} elements")
        }
        Op::Flatten(..) | Op::Unflatten(..) | Op::View(_) | Op::Reshape(_) => {
            "the axes split and merge with the same elements in the same order".into()
        }
        Op::Rearrange(_) => "the axes split, change places and merge without moving".into(),
        Op::Contiguous(_) | Op::Clone(_) => "the elements already stand in this order".into(),
    }
}

fn index(before: &Layout, after: &Layout) -> String {
    let reversed = |layout: &Layout| layout.strides().iter().any(|&stride| stride < 0);
    match (after.numel(), reversed(after) && !reversed(before)) {
        (0, _) => "no element is left".into(),
        (_, true) => "a negative stride reads an axis backwards".into(),
        (n, _) if n < before.numel() => "a part of the elements, where they are".into(),
        _ => "the same elements under other indices".into(),
    }
}

fn why_copied(op: &Op, copy: &CopyStep, after: &Layout) -> String {
    let CopyStep { from, to } = copy;
    match op {
        Op::Clone(_) => "a clone always copies".into(),
        Op::Contiguous(_) => match stray_axis(from, to) {
            Some(axis) => format!(
                "stride[{axis}] = {}, but dense memory in this order needs {}",
                from.strides()[axis],
                to.strides()[axis]
            ),
            None => "the layout is not dense in this order".into(),
        },
        _ => {
            let sizes: Vec<isize> = after.shape().iter().map(|&size| size as isize).collect();
            match from.view(&sizes) {
                Err(LayoutError::NotViewable { strides, shape, outer, inner, .. }) => format!(
                    "axes {outer} and {inner} of {shape:?} cannot merge: stride[{outer}] = {}, but \
                     stride[{inner}] * size[{inner}] = {}",
                    strides[outer],
                    strides[inner] as i128 * shape[inner] as i128
                ),
                _ => "no strides describe this shape".into(),
            }
        }
    }
}

/// The last axis that is stepped along and whose stride differs from the dense one.
fn stray_axis(from: &Layout, dense: &Layout) -> Option<usize> {
    (0..from.rank())
        .rev()
        .find(|&axis| from.shape()[axis] > 1 && from.strides()[axis] != dense.strides()[axis])
}
