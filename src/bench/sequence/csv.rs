//! A line for each policy, in the columns of the copies.

use crate::bench::report::csv::Line;

use super::break_even::BreakEven;
use super::policy::Policy;
use super::record::{PolicyRecord, SequenceRecord, SequenceRun};
use crate::bench::record::Destination;

/// The lines of one sequence. Columns about throughput stay empty: a sequence has none.
pub(in crate::bench) fn lines(sequence: &SequenceRecord) -> impl Iterator<Item = Line<'_>> {
    sequence
        .runs
        .iter()
        .flat_map(move |run| run.policies.iter().map(move |policy| line(sequence, run, policy)))
}

fn line<'a>(sequence: &'a SequenceRecord, run: &SequenceRun, policy: &'a PolicyRecord) -> Line<'a> {
    let (seconds, memcpys) = (policy.seconds, policy.memcpys);
    Line {
        case: &sequence.name,
        spec: &sequence.spec,
        threads: run.threads,
        destination: policy.destination.map_or("", |destination| destination.name()),
        strategy: &policy.policy,
        bytes_moved: None,
        rounds: policy.rounds.len(),
        seconds: seconds.median,
        seconds_low: seconds.low,
        seconds_high: seconds.high,
        gb_per_second: None,
        ceiling: Policy::Memcpy.name(),
        to_ceiling: None,
        to_ceiling_low: None,
        to_ceiling_high: None,
        to_memcpy: 1.0 / memcpys.median,
        to_memcpy_low: 1.0 / memcpys.high,
        to_memcpy_high: 1.0 / memcpys.low,
        page_faults: policy.page_faults,
        uses: Some(policy.uses),
        pays_from: pays_from(run, policy),
    }
}

/// Uses from which on this policy's copy pays; none where it never does.
fn pays_from(run: &SequenceRun, policy: &PolicyRecord) -> Option<u64> {
    let break_even = match policy.destination? {
        Destination::Reused => run.break_even_reused,
        Destination::Fresh => run.break_even_fresh,
    };
    match break_even {
        BreakEven::Never => None,
        BreakEven::AtOnce => Some(1),
        BreakEven::From { uses } => Some(uses),
    }
}
