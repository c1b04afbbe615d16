//! What was left out of a report and what is doubtful about it, in sentences.

use core::mem::discriminant;

use super::{Report, group_title};
use crate::bench::warning::Warning;

/// Up to this many names are listed; more are counted.
const NAMED: usize = 6;

/// One sentence for each thing that readers must know before they believe the figures.
pub fn sentences(report: &Report) -> Vec<String> {
    let mut said = Vec::new();
    if !report.skipped.is_empty() {
        let count = report.skipped.len();
        said.push(format!("Skipped by --max-bytes: {count} case(s)."));
    }
    if let Some(limit) = report.settings.pace.limit.filter(|_| !report.out_of_time.is_empty()) {
        said.push(format!(
            "Left out, as {limit} seconds were not enough for {} case(s): {}. Choose fewer by \
             --filter or --max-bytes, or give more time by --within.",
            report.planned,
            listed(&report.out_of_time)
        ));
    }
    if !report.complete {
        let (done, planned) = (report.measured(), report.planned);
        said.push(format!("Stopped early: {done} of {planned} cases measured."));
    }
    said.extend(left_out(report));
    for warning in &report.warnings {
        said.push(format!("warning: {warning}: {}", warning.advice()));
    }
    said.extend(worst_of_each_kind(report).into_iter().map(|worst| format!("warning: {worst}")));
    said
}

/// The peers that failed the check, run by run.
fn left_out(report: &Report) -> impl Iterator<Item = String> {
    let runs = report.cases.iter().flat_map(|case| case.runs.iter().map(move |run| (case, run)));
    runs.flat_map(|(case, run)| {
        let place = group_title((run.threads, run.destination));
        run.left_out.iter().map(move |out| {
            format!("left out: {} in {} ({place}): {}", out.strategy, case.name, out.fault)
        })
    })
}

/// `a, b, c and 4 more`.
fn listed(names: &[String]) -> String {
    match names.split_at_checked(NAMED) {
        Some((first, more)) if !more.is_empty() => {
            format!("{} and {} more", first.join(", "), more.len())
        }
        _ => names.join(", "),
    }
}

/// One sentence for each kind of warning that runs carry: the worst, and how many more there are
/// (the JSON file has them all).
fn worst_of_each_kind(report: &Report) -> Vec<String> {
    let mut kinds: Vec<(usize, &Warning, String)> = Vec::new();
    for case in &report.cases {
        for run in &case.runs {
            let place =
                || format!("{} ({})", case.name, group_title((run.threads, run.destination)));
            for warning in &run.warnings {
                match kinds
                    .iter_mut()
                    .find(|(_, worst, _)| discriminant(*worst) == discriminant(warning))
                {
                    None => kinds.push((1, warning, place())),
                    Some((count, worst, at)) => {
                        *count += 1;
                        if warning.severity() > worst.severity() {
                            (*worst, *at) = (warning, place());
                        }
                    }
                }
            }
        }
    }
    let sentence = |(count, worst, at): (usize, &Warning, String)| {
        let more = match count - 1 {
            0 => String::new(),
            more => format!(" ({more} lesser of this kind elsewhere)"),
        };
        format!("{at}: {worst}{more}: {}", worst.advice())
    };
    kinds.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn many_names_are_counted() {
        let names: Vec<String> = (0..8).map(|i| format!("c{i}")).collect();
        assert_eq!(listed(&names[..2]), "c0, c1");
        assert_eq!(listed(&names), "c0, c1, c2, c3, c4, c5 and 2 more");
    }
}
