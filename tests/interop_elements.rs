//! Halves and complex numbers: copies, sums, additions, gradients.
#![cfg(all(feature = "consume", feature = "half", feature = "num-complex"))]

use half::{bf16, f16};
use num_complex::Complex;
use restride::consume::{self, Element};
use restride::tensor::{Tensor, ViewChain};
use restride::{Layout, Threads, View, contiguous};

/// Whole numbers, whose sums are exact in every type as long as they stay below 256.
fn check<T: Element + std::fmt::Debug>(of: impl Fn(i32) -> T) {
    let dense = Layout::contiguous(&[6, 5, 7]).unwrap();
    let number = |i: usize| (i * i + 7 * i) as i32 % 17 - 8;
    let data: Vec<T> = (0..dense.numel()).map(|i| of(number(i))).collect();
    let views = [
        dense.clone(),
        dense.permute(&[2, 0, 1]).unwrap(),
        dense.flip(&[0, 2]).unwrap().slice(1, None, None, 2).unwrap(),
        dense.narrow(1, 2, 1).unwrap().expand(&[6, 4, 7]).unwrap(),
    ];
    for layout in views {
        let numbers: Vec<i32> = layout.storage_order().map(number).collect();
        let copied = contiguous(&layout, &data).unwrap();
        assert_eq!(copied, numbers.iter().map(|&x| of(x)).collect::<Vec<T>>());

        let view = View::new(layout.clone(), &data).unwrap();
        assert_eq!(consume::sum(&view, Threads::Auto), of(numbers.iter().sum()));
        let inner = layout.shape()[1] * layout.shape()[2];
        let sums: Vec<T> =
            (0..inner).map(|j| of(numbers.iter().skip(j).step_by(inner).sum())).collect();
        assert_eq!(consume::sum_axis(&view, 0, Threads::Serial).unwrap(), sums);

        let doubled = consume::add(&view, &view, Threads::Auto).unwrap();
        assert_eq!(doubled, numbers.iter().map(|&x| of(2 * x)).collect::<Vec<T>>());
    }

    let mut chain = ViewChain::new(&[2, 1]).unwrap();
    chain.then(|x| x.expand(&[2, 3])).unwrap().then(|x| Ok(x.t())).unwrap();
    let grad = Tensor::from_vec((1..=6).map(&of).collect(), &[3, 2]).unwrap();
    assert_eq!(chain.vjp(&grad).unwrap().to_vec().unwrap(), [of(9), of(12)]);
}

#[test]
fn elements_are_copied_and_added_up() {
    check(|x| f16::from_f32(x as f32));
    check(|x| bf16::from_f32(x as f32));
    check(|x| Complex::new(x as f32, -2.0 * x as f32));
    check(|x| Complex::new(x as f64, 1.5 * x as f64));
    check(|x| Complex::new(f16::from_f32(x as f32), f16::from_f32(1.0) * f16::from_f32(-x as f32)));
}

/// A sum in halves would stop growing at 2048, or 256.
#[test]
fn long_sums_of_halves_do_not_get_stuck() {
    let len = 1 << 20;
    let (ones, small) = (vec![bf16::ONE; len], vec![f16::from_f32(1.0 / 64.0); len]);
    for shape in [[1, len], [len, 1], [1024, 1024]] {
        let view = Layout::contiguous(&shape).unwrap();
        let sum = consume::sum(&View::new(view.clone(), &ones).unwrap(), Threads::Auto);
        assert_eq!(sum, bf16::from_f32(len as f32));
        let sum = consume::sum(&View::new(view, &small).unwrap(), Threads::Auto);
        assert_eq!(sum, f16::from_f32(len as f32 / 64.0));
    }
}
