//! Copies of ndarray's arrays against ndarray's own, over views of every kind.
#![cfg(feature = "ndarray")]

use std::fmt::Debug;

use ndarray::{
    ArcArray, Array, Array1, Array2, ArrayD, ArrayRef, ArrayViewD, ArrayViewMutD, Axis, CowArray,
    Dimension, IxDyn, Order, Slice, arr0, s,
};
use proptest::prelude::*;
use restride::interop::ndarray::{ToDense, TryAssign};
use restride::{CopyError, HugePages, LayoutError, PlanOptions};

/// How a view of a dense array comes about: its axes are stored in another order, stepped along in
/// either direction behind a few elements, and repeated.
#[derive(Clone, Debug)]
struct Change {
    order: Vec<u32>,
    steps: Vec<isize>,
    skipped: Vec<usize>,
    repeated: Vec<bool>,
}

fn change(rank: usize) -> impl Strategy<Value = Change> {
    let step = prop_oneof![4 => Just(1isize), 3 => Just(-1), 1 => 2isize..=3, 1 => -3isize..=-2];
    (
        prop::collection::vec(prop_oneof![Just(0u32), any::<u32>()], rank),
        prop::collection::vec(step, rank),
        prop::collection::vec(prop_oneof![3 => Just(0usize), 1 => 1usize..=2], rank),
        prop::collection::vec(prop_oneof![6 => Just(false), 1 => Just(true)], rank),
    )
        .prop_map(|(order, steps, skipped, repeated)| Change {
            order,
            steps,
            skipped,
            repeated,
        })
}

impl Change {
    /// The axes in the order in which they are stored.
    fn axes(&self) -> Vec<usize> {
        let mut axes: Vec<usize> = (0..self.order.len()).collect();
        axes.sort_by_key(|&axis| self.order[axis]);
        axes
    }

    /// The array that has a view of the shape `shape`.
    fn stored<T>(&self, shape: &[usize], of: impl Fn(usize) -> T) -> ArrayD<T> {
        let sizes: Vec<usize> =
            self.axes().into_iter().map(|axis| self.size(shape, axis)).collect();
        let mut next = 0..;
        ArrayD::from_shape_simple_fn(sizes, || of(next.next().unwrap()))
    }

    fn size(&self, shape: &[usize], axis: usize) -> usize {
        if self.repeated[axis] {
            return 1;
        }
        self.skipped[axis] + shape[axis] * self.steps[axis].unsigned_abs()
    }

    /// Place in the stored array of each axis.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.order.len()];
        self.axes().into_iter().enumerate().for_each(|(place, axis)| places[axis] = place);
        places
    }

    fn slice(&self, axis: Axis) -> Slice {
        if self.repeated[axis.0] {
            return Slice::from(..);
        }
        Slice::new(self.skipped[axis.0] as isize, None, self.steps[axis.0])
    }

    fn view<'a, T>(&self, stored: &'a ArrayD<T>) -> ArrayViewD<'a, T> {
        let mut view = stored.view().permuted_axes(self.places());
        view.slice_each_axis_inplace(|axis| self.slice(axis.axis));
        view
    }

    fn view_mut<'a, T>(&self, stored: &'a mut ArrayD<T>) -> ArrayViewMutD<'a, T> {
        let mut view = stored.view_mut().permuted_axes(self.places());
        view.slice_each_axis_inplace(|axis| self.slice(axis.axis));
        view
    }
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        2 => prop::collection::vec(0usize..=9, 0..=3),
        2 => prop::collection::vec(1usize..=9, 0..=4),
        1 => prop::collection::vec(0usize..=4, 5..=6),
        1 => prop::collection::vec(1usize..=3, 5..=6),
        1 => prop::collection::vec(1usize..=70, 1..=2),
    ]
}

/// A shape, a source that may have fewer axes and shorter ones, and a destination.
fn copies() -> impl Strategy<Value = (Vec<usize>, Change, Vec<u8>, usize, Change)> {
    shape().prop_flat_map(|shape| {
        let rank = shape.len();
        let units = prop::collection::vec(0u8..8, rank);
        (Just(shape), change(rank), units, prop_oneof![3 => Just(0), 1 => 0..=rank], change(rank))
    })
}

fn check_dense<T>(view: &ArrayRef<T, IxDyn>) -> Result<(), TestCaseError>
where
    T: Copy + Send + Sync + PartialEq + Debug,
{
    let expected = view.as_standard_layout().into_owned();
    let standard = view.to_standard().unwrap();
    prop_assert!(standard.is_standard_layout());
    prop_assert_eq!(&standard, &expected);
    let fortran = view.to_fortran().unwrap();
    prop_assert!(fortran.t().is_standard_layout());
    prop_assert_eq!(&fortran, &expected);
    let either = view.standard().unwrap();
    prop_assert_eq!(either.is_view(), view.is_standard_layout());
    prop_assert_eq!(&either, &expected);
    Ok(())
}

fn check<T>(
    (shape, from, units, dropped, to): &(Vec<usize>, Change, Vec<u8>, usize, Change),
    of: impl Fn(usize) -> T + Copy,
) -> Result<(), TestCaseError>
where
    T: Copy + Send + Sync + PartialEq + Debug,
{
    let stored = from.stored(shape, of);
    let view = from.view(&stored);
    check_dense(&view.broadcast(&shape[..]).unwrap())?;

    // Shorter axes of the source, and fewer of them, are broadcast by the assignment.
    let mut src = view.broadcast(&shape[..]).unwrap();
    for (axis, &unit) in units.iter().enumerate() {
        if unit == 0 && shape[axis] > 0 {
            src.slice_axis_inplace(Axis(axis), Slice::from(..1));
        }
    }
    for _ in 0..*dropped {
        if src.len_of(Axis(0)) > 0 {
            src.index_axis_inplace(Axis(0), 0);
        }
    }
    let to = Change { repeated: vec![false; shape.len()], ..to.clone() };
    let (mut ours, mut theirs) = (to.stored(shape, |_| of(250)), to.stored(shape, |_| of(250)));
    prop_assume!(src.broadcast(&shape[..]).is_some());
    to.view_mut(&mut ours).try_assign(&src).unwrap();
    to.view_mut(&mut theirs).assign(&src);
    prop_assert_eq!(ours, theirs);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn copies_are_those_of_ndarray(copy in copies()) {
        check(&copy, |i| i as u8)?;
        check(&copy, |i| [i as u8, (i >> 8) as u8, 7])?;
        check(&copy, |i| i as u16)?;
        check(&copy, |i| i as f32)?;
        check(&copy, |i| i as f64)?;
        check(&copy, |i| i as u128 * 0x1_0000_0001_0000_0001)?;
        #[cfg(feature = "num-complex")]
        check(&copy, |i| num_complex::Complex::new(i as f64, -(i as f64)))?;
    }

    /// Large enough for tiles, and for the pool.
    #[test]
    fn large_matrices_are_those_of_ndarray(
        (rows, columns) in (100usize..=700, 100usize..=700),
        (forwards, steps) in (any::<[bool; 2]>(), 1isize..=2),
    ) {
        let stored = numbered(rows, columns);
        let mut view = stored.t();
        (0..2).filter(|&axis| !forwards[axis]).for_each(|axis| view.invert_axis(Axis(axis)));
        let view = view.slice(s![..;steps, ..]);
        let expected = view.as_standard_layout();
        prop_assert_eq!(&view.to_standard().unwrap(), &expected);
        prop_assert_eq!(&view.to_fortran().unwrap(), &expected);
        let mut to = Array2::zeros(view.raw_dim());
        to.slice_mut(s![..;-1, ..]).try_assign(&view).unwrap();
        prop_assert_eq!(to.slice(s![..;-1, ..]), view);
    }
}

fn numbered(rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| (row * columns + column) as f32)
}

#[test]
fn every_kind_of_array_has_the_methods() {
    fn all_of<D: Dimension>(array: &ArrayRef<f32, D>) -> Array<f32, D> {
        array.to_standard().unwrap()
    }
    let mut owned = numbered(3, 4);
    let expected = owned.t().as_standard_layout().into_owned();
    assert_eq!(owned.t().to_standard().unwrap(), expected);
    assert_eq!(all_of(&owned.t()), expected);
    assert_eq!(owned.view_mut().reversed_axes().to_standard().unwrap(), expected);
    assert_eq!(CowArray::from(owned.t()).to_standard().unwrap(), expected);
    assert_eq!(arr0(7).to_fortran().unwrap(), arr0(7));

    // An array that is shared becomes one of its own before it is written.
    let mut shared: ArcArray<f32, _> = owned.to_shared();
    let kept = shared.clone();
    shared.try_assign(&ndarray::arr1(&[9.0f32; 4])).unwrap();
    assert_eq!((kept, shared[[2, 3]]), (owned.to_shared(), 9.0));

    let serial = PlanOptions::serial();
    let fortran = owned.to_order_with(Order::ColumnMajor, &serial, HugePages::Never).unwrap();
    assert_eq!((&fortran, fortran.strides()), (&owned, &[1, 3][..]));
}

#[test]
fn elements_without_bytes_are_copied() {
    let units = Array2::from_elem((3, 4), ());
    assert_eq!(units.t().to_standard().unwrap().shape(), [4, 3]);
    let mut to = Array2::from_elem((4, 3), ());
    to.try_assign(&units.t()).unwrap();
}

#[test]
fn halves_of_one_array_are_assigned_to_each_other() {
    let mut both = numbered(6, 8);
    let expected = both.slice(s![.., 1..;2]).to_owned();
    let (mut even, odd) = both.multi_slice_mut((s![.., ..;2], s![.., 1..;2]));
    even.try_assign(&odd).unwrap();
    assert_eq!(both.slice(s![.., ..;2]), expected);
    assert_eq!(both.slice(s![.., 1..;2]), expected);
}

#[test]
fn what_cannot_be_copied_is_an_error() {
    let mut to = numbered(3, 4);
    let before = to.clone();
    for (src, axis) in [
        (ArrayD::zeros(vec![3, 3]), Some(1)),
        (ArrayD::zeros(vec![3]), Some(0)),
        (ArrayD::zeros(vec![0, 4]), Some(0)),
        (ArrayD::zeros(vec![1, 3, 4]), None),
    ] {
        let expected =
            LayoutError::NotExpandable { shape: src.shape().into(), target: vec![3, 4], axis };
        assert_eq!(to.try_assign(&src), Err(CopyError::Layout(expected)), "{src:?}");
    }
    assert_eq!(to, before);

    let deep = ArrayD::<u8>::zeros(vec![1; 65]);
    let too_deep = CopyError::Layout(LayoutError::RankTooLarge { rank: 65 });
    assert_eq!(deep.to_standard(), Err(too_deep.clone()));
    let no_plan = deep.clone().try_assign(&deep).unwrap_err();
    assert!(no_plan.to_string().contains("above the limit of 64"), "{no_plan}");

    let one = Array1::from_elem(1, 1u128);
    let huge = one.broadcast((1 << 30, 1 << 30)).unwrap();
    assert!(matches!(huge.to_standard(), Err(CopyError::Allocation { .. })));
}
