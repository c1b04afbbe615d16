//! Copies of faer's matrices against faer's own, over views of any strides.
#![cfg(feature = "faer")]

use std::fmt::Debug;

use faer::{Mat, MatMut, MatRef, c64};
use proptest::prelude::*;
use restride::interop::faer::{ToDense, TryCopyFrom};
use restride::{CopyError, HugePages, LayoutError, PlanError, PlanOptions};

/// Strides of a matrix of `rows` × `columns` in a slice of `len` elements, and the place of its
/// first element.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    rows: usize,
    columns: usize,
    strides: [isize; 2],
    first: usize,
    len: usize,
}

impl Numbers {
    fn new([rows, columns]: [usize; 2], steps: [usize; 2], backward: [bool; 2]) -> Self {
        let last = |axis: usize| ([rows, columns][axis].max(1) - 1) * steps[axis];
        let skip = |axis: usize| if backward[axis] { last(axis) } else { 0 };
        let stride = |axis: usize| {
            let step = steps[axis] as isize;
            if backward[axis] { -step } else { step }
        };
        let first = skip(0) + skip(1);
        Self { rows, columns, strides: [stride(0), stride(1)], first, len: last(0) + last(1) + 1 }
    }

    fn view<'a, T>(&self, data: &'a [T]) -> MatRef<'a, T> {
        assert!(data.len() >= self.len);
        let first = data[self.first..].as_ptr();
        let [down, across] = self.strides;
        // SAFETY: from `first` on, the strides address elements of `data` only.
        unsafe { MatRef::from_raw_parts(first, self.rows, self.columns, down, across) }
    }

    /// For steps that let no two elements share a place.
    fn view_mut<'a, T>(&self, data: &'a mut [T]) -> MatMut<'a, T> {
        assert!(data.len() >= self.len);
        let first = data.as_mut_ptr().wrapping_add(self.first);
        let [down, across] = self.strides;
        // SAFETY: from `first` on, the strides address elements of `data` only, each once.
        unsafe { MatMut::from_raw_parts_mut(first, self.rows, self.columns, down, across) }
    }
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0usize..=9, 1 => 10usize..=90]
}

fn copies() -> impl Strategy<Value = (Numbers, Numbers)> {
    let step = || prop_oneof![2 => Just(1usize), 1 => Just(0), 2 => 2usize..=30];
    let apart = (any::<bool>(), 1usize..=3, 0usize..=5);
    let backward = any::<[bool; 2]>();
    (size(), size(), step(), step(), backward, apart, backward).prop_map(
        |(rows, columns, down, across, backward, (inside, step, gap), backward_to)| {
            let from = Numbers::new([rows, columns], [down, across], backward);
            let outer = step * if inside { rows } else { columns }.max(1) + gap;
            let steps = if inside { [step, outer] } else { [outer, step] };
            (from, Numbers::new([rows, columns], steps, backward_to))
        },
    )
}

fn check<T: Copy + Send + Sync + PartialEq + Debug>(
    (from, to): (Numbers, Numbers),
    of: impl Fn(usize) -> T,
    theirs: Option<fn(MatMut<'_, T>, MatRef<'_, T>)>,
) -> Result<(), TestCaseError> {
    let data: Vec<T> = (0..from.len).map(&of).collect();
    let view = from.view(&data);
    let owned = view.to_dense().unwrap();
    prop_assert_eq!(owned.shape(), (from.rows, from.columns));
    for row in 0..from.rows {
        for column in 0..from.columns {
            prop_assert_eq!(owned[(row, column)], view[(row, column)]);
        }
    }
    let transposed = view.transpose().to_dense().unwrap();
    for column in 0..from.columns {
        let row: Vec<T> = (0..from.rows).map(|row| view[(row, column)]).collect();
        prop_assert_eq!(transposed.row(column).iter().copied().collect::<Vec<T>>(), row);
    }

    let mut ours: Vec<T> = (0..to.len).map(|_| of(250)).collect();
    let mut expected = ours.clone();
    to.view_mut(&mut ours).try_copy_from(view).unwrap();
    match theirs {
        Some(theirs) => theirs(to.view_mut(&mut expected), view),
        None => {
            let mut places = to.view_mut(&mut expected);
            for row in 0..from.rows {
                for column in 0..from.columns {
                    places[(row, column)] = view[(row, column)];
                }
            }
        }
    }
    prop_assert_eq!(ours, expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn copies_are_those_of_faer(copy in copies()) {
        check(copy, |i| i as u8, None)?;
        check(copy, |i| [i as u8, (i >> 8) as u8, 7], None)?;
        check(copy, |i| i as u16, None)?;
        check(copy, |i| i as u128 * 0x1_0000_0001_0000_0001, None)?;
        check(copy, |i| i as f32, Some(|mut to, from| to.copy_from(from)))?;
        check(copy, |i| i as f64, Some(|mut to, from| to.copy_from(from)))?;
        let complex = |i| c64::new(i as f64, -(i as f64));
        check(copy, complex, Some(|mut to, from| to.copy_from(from)))?;
    }
}

/// Large enough for tiles, and for the pool.
#[test]
fn large_matrices_are_those_of_faer() {
    for (rows, columns) in [(512, 1024), (777, 1001), (3, 100_000)] {
        let a = Mat::<f32>::from_fn(rows, columns, |i, j| (i * columns + j) as f32);
        for view in [a.transpose(), a.reverse_rows(), a.reverse_rows_and_cols().transpose()] {
            assert_eq!(view.to_dense().unwrap(), view.to_owned());
            let mut to = Mat::zeros(view.nrows(), view.ncols());
            to.try_copy_from(view).unwrap();
            assert_eq!(to, view);
        }
    }
}

#[test]
fn every_kind_of_matrix_has_the_methods() {
    let mut a = Mat::<f64>::from_fn(3, 4, |i, j| (10 * i + j) as f64);
    let expected = a.clone();
    assert_eq!(a.to_dense().unwrap(), expected);
    assert_eq!(a.as_mut().to_dense().unwrap(), expected);
    assert_eq!(
        a.as_ref().to_dense_with(&PlanOptions::serial(), HugePages::Never).unwrap(),
        expected
    );
    let mut to = Mat::zeros(3, 4);
    to.as_mut().try_copy_from(&a).unwrap();
    assert_eq!(to, expected);
    // A new matrix can grow, as any of faer's.
    let mut grown = a.transpose().to_dense().unwrap();
    grown.resize_with(5, 4, |_, _| 7.0);
    assert_eq!((grown[(3, 2)], grown[(4, 3)]), (23.0, 7.0));
}

#[test]
fn what_cannot_be_copied_is_an_error() {
    let (mut to, src) = (Mat::<f32>::full(3, 4, 1.0), Mat::<f32>::full(3, 5, 2.0));
    let differ = LayoutError::ShapesDiffer { src: vec![3, 5], dst: vec![3, 4] };
    assert_eq!(to.try_copy_from(&src), Err(CopyError::Layout(differ)));
    assert_eq!(to, Mat::<f32>::full(3, 4, 1.0));

    let huge = Numbers { rows: 1 << 30, columns: 1 << 30, strides: [0; 2], first: 0, len: 1 };
    let refused = huge.view(&[1u128]).to_dense().err();
    assert!(matches!(refused, Some(CopyError::Allocation { .. })));

    // Views of nothing exist, but faer cannot allocate a matrix for them.
    let units = MatRef::from_row_major_slice(&[(); 6], 2, 3);
    assert_eq!(units.to_dense().err(), Some(CopyError::Plan(PlanError::ZeroElementSize)));
}
