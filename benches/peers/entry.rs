//! A library's copy, from the slices that it takes to the pointers that the harness has.
//!
//! The unsafe code of the peers is here, but for views that a library makes of pointers only.

use core::mem::MaybeUninit;

use bytemuck::Pod;
use restride::bench::record::Destination;
use restride::bench::strategy::{Contender, Copier, Maker, Role, Setup, Way};
use restride::plan::CopySpec;
use restride::{HugePages, Plan, PlanOptions, Threads};

use super::task::Task;

/// Copies from the source's bytes to the output's.
type CopyInto = Box<dyn Fn(&[u8], &mut [u8]) + Send + Sync>;

/// Copies from the source's bytes into new memory and shows it.
type CopyNew = Box<dyn Fn(&[u8], &mut dyn FnMut(&[u8])) + Send + Sync>;

/// What a library does in one run.
pub enum Entry {
    /// It writes to memory that it is given.
    Into(CopyInto),
    /// It makes its output.
    New(CopyNew),
}

impl Task<'_> {
    /// The entry of a library that writes to a slice. A fresh destination is a zeroed vector, as
    /// such a library needs initialized memory; the system has zeroed large ones already.
    pub fn writes<T: Pod>(&self, copy: impl Fn(&[T], &mut [T]) + Send + Sync + 'static) -> Entry {
        match self.destination {
            Destination::Reused => Entry::Into(Box::new(move |src, dst| {
                copy(bytemuck::cast_slice(src), bytemuck::cast_slice_mut(dst));
            })),
            Destination::Fresh => {
                let len = self.len;
                self.makes(move |src| {
                    let mut output = bytemuck::zeroed_vec::<T>(len);
                    copy(src, &mut output);
                    output
                })
            }
        }
    }

    /// The entry of a library that makes its output.
    pub fn makes<T: Pod, O: AsRef<[T]>>(
        &self,
        copy: impl Fn(&[T]) -> O + Send + Sync + 'static,
    ) -> Entry {
        Entry::New(Box::new(move |src, see| {
            let output = copy(bytemuck::cast_slice(src));
            see(bytemuck::cast_slice(output.as_ref()));
        }))
    }
}

/// A vector of `len` elements that `fill` writes.
///
/// # Safety
/// When `fill` returns, it has written every element.
pub unsafe fn filled<T: Pod>(len: usize, fill: impl FnOnce(&mut [MaybeUninit<T>])) -> Vec<T> {
    let mut output = Vec::with_capacity(len);
    fill(&mut output.spare_capacity_mut()[..len]);
    // SAFETY: the capacity is at least `len`, and the caller's `fill` has written so many.
    unsafe { output.set_len(len) };
    output
}

impl Entry {
    /// The harness's contender.
    pub fn contender(self, name: &str, task: &Task<'_>) -> Contender {
        let first = task.first * task.elem_size;
        let (source_bytes, bytes) = (task.source.len(), task.len * task.elem_size);
        let way = match self {
            Self::Into(copy) => Way::Into(Box::new(IntoSlice { copy, first, source_bytes, bytes })),
            Self::New(copy) => Way::New(Box::new(NewSlice { copy, first, source_bytes })),
        };
        Contender { name: name.into(), role: Role::Copy, pages: HugePages::Never, way, peer: true }
    }
}

/// [`Entry::Into`] with the sizes of its slices in bytes.
struct IntoSlice {
    copy: CopyInto,
    first: usize,
    source_bytes: usize,
    bytes: usize,
}

impl Copier for IntoSlice {
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: `src` is `first` bytes into the source buffer, which has `source_bytes`; `dst`
        // has room for the case's output, which was written before: this entry is made for reused
        // destinations only. Nobody else uses either meanwhile, and they do not overlap.
        let (src, dst) = unsafe {
            (
                core::slice::from_raw_parts(src.sub(self.first), self.source_bytes),
                core::slice::from_raw_parts_mut(dst, self.bytes),
            )
        };
        (self.copy)(src, dst);
    }
}

/// [`Entry::New`] with the sizes of its slices in bytes.
struct NewSlice {
    copy: CopyNew,
    first: usize,
    source_bytes: usize,
}

impl Maker for NewSlice {
    unsafe fn run(&self, src: *const u8, see: &mut dyn FnMut(&[u8])) {
        // SAFETY: `src` is `first` bytes into the source buffer, which has `source_bytes`.
        let src = unsafe { core::slice::from_raw_parts(src.sub(self.first), self.source_bytes) };
        (self.copy)(src, see);
    }
}

/// restride planning anew in every call, as most of the libraries do.
pub fn unplanned(setup: &Setup<'_>) -> Contender {
    let threads = match setup.threads {
        1 => Threads::Serial,
        threads => Threads::AtMost(threads),
    };
    let options = PlanOptions { threads, ..PlanOptions::default() };
    let copier = Box::new(Unplanned { copy: setup.case.copy.clone(), options });
    Contender {
        name: "restride, planned anew".into(),
        role: Role::Copy,
        pages: HugePages::Auto,
        way: Way::Into(copier),
        peer: false,
    }
}

struct Unplanned {
    copy: CopySpec,
    options: PlanOptions,
}

impl Copier for Unplanned {
    unsafe fn run(&self, src: *const u8, dst: *mut u8) {
        let plan = Plan::new(&self.copy, &self.options).expect("the case was planned before");
        // SAFETY: the caller's obligations.
        unsafe { plan.execute_raw(src, dst) };
    }
}
