//! Every path against the oracle, over random layouts, between guard pages.

mod support;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use restride::{PlanOptions, Strategy as Kernels, Threads};
use support::guarded::Against;
use support::random::{check, copy_spec};

const STRATEGIES: [Kernels; 4] =
    [Kernels::Auto, Kernels::Rows, Kernels::ScalarTiles, Kernels::SimdTiles];

#[test]
fn every_strategy_agrees_with_the_oracle_serially_and_in_parallel() {
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 1500, failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let classes = std::cell::RefCell::new(BTreeSet::new());
    let kernels = std::cell::RefCell::new(BTreeSet::new());
    runner
        .run(&(copy_spec(), any::<bool>(), any::<bool>()), |(spec, parallel, back)| {
            for strategy in STRATEGIES {
                let options = PlanOptions {
                    strategy,
                    threads: if parallel { Threads::AtMost(3) } else { Threads::Serial },
                    grain: 64,
                    ..PlanOptions::default()
                };
                let against = if back { Against::Back } else { Against::Front };
                let plan = check(&spec, &options, against);
                classes.borrow_mut().insert(plan.class().as_str());
                kernels.borrow_mut().insert(plan.kernel());
            }
            Ok(())
        })
        .unwrap();

    let classes = classes.into_inner();
    let all = ["blocked", "broadcast", "empty", "gather", "reversed", "transposed_tile", "unit"];
    assert_eq!(classes, BTreeSet::from(all), "classes reached");
    let kernels = kernels.into_inner();
    for family in ["rows", "fill", "reverse", "gather", "strided", "transpose_u8", "transpose_u16"]
        .into_iter()
        .chain(["transpose_u32", "transpose_u64", "transpose_u128"])
    {
        assert!(
            kernels.iter().any(|kernel| kernel.starts_with(family)),
            "no case reached {family}: {kernels:?}"
        );
    }
}
