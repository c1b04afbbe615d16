//! Overlap answers against brute force, and against problems too large for it.

use std::collections::HashSet;
use std::time::Instant;

use proptest::collection::vec;
use proptest::prelude::*;
use restride::layout::overlap::{Overlap, Strided, strided_self_overlap, strided_share};

/// First byte of every element.
fn starts(offset: isize, axes: &[(usize, isize)]) -> Vec<isize> {
    axes.iter().fold(vec![offset], |outer, &(size, stride)| {
        let along = |start: isize| (0..size as isize).map(move |i| start + i * stride);
        outer.into_iter().flat_map(along).collect()
    })
}

fn bytes(starts: &[isize], elem: usize) -> impl Iterator<Item = isize> + '_ {
    starts.iter().flat_map(move |&start| start..start + elem as isize)
}

fn yes_if(overlaps: bool) -> Overlap {
    if overlaps { Overlap::Yes } else { Overlap::No }
}

fn split(axes: &[(usize, isize)]) -> (Vec<usize>, Vec<isize>) {
    axes.iter().copied().unzip()
}

fn axes() -> impl Strategy<Value = Vec<(usize, isize)>> {
    vec((prop_oneof![1 => Just(0usize), 20 => 1..6usize], -40..41isize), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn self_overlap_is_exact(axes in axes(), elem in 1..6usize) {
        let (shape, strides) = split(&axes);
        let starts = starts(0, &axes);
        let mut seen = HashSet::new();
        let overlaps = bytes(&starts, elem).any(|byte| !seen.insert(byte));
        prop_assert_eq!(strided_self_overlap(&shape, &strides, elem), yes_if(overlaps));
    }

    #[test]
    fn sharing_is_exact(
        a in axes(), b in axes(), offset in -200..201isize, elems in (1..6usize, 1..6usize)
    ) {
        let seen: HashSet<_> = bytes(&starts(0, &a), elems.0).collect();
        let shares = bytes(&starts(offset, &b), elems.1).any(|byte| seen.contains(&byte));
        let ((shape_a, strides_a), (shape_b, strides_b)) = (split(&a), split(&b));
        let a = Strided { offset: 0, shape: &shape_a, strides: &strides_a, elem: elems.0 };
        let b = Strided { offset, shape: &shape_b, strides: &strides_b, elem: elems.1 };
        prop_assert_eq!(strided_share(a, b), yes_if(shares));
        prop_assert_eq!(strided_share(b, a), yes_if(shares));
    }

    #[test]
    fn any_numbers_get_an_answer(
        shape in vec(any::<usize>(), 0..6),
        strides in vec(any::<isize>(), 6),
        other in vec(any::<isize>(), 6),
        offset in any::<isize>(),
        elem in any::<usize>(),
    ) {
        strided_self_overlap(&shape, &strides[..shape.len()], elem);
        let side = |offset, strides: &'static [isize]| Strided { offset, shape: &[], strides, elem };
        strided_share(side(0, &[]), side(offset, &[]));
        strided_share(
            Strided { offset: 0, shape: &shape, strides: &strides[..shape.len()], elem },
            Strided { offset, shape: &shape, strides: &other[..shape.len()], elem: 1 },
        );
    }
}

#[test]
fn two_long_coprime_axes_are_decided_exactly() {
    // x * 1_000_003 = y * 999_983 first at x = 999_983, y = 1_000_003.
    let strides = [1_000_003, 999_983];
    assert_eq!(strided_self_overlap(&[999_983, 1_000_003], &strides, 1), Overlap::No);
    assert_eq!(strided_self_overlap(&[999_984, 1_000_003], &strides, 1), Overlap::No);
    assert_eq!(strided_self_overlap(&[999_984, 1_000_004], &strides, 1), Overlap::Yes);
}

#[test]
fn interleaved_sub_blocks_of_a_large_array_share_nothing() {
    let block = |offset| Strided {
        offset,
        shape: &[1000, 512, 256],
        strides: &[4 << 20, 8 << 10, 8],
        elem: 4,
    };
    assert_eq!(strided_share(block(0), block(4)), Overlap::No);
    assert_eq!(strided_share(block(0), block(4 << 10)), Overlap::No);
    assert_eq!(strided_share(block(0), block((4 << 10) + 4)), Overlap::No);
    assert_eq!(strided_share(block(0), block(8 << 10)), Overlap::Yes);
}

#[test]
fn hard_problems_end_within_bounded_work() {
    // Subset-sum in disguise: many axes of size 2 with unrelated strides.
    let mut state = 1u64;
    let strides: Vec<isize> = (0..40)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 8) as isize
        })
        .collect();
    let begin = Instant::now();
    strided_self_overlap(&[2; 40], &strides, 1);
    let whole = Strided { offset: 0, shape: &[2; 40], strides: &strides, elem: 1 };
    strided_share(whole, Strided { offset: 12_345, ..whole });
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}
