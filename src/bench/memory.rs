//! How much memory there is, so that a case too large is refused instead of ending the process.

use std::fs;
use std::path::Path;

use super::BenchError;
use super::case::Case;

/// Share of the available memory that cases may use: the rest is for the file cache and for
/// other programs.
const USABLE: f64 = 0.9;

/// Refuses the first case that needs more memory than there is, `copies` of its source in the
/// hands of peers included. Where the system does not tell (anything but Linux), nothing is
/// refused.
///
/// # Errors
/// [`BenchError::Memory`].
pub fn guard(cases: &[Case], offset: usize, copies: u64) -> Result<(), BenchError> {
    let needed = |case: &Case| case.memory_needed(offset) + copies * case.source_bytes() as u64;
    cases.iter().try_for_each(|case| refuse_beyond(&case.name, needed(case)))
}

/// Refuses the case `name`, which needs `needed` bytes, when there is less.
///
/// # Errors
/// [`BenchError::Memory`].
pub fn refuse_beyond(name: &str, needed: u64) -> Result<(), BenchError> {
    match available() {
        Some(available) if needed > (available as f64 * USABLE) as u64 => {
            Err(BenchError::Memory { case: name.into(), needed, available })
        }
        _ => Ok(()),
    }
}

/// Bytes this process can still get without pushing something out: the system's estimate, or
/// less where a control group limits it.
pub fn available() -> Option<u64> {
    let system = field_kib(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")? * 1024;
    Some(cgroup_room().map_or(system, |room| room.min(system)))
}

/// The value of a `/proc/meminfo` line, in KiB.
fn field_kib(meminfo: &str, field: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The room left below the tightest limit of this process's control groups (version 2).
fn cgroup_room() -> Option<u64> {
    let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = membership.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let group = Path::new("/sys/fs/cgroup").join(path);
    let number = |file: &Path| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    group
        .ancestors()
        .take_while(|group| group.starts_with("/sys/fs/cgroup"))
        .filter_map(|group| {
            let limit = number(&group.join("memory.max"))?; // "max" is no number: no limit
            let used = number(&group.join("memory.current"))?;
            Some(limit.saturating_sub(used))
        })
        .min()
}

/// Bytes as people say them: `37 B`, `12.5 MiB`.
pub fn in_words(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    let digits = format!("{value:.1}");
    format!("{} {unit}", digits.strip_suffix(".0").unwrap_or(&digits))
}

/// Reads a number of bytes: `4096`, `64M`, `1.5GiB`, `200 MB`. One letter and `iB` count in powers
/// of 1024, `kB`, `MB` and `GB` in powers of 1000.
///
/// # Errors
/// A sentence on what was expected.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(format!("`{unit}` is no unit of bytes; use K, M, G, MiB, MB …")),
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(scale).ok_or_else(|| format!("{text} is too large"));
    }
    let value: f64 = number.parse().map_err(|_| format!("`{text}` is no number of bytes"))?;
    Ok((value * scale as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_people_write_them() {
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert_eq!(parse_bytes("64M"), Ok(64 << 20));
        assert_eq!(parse_bytes("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_bytes("200 MB"), Ok(200_000_000));
        for wrong in ["", "M", "-1", "12 apples", "99999999999T", "1.2.3"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_are_said_as_people_read_them() {
        assert_eq!(in_words(37), "37 B");
        assert_eq!(in_words(64 << 20), "64 MiB");
        assert_eq!(in_words(3 << 29), "1.5 GiB");
    }

    #[test]
    fn meminfo_is_read_by_field() {
        let text = "MemTotal:       24605904 kB\nMemAvailable:   23900000 kB\n";
        assert_eq!(field_kib(text, "MemAvailable:"), Some(23_900_000));
        assert_eq!(field_kib(text, "Nothing:"), None);
    }
}
