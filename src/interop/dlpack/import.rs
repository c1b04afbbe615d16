//! Tensors of other libraries.

use core::fmt;
use core::ptr::NonNull;
use core::slice;

use super::abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    FLAG_IS_COPIED, FLAG_READ_ONLY, VERSION,
};
use super::element::{Element, Plain, code};
use super::error::DlpackError;
use super::owner::Owner;
use crate::copy::{View, assume_init};
use crate::error::{CopyError, LayoutError};
use crate::exec::{HugePages, uninit_vec};
use crate::layout::{Layout, MAX_RANK, Shape, Strides};
use crate::plan::{CopySpec, Plan, PlanOptions};

/// A tensor of another library. Dropping it calls the tensor's deleter, once; a tensor without one
/// is left alone.
///
/// ```
/// use restride::interop::dlpack::{Export, Imported};
/// use restride::{Layout, View};
///
/// let rows = Layout::contiguous(&[2, 3])?;
/// let given = Export::of_vec(vec![1u16, 2, 3, 4, 5, 6], rows.t())?.into_raw();
///
/// // SAFETY: a tensor that was just made, taken once; its memory is nobody else's.
/// let mut taken = unsafe { Imported::from_raw(given) }?;
/// assert_eq!((taken.shape(), taken.strides()), (&[3, 2][..], &[1, 3][..]));
/// assert_eq!(taken.to_vec::<u16>()?, [1, 4, 2, 5, 3, 6]);
///
/// taken.copy_from(&View::new(Layout::contiguous(&[3, 2])?, &[0u16, 1, 2, 3, 4, 5])?)?;
/// assert_eq!(taken.to_vec::<u16>()?, [0, 1, 2, 3, 4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Imported {
    owner: Owner,
    /// Element `[0, 0, …]`; any pointer where there are no elements.
    first: *mut u8,
    /// Counted from the element at the lowest address.
    layout: Layout,
    dtype: DLDataType,
    elem_size: usize,
    flags: u64,
}

// SAFETY: who made the value vouches for a deleter that any thread may call, and for memory that
// nobody else touches in a way that a read or write from any thread would race with.
unsafe impl Send for Imported {}
// SAFETY: as above; through a shared reference the elements are only read.
unsafe impl Sync for Imported {}

impl Imported {
    /// Takes a tensor over.
    ///
    /// It is taken over in any case: where it is refused its deleter is called before this
    /// returns, as the specification asks. Strides may be null, and then mean row major, also
    /// where the tensor's minor version does not allow it. Flags that are not known are ignored.
    ///
    /// # Errors
    /// [`DlpackError::Null`] for a tensor, a shape or elements that are null where there should be
    /// some; [`DlpackError::Version`] for a major version other than 1; [`DlpackError::Device`],
    /// [`DlpackError::PartBytes`], [`DlpackError::NegativeRank`], [`DlpackError::NegativeSize`];
    /// [`DlpackError::Overflow`] or [`DlpackError::Layout`] for elements that span more than
    /// `isize::MAX` bytes or leave the address space, or for more than 64 axes.
    ///
    /// # Safety
    /// `tensor` is null, or
    /// - points to an aligned [`DLManagedTensorVersioned`] that nobody else owns: only this value
    ///   calls its deleter, which may be called from any thread. When its major version is not 1,
    ///   nothing but version and deleter need be there;
    /// - it describes `shape` and `strides` arrays of `ndim` aligned entries, where they are not
    ///   null, and memory in which every byte of every element is initialized and readable, all of
    ///   them in one allocation, until the deleter is called;
    /// - nobody writes the elements during a call of [`to_vec`](Self::to_vec) or
    ///   [`to_bytes`](Self::to_bytes);
    /// - unless it is flagged as read-only or [`copy_from`](Self::copy_from) is not called: the
    ///   elements are writable, and nobody reads or writes them during such a call.
    pub unsafe fn from_raw(tensor: *mut DLManagedTensorVersioned) -> Result<Self, DlpackError> {
        let tensor = NonNull::new(tensor).ok_or(DlpackError::Null { what: "the tensor" })?;
        let owner = Owner::Versioned(tensor);
        // SAFETY: the version comes first in every version of the struct.
        let version: DLPackVersion = unsafe { (*tensor.as_ptr()).version };
        if version.major != VERSION.major {
            return Err(DlpackError::Version { version });
        }
        // SAFETY: the version is one whose struct is known.
        let (described, flags) =
            unsafe { ((*tensor.as_ptr()).dl_tensor, (*tensor.as_ptr()).flags) };
        // SAFETY: passed on.
        unsafe { Self::new(owner, described, flags) }
    }

    /// Takes a tensor in the older struct over, which has no flags: it counts as writable.
    ///
    /// # Errors
    /// As [`Imported::from_raw`].
    ///
    /// # Safety
    /// As [`Imported::from_raw`], for a [`DLManagedTensor`].
    pub unsafe fn from_raw_older(tensor: *mut DLManagedTensor) -> Result<Self, DlpackError> {
        let tensor = NonNull::new(tensor).ok_or(DlpackError::Null { what: "the tensor" })?;
        let owner = Owner::Older(tensor);
        // SAFETY: the caller vouches for the struct.
        let described = unsafe { (*tensor.as_ptr()).dl_tensor };
        // SAFETY: passed on.
        unsafe { Self::new(owner, described, 0) }
    }

    /// # Safety
    /// As [`Imported::from_raw`], of the tensor in `owner`, which `described` is a copy of.
    unsafe fn new(owner: Owner, described: DLTensor, flags: u64) -> Result<Self, DlpackError> {
        if described.device.device_type != DLDevice::CPU.device_type {
            return Err(DlpackError::Device { device_type: described.device.device_type });
        }
        let elem_size = described.dtype.size()?;
        // SAFETY: passed on.
        let layout = unsafe { layout(&described, elem_size) }?;
        let first = first_element(&described, &layout, elem_size)?;
        Ok(Self { owner, first, layout, dtype: described.dtype, elem_size, flags })
    }

    /// Sizes of the axes, in elements.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Strides of the axes, in elements.
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Where each element is, counted in elements from the one at the lowest address: the offset is
    /// 0 unless strides are negative.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What the elements are.
    pub fn dtype(&self) -> DLDataType {
        self.dtype
    }

    /// Bytes of one element.
    pub fn elem_size(&self) -> usize {
        self.elem_size
    }

    /// Whether the elements may not be written. The older struct cannot say so: it never is.
    pub fn is_read_only(&self) -> bool {
        self.flags & FLAG_READ_ONLY != 0
    }

    /// Whether the giver says that it has made a copy for this tensor alone.
    pub fn is_copied(&self) -> bool {
        self.flags & FLAG_IS_COPIED != 0
    }

    /// The version the tensor is made by; `None` in the older struct.
    pub fn version(&self) -> Option<DLPackVersion> {
        match self.owner {
            // SAFETY: the owner keeps the struct alive.
            Owner::Versioned(tensor) => Some(unsafe { (*tensor.as_ptr()).version }),
            Owner::Older(_) => None,
        }
    }

    /// Address of element `[0, 0, …]`, aligned or not; where there are no elements, any pointer.
    /// It is valid until this value is dropped.
    pub fn as_ptr(&self) -> *const u8 {
        self.first
    }

    /// The copy that makes the tensor dense, for a plan of the caller's: its source is
    /// [`as_ptr`](Self::as_ptr), its strides are in bytes.
    ///
    /// # Errors
    /// [`LayoutError::Overflow`] when a stride in bytes overflows.
    pub fn to_contiguous_spec(&self) -> Result<CopySpec, LayoutError> {
        CopySpec::to_contiguous(&self.layout, self.elem_size)
    }

    /// The elements in a new dense row-major vector.
    ///
    /// Truth values are read as `u8`.
    ///
    /// # Errors
    /// [`DlpackError::ElementType`] unless `T` is the type of the elements;
    /// [`DlpackError::Copy`] when the vector is larger than `isize::MAX` bytes or cannot be
    /// allocated.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` cannot be obeyed, as [`Plan::new`].
    pub fn to_vec<T: Plain>(&self) -> Result<Vec<T>, DlpackError> {
        let is_truth = self.dtype == DLDataType::scalar(code::BOOL, 8);
        if self.dtype != T::DTYPE && !(is_truth && T::DTYPE == u8::DTYPE) {
            return Err(DlpackError::ElementType { tensor: self.dtype, asked: T::DTYPE });
        }
        // SAFETY: the data types have one size, and every bit pattern is a `T`.
        unsafe { self.dense(self.layout.numel()) }
    }

    /// The bytes of the elements in row-major order, whatever the elements are.
    ///
    /// # Errors
    /// [`DlpackError::Copy`] when they are more than `isize::MAX` or cannot be allocated.
    ///
    /// # Panics
    /// As [`Imported::to_vec`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, DlpackError> {
        let bytes = self
            .layout
            .numel()
            .checked_mul(self.elem_size)
            .ok_or(CopyError::Allocation { bytes: usize::MAX })?;
        // SAFETY: every element is `elem_size` bytes.
        unsafe { self.dense(bytes) }
    }

    /// The elements in row-major order, as `len` values.
    ///
    /// # Safety
    /// `len` values have as many bytes as all elements, and any bytes are values.
    unsafe fn dense<T: Copy>(&self, len: usize) -> Result<Vec<T>, DlpackError> {
        let plan = Plan::new(&self.to_contiguous_spec()?, &PlanOptions::default())?;
        let mut out = uninit_vec::<T>(len, HugePages::Auto)?;
        // SAFETY: who made `self` vouches for the elements and that nobody writes them now; the
        // dense output is as long as they are, and fresh.
        unsafe { plan.execute_raw(self.first, out.as_mut_ptr().cast()) };
        // SAFETY: the plan has written every byte, and any bytes are values.
        Ok(unsafe { assume_init(out) })
    }

    /// Writes the elements of `src`, which has the same shape, to the tensor's places.
    ///
    /// # Errors
    /// [`DlpackError::ReadOnly`]; [`DlpackError::ElementType`] unless `T` is the type of the
    /// elements; [`DlpackError::Layout`] when the shapes differ; [`DlpackError::Copy`] when two
    /// elements of the tensor share memory, or that cannot be ruled out within bounded work.
    /// Nothing is written then.
    ///
    /// # Panics
    /// As [`Imported::to_vec`].
    pub fn copy_from<T: Element>(&mut self, src: &View<'_, T>) -> Result<(), DlpackError> {
        if self.is_read_only() {
            return Err(DlpackError::ReadOnly);
        }
        if self.dtype != T::DTYPE {
            return Err(DlpackError::ElementType { tensor: self.dtype, asked: T::DTYPE });
        }
        let spec = CopySpec::between(src.layout(), &self.layout, self.elem_size)?;
        let plan = Plan::new(&spec, &PlanOptions::default())?;
        let from = src.data().as_ptr().wrapping_add(src.layout().offset());
        // SAFETY: the view's elements lie in its slice. Who made `self` vouches that the tensor's
        // elements are writable and that nobody else, the slice included, has them now.
        unsafe { plan.execute_raw(from.cast(), self.first) };
        Ok(())
    }
}

impl fmt::Debug for Imported {
    /// The layout and the type, no elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported")
            .field("shape", &self.shape())
            .field("strides", &self.strides())
            .field("dtype", &format_args!("{}", self.dtype))
            .field("read_only", &self.is_read_only())
            .finish_non_exhaustive()
    }
}

/// The tensor's layout, counted from the element at the lowest address.
///
/// # Safety
/// `shape` and `strides` are null or have `ndim` aligned, readable entries.
unsafe fn layout(tensor: &DLTensor, elem_size: usize) -> Result<Layout, DlpackError> {
    let rank = usize::try_from(tensor.ndim)
        .map_err(|_| DlpackError::NegativeRank { ndim: tensor.ndim })?;
    // Before anything of that length is looked at.
    if rank > MAX_RANK {
        return Err(LayoutError::RankTooLarge { rank }.into());
    }
    let overflow = |what| DlpackError::Overflow { what };
    // SAFETY: passed on.
    let sizes = unsafe { entries(tensor.shape, rank) }
        .ok_or(DlpackError::Null { what: "the shape of a tensor with axes" })?;
    let mut shape = Shape::with_capacity(rank);
    for (axis, &size) in sizes.iter().enumerate() {
        if size < 0 {
            return Err(DlpackError::NegativeSize { axis, size });
        }
        shape.push(usize::try_from(size).map_err(|_| overflow("a size"))?);
    }
    let dense = Layout::contiguous(&shape)?;
    // SAFETY: passed on.
    let strides = match unsafe { entries(tensor.strides, rank) } {
        None => Strides::from_slice(dense.strides()),
        Some(strides) => strides
            .iter()
            .map(|&stride| isize::try_from(stride).map_err(|_| overflow("a stride")))
            .collect::<Result<_, _>>()?,
    };
    if dense.is_empty() {
        return Ok(Layout::from_parts(&shape, &strides, 0, 0)?);
    }
    let (mut below, mut above) = (0i128, 0i128); // the sizes multiply to an isize: no sum overflows
    for (&size, &stride) in shape.iter().zip(&strides) {
        let extent = (size as i128 - 1) * stride as i128;
        if extent < 0 { below -= extent } else { above += extent }
    }
    let most = isize::MAX as i128 / elem_size as i128;
    let span = below + above + 1;
    if span > most {
        return Err(overflow("the span of the elements in bytes"));
    }
    Ok(Layout::from_parts(&shape, &strides, below as usize, span as usize)?)
}

/// Where element `[0, 0, …]` is, when all elements are where memory can be.
fn first_element(
    tensor: &DLTensor,
    layout: &Layout,
    elem_size: usize,
) -> Result<*mut u8, DlpackError> {
    let data = tensor.data.cast::<u8>();
    let Some((lowest, highest)) = layout.reach() else { return Ok(data) };
    if data.is_null() {
        return Err(DlpackError::Null { what: "the data of a tensor with elements" });
    }
    let overflow = DlpackError::Overflow { what: "the address of an element" };
    let Ok(offset) = usize::try_from(tensor.byte_offset) else { return Err(overflow) };
    // The span in bytes fits isize: neither product overflows.
    let below = (layout.offset() - lowest) * elem_size;
    let above = (highest - layout.offset() + 1) * elem_size;
    let first = data.addr().checked_add(offset);
    let inside = first.is_some_and(|first| first > below && first.checked_add(above).is_some());
    if inside { Ok(data.wrapping_add(offset)) } else { Err(overflow) }
}

/// The array at `first`; `None` when there should be one and is not.
///
/// # Safety
/// `first` is null or has `len` aligned, readable entries for as long as the slice lives.
unsafe fn entries<'a>(first: *const i64, len: usize) -> Option<&'a [i64]> {
    if len == 0 {
        return Some(&[]);
    }
    // SAFETY: not null, and the caller vouches for the entries.
    (!first.is_null()).then(|| unsafe { slice::from_raw_parts(first, len) })
}
