//! Reads the conformance data under `tests/data`.
#![allow(dead_code)] // each test binary uses its part

use restride::Layout;
use serde_json::Value;

/// Every line of a data file.
pub fn lines(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Lists of numbers in a data file.
pub trait Axes {
    /// A list of sizes or storage elements.
    fn sizes(&self) -> Vec<usize>;
    /// A list of strides or requested sizes.
    fn signed(&self) -> Vec<isize>;
}

impl Axes for Value {
    fn sizes(&self) -> Vec<usize> {
        self.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect()
    }

    fn signed(&self) -> Vec<isize> {
        self.as_array().unwrap().iter().map(|n| n.as_i64().unwrap() as isize).collect()
    }
}

/// The layout of a `shape`, `strides`, `offset` object, over a storage that is long enough.
pub fn layout(line: &Value) -> Layout {
    let offset = line["offset"].as_u64().unwrap() as usize;
    Layout::from_parts(&line["shape"].sizes(), &line["strides"].signed(), offset, 1 << 20)
        .unwrap_or_else(|error| panic!("{error}: {line}"))
}
