//! `restride info`: the machine as restride sees it.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use indicatif::HumanBytes;
use serde::Serialize;

use super::{CliError, CliResult};
use crate::machine::{Isa, Machine};

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
    let size = |bytes: usize| HumanBytes(bytes as u64);
    writeln!(out, "restride  {}", info.version)?;
    writeln!(out, "machine   {} {}", info.arch, info.os)?;
    writeln!(out, "kernels   {} (can run: {})", info.isa, info.isa_available.join(", "))?;
    writeln!(
        out,
        "caches    {} L1d, {} L2, {} L3, lines of {}",
        size(info.l1d),
        size(info.l2),
        size(info.l3),
        size(info.line)
    )?;
    writeln!(out, "pages     {}", size(info.page))?;
    match info.threads {
        Some(threads) => writeln!(out, "threads   {threads}"),
        None => writeln!(out, "threads   unknown"),
    }
}
