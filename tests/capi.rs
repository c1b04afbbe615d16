//! The C interface from C: `tests/capi.c` is compiled with `cc`, linked with the dynamic library
//! and run.
//!
//! The library is built here, in a target directory of its own: the one beside the running tests
//! has the same name whatever its features, so it may be another build's.
#![cfg(all(feature = "capi", unix))]

use std::path::{Path, PathBuf};
use std::process::Command;

use restride::machine::Machine;

/// Runs `command` and returns what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{command:?} ended with {}:\n{text}", output.status);
    text
}

/// Builds the dynamic library and returns the directory it is in.
fn library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
    run(Command::new(env!("CARGO"))
        .args(["build", "--lib", "--features", "capi", "--locked", "--offline", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .env_remove("CARGO_BUILD_TARGET")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .arg("--target-dir")
        .arg(&target));
    target.join("debug")
}

#[test]
fn a_c_program_passes_its_own_checks() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = library();
    let program = library.join("capi_from_c");
    run(Command::new("cc")
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .arg("-I")
        .arg(root.join("include"))
        .arg(root.join("tests/capi.c"))
        .arg("-L")
        .arg(&library)
        .args(["-lrestride", "-o"])
        .arg(&program)
        .arg(format!("-Wl,-rpath,{}", library.display())));

    let isa = Machine::current().isa.as_str();
    run(Command::new(&program).args([env!("CARGO_PKG_VERSION"), isa]));
    run(Command::new(&program).arg("no_such_tier").env("RESTRIDE_ISA", "abacus"));
}
