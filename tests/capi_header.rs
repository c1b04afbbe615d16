//! `include/restride.h` is what cbindgen makes of `src/capi.rs`. After a change of the latter:
//! `UPDATE_HEADER=1 cargo test --features capi --test capi_header`.
#![cfg(feature = "capi")]

use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config};

#[test]
fn the_header_is_generated_from_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = root.join("include/restride.h");
    let mut generated = Vec::new();
    Builder::new()
        .with_config(Config::from_file(root.join("cbindgen.toml")).unwrap())
        .with_src(root.join("src/capi.rs"))
        .generate()
        .unwrap()
        .write(&mut generated);
    let generated = String::from_utf8(generated).unwrap();
    if std::env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&header, &generated).unwrap();
    }
    let committed = fs::read_to_string(&header).unwrap_or_default();
    assert!(committed == generated, "{header:?} is out of date; it should be:\n{generated}");
}
