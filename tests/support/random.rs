//! Random copies, each run on guarded buffers and compared byte by byte with the oracle.

use proptest::prelude::*;
use restride::{CopySpec, Plan, PlanOptions, oracle};

use super::guarded::{Against, Guarded};

/// Byte offsets of the lowest and one past the highest byte of one side.
fn reach(shape: &[usize], strides: &[isize], elem: usize) -> (isize, isize) {
    if shape.contains(&0) {
        return (0, 0);
    }
    let mut reach = (0, elem as isize);
    for (&len, &stride) in shape.iter().zip(strides) {
        if len > 1 {
            let step = stride * (len - 1) as isize;
            if step < 0 { reach.0 += step } else { reach.1 += step }
        }
    }
    reach
}

/// Bytes that never repeat within a few thousand elements, so that a misplaced one shows.
fn pattern(bytes: &mut [u8], salt: u64) {
    let mut state = salt | 1;
    for chunk in bytes.chunks_mut(8) {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let word = (state ^ (state >> 29)).to_le_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
}

/// Plans and executes `spec` under each of `options` and checks every byte of the destination,
/// gaps included, against the oracle. The buffers are exactly as long as what the copy may touch
/// and lie against the guard page named by `against`, but for `shift` bytes in between on the
/// destination's side, which may not be touched either.
pub fn check(
    spec: &CopySpec,
    options: &[PlanOptions],
    against: Against,
    shift: usize,
) -> Vec<Plan> {
    let src_reach = reach(&spec.shape, &spec.src_strides, spec.elem_size);
    let dst_reach = reach(&spec.shape, &spec.dst_strides, spec.elem_size);
    let mut src = Guarded::new((src_reach.1 - src_reach.0) as usize, against);
    let mut dst = Guarded::new((dst_reach.1 - dst_reach.0) as usize + shift, against);
    // Element [0, …, 0] of the destination, counted from the buffer's first byte.
    let dst_at = if against == Against::Front { shift } else { 0 } as isize - dst_reach.0;
    pattern(src.bytes_mut(), 0x5eed);
    pattern(dst.bytes_mut(), 0xdead);
    let poison = dst.bytes().to_vec();
    let mut expected = poison.clone();
    let src_at = src.bytes().as_ptr().wrapping_offset(-src_reach.0);
    // SAFETY: the buffers cover both reaches exactly.
    unsafe {
        oracle::naive_copy(spec, src_at, expected.as_mut_ptr().wrapping_offset(dst_at));
    }

    let mut plans = Vec::new();
    for options in options {
        let plan = Plan::new(spec, options).unwrap_or_else(|e| panic!("{spec:?}: {e}"));
        dst.bytes_mut().copy_from_slice(&poison);
        // SAFETY: the buffers cover both reaches exactly.
        unsafe {
            plan.execute_raw(src_at, dst.bytes_mut().as_mut_ptr().wrapping_offset(dst_at));
        }
        if expected != dst.bytes() {
            let at = (0..expected.len()).find(|&i| expected[i] != dst.bytes()[i]);
            panic!("byte {at:?} of {} differs\n{spec:?}\n{options:?}\n{plan}", expected.len());
        }
        plans.push(plan);
    }
    plans
}

/// Element sizes with kernels of their own, and some without.
pub fn elem_size() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => prop::sample::select(vec![1usize, 2, 4, 8, 16]),
        1 => prop::sample::select(vec![3usize, 5, 6, 7, 10, 12, 20, 24, 32, 48, 65, 100]),
    ]
}

/// A copy of any pattern: a permuted, padded, stepped, reversed, broadcast or windowed source, a
/// permuted, padded or reversed destination.
pub fn copy_spec() -> impl Strategy<Value = CopySpec> {
    (shape(), elem_size()).prop_flat_map(|(shape, elem)| {
        let rank = shape.len();
        (
            Just((shape, elem)),
            side(rank),
            side(rank),
            prop::collection::vec(prop_oneof![8 => Just(false), 1 => Just(true)], rank),
            any::<bool>(),
        )
            .prop_map(|((shape, elem), src, dst, broadcast, some_broadcast)| {
                let mut src_strides = src.strides(&shape, elem);
                let dst_strides = dst.strides(&shape, elem);
                for (stride, broadcast) in src_strides.iter_mut().zip(broadcast) {
                    if broadcast && some_broadcast {
                        *stride = 0;
                    }
                }
                CopySpec::new(elem, &shape, &src_strides, &dst_strides)
            })
    })
}

/// A long axis and a short one, one of them innermost on either side, as in interleaved channels;
/// or a long axis whose elements are a small step apart, in either direction.
pub fn interleaved_spec() -> impl Strategy<Value = CopySpec> {
    let long = prop_oneof![1usize..=150, 150usize..=3000];
    let gap = prop_oneof![3 => Just(0usize), 1 => 1usize..=2];
    (elem_size(), long, 1usize..=17, gap, any::<[bool; 4]>(), 0usize..=70).prop_map(
        |(elem, n, k, gap, [channels_last, interleaves, backward, byte_pitch], padding)| {
            let e = elem as isize;
            let pitch = (k + gap) as isize * e;
            let sign = if backward { -1 } else { 1 };
            let plane = n as isize * e + if byte_pitch { padding as isize } else { 0 };
            if !channels_last {
                return CopySpec::new(elem, &[n], &[sign * pitch], &[e]);
            }
            let (interleaved, planes) = ([pitch, e], [sign * e, plane]);
            if interleaves {
                CopySpec::new(elem, &[n, k], &planes, &interleaved)
            } else {
                CopySpec::new(elem, &[n, k], &[sign * pitch, e], &[e, plane])
            }
        },
    )
}

/// A permuted copy between dense sides, with sizes that often make rows whole cache lines: what
/// streams, and so depends on where in a line the destination begins.
pub fn lined_spec() -> impl Strategy<Value = CopySpec> {
    let size = prop::sample::select(vec![2usize, 3, 4, 8, 15, 16, 32, 40, 48, 64, 80, 128, 200]);
    let elem = prop::sample::select(vec![1usize, 2, 4, 8, 16]);
    (prop::collection::vec(size, 2..=5), elem)
        .prop_filter("few elements", |(shape, _)| shape.iter().product::<usize>() <= 70_000)
        .prop_flat_map(|(shape, elem)| {
            let order = prop::collection::vec(any::<u32>(), shape.len());
            (Just(shape), Just(elem), order)
        })
        .prop_map(|(shape, elem, order)| {
            let rank = shape.len();
            let dense = |order: Vec<u32>| Side {
                order,
                gaps: vec![0; rank],
                backward: vec![false; rank],
                gap_unit_is_a_byte: false,
            };
            let src = dense(order).strides(&shape, elem);
            CopySpec::new(elem, &shape, &src, &dense(vec![0; rank]).strides(&shape, elem))
        })
}

/// Shapes of at most about a hundred thousand elements: many small axes, or few larger ones.
fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        3 => prop::collection::vec(0usize..=9, 0..=4),
        3 => prop::collection::vec(1usize..=40, 1..=3),
        3 => (1usize..=300, 1usize..=300).prop_map(|(a, b)| vec![a, b]),
        1 => (1usize..=3, 1usize..=3000, 1usize..=12).prop_map(|(a, b, c)| vec![a, b, c]),
        2 => prop::collection::vec(2usize..=3, 5..=9),
    ]
}

/// How one side lies in memory.
#[derive(Clone, Debug)]
struct Side {
    /// Order of the axes in memory, as sort keys.
    order: Vec<u32>,
    /// Gap behind each axis, in elements or (odd layouts) bytes.
    gaps: Vec<usize>,
    backward: Vec<bool>,
    gap_unit_is_a_byte: bool,
}

fn side(rank: usize) -> impl Strategy<Value = Side> {
    let gap = prop_oneof![6 => Just(0usize), 1 => 1usize..=3, 1 => Just(61usize)];
    let backward = prop_oneof![6 => Just(false), 1 => Just(true)];
    (
        prop::collection::vec(prop_oneof![Just(0u32), any::<u32>()], rank),
        prop::collection::vec(gap, rank),
        prop::collection::vec(backward, rank),
        prop_oneof![8 => Just(false), 1 => Just(true)],
    )
        .prop_map(|(order, gaps, backward, gap_unit_is_a_byte)| Side {
            order,
            gaps,
            backward,
            gap_unit_is_a_byte,
        })
}

impl Side {
    fn strides(&self, shape: &[usize], elem: usize) -> Vec<isize> {
        let mut axes: Vec<usize> = (0..shape.len()).rev().collect();
        axes.sort_by_key(|&axis| self.order[axis]); // stable: equal keys stay row-major
        let mut strides = vec![0isize; shape.len()];
        let mut step = elem;
        for axis in axes {
            step += self.gaps[axis] * if self.gap_unit_is_a_byte { 1 } else { elem };
            strides[axis] = if self.backward[axis] { -(step as isize) } else { step as isize };
            step *= shape[axis].max(1);
        }
        strides
    }
}
