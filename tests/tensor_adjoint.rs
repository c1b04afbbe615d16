//! Adjoints against PyTorch's gradients, and against element-by-element sums.

mod truth;

use proptest::collection::vec;
use proptest::prelude::*;
use restride::layout::Reshaped;
use restride::spec::{Origin, Source, Spec, Trace};
use restride::tensor::{Additive, OnOverlap, Storage, Tensor, TensorError, ViewChain};
use restride::{Layout, LayoutError};
use truth::{Axes, lines};

fn traced(text: &str) -> Option<Trace> {
    let spec = Spec::parse(text).unwrap();
    let Source::Dense { dtype, shape } = &spec.source else { panic!("{text}: not dense") };
    let mut trace = Trace::start(Origin::dense(*dtype, shape).unwrap());
    trace.apply_all(&spec.ops, text).ok()?;
    Some(trace)
}

/// 1, 2, 3, … in logical order.
fn ramp<T: Additive>(shape: &[usize], one: T) -> Tensor<T> {
    let mut next = T::ZERO;
    let count = shape.iter().product();
    let counted = (0..count).map(|_| {
        next = next.plus(one);
        next
    });
    Tensor::from_vec(counted.collect(), shape).unwrap()
}

#[test]
fn gradients_of_every_chain_are_pytorchs() {
    let (mut chains, mut with_copies) = (0, 0);
    for case in lines("torch_chain.jsonl") {
        let Some(expected) = case.get("grad_of_arange1") else { continue };
        let (shape, result) = (case["shape"].sizes(), case["out_shape"].sizes());
        let text = format!("f32{shape:?}{}", case["chain"].as_str().unwrap());
        let chain = ViewChain::of_trace(&traced(&text).unwrap()).unwrap();
        let ints = chain.vjp(&ramp(&result, 1i64)).unwrap();
        assert_eq!(ints.shape(), shape, "{text}");
        let expected: Vec<i64> = expected.signed().iter().map(|&n| n as i64).collect();
        assert_eq!(ints.to_vec().unwrap(), expected, "{text}");
        let floats = chain.vjp(&ramp(&result, 1f32)).unwrap().to_vec().unwrap();
        assert!(floats.iter().zip(&expected).all(|(&f, &n)| f as i64 == n), "{text}");
        // The same gradient laid out column by column.
        let backwards = ramp(&result, 1i64).t().contiguous().unwrap().t();
        assert_eq!(chain.vjp(&backwards).unwrap().to_vec().unwrap(), expected, "{text}");

        if chain.is_view() {
            let x = ramp(&shape, 1i64);
            let view = Tensor::from_storage(x.storage().clone(), chain.layout().clone()).unwrap();
            let grad = x.grad_through(&view, &ramp(&result, 1i64)).unwrap();
            assert_eq!(grad.to_vec().unwrap(), expected, "{text}");
        }
        chains += 1;
        with_copies += usize::from(!chain.is_view());
    }
    assert!(chains > 500 && with_copies > 50, "only {chains} gradients, {with_copies} with copies");
}

/// The gradient of one storage, element by element.
fn scattered(view: &Layout, len: usize, grad: &[i64]) -> Vec<i64> {
    let mut storage = vec![0i64; len];
    for (place, value) in view.storage_order().zip(grad) {
        storage[place] = storage[place].wrapping_add(*value);
    }
    storage
}

fn through(
    shape: &[usize],
    operation: impl Fn(&Tensor<i64>) -> Result<Tensor<i64>, LayoutError>,
) -> Vec<i64> {
    let x = ramp(shape, 1i64);
    let view = operation(&x).unwrap();
    let grad = ramp(view.shape(), 1i64);
    let result = x.grad_through(&view, &grad).unwrap();
    let expected = scattered(view.layout(), x.storage().len(), &grad.to_vec().unwrap());
    let found = result.to_vec().unwrap();
    assert_eq!(found, expected);
    found
}

#[test]
fn each_operation_has_its_adjoint() {
    assert_eq!(through(&[2, 3], |x| x.permute(&[1, 0])), [1, 3, 5, 2, 4, 6]);
    assert_eq!(through(&[2, 1], |x| x.expand(&[2, 3])), [6, 15]);
    assert_eq!(through(&[1, 2], |x| x.expand(&[3, 2])), [9, 12]);
    assert_eq!(through(&[6], |x| x.slice(0, Some(1), None, 2)), [0, 1, 0, 2, 0, 3]);
    assert_eq!(through(&[6], |x| x.slice(0, None, None, -2)), [0, 3, 0, 2, 0, 1]);
    assert_eq!(through(&[2, 2], |x| x.select(1, 1)), [0, 1, 0, 2]);
    assert_eq!(through(&[4], |x| x.view(&[2, 2])), [1, 2, 3, 4]);
    assert_eq!(through(&[4], |x| x.unfold(0, 2, 1)), [1, 5, 9, 6]);
    assert_eq!(through(&[5], |x| x.as_strided(&[2, 2], &[1, 1], Some(2))), [0, 0, 1, 5, 4]);
    assert_eq!(through(&[2, 2], |x| x.diagonal(0, 0, 1)), [1, 0, 0, 2]);
    assert_eq!(through(&[3], |x| x.flip(&[0])), [3, 2, 1]);
    assert_eq!(through(&[3], |x| x.narrow(0, 3, 0)), [0, 0, 0]);
    assert_eq!(through(&[], |x| x.expand(&[4])), [10]);
}

#[test]
fn an_expanded_gradient_is_read_as_it_is() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2, 1]).unwrap();
    let one = Tensor::from_vec(vec![1.0f32], &[]).unwrap().expand(&[2, 3]).unwrap();
    assert_eq!(
        x.grad_through(&x.expand(&[2, 3]).unwrap(), &one).unwrap().to_vec().unwrap(),
        [3.0; 2]
    );
}

#[test]
fn a_source_that_is_itself_a_view_gets_a_dense_gradient_of_its_own_shape() {
    let base = ramp(&[4, 6], 1i64);
    let x = base.slice(1, Some(1), None, 2).unwrap().t(); // shape [3, 4]
    let y = x.select(0, 2).unwrap().expand(&[2, 4]).unwrap();
    let grad = x.grad_through(&y, &ramp(&[2, 4], 1)).unwrap();
    assert_eq!((grad.shape(), grad.is_contiguous()), (&[3, 4][..], true));
    assert_eq!(grad.to_vec().unwrap(), [0, 0, 0, 0, 0, 0, 0, 0, 6, 8, 10, 12]);
    // What as_strided shows beside the source counts for nothing.
    let all = x.as_strided(&[24], &[1], Some(0)).unwrap();
    let grad = x.grad_through(&all, &ramp(&[24], 1)).unwrap();
    assert_eq!(grad.to_vec().unwrap(), [2, 8, 14, 20, 4, 10, 16, 22, 6, 12, 18, 24]);
}

#[test]
fn gradients_that_do_not_fit_are_refused() {
    let x = ramp(&[2, 3], 1i32);
    let wrong = x.grad_through(&x.t(), &ramp(&[2, 3], 1)).unwrap_err();
    let differ = LayoutError::ShapesDiffer { src: vec![2, 3], dst: vec![3, 2] };
    assert_eq!(wrong, TensorError::Layout(differ));
    let apart = x.grad_through(&ramp(&[2, 3], 1), &ramp(&[2, 3], 1)).unwrap_err();
    assert_eq!(apart, TensorError::NoView);
    let expanded = x.expand(&[2, 2, 3]).unwrap();
    let refused = expanded.grad_through(&expanded, &ramp(&[2, 2, 3], 1)).unwrap_err();
    assert!(matches!(refused, TensorError::SharedGradient { certain: true, .. }));
    let open = x.write().unwrap();
    let held = ramp(&[2, 3], 1).grad_through(&x, &x).unwrap_err();
    assert_eq!(held, TensorError::NoView);
    let chain = ViewChain::new(&[2, 3]).unwrap();
    assert_eq!(chain.vjp(&x).unwrap_err(), TensorError::InUse { wanted: "read" });
    drop(open);
    assert_eq!(chain.vjp(&x).unwrap().to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    let wrong = chain.vjp(&x.t()).unwrap_err();
    assert!(wrong.to_string().starts_with("the source has shape [3, 2]"), "{wrong}");

    let mut chain = ViewChain::new(&[6]).unwrap();
    let outside = chain.then(|_| Layout::contiguous(&[7])).unwrap_err();
    assert_eq!(outside, LayoutError::OutOfStorage { first: 0, last: 6, storage_len: 6 });
    let other = chain.then(|_| Ok(Reshaped::Copy(Layout::contiguous(&[5])?))).unwrap_err();
    assert_eq!(other.kind().as_str(), "size_mismatch");
    assert_eq!(chain.layout().shape(), [6], "a refused operation leaves the chain as it was");
}

#[test]
fn integers_wrap_around() {
    let x = Tensor::from_vec(vec![0u8], &[1]).unwrap();
    let y = x.expand(&[300]).unwrap();
    let grad = Tensor::from_vec(vec![1u8; 300], &[300]).unwrap();
    assert_eq!(x.grad_through(&y, &grad).unwrap().to_vec().unwrap(), [44]);
}

#[test]
fn long_sums_of_floats_stay_accurate() {
    // Added up one after another, 2^24 ones and another two stay at 2^24.
    let count = (1 << 24) + 2;
    let x = Tensor::from_vec(vec![0f32], &[1]).unwrap();
    let ones = Tensor::from_vec(vec![1f32; count], &[count]).unwrap();
    let grad = x.grad_through(&x.expand(&[count as isize]).unwrap(), &ones).unwrap();
    assert_eq!(grad.to_vec().unwrap(), [count as f32]);
}

/// An operation of a random chain, from a few numbers; one that is refused changes nothing.
fn apply(layout: &Layout, len: usize, [kind, a, b]: [u8; 3]) -> Result<Reshaped, LayoutError> {
    let rank = layout.rank().max(1) as isize;
    let axis = a as isize % rank;
    let numel = layout.numel() as isize;
    match kind % 12 {
        0 => Ok(layout.t()),
        1 => layout.transpose(axis, b as isize % rank),
        2 => layout.flip(&[axis]),
        3 => layout.slice(axis, Some(b as isize % 3), None, 1 + b as isize % 2),
        4 => layout.select(axis, b as isize % 2),
        5 => {
            let more: Vec<isize> =
                [1 + b as isize % 3].into_iter().chain((0..layout.rank()).map(|_| -1)).collect();
            layout.expand(&more)
        }
        6 => layout.unfold(axis, 1 + b as isize % 3, 1 + b as isize % 2),
        7 => layout.as_strided(&[2, 3], &[b as isize % 3, 1], Some(a as isize % 4), len),
        8 => layout.diagonal(b as isize % 2, axis, (axis + 1) % rank),
        9 => return layout.flatten(0, -1),
        10 if numel % 2 == 0 => return layout.reshape(&[-1, 2]),
        _ => return Ok(layout.to_contiguous()),
    }
    .map(Reshaped::View)
}

/// A side of an accumulate: sizes, and how its axes lie.
fn sides() -> impl Strategy<Value = (Vec<usize>, [Layout; 2])> {
    let shapes = prop_oneof![
        vec(1..6usize, 0..5),
        vec(1..70usize, 1..4),
        (1..200usize, 1..200usize).prop_map(|(a, b)| vec![a, b]),
        (1..700usize, 1..60usize, any::<bool>())
            .prop_map(|(a, b, long)| { if long { vec![a, b] } else { vec![b, a] } }),
        (1..4usize, 100..3000usize, 1..9usize).prop_map(|(a, b, c)| vec![a, b, c]),
        vec(2..4usize, 5..8),
    ];
    shapes.prop_flat_map(|shape| {
        let rank = shape.len();
        let side = || {
            let shape = shape.clone();
            let axis = (any::<u8>(), 0..12u8, prop_oneof![6 => Just(0usize), 1 => 1..4usize]);
            (vec(axis, rank), any::<bool>())
                .prop_map(move |(axes, plain)| lay_out(&shape, &axes, plain))
        };
        (side(), side()).prop_map({
            let shape = shape.clone();
            move |(to, from)| (shape.clone(), [to, from])
        })
    })
}

/// The axes in memory in the order of their keys, with gaps, some backwards, and, unless `plain`,
/// some repeated or overlapping.
fn lay_out(shape: &[usize], axes: &[(u8, u8, usize)], plain: bool) -> Layout {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    order.sort_by_key(|&axis| axes[axis].0 / 64);
    let mut strides = vec![0isize; shape.len()];
    let mut step = 1usize;
    for axis in order {
        let (_, how, gap) = axes[axis];
        step += gap;
        strides[axis] = match how {
            0 if !plain => 0,
            1 if !plain => 1 + gap as isize,
            2 => -(step as isize),
            _ => step as isize,
        };
        step *= shape[axis];
    }
    let back: usize = shape
        .iter()
        .zip(&strides)
        .map(|(&size, &stride)| if stride < 0 { (size - 1) * stride.unsigned_abs() } else { 0 })
        .sum();
    Layout::from_parts(shape, &strides, back + 1, usize::MAX).unwrap()
}

/// As many elements as `layout` needs, none like another, so that a misplaced one shows.
fn elements(layout: &Layout, salt: i64) -> Vec<i64> {
    let len = layout.required_len() as i64 + 2;
    (0..len).map(|i| (i + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    /// `⟨A x, y⟩ == ⟨x, Aᵀ y⟩`, exactly, since integers wrap around.
    #[test]
    fn random_chains_and_their_adjoints_agree(
        shape in vec(1..6usize, 0..4),
        operations in vec(any::<[u8; 3]>(), 0..7),
        transposed in any::<bool>(),
    ) {
        let mut chain = ViewChain::new(&shape).unwrap();
        let x: Vec<i64> = elements(chain.layout(), 3)[..chain.layout().numel()].to_vec();
        let mut y = Tensor::from_vec(x.clone(), &shape).unwrap();
        for operation in operations {
            let (len, before) = (chain.storage_len(), chain.layout().clone());
            if chain.then(|layout| apply(layout, len, operation)).is_err() {
                continue;
            }
            if chain.layout().numel() > 5000 {
                return Ok(());
            }
            y = match apply(&before, len, operation).unwrap() {
                Reshaped::View(view) => Tensor::from_storage(y.storage().clone(), view).unwrap(),
                Reshaped::Copy(dense) => {
                    Tensor::from_storage(Storage::new(y.to_vec().unwrap()), dense).unwrap()
                }
            };
            prop_assert_eq!(chain.layout(), y.layout());
        }
        let values = elements(&Layout::contiguous(y.shape()).unwrap(), 11)[..y.numel()].to_vec();
        let mut grad = Tensor::from_vec(values, y.shape()).unwrap();
        if transposed {
            grad = grad.t().contiguous().unwrap().t();
        }
        let dot = |a: &[i64], b: &[i64]| {
            a.iter().zip(b).fold(0i64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
        };
        let back = chain.vjp(&grad).unwrap();
        prop_assert_eq!(back.shape(), &shape[..]);
        let forward = dot(&y.to_vec().unwrap(), &grad.to_vec().unwrap());
        prop_assert_eq!(forward, dot(&x, &back.to_vec().unwrap()));
    }

    #[test]
    fn gradients_of_random_views_are_the_sums_at_each_place((_, [view, from]) in sides()) {
        let len = view.required_len() + 3;
        let x = Tensor::from_vec(vec![0i64; len], &[len]).unwrap();
        let seen = Tensor::from_storage(x.storage().clone(), view.clone()).unwrap();
        let grad = Tensor::from_storage(Storage::new(elements(&from, 1)), from).unwrap();
        let expected = scattered(&view, len, &grad.to_vec().unwrap());
        prop_assert_eq!(x.grad_through(&seen, &grad).unwrap().to_vec().unwrap(), expected);
    }

    #[test]
    fn adding_to_strided_places_adds_there_and_nowhere_else((_, [to, from]) in sides()) {
        let values = elements(&to, 7);
        let x = Tensor::from_storage(Storage::new(values.clone()), to.clone()).unwrap();
        let src = Tensor::from_storage(Storage::new(elements(&from, 1)), from).unwrap();
        match x.add_from(&src, OnOverlap::Refuse) {
            Ok(()) => {
                let mut expected = values;
                for (place, value) in to.storage_order().zip(src.to_vec().unwrap()) {
                    expected[place] = expected[place].wrapping_add(value);
                }
                let open = x.read().unwrap();
                prop_assert_eq!(open.elements(), &expected[..]);
            }
            Err(error) => {
                let refused = matches!(error, TensorError::SelfOverlap { .. });
                prop_assert!(refused, "{}", error);
            }
        }
    }

    #[test]
    fn elements_of_any_size_are_added((_, [view, from]) in sides(), small in any::<bool>()) {
        let len = view.required_len();
        let ints: Vec<i64> = elements(&from, 1);
        let expected = {
            let grad = Tensor::from_storage(Storage::new(ints.clone()), from.clone()).unwrap();
            scattered(&view, len, &grad.to_vec().unwrap())
        };
        if small {
            let grad = ints.iter().map(|&i| i as u8).collect();
            let grad = Tensor::from_storage(Storage::new(grad), from).unwrap();
            let x = Tensor::from_vec(vec![0u8; len], &[len]).unwrap();
            let seen = Tensor::from_storage(x.storage().clone(), view).unwrap();
            let sums = x.grad_through(&seen, &grad).unwrap().to_vec().unwrap();
            prop_assert!(sums.iter().zip(&expected).all(|(&sum, &e)| sum == e as u8));
        } else {
            let grad = ints.iter().map(|&i| i as i128).collect();
            let grad = Tensor::from_storage(Storage::new(grad), from).unwrap();
            let x = Tensor::from_vec(vec![0i128; len], &[len]).unwrap();
            let seen = Tensor::from_storage(x.storage().clone(), view).unwrap();
            let sums = x.grad_through(&seen, &grad).unwrap().to_vec().unwrap();
            prop_assert!(sums.iter().zip(&expected).all(|(&sum, &e)| sum as i64 == e));
        }
    }
}
