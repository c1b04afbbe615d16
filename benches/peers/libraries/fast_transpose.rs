//! fast_transpose: plain transposes of matrices, with kernels for 1, 2 and 4 bytes and a generic
//! loop for the rest.

use fast_transpose::{
    FlipMode, FlopMode, TransposeError, transpose_arbitrary, transpose_plane, transpose_plane_f32,
    transpose_plane16,
};

use super::Element;
use crate::entry::Entry;
use crate::task::Task;

/// Transposes: source and its pitch, output and its pitch, width and height of the source.
type Transpose<T> = fn(
    &[T],
    usize,
    &mut [T],
    usize,
    usize,
    usize,
    FlipMode,
    FlopMode,
) -> Result<(), TransposeError>;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    match task.elem_size {
        1 => by::<u8>(task, transpose_plane),
        2 => by::<u16>(task, transpose_plane16),
        4 => by::<f32>(task, transpose_plane_f32),
        8 => by::<f64>(task, transpose_arbitrary),
        _ => by::<[f64; 2]>(task, transpose_arbitrary),
    }
}

fn by<T: Element>(task: &Task<'_>, transpose: Transpose<T>) -> Option<Entry> {
    let flat = task.flat.filter(|flat| flat.is_transpose())?;
    let (width, height) = (flat.rows, flat.cols);
    let len = task.len;
    Some(task.writes::<T>(move |src, dst| {
        let src = &src[..len];
        // In its terms, a plain transpose is mirrored; without, it is a rotation.
        let (flip, flop) = (FlipMode::NoFlip, FlopMode::Flop);
        transpose(src, width, dst, height, width, height, flip, flop).expect("the sizes fit");
    }))
}
