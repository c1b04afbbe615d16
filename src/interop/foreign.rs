//! Views of other crates as pointers with strides: where their types meet the plans.
//!
//! An adapter makes a [`Source`] or a [`Destination`] out of what its crate guarantees, which is
//! the unsafe step; copies between the two are safe then. Element `[0, …, 0]` is where the pointer
//! points. Strides are in **elements**.

use core::marker::PhantomData;

use crate::copy::assume_init;
use crate::error::{CopyError, LayoutError};
use crate::exec::{HugePages, uninit_vec};
use crate::layout::Layout;
use crate::plan::{CopySpec, Plan, PlanOptions};

/// Elements to be read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, T> {
    first: *const T,
    shape: &'a [usize],
    strides: &'a [isize],
    elements: PhantomData<&'a [T]>,
}

/// Places to be written, which may hold no values yet.
pub(super) struct Destination<'a, T> {
    first: *mut T,
    shape: &'a [usize],
    strides: &'a [isize],
    elements: PhantomData<&'a mut [T]>,
}

impl<'a, T: Copy + Send + Sync> Source<'a, T> {
    /// The elements of `shape`, `strides` elements apart, from `first` on.
    ///
    /// # Safety
    /// During `'a`, the element at every index of `shape` is an initialized `T` that may be read
    /// and that nobody writes, all of them in one allocation. Without elements, `first` may be any
    /// pointer.
    pub unsafe fn new(first: *const T, shape: &'a [usize], strides: &'a [isize]) -> Self {
        Self { first, shape, strides, elements: PhantomData }
    }

    /// Copies every element to its place.
    ///
    /// # Errors
    /// As [`crate::copy()`].
    pub fn copy_to(self, to: Destination<'_, T>, options: &PlanOptions) -> Result<(), CopyError> {
        if self.shape != to.shape {
            let (src, dst) = (self.shape.into(), to.shape.into());
            return Err(LayoutError::ShapesDiffer { src, dst }.into());
        }
        if size_of::<T>() == 0 {
            return Ok(()); // no byte to write
        }
        let spec = CopySpec::in_elements(size_of::<T>(), self.shape, self.strides, to.strides)?;
        let plan = Plan::new(&spec, options)?;
        // SAFETY: the source's elements may be read, and the destination's written by nobody else,
        // for as long as both views live; so they cannot overlap either. `T: Copy` values may be
        // duplicated bytewise, from any thread.
        unsafe { plan.execute_raw(self.first.cast(), to.first.cast()) };
        Ok(())
    }

    /// The elements in a new vector, laid out as `to`: dense, from offset 0 on.
    ///
    /// # Errors
    /// As [`crate::contiguous_with`].
    #[allow(dead_code)] // faer's matrices are allocated by faer
    pub fn to_vec(
        self,
        to: &Layout,
        options: &PlanOptions,
        pages: HugePages,
    ) -> Result<Vec<T>, CopyError> {
        let mut out = uninit_vec::<T>(to.numel(), pages)?;
        // SAFETY: `to` is dense, so each of its elements is one of the vector's, which is borrowed
        // mutably.
        let places = unsafe { Destination::new(out.as_mut_ptr().cast(), to.shape(), to.strides()) };
        self.copy_to(places, options)?;
        // SAFETY: the copy has written every element of the dense vector.
        Ok(unsafe { assume_init(out) })
    }
}

impl<'a, T> Destination<'a, T> {
    /// The places of `shape`, `strides` elements apart, from `first` on.
    ///
    /// # Safety
    /// During `'a`, the place at every index of `shape` may be written, and nobody else reads or
    /// writes it, all of them in one allocation. Without elements, `first` may be any pointer.
    pub unsafe fn new(first: *mut T, shape: &'a [usize], strides: &'a [isize]) -> Self {
        Self { first, shape, strides, elements: PhantomData }
    }
}
