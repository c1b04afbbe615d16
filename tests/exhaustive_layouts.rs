//! Every small copy, on every tier, against the oracle between guard pages: not a sample.
//!
//! Shapes of up to four axes with sizes of 0 to 9; a source whose axes lie in any order, forwards,
//! backwards or standing still, with gaps or without; a destination forwards or backwards, with gaps
//! or without. The destination's axes lie in row-major order: to exchange axes on both sides is
//! another shape, which has its turn too.
//!
//! What takes seconds runs always; `cargo test --release --test exhaustive_layouts -- --ignored`
//! runs the whole.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use restride::machine::Isa;
use restride::{CopySpec, Plan, PlanOptions, StorePolicy, oracle};
use support::guarded::{Against, Guarded};

const ELEM_SIZES: [usize; 7] = [1, 2, 3, 4, 8, 12, 16];

/// A set of copies: every combination of what is listed.
struct Every<'a> {
    rank: usize,
    sizes: &'a [usize],
    elem_sizes: &'a [usize],
    src_gaps: &'a [Gap],
    dst_gaps: &'a [Gap],
    /// Every axis of the destination either way, or all of them the same way.
    dst_signs_alone: bool,
    both_ends: bool,
}

/// What lies behind each element of an axis, and each row of it.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    None,
    Element,
    Byte,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Forwards,
    Backwards,
    /// A stride of zero.
    Still,
}

/// How one side lies in memory.
struct Side {
    /// The axes, innermost first.
    order: Vec<usize>,
    ways: Vec<Way>,
    gaps: Vec<Gap>,
}

impl Side {
    fn strides(&self, shape: &[usize], elem: usize) -> Vec<isize> {
        let mut strides = vec![0; shape.len()];
        let mut step = elem as isize;
        for &axis in &self.order {
            step += match self.gaps[axis] {
                Gap::None => 0,
                Gap::Element => elem as isize,
                Gap::Byte => 1,
            };
            strides[axis] = match self.ways[axis] {
                Way::Forwards => step,
                Way::Backwards => -step,
                Way::Still => continue,
            };
            step *= shape[axis].max(1) as isize;
        }
        strides
    }
}

/// Every list of `len` of the `choices`.
fn lists<T: Copy>(choices: &[T], len: usize) -> Vec<Vec<T>> {
    (0..len).fold(vec![Vec::new()], |lists, _| {
        let longer = |list: &Vec<T>| {
            let list = list.clone();
            choices.iter().map(move |&choice| [&list[..], &[choice]].concat())
        };
        lists.iter().flat_map(longer).collect()
    })
}

fn permutations(len: usize) -> Vec<Vec<usize>> {
    let axes: Vec<usize> = (0..len).collect();
    lists(&axes, len).into_iter().filter(|p| axes.iter().all(|axis| p.contains(axis))).collect()
}

/// Every side of the given orders, ways and gaps.
fn sides(orders: &[Vec<usize>], ways: &[Vec<Way>], gaps: &[Vec<Gap>]) -> Vec<Side> {
    let mut all = Vec::new();
    for order in orders {
        for ways in ways {
            for gaps in gaps {
                // A gap behind an axis that stands still is its neighbour's.
                let idle = |axis: &usize| ways[*axis] == Way::Still && gaps[*axis] != Gap::None;
                if !order.iter().any(idle) {
                    let (order, ways, gaps) = (order.clone(), ways.clone(), gaps.clone());
                    all.push(Side { order, ways, gaps });
                }
            }
        }
    }
    all
}

impl Every<'_> {
    /// Runs all of them and returns their number.
    fn run(&self) -> usize {
        let rank = self.rank;
        let both = [Way::Forwards, Way::Backwards];
        let any = lists(&[Way::Forwards, Way::Backwards, Way::Still], rank);
        let src_sides = sides(&permutations(rank), &any, &lists(self.src_gaps, rank));
        let dst_ways = match self.dst_signs_alone {
            true => lists(&both, rank),
            false => both.iter().map(|&way| vec![way; rank]).collect(),
        };
        let row_major = [(0..rank).rev().collect()];
        let dst_sides = sides(&row_major, &dst_ways, &lists(self.dst_gaps, rank));
        let shapes = lists(self.sizes, rank);

        let (next, cases) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let mut bench = Bench::new();
            while let Some(shape) = shapes.get(next.fetch_add(1, Ordering::Relaxed)) {
                for &elem in self.elem_sizes {
                    let strides = |sides: &[Side]| -> Vec<Vec<isize>> {
                        sides.iter().map(|side| side.strides(shape, elem)).collect()
                    };
                    let dst_strides = strides(&dst_sides);
                    for (i, src) in strides(&src_sides).iter().enumerate() {
                        for (j, dst) in dst_strides.iter().enumerate() {
                            let spec = CopySpec::new(elem, shape, src, dst);
                            if self.both_ends || (i + j) % 2 == 0 {
                                bench.check(&spec, Against::Back);
                            }
                            if self.both_ends || (i + j) % 2 == 1 {
                                bench.check(&spec, Against::Front);
                            }
                        }
                    }
                }
            }
            cases.fetch_add(bench.cases, Ordering::Relaxed);
        };
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, |n| n.get());
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            work();
            helpers.into_iter().for_each(|helper| helper.join().unwrap());
        });
        cases.into_inner()
    }
}

/// Bytes of a buffer: the largest copy, of 9^4 elements of 16 bytes with gaps, takes less.
const ROOM: usize = 512 << 10;

/// Bytes around a destination that are looked at after every copy.
const MARGIN: usize = 64;

/// Buffers that are used again and again: to map fresh ones takes longer than most copies.
struct Bench {
    /// Source and destination, against either guard page.
    front: [Guarded; 2],
    back: [Guarded; 2],
    expected: Vec<u8>,
    options: Vec<PlanOptions>,
    cases: usize,
}

impl Bench {
    fn new() -> Self {
        let [mut front, mut back] = [Against::Front, Against::Back]
            .map(|against| [Guarded::new(ROOM, against), Guarded::new(ROOM, against)]);
        for side in [&mut front[0], &mut back[0]] {
            for (at, byte) in side.bytes_mut().iter_mut().enumerate() {
                *byte = (at.wrapping_mul(0x9e37_79b9) >> 15) as u8;
            }
        }
        let tiers = Isa::ALL.into_iter().filter(|isa| isa.is_available());
        let stores = [StorePolicy::Cached, StorePolicy::Streaming];
        let options = tiers.flat_map(|isa| {
            // No store of these passes the caches by.
            let stores =
                if matches!(isa, Isa::Portable | Isa::Neon) { &stores[..1] } else { &stores };
            stores.iter().map(move |&stores| PlanOptions {
                isa: Some(isa),
                stores,
                ..PlanOptions::serial()
            })
        });
        Self { front, back, expected: vec![0; ROOM], options: options.collect(), cases: 0 }
    }

    /// Plans and carries out `spec` in every way, and compares every byte of the destination, and
    /// some around it.
    fn check(&mut self, spec: &CopySpec, against: Against) {
        self.cases += 1;
        let [src, dst] = match against {
            Against::Front => &mut self.front,
            Against::Back => &mut self.back,
        };
        let (src, dst) = (src.bytes_mut(), dst.bytes_mut());
        let mut written = None;
        for options in &self.options {
            let plan = Plan::new(spec, options).unwrap_or_else(|e| panic!("{spec:?}: {e}"));
            let (src_reach, dst_reach) = (plan.src_reach(), plan.dst_reach());
            // The elements begin, or end, where the buffer does.
            let start = |reach: &std::ops::Range<isize>| match against {
                Against::Front => -reach.start,
                Against::Back => ROOM as isize - reach.end,
            };
            let (src_at, dst_at) = (start(&src_reach), start(&dst_reach));
            let around = (dst_at + dst_reach.start) as usize..(dst_at + dst_reach.end) as usize;
            let around = around.start.saturating_sub(MARGIN)..(around.end + MARGIN).min(ROOM);
            let src = src.as_ptr().wrapping_offset(src_at);
            let expected = &mut self.expected;
            written.get_or_insert_with(|| {
                expected[around.clone()].fill(0xa5);
                // SAFETY: both buffers have room for either reach.
                unsafe { oracle::naive_copy(spec, src, expected.as_mut_ptr().offset(dst_at)) };
            });
            dst[around.clone()].fill(0xa5);
            // SAFETY: as above.
            unsafe { plan.execute_raw(src, dst.as_mut_ptr().wrapping_offset(dst_at)) };
            assert!(
                dst[around.clone()] == expected[around.clone()],
                "{spec:?}\n{options:?}\n{plan}\nagainst {against:?}"
            );
        }
    }
}

#[test]
fn every_small_copy_of_one_and_two_axes() {
    let sizes: Vec<usize> = (0..10).collect();
    let mut cases = 0;
    for rank in 0..=2 {
        cases += Every {
            rank,
            sizes: &sizes,
            elem_sizes: &ELEM_SIZES,
            src_gaps: if rank == 1 {
                &[Gap::None, Gap::Element, Gap::Byte]
            } else {
                &[Gap::None, Gap::Element]
            },
            dst_gaps: if rank == 1 {
                &[Gap::None, Gap::Element, Gap::Byte]
            } else {
                &[Gap::None, Gap::Element]
            },
            dst_signs_alone: rank == 1,
            both_ends: true,
        }
        .run();
    }
    println!("{cases} cases");
}

#[test]
fn every_copy_of_three_and_four_axes_of_some_sizes() {
    let three = Every {
        rank: 3,
        sizes: &[1, 2, 4, 9],
        elem_sizes: &ELEM_SIZES,
        src_gaps: &[Gap::None],
        dst_gaps: &[Gap::None],
        dst_signs_alone: false,
        both_ends: true,
    };
    let four = Every {
        rank: 4,
        sizes: &[2, 3, 5],
        elem_sizes: &[1, 4],
        src_gaps: &[Gap::None],
        dst_gaps: &[Gap::None],
        dst_signs_alone: false,
        both_ends: false,
    };
    println!("{} cases", three.run() + four.run());
}

#[test]
#[ignore = "takes minutes to hours"]
fn every_copy_of_up_to_four_axes() {
    let sizes: Vec<usize> = (0..10).collect();
    let gaps = [Gap::None, Gap::Element, Gap::Byte];
    for (rank, gaps, dst_signs_alone) in
        [(2, &gaps[..], true), (3, &gaps[..2], false), (4, &gaps[..1], false)]
    {
        let cases = Every {
            rank,
            sizes: &sizes,
            elem_sizes: &ELEM_SIZES,
            src_gaps: gaps,
            dst_gaps: gaps,
            dst_signs_alone,
            both_ends: rank < 4,
        }
        .run();
        println!("{cases} cases of {rank} axes");
    }
}
