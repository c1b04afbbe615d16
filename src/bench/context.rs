//! The machine and the program that made the figures, so that they can be believed later.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::profile::topology::{self, CacheKind};

use super::team;
use super::warning::Warning;

/// Cache size assumed where the system does not tell.
const ASSUMED_LAST_LEVEL: usize = 32 << 20;

/// What figures depend on besides the code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// The processor's name.
    pub cpu: Option<String>,
    /// Processors this process may use.
    pub processors: usize,
    /// Data and unified caches of the first processor, nearest first.
    pub caches: Vec<Cache>,
    /// Instruction-set tier of the kernels.
    pub isa: String,
    /// Bytes of physical memory available at the start.
    pub memory_available: Option<u64>,
    /// The system's policy on huge pages: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// How the clock frequency is chosen.
    pub frequency_governor: Option<String>,
    /// Operating system, architecture and kernel.
    pub system: String,
    /// Version of this crate.
    pub restride: String,
    /// The compiler that built it.
    pub rustc: String,
    /// Whether it was built with optimization.
    pub optimized: bool,
}

/// One cache level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1 is nearest to the processor.
    pub level: u32,
    /// Its size in bytes.
    pub bytes: usize,
    /// Processors that share it, as the kernel lists them.
    pub shared_by: Option<String>,
}

impl Context {
    /// Looks at this machine.
    pub fn detect() -> Self {
        Self {
            cpu: cpu_name(),
            processors: team::processors(),
            caches: caches(Path::new("/sys")),
            isa: Machine::current().isa.to_string(),
            memory_available: super::memory::available(),
            transparent_huge_pages: line("/sys/kernel/mm/transparent_hugepage/enabled")
                .and_then(|text| chosen(&text)),
            frequency_governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            system: [std::env::consts::OS, std::env::consts::ARCH]
                .map(String::from)
                .into_iter()
                .chain(line("/proc/sys/kernel/osrelease"))
                .collect::<Vec<_>>()
                .join(" "),
            restride: env!("CARGO_PKG_VERSION").into(),
            rustc: rustc_version_runtime::version().to_string(),
            optimized: !cfg!(debug_assertions),
        }
    }

    /// Bytes of the largest cache.
    pub fn last_level_bytes(&self) -> usize {
        self.caches.iter().map(|cache| cache.bytes).max().unwrap_or(ASSUMED_LAST_LEVEL)
    }

    /// What is doubtful before the first round.
    pub fn warnings(&self) -> Vec<Warning> {
        let processors = self.processors;
        let busy = load().filter(|&load| load > 0.5 * processors as f64);
        let busy = busy.map(|load| Warning::BusyMachine { load, processors });
        busy.into_iter().chain((!self.optimized).then_some(Warning::DebugBuild)).collect()
    }
}

/// The first line of a file, trimmed.
fn line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

/// The word in brackets of `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

/// The one-minute load average.
fn load() -> Option<f64> {
    line("/proc/loadavg")?.split_whitespace().next()?.parse().ok()
}

fn cpu_name() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}

/// The caches of a sysfs at `root`, without those for instructions.
fn caches(root: &Path) -> Vec<Cache> {
    let caches = topology::caches(root).into_iter();
    caches
        .filter(|cache| cache.kind != CacheKind::Instruction)
        .map(|cache| Cache { level: cache.level, bytes: cache.bytes, shared_by: cache.shared_by })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_from_a_sysfs_folder() {
        let sysfs = tempfile::tempdir().unwrap();
        let levels = [("1", "48K", "Data"), ("1", "32K", "Instruction"), ("2", "2048K", "Unified")];
        for (index, (level, size, kind)) in levels.into_iter().enumerate() {
            let folder = sysfs.path().join("devices/system/cpu/cpu0/cache");
            let folder = folder.join(format!("index{index}"));
            fs::create_dir_all(&folder).unwrap();
            for (file, text) in [("level", level), ("size", size), ("type", kind)] {
                fs::write(folder.join(file), format!("{text}\n")).unwrap();
            }
        }
        let cache = |level, bytes| Cache { level, bytes, shared_by: None };
        assert_eq!(caches(sysfs.path()), [cache(1, 48 << 10), cache(2, 2 << 20)]);
        assert_eq!(caches(&sysfs.path().join("nothing")), []);
    }

    #[test]
    fn the_chosen_policy_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never"), Some("madvise".into()));
        assert_eq!(chosen("none"), None);
    }

    #[test]
    fn this_machine_can_be_described() {
        let context = Context::detect();
        assert!(context.processors >= 1 && context.last_level_bytes() > 0);
        let text = serde_json::to_string(&context).unwrap();
        assert_eq!(serde_json::from_str::<Context>(&text).unwrap(), context);
    }
}
