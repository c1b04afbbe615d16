//! Any numbers at all in a copy's description: planning answers with a plan or an error value, and
//! a plan that memory can hold copies what the oracle copies.

mod support;

use proptest::prelude::*;
use restride::machine::Machine;
use restride::{CopySpec, Plan, PlanOptions, Strategy as Kernels, Threads};
use support::guarded::Against;
use support::random::check;

/// Reaches up to here are executed, in bytes.
const SMALL: isize = 1 << 20;

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0usize..=5,
        4 => 1usize..=70,
        1 => prop::sample::select(vec![
            1 << 16, 1 << 31, 1 << 32, (1 << 32) + 1, 1 << 62, isize::MAX as usize, usize::MAX,
        ]),
        1 => any::<usize>(),
    ]
}

fn stride() -> impl Strategy<Value = isize> {
    prop_oneof![
        8 => -64isize..=64,
        4 => -4096isize..=4096,
        1 => prop::sample::select(vec![
            isize::MIN, isize::MIN + 1, -1 << 32, 1 << 32, 1 << 62, isize::MAX - 1, isize::MAX,
        ]),
        1 => any::<isize>(),
    ]
}

fn elem_size() -> impl Strategy<Value = usize> {
    prop_oneof![
        12 => 0usize..=20,
        1 => prop::sample::select(vec![64, 65, 4096, 1 << 32, isize::MAX as usize, usize::MAX]),
    ]
}

/// Ranks that sometimes disagree or are too large.
fn hostile_spec() -> impl Strategy<Value = CopySpec> {
    let rank = prop_oneof![12 => 0usize..=5, 1 => 60usize..=70];
    (rank, prop_oneof![30 => Just(0usize), 1 => Just(1)]).prop_flat_map(|(rank, more)| {
        let strides = |rank| prop::collection::vec(stride(), rank);
        (elem_size(), prop::collection::vec(size(), rank), strides(rank), strides(rank + more))
            .prop_map(|(elem, shape, src, dst)| CopySpec::new(elem, &shape, &src, &dst))
    })
}

/// A destination that is dense but for its signs, so that plans exist, and a source that is
/// hostile or dense in the opposite order.
fn hostile_source() -> impl Strategy<Value = CopySpec> {
    fn make_dense<'a>(elem: usize, axes: impl Iterator<Item = (&'a mut isize, &'a usize)>) {
        let mut step = elem.clamp(1, 1 << 20) as isize;
        for (stride, &size) in axes {
            *stride = if *stride < 0 { step.wrapping_neg() } else { step };
            step = step.wrapping_mul(size as isize);
        }
    }
    (hostile_spec(), any::<bool>()).prop_map(|(mut spec, transposed)| {
        spec.dst_strides.truncate(spec.shape.len());
        make_dense(spec.elem_size, spec.dst_strides.iter_mut().zip(&spec.shape).rev());
        if transposed {
            make_dense(spec.elem_size, spec.src_strides.iter_mut().zip(&spec.shape));
        }
        spec
    })
}

fn options() -> impl Strategy<Value = PlanOptions> {
    let kernels = [Kernels::Auto, Kernels::Rows, Kernels::ScalarTiles, Kernels::SimdTiles];
    let threads = prop::sample::select(vec![0usize, 1, 3, usize::MAX]).prop_map(Threads::AtMost);
    let threads = prop_oneof![Just(Threads::Auto), Just(Threads::Serial), threads];
    let grain = prop::sample::select(vec![0usize, 1, 64, usize::MAX]);
    (prop::sample::select(kernels.to_vec()), threads, grain).prop_map(
        |(strategy, threads, grain)| PlanOptions {
            strategy,
            threads,
            grain,
            ..PlanOptions::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn planning_never_panics_and_small_plans_copy_right(
        spec in prop_oneof![hostile_spec(), hostile_source()],
        options in options(),
        back in any::<bool>(),
    ) {
        let Ok(plan) = Plan::new(&spec, &options) else { return Ok(()) };
        prop_assert!(!plan.to_string().is_empty());
        let traffic = plan.traffic(Machine::current());
        prop_assert_eq!(traffic.dst.lines == 0, plan.bytes() == 0);
        let (src, dst) = (plan.src_reach(), plan.dst_reach());
        prop_assert!(src.start <= 0 && src.end >= 0 && dst.start <= 0 && dst.end >= 0);
        prop_assert!(plan.bytes() <= (dst.end - dst.start) as usize);
        if src.end - src.start <= SMALL && dst.end - dst.start <= SMALL {
            check(&spec, &[options], if back { Against::Back } else { Against::Front }, 0);
        } else {
            // Slices too short for it are refused, whatever position is claimed.
            let mut out = [0u8; 64];
            for at in [0, 1, 64, usize::MAX] {
                prop_assert!(plan.execute_bytes(&[0; 64], at, &mut out, at).is_err());
            }
        }
    }
}
