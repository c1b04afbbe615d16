//! `restride advise`: consume a view, or materialize it first?

use std::io::Write;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::bench::parse_threads;
use super::{CliError, CliResult, source};
use crate::bench::memory::in_words;
use crate::bench::record::{Destination, Report, Settings};
use crate::bench::report::figures::duration;
use crate::bench::rounds::Pace;
use crate::bench::run::empty_report;
use crate::bench::sequence::advice::Advice;
use crate::bench::sequence::break_even::BreakEven;
use crate::bench::sequence::model::Prediction;
use crate::bench::sequence::policy::Policy;
use crate::bench::sequence::record::{PolicyRecord, SequenceRun};
use crate::bench::sequence::{Sequence, run};
use crate::bench::suite::Entry;
use crate::error::ErrorKind;
use crate::spec::SpecError;

/// Arguments of `restride advise`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A view and what reads it, for example 'f32[4096,4096].T.sum(0)' or
    /// 'f32[4096,64].T.matmul(f32[4096,64])'.
    spec: String,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(super) json: bool,
    /// Threads to measure with: a number or `all`.
    #[arg(long, value_name = "N", default_value = "all", value_parser = parse_threads)]
    threads: usize,
    /// Few rounds: a first look.
    #[arg(long)]
    quick: bool,
}

/// What `--json` prints. Times are in seconds.
#[derive(Serialize)]
struct Answer<'a> {
    spec: &'a str,
    threads: usize,
    viewed_bytes: u64,
    /// The policy that is best for a single use.
    best: &'static str,
    /// Where it materializes the view to; null when it does not.
    destination: Option<Destination>,
    /// How much longer the alternative takes for a single use: 2 is twice as long.
    ahead: f64,
    advice: &'a str,
    why: &'a str,
    break_even_reused: BreakEven,
    break_even_fresh: BreakEven,
    prediction: &'a Prediction,
    policies: &'a [PolicyRecord],
    warnings: Vec<String>,
}

/// Runs `restride advise`.
///
/// # Errors
/// [`CliError::BadSpec`] or [`CliError::BadInput`] before anything is measured, also when nothing
/// reads the view; [`CliError::Other`] when a result was wrong or memory ran out.
pub fn run(args: Args) -> CliResult {
    let text = &args.spec;
    let entry = Entry { name: text.clone(), spec: text.clone(), why: None };
    let Some(sequence) = Sequence::of(&entry, source::origin)? else {
        let message = "nothing reads this view: append .sum(), .sum(axis), .add(SPEC) or \
                       .matmul(SPEC)";
        let end = text.trim_end().len();
        let error = SpecError::new(ErrorKind::BadSpec, message, end..end);
        return Err(CliError::BadSpec { spec: text.clone(), error });
    };
    let sequences = [sequence];
    run::guard(&sequences)?;
    let pace = if args.quick { Pace::QUICK } else { Pace::DEFAULT };
    let settings = Settings { threads: vec![args.threads], pace, offset: 0, pin: true };
    let mut report = empty_report("advise".into(), 1, vec![], settings);
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("measuring {msg}") {
        bar.set_style(style);
    }
    run::run(&sequences, &mut report, &mut Quiet { bar: &bar })?;
    bar.finish_and_clear();

    let [sequence] = sequences;
    let measured = report.sequences.first().and_then(|record| record.runs.first());
    let measured = measured.ok_or_else(|| CliError::Other("nothing was measured".into()))?;
    let advice = Advice::of(&sequence, measured);
    let warnings = report.warnings.iter().chain(&measured.warnings);
    let warnings = warnings.map(|warning| format!("{warning}: {}", warning.advice())).collect();
    let answer = Answer {
        spec: text,
        threads: measured.threads,
        viewed_bytes: sequence.viewed_bytes() as u64,
        best: advice.best.name(),
        destination: advice.best.destination(),
        ahead: advice.ahead,
        advice: &advice.what,
        why: &advice.why,
        break_even_reused: measured.break_even_reused,
        break_even_fresh: measured.break_even_fresh,
        prediction: &measured.prediction,
        policies: &measured.policies,
        warnings,
    };
    let text = if args.json {
        serde_json::to_string(&answer).map_err(|error| CliError::Other(error.to_string()))? + "\n"
    } else {
        in_text(&answer, measured)
    };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

/// The answer for people.
fn in_text(answer: &Answer<'_>, run: &SequenceRun) -> String {
    let took = |policy: Policy| duration(run.seconds(policy));
    let once = |destination| {
        let policy = Policy::Once(destination);
        let ratio = run.seconds(policy) / run.seconds(Policy::View);
        format!("{} ({ratio:.2} of the view's time)", took(policy))
    };
    let many = run.seconds(Policy::Many(Destination::Reused));
    let uses = f64::from(Policy::Many(Destination::Reused).uses());
    let prediction = answer.prediction;
    let Prediction { view_lines, dense_lines, .. } = prediction;
    let plural = if answer.threads == 1 { "" } else { "s" };
    let agrees = match (prediction.break_even, answer.break_even_reused) {
        (BreakEven::From { uses: a }, BreakEven::From { uses: b }) => a.max(b) <= 2 * a.min(b),
        (a, b) => a == b,
    };
    let mut text = format!(
        "{}, {} viewed, {} thread{plural}\n\n{}\nWhy: {}\n\n\
         measured   consume the view                       {}\n\
         \x20          materialize (reused memory), consume   {}\n\
         \x20          materialize (fresh memory), consume    {}\n\
         \x20          a use of {uses} of one dense copy            {}\n\
         \x20          consume dense memory                   {}\n\
         \x20          memcpy of the viewed bytes             {}\n\
         predicted  consume the view {}, dense memory {}, materialize {}: {} ({})\n\
         \x20          from {view_lines} cache lines of the view and {dense_lines} of dense memory, \
         at the speed of memcpy\n",
        answer.spec,
        in_words(answer.viewed_bytes),
        answer.threads,
        answer.advice,
        answer.why,
        took(Policy::View),
        once(Destination::Reused),
        once(Destination::Fresh),
        duration(many / uses),
        took(Policy::Dense),
        took(Policy::Memcpy),
        duration(prediction.view),
        duration(prediction.dense),
        duration(prediction.copy),
        prediction.break_even,
        if agrees { "as measured" } else { "not as measured" },
    );
    for warning in &answer.warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text
}

/// Shows that something goes on, on a terminal.
struct Quiet<'a> {
    bar: &'a ProgressBar,
}

impl run::Watch<CliError> for Quiet<'_> {
    fn begins(&mut self, sequence: &Sequence, _threads: usize) -> Result<(), CliError> {
        self.bar.set_message(sequence.name.clone());
        self.bar.tick();
        Ok(())
    }

    fn ends(&mut self) {}

    fn measured(&mut self, _report: &Report) -> Result<(), CliError> {
        Ok(())
    }
}
