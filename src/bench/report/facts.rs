//! The machine, the program and the method, as pairs of words.

use super::Report;
use super::figures::date;
use crate::bench::memory::in_words;

/// What readers need to judge the figures, or to take them again.
pub fn of(report: &Report) -> Vec<(&'static str, String)> {
    let (context, settings) = (&report.context, &report.settings);
    let unknown = || "unknown".to_owned();
    let caches = context.caches.iter().map(|cache| {
        let shared = cache
            .shared_by
            .as_ref()
            .map_or(String::new(), |processors| format!(" (processors {processors})"));
        format!("L{} {}{shared}", cache.level, in_words(cache.bytes as u64))
    });
    let caches: Vec<_> = caches.collect();
    let threads: Vec<_> = settings.threads.iter().map(usize::to_string).collect();
    let pace = settings.pace;
    let mut rounds = format!(
        "{} to {}, no new one after {} s, samples of at least {} µs",
        pace.min_rounds,
        pace.max_rounds,
        pace.budget,
        pace.min_sample * 1e6
    );
    if let Some(limit) = pace.limit {
        rounds += &format!(", {limit} s for everything");
    }
    let build = if context.optimized { "" } else { ", not optimized" };
    vec![
        ("Date", date(report.started)),
        ("Command", command(report)),
        ("CPU", context.cpu.clone().unwrap_or_else(unknown)),
        ("Processors", context.processors.to_string()),
        ("Caches", if caches.is_empty() { unknown() } else { caches.join(", ") }),
        ("Kernels", context.isa.clone()),
        ("Threads", threads.join(", ")),
        ("Transparent huge pages", context.transparent_huge_pages.clone().unwrap_or_else(unknown)),
        ("Frequency governor", context.frequency_governor.clone().unwrap_or_else(unknown)),
        ("Memory available", context.memory_available.map_or_else(unknown, in_words)),
        ("System", context.system.clone()),
        ("Versions", format!("restride {}, rustc {}{build}", context.restride, context.rustc)),
        ("Rounds", rounds),
        ("Offset", format!("{} bytes", settings.offset)),
    ]
}

/// The program and its arguments as they could be typed again.
pub fn command(report: &Report) -> String {
    if report.command.is_empty() {
        return "unknown".into();
    }
    let quoted = report.command.iter().map(|argument| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=%+".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument.clone()
        } else {
            format!("'{}'", argument.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
