//! Copies of nalgebra's matrices against nalgebra's own, over views of any strides.
#![cfg(feature = "nalgebra")]

use nalgebra::{
    Complex, DMatrix, DMatrixView, DMatrixViewMut, DVector, Dyn, Matrix3x4, Matrix3xX, MatrixXx3,
    Scalar,
};
use proptest::prelude::*;
use restride::interop::nalgebra::{ToDense, TryCopyFrom};
use restride::{CopyError, HugePages, LayoutError, PlanOptions};

/// Rows, columns, and the strides between them.
type Numbers = (usize, usize, usize, usize);

fn numbers() -> impl Strategy<Value = Numbers> {
    let size = || prop_oneof![4 => 0usize..=9, 1 => 10usize..=90];
    let stride = || prop_oneof![2 => Just(1usize), 1 => Just(0), 2 => 2usize..=30];
    (size(), size(), stride(), stride())
}

/// Strides that let no two elements share a place: the axis that is stored inside, and gaps.
fn apart() -> impl Strategy<Value = (bool, usize, usize)> {
    (any::<bool>(), 1usize..=3, 0usize..=5)
}

fn check<T: Scalar + Copy + Send + Sync>(
    (rows, columns, down, across): Numbers,
    (inside, step, gap): (bool, usize, usize),
    of: impl Fn(usize) -> T,
) -> Result<(), TestCaseError> {
    let data: Vec<T> = (0..rows * down + columns * across + 1).map(&of).collect();
    let (r, c) = (Dyn(rows), Dyn(columns));
    let view = DMatrixView::from_slice_with_strides_generic(&data, r, c, Dyn(down), Dyn(across));
    let expected = DMatrix::from_fn(rows, columns, |i, j| data[i * down + j * across]);
    if down > 0 && across > 0 {
        prop_assert_eq!(&view.clone_owned(), &expected); // its iterators end at a stride of 0
    }
    prop_assert_eq!(&view.to_dense().unwrap(), &expected);
    prop_assert_eq!(view.to_transposed().unwrap(), view.transpose());

    for transposed in [false, true] {
        let (m, n) = if transposed { (columns, rows) } else { (rows, columns) };
        let outer = step * if inside { m } else { n }.max(1) + gap;
        let (down, across) = if inside { (step, outer) } else { (outer, step) };
        let mut ours: Vec<T> = (0..m * down + n * across + 1).map(|_| of(250)).collect();
        let mut theirs = ours.clone();
        let place = |to| {
            DMatrixViewMut::from_slice_with_strides_generic(
                to,
                Dyn(m),
                Dyn(n),
                Dyn(down),
                Dyn(across),
            )
        };
        if transposed {
            place(&mut ours).try_copy_from_transposed(&view).unwrap();
            place(&mut theirs).copy_from(&expected.transpose());
        } else {
            place(&mut ours).try_copy_from(&view).unwrap();
            place(&mut theirs).copy_from(&expected);
        }
        prop_assert_eq!(ours, theirs);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn copies_are_those_of_nalgebra(numbers in numbers(), apart in apart()) {
        check(numbers, apart, |i| i as u8)?;
        check(numbers, apart, |i| [i as u8, (i >> 8) as u8, 7])?;
        check(numbers, apart, |i| i as u16)?;
        check(numbers, apart, |i| i as f32)?;
        check(numbers, apart, |i| i as f64)?;
        check(numbers, apart, |i| i as u128 * 0x1_0000_0001_0000_0001)?;
        check(numbers, apart, |i| Complex::new(i as f64, -(i as f64)))?;
    }
}

/// Large enough for tiles, and for the pool.
#[test]
fn large_matrices_are_those_of_nalgebra() {
    for (rows, columns) in [(512, 1024), (777, 1001), (3, 100_000)] {
        let a = DMatrix::from_fn(rows, columns, |i, j| (i * columns + j) as f32);
        assert_eq!(a.to_transposed().unwrap(), a.transpose());
        assert_eq!(a.columns_with_step(0, columns / 2, 1).to_dense().unwrap(), {
            a.columns_with_step(0, columns / 2, 1).clone_owned()
        });
    }
}

#[test]
fn sizes_in_the_type_stay_in_the_type() {
    let low: Matrix3xX<f32> = Matrix3xX::from_fn(5, |i, j| (10 * i + j) as f32);
    let same: Matrix3xX<f32> = low.to_dense().unwrap();
    let wide: MatrixXx3<f32> = low.to_transposed().unwrap();
    assert_eq!((same, wide), (low.clone(), low.transpose()));

    let vector = DVector::from_fn(6, |i, _| i as u64);
    let every_other: DVector<u64> = vector.rows_with_step(0, 3, 1).to_dense().unwrap();
    assert_eq!(every_other.as_slice(), [0, 2, 4]);

    // A static matrix is copied into and from.
    let mut fixed = Matrix3x4::<f32>::zeros();
    fixed.try_copy_from(&low.columns(1, 4)).unwrap();
    assert_eq!(fixed[(2, 3)], 24.0);
    let mut into = DMatrix::zeros(4, 3);
    into.try_copy_from_transposed(&fixed).unwrap();
    assert_eq!(into, fixed.transpose());
}

#[test]
fn options_are_obeyed() {
    let a = DMatrix::from_fn(30, 40, |i, j| (i, j));
    let serial = PlanOptions::serial();
    assert_eq!(a.to_dense_with(&serial, HugePages::Never).unwrap(), a);
    assert_eq!(a.to_transposed_with(&serial, HugePages::Never).unwrap(), a.transpose());
}

#[test]
fn what_cannot_be_copied_is_an_error() {
    let (mut to, src) = (DMatrix::from_element(3, 4, 1), DMatrix::from_element(3, 5, 2));
    let differ = LayoutError::ShapesDiffer { src: vec![3, 5], dst: vec![3, 4] };
    assert_eq!(to.try_copy_from(&src), Err(CopyError::Layout(differ)));
    let differ = LayoutError::ShapesDiffer { src: vec![5, 3], dst: vec![3, 4] };
    assert_eq!(to.try_copy_from_transposed(&src), Err(CopyError::Layout(differ)));
    assert!(to.iter().all(|&x| x == 1));

    let (huge, zero) = (Dyn(1 << 30), Dyn(0));
    let one = DMatrixView::from_slice_with_strides_generic(&[1u128; 2], huge, huge, zero, zero);
    assert!(matches!(one.to_dense(), Err(CopyError::Allocation { .. })));
    assert!(matches!(one.to_transposed(), Err(CopyError::Allocation { .. })));
}
