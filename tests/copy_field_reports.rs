//! Faults that users reported against other libraries' copies, as tests of this one's. Each is
//! named by what it shows, and sweeps the kind of fault rather than the one case.

mod support;

use restride::layout::MemoryFormat;
use restride::machine::Isa;
use restride::{
    CopyError, CopySpec, Layout, Plan, PlanOptions, StorePolicy, Strategy, View, ViewMut,
    contiguous, copy,
};
use support::guarded::Against;
use support::random::check;

/// Sizes of elements with kernels of their own, of records and of colours.
const ELEMENT_SIZES: [usize; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 48, 65];

fn parts(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> Layout {
    Layout::from_parts(shape, strides, offset, len).unwrap()
}

fn dense(shape: &[usize]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn upto(end: usize) -> Vec<u64> {
    (0..end as u64).collect()
}

fn matrix(rows: usize, columns: usize, elem: usize, src: [usize; 2], dst: [usize; 2]) -> CopySpec {
    let strides = |bytes: [usize; 2]| bytes.map(|bytes| bytes as isize);
    CopySpec::new(elem, &[rows, columns], &strides(src), &strides(dst))
}

/// The instruction-set tiers of this machine.
fn tiers() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

/// Copies storage elements that hold their own number from `src` to `dst`, into a storage of
/// `len` elements, and checks every element of it, gaps included.
#[track_caller]
fn copies_exactly(src: &Layout, dst: &Layout, len: usize) {
    let data = upto(src.required_len());
    let mut written = vec![u64::MAX; len];
    let mut expected = written.clone();
    for (from, to) in src.storage_order().zip(dst.storage_order()) {
        expected[to] = data[from];
    }
    let view = View::new(src.clone(), &data).unwrap();
    copy(&view, ViewMut::new(dst.clone(), &mut written).unwrap()).unwrap();
    assert!(written == expected, "{src:?} to {dst:?}");
}

mod both_sides_decide {
    use super::*;

    #[test]
    fn a_dense_column_is_spread_over_a_pitched_destination() {
        let column = dense(&[4, 1]);
        copies_exactly(&column, &parts(&[4, 1], &[16, 1], 5, 64), 64);
        for pitch in [1, 2, 3, 7, 16, 61] {
            copies_exactly(&dense(&[9]), &parts(&[9], &[pitch], 5, 600), 600);
            copies_exactly(&parts(&[9], &[pitch], 5, 600), &dense(&[9]), 9);
        }
    }

    #[test]
    fn batches_padded_on_both_sides_are_reordered() {
        let src = parts(&[3, 4, 5], &[40, 5, 1], 0, 100).permute(&[0, 2, 1]).unwrap();
        copies_exactly(&src, &parts(&[3, 5, 4], &[64, 4, 1], 0, 150), 150);
        for (src_pad, dst_pad) in [(0, 0), (0, 9), (9, 0), (3, 17)] {
            let src = parts(&[3, 40, 50], &[2000 + src_pad, 50, 1], 0, 8000);
            let dst = parts(&[3, 50, 40], &[2000 + dst_pad, 40, 1], 0, 8000);
            copies_exactly(&src.permute(&[0, 2, 1]).unwrap(), &dst, 8000);
        }
    }

    #[test]
    fn sub_matrices_keep_their_outer_pitch_and_offset() {
        let src = parts(&[5, 7], &[16, 1], 3, 80).permute(&[1, 0]).unwrap();
        copies_exactly(&src, &parts(&[7, 5], &[12, 1], 4, 96), 96);
        for (rows, columns) in [(1, 1), (2, 31), (31, 2), (5, 7), (33, 35), (64, 64), (17, 130)] {
            let src = parts(&[rows, columns], &[140, 1], 3, 10_000);
            let dst = parts(&[columns, rows], &[70, 1], 4, 10_000);
            copies_exactly(&src.t(), &dst, 10_000);
        }
    }

    #[test]
    fn sub_tensors_of_higher_rank_are_cut_out_and_put_in() {
        let outer = dense(&[6, 7, 8, 9]);
        let inner = outer.narrow(0, 1, 4).unwrap().narrow(1, 2, 3).unwrap();
        let inner = inner.narrow(2, 3, 5).unwrap().narrow(3, 1, 6).unwrap();
        for axes in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1], [0, 2, 1, 3]] {
            let src = inner.permute(&axes).unwrap();
            copies_exactly(&src, &dense(src.shape()), src.numel());
            let wider: Vec<usize> = src.shape().iter().map(|size| size + 2).collect();
            let mut dst = dense(&wider);
            for (axis, &size) in src.shape().iter().enumerate() {
                dst = dst.narrow(axis as isize, 1, size as isize).unwrap();
            }
            copies_exactly(&src, &dst, wider.iter().product());
        }
    }

    #[test]
    fn a_destination_whose_rows_interleave_is_filled() {
        copies_exactly(&dense(&[3, 5]), &parts(&[3, 5], &[2, 3], 0, 17), 17);
        copies_exactly(&dense(&[2, 50]), &parts(&[2, 50], &[1, 2], 0, 100), 100);
        copies_exactly(&dense(&[50, 7]), &parts(&[50, 7], &[7, 51], 0, 650), 650);
    }

    #[test]
    fn a_unit_axis_does_not_disturb_the_order_a_copy_keeps() {
        let gappy = parts(&[2, 1, 3], &[4, 999, 1], 0, 7);
        copies_exactly(&gappy, &gappy.dense_in(MemoryFormat::Preserve).unwrap(), 6);
        let transposed = parts(&[3, 1, 2], &[1, 999, 4], 0, 7);
        copies_exactly(&transposed, &transposed.dense_in(MemoryFormat::Preserve).unwrap(), 6);
    }

    #[test]
    fn one_pixel_images_copy_alike_into_either_order() {
        let image = parts(&[8, 16, 1, 1], &[16, 1, 1, 1], 0, 128);
        for format in [MemoryFormat::Contiguous, MemoryFormat::ChannelsLast] {
            copies_exactly(&image, &image.dense_in(format).unwrap(), 128);
        }
    }
}

mod reads {
    use super::*;

    #[test]
    fn windows_that_overlap_in_the_source_are_read_right() {
        let windows = parts(&[1, 9, 4], &[12, 1, 1], 0, 12);
        let expected: Vec<u64> = (0..9).flat_map(|start| start..start + 4).collect();
        assert_eq!(contiguous(&windows, &upto(12)).unwrap(), expected);
        for (size, step) in [(2, 1), (4, 1), (16, 1), (33, 1), (16, 5), (3, 2)] {
            let windows = dense(&[600]).unfold(0, size, step).unwrap();
            copies_exactly(&windows, &dense(windows.shape()), windows.numel());
            let across = windows.t();
            copies_exactly(&across, &dense(across.shape()), across.numel());
        }
    }

    #[test]
    fn transposed_bytes_use_the_sources_own_pitch() {
        let data: Vec<u8> = (0..8192u32).map(|i| (i ^ (i >> 5)) as u8).collect();
        let packed = contiguous(&dense(&[256, 32]).t(), &data).unwrap();
        for j in 0..32 {
            for i in 0..256 {
                assert_eq!(packed[j * 256 + i], data[i * 32 + j]);
            }
        }
    }

    #[test]
    fn many_small_axes_in_reverse_order_are_copied_by_value() {
        let axes = |rank: isize| (0..rank).rev().collect::<Vec<_>>();
        for (size, rank) in [(2, 16), (3, 10), (10, 4)] {
            let all = dense(&vec![size; rank as usize]).permute(&axes(rank)).unwrap();
            copies_exactly(&all, &dense(all.shape()), all.numel());
        }
    }

    #[test]
    fn flips_of_every_axis_are_copied_by_value() {
        let image = dense(&[31, 45, 3]);
        for axes in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
            let flipped = image.flip(axes).unwrap();
            copies_exactly(&flipped, &dense(flipped.shape()), flipped.numel());
            let planes = flipped.permute(&[2, 0, 1]).unwrap();
            copies_exactly(&planes, &dense(planes.shape()), planes.numel());
        }
    }

    #[test]
    fn numbers_beyond_32_bits_are_planned_exactly() {
        let pitch = 4 * ((1isize << 32) + 1);
        let spec = CopySpec::new(4, &[3, 2], &[4, pitch], &[8, 4]);
        let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
        assert_eq!(plan.src_reach(), 0..pitch + 12);
        let spec = CopySpec::new(2, &[33_554_432, 128], &[256, 2], &[256, 2]);
        let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
        assert_eq!((plan.bytes(), plan.dst_reach()), (1 << 33, 0..1 << 33));
        let spec = CopySpec::new(1, &[2, 1 << 55], &[1, 2], &[1 << 55, 1]);
        let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
        assert_eq!((plan.bytes(), plan.dst_reach()), (1 << 56, 0..1 << 56));
    }

    #[test]
    fn values_with_pointers_and_padding_arrive_usable() {
        let words: Vec<&str> = "one two three four five six".split(' ').collect();
        let turned = contiguous(&dense(&[2, 3]).t(), &words).unwrap();
        assert_eq!(turned, ["one", "four", "two", "five", "three", "six"]);
        let padded: Vec<(u8, u32)> = (0..600).map(|i| (i as u8, i)).collect();
        let turned = contiguous(&dense(&[20, 30]).t(), &padded).unwrap();
        assert!((0..600).all(|i| turned[i] == padded[i % 20 * 30 + i / 20]));
    }
}

mod sizes_and_alignment {
    use super::*;

    #[test]
    fn small_transposes_are_exact_at_every_size_and_element() {
        let mut all: Vec<PlanOptions> =
            tiers().map(|isa| PlanOptions { isa: Some(isa), ..PlanOptions::serial() }).collect();
        for strategy in [Strategy::Rows, Strategy::ScalarTiles] {
            all.push(PlanOptions { strategy, ..PlanOptions::serial() });
        }
        for elem in ELEMENT_SIZES {
            for rows in 1..=20 {
                for columns in 1..=20 {
                    let src = [elem, elem * rows];
                    let spec = matrix(rows, columns, elem, src, [elem * columns, elem]);
                    let end = if rows % 2 == 0 { Against::Front } else { Against::Back };
                    check(&spec, &all, end, 0);
                }
            }
        }
    }

    #[test]
    fn tall_and_wide_transposes_end_where_their_buffers_end() {
        for (rows, columns) in [(3, 125), (125, 3), (1, 300), (300, 1), (16, 257), (513, 17)] {
            for elem in ELEMENT_SIZES {
                let spec = matrix(rows, columns, elem, [elem, elem * rows], [elem * columns, elem]);
                check(&spec, &[PlanOptions::default()], Against::Back, 0);
                check(&spec, &[PlanOptions::default()], Against::Front, 0);
            }
        }
    }

    #[test]
    fn elements_without_an_integer_type_are_moved_whole() {
        fn transposed<const N: usize>() {
            let item = |i: usize| std::array::from_fn(|byte| (i * 31 + byte * 7) as u8);
            let items: Vec<[u8; N]> = (0..35).map(item).collect();
            let result = contiguous(&dense(&[7, 5]).t(), &items).unwrap();
            let expected: Vec<[u8; N]> = (0..35).map(|i| items[i % 7 * 5 + i / 7]).collect();
            assert_eq!(result, expected, "{N} bytes");
        }
        transposed::<3>();
        transposed::<5>();
        transposed::<6>();
        transposed::<7>();
        transposed::<9>();
        transposed::<10>();
        transposed::<12>();
        transposed::<20>();
        transposed::<24>();
        transposed::<48>();
        transposed::<1000>();
    }

    #[test]
    fn pairs_aligned_to_half_their_size_are_moved_whole() {
        let numbers: Vec<f32> = (0..403).map(|i| i as f32).collect();
        for first in 0..3 {
            let (pairs, _) = numbers[first..].as_chunks::<2>();
            let every_other = contiguous(&parts(&[100], &[2], 0, 199), pairs).unwrap();
            assert!((0..100).all(|i| every_other[i] == pairs[2 * i]));
            let swapped = contiguous(&dense(&[10, 20]).t(), pairs).unwrap();
            assert!((0..200).all(|i| swapped[i] == pairs[i % 10 * 20 + i / 10]));
        }
    }

    #[test]
    fn odd_pitches_and_offsets_promise_no_alignment() {
        let src = parts(&[64, 64], &[65, 1], 1, 4161).permute(&[1, 0]).unwrap();
        copies_exactly(&src, &parts(&[64, 64], &[64, 1], 1, 4097), 4097);
        for offset in 0..9 {
            for pitch in 64..=73 {
                let src = parts(&[64, 64], &[pitch, 1], offset, 5000).t();
                copies_exactly(&src, &parts(&[64, 64], &[137 - pitch, 1], 9 - offset, 5000), 5000);
            }
        }
    }

    /// Executes `plan`, of a transpose of rows × columns elements with the given pitches, from byte
    /// `at` to byte `dst_at`, and checks every byte of the destination's buffer.
    #[track_caller]
    fn transposes(plan: &Plan, [rows, columns]: [usize; 2], pitches: [usize; 2], at: [usize; 2]) {
        let elem = plan.elem_size();
        let src: Vec<u8> = (0..pitches[0] * columns + 64).map(|i| ((i * 7) >> 3) as u8).collect();
        let mut dst = vec![0xaa; pitches[1] * rows + 64];
        let mut expected = dst.clone();
        for i in 0..rows {
            for j in 0..columns {
                let from = at[0] + i * elem + j * pitches[0];
                let to = at[1] + i * pitches[1] + j * elem;
                expected[to..to + elem].copy_from_slice(&src[from..from + elem]);
            }
        }
        plan.execute_bytes(&src, at[0], &mut dst, at[1]).unwrap();
        assert!(dst == expected, "{rows} x {columns} from {at:?}, pitches {pitches:?}: {plan}");
    }

    #[test]
    fn bases_at_every_byte_of_a_line_are_served() {
        let (rows, columns) = (37, 29);
        for elem in [1, 2, 3, 4, 8, 12, 16] {
            let pitches = [elem * rows + 1, elem * columns + 3];
            let spec = matrix(rows, columns, elem, [elem, pitches[0]], [pitches[1], elem]);
            let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
            for at in 0..64 {
                transposes(&plan, [rows, columns], pitches, [at, (at * 5 + 3) % 64]);
            }
        }
    }

    #[test]
    fn rows_of_whole_lines_may_begin_anywhere_in_a_line() {
        for isa in tiers() {
            let stores = StorePolicy::Streaming;
            let options = PlanOptions { stores, isa: Some(isa), ..PlanOptions::serial() };
            for elem in [1usize, 2, 4, 8, 16] {
                for columns in (1..=160 / elem).chain([600, 1100]) {
                    let rows = if columns > 500 { 40 } else { 1 + columns % 35 };
                    let pitches = [elem * rows, (elem * columns).next_multiple_of(64)];
                    let spec = matrix(rows, columns, elem, [elem, pitches[0]], [pitches[1], elem]);
                    let plan = Plan::new(&spec, &options).unwrap();
                    for unit in 0..64 / elem {
                        transposes(&plan, [rows, columns], pitches, [unit, unit * elem]);
                    }
                }
            }
        }
    }
}

mod packed_records {
    use super::*;

    #[test]
    fn a_field_whose_pitch_is_no_multiple_of_its_size_is_read_byte_for_byte() {
        let records: Vec<u8> = (0..54).collect();
        let expected: Vec<u8> = (0..6).flat_map(|r| 9 * r + 1..9 * r + 9).collect();
        let spec = CopySpec::new(8, &[6], &[9], &[8]);
        let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
        let mut field = [0; 48];
        plan.execute_bytes(&records, 1, &mut field, 0).unwrap();
        assert_eq!(field[..], expected);
        assert_eq!(contiguous(&parts(&[6, 8], &[9, 1], 1, 54), &records).unwrap(), expected);
    }

    #[test]
    fn fields_of_any_size_are_taken_out_and_put_back() {
        for (record, at, size) in [(9, 1, 8), (13, 1, 12), (5, 1, 4), (3, 1, 2), (17, 1, 16)] {
            let records: Vec<u8> = (0..record * 300).map(|i| ((i * 11) >> 2) as u8).collect();
            let take = CopySpec::new(
                size,
                &[20, 15],
                &[record as isize, 20 * record as isize],
                &[15 * size as isize, size as isize],
            );
            let put = CopySpec { src_strides: take.dst_strides.clone(), ..take.clone() };
            let put = CopySpec { dst_strides: take.src_strides.clone(), ..put };
            let mut field = vec![0; size * 300];
            let take = Plan::new(&take, &PlanOptions::default()).unwrap();
            take.execute_bytes(&records, at, &mut field, 0).unwrap();
            for i in 0..300 {
                let from = (i / 15 + i % 15 * 20) * record + at;
                assert_eq!(field[i * size..][..size], records[from..][..size], "{record} {i}");
            }
            let mut blank = vec![0xaa; records.len()];
            let put = Plan::new(&put, &PlanOptions::default()).unwrap();
            put.execute_bytes(&field, 0, &mut blank, at).unwrap();
            for (i, (&back, &byte)) in blank.iter().zip(&records).enumerate() {
                let in_field = (at..at + size).contains(&(i % record));
                assert_eq!(back, if in_field { byte } else { 0xaa }, "{record} {i}");
            }
        }
    }

    #[test]
    fn typed_slices_refuse_steps_that_would_join_parts_of_two_values() {
        let (words, mut out) = ([0u64; 8], [const { std::mem::MaybeUninit::uninit() }; 8]);
        for (src, dst, side) in [(9, 8, "source"), (8, 9, "destination"), (-12, 8, "source")] {
            let spec = CopySpec::new(8, &[3], &[src], &[dst]);
            let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
            let error = plan.execute(&words, 3, &mut out, 0).unwrap_err();
            let CopyError::PartElements { side: which, elem_size: 8, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(which, side);
        }
    }
}
