//! Shares a grid of cells out among the calling thread and helpers from its rayon pool.
//!
//! The caller works along, and while it waits for its last helper it runs no other job, as
//! `rayon::join` would: that job may want a lock that the caller holds. Nor does it wait for a
//! helper that the pool has not begun by the time all cells are taken: every other thread may be
//! waiting for the same lock. So a copy always ends, whatever is held around it.

use core::mem;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, Thread};

use crate::plan::Nest;

/// Parts that the cells are cut into for each thread, so that one that comes late, or is slow,
/// keeps nobody waiting for long.
const PARTS_PER_THREAD: usize = 4;

/// Looks at the helpers' count before the caller goes to sleep over it.
const SPINS: usize = 200;

/// Runs every cell of `nest` on the calling thread and up to `threads - 1` others.
///
/// # Safety
/// As for [`super::run`].
pub(super) unsafe fn run(nest: &Nest, threads: usize, src: *const u8, dst: *mut u8) {
    let cells = nest.cells();
    let job = Arc::new(Job {
        nest,
        src,
        dst,
        cells,
        parts: cells.min(threads.saturating_mul(PARTS_PER_THREAD)),
        threads: threads.min(cells),
        taken: AtomicUsize::new(0),
        helpers: AtomicUsize::new(0),
        caller: thread::current(),
    });
    let closing = Closing(&job);
    call_helpers(&job, 0);
    // SAFETY: `closing` keeps this function from returning while a helper is at work.
    unsafe { job.work() };
    drop(closing);
}

/// Asks the pool for the helpers numbered `2k + 1` and `2k + 2`, each of which asks for the next
/// two once it runs. A busy pool is so left with two idle requests, not one a thread.
fn call_helpers(job: &Arc<Job>, k: usize) {
    for helper in [2 * k + 1, 2 * k + 2] {
        if helper < job.threads {
            let job = Arc::clone(job);
            rayon::spawn(move || {
                if let Some(helping) = Helping::begin(&job) {
                    call_helpers(&job, helper);
                    // SAFETY: the caller waits until `helping` ends.
                    unsafe { job.work() };
                    helping.end();
                }
            });
        }
    }
}

/// One parallel copy. It may outlive the call, in requests that the pool has not looked at; the
/// pointers may not be used then, which is what [`Helping`] sees to.
struct Job {
    nest: *const Nest,
    src: *const u8,
    dst: *mut u8,
    cells: usize,
    parts: usize,
    threads: usize,
    /// Parts that somebody has taken; it runs past their number.
    taken: AtomicUsize,
    /// Helpers at work, and [`CLOSED`] once no other may begin.
    helpers: AtomicUsize,
    caller: Thread,
}

const CLOSED: usize = 1 << (usize::BITS - 1);

// SAFETY: the pointers are used only in `work`, while the caller of `run` waits. The nest and the
// source are only read, and no two cells write the same byte; `super::run`'s caller vouches for
// access from any thread.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Takes part after part until none is left.
    ///
    /// # Safety
    /// [`run`] has not returned, and its obligations hold.
    unsafe fn work(&self) {
        loop {
            let part = self.taken.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts {
                return;
            }
            // SAFETY: `run` still borrows the nest. Every part is taken once, the parts are
            // disjoint, and all cells are the nest's.
            unsafe { (*self.nest).run(self.part(part), self.src, self.dst) };
        }
    }

    /// The cells of part `i` of `self.parts`.
    fn part(&self, i: usize) -> Range<usize> {
        let start = |i: usize| {
            let (each, more) = (self.cells / self.parts, self.cells % self.parts);
            each * i + more.min(i)
        };
        start(i)..start(i + 1)
    }
}

/// A helper at work.
struct Helping<'a>(&'a Job);

impl<'a> Helping<'a> {
    /// Begins, unless the copy is over.
    fn begin(job: &'a Job) -> Option<Self> {
        job.helpers
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |n| {
                (n & CLOSED == 0).then_some(n + 1)
            })
            .ok()
            .map(|_| Self(job))
    }

    /// Ends, and wakes the caller if it was the last.
    fn end(self) {
        let job = mem::ManuallyDrop::new(self).0;
        if job.helpers.fetch_sub(1, Ordering::Release) == CLOSED | 1 {
            job.caller.unpark();
        }
    }
}

impl Drop for Helping<'_> {
    /// Reached by unwinding only: cells are missing that the caller would take for written. Whether
    /// the thread is panicking says nothing: it may be, for a reason of its own, in a destructor
    /// that waits for other jobs.
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// The caller's side: when dropped, lets no further helper begin and waits for those at work.
struct Closing<'a>(&'a Job);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let helpers = &self.0.helpers;
        helpers.fetch_or(CLOSED, Ordering::Relaxed);
        let mut spins = 0;
        while helpers.load(Ordering::Acquire) != CLOSED {
            if spins < SPINS {
                spins += 1;
                core::hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }
}
