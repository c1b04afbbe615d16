//! Copies among threads: they end whatever is held around them, and plans may be shared.

mod support;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rayon::prelude::*;
use restride::{CopySpec, Layout, Plan, PlanOptions, Threads, contiguous};
use support::guarded::Against;
use support::random::check;

/// Fails instead of hanging when `work` does not end.
fn ends(work: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        work();
        done.send(())
    });
    ended.recv_timeout(Duration::from_secs(120)).expect("a copy that does not end, or failed");
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// A plan that transposes an n × n matrix of four-byte items, the matrix, and its transpose.
fn transpose(n: usize) -> (Plan, Vec<u8>, Vec<u8>) {
    let layout = Layout::contiguous(&[n, n]).unwrap().t();
    let options = PlanOptions { grain: 4096, ..PlanOptions::default() };
    let plan = Plan::new(&CopySpec::to_contiguous(&layout, 4).unwrap(), &options).unwrap();
    let bytes = |i: usize| (i as u32).to_ne_bytes();
    let data = (0..n * n).flat_map(bytes).collect();
    (plan, data, layout.storage_order().flat_map(bytes).collect())
}

fn executed(plan: &Plan, data: &[u8]) -> Vec<u8> {
    let mut out = vec![0; data.len()];
    plan.execute_bytes(data, 0, &mut out, 0).unwrap();
    out
}

#[test]
fn a_parallel_copy_under_a_lock_inside_a_parallel_loop_ends() {
    ends(|| {
        let layout = Layout::contiguous(&[1024, 1024]).unwrap().t();
        let data: Vec<u32> = (0..1 << 20).collect();
        let copies = Mutex::new(0u32);
        for threads in [2, 4] {
            pool(threads).install(|| {
                (0..64).into_par_iter().with_max_len(1).for_each(|_| {
                    let mut copies = copies.lock().unwrap();
                    let out = contiguous(&layout, &data).unwrap();
                    assert_eq!(out[1], 1024);
                    *copies += 1;
                });
            });
        }
        assert_eq!(copies.into_inner().unwrap(), 128);
    });
}

#[test]
fn a_thread_that_copies_runs_no_other_job_meanwhile() {
    thread_local!(static COPYING: Cell<bool> = const { Cell::new(false) });
    ends(|| {
        let (plan, data, expected) = transpose(1024);
        let copied = AtomicBool::new(false);
        pool(4).in_place_scope(|scope| {
            scope.spawn(|_| {
                COPYING.set(true);
                (0..100).for_each(|_| assert!(executed(&plan, &data) == expected));
                COPYING.set(false);
                copied.store(true, Ordering::Relaxed);
            });
            while !copied.load(Ordering::Relaxed) {
                scope.spawn(|_| assert!(!COPYING.get(), "it might want a lock held by the copier"));
                thread::yield_now();
            }
        });
    });
}

#[test]
fn a_copy_ends_while_every_other_thread_of_the_pool_waits_for_it() {
    ends(|| {
        let (plan, data, expected) = transpose(512);
        let pool = pool(3);
        let copied = Barrier::new(3);
        pool.scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|_| {
                    copied.wait();
                });
            }
            scope.spawn(|_| {
                assert!(executed(&plan, &data) == expected);
                copied.wait();
            });
        });
    });
}

#[test]
fn one_plan_serves_many_threads_at_once() {
    ends(|| {
        let (plan, data, expected) = transpose(300);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..5).for_each(|_| assert!(executed(&plan, &data) == expected)));
            }
        });
        (0..40).into_par_iter().for_each(|_| assert!(executed(&plan, &data) == expected));
    });
}

#[test]
fn every_number_of_threads_writes_every_element_once() {
    ends(|| {
        for pool_size in [1, 2, 3, 8] {
            pool(pool_size).install(|| {
                for threads in [1, 2, 3, 5, 16, 1000] {
                    for (rows, columns) in [(1, 100_000), (300, 301), (40_000, 3), (3, 40_000)] {
                        let (rows, columns) = (rows as isize, columns as isize);
                        let shape = [rows as usize, columns as usize];
                        let options = PlanOptions {
                            threads: Threads::AtMost(threads),
                            grain: 64,
                            ..PlanOptions::default()
                        };
                        let (src, dst) = ([4, 4 * rows], [4 * columns, 4]);
                        check(&CopySpec::new(4, &shape, &src, &dst), &[options], Against::Back, 0);
                    }
                }
            });
        }
    });
}

#[test]
fn copies_end_in_pools_inside_pools() {
    ends(|| {
        let (plan, data, expected) = transpose(1024);
        let right = || assert!(executed(&plan, &data) == expected);
        let (outer, inner) = (pool(3), pool(2));
        outer.install(|| {
            (0..12).into_par_iter().with_max_len(1).for_each(|_| {
                right();
                inner.install(|| {
                    rayon::join(right, || outer.install(right));
                });
            });
        });
    });
}

#[test]
fn a_panic_in_the_callers_pool_leaves_pool_and_plan_usable() {
    ends(|| {
        let (plan, data, expected) = transpose(1024);
        let right = || assert!(executed(&plan, &data) == expected);
        let strays = rayon::ThreadPoolBuilder::new().num_threads(3).panic_handler(|_| ());
        let pool = strays.build().unwrap();
        for round in 0..10 {
            let job = |i: usize| {
                right();
                if i % 5 == round % 5 {
                    resume_unwind(Box::new("the caller's own"));
                }
            };
            let all = || (0..16).into_par_iter().with_max_len(1).for_each(job);
            assert!(catch_unwind(AssertUnwindSafe(|| pool.install(all))).is_err());
            // Jobs that nobody waits for go wrong while the copy waits for its helpers.
            pool.install(|| {
                (0..8).for_each(|_| rayon::spawn(|| resume_unwind(Box::new("a stray"))));
                right();
            });
        }
        pool.install(right);
    });
}

#[test]
fn a_thread_that_unwinds_may_help_a_copy() {
    /// Runs other jobs of the pool, as a destructor that waits for one does, until all is copied.
    struct Waits<'a> {
        unwinding: &'a AtomicBool,
        copied: &'a AtomicBool,
    }

    impl Drop for Waits<'_> {
        fn drop(&mut self) {
            self.unwinding.store(true, Ordering::Relaxed);
            while !self.copied.load(Ordering::Relaxed) {
                rayon::yield_now();
            }
        }
    }

    ends(|| {
        let (plan, data, expected) = transpose(1024);
        let (unwinding, copied) = (AtomicBool::new(false), AtomicBool::new(false));
        let copy = || {
            while !unwinding.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            (0..50).for_each(|_| assert!(executed(&plan, &data) == expected));
            copied.store(true, Ordering::Relaxed);
        };
        let unwind = || {
            let _waits = Waits { unwinding: &unwinding, copied: &copied };
            resume_unwind(Box::new("the caller's own"))
        };
        let both = || pool(2).install(|| rayon::join(copy, unwind));
        assert!(catch_unwind(AssertUnwindSafe(both)).is_err());
    });
}
