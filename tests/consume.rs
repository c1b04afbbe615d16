//! Sums, additions and products of random views against loops in logical order.
#![cfg(feature = "consume")]

use proptest::prelude::*;
use restride::consume::{self, Element};
use restride::{ConsumeError, Layout, Threads, View};

/// A view of any kind over a dense storage of `shape`: permuted, stepped, reversed, repeated.
#[derive(Clone, Debug)]
struct Change {
    order: Vec<u32>,
    steps: Vec<usize>,
    backward: Vec<bool>,
    repeat: Vec<bool>,
}

fn change(rank: usize) -> impl Strategy<Value = Change> {
    (
        prop::collection::vec(prop_oneof![Just(0u32), any::<u32>()], rank),
        prop::collection::vec(prop_oneof![4 => Just(1usize), 1 => 2usize..=3], rank),
        prop::collection::vec(prop_oneof![5 => Just(false), 1 => Just(true)], rank),
        prop::collection::vec(prop_oneof![7 => Just(false), 1 => Just(true)], rank),
    )
        .prop_map(|(order, steps, backward, repeat)| Change { order, steps, backward, repeat })
}

impl Change {
    /// The view with the logical shape `shape`, and the length of its storage.
    fn view(&self, shape: &[usize]) -> (Layout, usize) {
        let rank = shape.len();
        let mut axes: Vec<isize> = (0..rank as isize).collect();
        axes.sort_by_key(|&axis| self.order[axis as usize]);
        // The storage has its axes in the order `axes`, each `step` times as long.
        let stored: Vec<usize> = axes
            .iter()
            .map(|&axis| axis as usize)
            .map(|axis| if self.repeat[axis] { 1 } else { shape[axis] * self.steps[axis] })
            .collect();
        let mut layout = Layout::contiguous(&stored).unwrap();
        let len = layout.numel().max(1);
        let mut inverse = vec![0; rank];
        axes.iter().enumerate().for_each(|(place, &axis)| inverse[axis as usize] = place as isize);
        layout = layout.permute(&inverse).unwrap();
        for axis in 0..rank {
            let (step, at) = (self.steps[axis] as isize, axis as isize);
            if !self.repeat[axis] && step > 1 {
                layout = layout.slice(at, None, None, step).unwrap();
            }
            if self.backward[axis] {
                layout = layout.flip(&[at]).unwrap();
            }
        }
        let sizes: Vec<isize> = shape.iter().map(|&size| size as isize).collect();
        (layout.expand(&sizes).unwrap(), len)
    }
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        3 => prop::collection::vec(0usize..=7, 0..=4),
        2 => prop::collection::vec(1usize..=40, 1..=3),
        2 => (1usize..=200, 1usize..=200).prop_map(|(a, b)| vec![a, b]),
        1 => (1usize..=3, 1usize..=9000).prop_map(|(a, b)| vec![a, b]),
        1 => (1usize..=9000, 1usize..=20).prop_map(|(a, b)| vec![a, b]),
    ]
}

fn viewed() -> impl Strategy<Value = (Vec<usize>, Change)> {
    shape().prop_flat_map(|shape| {
        let rank = shape.len();
        (Just(shape), change(rank))
    })
}

/// Whole numbers, small enough that every sum of them is exact in every type tried.
fn data<T>(len: usize, of: impl Fn(i64) -> T) -> Vec<T> {
    (0..len as i64).map(|i| of((i * i + 7 * i) % 17 - 8)).collect()
}

fn in_order<T: Copy>(layout: &Layout, data: &[T]) -> Vec<T> {
    layout.storage_order().map(|at| data[at]).collect()
}

/// The sums along one axis, by the logical indices.
fn naive_sums<T: Element>(layout: &Layout, data: &[T], axis: usize) -> Vec<T> {
    let shape = layout.shape();
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let values = in_order(layout, data);
    let mut sums = vec![T::ZERO; outer * inner];
    for (i, &value) in values.iter().enumerate() {
        let at = i / (inner * shape[axis]) * inner + i % inner;
        sums[at] = sums[at].plus(value);
    }
    sums
}

fn check_sums<T: Element + core::fmt::Debug>(
    layout: &Layout,
    data: &[T],
    threads: Threads,
) -> Result<(), TestCaseError> {
    let view = View::new(layout.clone(), data).unwrap();
    let total = in_order(layout, data).into_iter().fold(T::ZERO, T::plus);
    prop_assert_eq!(consume::sum(&view, threads), total);
    for axis in 0..layout.rank() {
        let sums = consume::sum_axis(&view, axis as isize, threads).unwrap();
        prop_assert_eq!(sums, naive_sums(layout, data, axis), "axis {}", axis);
    }
    Ok(())
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sums_are_those_of_a_plain_loop((shape, change) in viewed()) {
        let (layout, len) = change.view(&shape);
        check_sums(&layout, &data(len, |x| x as f32), Threads::Auto)?;
        check_sums(&layout, &data(len, |x| x as f64), Threads::Serial)?;
        check_sums(&layout, &data(len, |x| (100 * x) as i8), Threads::Serial)?;
        check_sums(&layout, &data(len, |x| x as u64), Threads::AtMost(3))?;
    }

    #[test]
    fn additions_are_those_of_a_plain_loop(
        (shape, a, b, unit_a, unit_b, cut) in viewed().prop_flat_map(|(shape, a)| {
            let rank = shape.len();
            (Just(shape), Just(a), change(rank), prop::collection::vec(0u8..6, rank),
             prop::collection::vec(0u8..6, rank), 0..=rank)
        })
    ) {
        // Some axes broadcast, and the second operand may have fewer.
        let with_units = |units: &[u8]| -> Vec<usize> {
            shape.iter().zip(units).map(|(&size, &unit)| if unit == 0 { 1 } else { size }).collect()
        };
        let (a_shape, b_shape) = (with_units(&unit_a), with_units(&unit_b));
        let (a, a_len) = a.view(&a_shape);
        let (mut b, b_len) = b.view(&b_shape);
        if cut > 0 && b_shape[..cut].iter().all(|&size| size > 0) {
            for _ in 0..cut {
                b = b.select(0, 0).unwrap();
            }
        }
        let result = consume::broadcast(a.shape(), b.shape()).unwrap();
        let sizes: Vec<isize> = result.iter().map(|&size| size as isize).collect();
        let (a_data, b_data) = (data(a_len, |x| x as f32), data(b_len, |x| 100.0 * x as f32));
        let expected: Vec<f32> = in_order(&a.expand(&sizes).unwrap(), &a_data)
            .into_iter()
            .zip(in_order(&b.expand(&sizes).unwrap(), &b_data))
            .map(|(a, b)| a + b)
            .collect();
        let (a, b) = (View::new(a, &a_data).unwrap(), View::new(b, &b_data).unwrap());
        for threads in [Threads::Serial, Threads::AtMost(3)] {
            prop_assert_eq!(&consume::add(&a, &b, threads).unwrap(), &expected);
        }
    }

    #[test]
    fn products_are_those_of_a_plain_loop(
        batch in prop::collection::vec(1usize..=3, 0..=2),
        (m, k, n) in (1usize..=70, 0usize..=40, 1usize..=70),
        (a, b) in (change(4), change(4)),
        (a_rank, b_rank) in (1usize..=4, 1usize..=4),
    ) {
        let operand = |matrix: [usize; 2], vector: usize, rank: usize, change: &Change| {
            let full = [&batch[..], &matrix[..]].concat();
            let shape = match rank {
                1 => vec![vector],
                rank => full[full.len() - rank.min(full.len())..].to_vec(),
            };
            change.view(&shape)
        };
        let (a, a_len) = operand([m, k], k, a_rank, &a);
        let (b, b_len) = operand([k, n], k, b_rank, &b);
        let (a_data, b_data) = (data(a_len, |x| x as f64), data(b_len, |x| x as f64));
        // As matrices, with a batch of the same shape on either side.
        let a_matrix = if a.rank() == 1 { a.unsqueeze(0).unwrap() } else { a.clone() };
        let b_matrix = if b.rank() == 1 { b.unsqueeze(1).unwrap() } else { b.clone() };
        let outer = |layout: &Layout| layout.shape()[..layout.rank() - 2].to_vec();
        let both = consume::broadcast(&outer(&a_matrix), &outer(&b_matrix)).unwrap();
        let (rows, columns) = (a_matrix.shape()[a_matrix.rank() - 2], b_matrix.shape()[b_matrix.rank() - 1]);
        let values = |layout: &Layout, data: &[f64], matrix: [usize; 2]| {
            let sizes: Vec<isize> =
                both.iter().chain(&matrix).map(|&size| size as isize).collect();
            in_order(&layout.expand(&sizes).unwrap(), data)
        };
        let (left, right) =
            (values(&a_matrix, &a_data, [rows, k]), values(&b_matrix, &b_data, [k, columns]));
        let mut expected = Vec::new();
        for i in 0..both.iter().product() {
            for row in 0..rows {
                for column in 0..columns {
                    expected.push((0..k).map(|t| {
                        left[(i * rows + row) * k + t] * right[(i * k + t) * columns + column]
                    }).sum::<f64>());
                }
            }
        }
        let (a, b) = (View::new(a, &a_data).unwrap(), View::new(b, &b_data).unwrap());
        prop_assert_eq!(consume::matmul(&a, &b, Threads::Auto).unwrap(), expected);
    }
}

/// Large enough for every way to cut work among threads, and for several blocks.
#[test]
fn large_views_are_cut_among_threads() {
    let pool = rayon_pool();
    for (shape, ops) in [
        (&[3000, 700][..], 0),
        (&[3000, 700], 1),
        (&[500_000, 3], 0),
        (&[500_000, 3], 1),
        (&[3, 700_000], 2),
        (&[60, 70, 300], 3),
        (&[2_000_000], 0),
        (&[1_000_000], 4),
    ] {
        let dense = Layout::contiguous(shape).unwrap();
        let layout = match ops {
            0 => dense.clone(),
            1 => dense.t(),
            2 => dense.t().flip(&[0]).unwrap(),
            3 => dense.permute(&[2, 0, 1]).unwrap(),
            _ => dense.slice(0, None, None, 3).unwrap(),
        };
        let data: Vec<i32> = data(dense.numel(), |x| x as i32);
        pool.install(|| {
            check_sums(&layout, &data, Threads::AtMost(3)).unwrap();
            let view = View::new(layout.clone(), &data).unwrap();
            let other: Vec<i32> = in_order(&layout, &data).iter().map(|x| 3 * x).collect();
            let dense = Layout::contiguous(layout.shape()).unwrap();
            let other = View::new(dense, &other).unwrap();
            let expected: Vec<i32> = other.data().iter().map(|x| x / 3 * 4).collect();
            assert_eq!(consume::add(&view, &other, Threads::Auto).unwrap(), expected);
            assert_eq!(consume::add(&other, &view, Threads::Serial).unwrap(), expected);
        });
    }
}

fn rayon_pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap()
}

/// An f32 sum that a running f32 total would miss by far.
#[test]
fn long_sums_stay_exact() {
    let ones = vec![0.1f32; 1 << 24];
    let exact = 0.1f32 as f64 * (1 << 24) as f64;
    let near = |sum: f32| (f64::from(sum) - exact).abs() / exact < 1e-6;
    let row = View::new(Layout::contiguous(&[1 << 24]).unwrap(), &ones).unwrap();
    assert!(near(consume::sum(&row, Threads::Serial)));
    let column = View::new(Layout::contiguous(&[1 << 24, 1]).unwrap(), &ones).unwrap();
    assert!(near(consume::sum_axis(&column, 0, Threads::Serial).unwrap()[0]));
    // A repeated element is multiplied, not added up.
    let one = View::new(Layout::contiguous(&[1]).unwrap().expand(&[1 << 40]).unwrap(), &ones);
    assert_eq!(consume::sum(&one.unwrap(), Threads::Serial), 0.1 * (1u64 << 40) as f32);
}

#[test]
fn requests_that_cannot_be_met_are_errors() {
    let data = [1f32; 12];
    let view = |shape: &[usize]| View::new(Layout::contiguous(shape).unwrap(), &data).unwrap();
    let (a, b) = (view(&[3, 4]), view(&[3]));
    assert!(matches!(
        consume::add(&a, &b, Threads::Auto),
        Err(ConsumeError::Broadcast { axis: 1, .. })
    ));
    assert!(matches!(consume::matmul(&a, &b, Threads::Auto), Err(ConsumeError::Inner { .. })));
    assert!(matches!(consume::matmul(&a, &view(&[]), Threads::Auto), Err(ConsumeError::Scalar)));
    assert!(matches!(consume::sum_axis(&a, 2, Threads::Auto), Err(ConsumeError::Layout(_))));
    assert!(matches!(
        consume::sum_axis_into(&a, 0, Threads::Auto, &mut [0.0; 3]),
        Err(ConsumeError::OutputLength { given: 3, needed: 4 })
    ));
    // A layout outside its slice never becomes a view.
    assert!(View::new(Layout::contiguous(&[13]).unwrap(), &data).is_err());
    let huge = |shape: &[isize]| {
        View::new(Layout::contiguous(&[1]).unwrap().expand(shape).unwrap(), &data).unwrap()
    };
    let tall = huge(&[1 << 31, 1]);
    let wide = huge(&[1, 1 << 31]);
    assert!(matches!(
        consume::add(&tall, &wide, Threads::Auto),
        Err(ConsumeError::Allocation { .. })
    ));
    let wider = huge(&[1, 1 << 40]);
    assert!(matches!(consume::matmul(&tall, &wider, Threads::Auto), Err(ConsumeError::Layout(_))));
}
