//! Exchange with NumPy: the example `dlpack_ctypes`, a library with a C interface, called from
//! Python.
//!
//! Skipped, with a line that says so, where there is no `python3` with NumPy 2.1 or later, and where
//! the library is not built: `cargo test` does, unless it is told which tests to build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

fn has_numpy() -> bool {
    let asked = "import numpy; assert tuple(map(int, numpy.__version__.split('.')[:2])) >= (2, 1)";
    let run = Command::new("python3").args(["-c", asked]).output();
    run.is_ok_and(|output| output.status.success())
}

/// The library, when it is there and no older than what it is made of.
fn library(root: &Path) -> Option<PathBuf> {
    let name =
        format!("{}dlpack_ctypes{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let test = std::env::current_exe().ok()?;
    let library = test.parent()?.parent()?.join("examples").join(name);
    let changed = |path: &Path| -> Option<SystemTime> { path.metadata().ok()?.modified().ok() };
    let built = changed(&library)?;
    let adapter = root.join("src/interop/dlpack").read_dir().ok()?;
    let mut sources: Vec<PathBuf> = adapter.flatten().map(|entry| entry.path()).collect();
    sources.push(root.join("examples/dlpack_ctypes.rs"));
    sources.iter().all(|source| changed(source).is_some_and(|at| at <= built)).then_some(library)
}

#[test]
fn numpy_gives_and_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !has_numpy() {
        println!("skipped: there is no python3 with NumPy 2.1 or later");
        return;
    }
    let Some(library) = library(root) else {
        println!(
            "skipped: build the library first, by cargo build --example dlpack_ctypes --features dlpack"
        );
        return;
    };
    let run = Command::new("python3")
        .arg(root.join("tests/interop_dlpack/numpy.py"))
        .arg(library)
        .output()
        .expect("python3 starts");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && out.ends_with("NumPy and restride agree\n"), "{out}{err}");
}
