//! transpose: plain matrix transposes.

use super::{Element, with_type};
use crate::entry::Entry;
use crate::task::Task;

pub fn enter(task: &Task<'_>) -> Option<Entry> {
    with_type!(of_type, task)
}

fn of_type<T: Element>(task: &Task<'_>) -> Option<Entry> {
    let flat = task.flat.filter(|flat| flat.is_transpose())?;
    let (width, height) = (flat.rows, flat.cols);
    let len = task.len;
    Some(task.writes::<T>(move |src, dst| {
        transpose::transpose(&src[..len], dst, width, height);
    }))
}
