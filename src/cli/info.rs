//! `restride info`: the machine as restride sees it.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use serde::Serialize;

use super::{CliError, CliResult};

/// Arguments of `restride info`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Info {
    version: &'static str,
    arch: &'static str,
    os: &'static str,
    /// Threads that can run at the same time; null when the system does not tell.
    threads: Option<usize>,
}

/// Runs `restride info`.
///
/// # Errors
/// [`CliError::Stdout`] when standard output cannot be written.
pub fn run(args: Args) -> CliResult {
    let info = Info {
        version: env!("CARGO_PKG_VERSION"),
        arch: std::env::consts::ARCH,
        os: std::env::consts::OS,
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
    writeln!(out, "restride  {}", info.version)?;
    writeln!(out, "machine   {} {}", info.arch, info.os)?;
    match info.threads {
        Some(threads) => writeln!(out, "threads   {threads}"),
        None => writeln!(out, "threads   unknown"),
    }
}
