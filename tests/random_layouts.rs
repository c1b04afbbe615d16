//! Every path against the oracle, over random layouts, between guard pages.

mod support;

use std::cell::RefCell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use restride::machine::Isa;
use restride::{PlanOptions, StorePolicy, Strategy as Kernels, Threads};
use support::guarded::Against;
use support::random::{check, copy_spec, interleaved_spec, lined_spec};

/// Every way to plan a copy: all tiers of this machine, all strategies, both kinds of stores.
fn options(threads: Threads) -> Vec<PlanOptions> {
    let mut all = Vec::new();
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for strategy in [Kernels::Auto, Kernels::Rows, Kernels::ScalarTiles, Kernels::SimdTiles] {
            for stores in [StorePolicy::Cached, StorePolicy::Streaming] {
                all.push(PlanOptions {
                    strategy,
                    stores,
                    isa: Some(isa),
                    grain: 64,
                    threads,
                    tile: None,
                });
            }
        }
    }
    all
}

#[test]
fn every_way_to_plan_agrees_with_the_oracle_serially_and_in_parallel() {
    let config = Config { cases: 2500, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (classes, kernels) = (RefCell::new(BTreeSet::new()), RefCell::new(BTreeSet::new()));
    let any_spec = prop_oneof![3 => copy_spec(), 2 => interleaved_spec(), 2 => lined_spec()];
    let shift = prop_oneof![Just(0usize), Just(16), 1usize..=64];
    TestRunner::new_with_rng(config, rng)
        .run(&(any_spec, any::<[bool; 2]>(), shift), |(spec, [parallel, back], shift)| {
            let threads = if parallel { Threads::AtMost(3) } else { Threads::Serial };
            let against = if back { Against::Back } else { Against::Front };
            for plan in check(&spec, &options(threads), against, shift) {
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
    let reached = |start: &str, end: &str| {
        assert!(
            kernels.iter().any(|name| name.starts_with(start) && name.ends_with(end)),
            "no case reached {start}…{end}: {kernels:?}"
        );
    };
    for family in ["rows", "fill", "reverse", "gather", "strided"] {
        reached(family, "");
    }
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for unit in ["u8", "u16", "u32", "u64", "u128"] {
            reached(&format!("transpose_{unit}_"), isa.as_str());
            // There is no fill of NEON's own.
            let fills = if isa == Isa::Neon { Isa::Portable } else { isa };
            reached(&format!("fill_{unit}_"), fills.as_str());
            if isa != Isa::Portable {
                reached(&format!("steps_{unit}_"), isa.as_str());
                reached(&format!("reverse_{unit}_"), isa.as_str());
                reached(&format!("interleave_{unit}_"), isa.as_str());
            }
        }
    }
}
