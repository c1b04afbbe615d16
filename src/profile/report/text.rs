//! A profile as one screen of text, at most 100 columns wide.

use core::fmt::Write;

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::limits::count;
use super::{Profile, Profiled};
use crate::bench::memory::in_words;
use crate::bench::report::figures::duration;
use crate::profile::simulate::{Caches, Policy};

/// Columns of the page.
const WIDTH: usize = 100;

/// The profile as text.
pub fn render(profile: &Profile) -> String {
    let mut text = String::new();
    let bytes = in_words(profile.output_bytes as u64);
    let threads = if profile.threads == 1 { "thread" } else { "threads" };
    let title = format!(
        "{}: {bytes} written from {} source lines of {} bytes, {} {threads}",
        profile.spec, profile.predicted.src_lines, profile.line, profile.threads
    );
    let _ = writeln!(text, "{}", wrapped(&title, ""));
    let _ = writeln!(text, "{}", wrapped(&profile.in_short, ""));
    let _ = writeln!(text, "{}", wrapped(&format!("plan: {}", profile.plan), "      "));
    let _ = writeln!(text, "{}", wrapped(&simulated(&profile.caches), "           "));
    let _ = writeln!(text, "{}", table(profile));
    let _ = writeln!(text, "{}", wrapped(&legend(profile), ""));
    for (names, limit) in limits(profile) {
        let _ = writeln!(text, "{}", wrapped(&format!("{names}: {limit}"), "  "));
    }
    for warning in &profile.warnings {
        let _ = writeln!(text, "{}", wrapped(&format!("warning: {warning}"), "  "));
    }
    text
}

/// What limits the strategies, those together that the same does.
pub(super) fn limits(profile: &Profile) -> Vec<(String, &str)> {
    let mut limits: Vec<(String, &str)> = Vec::new();
    for one in profile.strategies.iter().filter(|one| !one.dense) {
        match limits.iter_mut().find(|(_, limit)| *limit == one.limit) {
            Some((names, _)) => *names += &format!(", {}", one.strategy),
            None => limits.push((one.strategy.clone(), &one.limit)),
        }
    }
    limits
}

/// What was simulated, in a sentence.
pub(super) fn simulated(caches: &Caches) -> String {
    let mark = |assumed: bool| if assumed { " (assumed)" } else { "" };
    let levels = caches.levels.iter().map(|level| {
        let (bytes, ways) = (in_words(level.shape.bytes as u64), level.shape.ways);
        let inclusive = if level.inclusive { " inclusive" } else { "" };
        format!("{} {bytes} {ways}-way{inclusive}{}", level.name, mark(level.assumed))
    });
    let tlbs = caches.tlbs.iter().map(|tlb| {
        let (entries, ways) = (tlb.shape.lines(), tlb.shape.ways);
        format!("{} {entries} {ways}-way{}", tlb.name, mark(tlb.assumed))
    });
    let parts: Vec<String> = levels.chain(tlbs).collect();
    let page = caches.tlbs.first().map(|tlb| in_words(tlb.shape.line as u64));
    let pages = page.map_or(String::new(), |page| format!(", pages of {page}"));
    let policy = match caches.policy {
        Policy::Lru => "LRU",
        Policy::TreePlru => "tree-PLRU",
    };
    format!("simulated: {}{pages}, {policy}, one thread, no prefetching", parts.join(", "))
}

/// Heading and figures of the table, as text.
pub(super) fn columns(profile: &Profile) -> (Vec<String>, Vec<Vec<String>>) {
    let mut heading: Vec<String> =
        ["strategy", "time", "of\nceiling", "lines,\nmodel"].map(String::from).to_vec();
    heading.extend(profile.caches.levels.iter().map(|level| format!("{}\nmisses", level.name)));
    heading.extend(["lines\nstreamed", "page\nwalks"].map(String::from));
    let counted = profile.not_counted.is_none();
    if counted {
        heading.extend(["L1d\nhw", "LLC\nhw", "dTLB\nhw"].map(String::from));
    }
    let row = |one: &Profiled| {
        let mut row = vec![
            one.strategy.clone(),
            duration(one.seconds),
            format!("{:.2}", one.to_ceiling),
            count(one.predicted_lines as u64),
        ];
        row.extend(one.simulated.levels.iter().map(|level| count(level.misses)));
        row.push(count(one.simulated.streamed_lines));
        row.push(one.simulated.tlbs.last().map_or("".into(), |tlb| count(tlb.misses)));
        if counted {
            let hardware = one.counted.unwrap_or_default();
            let figures = [hardware.l1_misses, hardware.llc_misses, hardware.dtlb_misses];
            row.extend(figures.map(|n| n.map_or("".into(), count)));
        }
        row
    };
    (heading, profile.strategies.iter().map(row).collect())
}

fn table(profile: &Profile) -> Table {
    let (heading, rows) = columns(profile);
    let mut table = Table::new();
    let side = |place| if place == 0 { CellAlignment::Left } else { CellAlignment::Right };
    let heading = heading.into_iter().enumerate();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_header(heading.map(|(place, text)| Cell::new(text).set_alignment(side(place))));
    for row in rows {
        table.add_row(
            row.into_iter()
                .enumerate()
                .map(|(place, text)| Cell::new(text).set_alignment(side(place))),
        );
    }
    table
}

/// What the columns mean.
pub(super) fn legend(profile: &Profile) -> String {
    let mut text = format!(
        "Ceiling: {}. Model: lines to fetch or write, by sizes and strides alone; lines that conflict \
         in a set come on top. Misses: lines that the simulated cache had to fetch; streamed: lines \
         stored past the caches; page walks: pages that no TLB held. The prefetcher hides the misses \
         of a walk along lines, not those of jumps.",
        profile.ceiling
    );
    let least = profile.strategies.iter().map(|one| one.simulated_share).fold(1.0, f64::min);
    if least < 1.0 {
        let percent = 100.0 * least;
        let _ = write!(text, " Simulated was a part ({percent:.0} % at least), scaled up.");
    }
    match &profile.not_counted {
        Some(why) => {
            let _ = write!(text, " Not counted: {why}.");
        }
        None => text += " hw: what the hardware counted on one thread.",
    }
    text
}

/// Text in lines of at most [`WIDTH`] columns, those after the first behind `indent`.
pub(in crate::profile) fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = &mut lines[..];
        let last = line.len() - 1;
        let used = line[last].chars().count();
        if used > indent.len() && used + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            if used > 0 && !(last > 0 && used == indent.len()) {
                line[last].push(' ');
            }
            line[last].push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_between_words() {
        let text = "word ".repeat(50);
        let wrapped = wrapped(text.trim_end(), "  ");
        assert!(wrapped.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("  word")));
        assert_eq!(wrapped.split_whitespace().count(), 50);
    }
}
