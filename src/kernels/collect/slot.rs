//! What waits for its line.
//!
//! ```text
//!              slot of one destination row
//!            [ kept      | came in    |            |            ]
//!  phase ─────────┘[ a whole line ][ a whole line ][ a whole line ]
//! ```
//!
//! A slot keeps the line's worth of bytes that came last, and takes in a step behind it. As many lines
//! of the destination are complete then, and are stored, past the caches if they stream, when the next
//! step comes in: right after the many small stores that made them, the core would have to wait for
//! those.

use core::mem::MaybeUninit;

use crate::kernels::tier::{Tier, copy_line};
use crate::kernels::{Cell, Geometry, LINE};

/// Source rows of a step, at least. More of them side by side are more than a prefetcher follows.
const LEAST_ROWS: usize = 8;

/// What a step brings to a destination row: the units of `rows` source rows, which make up `lines`
/// lines.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub rows: usize,
    pub lines: usize,
}

impl Step {
    /// The step for units of `unit` bytes.
    pub const fn new(unit: usize) -> Self {
        // The fewest units that fill lines: a line has 2⁶ bytes.
        let fewest = match unit.trailing_zeros() {
            zeros @ 0..6 => LINE >> zeros,
            _ => 1,
        };
        let rows = LEAST_ROWS.next_multiple_of(fewest);
        Self { rows, lines: rows * unit / LINE }
    }

    /// Bytes of a slot: the line that is kept, the step, and a line for what a store of a whole vector
    /// reaches beyond it.
    pub const fn slot(self) -> usize {
        (self.lines + 2) * LINE
    }
}

/// The slots of a cell.
#[repr(align(64))]
pub(super) struct Slots(MaybeUninit<[u8; Slots::BYTES]>);

impl Slots {
    /// Bytes of all, which stay in the level-2 cache.
    pub const BYTES: usize = 256 << 10;

    #[inline(always)]
    pub fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// The slot of column `j`.
    #[inline(always)]
    pub fn at(&mut self, j: usize, step: Step) -> *mut u8 {
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(j * step.slot())
    }
}

/// The slot at `at` of the destination row at `row`.
pub(super) struct Slot {
    at: *mut u8,
    row: *mut u8,
}

impl Slot {
    /// The slot of column `j` of a cell.
    #[inline(always)]
    pub fn of(slots: &mut Slots, step: Step, g: &Geometry, cell: &Cell, j: usize) -> Self {
        Self { at: slots.at(j, step), row: cell.dst.wrapping_offset(j as isize * g.dq) }
    }

    /// Makes room in a slot that has seen `turns` steps: stores what is complete, and moves the last
    /// line's worth to the front.
    ///
    /// # Safety
    /// The tier's features are there; the slot's row is writable for as many steps.
    #[inline(always)]
    pub unsafe fn advance<T: Tier, const STREAM: bool>(
        self,
        turns: usize,
        Step { lines, .. }: Step,
    ) {
        let Self { at, row } = self;
        let head = row.align_offset(LINE);
        // SAFETY: the slot holds the last step, and a line's worth before it if there were two.
        unsafe {
            let whole = match turns {
                0 => return,
                1 => {
                    at.add(LINE).copy_to_nonoverlapping(row, head);
                    1..lines
                }
                _ => 0..lines,
            };
            // Where the line that is kept has its place in the row.
            let kept = row.wrapping_add((turns - 1) * lines * LINE).wrapping_sub(LINE);
            for line in whole {
                let within = head + line * LINE;
                copy_line::<T, STREAM>(at.add(within), kept.wrapping_add(within));
            }
            copy_line::<T, false>(at.add(lines * LINE), at);
        }
    }

    /// Stores what is left in the slot of a row of `bytes` bytes, of which those before byte `before`
    /// had come when it last made room.
    ///
    /// # Safety
    /// The tier's features are there; the row's bytes are writable.
    #[inline(always)]
    pub unsafe fn finish<T: Tier, const STREAM: bool>(self, before: usize, bytes: usize) {
        let Self { at, row } = self;
        let head = row.align_offset(LINE);
        // SAFETY: byte `before` of the row lies behind the line that is kept.
        unsafe {
            let from = at.add(LINE).wrapping_sub(before);
            let mut done = match before {
                0 => {
                    let head = head.min(bytes);
                    from.copy_to_nonoverlapping(row, head);
                    head
                }
                _ => before - LINE + head,
            };
            while bytes - done >= LINE {
                copy_line::<T, STREAM>(from.wrapping_add(done), row.add(done));
                done += LINE;
            }
            from.wrapping_add(done).copy_to_nonoverlapping(row.add(done), bytes - done);
        }
    }
}
