//! Whole `.npy` files: by path and by bytes, cut anywhere.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::Command;

use restride::npy::{FileError, Header, NpyFile, Output};
use tempfile::TempDir;

const PHOTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chelsea.npy");

#[test]
fn a_path_and_its_bytes_give_equal_data() {
    let bytes = fs::read(PHOTO).unwrap();
    let header = Header::parse(&bytes).unwrap();
    for _ in 0..2 {
        let file = NpyFile::open(Path::new(PHOTO)).unwrap();
        assert_eq!(*file.header(), header);
        assert_eq!(file.data().len(), 300 * 451 * 3);
        assert!(file.data() == &bytes[header.data_offset..]);
    }
    assert_eq!(header.encode_row_major(&header.shape).unwrap(), bytes[..header.data_offset]);
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("cut.npy");
    let whole = fs::read(PHOTO).unwrap();
    for len in (0..200).chain([whole.len() - 1]) {
        fs::write(&path, &whole[..len]).unwrap();
        match NpyFile::open(&path).unwrap_err() {
            FileError::Truncated { need: 405_900, have, .. } => assert_eq!(have, len - 128),
            FileError::Header { .. } => assert!(len < 128),
            other => panic!("{len} bytes: {other}"),
        }
    }
}

#[test]
fn an_output_dropped_half_way_was_never_there() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("out.npy");
    for old in [None, Some("old")] {
        if let Some(old) = old {
            fs::write(&path, old).unwrap();
        }
        let mut output = Output::create(&path, b"head", 8).unwrap();
        output.data_mut()[..4].fill(1);
        drop(output);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), usize::from(old.is_some()));
    }
    let mut output = Output::create(&path, b"head", 3).unwrap();
    output.data_mut().copy_from_slice(b"abc");
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"headabc");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn explain_starts_from_a_files_own_layout() {
    let dir = TempDir::new().unwrap();
    let text = b"{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }";
    let file = [&b"\x93NUMPY\x01\0"[..], &[text.len() as u8, 0], text, &[0; 24]].concat();
    fs::write(dir.path().join("f.npy"), file).unwrap();
    let explain = |spec: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_restride"));
        command.current_dir(dir.path()).args(["explain", "--json", spec]).output().unwrap()
    };
    let output = explain("f.npy.unsqueeze(0)");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["shape"], serde_json::json!([1, 2, 3]));
    assert_eq!(json["strides"].as_array().unwrap()[1..], [1, 2].map(serde_json::Value::from));

    let output = explain("nowhere.npy.T");
    assert_eq!(output.status.code(), Some(2));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["ok"], &json["error"]["at"]), (&false.into(), &0.into()));
}
