//! Page sizes, and when the system hands out huge ones.

use std::path::Path;

use serde::Serialize;

use super::sysfs;

/// Pages. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pages {
    /// The base page.
    pub base: Option<usize>,
    /// A transparent huge page.
    pub huge: Option<usize>,
    /// When memory gets transparent huge pages: `always`, `madvise` (where a program asks for
    /// them) or `never`.
    pub policy: Option<String>,
    /// How hard the kernel tries to find one at a page fault.
    pub defrag: Option<String>,
}

/// Reads `kernel/mm/transparent_hugepage` below `root`.
pub(super) fn read(root: &Path) -> Pages {
    let folder = root.join("kernel/mm/transparent_hugepage");
    Pages {
        base: base(),
        huge: sysfs::number(folder.join("hpage_pmd_size")),
        policy: sysfs::line(folder.join("enabled")).and_then(|text| chosen(&text)),
        defrag: sysfs::line(folder.join("defrag")).and_then(|text| chosen(&text)),
    }
}

/// The word in brackets of `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

#[cfg(target_os = "linux")]
fn base() -> Option<usize> {
    Some(rustix::param::page_size())
}

#[cfg(not(target_os = "linux"))]
fn base() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn the_chosen_policy_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never"), Some("madvise".into()));
        assert_eq!(chosen("none"), None);
    }
}
