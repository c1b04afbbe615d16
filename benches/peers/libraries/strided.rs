//! strided-perm, and strided-basic, whose copies strided-kernel re-exports: copies between views,
//! on the calling thread or on a pool of their own. Both prefer destinations whose first axis is the
//! fastest, so axes are given to them in reverse.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use restride::bench::record::Destination;
use strided_basic::{Exec, Pool, Result, StridedView, StridedViewMut, col_major_strides};

use super::{Element, with_type};
use crate::entry::{Entry, filled};
use crate::task::Task;

pub fn enter_perm(task: &Task<'_>) -> Option<Entry> {
    with_type!(perm, task)
}

pub fn enter_basic(task: &Task<'_>) -> Option<Entry> {
    with_type!(basic, task)
}

fn perm<T: Element>(task: &Task<'_>) -> Option<Entry> {
    let copy = Copy::of(task);
    Some(match task.destination {
        Destination::Reused => task.writes::<T>(move |src, dst| {
            copy.run(src, dst, |from, to, exec| strided_perm::copy_into(to, from, exec));
        }),
        Destination::Fresh => task.makes::<T, _>(move |src| {
            let copy_to = |dst: &mut [_]| {
                copy.run(src, dst, |from, to, exec| strided_perm::copy_into_uninit(to, from, exec));
            };
            // SAFETY: the library has written every element when it reports success, and `run`
            // panics when it does not.
            unsafe { filled(copy.len, copy_to) }
        }),
    })
}

fn basic<T: Element>(task: &Task<'_>) -> Option<Entry> {
    let copy = Copy::of(task);
    Some(match task.destination {
        Destination::Reused => task.writes::<T>(move |src, dst| {
            copy.run(src, dst, |from, to, exec| strided_basic::copy_into(to, from, exec));
        }),
        Destination::Fresh => task.makes::<T, _>(move |src| {
            let copy_to = |dst: &mut [_]| {
                copy.run(src, dst, |from, to, exec| {
                    strided_basic::copy_into_uninit(to, from, exec)
                });
            };
            // SAFETY: as for strided-perm.
            unsafe { filled(copy.len, copy_to) }
        }),
    })
}

/// The views' numbers, and the threads.
struct Copy {
    shape: Vec<usize>,
    strides: Vec<isize>,
    first: isize,
    len: usize,
    pool: Option<Arc<Pool>>,
}

impl Copy {
    fn of(task: &Task<'_>) -> Self {
        Self {
            shape: task.shape.iter().rev().copied().collect(),
            strides: task.strides.iter().rev().copied().collect(),
            first: task.first as isize,
            len: task.len,
            pool: (task.threads > 1).then(|| pool(task.threads)),
        }
    }

    fn run<T: Element, U>(
        &self,
        src: &[T],
        dst: &mut [U],
        copy: impl FnOnce(&StridedView<'_, T>, &mut StridedViewMut<'_, U>, Exec<'_>) -> Result<()>,
    ) {
        let from = StridedView::new(src, &self.shape, &self.strides, self.first);
        let to = StridedViewMut::new(dst, &self.shape, &col_major_strides(&self.shape), 0);
        let exec = match &self.pool {
            Some(pool) => Exec::new(pool, pool.width().get()).expect("as many as the pool has"),
            None => Exec::serial(),
        };
        let (from, mut to) = (from.expect("within the source"), to.expect("the output's size"));
        copy(&from, &mut to, exec).expect("shapes agree");
    }
}

/// The pool of so many threads, made once.
fn pool(threads: usize) -> Arc<Pool> {
    static POOLS: Mutex<BTreeMap<usize, Arc<Pool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().expect("whoever starts a pool ends well");
    let start = || Arc::new(Pool::builder().threads(threads).build().expect("threads start"));
    Arc::clone(pools.entry(threads).or_insert_with(start))
}
