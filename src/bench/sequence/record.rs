//! What the measurement of a sequence leaves behind.

use serde::{Deserialize, Serialize};

use crate::bench::digits;
use crate::bench::record::Destination;
use crate::bench::stats::Estimate;
use crate::bench::warning::Warning;

use super::break_even::BreakEven;
use super::model::Prediction;
use super::policy::Policy;

/// One sequence with all its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequenceRecord {
    /// Its name.
    pub name: String,
    /// Its spec.
    pub spec: String,
    /// What it stands for.
    pub why: Option<String>,
    /// The element type.
    pub element: String,
    /// Sizes of the view, in elements.
    pub shape: Vec<usize>,
    /// Strides of the view, in elements.
    pub strides: Vec<isize>,
    /// The consumers, as the spec writes them.
    pub consumers: Vec<String>,
    /// Sizes of the last result, in elements.
    pub result: Vec<usize>,
    /// Bytes of the view's elements: what memcpy copies, and what materializing writes.
    pub viewed_bytes: u64,
    /// What was measured, one entry for each thread count.
    pub runs: Vec<SequenceRun>,
}

/// The measurements of one sequence that were taken in the same rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequenceRun {
    /// Threads allowed.
    pub threads: usize,
    /// What makes these figures doubtful. Optional.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// One entry for each policy.
    pub policies: Vec<PolicyRecord>,
    /// How much longer consuming the view takes than consuming dense memory: 1 is as long. Taken
    /// round by round.
    pub view_to_dense: Estimate,
    /// From how many uses on materializing pays, into memory that is reused.
    pub break_even_reused: BreakEven,
    /// From how many uses on materializing pays, into a fresh allocation.
    pub break_even_fresh: BreakEven,
    /// What the model says to all this.
    pub prediction: Prediction,
}

/// One policy's rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// Its name.
    pub policy: String,
    /// Where the view is materialized to; null when it is not.
    pub destination: Option<Destination>,
    /// How often the view's values are consumed; 0 for memcpy.
    pub uses: u32,
    /// Sequences in one sample.
    pub repetitions: u32,
    /// Seconds it took, round by round.
    #[serde(serialize_with = "digits::all")]
    pub rounds: Vec<f64>,
    /// Seconds it takes.
    pub seconds: Estimate,
    /// How long it takes in memcpys of the viewed bytes. Taken round by round.
    pub memcpys: Estimate,
    /// Page faults it took, where the system counts them. Optional.
    #[serde(default, serialize_with = "digits::option")]
    pub page_faults: Option<f64>,
}

impl PolicyRecord {
    /// Seconds that one use takes, by the median; nothing for memcpy.
    pub fn seconds_a_use(&self) -> Option<f64> {
        (self.uses > 0).then(|| self.seconds.median / f64::from(self.uses))
    }
}

impl SequenceRun {
    /// The measurement of `policy`, if it took part.
    pub fn of(&self, policy: Policy) -> Option<&PolicyRecord> {
        let is = |record: &&PolicyRecord| {
            record.policy == policy.name() && record.destination == policy.destination()
        };
        self.policies.iter().find(is)
    }

    /// Seconds that `policy` takes, by the median; infinite when it took no part.
    pub fn seconds(&self, policy: Policy) -> f64 {
        self.of(policy).map_or(f64::INFINITY, |record| record.seconds.median)
    }
}
