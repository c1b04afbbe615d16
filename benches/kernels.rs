//! One plan of each class and tier beside memcpy, with criterion's statistics:
//! `cargo bench --bench kernels`.
//!
//! For comparing versions of one kernel. For figures to quote use `restride bench`: it
//! interleaves the strategies and checks every output.
#![allow(missing_docs)] // `criterion_group!` makes an undocumented function

use core::hint::black_box;
use core::ptr;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use restride::machine::Isa;
use restride::{CopySpec, Plan, PlanOptions};

/// Bytes of an element in every case.
const ELEM: isize = 4;

/// Side lengths of the square outputs: inside the second-level cache, and well beyond it.
const SIDES: [usize; 2] = [256, 2048];

/// A class of copies: the source's strides, in elements, for an output of `side × side`, and
/// where its element `[0, 0]` is.
struct Class {
    name: &'static str,
    strides: fn(side: isize) -> [isize; 2],
    first: fn(side: isize) -> isize,
}

const CLASSES: [Class; 6] = [
    Class { name: "unit", strides: |side| [side, 1], first: |_| 0 },
    Class { name: "blocked", strides: |side| [2 * side, 1], first: |_| 0 },
    Class { name: "transposed", strides: |side| [1, side], first: |_| 0 },
    Class { name: "gather", strides: |side| [2 * side, 2], first: |_| 0 },
    Class { name: "broadcast", strides: |_| [1, 0], first: |_| 0 },
    Class { name: "reversed", strides: |side| [side, -1], first: |side| side - 1 },
];

fn kernels(criterion: &mut Criterion) {
    for side in SIDES {
        let bytes = side * side * ELEM as usize;
        // No class reads beyond two elements for each of the output.
        let source: Vec<u32> = (0..2 * (side * side) as u32).collect();
        let mut output = vec![0u32; side * side];
        for class in &CLASSES {
            let step = side as isize;
            let strides = (class.strides)(step).map(|stride| stride * ELEM);
            let spec = CopySpec::new(ELEM as usize, &[side; 2], &strides, &[step * ELEM, ELEM]);
            let first = source[(class.first)(step) as usize..].as_ptr();

            let mut group = criterion.benchmark_group(format!("{}/{side}", class.name));
            group.throughput(Throughput::Bytes(2 * bytes as u64)); // read plus written
            for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
                let options = PlanOptions { isa: Some(isa), ..PlanOptions::serial() };
                let plan = Plan::new(&spec, &options).expect("these copies can be planned");
                group.bench_function(isa.as_str(), |bencher| {
                    bencher.iter(|| {
                        let to = output.as_mut_ptr().cast();
                        let (from, to) = black_box((first.cast::<u8>(), to));
                        // SAFETY: the class reaches within `source` from `first`, and the dense
                        // output of `side × side` elements is `output`.
                        unsafe { plan.execute_raw(from, to) };
                    });
                });
            }
            group.bench_function("memcpy", |bencher| {
                bencher.iter(|| {
                    let (from, to) = black_box((source.as_ptr(), output.as_mut_ptr()));
                    // SAFETY: both vectors have at least `side × side` elements.
                    unsafe { ptr::copy_nonoverlapping(from, to, black_box(side * side)) };
                });
            });
            group.finish();
        }
    }
}

criterion_group! {
    name = classes;
    config = Criterion::default()
        .measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(300));
    targets = kernels
}
criterion_main!(classes);
