//! Other libraries beside restride, in one process and in the same rounds.
//!
//! ```text
//! cd benches/peers
//! cargo run --release -- --suite main --quick --json peers.json
//! cargo run --release --features hptt                      # HPTT too: needs cmake and C++
//! ```
//!
//! The measuring is that of `restride bench`, and so are the arguments. A library takes part in a
//! case where it can express exactly that copy in one call; its output is compared with the
//! oracle's before it is timed, and one that is wrong or panics is named and left out. Libraries
//! that always allocate their output take part with fresh destinations only, those without threads
//! with one thread only.
//!
//! ```text
//! task        the copy as the libraries see it: axes in the order of the output, strides in elements
//! entry       a library's copy, from slices to the harness's pointers
//! libraries   one file each
//! summary     restride against the best of them
//! ```

mod entry;
mod libraries;
mod summary;
mod task;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;
use restride::bench::BenchError;
use restride::bench::strategy::{Contender, Setup, Strategy};
use restride::cli::CliError;
use restride::cli::bench::{Args, Harness, run_with};
use restride::machine::Isa;

use libraries::LIBRARIES;
use task::Task;

/// Times other libraries beside restride, in the same rounds.
#[derive(Parser)]
#[command(name = "peers", bin_name = "cargo run --release --", version, max_term_width = 100)]
struct Command {
    #[command(flatten)]
    args: Args,
    /// Print the libraries' names and end.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let command = Command::parse();
    if command.list {
        LIBRARIES.iter().for_each(|library| println!("{}", library.name));
        return ExitCode::SUCCESS;
    }
    if let Err(error) = Isa::requested() {
        return CliError::BadInput(error.to_string()).report();
    }
    let harness =
        Harness { field: &field, copies: libraries::OWNERS, pin: false, render: summary::render };
    run_with(command.args, harness).unwrap_or_else(|error| error.report())
}

/// restride, the dense copies, and every library that can express the case.
fn field(setup: &Setup<'_>) -> Result<Vec<Contender>, BenchError> {
    let dense = [Strategy::StreamingCopy, Strategy::Memcpy];
    let dense = dense.into_iter().filter(|strategy| Strategy::all().contains(strategy));
    let ours = [Strategy::Restride].into_iter().chain(dense);
    let ours = ours.map(|strategy| strategy.prepare(setup.case, setup.threads));
    let mut field: Vec<Contender> = ours.collect::<Result<_, _>>()?;
    field.push(entry::unplanned(setup));
    if let Some(task) = Task::of(setup) {
        for library in LIBRARIES.iter().filter(|library| setup.threads == 1 || library.threads) {
            // A library may panic on what it does not support instead of saying so.
            let entered = catch_unwind(AssertUnwindSafe(|| (library.enter)(&task)));
            if let Ok(Some(entry)) = entered {
                field.push(entry.contender(library.name, &task));
            }
        }
    }
    Ok(field)
}
