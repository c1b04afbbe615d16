//! Samples taken in rounds: everybody once in every round, in an order that changes.
//!
//! Measuring one strategy after the other would charge every slow spell of the machine to
//! whoever was running; in rounds it hits all of them alike.

use core::ffi::c_long;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::buffers::mix;

/// When to stop, and how long one sample lasts at least.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Rounds taken whatever they cost.
    pub min_rounds: usize,
    /// Rounds after which to stop.
    pub max_rounds: usize,
    /// Seconds after which no further round begins, once there are `min_rounds`.
    pub budget: f64,
    /// A shorter copy is repeated within a sample until the sample lasts this many seconds.
    pub min_sample: f64,
    /// A strategy whose copy takes more seconds than this is sampled once, before the first round.
    #[serde(default)]
    pub patience: Option<f64>,
    /// Seconds that the whole benchmark should take: cases that would take longer are left out.
    #[serde(default)]
    pub limit: Option<f64>,
}

impl Pace {
    /// Enough for intervals of a few per cent on a quiet machine.
    pub const DEFAULT: Self = Self {
        min_rounds: 5,
        max_rounds: 30,
        budget: 0.6,
        min_sample: 20e-6,
        patience: None,
        limit: None,
    };

    /// A first look, over within two minutes whatever the suite.
    pub const QUICK: Self = Self {
        min_rounds: 3,
        max_rounds: 15,
        budget: 0.1,
        min_sample: 20e-6,
        patience: Some(0.25),
        limit: Some(90.0),
    };
}

impl Pace {
    /// The same with another budget.
    pub fn times(self, factor: f64) -> Self {
        Self { budget: self.budget * factor, ..self }
    }
}

/// Seconds from which on a copy is not warmed up.
const LONG: f64 = 0.02;

/// Samples of one strategy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Copies in one sample.
    pub repetitions: u32,
    /// Seconds a copy took, one figure a round.
    pub seconds: Vec<f64>,
    /// Page faults a copy took, over all rounds; `None` where the system does not count them.
    pub page_faults: Option<f64>,
}

/// Takes samples of `count` strategies. `copy(who, n)` carries out `n` copies of strategy `who`.
///
/// Every strategy must have run before, or its first sample pays for cold pages.
///
/// With `warm`, one copy goes untimed before each sample, so that a copy that fits the caches
/// finds there what it would find in a loop of its own, not what its predecessor left. Copies that
/// last longer than 20 ms go without: cold caches are lost in such a time.
///
/// # Errors
/// The first error of `copy`.
pub fn take<E>(
    count: usize,
    pace: &Pace,
    warm: bool,
    copy: &mut impl FnMut(usize, u32) -> Result<(), E>,
) -> Result<Vec<Samples>, E> {
    let mut entrants = Vec::with_capacity(count);
    for who in 0..count {
        let (repetitions, seconds) = calibrate(pace.min_sample, |n| copy(who, n))?;
        let too_long = pace.patience.is_some_and(|patience| seconds > patience);
        entrants.push(if too_long {
            // The calibrations stand close together, like a round.
            let samples = Samples { repetitions, seconds: vec![seconds], page_faults: None };
            Entrant { samples, takes_part: false, warm: false, page_faults: None }
        } else {
            let samples = Samples { repetitions, ..Samples::default() };
            let warm = warm && seconds < LONG;
            Entrant { samples, takes_part: true, warm, page_faults: Some(0) }
        });
    }
    let begin = Instant::now();
    for round in 0..pace.max_rounds {
        if round >= pace.min_rounds && begin.elapsed().as_secs_f64() >= pace.budget {
            break;
        }
        for who in order(round, count) {
            if entrants[who].takes_part {
                entrants[who].sample(|n| copy(who, n))?;
            }
        }
    }
    Ok(entrants.into_iter().map(Entrant::finish).collect())
}

/// A strategy while it is being sampled.
struct Entrant {
    samples: Samples,
    /// Whether it is sampled in the rounds.
    takes_part: bool,
    warm: bool,
    page_faults: Option<c_long>,
}

impl Entrant {
    fn sample<E>(&mut self, mut copy: impl FnMut(u32) -> Result<(), E>) -> Result<(), E> {
        let repetitions = self.samples.repetitions;
        if self.warm {
            copy(1)?;
        }
        let faults_before = page_faults();
        let start = Instant::now();
        copy(repetitions)?;
        let elapsed = start.elapsed().as_secs_f64();
        let faults = page_faults().zip(faults_before).map(|(after, before)| after - before);
        self.page_faults = self.page_faults.zip(faults).map(|(sum, faults)| sum + faults);
        self.samples.seconds.push(elapsed / f64::from(repetitions));
        Ok(())
    }

    fn finish(self) -> Samples {
        let copies = self.samples.seconds.len() as f64 * f64::from(self.samples.repetitions);
        Samples { page_faults: self.page_faults.map(|sum| sum as f64 / copies), ..self.samples }
    }
}

/// The order of a round: shuffled anew each time, the same way in every run, so that nobody keeps
/// following the same predecessor. Whoever comes after a copy through the caches finds them full,
/// and after a streaming one as they were.
fn order(round: usize, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&who| mix((round * count + who) as u64 + 1));
    order
}

/// How many copies last at least `min_sample`, and how long one took.
fn calibrate<E>(
    min_sample: f64,
    mut copy: impl FnMut(u32) -> Result<(), E>,
) -> Result<(u32, f64), E> {
    const MOST: u32 = 1 << 20;
    let mut repetitions = 1;
    loop {
        let start = Instant::now();
        copy(repetitions)?;
        let elapsed = start.elapsed().as_secs_f64();
        if elapsed >= min_sample || repetitions >= MOST {
            return Ok((repetitions, elapsed / f64::from(repetitions)));
        }
        let growth = min_sample / elapsed.max(1e-9);
        repetitions = (f64::from(repetitions) * growth.clamp(1.2, 10.0)).ceil() as u32;
    }
}

/// Page faults of this process that needed no disk, so far.
#[cfg(unix)]
fn page_faults() -> Option<c_long> {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is writable and large enough for one `rusage`.
    let status = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    // SAFETY: all-zero bytes are a valid `rusage`, and the call only fills it in.
    (status == 0).then(|| unsafe { usage.assume_init() }.ru_minflt)
}

/// Page faults are not counted here.
#[cfg(not(unix))]
fn page_faults() -> Option<c_long> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace =
        Pace { min_rounds: 4, max_rounds: 9, budget: 0.0, min_sample: 0.0, ..Pace::DEFAULT };

    #[test]
    fn everybody_takes_part_in_every_round() {
        for count in 1..8 {
            for round in 0..20 {
                let mut seen = order(round, count);
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..count));
            }
        }
    }

    #[test]
    fn nobody_keeps_following_the_same_predecessor() {
        let mut followed = std::collections::BTreeSet::new();
        for round in 0..40 {
            followed.extend(order(round, 5).windows(2).map(|pair| (pair[0], pair[1])));
        }
        assert_eq!(followed.len(), 5 * 4);
    }

    #[test]
    fn the_budget_ends_the_rounds_but_not_below_the_minimum() {
        let samples = take::<()>(3, &PACE, false, &mut |_, _| Ok(())).unwrap();
        assert!(samples.iter().all(|samples| samples.seconds.len() == 4));
        let patient = Pace { budget: 60.0, ..PACE };
        let samples = take::<()>(3, &patient, true, &mut |_, _| Ok(())).unwrap();
        assert!(samples.iter().all(|samples| samples.seconds.len() == 9));
    }

    #[test]
    fn short_copies_are_repeated() {
        let pace = Pace { min_sample: 200e-6, ..PACE };
        let mut copies = 0;
        let samples = take::<()>(1, &pace, false, &mut |_, n| {
            copies += n;
            Ok(())
        })
        .unwrap();
        assert!(samples[0].repetitions > 100);
        assert!(copies > samples[0].repetitions * 4);
    }

    #[test]
    fn whoever_takes_too_long_is_sampled_once() {
        let pace = Pace { patience: Some(0.01), ..PACE };
        let samples = take::<()>(2, &pace, true, &mut |who, _| {
            std::thread::sleep(std::time::Duration::from_millis(if who == 1 { 20 } else { 0 }));
            Ok(())
        })
        .unwrap();
        assert_eq!(samples[0].seconds.len(), 4);
        assert_eq!(samples[1].seconds.len(), 1);
        assert!(samples[1].seconds[0] >= 0.02);
    }

    #[test]
    fn an_error_stops_the_rounds() {
        let failed = take(2, &PACE, false, &mut |who, _| if who == 1 { Err("no") } else { Ok(()) });
        assert_eq!(failed, Err("no"));
    }
}
