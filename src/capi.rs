//! The C interface: plans as opaque pointers, errors as numbers with a text behind them.
//!
//! `include/restride.h` is generated from this file by cbindgen, comments included; the test
//! `capi_header` compares the two.
//!
//! No call unwinds into C and none believes a number it can check: null pointers, ranks, spans and
//! overlaps are refused with an error code before any byte is written. What cannot be checked,
//! that the memory behind the pointers is there, is the caller's part.

use core::cell::RefCell;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::slice;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::PlanError;
use crate::layout::MAX_RANK;
use crate::layout::overlap::{Overlap, Strided, strided_share};
use crate::machine::{Isa, Machine};
use crate::plan::{CopySpec, Plan, PlanOptions, Threads};

/// Done.
pub const RESTRIDE_OK: c_int = 0;
/// A pointer that is needed is null, or an array is not aligned to its entries.
pub const RESTRIDE_ERROR_POINTER: c_int = 1;
/// The element size is 0.
pub const RESTRIDE_ERROR_ELEM_SIZE: c_int = 2;
/// More than 64 axes.
pub const RESTRIDE_ERROR_RANK: c_int = 3;
/// Sizes, strides or pointers reach further than memory can.
pub const RESTRIDE_ERROR_OVERFLOW: c_int = 4;
/// The destination addresses one byte several times, or that cannot be ruled out.
pub const RESTRIDE_ERROR_DST_OVERLAP: c_int = 5;
/// Source and destination share a byte, or that cannot be ruled out.
pub const RESTRIDE_ERROR_SRC_DST_OVERLAP: c_int = 6;
/// The instruction-set tier forced by the environment variable RESTRIDE_ISA does not exist or is
/// not available.
pub const RESTRIDE_ERROR_ISA: c_int = 7;
/// A defect of the library; the text tells where.
pub const RESTRIDE_ERROR_INTERNAL: c_int = 8;

/// How a copy will be carried out. Immutable: any number of threads may execute one plan at once.
pub struct RestridePlan {
    spec: CopySpec,
    plan: Plan,
}

/// Plans a copy of `rank` axes and stores the plan in `*out`, to be freed with
/// restride_plan_free.
///
/// `elem_size` is in bytes, `shape` in elements, both strides in bytes and of either sign. Each of
/// the three arrays has `rank` entries; they are not needed any more after the call, and may be
/// null where `rank` is 0.
///
/// `threads`: 0 lets the library decide, 1 keeps to the calling thread, n uses at most n.
///
/// Returns RESTRIDE_OK, or an error code; `*out` is then null.
///
/// # Safety
/// The arrays are readable for `rank` entries, `out` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn restride_plan_new(
    elem_size: usize,
    rank: usize,
    shape: *const usize,
    src_strides: *const isize,
    dst_strides: *const isize,
    threads: usize,
    out: *mut *mut RestridePlan,
) -> c_int {
    guarded(|| {
        if out.is_null() {
            return Err(Failure::null("out"));
        }
        // SAFETY: the caller vouches for `out`.
        unsafe { out.write(ptr::null_mut()) };
        // SAFETY: the caller vouches for the arrays.
        let spec = unsafe { spec(elem_size, rank, shape, src_strides, dst_strides) }?;
        let plan = RestridePlan::new(spec, threads)?;
        // SAFETY: as above.
        unsafe { out.write(Box::into_raw(Box::new(plan))) };
        Ok(())
    })
}

/// Carries out `plan`. `src` and `dst` point at element `[0, ..., 0]` of either side, which with
/// negative strides is not the lowest address; no alignment is asked. Bytes in the gaps between
/// destination elements are neither read nor written. A plan without elements ignores both
/// pointers.
///
/// Returns RESTRIDE_OK, or an error code; nothing has been written then.
///
/// # Safety
/// `plan` comes from restride_plan_new and is not freed yet. All source elements are readable, all
/// destination elements writable, and nobody else writes or reads the latter meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn restride_plan_execute(
    plan: *const RestridePlan,
    src: *const c_void,
    dst: *mut c_void,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller vouches for a plan that is not null.
        let plan = unsafe { plan.as_ref() }.ok_or_else(|| Failure::null("plan"))?;
        // SAFETY: passed on.
        unsafe { plan.execute(src.cast(), dst.cast()) }
    })
}

/// Frees a plan; a null pointer is ignored.
///
/// # Safety
/// `plan` comes from restride_plan_new, is freed once, and is not being executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn restride_plan_free(plan: *mut RestridePlan) {
    if !plan.is_null() {
        // SAFETY: made by `Box::into_raw`, and the caller gives it up.
        drop(unsafe { Box::from_raw(plan) });
    }
}

/// Plans and carries out one copy: restride_plan_new, restride_plan_execute and restride_plan_free
/// in one call, without an allocation for up to six axes.
///
/// Returns RESTRIDE_OK, or an error code; nothing has been written then.
///
/// # Safety
/// As for restride_plan_new and restride_plan_execute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn restride_copy(
    elem_size: usize,
    rank: usize,
    shape: *const usize,
    src_strides: *const isize,
    src: *const c_void,
    dst_strides: *const isize,
    dst: *mut c_void,
    threads: usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller vouches for the arrays.
        let spec = unsafe { spec(elem_size, rank, shape, src_strides, dst_strides) }?;
        // SAFETY: passed on.
        unsafe { RestridePlan::new(spec, threads)?.execute(src.cast(), dst.cast()) }
    })
}

/// What the last failed call on this thread had to say, in English; empty before the first
/// failure. Valid until the next call on this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn restride_last_error() -> *const c_char {
    // A thread that is ending has no last error any more.
    let last = LAST_ERROR.try_with(|text| text.borrow().as_ref().map(|text| text.as_ptr()));
    last.ok().flatten().unwrap_or(c"".as_ptr())
}

/// The library's version, for example "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn restride_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no zero byte"),
        };
    VERSION.as_ptr()
}

/// The instruction-set tier in use: "avx512", "avx2", "neon" or "portable". Empty, with a text in
/// restride_last_error, when RESTRIDE_ISA asks for one that is not there.
#[unsafe(no_mangle)]
pub extern "C" fn restride_isa() -> *const c_char {
    let mut name = c"".as_ptr();
    guarded(|| {
        name = match machine()?.isa {
            Isa::Portable => c"portable".as_ptr(),
            Isa::Avx2 => c"avx2".as_ptr(),
            Isa::Avx512 => c"avx512".as_ptr(),
            Isa::Neon => c"neon".as_ptr(),
        };
        Ok(())
    });
    name
}

impl RestridePlan {
    fn new(spec: CopySpec, threads: usize) -> Result<Self, Failure> {
        let threads = match threads {
            0 => Threads::Auto,
            1 => Threads::Serial,
            n => Threads::AtMost(n),
        };
        machine()?;
        let plan = Plan::new(&spec, &PlanOptions { threads, ..PlanOptions::default() })?;
        Ok(Self { spec, plan })
    }

    /// # Safety
    /// Every source element is readable and every destination element writable for the call, and
    /// nobody else touches the latter.
    unsafe fn execute(&self, src: *const u8, dst: *mut u8) -> Result<(), Failure> {
        if self.plan.bytes() > 0 {
            let null = |name| Err(Failure::null(name));
            if src.is_null() {
                return null("src");
            }
            if dst.is_null() {
                return null("dst");
            }
            self.refuse_overlap(src.addr(), dst.addr())?;
        }
        // SAFETY: passed on; the sides share no byte.
        unsafe { self.plan.execute_raw(src, dst) };
        Ok(())
    }

    /// Refuses addresses at which a side would leave memory, or both would share a byte.
    fn refuse_overlap(&self, src: usize, dst: usize) -> Result<(), Failure> {
        let ends = |side: &str, at: usize, reach: core::ops::Range<isize>| {
            let first = at.checked_add_signed(reach.start);
            let end = at.checked_add_signed(reach.end);
            first.zip(end).ok_or_else(|| Failure {
                code: RESTRIDE_ERROR_OVERFLOW,
                text: format!("the {side} at {at:#x} reaches past the ends of memory"),
            })
        };
        let (src_first, src_end) = ends("source", src, self.plan.src_reach())?;
        let (dst_first, dst_end) = ends("destination", dst, self.plan.dst_reach())?;
        if src_end <= dst_first || dst_end <= src_first {
            return Ok(());
        }
        let side = |offset, strides| Strided {
            offset,
            shape: &self.spec.shape,
            strides,
            elem: self.spec.elem_size,
        };
        let overlap = match isize::try_from(dst as i128 - src as i128) {
            Ok(distance) => strided_share(
                side(0, &self.spec.src_strides),
                side(distance, &self.spec.dst_strides),
            ),
            Err(_) => Overlap::Unknown,
        };
        let what = match overlap {
            Overlap::No => return Ok(()),
            Overlap::Yes => "share",
            Overlap::Unknown => "may share",
        };
        Err(Failure {
            code: RESTRIDE_ERROR_SRC_DST_OVERLAP,
            text: format!("source and destination {what} memory; copy the source elsewhere first"),
        })
    }
}

/// The copy that the arrays describe.
///
/// # Safety
/// Arrays that are not null are readable for `rank` entries.
unsafe fn spec(
    elem_size: usize,
    rank: usize,
    shape: *const usize,
    src_strides: *const isize,
    dst_strides: *const isize,
) -> Result<CopySpec, Failure> {
    // Before anything of that length is looked at.
    if rank > MAX_RANK {
        return Err(PlanError::RankTooLarge { rank }.into());
    }
    // SAFETY: passed on.
    unsafe {
        Ok(CopySpec::new(
            elem_size,
            array("shape", shape, rank)?,
            array("src_strides", src_strides, rank)?,
            array("dst_strides", dst_strides, rank)?,
        ))
    }
}

/// # Safety
/// Where `first` is not null, `len` entries are readable from it on, as long as the slice lives.
unsafe fn array<'a, T>(name: &str, first: *const T, len: usize) -> Result<&'a [T], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Failure::null(name));
    }
    if !first.is_aligned() {
        return Err(Failure {
            code: RESTRIDE_ERROR_POINTER,
            text: format!("{name} is not aligned to its entries"),
        });
    }
    // SAFETY: not null, aligned, and the caller vouches for the entries.
    Ok(unsafe { slice::from_raw_parts(first, len) })
}

/// The machine, unless RESTRIDE_ISA asks for what it does not have.
fn machine() -> Result<&'static Machine, Failure> {
    catch_unwind(Machine::current)
        .map_err(|panic| Failure { code: RESTRIDE_ERROR_ISA, text: panic_text(&*panic) })
}

/// Why a call failed.
struct Failure {
    code: c_int,
    text: String,
}

impl Failure {
    fn null(name: &str) -> Self {
        Self { code: RESTRIDE_ERROR_POINTER, text: format!("{name} is a null pointer") }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let code = match error {
            PlanError::ZeroElementSize => RESTRIDE_ERROR_ELEM_SIZE,
            PlanError::RankTooLarge { .. } => RESTRIDE_ERROR_RANK,
            PlanError::Overflow { .. } => RESTRIDE_ERROR_OVERFLOW,
            PlanError::DestinationOverlap { .. } => RESTRIDE_ERROR_DST_OVERLAP,
            PlanError::IsaUnavailable { .. } => RESTRIDE_ERROR_ISA,
            // All three arrays are made with one rank, and no tile is asked for.
            PlanError::RankMismatch { .. } | PlanError::NoTiles { .. } | PlanError::Tile { .. } => {
                RESTRIDE_ERROR_INTERNAL
            }
        };
        Self { code, text: error.to_string() }
    }
}

thread_local! {
    static LAST_ERROR: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Runs `call`; turns a failure or a panic into a code, and keeps its text for this thread.
fn guarded(call: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let failure = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => return RESTRIDE_OK,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure { code: RESTRIDE_ERROR_INTERNAL, text: panic_text(&*panic) },
    };
    let text = CString::new(failure.text.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending cannot keep a text; the code is still right.
    let _ = LAST_ERROR.try_with(|last| last.replace(Some(text)));
    failure.code
}

/// What a panic said.
fn panic_text(payload: &(dyn core::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
