//! What makes a figure doubtful, in plain words and with advice.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::stats;

/// Relative movement of the ceiling from which a case is reported as drifting.
const DRIFT: f64 = 0.10;
/// Share of outliers from which they are reported.
const OUTLIERS: f64 = 0.10;
/// Relative noise of a median from which it is reported.
const NOISE: f64 = 0.10;

/// Fewer samples than this are reported: their median's interval says nothing.
const FEW: usize = 3;

/// Something that makes figures doubtful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Warning {
    /// The ceiling was not the same in both halves of the rounds.
    Drift {
        /// Relative movement: 0.3 is 30 %.
        moved: f64,
    },
    /// Many samples took far longer than the rest.
    Outliers {
        /// Whose samples.
        strategy: String,
        /// How many of them.
        count: usize,
        /// Out of how many.
        rounds: usize,
    },
    /// A median's interval is wide.
    Noise {
        /// Whose median.
        strategy: String,
        /// Half the interval, relative to the median.
        noise: f64,
    },
    /// Too few samples for an interval to mean something.
    FewRounds {
        /// Whose samples.
        strategy: String,
        /// How many there are.
        rounds: usize,
    },
    /// Other programs keep the processors busy.
    BusyMachine {
        /// Runnable processes, one-minute average.
        load: f64,
        /// Processors there are.
        processors: usize,
    },
    /// Threads could not be kept on their processors.
    Unpinned {
        /// Threads of the run.
        threads: usize,
    },
    /// More threads than processors.
    Oversubscribed {
        /// Threads of the run.
        threads: usize,
        /// Processors there are.
        processors: usize,
    },
    /// The program was built without optimization.
    DebugBuild,
}

impl Warning {
    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Drift { .. } | Self::Outliers { .. } | Self::Noise { .. } => {
                "rerun on a quiet machine, or trust only differences larger than this"
            }
            Self::FewRounds { .. } => "choose smaller cases, or measure without --quick",
            Self::BusyMachine { .. } => "stop the other programs, or expect noise",
            Self::Unpinned { .. } => "threads may wander between processors; expect noise",
            Self::Oversubscribed { .. } => "ask for no more threads than there are processors",
            Self::DebugBuild => "build with `cargo build --release` before believing any figure",
        }
    }

    /// How bad it is among warnings of the same variant: more is worse.
    pub fn severity(&self) -> f64 {
        match *self {
            Self::Drift { moved } => moved,
            Self::Outliers { count, rounds, .. } => count as f64 / rounds as f64,
            Self::Noise { noise, .. } => noise,
            Self::FewRounds { rounds, .. } => 1.0 / rounds as f64,
            Self::BusyMachine { load, processors } => load / processors as f64,
            Self::Oversubscribed { threads, processors } => threads as f64 / processors as f64,
            Self::Unpinned { threads } => threads as f64,
            Self::DebugBuild => 1.0,
        }
    }
}

/// The warning without its [`Warning::advice`].
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drift { moved } => {
                write!(f, "the ceiling moved by {:.0} % during this case", 100.0 * moved)
            }
            Self::Outliers { strategy, count, rounds } => {
                write!(f, "{count} of {rounds} samples of {strategy} took far longer than the rest")
            }
            Self::Noise { strategy, noise } => {
                write!(f, "the median of {strategy} is only known to ± {:.0} %", 100.0 * noise)
            }
            Self::FewRounds { strategy, rounds } => {
                write!(f, "{strategy} was slow and sampled {rounds} time(s) only")
            }
            Self::BusyMachine { load, processors } => {
                write!(f, "{load:.1} programs were running on {processors} processors before this")
            }
            Self::Unpinned { threads } => {
                write!(f, "the system refused to pin {threads} thread(s) to processors")
            }
            Self::Oversubscribed { threads, processors } => {
                write!(f, "{threads} threads share {processors} processors")
            }
            Self::DebugBuild => f.write_str("this is a debug build"),
        }
    }
}

/// What the ceiling's samples say about the whole case.
pub fn of_ceiling(samples: &[f64]) -> Option<Warning> {
    stats::drift(samples).filter(|&moved| moved > DRIFT).map(|moved| Warning::Drift { moved })
}

/// What is doubtful about one strategy's samples: the worst thing only.
pub fn of_samples(strategy: &str, samples: &[f64]) -> Option<Warning> {
    let (count, rounds) = (stats::outliers(samples), samples.len());
    if rounds < FEW {
        return Some(Warning::FewRounds { strategy: strategy.into(), rounds });
    }
    if count as f64 > OUTLIERS * rounds as f64 && count > 1 {
        return Some(Warning::Outliers { strategy: strategy.into(), count, rounds });
    }
    stats::Estimate::of(samples)
        .map(|estimate| estimate.noise())
        .filter(|&noise| noise > NOISE)
        .map(|noise| Warning::Noise { strategy: strategy.into(), noise })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moving_ceiling_is_told_in_plain_words() {
        let warning = of_ceiling(&[1.0, 1.0, 1.0, 1.3, 1.3, 1.3]).unwrap();
        assert_eq!(warning.to_string(), "the ceiling moved by 30 % during this case");
        assert!(warning.advice().starts_with("rerun on a quiet machine"));
    }

    #[test]
    fn quiet_samples_raise_no_warning() {
        let samples = [1.00, 1.01, 0.99, 1.00, 1.02, 1.00, 0.98];
        assert_eq!(of_ceiling(&samples), None);
        assert_eq!(of_samples("memcpy", &samples), None);
    }

    #[test]
    fn outliers_come_before_noise() {
        let samples = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0, 9.0];
        assert!(matches!(of_samples("rows", &samples), Some(Warning::Outliers { count: 2, .. })));
        let wide = [1.0, 2.0, 1.2, 1.9, 1.4];
        assert!(matches!(of_samples("rows", &wide), Some(Warning::Noise { .. })));
        assert!(matches!(of_samples("rows", &[1.0]), Some(Warning::FewRounds { rounds: 1, .. })));
    }

    #[test]
    fn warnings_survive_json() {
        let warning = Warning::BusyMachine { load: 3.5, processors: 2 };
        let text = serde_json::to_string(&warning).unwrap();
        assert_eq!(text, r#"{"kind":"busy_machine","load":3.5,"processors":2}"#);
        assert_eq!(serde_json::from_str::<Warning>(&text).unwrap(), warning);
    }
}
