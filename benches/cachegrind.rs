//! The cache simulator against `valgrind --tool=cachegrind`.
//!
//! ```text
//! cargo bench --features cli --bench cachegrind                     compares, prints a table
//! cargo bench --features cli --bench cachegrind -- --write FILE     writes it as Markdown as well
//! ```
//!
//! For every strategy and layout below, this program runs itself twice under cachegrind: once it
//! prepares buffers, sweeps the caches clean and copies once; once it does all but the copy. The
//! difference of the two counts is the copy's. The simulator then gets the address stream of the
//! same copy, at the addresses that the first run has printed.
//!
//! Cachegrind knows LRU, two levels, allocation on reads and writes, no prefetching and no
//! streaming stores, and counts accesses, not lines; the simulator is set to the same. Valgrind
//! offers AVX2 at most, so kernels of that tier run.

use std::fs;
use std::process::{Command, ExitCode};

use restride::bench::buffers::Buffer;
use restride::bench::case::Case;
use restride::bench::prepared::Prepared;
use restride::bench::resolve;
use restride::bench::strategy::Strategy;
use restride::bench::suite::Entry;
use restride::profile::report::stream;
use restride::profile::simulate::{Caches, Level, Policy, Shape, Simulator, Streaming};
use restride::profile::stream::Places;

/// Sizes small enough that copies of a megabyte miss in both levels.
const D1: (usize, usize) = (16 << 10, 8);
const LL: (usize, usize) = (128 << 10, 16);
const LINE: usize = 64;

/// Layouts and strategies.
const RUNS: &[(&str, Strategy)] = &[
    ("f32[512,512].T", Strategy::Naive),
    ("f32[512,512].T", Strategy::Rows),
    ("f32[512,512].T", Strategy::ScalarTiles),
    ("f32[512,512].T", Strategy::Restride),
    ("f64[300,500].T", Strategy::Restride),
    ("u16[1024,512].T", Strategy::Restride),
    ("f32[511,513].T", Strategy::Naive),
    ("f32[511,513].T", Strategy::Restride),
    ("f32[64,64,64].permute(2,1,0)", Strategy::Restride),
    ("f32[64,64,64].permute(1,0,2)", Strategy::Restride),
    ("u8[512,512,3].permute(2,0,1)", Strategy::Restride),
    ("f32[1024,512][:, ::2]", Strategy::Restride),
    ("f32[1024,256].flip(1)", Strategy::Restride),
    ("f32[1024].expand(256,1024)", Strategy::Restride),
];

/// How far apart the counts may be.
const TOLERANCE: f64 = 0.02;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["once", spec, strategy, with_copy] => once(spec, strategy, *with_copy == "copy"),
        ["--write", file] => compare(Some(file)),
        [] => compare(None),
        _ => {
            eprintln!("usage: cachegrind [--write FILE]");
            ExitCode::from(2)
        }
    }
}

fn case(spec: &str) -> Case {
    let entry = Entry { name: spec.into(), spec: spec.into(), why: None };
    resolve::case(&entry, restride::cli::source::origin).expect("the layouts above are right")
}

/// One copy, or all but it, under cachegrind's eyes.
fn once(spec: &str, strategy: &str, copy: bool) -> ExitCode {
    let case = case(spec);
    let strategy = Strategy::all().into_iter().find(|s| s.name() == strategy);
    let prepared = Prepared::new(strategy.expect("a strategy's name"), &case, 1).unwrap();
    let source = case.source(0).unwrap();
    let mut output = Buffer::poisoned(case.output_bytes, 0).unwrap();
    println!("{} {}", source.as_ptr().addr(), output.as_ptr().addr());
    // Whatever preparing has left in the caches goes.
    let other = vec![1u8; 4 * LL.0];
    let mut sum = 0u64;
    for _ in 0..2 {
        sum += other.iter().step_by(LINE).map(|&byte| u64::from(byte)).sum::<u64>();
    }
    std::hint::black_box(sum);
    if copy {
        prepared.run(&source, &mut output);
    }
    ExitCode::SUCCESS
}

/// Misses of the first and of the last level.
#[derive(Clone, Copy)]
struct Misses {
    d1: u64,
    ll: u64,
}

/// Runs this program under cachegrind; returns its misses and the addresses of both buffers.
fn cachegrind(spec: &str, strategy: Strategy, what: &str) -> (Misses, [usize; 2]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let program = std::env::current_exe().expect("this program's path");
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64"])
        .arg(format!("--D1={},{},{LINE}", D1.0, D1.1))
        .arg(format!("--LL={},{},{LINE}", LL.0, LL.1))
        .arg(format!("--cachegrind-out-file={}", out.display()))
        .arg(program)
        .args(["once", spec, strategy.name(), what])
        .output()
        .expect("valgrind runs: install it first");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut places = said.split_whitespace().map(|word| word.parse().expect("an address"));
    let text = fs::read_to_string(out).expect("cachegrind's counts");
    let field = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).expect("a field");
    let events: Vec<&str> = field("events: ").split_whitespace().collect();
    let counts: Vec<u64> =
        field("summary: ").split_whitespace().map(|n| n.parse().expect("a count")).collect();
    let of = |name: &str| counts[events.iter().position(|&event| event == name).expect("an event")];
    let misses = Misses { d1: of("D1mr") + of("D1mw"), ll: of("DLmr") + of("DLmw") };
    (misses, [places.next().expect("a place"), places.next().expect("a place")])
}

/// The same counts by the simulator.
fn simulated(spec: &str, strategy: Strategy, [src, dst]: [usize; 2]) -> Misses {
    let level = |name, (bytes, ways)| Level {
        name,
        shape: Shape::new(bytes, ways, LINE).expect("a cache"),
        inclusive: false,
        assumed: false,
    };
    let caches = Caches {
        levels: vec![level("L1d", D1), level("LL", LL)],
        tlbs: Vec::new(),
        policy: Policy::Lru,
        streaming: Streaming::AsStores,
    };
    let mut simulator = Simulator::new(&caches).expect("caches that can be");
    let case = case(spec);
    let places = Places { src: src + case.first, dst, own: 0x1f_fe80_0000 };
    stream(&case, strategy, places, &mut simulator).expect("a plan");
    let counts = simulator.counts();
    Misses { d1: counts.levels[0].missed_accesses, ll: counts.levels[1].missed_accesses }
}

fn compare(file: Option<&str>) -> ExitCode {
    // The tier that valgrind offers, for the plans of the simulator too; before anything asks.
    if std::env::var_os("RESTRIDE_ISA").is_none() {
        let program = std::env::current_exe().expect("this program's path");
        let status = Command::new(program)
            .args(file.map(|file| ["--write", file]).into_iter().flatten())
            .env("RESTRIDE_ISA", "avx2")
            .status()
            .expect("this program runs");
        return if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let mut table = String::from(
        "| layout | strategy | D1 cachegrind | D1 simulated | | LL cachegrind | LL simulated | |\n\
         |---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut close = 0;
    for &(spec, strategy) in RUNS {
        let (with, places) = cachegrind(spec, strategy, "copy");
        let (without, _) = cachegrind(spec, strategy, "nothing");
        let theirs = Misses {
            d1: with.d1.saturating_sub(without.d1),
            ll: with.ll.saturating_sub(without.ll),
        };
        let ours = simulated(spec, strategy, places);
        let off = |ours: u64, theirs: u64| ours as f64 / theirs.max(1) as f64 - 1.0;
        let (d1, ll) = (off(ours.d1, theirs.d1), off(ours.ll, theirs.ll));
        close += u32::from(d1.abs() <= TOLERANCE && ll.abs() <= TOLERANCE);
        let line = format!(
            "| `{spec}` | {} | {} | {} | {:+.2} % | {} | {} | {:+.2} % |\n",
            strategy.name(),
            theirs.d1,
            ours.d1,
            100.0 * d1,
            theirs.ll,
            ours.ll,
            100.0 * ll,
        );
        print!("{line}");
        table += &line;
    }
    println!("{close} of {} within 2 % at both levels", RUNS.len());
    if let Some(file) = file {
        let text = format!(
            "# The cache simulator beside cachegrind\n\n\
             Made by `cargo bench --features cli --bench cachegrind -- --write FILE`, which says at \
             its head how the copy is told from the rest. D1 of {} KiB, {} ways; LL of {} KiB, {} \
             ways; lines of {LINE} bytes; kernels of the AVX2 tier, streaming stores taken for \
             ordinary ones. Misses of loads and stores together; within 2 % at both levels: {close} \
             of {}.\n\n{table}",
            D1.0 >> 10,
            D1.1,
            LL.0 >> 10,
            LL.1,
            RUNS.len()
        );
        if let Err(error) = fs::write(file, text) {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
