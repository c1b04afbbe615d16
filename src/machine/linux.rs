//! What Linux tells of the machine, by its files; nothing elsewhere.

/// Bytes of a page, which aarch64 leaves to the system, as Linux tells every program it starts.
pub(super) fn base_page() -> Option<usize> {
    const AT_PAGESZ: usize = 6;
    let vector = std::fs::read("/proc/self/auxv").ok()?;
    let (words, _) = vector.as_chunks::<{ size_of::<usize>() }>();
    let (entries, _) = words.as_chunks::<2>();
    entries.iter().find_map(|&[key, value]| {
        (usize::from_ne_bytes(key) == AT_PAGESZ).then(|| usize::from_ne_bytes(value))
    })
}

/// Size of the first data or unified cache of `level` that Linux reports for CPU 0.
pub(super) fn cache(level: u32) -> Option<usize> {
    let cache = |index: u32, file: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}");
        std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
    };
    let index = (0..8).find(|&index| {
        cache(index, "level").is_some_and(|l| l == level.to_string())
            && cache(index, "type").is_some_and(|kind| kind != "Instruction")
    })?;
    let size = cache(index, "size")?;
    let (digits, unit) = match size.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => (size.strip_suffix('M')?, 1 << 20),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}
