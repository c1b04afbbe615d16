//! Small files of the kernel's, one value each.

use std::fs;
use std::path::Path;

/// The first line of a file, trimmed; `None` for a file that is empty or cannot be read.
pub(super) fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

/// A file that holds one number.
pub(super) fn number<N: core::str::FromStr>(path: impl AsRef<Path>) -> Option<N> {
    line(path)?.parse().ok()
}

/// The kernel's `48K` or `2M`, in bytes.
pub(super) fn size(text: &str) -> Option<usize> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

/// The numbers `n` of the folder's entries `prefixN`, ascending.
pub(super) fn numbered(folder: impl AsRef<Path>, prefix: &str) -> Vec<usize> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<usize> = entries
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers
}
