//! From a copy's numbers to an immutable plan of how to carry it out.

mod builder;
mod cache;
mod choose;
mod context;
mod describe;
mod nest;
mod options;
mod rows;
mod scalar;
mod spec;
mod tiles;

pub use cache::PlanCache;
pub use options::{PlanOptions, StorePolicy, Strategy, Threads, TileSize};
pub use spec::CopySpec;

use core::mem::MaybeUninit;
use core::ops::Range;

use crate::analysis::{Axis, Class, Normalized, Pattern, Traffic};
use crate::error::{CopyError, PlanError};
use crate::exec;
use crate::kernels::few::Few;
use crate::layout::overlap::{Overlap, strided_self_overlap};
use crate::machine::{Isa, Machine};
use context::Context;
pub(crate) use nest::Nest;

/// How a copy will be carried out. Immutable, `Send + Sync`, and good for any pointers of the same
/// layout; print it (`{plan}`) to read what it will do.
///
/// Executing a plan holds no lock, and on one thread allocates nothing. On several it never waits
/// for anything but its own work, so it may be executed anywhere inside a rayon pool, locks held.
#[derive(Clone, Debug)]
pub struct Plan {
    elem_size: usize,
    copy: Normalized,
    work: Work,
    threads: Threads,
    /// Threads that the copy is worth, before the pool's size is asked.
    worth: usize,
    /// The cells' extents are the caller's.
    tile_asked: bool,
}

/// What executing a plan comes down to.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a small copy must not allocate")]
enum Work {
    /// Nothing to copy.
    Nothing,
    /// The normalized loops as they are.
    Few(Few),
    /// A grid of cells.
    Nest(Nest),
}

/// Bytes that one side touches, relative to its pointer to element `[0, …, 0]`.
struct Reach(Range<isize>);

impl Plan {
    /// Plans the copy `spec`.
    ///
    /// # Errors
    /// [`PlanError`] when the element size is 0, the ranks disagree or exceed 64, either side
    /// spans more than `isize::MAX` bytes, or the destination addresses a byte twice (or that
    /// cannot be ruled out within bounded work); [`PlanError::IsaUnavailable`] when the options ask
    /// for a tier that this CPU does not have; [`PlanError::NoTiles`] and [`PlanError::Tile`]
    /// when they ask for tiles that the copy cannot have.
    ///
    /// # Panics
    /// When the environment variable `RESTRIDE_ISA` names a tier that does not exist or that this
    /// CPU does not have.
    pub fn new(spec: &CopySpec, options: &PlanOptions) -> Result<Self, PlanError> {
        // Put together in place: moving a plan takes longer than making most of its parts.
        let mut plan = Self {
            elem_size: spec.elem_size,
            copy: Normalized::empty(),
            work: Work::Nothing,
            threads: options.threads,
            worth: 1,
            tile_asked: options.tile.is_some(),
        };
        plan.copy.fill(spec)?;
        plan.worth = worth(options, plan.copy.bytes);
        if !plan.copy.is_nested_in_destination() {
            refuse_self_overlap(spec)?;
        }
        let isa = tier(options)?;
        if plan.copy.bytes == 0 {
            return Ok(plan);
        }
        let stream = match options.stores {
            StorePolicy::Auto => plan.copy.bytes >= Machine::current().stream_from,
            StorePolicy::Cached => false,
            StorePolicy::Streaming => true,
        };
        // Cells cut for streaming do ordinary stores no good.
        let stream = stream && isa.streams();
        let context = Context { strategy: options.strategy, isa, stream, tile: options.tile };
        if let Some(few) = choose::few(&plan.copy, context) {
            plan.work = Work::Few(few);
            return Ok(plan);
        }
        let nest = choose::choose(&plan.copy, context);
        if let Some(asked) = options.tile {
            tiles::refuse_other_than(asked, plan.copy.run, &nest.kernel)?;
        }
        plan.work = Work::Nest(nest);
        Ok(plan)
    }

    /// Bytes of one element.
    pub fn elem_size(&self) -> usize {
        self.elem_size
    }

    /// Bytes that the plan writes (and, but for broadcasts, reads).
    pub fn bytes(&self) -> usize {
        self.copy.bytes
    }

    /// The class of the copy.
    pub fn class(&self) -> Class {
        self.pattern().class
    }

    /// The copy's pattern, with the numbers that matter for it.
    pub fn pattern(&self) -> Pattern {
        Pattern::of(&self.copy, self.elem_size)
    }

    /// The loops that are left of the copy.
    pub fn normalized(&self) -> &Normalized {
        &self.copy
    }

    /// Name of the kernel that runs on every cell, for example `transpose_u32_4x4_portable`;
    /// `none` for an empty copy.
    pub fn kernel(&self) -> &'static str {
        match &self.work {
            Work::Nothing => "none",
            Work::Few(few) => few.name,
            Work::Nest(nest) => nest.kernel.name,
        }
    }

    /// The grid and its kernel, and the bytes from the spec's pointers to those of cell 0; `None` when
    /// the normalized loops are all there is.
    #[cfg(feature = "profile")]
    pub(crate) fn nest(&self) -> Option<(&Nest, isize, isize)> {
        let Work::Nest(nest) = &self.work else { return None };
        Some((nest, self.copy.src_shift + nest.src_shift, self.copy.dst_shift + nest.dst_shift))
    }

    /// Threads the plan may use.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Cache lines and pages the copy touches on `machine`.
    ///
    /// # Panics
    /// When the machine's line or page is 0 bytes.
    pub fn traffic(&self, machine: &Machine) -> Traffic {
        Traffic::of(&self.copy, machine.line, machine.page, machine.l1d)
    }

    /// Carries the plan out.
    ///
    /// # Safety
    /// - `src` and `dst` point at element `[0, …, 0]` of either side; no alignment is asked.
    /// - Every source element is initialized (padding within it need not be) and readable, every
    ///   destination element writable, for the whole call; each side's elements belong to one
    ///   allocation. Gaps between source elements may be loaded along with them, and are dropped.
    /// - No destination element overlaps a source element.
    /// - Nobody else writes the source or touches the destination's elements meanwhile. Gaps
    ///   between destination elements are neither read nor written.
    ///
    /// An empty plan ignores both pointers, which may then be dangling.
    pub unsafe fn execute_raw(&self, src: *const u8, dst: *mut u8) {
        let copy = &self.copy;
        let src = src.wrapping_offset(copy.src_shift);
        let dst = dst.wrapping_offset(copy.dst_shift);
        // SAFETY: either visits exactly the elements of the spec, for which the caller vouches.
        unsafe {
            match &self.work {
                Work::Nothing => (),
                Work::Few(few) => few.run(copy.run, &copy.axes, src, dst),
                Work::Nest(nest) => {
                    let src = src.wrapping_offset(nest.src_shift);
                    let dst = dst.wrapping_offset(nest.dst_shift);
                    exec::run(nest, self.worth, src, dst);
                }
            }
        }
    }

    /// Carries the plan out between slices. `src_at` and `dst_at` are the elements of the slices
    /// at which element `[0, …, 0]` lies. On success every destination element is initialized;
    /// elements in the gaps between them are left as they were. An empty plan accepts any `src_at` and
    /// `dst_at`, also outside the slices.
    ///
    /// # Errors
    /// [`CopyError`] when `T` has another size than the plan's elements, either side reaches outside
    /// its slice, or a step is no whole number of elements, so that parts of two values would be
    /// joined to one ([`execute_bytes`](Self::execute_bytes) can do that); nothing is written then.
    pub fn execute<T: Copy + Send + Sync>(
        &self,
        src: &[T],
        src_at: usize,
        dst: &mut [MaybeUninit<T>],
        dst_at: usize,
    ) -> Result<(), CopyError> {
        if size_of::<T>() != self.elem_size {
            return Err(CopyError::ElementSize { plan: self.elem_size, slice: size_of::<T>() });
        }
        if self.copy.bytes == 0 {
            return Ok(());
        }
        self.whole_elements("source", size_of::<T>(), |axis| axis.src)?;
        self.whole_elements("destination", size_of::<T>(), |axis| axis.dst)?;
        Reach(self.src_reach()).check("source", src_at, src.len(), self.elem_size)?;
        Reach(self.dst_reach()).check("destination", dst_at, dst.len(), self.elem_size)?;
        let src = src.as_ptr().wrapping_add(src_at).cast::<u8>();
        let dst = dst.as_mut_ptr().wrapping_add(dst_at).cast::<u8>();
        // SAFETY: both reaches lie in their slices, which cannot overlap since one is borrowed
        // mutably; every address is an element's, and `T: Copy` values may be duplicated bytewise.
        unsafe { self.execute_raw(src, dst) };
        Ok(())
    }

    /// Carries the plan out between slices of bytes, for elements whose type is not known.
    /// `src_at` and `dst_at` are the bytes of the slices at which element `[0, …, 0]` begins.
    ///
    /// # Errors
    /// [`CopyError::OutOfReach`] (in bytes) when either side reaches outside its slice; nothing is
    /// written then.
    pub fn execute_bytes(
        &self,
        src: &[u8],
        src_at: usize,
        dst: &mut [u8],
        dst_at: usize,
    ) -> Result<(), CopyError> {
        if self.copy.bytes == 0 {
            return Ok(());
        }
        Reach(self.src_reach()).check("source", src_at, src.len(), 1)?;
        Reach(self.dst_reach()).check("destination", dst_at, dst.len(), 1)?;
        let src = src.as_ptr().wrapping_add(src_at);
        let dst = dst.as_mut_ptr().wrapping_add(dst_at);
        // SAFETY: both reaches lie in their slices, which cannot overlap since one is borrowed
        // mutably, and every bit pattern is a byte.
        unsafe { self.execute_raw(src, dst) };
        Ok(())
    }

    /// Fails when one side steps by parts of an element. A merged axis steps by multiples of the
    /// axes it was merged from, so those that are left speak for all.
    fn whole_elements(
        &self,
        side: &'static str,
        elem: usize,
        step: fn(&Axis) -> isize,
    ) -> Result<(), CopyError> {
        match self.copy.axes.iter().map(step).find(|step| step.unsigned_abs() % elem != 0) {
            Some(bytes) => Err(CopyError::PartElements { side, bytes, elem_size: elem }),
            None => Ok(()),
        }
    }

    /// The bytes the source touches, relative to its pointer.
    pub fn src_reach(&self) -> Range<isize> {
        self.copy.src_reach()
    }

    /// The bytes the destination touches, relative to its pointer.
    pub fn dst_reach(&self) -> Range<isize> {
        self.copy.dst_reach()
    }
}

impl Reach {
    fn check(
        self,
        side: &'static str,
        at: usize,
        len: usize,
        elem: usize,
    ) -> Result<(), CopyError> {
        let elem = elem as i128;
        let (first, end) = (self.0.start as i128, self.0.end as i128);
        let start = at as i128 * elem;
        if start + first >= 0 && start + end <= len as i128 * elem {
            return Ok(());
        }
        Err(CopyError::OutOfReach {
            side,
            first: at as i128 + first.div_euclid(elem),
            last: at as i128 + (end - 1).div_euclid(elem),
            len,
        })
    }
}

/// Threads that a copy of so many bytes is worth.
fn worth(options: &PlanOptions, bytes: usize) -> usize {
    let limit = match options.threads {
        Threads::Serial => return 1,
        Threads::Auto => usize::MAX,
        Threads::AtMost(n) => n,
    };
    limit.min(bytes / options.grain.max(1))
}

/// The tier to plan for.
fn tier(options: &PlanOptions) -> Result<Isa, PlanError> {
    match options.isa {
        None => Ok(Machine::current().isa),
        Some(isa) if isa.is_available() => Ok(isa),
        Some(isa) => Err(PlanError::IsaUnavailable { isa }),
    }
}

/// Refuses a destination that addresses a byte twice.
fn refuse_self_overlap(spec: &CopySpec) -> Result<(), PlanError> {
    match strided_self_overlap(&spec.shape, &spec.dst_strides, spec.elem_size) {
        Overlap::No => Ok(()),
        Overlap::Yes => Err(PlanError::DestinationOverlap { certain: true }),
        Overlap::Unknown => Err(PlanError::DestinationOverlap { certain: false }),
    }
}
