//! How figures are written for people.

use crate::bench::record::Measurement;

/// A measurement's throughput in GB/s.
pub fn gb_per_second(measured: &Measurement) -> String {
    let figure = measured.gb_per_second;
    if figure < 10.0 { format!("{figure:.2}") } else { format!("{figure:.1}") }
}

/// A relative speed with at least two digits that mean something.
pub fn speed(ratio: f64) -> String {
    if ratio < 0.095 { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
}

/// Seconds in the unit that leaves one to three digits before the point.
pub fn duration(seconds: f64) -> String {
    let (scale, unit) = match seconds {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{:.2} {unit}", seconds * scale)
}

/// The Gregorian date in UTC, `seconds` after 1970 began.
pub fn date(seconds: u64) -> String {
    // Counted in years that begin in March, so that the leap day is the last of its year; these
    // repeat every 400 years, of 146097 days.
    let days = seconds / 86_400 + 719_468; // since 1 March of year 0
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // 0 is March; five months have 153 days
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_their_digits() {
        let said = [3.2e-9, 4.5e-5, 0.25, 12.0].map(duration);
        assert_eq!(said, ["3.20 ns", "45.00 µs", "250.00 ms", "12.00 s"]);
    }

    #[test]
    fn dates_follow_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_689_599, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(seconds), day);
        }
    }
}
