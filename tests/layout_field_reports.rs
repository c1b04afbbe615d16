//! Faults that users reported against other libraries, as tests of the layout algebra. Each is
//! named by what it shows.

use restride::error::ErrorKind;
use restride::layout::overlap::{Overlap, Strided, self_overlap, share_element, strided_share};
use restride::layout::{IndexItem, Layout, MemoryFormat, Reshaped};
use restride::{CopySpec, LayoutError, contiguous};

fn parts(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> Layout {
    Layout::from_parts(shape, strides, offset, len).unwrap()
}

/// The values of a dense copy of `layout`, made from a storage of `len` elements that holds its
/// own index.
fn copied(layout: &Layout, len: usize) -> Vec<u64> {
    let storage: Vec<u64> = (0..len as u64).collect();
    contiguous(layout, &storage).unwrap()
}

fn order(layout: &Layout) -> Vec<usize> {
    layout.storage_order().collect()
}

fn upto(end: u64) -> Vec<u64> {
    (0..end).collect()
}

fn kind<T: std::fmt::Debug>(result: Result<T, LayoutError>) -> ErrorKind {
    result.unwrap_err().kind()
}

mod unit_axes {
    use super::*;

    #[test]
    fn stale_stride_of_a_swapped_unit_axis_decides_nothing() {
        let swapped = Layout::contiguous(&[1, 2, 3, 4, 5]).unwrap().transpose(0, 1).unwrap();
        assert_eq!(swapped.shape(), [2, 1, 3, 4, 5]);
        assert_eq!(swapped.strides(), [60, 120, 20, 5, 1]);
        assert_eq!(swapped.to_contiguous(), Reshaped::View(swapped.clone()));
        assert_eq!(copied(&swapped, 120), upto(120));
    }

    #[test]
    fn odd_stride_of_an_unsqueezed_axis_keeps_a_matrix_dense() {
        let m = parts(&[4, 4], &[1, 4], 0, 16).unsqueeze(0).unwrap().transpose(1, 2).unwrap();
        assert_eq!((m.shape(), &m.strides()[1..]), (&[1, 4, 4][..], &[4, 1][..]));
        assert!(!m.to_contiguous().is_copy());
        assert_eq!(copied(&m, 16), upto(16));
    }

    #[test]
    fn batch_of_one_in_channels_last_flattens_its_pixels_without_a_copy() {
        let image = parts(&[1, 3, 4, 5], &[60, 1, 15, 3], 0, 60);
        let flat = image.view(&[1, 3, 20]).unwrap();
        assert_eq!(&flat.strides()[1..], [1, 3]);
        let expected: Vec<u64> = (0..3).flat_map(|c| (0..20).map(move |p| c + 3 * p)).collect();
        assert_eq!(copied(&flat, 60), expected);
    }

    #[test]
    fn one_pixel_image_is_dense_in_both_orders() {
        let image = parts(&[8, 16, 1, 1], &[16, 1, 1, 1], 0, 128);
        assert!(image.is_contiguous() && image.is_channels_last());
        for format in [MemoryFormat::ChannelsLast, MemoryFormat::Contiguous] {
            assert!(!image.to_memory_format(format).unwrap().is_copy());
        }
        assert_eq!(copied(&image, 128), upto(128));
    }

    #[test]
    fn largest_and_smallest_stride_on_a_unit_axis_are_never_multiplied() {
        for stale in [isize::MAX, isize::MIN] {
            let m = parts(&[3, 1, 3], &[3, stale, 1], 0, 9);
            assert!(m.is_contiguous() && m.is_dense_in_some_order());
            assert_eq!(m.reach(), Some((0, 8)));
            assert_eq!(m.view(&[9]).unwrap().strides(), [1]);
            assert_eq!(self_overlap(&m), Overlap::No);
            assert_eq!(copied(&m, 9), upto(9));
            let front = parts(&[1, 3], &[stale, 1], 0, 3);
            assert_eq!(order(&front.flip(&[0, 1]).unwrap()), [2, 1, 0]);
            assert_eq!(front.slice(0, None, None, -7).unwrap().shape(), [1, 3]);
            assert_eq!(order(&front.unsqueeze(0).unwrap()), [0, 1, 2]);
            assert_eq!(order(&front.expand(&[2, 2, 3]).unwrap()), [0, 1, 2].repeat(4));
            assert_eq!(
                parts(&[3, 1], &[1, stale], 0, 3).view(&[1, 3, 1]).unwrap().reach(),
                Some((0, 2))
            );
        }
    }

    #[test]
    fn trailing_unit_axes_come_and_go_on_a_strided_vector() {
        let v = parts(&[6], &[2], 0, 11).view(&[6, 1, 1]).unwrap();
        let v = v.view(&[6]).unwrap();
        assert_eq!(v.strides(), [2]);
        let m = v.view(&[2, 3]).unwrap();
        assert_eq!(m.strides(), [6, 2]);
        assert_eq!(copied(&m, 11), [0, 2, 4, 6, 8, 10]);
    }

    #[test]
    fn unit_axis_does_not_disturb_the_order_a_copy_keeps() {
        let m = parts(&[2, 1, 3], &[3, 999, 1], 0, 6);
        assert!(m.is_dense_in_some_order());
        let gappy = parts(&[2, 1, 3], &[4, 999, 1], 0, 7).dense_in(MemoryFormat::Preserve).unwrap();
        assert_eq!(gappy.strides(), [3, 3, 1]);
        let transposed = parts(&[3, 1, 2], &[1, 999, 4], 0, 7);
        let kept = transposed.dense_in(MemoryFormat::Preserve).unwrap();
        assert_eq!((kept.strides()[0], kept.strides()[2]), (1, 3));
        assert_eq!(copied(&m, 6), upto(6));
    }

    #[test]
    fn last_row_of_a_batch_of_one_is_contiguous() {
        let row = Layout::contiguous(&[1, 8, 2048]).unwrap().select(1, 7).unwrap();
        assert_eq!((row.shape(), row.strides()[1], row.offset()), (&[1, 2048][..], 1, 14336));
        assert!(row.is_contiguous());
    }

    #[test]
    fn scalar_is_dense_in_every_order_wherever_it_lies() {
        let scalar = parts(&[], &[], 1, 2);
        assert!(scalar.is_contiguous() && scalar.is_column_major());
        assert!(scalar.is_dense_in_some_order());
        assert_eq!(copied(&scalar, 2), [1]);
    }

    #[test]
    fn column_of_a_one_row_matrix_is_a_view_of_all_values() {
        let column = Layout::contiguous(&[1, 4]).unwrap().transpose(0, 1).unwrap();
        assert_eq!((column.shape(), column.strides()[0]), (&[4, 1][..], 1));
        assert!(!column.to_contiguous().is_copy());
        assert_eq!(copied(&column, 4), upto(4));
    }

    #[test]
    fn vector_with_a_new_axis_transposes_without_growing() {
        for stride in [0, 1, isize::MAX] {
            let row = parts(&[10, 1], &[1, stride], 0, 10).transpose(0, 1).unwrap();
            assert_eq!((row.shape(), row.required_len()), (&[1, 10][..], 10));
            assert!(row.is_contiguous());
            assert_eq!(copied(&row, 10), upto(10));
        }
    }

    #[test]
    fn byte_stride_of_a_unit_axis_need_not_be_whole_elements() {
        let row = Layout::from_byte_strides(&[1, 10], &[4, 8], 0, 8, 10).unwrap();
        assert_eq!((row.shape(), row.strides()[1]), (&[1, 10][..], 1));
        let error = Layout::from_byte_strides(&[2, 5], &[4, 8], 0, 8, 10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the stride of axis 0 of 4 bytes is not a multiple of the element size of 8 bytes"
        );
        assert_eq!(kind(Layout::from_byte_strides(&[5], &[8], 4, 8, 10)), ErrorKind::Unsupported);
    }
}

mod empty_shapes {
    use super::*;

    #[test]
    fn permuted_empty_layout_is_contiguous_and_pairs_its_last_axis() {
        let empty = Layout::contiguous(&[1, 0, 2, 100, 100]).unwrap();
        let empty = empty.permute(&[0, 1, 3, 4, 2]).unwrap();
        let dense = empty.to_contiguous();
        assert!(!dense.is_copy());
        let pair = dense.layout().view(&[1, 0, 100, 100, 2]).unwrap().select(-1, 0).unwrap();
        assert_eq!(pair.shape(), [1, 0, 100, 100]);
    }

    #[test]
    fn minus_one_beside_a_zero_is_ambiguous() {
        let empty = Layout::contiguous(&[1, 0, 32, 64]).unwrap();
        assert_eq!(kind(empty.reshape(&[1, 0, -1])), ErrorKind::Ambiguous);
        let line = Layout::contiguous(&[0]).unwrap();
        for target in [[0, -1], [-1, 0]] {
            assert_eq!(kind(line.reshape(&target)), ErrorKind::Ambiguous);
        }
    }

    #[test]
    fn ambiguous_shape_is_printed_as_it_was_asked_for() {
        let empty = Layout::contiguous(&[0, 3]).unwrap();
        assert_eq!(empty.reshape(&[-1, 3]).unwrap().layout().shape(), [0, 3]);
        let message = empty.reshape(&[0, -1]).unwrap_err().to_string();
        assert!(message.contains("[0, -1]"), "{message}");
    }

    #[test]
    fn zero_in_a_target_shape_is_a_size() {
        let empty = parts(&[2, 0, 4], &[4, 4, 1], 0, 0);
        for target in [&[0, 4][..], &[0], &[3, 0]] {
            let view = empty.view(target).unwrap();
            assert!(view.shape().iter().zip(target).all(|(&a, &b)| a as isize == b));
            assert_eq!(copied(&view, 0), [0; 0]);
        }
    }

    #[test]
    fn zero_excuses_a_huge_size_but_not_a_product_that_overflows() {
        let huge = Layout::contiguous(&[0, isize::MAX as usize]).unwrap();
        assert_eq!((huge.numel(), order(&huge)), (0, vec![]));
        assert!(!huge.to_contiguous().is_copy());
        assert_eq!(kind(Layout::contiguous(&[0, isize::MAX as usize, 2])), ErrorKind::Overflow);
        assert_eq!(kind(Layout::contiguous(&[usize::MAX])), ErrorKind::Overflow);
    }

    #[test]
    fn walking_the_long_axis_of_an_empty_layout_gives_empty_layouts() {
        let empty = parts(&[0, 3], &[3, 1], 0, 1);
        for column in 0..3 {
            let line = empty.select(1, column).unwrap();
            assert_eq!((line.shape(), line.reach(), line.required_len()), (&[0][..], None, 0));
        }
    }

    #[test]
    fn empty_slice_keeps_its_offset_inside_the_buffer() {
        let all = Layout::contiguous(&[5, 5]).unwrap();
        let none = all.slice(0, Some(0), Some(0), -1).unwrap();
        assert_eq!(none.shape(), [0, 5]);
        assert!(none.offset() <= 25);
        let unit = parts(&[1, 1], &[10, 1], 0, 25).slice(0, Some(1), Some(1), 1).unwrap();
        assert_eq!(unit.shape(), [0, 1]);
        assert!(unit.offset() <= 25);
        assert_eq!(kind(Layout::from_parts(&[0], &[1], 3, 2)), ErrorKind::BadIndex);
        assert!(Layout::from_parts(&[0], &[1], 2, 2).is_ok());
    }
}

mod views_and_copies {
    use super::*;

    #[test]
    fn split_block_swap_and_merge_of_a_transposed_square_is_dense_again() {
        let split = Layout::contiguous(&[4, 4]).unwrap().permute(&[1, 0]).unwrap();
        let split = split.view(&[2, 2, 2, 2]).unwrap();
        assert_eq!(split.strides(), [2, 1, 8, 4]);
        let swapped = split.permute(&[2, 3, 0, 1]).unwrap();
        assert_eq!(swapped.strides(), [8, 4, 2, 1]);
        assert_eq!(swapped.view(&[4, 4]), Layout::contiguous(&[4, 4]));
    }

    #[test]
    fn merging_attention_heads_across_a_gap_names_axes_sizes_and_strides() {
        let heads = parts(&[2, 1, 8, 32], &[32, 512, 64, 1], 0, 512);
        let error = heads.view(&[2, 256]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotViewable);
        assert_eq!(
            error.to_string(),
            "view of shape [2, 1, 8, 32] with strides [32, 512, 64, 1] as [2, 256] needs a copy: \
             axes 2 and 3 cannot merge: stride[2] = 64, but stride[3] * size[3] = 32"
        );
        let Reshaped::Copy(dense) = heads.reshape(&[2, 256]).unwrap() else { panic!("a view") };
        assert_eq!((dense.shape(), dense.strides()), (&[2, 256][..], &[256, 1][..]));
        let row = |r: u64| (0..256).map(move |c| r * 32 + c / 32 * 64 + c % 32);
        assert_eq!(copied(&heads, 512), row(0).chain(row(1)).collect::<Vec<_>>());
    }

    #[test]
    fn flattening_a_transpose_says_which_strides_do_not_continue() {
        let message = Layout::contiguous(&[3, 4]).unwrap().t().view(&[-1]).unwrap_err().to_string();
        assert!(
            message.ends_with(
                "axes 0 and 1 cannot merge: stride[0] = 1, but stride[1] * size[1] = 12"
            ),
            "{message}"
        );
    }

    #[test]
    fn count_mismatch_prints_both_counts() {
        let message = Layout::contiguous(&[2, 3]).unwrap().view(&[4, 2]).unwrap_err().to_string();
        assert_eq!(message, "shape [2, 3] has 6 elements, but [4, 2] has 8");
    }

    #[test]
    fn reshape_of_a_transpose_to_its_own_shape_keeps_the_transposed_values() {
        let t = Layout::contiguous(&[2, 2]).unwrap().permute(&[1, 0]).unwrap();
        let Reshaped::View(view) = t.reshape(&[2, 2]).unwrap() else { panic!("a copy") };
        assert_eq!(view.strides(), [1, 2]);
        assert_eq!(copied(&view, 4), [0, 2, 1, 3]);
    }

    #[test]
    fn middle_axes_swap_is_copied_in_its_new_order() {
        let swapped = Layout::contiguous(&[2, 2, 6]).unwrap().permute(&[1, 0, 2]).unwrap();
        let Reshaped::Copy(dense) = swapped.to_contiguous() else { panic!("a view") };
        assert_eq!(dense.view(&[2, 12]).unwrap().strides(), [12, 1]);
        let expected: Vec<u64> = [0, 12, 6, 18].iter().flat_map(|&s| s..s + 6).collect();
        assert_eq!(copied(&swapped, 24), expected);
    }

    #[test]
    fn expanded_batch_repeats_every_value() {
        let batch = Layout::contiguous(&[1, 32, 32]).unwrap().expand(&[32, 32, 32]).unwrap();
        let Reshaped::Copy(dense) = batch.to_contiguous() else { panic!("a view") };
        assert_eq!(dense.strides(), [1024, 32, 1]);
        assert_eq!(copied(&batch, 1024), upto(1024).repeat(32));
    }

    #[test]
    fn sliced_and_broadcast_views_copy_their_own_elements_only() {
        let every_other =
            Layout::contiguous(&[10]).unwrap().slice(0, Some(0), Some(10), 2).unwrap();
        assert_eq!(copied(&every_other, 10), [0, 2, 4, 6, 8]);
        let repeated = Layout::contiguous(&[]).unwrap().expand(&[3]).unwrap();
        assert_eq!(repeated.required_len(), 1);
        assert_eq!(copied(&repeated, 1), [0, 0, 0]);
    }

    #[test]
    fn negative_stride_with_its_offset_fits_the_buffer_it_came_from() {
        let rows = Layout::contiguous(&[10, 12]).unwrap().slice(0, Some(0), Some(10), 2).unwrap();
        let view = rows.slice(1, Some(11), None, -2).unwrap();
        assert_eq!((view.shape(), view.strides()), (&[5, 6][..], &[24, -2][..]));
        assert_eq!(view.offset(), 11);
        assert_eq!(Layout::from_parts(&[5, 6], &[24, -2], 11, 120).as_ref(), Ok(&view));
        assert_eq!(view.reach(), Some((1, 107)));
        assert!(Layout::from_parts(&[5, 6], &[24, -2], 11, 107).is_err());
        let expected: Vec<u64> =
            (0..5).flat_map(|r| (0..6).map(move |c| 24 * r + 11 - 2 * c)).collect();
        assert_eq!(copied(&view, 120), expected);
    }

    #[test]
    fn import_of_mirrored_rows_is_copied_the_right_way_round() {
        let mirrored = parts(&[3, 4], &[4, -1], 3, 12);
        assert_eq!(copied(&mirrored, 12), [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]);
    }

    #[test]
    fn import_of_a_transpose_is_indexed_logically() {
        let t = parts(&[3, 2], &[1, 3], 0, 6);
        let corner = t.index(&[IndexItem::Int(1), IndexItem::Int(0)]).unwrap();
        assert_eq!((corner.rank(), corner.offset()), (0, 1));
        assert_eq!(copied(&t, 6), [0, 3, 1, 4, 2, 5]);
    }
}

mod numbers_too_large {
    use super::*;

    #[test]
    fn sizes_whose_product_wraps_to_the_right_count_are_refused() {
        let ten = parts(&[10], &[2], 0, 20);
        let target = [2, 13, 419, 691, 823, 2977518503];
        assert_eq!(kind(ten.reshape(&target)), ErrorKind::Overflow);
        for inferred in 0..target.len() {
            let mut target = target;
            target[inferred] = -1;
            assert!(ten.reshape(&target).is_err());
        }
        let five = Layout::contiguous(&[5]).unwrap();
        assert_eq!(kind(five.reshape(&[3, 7, 29, 36760123, 823996703])), ErrorKind::Overflow);
    }

    #[test]
    fn repeated_element_may_fill_the_address_range_only_as_a_view() {
        let one = Layout::contiguous(&[1, 1]).unwrap();
        let repeated = one.as_strided(&[1, 1 << 62], &[0, 0], Some(0), 1).unwrap();
        assert_eq!(repeated.reach(), Some((0, 0)));
        assert_eq!(repeated.storage_order().nth(1000), Some(0));
        assert_eq!(repeated.view(&[-1]).unwrap().numel(), 1 << 62);
    }

    #[test]
    fn huge_stride_is_refused_before_a_slice_can_multiply_it() {
        let line = Layout::contiguous(&[1024]).unwrap();
        assert_eq!(kind(line.as_strided(&[5], &[1 << 62], Some(0), 1024)), ErrorKind::BadIndex);
        let one = line.as_strided(&[1], &[1 << 62], Some(0), 1024).unwrap();
        for step in [3, -3, isize::MAX, isize::MIN] {
            assert_eq!(order(&one.slice(0, None, None, step).unwrap()), [0]);
        }
    }

    #[test]
    fn as_strided_cannot_leave_its_storage_at_either_end() {
        let line = Layout::contiguous(&[100]).unwrap();
        let error = line.as_strided(&[5, 2], &[50, 10], Some(2), 100).unwrap_err();
        assert_eq!(error.to_string(), "the layout reaches elements 2 to 212 of a storage of 100");
        let error = line.as_strided(&[2], &[-1], Some(0), 100).unwrap_err();
        assert_eq!(error.to_string(), "the layout reaches elements -1 to 0 of a storage of 100");
        assert!(line.as_strided(&[2], &[-1], Some(1), 100).is_ok());
    }

    #[test]
    fn dense_shape_is_checked_against_its_buffer_too() {
        let dense = Layout::contiguous(&[3, 100]).unwrap();
        assert_eq!(dense.required_len(), 300);
        let error = Layout::from_parts(dense.shape(), dense.strides(), 0, 2).unwrap_err();
        assert_eq!(error.to_string(), "the layout reaches elements 0 to 299 of a storage of 2");
    }

    #[test]
    fn repeating_past_the_address_range_is_refused() {
        let one = Layout::contiguous(&[1]).unwrap();
        assert_eq!(kind(one.expand(&[1 << 40, 1 << 40])), ErrorKind::Overflow);
        let long = one.expand(&[1 << 40]).unwrap();
        assert_eq!(kind(long.unfold(0, 1 << 39, 1)), ErrorKind::Overflow);
    }

    #[test]
    fn reach_beyond_32_bits_is_exact() {
        let tall = Layout::contiguous(&[33_554_432, 128]).unwrap();
        assert_eq!(tall.reach(), Some((0, 4_294_967_295)));
        let pitched = parts(&[2, 3], &[4_294_967_297, 1], 0, 1 << 33);
        assert_eq!(pitched.t().reach(), Some((0, 4_294_967_299)));
        let long = Layout::contiguous(&[2_147_483_652]).unwrap();
        assert_eq!(long.view(&[536_870_913, 2, 2]).unwrap().shape(), [536_870_913, 2, 2]);
    }
}

mod overlap {
    use super::*;

    #[test]
    fn matrix_and_its_transpose_share_elements_at_every_size() {
        for n in [2, 8, 64, 91, 100, 257] {
            let m = Layout::contiguous(&[n, n]).unwrap();
            assert_eq!(share_element(&m, &m.t()), Overlap::Yes);
        }
    }

    #[test]
    fn reversing_an_array_into_itself_is_seen() {
        let line = Layout::contiguous(&[5]).unwrap();
        assert_eq!(share_element(&line, &line.flip(&[0]).unwrap()), Overlap::Yes);
    }

    #[test]
    fn expanded_destination_overlaps_itself() {
        let expanded = Layout::contiguous(&[1]).unwrap().expand(&[10]).unwrap();
        assert_eq!(self_overlap(&expanded), Overlap::Yes);
    }

    #[test]
    fn destination_without_a_zero_stride_can_overlap_itself() {
        assert_eq!(self_overlap(&parts(&[7, 2], &[1, 2], 0, 14)), Overlap::Yes);
        assert_eq!(self_overlap(&parts(&[2, 2], &[1, 2], 0, 14)), Overlap::No);
    }

    #[test]
    fn interleaved_views_share_nothing() {
        let line = Layout::contiguous(&[100]).unwrap();
        let even = line.slice(0, None, None, 2).unwrap();
        let odd = line.slice(0, Some(1), None, 2).unwrap();
        assert_eq!(share_element(&even, &odd), Overlap::No);
        let m = Layout::contiguous(&[50, 2]).unwrap();
        let columns = [m.select(1, 0).unwrap(), m.select(1, 1).unwrap()];
        assert_eq!(share_element(&columns[0], &columns[1]), Overlap::No);
        // Fields of a struct: bytes 0..4 and 4..8 of every 8.
        let field = |offset| Strided { offset, shape: &[50], strides: &[8], elem: 4 };
        assert_eq!(strided_share(field(0), field(4)), Overlap::No);
        assert_eq!(strided_share(field(0), field(3)), Overlap::Yes);
    }
}

#[test]
fn copy_between_different_shapes_is_an_error_value() {
    let (a, b) = (Layout::contiguous(&[2, 3]).unwrap(), Layout::contiguous(&[3, 2]).unwrap());
    assert_eq!(kind(CopySpec::between(&a, &b, 4)), ErrorKind::SizeMismatch);
}
