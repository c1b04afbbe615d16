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
//! A third run, under `valgrind --tool=lackey --trace-mem=yes`, tells every address that the compiled
//! copy really used. The simulator gets those as well: all of them, which shows what it makes of the
//! same addresses as cachegrind; and only those in the two buffers, which shows how much the registers
//! cost that the compiler keeps on the stack, and that no stream knows of.
//!
//! Cachegrind knows LRU, two levels, allocation on reads and writes, no prefetching and no
//! streaming stores, and counts accesses, not lines; the simulator is set to the same. Valgrind
//! offers AVX2 at most, so kernels of that tier run.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use restride::bench::buffers::Buffer;
use restride::bench::case::Case;
use restride::bench::prepared::Prepared;
use restride::bench::resolve;
use restride::bench::strategy::Strategy;
use restride::bench::suite::Entry;
use restride::profile::report::stream;
use restride::profile::simulate::{Caches, Level, Policy, Shape, Simulator, Streaming};
use restride::profile::stream::{Access, Kind, Places, Sink};

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

/// Written right before a copy and right after it.
static MARK: AtomicU8 = AtomicU8::new(0);

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
    println!("{} {} {}", source.as_ptr().addr(), output.as_ptr().addr(), MARK.as_ptr().addr());
    // Whoever follows every access wants to know the places first.
    std::io::stdin().read_line(&mut String::new()).expect("standard input");
    // Whatever preparing has left in the caches goes.
    let other = vec![1u8; 4 * LL.0];
    let mut sum = 0u64;
    for _ in 0..2 {
        sum += other.iter().step_by(LINE).map(|&byte| u64::from(byte)).sum::<u64>();
    }
    std::hint::black_box(sum);
    if copy {
        MARK.store(1, Ordering::SeqCst);
        prepared.run(&source, &mut output);
        MARK.store(2, Ordering::SeqCst);
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
        .stdin(Stdio::null())
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

/// The simulator, set as cachegrind is.
fn simulator() -> Simulator {
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
    Simulator::new(&caches).expect("caches that can be")
}

/// What the simulator missed, counted as cachegrind does.
fn missed(simulator: &Simulator) -> Misses {
    let counts = simulator.counts();
    Misses { d1: counts.levels[0].missed_accesses, ll: counts.levels[1].missed_accesses }
}

/// The same counts by the simulator, from the copy's address stream.
fn simulated(spec: &str, strategy: Strategy, [src, dst]: [usize; 2]) -> Misses {
    let mut simulator = simulator();
    let case = case(spec);
    let places = Places { src: src + case.first, dst, own: 0x1f_fe80_0000 };
    stream(&case, strategy, places, &mut simulator).expect("a plan");
    missed(&simulator)
}

/// The same counts by the simulator, from the addresses that lackey has seen: from all of them, and
/// from those in the two buffers.
fn traced(spec: &str, strategy: Strategy) -> (Misses, Misses) {
    let program = std::env::current_exe().expect("this program's path");
    let mut child = Command::new("valgrind")
        .args(["--tool=lackey", "--trace-mem=yes", "--log-fd=2"])
        .arg(program)
        .args(["once", spec, strategy.name(), "copy"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("valgrind runs: install it first");
    let (mut all, mut buffers) = (simulator(), simulator());
    let places = Arc::new(OnceLock::new());
    let (told, mut said) = (Arc::clone(&places), child.stdout.take().expect("its output"));
    let go_on = child.stdin.take();
    let reader = thread::spawn(move || {
        let mut line = String::new();
        BufReader::new(&mut said).read_line(&mut line).expect("the places");
        let mut words = line.split_whitespace().map(|word| word.parse::<usize>());
        let mut next = || words.next().expect("three places").expect("a place");
        told.set([next(), next(), next()]).expect("they are told once");
        drop(go_on);
    });
    let mut within = false;
    let case = case(spec);
    let lengths = [case.source_bytes(), case.output_bytes];
    for line in BufReader::new(child.stderr.take().expect("its log")).lines() {
        let line = line.expect("a line");
        let Some(access) = access(&line) else { continue };
        let Some(&[src, dst, mark]) = places.get() else { continue };
        if access.address == mark {
            within = !within && access.kind == Kind::Write;
        } else if within {
            all.access(access);
            let inside = |start: usize, len| (start..start + len).contains(&access.address);
            if inside(src, lengths[0]) || inside(dst, lengths[1]) {
                buffers.access(access);
            }
        }
    }
    reader.join().expect("the reader ends");
    assert!(child.wait().expect("an end").success());
    (missed(&all), missed(&buffers))
}

/// A line of lackey's: ` L 1ffefff8c0,8`, ` S …` or ` M …`, which both reads and writes.
fn access(line: &str) -> Option<Access> {
    let kind = match line.get(..3)? {
        " L " => Kind::Read,
        " S " | " M " => Kind::Write,
        _ => return None,
    };
    let (address, bytes) = line[3..].split_once(',')?;
    let address = usize::from_str_radix(address.trim(), 16).ok()?;
    Some(Access { address, bytes: bytes.parse().ok()?, kind })
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
        "| layout | strategy | D1 cachegrind | D1 stream | | D1 trace | | D1 buffers | LL cachegrind \
         | LL stream | | LL trace | | LL buffers |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let (mut close, mut same) = (0, 0);
    for &(spec, strategy) in RUNS {
        let (with, places) = cachegrind(spec, strategy, "copy");
        let (without, _) = cachegrind(spec, strategy, "nothing");
        let theirs = Misses {
            d1: with.d1.saturating_sub(without.d1),
            ll: with.ll.saturating_sub(without.ll),
        };
        let ours = simulated(spec, strategy, places);
        let (trace, buffers) = traced(spec, strategy);
        let off = |ours: u64, theirs: u64| ours as f64 / theirs.max(1) as f64 - 1.0;
        let within = |ours: Misses| {
            let apart = [off(ours.d1, theirs.d1), off(ours.ll, theirs.ll)];
            u32::from(apart.into_iter().all(|apart| apart.abs() <= TOLERANCE))
        };
        (close, same) = (close + within(ours), same + within(trace));
        let level = |of: fn(&Misses) -> u64| {
            let [theirs, ours, trace, buffers] = [&theirs, &ours, &trace, &buffers].map(of);
            format!(
                "{theirs} | {ours} | {:+.2} % | {trace} | {:+.2} % | {buffers}",
                100.0 * off(ours, theirs),
                100.0 * off(trace, theirs)
            )
        };
        let line = format!(
            "| `{spec}` | {} | {} | {} |\n",
            strategy.name(),
            level(|misses| misses.d1),
            level(|misses| misses.ll)
        );
        print!("{line}");
        table += &line;
    }
    println!("of {}, within 2 % at both levels: streams {close}, traces {same}", RUNS.len());
    if let Some(file) = file {
        let text = format!(
            "# The cache simulator beside cachegrind\n\n\
             Made by `cargo bench --features cli --bench cachegrind -- --write FILE`, which says at \
             its head how the copy is told from the rest. D1 of {} KiB, {} ways; LL of {} KiB, {} \
             ways; lines of {LINE} bytes; kernels of the AVX2 tier, streaming stores taken for \
             ordinary ones. Misses of loads and stores together.\n\n\
             - *stream*: the simulator on the addresses that restride predicts for the copy; within \
             2 % of cachegrind at both levels: {close} of {}.\n\
             - *trace*: the simulator on the addresses that the compiled copy used, as `valgrind \
             --tool=lackey` tells them; within 2 %: {same} of {}.\n\
             - *buffers*: the same without what lies outside source and destination. What *trace* \
             has beyond it are misses by the kernel's own memory: tables, buffers on the stack, and \
             registers that the compiler keeps there; and misses that these cause by pushing lines \
             of the buffers out. Streams know the tables and buffers, not the registers.\n\n{table}",
            D1.0 >> 10,
            D1.1,
            LL.0 >> 10,
            LL.1,
            RUNS.len(),
            RUNS.len()
        );
        if let Err(error) = fs::write(file, text) {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
