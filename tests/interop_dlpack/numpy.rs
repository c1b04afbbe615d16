//! Exchange with NumPy: a library with a C interface, called from Python over ctypes.
//!
//! Skipped, with a line that says so, where there is no `python3` with NumPy 2.1 or later.

use std::path::Path;
use std::process::{Command, Output};

fn succeeded(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

#[test]
fn numpy_gives_and_takes() {
    let asked = "import numpy; assert tuple(map(int, numpy.__version__.split('.')[:2])) >= (2, 1)";
    if !succeeded(Command::new("python3").args(["-c", asked])) {
        println!("skipped: there is no python3 with NumPy 2.1 or later");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // In a directory of its own: the library beside this test may have other features.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dlpack");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--example", "dlpack_ctypes", "--features", "dlpack"])
        .args(["--locked", "--offline", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .env_remove("CARGO_BUILD_TARGET")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .arg("--target-dir")
        .arg(&target)
        .output()
        .expect("cargo starts");
    assert!(built.status.success(), "{}", text(&built));

    let library =
        format!("{}dlpack_ctypes{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let run = Command::new("python3")
        .arg(root.join("tests/interop_dlpack/numpy.py"))
        .arg(target.join("debug/examples").join(library))
        .output()
        .expect("python3 starts");
    assert!(run.status.success(), "{}", text(&run));
    assert!(text(&run).ends_with("NumPy and restride agree\n"), "{}", text(&run));
}
