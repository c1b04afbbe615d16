//! Copies that users reported as crashes, or as wrong values, and that must be refused: named by
//! what they show, with every buffer untouched afterwards.

use std::fmt::Debug;

use restride::{
    CopyError, CopySpec, Layout, Plan, PlanError, PlanOptions, View, ViewMut, contiguous, copy,
    copy_within,
};

fn parts(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> Layout {
    Layout::from_parts(shape, strides, offset, len).unwrap()
}

fn dense(shape: &[usize]) -> Layout {
    Layout::contiguous(shape).unwrap()
}

fn upto(end: usize) -> Vec<u64> {
    (0..end as u64).collect()
}

fn refused<T: Debug>(result: Result<T, CopyError>) -> CopyError {
    result.unwrap_err()
}

mod overlap {
    use super::*;

    #[test]
    fn a_matrix_is_never_transposed_onto_itself_element_by_element() {
        for n in [2, 8, 64, 91, 100, 257] {
            let mut data = upto(n * n);
            let m = dense(&[n, n]);
            let error = refused(copy_within(&mut data, &m.t(), &m));
            assert_eq!(error, CopyError::Overlap { certain: true }, "{n}");
            assert!(data == upto(n * n), "written although refused");
        }
    }

    #[test]
    fn an_array_is_never_reversed_or_shifted_onto_itself() {
        for n in [2, 5, 1000] {
            let mut data = upto(n + 1);
            let line = parts(&[n], &[1], 0, n + 1);
            for onto in [line.flip(&[0]).unwrap(), parts(&[n], &[1], 1, n + 1)] {
                let error = refused(copy_within(&mut data, &line, &onto));
                assert_eq!(error, CopyError::Overlap { certain: true });
            }
            assert_eq!(data, upto(n + 1));
        }
    }

    #[test]
    fn interleaved_views_of_one_buffer_are_copied() {
        let mut data = upto(100);
        let even = parts(&[50], &[2], 0, 100);
        let odd = parts(&[50], &[2], 1, 100);
        copy_within(&mut data, &even, &odd).unwrap();
        assert!((0..100).all(|i| data[i] == (i - i % 2) as u64));

        let mut data = upto(10_000);
        let columns = dense(&[100, 100]);
        let (from, to) = (columns.select(1, 0).unwrap(), columns.select(1, 1).unwrap());
        copy_within(&mut data, &from, &to).unwrap();
        let expected = |i: usize| if i % 100 == 1 { i - 1 } else { i };
        assert!((0..10_000).all(|i| data[i] == expected(i) as u64));
    }

    #[test]
    fn halves_of_one_matrix_may_be_transposed_into_each_other() {
        let mut data = upto(64 * 128);
        let whole = dense(&[64, 128]);
        let (left, right) = (whole.narrow(1, 0, 64).unwrap(), whole.narrow(1, 64, 64).unwrap());
        copy_within(&mut data, &left, &right.t()).unwrap();
        for i in 0..64 {
            for j in 0..64 {
                assert_eq!(data[128 * i + j], (128 * i + j) as u64);
                assert_eq!(data[128 * i + 64 + j], (128 * j + i) as u64);
            }
        }
    }

    #[test]
    fn a_destination_that_addresses_an_element_twice_is_refused_unwritten() {
        let twice = Err(PlanError::DestinationOverlap { certain: true });
        for (shape, strides) in [
            (&[10][..], &[0][..]), // expanded
            (&[7, 2], &[1, 2]),    // no zero stride, and still
            (&[4, 4], &[1, 1]),
            (&[4, 5], &[2, 3]),
            (&[2, 3, 4], &[4, 2, 1]),
        ] {
            let dst = parts(shape, strides, 0, 64);
            let data = upto(64);
            let mut written = vec![7; 64];
            let view = View::new(dense(shape), &data).unwrap();
            let result = copy(&view, ViewMut::new(dst, &mut written).unwrap());
            assert_eq!(result, twice.clone().map_err(CopyError::Plan), "{shape:?} {strides:?}");
            assert_eq!(written, [7; 64]);
        }
        // Elements that overlap in part only.
        let spec = CopySpec::new(4, &[3], &[4], &[3]);
        assert_eq!(Plan::new(&spec, &PlanOptions::default()).map(drop), twice);
        let spec = CopySpec::new(4, &[3], &[3], &[4]);
        assert!(Plan::new(&spec, &PlanOptions::default()).is_ok(), "reading so is no harm");
    }
}

mod bounds {
    use super::*;

    #[test]
    fn a_broadcast_larger_than_memory_is_refused_before_anything_is_allocated() {
        let repeated = dense(&[1, 1]).as_strided(&[1, 1 << 62], &[0, 0], Some(0), 1).unwrap();
        let error = refused(contiguous(&repeated, &[1.0f64]));
        assert_eq!(error, CopyError::Plan(PlanError::Overflow { what: "the size of the copy" }));
        // Within the address range, but not to be had: an error value too.
        let repeated = dense(&[1]).as_strided(&[1 << 59], &[0], Some(0), 1).unwrap();
        let error = refused(contiguous(&repeated, &[1.0f64]));
        assert_eq!(error, CopyError::Allocation { bytes: 1 << 62 });
    }

    #[test]
    fn an_empty_shape_beside_a_huge_size_copies_nothing() {
        let empty = dense(&[0, isize::MAX as usize]);
        assert_eq!(contiguous(&empty, &[0u64; 0]).unwrap(), [0; 0]);
        let spec = CopySpec::new(8, &[usize::MAX, 0], &[isize::MIN, 8], &[isize::MAX, 8]);
        let plan = Plan::new(&spec, &PlanOptions::default()).unwrap();
        plan.execute_bytes(&[], usize::MAX, &mut [], usize::MAX).unwrap();
        assert_eq!((plan.bytes(), plan.kernel()), (0, "none"));
    }

    #[test]
    fn views_that_leave_their_data_at_either_end_are_refused() {
        let data = [0u8; 100];
        for layout in [parts(&[5, 2], &[50, 10], 2, 213), parts(&[3, 100], &[100, 1], 0, 300)] {
            let last = layout.required_len() as i128 - 1;
            let error = refused(contiguous(&layout, &data));
            assert!(
                matches!(error, CopyError::OutOfReach { side: "source", last: l, .. } if l == last)
            );
            assert!(View::new(layout.clone(), &data).is_err());
            assert!(ViewMut::new(layout.clone(), &mut [0u8; 100]).is_err());
            assert!(copy_within(&mut [0u8; 100], &layout, &layout).is_err());
        }
        // A plan's own slices: one element before the first, one behind the last.
        let plan =
            Plan::new(&CopySpec::new(1, &[5], &[-2], &[2]), &PlanOptions::default()).unwrap();
        let mut out = [0; 9];
        for (src_at, dst_at) in [(7, 0), (100, 0), (8, 1), (usize::MAX, 0), (8, usize::MAX)] {
            assert!(plan.execute_bytes(&data, src_at, &mut out, dst_at).is_err(), "{src_at}");
        }
        plan.execute_bytes(&data, 8, &mut out, 0).unwrap();
        plan.execute_bytes(&data, 99, &mut out, 0).unwrap();
    }

    #[test]
    fn elements_of_another_size_than_the_plans_are_refused() {
        let plan = Plan::new(&CopySpec::new(4, &[2], &[4], &[4]), &PlanOptions::default()).unwrap();
        let mut out = [std::mem::MaybeUninit::uninit(); 2];
        let error = refused(plan.execute(&[1u64, 2], 0, &mut out, 0));
        assert_eq!(error, CopyError::ElementSize { plan: 4, slice: 8 });
    }

    #[test]
    fn values_without_bytes_are_copied_by_count() {
        let (one, none): ([(); 1], [(); 0]) = ([()], []);
        assert_eq!(contiguous(&dense(&[1]).expand(&[3]).unwrap(), &one).unwrap().len(), 3);
        let endless = dense(&[1]).expand(&[1 << 62]).unwrap();
        assert_eq!(contiguous(&endless, &one).unwrap().len(), 1 << 62);
        assert!(contiguous(&dense(&[2, 0]), &none).unwrap().is_empty());
        assert!(contiguous(&dense(&[2]), &one).is_err(), "a value that does not exist");
        let from = View::new(dense(&[1]), &one).unwrap();
        copy(&from, ViewMut::new(dense(&[1]), &mut [()]).unwrap()).unwrap();
        assert!(copy(&from, ViewMut::new(dense(&[1, 1]), &mut [()]).unwrap()).is_err());
        copy_within(&mut [(); 2], &dense(&[2]), &dense(&[2])).unwrap();
    }
}
