//! What a tiny copy costs besides its bytes, with criterion's statistics:
//! `cargo bench --bench overhead`.
#![allow(missing_docs)] // `criterion_group!` makes an undocumented function

use core::hint::black_box;
use core::num::NonZeroUsize;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use restride::{CopySpec, Plan, PlanCache, PlanOptions};

/// A copy of elements of four bytes into dense row-major memory, from strides in elements.
struct Tiny {
    name: &'static str,
    shape: &'static [usize],
    strides: &'static [isize],
}

const COPIES: [Tiny; 4] = [
    Tiny { name: "4x3 transposed", shape: &[4, 3], strides: &[1, 4] },
    Tiny { name: "16x16 transposed", shape: &[16, 16], strides: &[1, 16] },
    Tiny { name: "8x8x3 interleaved", shape: &[3, 8, 8], strides: &[1, 24, 3] },
    Tiny { name: "2^6 reversed axes", shape: &[2; 6], strides: &[1, 2, 4, 8, 16, 32] },
];

impl Tiny {
    fn spec(&self) -> CopySpec {
        let bytes = |strides: &[isize]| -> Vec<isize> { strides.iter().map(|s| 4 * s).collect() };
        let mut dense = vec![1; self.shape.len()];
        for axis in (1..self.shape.len()).rev() {
            dense[axis - 1] = dense[axis] * self.shape[axis] as isize;
        }
        CopySpec::new(4, self.shape, &bytes(self.strides), &bytes(&dense))
    }
}

fn overhead(criterion: &mut Criterion) {
    let options = PlanOptions::default();
    for tiny in &COPIES {
        let spec = tiny.spec();
        let elements: usize = tiny.shape.iter().product();
        let source: Vec<u32> = (0..elements as u32).collect();
        let mut output = vec![0u32; elements];
        let mut execute = |plan: &Plan| {
            let (from, to) = black_box((source.as_ptr().cast(), output.as_mut_ptr().cast()));
            // SAFETY: the source's strides stay inside its elements, of which the dense output has
            // as many.
            unsafe { plan.execute_raw(from, to) };
        };
        let planned = || Plan::new(black_box(&spec), &options).expect("a copy that can be planned");

        let mut group = criterion.benchmark_group(tiny.name);
        group.throughput(Throughput::Bytes(2 * 4 * elements as u64)); // read plus written
        group.bench_function("planned and executed", |bencher| {
            bencher.iter(|| execute(&planned()));
        });
        group.bench_function("plan from the cache, executed", |bencher| {
            let mut cache = PlanCache::new(NonZeroUsize::MIN.saturating_add(15));
            bencher.iter(|| {
                let plan = cache.get_or_plan(black_box(&spec), &options);
                execute(plan.expect("a copy that can be planned"));
            });
        });
        group.bench_function("kept plan, executed", |bencher| {
            let plan = planned();
            bencher.iter(|| execute(&plan));
        });
        group.bench_function("planning alone", |bencher| bencher.iter(planned));
        group.bench_function("memcpy", |bencher| {
            let mut to = vec![0u32; elements];
            bencher.iter(|| black_box(&mut to).copy_from_slice(black_box(&source)));
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(300));
    targets = overhead
}
criterion_main!(benches);
