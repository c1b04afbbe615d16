//! Tiles of the caller's: the copy stays the same, and what cannot be is refused.

mod support;

use restride::{CopySpec, Plan, PlanError, PlanOptions, StorePolicy, TileSize};
use support::guarded::Against;
use support::random::check;

fn options(rows: u32, columns: u32, stores: StorePolicy) -> PlanOptions {
    let tile = Some(TileSize { rows, columns });
    PlanOptions { tile, stores, ..PlanOptions::serial() }
}

#[test]
fn tiles_of_any_size_copy_right() {
    // A plain transpose, aligned and not; and one whose runs are several axes.
    let transpose = |unit: isize, h: isize, w: isize| {
        CopySpec::new(
            unit as usize,
            &[w as usize, h as usize],
            &[unit, w * unit],
            &[h * unit, unit],
        )
    };
    let chains = CopySpec::new(4, &[12, 20, 24], &[4, 48, 960], &[1920, 96, 4]);
    let specs = [
        transpose(4, 320, 256),
        transpose(4, 321, 255),
        transpose(1, 512, 640),
        transpose(8, 96, 200),
        transpose(16, 70, 64),
        chains,
    ];
    for spec in specs {
        let mut tried = 0;
        for stores in [StorePolicy::Cached, StorePolicy::Streaming] {
            for (rows, columns) in [(8, 8), (32, 32), (33, 70), (128, 128), (512, 40), (200, 512)] {
                let options = options(rows, columns, stores);
                match Plan::new(&spec, &options) {
                    Ok(plan) => assert!(plan.to_string().contains(" as asked by "), "{plan}"),
                    Err(PlanError::Tile { .. }) => continue,
                    Err(error) => panic!("{error}"),
                }
                tried += 1;
                for (against, shift) in
                    [(Against::Front, 0), (Against::Back, 16), (Against::Back, 4 * 13)]
                {
                    check(&spec, std::slice::from_ref(&options), against, shift);
                }
            }
        }
        assert!(tried >= 4, "{spec:?}");
    }
}

#[test]
fn a_plan_runs_with_the_tiles_asked_for() {
    let spec = CopySpec::new(4, &[512, 512], &[4, 2048], &[2048, 4]);
    let plan = Plan::new(&spec, &options(64, 128, StorePolicy::Cached)).unwrap();
    assert!(plan.to_string().contains("32 cells of 64 x 128 as asked by"), "{plan}");
    let own = Plan::new(&spec, &PlanOptions::serial()).unwrap();
    assert!(!own.to_string().contains("asked"), "{own}");
}

#[test]
fn impossible_tiles_are_refused_with_the_nearest_possible() {
    let spec = CopySpec::new(4, &[512, 512], &[4, 2048], &[2048, 4]);
    for (rows, columns, nearest) in
        [(0, 64, (32, 64)), (64, 1, (64, 32)), (u32::MAX, 64, (1 << 16, 64))]
    {
        let error = Plan::new(&spec, &options(rows, columns, StorePolicy::Cached)).unwrap_err();
        let (nearest_rows, nearest_columns) = nearest;
        assert_eq!(error, PlanError::Tile { rows, columns, nearest_rows, nearest_columns });
    }
    let rows = CopySpec::new(4, &[64, 64], &[512, 4], &[256, 4]);
    let error = Plan::new(&rows, &options(64, 64, StorePolicy::Cached)).unwrap_err();
    assert!(matches!(error, PlanError::NoTiles { .. }), "{error}");
    assert!(error.to_string().contains("rows"), "{error}");
}
