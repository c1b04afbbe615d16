//! One-liners over layouts and slices: materialize a view, copy between views.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::error::CopyError;
use crate::exec::{HugePages, uninit_vec};
use crate::layout::Layout;
use crate::layout::overlap::{Overlap, share_element};
use crate::plan::{CopySpec, Plan, PlanOptions};

/// Elements of a slice, seen through a layout.
#[derive(Clone, Debug)]
pub struct View<'a, T> {
    data: &'a [T],
    layout: Layout,
}

impl<'a, T: Copy> View<'a, T> {
    /// Views `data` through `layout`.
    ///
    /// # Errors
    /// [`CopyError::OutOfReach`] when the layout reaches outside the slice.
    pub fn new(layout: Layout, data: &'a [T]) -> Result<Self, CopyError> {
        check_reach("source", &layout, data.len())?;
        Ok(Self { data, layout })
    }

    /// Where each element lives.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The slice that is seen, whole: every element of the layout lies in it.
    pub fn data(&self) -> &'a [T] {
        self.data
    }
}

/// Places in a slice to be written, seen through a layout.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    data: &'a mut [MaybeUninit<T>],
    layout: Layout,
}

impl<'a, T: Copy> ViewMut<'a, T> {
    /// Views `data` through `layout`.
    ///
    /// # Errors
    /// [`CopyError::OutOfReach`] when the layout reaches outside the slice.
    pub fn new(layout: Layout, data: &'a mut [T]) -> Result<Self, CopyError> {
        // SAFETY: `MaybeUninit<T>` has the layout of `T`, and this module only ever writes
        // initialized values of `T` through the slice.
        let data = unsafe { &mut *(data as *mut [T] as *mut [MaybeUninit<T>]) };
        Self::uninit(layout, data)
    }

    /// Views memory that is not initialized yet through `layout`.
    ///
    /// # Errors
    /// [`CopyError::OutOfReach`] when the layout reaches outside the slice.
    pub fn uninit(layout: Layout, data: &'a mut [MaybeUninit<T>]) -> Result<Self, CopyError> {
        check_reach("destination", &layout, data.len())?;
        Ok(Self { data, layout })
    }

    /// Where each element goes.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// Writes the elements of `layout` over `data` into a new dense row-major vector.
///
/// The vector's memory is first touched by the copy itself, from the threads that write it. On
/// Linux a large one asks for huge pages, which saves most of the time that page faults take;
/// [`contiguous_with`] can leave that out.
///
/// # Errors
/// [`CopyError`] when the layout reaches outside the slice, or the output is larger than
/// `isize::MAX` bytes or cannot be allocated, or a span in bytes overflows.
///
/// # Panics
/// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`Plan::new`].
///
/// ```
/// use restride::{Layout, contiguous};
/// let data: Vec<f32> = (0..12u8).map(f32::from).collect();
/// let transposed = Layout::contiguous(&[3, 4])?.t();
/// assert_eq!(contiguous(&transposed, &data)?[..4], [0.0, 4.0, 8.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contiguous<T: Copy + Send + Sync>(layout: &Layout, data: &[T]) -> Result<Vec<T>, CopyError> {
    contiguous_with(layout, data, &PlanOptions::default(), HugePages::Auto)
}

/// Writes the elements of `layout` over `data` into a new dense vector in which the axes lie in this
/// order, the outermost first; the logical shape stays. [`Layout::dense_in_order`] of that shape and
/// order says where in the vector each element is.
///
/// ```
/// use restride::{Layout, contiguous_in_order};
/// let data: Vec<u8> = (0..6).collect();
/// let rows = Layout::contiguous(&[2, 3])?;
/// let columns = contiguous_in_order(&rows, &data, &[1, 0])?;
/// assert_eq!(columns, [0, 3, 1, 4, 2, 5]);
/// assert_eq!(Layout::dense_in_order(&[2, 3], &[1, 0])?.strides(), [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`contiguous`], and [`CopyError::Layout`] unless `order` names every axis once.
///
/// # Panics
/// As [`contiguous`].
pub fn contiguous_in_order<T: Copy + Send + Sync>(
    layout: &Layout,
    data: &[T],
    order: &[isize],
) -> Result<Vec<T>, CopyError> {
    contiguous(&layout.permute(order)?, data)
}

/// [`contiguous`] with a say in how: the plan's options, and whether the new vector may ask for
/// huge pages.
///
/// # Errors
/// As [`contiguous`], or what the options make [`Plan::new`] refuse.
///
/// # Panics
/// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`Plan::new`].
pub fn contiguous_with<T: Copy + Send + Sync>(
    layout: &Layout,
    data: &[T],
    options: &PlanOptions,
    pages: HugePages,
) -> Result<Vec<T>, CopyError> {
    check_reach("source", layout, data.len())?;
    if size_of::<T>() == 0 {
        let out = uninit_vec::<T>(layout.numel(), pages)?;
        // SAFETY: a value without bytes needs no writing. Where there is an element, the reach
        // has shown that `data` has a value to be copied.
        return Ok(unsafe { assume_init(out) });
    }
    let spec = CopySpec::to_contiguous(layout, size_of::<T>())?;
    let plan = Plan::new(&spec, options)?;
    let mut out = uninit_vec::<T>(layout.numel(), pages)?;
    plan.execute(data, layout.offset(), &mut out, 0)?;
    // SAFETY: the plan has written every element of the dense output.
    Ok(unsafe { assume_init(out) })
}

/// Copies every element of `src` to its place in `dst`.
///
/// # Errors
/// [`CopyError::Layout`] when the shapes differ or a stride in bytes overflows;
/// [`CopyError::Plan`] when the destination overlaps itself (or that cannot be ruled out within
/// bounded work), or a side spans more than `isize::MAX` bytes. Nothing is written then.
///
/// # Panics
/// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`Plan::new`].
pub fn copy<T: Copy + Send + Sync>(
    src: &View<'_, T>,
    dst: ViewMut<'_, T>,
) -> Result<(), CopyError> {
    copy_with(src, dst, &PlanOptions::default())
}

/// [`copy`] by a plan of these options.
pub(crate) fn copy_with<T: Copy + Send + Sync>(
    src: &View<'_, T>,
    dst: ViewMut<'_, T>,
    options: &PlanOptions,
) -> Result<(), CopyError> {
    let spec = CopySpec::between(&src.layout, &dst.layout, size_of::<T>())?;
    if size_of::<T>() == 0 {
        return Ok(()); // no byte to write
    }
    let plan = Plan::new(&spec, options)?;
    plan.execute(src.data, src.layout.offset(), dst.data, dst.layout.offset())
}

/// Copies every element of `src` to its place in `dst`, two layouts over the same slice.
///
/// # Errors
/// [`CopyError::Overlap`] when the layouts share an element, or that cannot be ruled out within
/// bounded work; [`CopyError::OutOfReach`] when one reaches outside the slice; otherwise as
/// [`copy`]. Nothing is written then.
///
/// # Panics
/// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`Plan::new`].
pub fn copy_within<T: Copy + Send + Sync>(
    data: &mut [T],
    src: &Layout,
    dst: &Layout,
) -> Result<(), CopyError> {
    check_reach("source", src, data.len())?;
    check_reach("destination", dst, data.len())?;
    let spec = CopySpec::between(src, dst, size_of::<T>())?;
    if size_of::<T>() == 0 {
        return Ok(()); // no byte to write, none to share
    }
    let plan = Plan::new(&spec, &PlanOptions::default())?;
    match share_element(src, dst) {
        Overlap::No => {}
        Overlap::Yes => return Err(CopyError::Overlap { certain: true }),
        Overlap::Unknown => return Err(CopyError::Overlap { certain: false }),
    }
    let base = data.as_mut_ptr();
    // SAFETY: both layouts stay inside the slice, which is borrowed mutably, and share no element.
    unsafe {
        plan.execute_raw(
            base.wrapping_add(src.offset()).cast_const().cast(),
            base.wrapping_add(dst.offset()).cast(),
        );
    }
    Ok(())
}

/// Carries `plan` out from `src` to `dst`, as [`Plan::execute`], where `dst` holds values already.
///
/// # Errors
/// As [`Plan::execute`].
#[cfg(feature = "std")]
pub(crate) fn copy_by<T: Copy + Send + Sync>(
    plan: &Plan,
    src: &[T],
    src_at: usize,
    dst: &mut [T],
    dst_at: usize,
) -> Result<(), CopyError> {
    let dst = ViewMut::new(Layout::contiguous(&[dst.len()])?, dst)?;
    plan.execute(src, src_at, dst.data, dst_at)
}

/// Fails when `layout` reaches outside a slice of `len` elements.
pub(crate) fn check_reach(
    side: &'static str,
    layout: &Layout,
    len: usize,
) -> Result<(), CopyError> {
    match layout.reach() {
        Some((first, last)) if last >= len => {
            Err(CopyError::OutOfReach { side, first: first as i128, last: last as i128, len })
        }
        _ => Ok(()),
    }
}

/// The same vector, as one of values.
///
/// # Safety
/// Every element is initialized.
pub(crate) unsafe fn assume_init<T>(vec: Vec<MaybeUninit<T>>) -> Vec<T> {
    let mut vec = core::mem::ManuallyDrop::new(vec);
    // SAFETY: same allocation, length and capacity; the elements are initialized `T`s.
    unsafe { Vec::from_raw_parts(vec.as_mut_ptr().cast(), vec.len(), vec.capacity()) }
}
