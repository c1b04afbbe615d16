//! Which policy to choose, in words.

use crate::bench::record::Destination;

use super::break_even::BreakEven;
use super::policy::Policy;
use super::record::SequenceRun;
use super::resolve::{Kind, Operand, Reading, Sequence};

/// Advice on a sequence that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The policy that is best for a single use.
    pub best: Policy,
    /// How much longer the best of the others takes: 2 is twice as long.
    pub ahead: f64,
    /// What to do.
    pub what: String,
    /// What was measured, and why.
    pub why: String,
}

/// The policies that a single use can choose from.
const SINGLE: [Policy; 3] =
    [Policy::View, Policy::Once(Destination::Reused), Policy::Once(Destination::Fresh)];

impl Advice {
    /// The advice for `sequence`, of which `run` was measured.
    pub fn of(sequence: &Sequence, run: &SequenceRun) -> Self {
        let mut order = SINGLE;
        order.sort_by(|a, b| run.seconds(*a).total_cmp(&run.seconds(*b)));
        // A copy to fresh memory is no alternative to one to memory that is there.
        let materializes = |policy: Policy| policy != Policy::View;
        let other = order.iter().find(|&&p| materializes(p) != materializes(order[0]));
        let ahead = other.map_or(1.0, |other| run.seconds(*other) / run.seconds(order[0]));
        Self { best: order[0], ahead, what: what(run), why: why(sequence, run) }
    }
}

/// What to do.
fn what(run: &SequenceRun) -> String {
    let (reused, fresh) = (run.break_even_reused, run.break_even_fresh);
    let uses = |break_even: BreakEven| match break_even {
        BreakEven::Never => "never".to_owned(),
        BreakEven::AtOnce => "at once".to_owned(),
        BreakEven::From { uses } => format!("from {uses} uses on"),
    };
    match reused {
        BreakEven::Never => "Consume the view as it is: a dense copy never pays.".to_owned(),
        BreakEven::AtOnce if fresh == BreakEven::AtOnce => {
            "Materialize first: the copy pays even for a single use.".to_owned()
        }
        BreakEven::AtOnce => format!(
            "Materialize first, into memory that is reused: the copy pays even for a single use; \
             into fresh memory it pays {}.",
            uses(fresh)
        ),
        BreakEven::From { uses: from } => format!(
            "Consume the view as it is for {}; materialize it once for {from} or more (into fresh \
             memory, the copy pays {}).",
            if from == 2 { "one use".to_owned() } else { format!("up to {} uses", from - 1) },
            uses(fresh)
        ),
    }
}

/// What was measured, and why.
fn why(sequence: &Sequence, run: &SequenceRun) -> String {
    let reading = sequence.readings.first();
    let how = reading.map_or(String::new(), |reading| how_read(reading, &sequence.view));
    let ratio = run.view_to_dense;
    let dense = if ratio.low <= 1.0 && 1.0 <= ratio.high {
        "dense memory is read no faster".to_owned()
    } else if ratio.median < 1.0 {
        format!("dense memory takes {:.2} times as long", 1.0 / ratio.median)
    } else {
        format!("dense memory is read {:.2} times as fast", ratio.median)
    };
    format!("{how}; measured, {dense}.")
}

/// How `reading` reads `view`, in a clause.
pub fn how_read(reading: &Reading, view: &Operand) -> String {
    match &reading.kind {
        Kind::Sum(_) => "the sum reads the view directly, in the order of memory".into(),
        Kind::Matmul(_) => {
            "the matrix product reads the view directly, by its strides, as it takes \
                            blocks of either operand"
                .into()
        }
        Kind::Add(_) => {
            let layout = &view.layout;
            let last = (0..layout.rank()).rev().find(|&axis| layout.shape()[axis] > 1);
            match last.map_or(1, |axis| layout.strides()[axis]) {
                0 | 1 => "the addition reads the view directly, row by row".into(),
                _ => {
                    "the addition reads the view directly, but brings it into the cache a block at \
                      a time: it runs across the order of the result"
                        .to_owned()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Prediction;
    use super::super::record::PolicyRecord;
    use super::*;
    use crate::bench::stats::Estimate;

    fn run(view: f64, once: f64, fresh: f64, evens: [BreakEven; 2]) -> SequenceRun {
        let at = |median| Estimate { median, low: median, high: median };
        let record = |policy: Policy, seconds: f64| PolicyRecord {
            policy: policy.name().into(),
            destination: policy.destination(),
            uses: policy.uses(),
            repetitions: 1,
            rounds: vec![seconds],
            seconds: at(seconds),
            memcpys: at(seconds),
            page_faults: None,
        };
        SequenceRun {
            threads: 1,
            warnings: vec![],
            policies: SINGLE
                .into_iter()
                .zip([view, once, fresh])
                .map(|(p, s)| record(p, s))
                .collect(),
            view_to_dense: at(2.0),
            break_even_reused: evens[0],
            break_even_fresh: evens[1],
            prediction: Prediction {
                view_lines: 1,
                dense_lines: 1,
                view: 1.0,
                dense: 1.0,
                copy: 1.0,
                break_even: BreakEven::Never,
            },
        }
    }

    #[test]
    fn advice_follows_the_break_even() {
        let said = |evens| what(&run(1.0, 2.0, 3.0, evens));
        let from = |uses| BreakEven::From { uses };
        assert!(said([BreakEven::Never; 2]).contains("never pays"));
        assert!(said([BreakEven::AtOnce; 2]).starts_with("Materialize first:"));
        assert!(said([BreakEven::AtOnce, from(3)]).ends_with("it pays from 3 uses on."));
        assert!(said([from(2), from(5)]).starts_with("Consume the view as it is for one use"));
        assert!(
            said([from(4), from(5)]).contains("up to 3 uses; materialize it once for 4 or more")
        );
    }
}
