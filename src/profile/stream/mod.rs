//! The addresses that a copy reads and writes, in order. No memory is touched: addresses are
//! numbers.
//!
//! The cells of a plan come from the nest that would run. What its kernel does inside a cell is
//! described here once more, family by family, in the order and with the widths of its loads and
//! stores:
//!
//! | file         | kernels |
//! |--------------|---|
//! | `rows`       | `rows`: whole rows, also joined to one run |
//! | `units`      | `gather`, `strided`, and the loop written by hand: unit by unit |
//! | `lines`      | `fill`, `reverse`, `steps`, `interleave`: a destination line at a time |
//! | `transposed` | `transpose`: squares, strips, edges and seams |
//! | `slots`      | `transpose` and `collect` by way of slots |
//!
//! What a kernel keeps for itself is part of the stream, at a place of its own ([`Places::own`]):
//! slots and joined rows, the vectors between the halves of a square, tables of row offsets. Left out
//! are prefetches, vectors that the compiler moves to the stack for want of registers, and the second
//! load of a line that is blended from several. Line by line, families of the third row are exact; how
//! many loads take a line's bytes is not.

mod lines;
mod naive;
mod rows;
mod slots;
mod transposed;
mod units;

use core::ptr;

use crate::analysis::Normalized;
use crate::kernels::{Cell, Geometry, Kernel, LINE, Stores};
use crate::plan::Plan;

pub use naive::{dense, naive};

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its first byte.
    pub address: usize,
    /// Bytes, at least 1.
    pub bytes: usize,
    /// Which of them.
    pub kind: Kind,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A load.
    Read,
    /// An ordinary store.
    Write,
    /// A store past the caches.
    Stream,
}

/// Takes accesses.
pub trait Sink {
    /// The next one.
    fn access(&mut self, access: Access);

    /// Whether it wants no more. It may get a few hundred thousand all the same: streams end
    /// between cells, or rows.
    fn is_full(&self) -> bool {
        false
    }
}

/// Where a copy finds its memory: addresses of element `[0, …, 0]` on either side, and of what
/// the kernel keeps for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The source.
    pub src: usize,
    /// The destination.
    pub dst: usize,
    /// The first line of 4 MiB for buffers on the stack and tables of rows.
    pub own: usize,
}

/// The accesses of `plan` on one thread. Returns the bytes that it has written when it ends: all, or
/// fewer if the sink was full before.
pub fn plan(plan: &Plan, places: Places, sink: &mut impl Sink) -> u64 {
    let Some((nest, src_shift, dst_shift)) = plan.nest() else {
        return few(plan.normalized(), places, sink);
    };
    let src = ptr::without_provenance::<u8>(places.src.wrapping_add_signed(src_shift));
    let dst = ptr::without_provenance_mut::<u8>(places.dst.wrapping_add_signed(dst_shift));
    let family = Family::of(&nest.kernel);
    let mut written = 0;
    let cells = nest.cells();
    let mut next = 0;
    while next < cells && !sink.is_full() {
        let end = cells.min(next + 16);
        nest.visit(next..end, src, dst, |cell| {
            let cell = View { g: &nest.geometry, cell, own: places.own };
            family.cell(&cell, sink);
            written += (cell.cell.p * cell.cell.q * nest.geometry.unit) as u64;
        });
        next = end;
    }
    written
}

/// The accesses of `kernels::few`.
fn few(copy: &Normalized, places: Places, sink: &mut impl Sink) -> u64 {
    if copy.bytes == 0 {
        return 0;
    }
    let src = places.src.wrapping_add_signed(copy.src_shift);
    let dst = places.dst.wrapping_add_signed(copy.dst_shift);
    naive::loops(copy.run, &copy.axes, Places { src, dst, ..places }, sink)
}

/// What a kernel does inside a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Rows { stream: bool, joined: bool },
    Units,
    Lines { stream: bool },
    Transposed { lanes: usize, stream: bool },
    Slots { lanes: usize },
    Collected { lanes: usize, stream: bool },
}

impl Family {
    /// The family of `kernel`, by the first word of its name.
    fn of(kernel: &Kernel) -> Self {
        let (stream, joined) = (kernel.streams(), kernel.stores == Stores::Joined);
        let lanes = match kernel.name.rsplit('_').next() {
            Some("avx512") => 4,
            Some("avx2") => 2,
            _ => 1,
        };
        let family = kernel.name.split('_').next().unwrap_or_default();
        match family {
            "rows" => Self::Rows { stream, joined },
            "transpose" if joined => Self::Slots { lanes },
            "transpose" => Self::Transposed { lanes, stream },
            "collect" => {
                Self::Collected { lanes: if kernel.name.contains("512") { 4 } else { 2 }, stream }
            }
            "fill" | "reverse" | "steps" | "interleave" => Self::Lines { stream },
            _ => {
                debug_assert!(matches!(family, "gather" | "strided"), "{}", kernel.name);
                Self::Units
            }
        }
    }

    fn cell(self, cell: &View<'_>, sink: &mut impl Sink) {
        match self {
            Self::Rows { stream, joined: false } => rows::each(cell, stream, sink),
            Self::Rows { joined: true, .. } => rows::joined(cell, sink),
            Self::Units => units::cell(cell, sink),
            Self::Lines { stream } => lines::cell(cell, stream, sink),
            Self::Transposed { lanes, stream } => transposed::cell(cell, lanes, stream, sink),
            Self::Slots { lanes } => slots::transposed(cell, lanes, sink),
            Self::Collected { lanes, stream } => slots::collected(cell, lanes, stream, sink),
        }
    }
}

/// A cell with what is needed to find its units.
struct View<'a> {
    g: &'a Geometry,
    cell: Cell,
    own: usize,
}

/// Where the vectors between the halves of a square lie in the kernel's own memory: behind any slots.
const BETWEEN: usize = 192 << 10;
/// Where tables of source rows lie, and of destination rows.
const SRC_TABLE: usize = 1 << 20;
const DST_TABLE: usize = 5 << 19;
/// Bytes of a table's entry.
const ENTRY: usize = size_of::<isize>();

/// A place in a row of a transpose.
#[derive(Clone, Copy)]
struct Row {
    address: usize,
    /// The table's entry that tells it, where there is a table.
    entry: Option<usize>,
}

impl Row {
    fn plus(self, bytes: usize) -> Self {
        Self { address: self.address + bytes, ..self }
    }

    /// Its address, once the table's entry is read.
    fn found(self, sink: &mut impl Sink) -> usize {
        if let Some(address) = self.entry {
            sink.access(Access { address, bytes: ENTRY, kind: Kind::Read });
        }
        self.address
    }
}

impl View<'_> {
    /// Source row `i` of a transpose: unit `(i, 0)`.
    fn src_row(&self, i: usize) -> Row {
        self.row(self.cell.src.addr(), &self.g.src_rows, self.g.sp, SRC_TABLE, i)
    }

    /// Destination row `j` of a transpose: unit `(0, j)`.
    fn dst_row(&self, j: usize) -> Row {
        self.row(self.cell.dst.addr(), &self.g.dst_rows, self.g.dq, DST_TABLE, j)
    }

    /// Row `at`, by the table that lies at `place` of the kernel's own memory, or by steps.
    fn row(&self, base: usize, table: &[isize], step: isize, place: usize, at: usize) -> Row {
        let (offset, entry) = match table {
            [] => ((at as isize).wrapping_mul(step), None),
            table => (table[at], Some(self.own + place + at * ENTRY)),
        };
        Row { address: base.wrapping_add_signed(offset), entry }
    }

    /// Addresses of unit `(i, j)` on both sides, where steps alone give them.
    fn unit(&self, i: usize, j: usize) -> (usize, usize) {
        let at = |base: usize, along: isize, across: isize| {
            let (i, j) = ((i as isize).wrapping_mul(along), (j as isize).wrapping_mul(across));
            base.wrapping_add_signed(i).wrapping_add_signed(j)
        };
        let g = self.g;
        (at(self.cell.src.addr(), g.sp, g.sq), at(self.cell.dst.addr(), g.dp, g.dq))
    }
}

/// Passes on the loads or stores of `bytes` bytes from `address` on, `width` bytes each.
fn each(sink: &mut impl Sink, kind: Kind, address: usize, bytes: usize, width: usize) {
    for at in (0..bytes).step_by(width) {
        sink.access(Access { address: address + at, bytes: width.min(bytes - at), kind });
    }
}

/// Bytes from `address` to the next line.
fn to_line(address: usize) -> usize {
    address.wrapping_neg() % LINE
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::analysis::Normalized;
    use crate::plan::{CopySpec, PlanOptions, StorePolicy, Strategy};

    /// Bytes read and written.
    #[derive(Default)]
    struct Bytes {
        read: BTreeMap<usize, u32>,
        written: BTreeMap<usize, u32>,
    }

    impl Sink for Bytes {
        fn access(&mut self, access: Access) {
            let side = match access.kind {
                Kind::Read => &mut self.read,
                _ => &mut self.written,
            };
            for byte in access.address..access.address + access.bytes {
                *side.entry(byte).or_default() += 1;
            }
        }
    }

    const PLACES: Places = Places { src: 1 << 30, dst: (2 << 30) + 16, own: 3 << 30 };

    /// The bytes that the copy has to touch, by a loop over all elements.
    fn wanted(spec: &CopySpec) -> Bytes {
        let mut bytes = Bytes::default();
        naive(spec, PLACES, &mut bytes);
        bytes
    }

    /// Every strategy and kind of store must read what the naive loop reads (and no byte of the
    /// source's lines besides), and write just what it writes.
    fn check(spec: &CopySpec) {
        let wanted = wanted(spec);
        for strategy in [Strategy::Auto, Strategy::Rows, Strategy::ScalarTiles, Strategy::SimdTiles]
        {
            for stores in [StorePolicy::Cached, StorePolicy::Streaming] {
                let options = PlanOptions { strategy, stores, ..PlanOptions::serial() };
                let plan = Plan::new(spec, &options).unwrap();
                let mut bytes = Bytes::default();
                assert_eq!(super::plan(&plan, PLACES, &mut bytes), plan.bytes() as u64);
                let shared = |side: &BTreeMap<usize, u32>| -> Vec<usize> {
                    side.keys().copied().filter(|&byte| byte < PLACES.own).collect()
                };
                assert_eq!(
                    shared(&bytes.written),
                    wanted.written.keys().copied().collect::<Vec<_>>(),
                    "{plan}"
                );
                let read = shared(&bytes.read);
                assert!(wanted.read.keys().all(|byte| read.binary_search(byte).is_ok()), "{plan}");
                let line = |byte: &usize| byte / LINE;
                let mut lines: Vec<usize> = wanted.read.keys().map(line).collect();
                lines.dedup();
                assert!(read.iter().map(line).all(|l| lines.binary_search(&l).is_ok()), "{plan}");
            }
        }
    }

    #[test]
    fn streams_touch_what_copies_touch() {
        // Transposes of every unit, aligned pitches and odd ones; runs, reversals, broadcasts,
        // steps, channels, many small axes.
        for unit in [1isize, 2, 4, 8, 16, 3, 12] {
            for (h, w) in [(64, 64), (67, 131), (128, 40)] {
                let shape = [w as usize, h as usize];
                check(&CopySpec::new(unit as usize, &shape, &[unit, w * unit], &[h * unit, unit]));
            }
        }
        check(&CopySpec::new(4, &[40, 300], &[2000, 4], &[1200, 4]));
        check(&CopySpec::new(4, &[40, 300], &[1200, -4], &[1200, 4]));
        check(&CopySpec::new(4, &[40, 300], &[0, 4], &[1200, 4]));
        check(&CopySpec::new(4, &[40, 300], &[4, 0], &[1200, 4]));
        check(&CopySpec::new(4, &[40, 300], &[2400, 8], &[1200, 4]));
        check(&CopySpec::new(1, &[3, 1000], &[1, 3], &[1000, 1]));
        check(&CopySpec::new(1, &[1000, 3], &[1, 1000], &[3, 1]));
        check(&CopySpec::new(4, &[40, 30], &[4, 160], &[400, 8]));
        check(&CopySpec::new(4, &[20, 30, 32], &[128, 2560, 4], &[3840, 128, 4]));
        let strides = |from: isize| -> Vec<isize> { (0..10).map(|i| from << i).collect() };
        let (src, mut dst) = (strides(4), strides(4));
        dst.reverse();
        check(&CopySpec::new(4, &[2; 10], &src, &dst));
    }

    #[test]
    fn every_loop_reads_and_writes_as_many_bytes_as_the_copy_has() {
        let spec = CopySpec::new(4, &[40, 30], &[4, 160], &[120, 4]);
        let bytes = wanted(&spec);
        let normalized = Normalized::of(&spec).unwrap();
        assert_eq!(bytes.written.values().sum::<u32>() as usize, normalized.bytes);
        assert!(bytes.read.values().all(|&times| times == 1));
    }

    #[test]
    fn a_full_sink_ends_the_stream() {
        struct Full(usize);
        impl Sink for Full {
            fn access(&mut self, _access: Access) {
                self.0 += 1;
            }
            fn is_full(&self) -> bool {
                self.0 > 0
            }
        }
        let spec = CopySpec::new(4, &[4096, 4096], &[4, 16384], &[16384, 4]);
        let plan = Plan::new(&spec, &PlanOptions::serial()).unwrap();
        let mut sink = Full(0);
        let written = super::plan(&plan, PLACES, &mut sink);
        assert!(written > 0 && written < plan.bytes() as u64);
        assert!(naive(&spec, PLACES, &mut Full(0)) < plan.bytes() as u64);
    }
}
