//! A transpose with tiles of every shape.

use super::points::{Progress, Settings, bandwidths};
use super::{Kind, Map, Planned};
use crate::bench::BenchError;
use crate::bench::case::Case;
use crate::bench::prepared::Prepared;
use crate::bench::stats::median;
use crate::bench::strategy::Strategy;
use crate::error::PlanError;
use crate::plan::{PlanOptions, TileSize};

/// The longest extent of a tile.
const LONGEST: u32 = 4096;
/// An extent that every kernel can take on either side.
const ALWAYS: u32 = 128;

/// The options for tiles of `rows × columns`.
fn options(rows: u32, columns: u32) -> PlanOptions {
    PlanOptions { tile: Some(TileSize { rows, columns }), ..PlanOptions::serial() }
}

/// Whether the copy can have such tiles.
fn is_possible(case: &Case, rows: u32, columns: u32) -> Result<bool, BenchError> {
    match case.plan(&options(rows, columns)) {
        Ok(_) => Ok(true),
        Err(BenchError::Plan { error: PlanError::Tile { .. }, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Extents to try that are `possible`: doubling, up to a whole axis.
fn extents(
    case: &Case,
    possible: impl Fn(u32) -> Result<bool, BenchError>,
) -> Result<Vec<u32>, BenchError> {
    let longest = case.copy.shape.iter().copied().max().unwrap_or(1);
    let longest = u32::try_from(longest).map_or(LONGEST, |longest| longest.min(LONGEST));
    let mut extents = Vec::new();
    for extent in (0..).map(|power| 1 << power).take_while(|&extent| extent <= longest.max(ALWAYS))
    {
        if possible(extent)? {
            extents.push(extent);
        }
    }
    Ok(extents)
}

pub(super) fn sweep(
    case: &Case,
    settings: &Settings,
    progress: Progress<'_>,
) -> Result<Map, BenchError> {
    let rows = extents(case, |rows| is_possible(case, rows, ALWAYS))?;
    let columns = extents(case, |columns| is_possible(case, ALWAYS, columns))?;
    let plan = case.plan(&PlanOptions::serial())?;
    let cells = plan.nest().map_or((0, 0), |(nest, ..)| (nest.p.block(), nest.q.block()));
    let mut rates = Vec::new();
    let (mut planned_rates, mut memcpy_rates) = (Vec::new(), Vec::new());
    for (done, &height) in rows.iter().enumerate() {
        progress(done, rows.len());
        let mut prepared = vec![
            Prepared::planned(case, &PlanOptions::serial())?,
            Prepared::new(Strategy::Memcpy, case, 1)?,
        ];
        for &width in &columns {
            prepared.push(Prepared::planned(case, &options(height, width))?);
        }
        // A budget for each of them, as other sweeps have for two or three.
        let pace = settings.pace.times(prepared.len() as f64 / 3.0);
        let mut measured = bandwidths(case, &prepared, &pace)?.into_iter();
        planned_rates.extend(measured.next());
        memcpy_rates.extend(measured.next());
        rates.push(measured.collect());
    }
    let middle = |rates: &[f64]| median(rates).unwrap_or(f64::NAN);
    Ok(Map {
        kind: Kind::Tile,
        title: format!("{} by the shape of its tiles, one thread", case.name),
        rows,
        columns,
        rates,
        planned: Planned { plan: plan.to_string(), cells, rate: middle(&planned_rates) },
        memcpy: middle(&memcpy_rates),
    })
}
