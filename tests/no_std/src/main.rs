//! Layouts, plans and copies in a program that has no std: it plans, copies and compares, and ends
//! with 0 when every element is where it belongs.
//!
//! What it proves: the program has a panic handler of its own. There can be only one in a program,
//! and std brings one, so as soon as restride or any crate below it links std the build fails with
//! `error[E0152]: found duplicate lang item panic_impl`. The same holds for what std needs of a
//! system: all that is taken from one here are `malloc`, `free` and `abort`.
//!
//! `cargo run --manifest-path tests/no_std/Cargo.toml`. To see it fail, add `features = ["std"]` to
//! the dependency.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout as Block};
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;

use restride::machine::Machine;
use restride::{CopyError, CopySpec, Layout, Plan, PlanOptions, View, ViewMut, contiguous, copy};

#[link(name = "c")]
unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: ends the program.
    unsafe { abort() }
}

/// The precompiled `alloc` was made for programs that unwind, and asks for these two.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    // SAFETY: ends the program.
    unsafe { abort() }
}

struct Malloc;

// SAFETY: `malloc` gives blocks aligned to 16 bytes that nobody else has; larger alignments are
// refused.
unsafe impl GlobalAlloc for Malloc {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        if block.align() > 16 {
            return core::ptr::null_mut();
        }
        // SAFETY: any size may be asked for.
        unsafe { malloc(block.size()).cast() }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Block) {
        // SAFETY: the caller has it from `alloc`.
        unsafe { free(block.cast()) }
    }
}

#[global_allocator]
static ALLOCATOR: Malloc = Malloc;

#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    match copies() {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(_) => 2,
    }
}

/// Whether every element of a few copies is where it belongs.
fn copies() -> Result<bool, CopyError> {
    let (rows, columns) = (67, 130);
    let data: Vec<u32> = (0..rows * columns).collect();
    let (rows, columns) = (rows as usize, columns as usize);
    let transposed = |out: &[u32]| {
        out.chunks_exact(rows)
            .enumerate()
            .all(|(j, out)| out.iter().enumerate().all(|(i, &x)| x as usize == i * columns + j))
    };

    // The one-liners.
    let view = Layout::contiguous(&[rows, columns])?.t();
    let dense = contiguous(&view, &data)?;
    let mut out = alloc::vec![0; data.len()];
    let dst = ViewMut::new(Layout::contiguous(&[columns, rows])?, &mut out)?;
    copy(&View::new(view.clone(), &data)?, dst)?;

    // A plan, kept.
    let plan = Plan::new(&CopySpec::to_contiguous(&view, 4)?, &PlanOptions::default())?;
    let mut planned = alloc::vec![MaybeUninit::uninit(); data.len()];
    plan.execute(&data, 0, &mut planned, 0)?;
    // SAFETY: the plan has written every element.
    let planned = planned.iter().map(|x| unsafe { x.assume_init() }).collect::<Vec<u32>>();

    // What cannot be is an error value here as well.
    let refused = view.view(&[-1]).is_err() && contiguous(&view, &data[1..]).is_err();
    let right = transposed(&dense) && transposed(&out) && transposed(&planned);
    Ok(right && refused && Machine::current().isa.is_available())
}
