//! The built command, run as a user runs it.

#![allow(dead_code)] // every test binary uses its own part

use std::process::{Command, Output};

/// What `restride` does with these arguments.
pub fn restride(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_restride"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// What it printed.
pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// What it complained of.
pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
