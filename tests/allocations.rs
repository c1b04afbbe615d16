//! Small copies allocate nothing: neither planned nor executed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use restride::{CopySpec, Plan, PlanOptions};

/// The system's allocator, counting the calls of each thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread while `work` runs.
fn allocations<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let before = COUNT.get();
    let result = work();
    (COUNT.get() - before, result)
}

#[test]
fn planning_and_executing_small_copies_allocate_nothing() {
    let cases: [(&[usize], &[isize], &[isize]); 5] = [
        (&[4, 3], &[4, 16], &[12, 4]),
        (&[8, 8], &[4, 32], &[32, 4]),
        (&[16, 16], &[4, 64], &[64, 4]),
        (&[2, 3, 4], &[48, 16, 4], &[48, 16, 4]),
        (&[2, 3, 4], &[-48, 0, 4], &[48, 16, 4]),
    ];
    let (src, mut dst) = ([7f32; 512], [0f32; 512]);
    let options = PlanOptions::default();
    restride::machine::Machine::current(); // detected once per process
    for (shape, src_strides, dst_strides) in cases {
        let (planning, plan) = allocations(|| {
            let spec = CopySpec::new(4, shape, src_strides, dst_strides);
            Plan::new(&spec, &options).unwrap()
        });
        assert_eq!(planning, 0, "planning {shape:?}: {plan}");
        let src = src[256..].as_ptr().cast();
        // SAFETY: no case reaches further than 256 elements from the middle of the source, or
        // from the beginning of the destination.
        let (executing, ()) =
            allocations(|| unsafe { plan.execute_raw(src, dst.as_mut_ptr().cast()) });
        assert_eq!(executing, 0, "executing {plan}");
    }
}
