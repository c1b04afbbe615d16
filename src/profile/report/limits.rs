//! What limits a strategy, in a sentence made of its figures.

use super::{Profile, Profiled};
use crate::bench::memory::in_words;
use crate::bench::strategy::Strategy;
use crate::profile::simulate::LevelCounts;

/// Times that lines are fetched from which on fetching them again is what costs.
const REFETCHED: f64 = 1.5;
/// Share of a level's misses that is worth a word when too few ways cause it.
const CONFLICTING: f64 = 0.25;
/// Page walks per line moved that are worth a word.
const WALKING: f64 = 0.5;
/// Times as fast that are worth a word.
const FASTER: f64 = 1.2;
/// Speed relative to the ceiling that counts as reaching it.
const REACHED: f64 = 0.8;

/// The sentence for `one` of the profile's strategies.
pub(super) fn sentence(profile: &Profile, one: &Profiled) -> String {
    let counts = &one.simulated;
    let Some(nearest) = counts.levels.first() else { return String::new() };
    let fetched = nearest.misses as f64;
    // Streamed lines are touched without being fetched.
    let distinct = counts.distinct_lines.saturating_sub(counts.streamed_lines).max(1) as f64;
    let again = fetched / distinct;
    if again < REFETCHED {
        return moved_once(profile, one, again);
    }
    let used = profile.output_bytes as f64 * 2.0 / (fetched * profile.line as f64);
    let mut sentence = format!(
        "fetches every line {} times: of {} bytes fetched, {} are used",
        figure(again),
        profile.line,
        figure((used * profile.line as f64).min(profile.line as f64)),
    );
    let waits: Vec<String> = [conflicts(&counts.levels), walks(counts.tlbs.last(), fetched)]
        .into_iter()
        .flatten()
        .collect();
    if !waits.is_empty() {
        sentence += &format!("; {}", waits.join("; "));
    }
    let per_miss = one.seconds * profile.threads as f64 / fetched * 1e9;
    sentence + &format!(". {} ns a miss.", figure(per_miss))
}

/// The planned copy beside the loop written by hand, in a sentence.
pub(super) fn in_short(profile: &Profile) -> String {
    let both = profile.of(Strategy::Naive.name()).zip(profile.of(Strategy::Restride.name()));
    let Some((naive, planned)) = both else { return String::new() };
    let faster = naive.seconds / planned.seconds;
    if faster < FASTER {
        return format!(
            "In short: the loop written by hand is nearly as fast ({faster:.2} times the time)."
        );
    }
    let fetched = |one: &Profiled| one.simulated.levels.first().map_or(0, |level| level.misses);
    let (loops, plans) = (fetched(naive), fetched(planned));
    let why = if loops as f64 > FASTER * plans as f64 {
        format!("it fetches {} lines where the loop fetches {}", count(plans), count(loops))
    } else {
        "it moves as many lines, in fewer instructions or past the caches".to_owned()
    };
    format!(
        "In short: restride is {} times as fast as the loop written by hand: {why}.",
        figure(faster)
    )
}

/// For copies that fetch no line twice, or hardly any.
fn moved_once(profile: &Profile, one: &Profiled, again: f64) -> String {
    let once = if again < 1.05 {
        "moves every line once".to_owned()
    } else {
        format!("fetches every line {again:.1} times")
    };
    let streamed = one.simulated.streamed_lines as usize * profile.line;
    let past = match streamed {
        0 => String::new(),
        bytes => format!(", {} past the caches", in_words(bytes as u64)),
    };
    let touched = one.simulated.distinct_lines as usize * profile.line;
    let level = profile.caches.levels.iter().find(|level| touched <= level.shape.bytes);
    let verdict = if one.to_ceiling >= REACHED || one.dense {
        "memory, or the cache that holds it, sets the pace".to_owned()
    } else if one.simulated.reads > 4 * (profile.output_bytes / profile.line) as u64 {
        format!("instructions limit it: {} loads", count(one.simulated.reads))
    } else if let Some(level) = level {
        format!("all of it fits into {}: instructions and stores limit it", level.name)
    } else {
        let walks = one.simulated.tlbs.last().map_or(0, |tlb| tlb.misses);
        format!("jumps between pages limit it: {} page walks", count(walks))
    };
    format!("{once}{past}; {verdict}.")
}

/// The level that lacks ways most, if one does.
fn conflicts(levels: &[LevelCounts]) -> Option<String> {
    let share = |level: &LevelCounts| level.conflicts as f64 / level.misses.max(1) as f64;
    let worst = levels.iter().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    (share(worst) >= CONFLICTING).then(|| {
        let percent = 100.0 * share(worst);
        format!("{percent:.0} % of its {} misses are conflicts, for want of ways", worst.name)
    })
}

/// Page walks, if they are many.
fn walks(tlb: Option<&LevelCounts>, fetched: f64) -> Option<String> {
    let walks = tlb?.misses as f64;
    let each = walks / fetched;
    (each >= WALKING)
        .then(|| format!("{} page walks, {} a miss", count(walks as u64), figure(each)))
}

/// Two digits that mean something.
fn figure(value: f64) -> String {
    if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// `16.8 M`; the space does not break.
pub(super) fn count(n: u64) -> String {
    let (value, unit) = match n {
        0..10_000 => return n.to_string(),
        10_000..1_000_000 => (n as f64 / 1e3, 'k'),
        1_000_000..1_000_000_000 => (n as f64 / 1e6, 'M'),
        _ => (n as f64 / 1e9, 'G'),
    };
    let digits = match value {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:.digits$}\u{a0}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        let said = [9999, 10_000, 1_048_576, 16_777_216, 12_345_678_901].map(count);
        let said = said.map(|said| said.replace('\u{a0}', " "));
        assert_eq!(said, ["9999", "10.0 k", "1.05 M", "16.8 M", "12.3 G"]);
    }
}
