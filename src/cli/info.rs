//! `restride info`: the machine as restride sees it.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use serde::Serialize;

use super::{CliError, CliResult};
use crate::bench::memory::in_words;
use crate::error::counted;
use crate::machine::{Isa, Machine};
use crate::profile::counters::Counters;
use crate::profile::topology::{CacheKind, TlbKind, Topology};

/// Arguments of `restride info`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Sizes are in bytes.
#[derive(Serialize)]
struct Info {
    version: &'static str,
    arch: &'static str,
    os: &'static str,
    /// The tier of kernels in use.
    isa: &'static str,
    /// Every tier this CPU can run.
    isa_available: Vec<&'static str>,
    l1d: usize,
    l2: usize,
    l3: usize,
    line: usize,
    page: usize,
    /// Threads that can run at the same time; null when the system does not tell.
    threads: Option<usize>,
    /// What the system and the CPU tell of the machine.
    topology: Topology,
    /// Why hardware counters cannot be read; null where they can.
    no_counters: Option<String>,
}

/// Runs `restride info`.
///
/// # Errors
/// [`CliError::Stdout`] when standard output cannot be written.
pub fn run(args: Args) -> CliResult {
    let machine = Machine::current();
    let available = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        arch: std::env::consts::ARCH,
        os: std::env::consts::OS,
        isa: machine.isa.as_str(),
        isa_available: available.map(Isa::as_str).collect(),
        l1d: machine.l1d,
        l2: machine.l2,
        l3: machine.l3,
        line: machine.line,
        page: machine.page,
        threads: thread::available_parallelism().ok().map(usize::from),
        topology: Topology::detect(),
        no_counters: Counters::open().err(),
    };
    let mut out = io::stdout().lock();
    let written = if args.json {
        serde_json::to_writer(&mut out, &info).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else {
        write_text(&info, &mut out)
    };
    written.map_err(CliError::Stdout)?;
    Ok(ExitCode::SUCCESS)
}

fn write_text(info: &Info, out: &mut impl Write) -> io::Result<()> {
    let size = |bytes: usize| in_words(bytes as u64);
    let of = |processors: &str| {
        let several = processors.contains([',', '-']);
        format!("{} {processors}", if several { "processors" } else { "processor" })
    };
    writeln!(out, "restride  {}", info.version)?;
    writeln!(out, "machine   {} {}", info.arch, info.os)?;
    writeln!(out, "kernels   {} (can run: {})", info.isa, info.isa_available.join(", "))?;
    match info.threads {
        Some(threads) => write!(out, "threads   {threads}")?,
        None => write!(out, "threads   unknown")?,
    }
    let Topology { processors, caches, tlbs, pages, nodes, unknown } = &info.topology;
    match (processors.cores, processors.packages) {
        (Some(cores), Some(packages)) => {
            let cores = counted(cores, "core", "cores");
            writeln!(out, " on {cores} in {}", counted(packages, "package", "packages"))?;
        }
        _ => writeln!(out)?,
    }
    writeln!(
        out,
        "planning  {} L1d, {} L2, {} L3, lines of {}, pages of {}",
        size(info.l1d),
        size(info.l2),
        size(info.l3),
        size(info.line),
        size(info.page)
    )?;
    for cache in caches {
        let kind = match cache.kind {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => " ",
        };
        write!(out, "cache     L{}{kind} {:>8}", cache.level, size(cache.bytes))?;
        if let (Some(ways), Some(sets), Some(line)) = (cache.ways, cache.sets, cache.line) {
            write!(out, ", {ways}-way, {sets} sets, lines of {line} B")?;
        }
        if cache.inclusive == Some(true) && cache.level > 1 {
            write!(out, ", inclusive")?;
        }
        match &cache.shared_by {
            Some(processors) => writeln!(out, ", of {}", of(processors))?,
            None => writeln!(out)?,
        }
    }
    for tlb in tlbs {
        let kind = match tlb.kind {
            TlbKind::Data => "data",
            TlbKind::Instruction => "instructions",
            TlbKind::Unified => "all",
            TlbKind::Loads => "loads",
            TlbKind::Stores => "stores",
        };
        let pages: Vec<String> = tlb.pages.iter().map(|&page| size(page)).collect();
        let (entries, ways) = (tlb.entries, tlb.ways);
        let pages = pages.join(", ");
        writeln!(out, "TLB       L{} {kind}: {entries} entries, {ways}-way, {pages}", tlb.level)?;
    }
    if let Some(base) = pages.base {
        write!(out, "pages     {}", size(base))?;
        match (pages.huge, &pages.policy) {
            (Some(huge), Some(policy)) => {
                writeln!(out, ", huge ones of {} by policy `{policy}`", size(huge))?;
            }
            _ => writeln!(out)?,
        }
    }
    for node in nodes {
        write!(out, "NUMA      node {}", node.id)?;
        if let Some(processors) = &node.processors {
            write!(out, ", {}", of(processors))?;
        }
        match node.memory {
            Some(memory) => writeln!(out, ", {}", in_words(memory))?,
            None => writeln!(out)?,
        }
    }
    match &info.no_counters {
        Some(why) => writeln!(out, "counters  none: {why}")?,
        None => writeln!(out, "counters  perf_event, for this process")?,
    }
    unknown.iter().try_for_each(|gap| writeln!(out, "unknown   {gap}"))
}
