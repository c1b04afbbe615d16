//! Processors, the cores they belong to, and the packages those sit in.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::sysfs;

/// How many there are of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Processors {
    /// Processors as the scheduler counts them: hardware threads.
    pub threads: usize,
    /// Cores; `None` where the system does not tell.
    pub cores: Option<usize>,
    /// Packages (sockets).
    pub packages: Option<usize>,
}

/// Reads `devices/system/cpu` below `root`.
pub(super) fn read(root: &Path) -> Processors {
    let folder = root.join("devices/system/cpu");
    let place = |cpu: usize| {
        let topology = folder.join(format!("cpu{cpu}/topology"));
        let package: usize = sysfs::number(topology.join("physical_package_id"))?;
        let core: usize = sysfs::number(topology.join("core_id"))?;
        Some((package, core))
    };
    let cpus = sysfs::numbered(&folder, "cpu");
    // A processor that is offline has no topology.
    let places: Vec<(usize, usize)> = cpus.into_iter().filter_map(place).collect();
    let count = |places: BTreeSet<(usize, usize)>| Some(places.len()).filter(|&n| n > 0);
    Processors {
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        cores: count(places.iter().copied().collect()),
        packages: count(places.iter().map(|&(package, _)| (package, 0)).collect()),
    }
}
