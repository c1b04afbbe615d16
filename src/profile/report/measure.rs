//! Puts a profile together: the clock by `bench`, the rest by the streams of the same plans.

use rayon::prelude::*;

use super::{FORMAT, Predicted, Profile, Profiled, limits};
use crate::bench::BenchError;
use crate::bench::buffers::Buffer;
use crate::bench::case::Case;
use crate::bench::prepared::Prepared;
use crate::bench::record::{Destination, Report, Settings as BenchSettings};
use crate::bench::rounds::Pace;
use crate::bench::run::{self, Watch};
use crate::bench::strategy::{Strategy, strategies};
use crate::machine::Machine;
use crate::plan::{PlanOptions, Strategy as Family};
use crate::profile::counters::{Counted, Counters};
use crate::profile::simulate::{Caches, Counts, ShapeError, Simulator};
use crate::profile::stream::{self, Places};

/// How a profile is taken.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads of the measured copies.
    pub threads: usize,
    /// Rounds of the clock.
    pub pace: Pace,
    /// What is simulated.
    pub caches: Caches,
    /// Accesses of a strategy after which the simulation ends; the rest of the copy is taken to be
    /// like the part before.
    pub accesses: u64,
}

/// A bench run without onlookers.
struct Nobody;

impl Watch<BenchError> for Nobody {
    fn begins(&mut self, _: &Case, _: usize, _: Destination) -> Result<(), BenchError> {
        Ok(())
    }

    fn ends(&mut self) {}

    fn measured(&mut self, _: &Report) -> Result<(), BenchError> {
        Ok(())
    }
}

/// Profiles `case`. `step` is told what comes next.
///
/// # Errors
/// [`BenchError`] of the measurement; what is simulated was checked before ([`Caches::check`]).
pub fn profile(
    case: &Case,
    settings: &Settings,
    step: &dyn Fn(&'static str),
) -> Result<Profile, BenchError> {
    step("timing");
    let (threads, pace) = (vec![settings.threads], settings.pace);
    let bench = BenchSettings { threads, pace, offset: 0, pin: true };
    let mut report = run::empty_report("profile".into(), 1, Vec::new(), bench);
    run::run(std::slice::from_ref(case), &strategies, &mut report, &mut Nobody)?;
    let (_, timed) = report
        .runs((settings.threads, Destination::Reused))
        .next()
        .ok_or_else(|| BenchError::NothingLeft { why: "nothing was measured".into() })?;

    step("simulating");
    let all = Strategy::all();
    let simulated: Vec<Result<_, BenchError>> = all
        .par_iter()
        .map(|&strategy| simulate(case, strategy, &settings.caches, settings.accesses))
        .collect();
    step("counting");
    let (counted, not_counted) = count(case, &all)?;

    let plan = case.plan(&PlanOptions::default())?;
    let machine = Machine::current();
    let traffic = plan.traffic(machine);
    let predicted = Predicted {
        src_lines: traffic.src.lines,
        dst_lines: traffic.dst.lines,
        src_pages: traffic.src.pages,
        dst_pages: traffic.dst.pages,
        plain_loop_src_lines: traffic.plain_loop_src_lines,
    };
    let mut profiles = Vec::new();
    for ((strategy, simulated), counted) in all.into_iter().zip(simulated).zip(counted) {
        let (simulated, simulated_share) = simulated?;
        let Some(measured) = timed.of(strategy.name()) else { continue };
        profiles.push(Profiled {
            strategy: strategy.name().into(),
            dense: measured.dense,
            seconds: measured.seconds.median,
            noise: measured.seconds.noise(),
            gb_per_second: measured.gb_per_second,
            to_ceiling: measured.to_ceiling.median,
            predicted_lines: match strategy {
                Strategy::Naive | Strategy::Rows => {
                    traffic.plain_loop_src_lines + traffic.dst.lines
                }
                Strategy::Memcpy | Strategy::StreamingCopy => {
                    2 * case.output_bytes.div_ceil(machine.line)
                }
                _ => traffic.src.lines + traffic.dst.lines,
            },
            simulated,
            simulated_share,
            counted,
            limit: String::new(),
        });
    }
    let mut profile = Profile {
        format: FORMAT,
        spec: case.spec.clone(),
        class: plan.class().to_string(),
        plan: plan.to_string(),
        in_short: String::new(),
        elem_size: case.copy.elem_size,
        shape: case.copy.shape.to_vec(),
        src_strides: case.copy.src_strides.to_vec(),
        dst_strides: case.copy.dst_strides.to_vec(),
        output_bytes: case.output_bytes,
        threads: settings.threads,
        cpu: report.context.cpu.clone(),
        caches: settings.caches.clone(),
        line: machine.line,
        predicted,
        ceiling: timed.ceiling.clone(),
        strategies: profiles,
        not_counted,
        warnings: report.warnings.iter().chain(&timed.warnings).cloned().collect(),
    };
    let sentences: Vec<String> =
        profile.strategies.iter().map(|one| limits::sentence(&profile, one)).collect();
    for (one, limit) in profile.strategies.iter_mut().zip(sentences) {
        one.limit = limit;
    }
    profile.in_short = limits::in_short(&profile);
    Ok(profile)
}

/// Where simulated buffers lie: as large allocations of glibc's do, 16 bytes behind the start of a
/// page, and not all in the same sets of a large cache.
fn places(case: &Case, strategy: Strategy) -> Places {
    let dense = matches!(strategy, Strategy::Memcpy | Strategy::StreamingCopy);
    let first = if dense { 0 } else { case.first };
    Places {
        src: (1 << 40) + 16 + case.phase() + first,
        dst: (1 << 41) + 0x35_000 + 16,
        own: (1 << 42) + 0x7_000,
    }
}

/// The accesses of a strategy on one thread, simulated; and how much of the copy that was.
fn simulate(
    case: &Case,
    strategy: Strategy,
    caches: &Caches,
    accesses: u64,
) -> Result<(Counts, f64), BenchError> {
    let invalid = |error: ShapeError| BenchError::NothingLeft { why: error.to_string() };
    let mut simulator = Simulator::new(caches).map_err(invalid)?.up_to(accesses);
    let written = stream(case, strategy, places(case, strategy), &mut simulator)?;
    let share = written as f64 / case.output_bytes as f64;
    Ok((simulator.counts().scaled(1.0 / share), share))
}

/// Feeds the accesses of a strategy to `sink`; returns the bytes written when it ended.
///
/// # Errors
/// [`BenchError::Plan`] when the planner refuses the copy.
pub fn stream(
    case: &Case,
    strategy: Strategy,
    places: Places,
    sink: &mut impl stream::Sink,
) -> Result<u64, BenchError> {
    let family = match strategy {
        Strategy::Naive => return Ok(stream::naive(&case.copy, places, sink)),
        Strategy::Memcpy => return Ok(stream::dense(case.output_bytes, places, false, sink)),
        Strategy::StreamingCopy => {
            return Ok(stream::dense(case.output_bytes, places, true, sink));
        }
        Strategy::Rows => Family::Rows,
        Strategy::ScalarTiles => Family::ScalarTiles,
        Strategy::SimdTiles => Family::SimdTiles,
        Strategy::Restride => Family::Auto,
    };
    let plan = case.plan(&PlanOptions { strategy: family, ..PlanOptions::serial() })?;
    Ok(stream::plan(&plan, places, sink))
}

/// Runs every strategy once on this thread under the hardware's counters, after a run without; or
/// says why not.
fn count(
    case: &Case,
    all: &[Strategy],
) -> Result<(Vec<Option<Counted>>, Option<String>), BenchError> {
    let mut counters = match Counters::open() {
        Ok(counters) => counters,
        Err(why) => return Ok((vec![None; all.len()], Some(why))),
    };
    let source = case.source(0)?;
    let mut output = Buffer::poisoned(case.output_bytes, 0)?;
    let mut counted = Vec::new();
    for &strategy in all {
        let prepared = Prepared::new(strategy, case, 1)?;
        prepared.run(&source, &mut output);
        counted.push(Some(counters.during(|| prepared.run(&source, &mut output))));
    }
    Ok((counted, None))
}
