//! What became faster or slower from one report to another.
//!
//! Two reports are never compared by seconds: machines and their moods differ. What is compared is
//! each strategy's speed relative to the ceiling that was measured in the same rounds, and a
//! difference counts only where the two 95 % intervals are apart.

use std::collections::BTreeSet;

use serde::Serialize;

use super::BenchError;
use super::record::{CaseRecord, Destination, Measurement, Report};
use super::stats::Estimate;

/// How a figure changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Slower by more than the threshold, and beyond noise: a regression.
    Slower,
    /// Faster by more than the threshold, and beyond noise.
    Faster,
    /// Beyond noise, but within the threshold.
    WithinThreshold,
    /// The intervals overlap.
    WithinNoise,
}

/// One figure in both reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The case.
    pub case: String,
    /// Threads of the run.
    pub threads: usize,
    /// Its kind of destination.
    pub destination: Destination,
    /// Whose figure.
    pub strategy: String,
    /// Speed relative to the ceiling in the first report.
    pub before: Estimate,
    /// The same in the second.
    pub after: Estimate,
    /// Relative change of the medians: -0.1 is 10 % slower.
    pub change: f64,
    /// What to make of it.
    pub verdict: Verdict,
}

/// Two reports side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Relative change from which a difference beyond noise counts.
    pub threshold: f64,
    /// Figures that are slower.
    pub slower: usize,
    /// Figures that are faster.
    pub faster: usize,
    /// Cases of the first report only.
    pub only_before: Vec<String>,
    /// Cases of the second report only.
    pub only_after: Vec<String>,
    /// What makes the comparison doubtful, in sentences.
    pub notes: Vec<String>,
    /// Every figure that both have.
    pub changes: Vec<Change>,
}

/// Whose figures are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Everybody's but the dense copies'.
    Everybody,
    /// Those of these strategies.
    Named(Vec<String>),
}

/// Compares the figures that `before` and `after` share.
///
/// # Errors
/// [`BenchError::NotComparable`] when they come from different suites, share no figure, or mean
/// different copies by the same name.
pub fn compare(
    before: &Report,
    after: &Report,
    whose: &Whose,
    threshold: f64,
) -> Result<Comparison, BenchError> {
    let only_before = names_missing(before, after);
    let only_after = names_missing(after, before);
    let different = !only_before.is_empty() || !only_after.is_empty();
    if before.suite != after.suite && different {
        let suites = format!("they are of the suites `{}` and `{}`", before.suite, after.suite);
        return Err(apart(&suites, &only_before, &only_after));
    }
    let mut changes = Vec::new();
    for case in &before.cases {
        let Some(other) = after.cases.iter().find(|other| other.name == case.name) else {
            continue;
        };
        if (&case.spec, case.bytes_moved) != (&other.spec, other.bytes_moved) {
            let why =
                format!("case {} is {} in one, {} in the other", case.name, case.spec, other.spec);
            return Err(BenchError::NotComparable { why });
        }
        changes.extend(changes_of(case, other, whose, threshold));
    }
    if changes.is_empty() {
        let what = match whose {
            Whose::Named(names) => format!(
                "they share no figure of {}; the first has those of {}",
                names.join(", "),
                before.strategies(false).join(", ")
            ),
            Whose::Everybody => "they share no figure".into(),
        };
        return Err(apart(&what, &only_before, &only_after));
    }
    let count = |verdict| changes.iter().filter(|change| change.verdict == verdict).count();
    Ok(Comparison {
        threshold,
        slower: count(Verdict::Slower),
        faster: count(Verdict::Faster),
        notes: notes(before, after),
        only_before,
        only_after,
        changes,
    })
}

/// Cases of `report` that `other` does not have.
fn names_missing(report: &Report, other: &Report) -> Vec<String> {
    let known: BTreeSet<_> = other.cases.iter().map(|case| &case.name).collect();
    let names = report.cases.iter().map(|case| &case.name);
    names.filter(|name| !known.contains(name)).cloned().collect()
}

fn apart(what: &str, only_before: &[String], only_after: &[String]) -> BenchError {
    let mut why = what.to_owned();
    for (names, place) in [(only_before, "first"), (only_after, "second")] {
        if !names.is_empty() {
            why += &format!("; only in the {place}: {}", names.join(", "));
        }
    }
    BenchError::NotComparable { why }
}

fn changes_of(case: &CaseRecord, other: &CaseRecord, whose: &Whose, threshold: f64) -> Vec<Change> {
    let mut changes = Vec::new();
    for run in &case.runs {
        let same = |&other: &&super::record::RunRecord| {
            (other.threads, other.destination) == (run.threads, run.destination)
        };
        let Some(other) = other.runs.iter().find(same) else { continue };
        for measured in run.measurements.iter().filter(|measured| is_wanted(measured, whose)) {
            let Some(after) = other.of(&measured.strategy) else { continue };
            let (before, after) = (measured.to_ceiling, after.to_ceiling);
            changes.push(Change {
                case: case.name.clone(),
                threads: run.threads,
                destination: run.destination,
                strategy: measured.strategy.clone(),
                before,
                after,
                change: after.median / before.median - 1.0,
                verdict: verdict(before, after, threshold),
            });
        }
    }
    changes
}

fn is_wanted(measured: &Measurement, whose: &Whose) -> bool {
    match whose {
        Whose::Everybody => !measured.dense,
        Whose::Named(names) => names.contains(&measured.strategy),
    }
}

fn verdict(before: Estimate, after: Estimate, threshold: f64) -> Verdict {
    let change = after.median / before.median - 1.0;
    if before.low <= after.high && after.low <= before.high {
        Verdict::WithinNoise
    } else if change.abs() <= threshold {
        Verdict::WithinThreshold
    } else if change < 0.0 {
        Verdict::Slower
    } else {
        Verdict::Faster
    }
}

/// What readers should know before they believe the changes.
fn notes(before: &Report, after: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    for (report, place) in [(before, "first"), (after, "second")] {
        if !report.complete {
            let (done, planned) = (report.measured(), report.planned);
            notes.push(format!("the {place} was stopped early: {done} of {planned} cases"));
        }
        if !report.sequences.is_empty() {
            let count = report.sequences.len();
            notes.push(format!("{count} sequence(s) of the {place} have no ceiling to compare by"));
        }
        if !report.context.optimized {
            notes.push(format!("the {place} comes from a debug build"));
        }
    }
    let machine = |report: &Report| {
        let context = &report.context;
        format!("{} ({})", context.cpu.as_deref().unwrap_or("unknown"), context.isa)
    };
    let (was, is) = (machine(before), machine(after));
    if was != is {
        notes.push(format!("different machines: {was}, then {is}; expect small differences"));
    }
    if before.settings.offset != after.settings.offset {
        notes.push("the buffers begin at different offsets".into());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        serde_json::from_str(include_str!("../../tests/data/report.json")).unwrap()
    }

    fn restride() -> Whose {
        Whose::Named(vec!["restride".into()])
    }

    /// Multiplies the first case's ratios of restride.
    fn scaled(factor: f64) -> Report {
        let mut report = report();
        for run in &mut report.cases[0].runs {
            let ratio = &mut run.measurements[0].to_ceiling;
            for figure in [&mut ratio.median, &mut ratio.low, &mut ratio.high] {
                *figure *= factor;
            }
        }
        report
    }

    #[test]
    fn equal_reports_do_not_differ() {
        let comparison = compare(&report(), &report(), &restride(), 0.05).unwrap();
        assert_eq!((comparison.slower, comparison.faster), (0, 0));
        assert_eq!(comparison.changes.len(), 3 * 6);
        assert!(comparison.notes.is_empty());
        let everybody = compare(&report(), &report(), &Whose::Everybody, 0.05).unwrap();
        assert_eq!(everybody.changes.len(), 2 * 3 * 6);
    }

    #[test]
    fn a_change_counts_beyond_noise_and_threshold() {
        // The intervals are ± 2 %.
        for (factor, threshold, slower, faster) in
            [(0.8, 0.05, 6, 0), (1.25, 0.05, 0, 6), (0.8, 0.3, 0, 0), (0.97, 0.001, 0, 0)]
        {
            let comparison = compare(&report(), &scaled(factor), &restride(), threshold).unwrap();
            assert_eq!((comparison.slower, comparison.faster), (slower, faster), "{factor}");
        }
        let apart = compare(&report(), &scaled(0.8), &restride(), 0.3).unwrap();
        assert_eq!(apart.changes[0].verdict, Verdict::WithinThreshold);
        assert!((apart.changes[0].change + 0.2).abs() < 1e-9);
    }

    #[test]
    fn a_part_of_the_same_suite_is_compared_by_what_both_have() {
        let mut part = report();
        part.cases.remove(0);
        part.complete = false;
        let comparison = compare(&report(), &part, &restride(), 0.05).unwrap();
        assert_eq!(comparison.only_before.len(), 1);
        assert_eq!(comparison.changes.len(), 2 * 6);
        assert!(comparison.notes[0].contains("stopped early: 2 of 3"));
    }

    #[test]
    fn different_things_are_not_compared() {
        let why = |before: &Report, after: &Report, whose: &Whose| {
            compare(before, after, whose, 0.05).unwrap_err().to_string()
        };
        let mut other = report();
        other.suite = "other".into();
        assert!(compare(&report(), &other, &restride(), 0.05).is_ok(), "the cases are the same");
        other.cases.remove(0);
        let said = why(&report(), &other, &restride());
        assert!(said.contains("only in the first: 256 "), "{said}");

        let mut changed = report();
        changed.cases[1].spec = "f32[9,9].T".into();
        assert!(why(&report(), &changed, &restride()).contains("f32[9,9].T in the other"));

        let said = why(&report(), &report(), &Whose::Named(vec!["nobody".into()]));
        assert!(said.contains("the first has those of restride, someone else's"), "{said}");
    }
}
