//! Reports read back from files, whoever wrote them.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::BenchError;
use super::record::{FORMAT, Report, RunRecord};
use super::sequence::record::SequenceRun;
use super::stats::Estimate;

/// What every version of the format says.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Reads the report in the JSON file `path`, complete or not.
///
/// # Errors
/// [`BenchError::Unreadable`] or [`BenchError::NotAReport`].
pub fn load(path: &Path) -> Result<Report, BenchError> {
    let text = fs::read_to_string(path)
        .map_err(|error| BenchError::Unreadable { path: path.into(), error })?;
    parse(&text).map_err(|why| BenchError::NotAReport { path: path.into(), why })
}

/// The report in `text`, or why it is none.
fn parse(text: &str) -> Result<Report, String> {
    let Version { format } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if format != FORMAT {
        return Err(format!(
            "it has format {format}, and this program reads format {FORMAT}; measure anew"
        ));
    }
    let report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for case in &report.cases {
        for run in &case.runs {
            check(run).map_err(|why| format!("case {}: {why}", case.name))?;
        }
    }
    for sequence in &report.sequences {
        for run in &sequence.runs {
            check_sequence(run).map_err(|why| format!("sequence {}: {why}", sequence.name))?;
        }
    }
    Ok(report)
}

/// Refuses figures that nobody can have measured.
fn check(run: &RunRecord) -> Result<(), String> {
    if run.of(&run.ceiling).is_none() {
        return Err(format!("its ceiling `{}` is not among the measurements", run.ceiling));
    }
    for measured in &run.measurements {
        let estimates = [measured.seconds, measured.to_ceiling, measured.to_memcpy];
        let speed = measured.gb_per_second;
        if !(estimates.into_iter().all(is_possible) && speed > 0.0 && speed.is_finite()) {
            return Err(impossible(&measured.strategy));
        }
    }
    Ok(())
}

/// The same for a run of a sequence.
fn check_sequence(run: &SequenceRun) -> Result<(), String> {
    for policy in &run.policies {
        if ![policy.seconds, policy.memcpys].into_iter().all(is_possible) {
            return Err(impossible(&policy.policy));
        }
    }
    if is_possible(run.view_to_dense) { Ok(()) } else { Err(impossible("view to dense")) }
}

/// Whether the figures are positive and in order.
fn is_possible(Estimate { median, low, high }: Estimate) -> bool {
    low > 0.0 && low <= median && median <= high && high.is_finite()
}

fn impossible(whose: &str) -> String {
    format!("the figures of {whose} are not positive, or a median is outside its interval")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = include_str!("../../tests/data/report.json");

    #[test]
    fn a_report_of_two_entrants_is_read() {
        let report = parse(REPORT).unwrap();
        assert_eq!(report.strategies(false), ["restride", "someone else's"]);
        let again = serde_json::to_string(&report).unwrap();
        assert_eq!(parse(&again).unwrap(), report);
    }

    #[test]
    fn what_is_no_report_is_refused_with_a_reason() {
        for (from, to, why) in [
            ("{", "", "expected"),
            ("\"format\": 1", "\"format\": 7", "format 7"),
            ("\"suite\"", "\"sweet\"", "missing field `suite`"),
            ("\"ceiling\": \"memcpy\"", "\"ceiling\": \"libc\"", "`libc` is not among"),
            ("\"median\": 0.5", "\"median\": -0.5", "the figures of restride"),
        ] {
            assert!(REPORT.contains(from), "{from}");
            let error = parse(&REPORT.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(matches!(load(Path::new("no such")), Err(BenchError::Unreadable { .. })));
    }
}
