//! Measures cases one after the other and tells whoever watches.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::plan::PlanOptions;

use super::BenchError;
use super::allowance::Allowance;
use super::buffers::{self, Buffer};
use super::case::Case;
use super::ceiling;
use super::context::Context;
use super::record::{
    CaseRecord, Destination, FORMAT, Fault, LeftOut, Measurement, Report, RunRecord, Settings,
};
use super::report::group_title;
use super::rounds::{self, Samples};
use super::stats::{Estimate, paired_ratios};
use super::strategy::{Contender, Copier, Field, Maker, Role, Setup, Strategy, Way};
use super::team::Team;
use super::verify;
use super::warning;

/// Learns how a benchmark goes on.
pub trait Watch<E> {
    /// A run begins.
    ///
    /// # Errors
    /// Whatever should stop the benchmark.
    fn begins(&mut self, case: &Case, threads: usize, destination: Destination) -> Result<(), E>;

    /// That run is over.
    fn ends(&mut self);

    /// A case was measured; `report` holds everything up to now.
    ///
    /// # Errors
    /// Whatever should stop the benchmark.
    fn measured(&mut self, report: &Report) -> Result<(), E>;
}

/// A report that knows its cases' names but has measured nothing yet.
pub fn empty_report(
    suite: String,
    planned: usize,
    skipped: Vec<String>,
    settings: Settings,
) -> Report {
    let context = Context::detect();
    Report {
        format: FORMAT,
        suite,
        complete: false,
        command: command(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs()),
        warnings: context.warnings(),
        context,
        settings,
        skipped,
        out_of_time: Vec::new(),
        planned,
        cases: Vec::new(),
        sequences: Vec::new(),
    }
}

/// The program's name without its folder, and its arguments.
fn command() -> Vec<String> {
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(program) = words.first_mut() {
        let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
        *program = name.unwrap_or_default();
    }
    words
}

/// Measures every case into `report`: each thread count by each kind of destination, everybody
/// in the `field` in the same rounds. Where the time is limited, some cases are left out; the
/// report names them.
///
/// # Errors
/// The first [`BenchError`], or what `watch` returned. What was measured before stays in
/// `report`. A peer's fault is no error: it leaves that peer out of the run.
pub fn run<E: From<BenchError>>(
    cases: &[Case],
    field: &Field,
    report: &mut Report,
    watch: &mut impl Watch<E>,
) -> Result<(), E> {
    let teams = Team::all(&report.settings)?;
    report.warnings.extend(teams.iter().filter_map(Team::warning));
    let last_level = report.context.last_level_bytes();
    let pace = report.settings.pace;
    let least = pace.budget * (teams.len() * Destination::ALL.len()) as f64;
    let bytes = cases.iter().map(|case| case.output_bytes);
    let mut allowance = Allowance::new(report.share_of_time(cases.len()), least, bytes);
    for case in cases {
        if !allowance.admits(case.output_bytes) {
            report.out_of_time.push(case.name.clone());
            continue;
        }
        let start = Instant::now();
        let source = case.source(report.settings.offset)?;
        let expected = verify::expected(case, &source)?;
        let mut runs = Vec::new();
        for team in &teams {
            for destination in Destination::ALL {
                if !runs.is_empty() && allowance.is_over() {
                    let rest = group_title((team.threads(), destination));
                    report.out_of_time.push(format!("{} with {rest}", case.name));
                    continue;
                }
                watch.begins(case, team.threads(), destination)?;
                let bench = Bench {
                    case,
                    source: &source,
                    expected: &expected,
                    field,
                    settings: &report.settings,
                    threads: team.threads(),
                    fits_cache: case.source_bytes() + case.output_bytes <= last_level,
                };
                runs.push(team.install(|| bench.run(destination))?);
                watch.ends();
            }
        }
        report.cases.push(record(case, runs)?);
        allowance.book(start, case.output_bytes);
        watch.measured(report)?;
    }
    Ok(())
}

/// Everything one run needs.
struct Bench<'a> {
    case: &'a Case,
    source: &'a Buffer,
    expected: &'a Buffer,
    field: &'a Field,
    settings: &'a Settings,
    threads: usize,
    fits_cache: bool,
}

impl Bench<'_> {
    /// Verifies, then times everybody. Runs on a thread of the team.
    fn run(&self, destination: Destination) -> Result<RunRecord, BenchError> {
        let Self { case, source, threads, .. } = *self;
        let mut contenders = (self.field)(&Setup { case, source, threads, destination })?;
        if destination == Destination::Reused {
            contenders.retain(|contender| matches!(contender.way, Way::Into(_)));
        }
        let (contenders, left_out) = self.verified(contenders)?;
        let samples = match destination {
            Destination::Reused => self.reused(&contenders)?,
            Destination::Fresh => self.fresh(&contenders)?,
        };
        Ok(RunRecord { left_out, ..self.judge(destination, &contenders, &samples) })
    }

    /// Those whose output is right, and the peers whose output is not.
    fn verified(
        &self,
        contenders: Vec<Contender>,
    ) -> Result<(Vec<Contender>, Vec<LeftOut>), BenchError> {
        let (mut right, mut left_out) = (Vec::new(), Vec::new());
        for contender in contenders {
            let fault = if contender.peer {
                let checked = catch_unwind(AssertUnwindSafe(|| self.wrong_byte(&contender)));
                match checked {
                    Ok(at) => at?.map(|at| Fault::Wrong { at }),
                    Err(panic) => Some(Fault::Panicked { message: words(&*panic) }),
                }
            } else {
                self.wrong_byte(&contender)?.map(|at| Fault::Wrong { at })
            };
            match fault {
                None => right.push(contender),
                Some(Fault::Wrong { at }) if !contender.peer => {
                    return Err(BenchError::WrongResult {
                        case: self.case.name.clone(),
                        strategy: contender.name,
                        threads: self.threads,
                        at,
                    });
                }
                Some(fault) => left_out.push(LeftOut { strategy: contender.name, fault }),
            }
        }
        Ok((right, left_out))
    }

    /// Lets `contender` copy once and finds the first byte of its output that is not right.
    fn wrong_byte(&self, contender: &Contender) -> Result<Option<usize>, BenchError> {
        let check = |output: &[u8]| {
            let (source, expected) = (self.source.bytes(), self.expected.bytes());
            verify::first_difference(contender, source, expected, output)
        };
        match &contender.way {
            Way::Into(copier) => {
                let (bytes, offset) = (self.case.output_bytes, self.settings.offset);
                let output = Buffer::poisoned(bytes, offset)?;
                self.copy(contender.role, &**copier, 1, output.as_mut_ptr());
                Ok(check(output.bytes()))
            }
            Way::New(maker) => {
                let mut wrong = Some(0); // an output that is never shown is wrong
                self.make(&**maker, &mut |output| wrong = check(output));
                Ok(wrong)
            }
        }
    }

    fn reused(&self, contenders: &[Contender]) -> Result<Vec<Samples>, BenchError> {
        let output = Buffer::poisoned(self.case.output_bytes, self.settings.offset)?;
        let to = output.as_mut_ptr();
        self.take(contenders.len(), |who, count| {
            let contender = &contenders[who];
            if let Way::Into(copier) = &contender.way {
                self.copy(contender.role, &**copier, count, to);
            }
            Ok(())
        })
    }

    fn fresh(&self, contenders: &[Contender]) -> Result<Vec<Samples>, BenchError> {
        let (bytes, offset) = (self.case.output_bytes, self.settings.offset);
        self.take(contenders.len(), |who, count| {
            let contender = &contenders[who];
            for _ in 0..count {
                match &contender.way {
                    Way::Into(copier) => {
                        let copy = |to| self.copy(contender.role, &**copier, 1, to);
                        buffers::with_fresh(bytes, offset, contender.pages, copy)?;
                    }
                    Way::New(maker) => self.make(&**maker, &mut |output| {
                        core::hint::black_box(output.as_ptr());
                    }),
                }
            }
            Ok(())
        })
    }

    fn take(
        &self,
        count: usize,
        mut copy: impl FnMut(usize, u32) -> Result<(), BenchError>,
    ) -> Result<Vec<Samples>, BenchError> {
        rounds::take(count, &self.settings.pace, self.fits_cache, &mut copy)
    }

    /// Copies `count` times to `to`, which has room for the case's output.
    fn copy(&self, role: Role, copier: &dyn Copier, count: u32, to: *mut u8) {
        let from = self.source.as_ptr().wrapping_add(self.case.first_byte(role));
        for _ in 0..count {
            let (from, to) = core::hint::black_box((from, to));
            // SAFETY: the source spans what the case's view reads and at least as many bytes as
            // the output has; the callers' destinations are buffers of the output's size, alive
            // and written by this thread's team only.
            unsafe { copier.run(from, to) };
        }
    }

    /// Lets `maker` copy once into memory of its own.
    fn make(&self, maker: &dyn Maker, see: &mut dyn FnMut(&[u8])) {
        let from = self.source.as_ptr().wrapping_add(self.case.first_byte(Role::Copy));
        // SAFETY: the source spans what the case's view reads.
        unsafe { maker.run(core::hint::black_box(from), see) };
    }

    /// Makes figures of the samples.
    fn judge(
        &self,
        destination: Destination,
        contenders: &[Contender],
        samples: &[Samples],
    ) -> RunRecord {
        let seconds = |name: &str| {
            let named = contenders.iter().position(|contender| contender.name == name);
            named.map_or(&[][..], |who| samples[who].seconds.as_slice())
        };
        let dense = contenders.iter().filter(|contender| contender.role == Role::Dense);
        let dense = dense.map(|contender| (contender.name.as_str(), seconds(&contender.name)));
        let memcpy = Strategy::Memcpy.name();
        let ceiling = ceiling::best(dense).unwrap_or(memcpy);
        let bytes_moved = bytes_moved(self.case) as f64;
        let ratio = |to: &str, samples: &Samples| {
            Estimate::of(&paired_ratios(seconds(to), &samples.seconds))
        };
        let measurements = contenders.iter().zip(samples).filter_map(|(contender, samples)| {
            let estimate = Estimate::of(&samples.seconds)?;
            Some(Measurement {
                strategy: contender.name.clone(),
                dense: contender.role == Role::Dense,
                repetitions: samples.repetitions,
                rounds: samples.seconds.clone(),
                seconds: estimate,
                gb_per_second: bytes_moved / estimate.median / 1e9,
                to_ceiling: ratio(ceiling, samples)?,
                to_memcpy: ratio(memcpy, samples)?,
                page_faults: samples.page_faults,
            })
        });
        let doubts = contenders.iter().zip(samples);
        let doubts = doubts.filter_map(|(contender, samples)| {
            warning::of_samples(&contender.name, &samples.seconds)
        });
        RunRecord {
            threads: self.threads,
            destination,
            ceiling: ceiling.to_owned(),
            warnings: warning::of_ceiling(seconds(ceiling)).into_iter().chain(doubts).collect(),
            measurements: measurements.collect(),
            left_out: Vec::new(),
        }
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|&words| words.to_owned());
    literal.or_else(|| panic.downcast_ref().cloned()).unwrap_or_default()
}

/// Bytes read plus bytes written by one copy.
fn bytes_moved(case: &Case) -> u64 {
    2 * case.output_bytes as u64
}

fn record(case: &Case, runs: Vec<RunRecord>) -> Result<CaseRecord, BenchError> {
    let plan = case.plan(&PlanOptions::default())?;
    Ok(CaseRecord {
        name: case.name.clone(),
        spec: case.spec.clone(),
        why: case.why.clone(),
        elem_size: case.copy.elem_size,
        shape: case.copy.shape.to_vec(),
        src_strides: case.copy.src_strides.to_vec(),
        dst_strides: case.copy.dst_strides.to_vec(),
        class: plan.class().to_string(),
        plan: without_threads(&plan.to_string()).to_owned(),
        bytes_moved: bytes_moved(case),
        runs,
    })
}

/// A plan's words without the last clause, which speaks of threads: every run has its own number.
fn without_threads(plan: &str) -> &str {
    plan.rsplit_once(", ").map_or(plan, |(words, _)| words)
}
