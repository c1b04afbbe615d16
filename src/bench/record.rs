//! What a benchmark leaves behind: the raw rounds with everything needed to read them later.
//!
//! The JSON form is open to other programs. A [`Report`] may hold any strategies: whatever carries
//! out a case's copy is one more [`Measurement`] of its run, under a name of its own, with `dense`
//! false. Every run needs the measurement that its `ceiling` names; a strategy that cannot express
//! a case is left out of that case's runs. Fields marked as optional may be missing in the file.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::digits;
use super::rounds::Pace;
use super::sequence::SequenceRecord;
use super::stats::{Estimate, geometric_mean};
use super::warning::Warning;

/// Version of the JSON form.
pub const FORMAT: u32 = 1;

/// A whole benchmark, perhaps still under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`] of the program that wrote it.
    pub format: u32,
    /// Where the cases came from: suite names, `command line`.
    pub suite: String,
    /// Whether the benchmark came to its end; false in the file of a run that is going on or was
    /// stopped.
    pub complete: bool,
    /// The program that measured, and its arguments. Optional.
    #[serde(default)]
    pub command: Vec<String>,
    /// Seconds since 1970 when it began.
    pub started: u64,
    /// The machine and the program.
    pub context: Context,
    /// How it was measured.
    pub settings: Settings,
    /// Cases left out because of `--max-bytes`. Optional.
    #[serde(default)]
    pub skipped: Vec<String>,
    /// Cases, or runs of a case, left out because the time was up. Optional.
    #[serde(default)]
    pub out_of_time: Vec<String>,
    /// What makes the whole report doubtful. Optional.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Cases and sequences asked for.
    pub planned: usize,
    /// Cases measured so far.
    pub cases: Vec<CaseRecord>,
    /// Sequences of views and consumers measured so far. Optional.
    #[serde(default)]
    pub sequences: Vec<SequenceRecord>,
}

/// How to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Thread counts, each measured apart.
    pub threads: Vec<usize>,
    /// Rounds and budget of one run.
    pub pace: Pace,
    /// Bytes by which source and destination begin later than the allocator would have it.
    pub offset: usize,
    /// Whether each thread is kept on a processor of its own, where the system permits.
    /// Optional: true.
    #[serde(default = "yes")]
    pub pin: bool,
}

/// What files say that were written before a switch was there to be turned off.
fn yes() -> bool {
    true
}

/// Whether the output's memory has been used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    /// The same touched memory in every call.
    Reused,
    /// A new allocation in every call; page faults and release are part of the time.
    Fresh,
}

impl Destination {
    /// Both, in the order in which they are measured.
    pub const ALL: [Self; 2] = [Self::Reused, Self::Fresh];

    /// The word in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reused => "reused",
            Self::Fresh => "fresh",
        }
    }
}

/// One case with all its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Its name.
    pub name: String,
    /// Its spec.
    pub spec: String,
    /// What it stands for.
    pub why: Option<String>,
    /// Bytes of an element.
    pub elem_size: usize,
    /// Elements along each axis.
    pub shape: Vec<usize>,
    /// Source strides in bytes.
    pub src_strides: Vec<isize>,
    /// Destination strides in bytes.
    pub dst_strides: Vec<isize>,
    /// The analyzer's class of the copy.
    pub class: String,
    /// What restride's planner does, in words.
    pub plan: String,
    /// Bytes that one copy moves: read plus written, each element counted once either way.
    pub bytes_moved: u64,
    /// What was measured.
    pub runs: Vec<RunRecord>,
}

/// The measurements of one case that were taken in the same rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Threads allowed.
    pub threads: usize,
    /// Memory written to.
    pub destination: Destination,
    /// The dense copy that the others are held against: the faster one.
    pub ceiling: String,
    /// What makes these figures doubtful. Optional.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// One entry for each strategy.
    pub measurements: Vec<Measurement>,
    /// Peers that were not timed because they failed the check. Optional.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// A peer that was not timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub strategy: String,
    /// What it did.
    pub fault: Fault,
}

/// How a peer failed the check before the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fault {
    /// Its output is not the oracle's.
    Wrong {
        /// First differing byte.
        at: usize,
    },
    /// It panicked.
    Panicked {
        /// What the panic said.
        message: String,
    },
}

/// One strategy's rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Its name.
    pub strategy: String,
    /// Whether it is a dense copy of as many bytes, there for comparison.
    pub dense: bool,
    /// Copies in one sample.
    pub repetitions: u32,
    /// Seconds one copy took, round by round. A strategy that takes long may stop taking part
    /// after some rounds, never before the others began.
    #[serde(serialize_with = "digits::all")]
    pub rounds: Vec<f64>,
    /// Seconds one copy takes.
    pub seconds: Estimate,
    /// 10⁹ bytes moved (read plus written) in a second, by the median.
    #[serde(serialize_with = "digits::one")]
    pub gb_per_second: f64,
    /// Speed relative to the ceiling: 1 is as fast. Taken round by round.
    pub to_ceiling: Estimate,
    /// Speed relative to memcpy. Taken round by round.
    pub to_memcpy: Estimate,
    /// Page faults that one copy took, where they were counted. Optional.
    #[serde(default, serialize_with = "digits::option")]
    pub page_faults: Option<f64>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong { at } => write!(f, "wrong result from byte {at} on"),
            Self::Panicked { message } => write!(f, "panicked: {message}"),
        }
    }
}

impl RunRecord {
    /// The measurement of `strategy`, if it took part.
    pub fn of(&self, strategy: &str) -> Option<&Measurement> {
        self.measurements.iter().find(|measurement| measurement.strategy == strategy)
    }
}

impl Report {
    /// How many cases and sequences were measured.
    pub fn measured(&self) -> usize {
        self.cases.len() + self.sequences.len()
    }

    /// Seconds of the limited time that are due to `count` of what is planned.
    pub fn share_of_time(&self, count: usize) -> Option<f64> {
        let share = count as f64 / self.planned.max(1) as f64;
        self.settings.pace.limit.map(|limit| share * limit)
    }

    /// The settings under which runs are grouped: thread counts by destination, as first met.
    pub fn groups(&self) -> Vec<(usize, Destination)> {
        let mut groups = Vec::new();
        for run in self.cases.iter().flat_map(|case| &case.runs) {
            if !groups.contains(&(run.threads, run.destination)) {
                groups.push((run.threads, run.destination));
            }
        }
        groups
    }

    /// The runs of one group, each with its case.
    pub fn runs(
        &self,
        group: (usize, Destination),
    ) -> impl Iterator<Item = (&CaseRecord, &RunRecord)> {
        let in_group = move |run: &&RunRecord| (run.threads, run.destination) == group;
        self.cases
            .iter()
            .flat_map(move |case| case.runs.iter().filter(in_group).map(move |run| (case, run)))
    }

    /// The geometric mean of a strategy's ratios to the ceiling over the cases of a group in which
    /// it took part.
    pub fn mean_to_ceiling(&self, group: (usize, Destination), strategy: &str) -> Option<f64> {
        let measured = self.runs(group).filter_map(|(_, run)| run.of(strategy));
        geometric_mean(measured.map(|measured| measured.to_ceiling.median))
    }

    /// Names of the strategies that carry out the cases (`dense` false) or of the dense copies
    /// beside them (`dense` true), as first met.
    pub fn strategies(&self, dense: bool) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let runs = self.cases.iter().flat_map(|case| &case.runs);
        let measurements = runs.flat_map(|run| &run.measurements);
        for measurement in measurements.filter(|measurement| measurement.dense == dense) {
            if !names.contains(&measurement.strategy.as_str()) {
                names.push(&measurement.strategy);
            }
        }
        names
    }
}
