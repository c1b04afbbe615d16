//! `restride compare`: what became faster or slower from one report to another.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use comfy_table::{Cell, CellAlignment, Table, presets};
use serde::Serialize;

use super::{CliError, CliResult};
use crate::bench::compare::{Change, Comparison, Verdict, Whose, compare};
use crate::bench::report::group_title;
use crate::bench::saved;
use crate::bench::stats::Estimate;

/// Stands for every strategy.
const ALL: &str = "all";

/// Arguments of `restride compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Compared are speeds relative to the ceiling, so the two runs need not have the machine in the same \
mood. A change counts when the two 95 % intervals are apart and it exceeds the threshold.

Exit codes: 0 no regression, 1 a regression, 2 input that is no pair of reports of one suite.

In a crate's CI, with the figures of the base branch and of the change from the same machine:
  restride bench --suite bench.json --json base.json      # on the base branch
  restride bench --suite bench.json --json change.json    # on the change
  restride compare base.json change.json --threshold 10%")]
pub struct Args {
    /// The report to compare with.
    #[arg(value_name = "A.json")]
    before: PathBuf,
    /// The report to judge.
    #[arg(value_name = "B.json")]
    after: PathBuf,
    /// Relative change that is tolerated: 5% or 0.05.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = parse_share)]
    threshold: f64,
    /// Whose figures to compare; may be given several times, or be `all`.
    #[arg(long, value_name = "NAME|all", default_value = "restride")]
    strategy: Vec<String>,
    /// Print one JSON object, unchanged figures included.
    #[arg(long)]
    pub(super) json: bool,
}

/// What programs get to read.
#[derive(Serialize)]
struct Object<'a> {
    before: &'a str,
    after: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// Runs `restride compare`; a regression is exit code 1.
///
/// # Errors
/// [`CliError::BadInput`] for files that are no reports, or reports of different things.
pub fn run(args: Args) -> CliResult {
    let (before, after) = (saved::load(&args.before)?, saved::load(&args.after)?);
    let whose = if args.strategy.iter().any(|name| name == ALL) {
        Whose::Everybody
    } else {
        Whose::Named(args.strategy.clone())
    };
    let comparison = compare(&before, &after, &whose, args.threshold)?;
    let mut stdout = io::stdout().lock();
    let written = if args.json {
        let (before, after) = (args.before.to_string_lossy(), args.after.to_string_lossy());
        let object = Object { before: &before, after: &after, comparison: &comparison };
        serde_json::to_writer(&mut stdout, &object)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(stdout))
    } else {
        stdout.write_all(text(&comparison).as_bytes())
    };
    written.and_then(|()| stdout.flush()).map_err(CliError::Stdout)?;
    Ok(if comparison.slower > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The changes as a table, the worst first, and what else there is to say.
fn text(comparison: &Comparison) -> String {
    let mut changed: Vec<&Change> = comparison
        .changes
        .iter()
        .filter(|change| matches!(change.verdict, Verdict::Slower | Verdict::Faster))
        .collect();
    changed.sort_by(|a, b| a.change.total_cmp(&b.change));
    let mut text = String::new();
    if !changed.is_empty() {
        text += &format!("{}\n", table(&changed));
    }
    let percent = 100.0 * comparison.threshold;
    let count = comparison.changes.len();
    text += &format!(
        "{} slower and {} faster by more than {percent} % and beyond noise, of {count} figure(s) \
         relative to the ceiling.\n",
        comparison.slower, comparison.faster
    );
    for (names, place) in [(&comparison.only_before, "first"), (&comparison.only_after, "second")] {
        if !names.is_empty() {
            text += &format!("Only in the {place} report: {}\n", names.join(", "));
        }
    }
    for note in &comparison.notes {
        text += &format!("note: {note}\n");
    }
    text
}

fn table(changes: &[&Change]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["case", "run", "strategy", "before", "after", "change"]);
    let figure = |text| Cell::new(text).set_alignment(CellAlignment::Right);
    let with_interval = |estimate: Estimate| {
        let Estimate { median, low, high } = estimate;
        format!("{median:.3} ({low:.3} to {high:.3})")
    };
    for change in changes {
        table.add_row([
            Cell::new(&change.case),
            Cell::new(group_title((change.threads, change.destination))),
            Cell::new(&change.strategy),
            figure(with_interval(change.before)),
            figure(with_interval(change.after)),
            figure(format!("{:+.1} %", 100.0 * change.change)),
        ]);
    }
    table
}

/// `5%`, `12.5 %` or `0.05`.
fn parse_share(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    match number.parse::<f64>() {
        Ok(share) if (0.0..1.0).contains(&(share / scale)) => Ok(share / scale),
        _ => Err(format!("`{text}` is no share from 0 to 1; write 5% or 0.05")),
    }
}
