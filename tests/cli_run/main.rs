//! `restride run`, the built command, on a real photograph and on files nobody should write.
#![cfg(feature = "cli")]

mod refusals;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use restride::npy::Header;
use tempfile::TempDir;

/// A photograph, 300 × 451 pixels of three bytes; tests/data/README.md says where from.
const PHOTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chelsea.npy");

fn restride() -> Command {
    Command::new(env!("CARGO_BIN_EXE_restride"))
}

fn run(input: impl AsRef<Path>, ops: &str, output: impl AsRef<Path>) -> Output {
    let mut command = restride();
    command.arg("run").arg(input.as_ref()).arg(ops).arg("-o").arg(output.as_ref());
    command.output().unwrap()
}

/// The one-line message of a run that must fail with `code` and leave `dir` as it was.
fn refusal(dir: &Path, code: i32, input: impl AsRef<Path>, ops: &str, output: &str) -> String {
    let before = listing(dir);
    let result = run(input, ops, dir.join(output));
    let message = String::from_utf8(result.stderr).unwrap();
    assert_eq!(result.status.code(), Some(code), "{message}");
    assert!(result.stdout.is_empty());
    assert_eq!(listing(dir), before, "{message}");
    message
}

/// Names and contents of a directory's files.
fn listing(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
        .collect();
    files.sort();
    files
}

/// Runs `ops`, which must succeed, and returns the output's header and data.
fn result(input: impl AsRef<Path>, ops: &str) -> (Header, Vec<u8>) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("out.npy");
    let output = run(input, ops, &path);
    assert!(output.status.success(), "{ops}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(listing(dir.path()).len(), 1, "{ops} left something beside the output");
    let bytes = fs::read(path).unwrap();
    let header = Header::parse(&bytes).unwrap();
    assert!(!header.fortran_order);
    assert_eq!(header.data_offset % 64, 0);
    assert_eq!(bytes.len(), header.data_offset + header.data_len());
    (header.clone(), bytes[header.data_offset..].to_vec())
}

/// A `.npy` file of the given version and header fields, saved in `dir`.
fn save(dir: &TempDir, version: u8, fields: &str, data: &[u8]) -> PathBuf {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = u32::try_from(fields.len()).unwrap().to_le_bytes();
    bytes.extend(if version == 1 { &length[..2] } else { &length[..] });
    bytes.extend(fields.as_bytes());
    bytes.extend(data);
    let path = dir.path().join("in.npy");
    fs::write(&path, bytes).unwrap();
    path
}

fn fields(descr: &str, fortran_order: &str, shape: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}\n")
}

/// FNV-1a of 64 bits.
fn fingerprint(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// Operations on the photograph, and the shape and the FNV-1a of the bytes of the same expression
/// in NumPy 2.4.6.
#[rustfmt::skip]
const NUMPY_SAYS: &[(&str, &[usize], u64)] = &[
    ("", &[300, 451, 3], 0xb2179687966157a8),
    (".permute(2, 0, 1)", &[3, 300, 451], 0xca375082fa7e30b4),
    (".T", &[3, 451, 300], 0xe652eebf0b789b6e),
    (".flip(1)", &[300, 451, 3], 0xe129b4b3c5bdd1f0),
    ("[::-1, ::-1]", &[300, 451, 3], 0x2680d7a94a058a96),
    ("[..., 0]", &[300, 451], 0xa1285b1f335d0d66),
    ("[:, :, ::-1]", &[300, 451, 3], 0x071d0ee96a947aa0),
    ("[50:250:3, 10:-10:7, 1]", &[67, 62], 0x2cddef2a9e220af4),
    ("[None, 100:164, 200:264].permute(0, 3, 1, 2)", &[1, 3, 64, 64], 0x2bb0b02e19a7ce57),
    (".T.reshape(-1)", &[405900], 0xe652eebf0b789b6e),
    (".T.reshape(-1)[5::11]", &[36900], 0xbc63180bb301a67a),
    ("[:300, :448].reshape(75, 4, 56, 8, 3).permute(0, 2, 4, 1, 3).reshape(75, 56, 3, 32)", &[75, 56, 3, 32], 0x3e6a9f9e43a81435),
    (".T.reshape(300, -1).T.reshape(-1, 2)[::3].T", &[2, 67650], 0x8778921863c22668),
    ("[7, 9].unsqueeze(0).expand(4, 3)", &[4, 3], 0x9085cedd08320035),
    (".diagonal(0, 0, 1)", &[3, 300], 0xa8153fd28d1640e8),
    ("[0, 0, 0]", &[], 0xaf64424c860299de),
    ("[:0]", &[0, 451, 3], 0xcbf29ce484222325),
    (r#".rearrange("h w c -> w (c h)")"#, &[451, 900], 0xe89cca30ff426a8e),
    (".permute(2, 0, 1).unsqueeze(0).contiguous(memory_format=channels_last).permute(0, 2, 3, 1)[0]", &[300, 451, 3], 0xb2179687966157a8),
];

#[test]
fn the_photograph_comes_out_as_from_numpy() {
    for &(ops, shape, hash) in NUMPY_SAYS {
        let (header, data) = result(PHOTO, ops);
        assert_eq!(header.shape, shape, "{ops}");
        assert_eq!(header.descr, "'|u1'", "{ops}");
        assert_eq!(fingerprint(&data), hash, "{ops}");
    }
}

#[test]
fn channels_come_first_pixel_by_pixel() {
    let (_, photo) = result(PHOTO, "");
    let (_, planes) = result(PHOTO, ".permute(2, 0, 1)");
    let (height, width) = (300, 451);
    for (at, &value) in planes.iter().enumerate() {
        let (channel, y, x) = (at / (height * width), at / width % height, at % width);
        assert_eq!(value, photo[(y * width + x) * 3 + channel], "{channel} {y} {x}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let dir = TempDir::new().unwrap();
    let outputs: Vec<_> = ["1", "2", "5"]
        .iter()
        .map(|threads| {
            let path = dir.path().join(threads);
            let mut command = restride();
            command.args(["run", PHOTO, ".T[:, ::-1]", "--threads", threads, "-o"]).arg(&path);
            assert!(command.output().unwrap().status.success());
            fs::read(path).unwrap()
        })
        .collect();
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    let none = restride().args(["run", PHOTO, "--threads", "0", "-o", "x"]).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn json_is_one_object_that_says_what_was_done() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("out.npy");
    let mut command = restride();
    let output =
        command.args(["run", PHOTO, ".T.reshape(-1)[::2].reshape(-1, 5).T", "--json", "-o"]);
    let output = output.arg(&path).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["input"], PHOTO);
    assert_eq!(report["output"], path.to_str().unwrap());
    assert_eq!(report["dtype"], "|u1");
    assert_eq!(report["item_size"], 1);
    assert_eq!(report["shape"], serde_json::json!([5, 40590]));
    assert_eq!(report["strides"], serde_json::json!([2, 10]));
    assert_eq!(report["bytes"], 202_950);
    assert_eq!(report["copies"], 2);
    let plans = report["plan"].as_array().unwrap();
    assert_eq!(plans.len(), 2);
    assert!(plans[0].as_str().unwrap().starts_with("transposed_tile: "), "{}", plans[0]);
    assert!(report["seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn copies_that_change_nothing_are_left_out() {
    let dir = TempDir::new().unwrap();
    for (ops, copies) in [
        ("", 1),
        (".T", 1),
        (".T.contiguous()", 1),
        (".T.clone().clone()", 1),
        (".T.reshape(-1)", 1),
        (".T.reshape(-1).view(300, -1)", 1),
        (".T.reshape(-1)[1:]", 2),
        (".T.reshape(-1)[1:].clone()", 2),
        (".permute(2, 0, 1).unsqueeze(0).contiguous(memory_format=channels_last)", 1),
        (".T.reshape(1, 3, 451, 300).contiguous(memory_format=channels_last).flip(0)", 2),
    ] {
        let mut command = restride();
        command.args(["run", PHOTO, ops, "--json", "-o"]).arg(dir.path().join("out.npy"));
        let report: serde_json::Value =
            serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        assert_eq!(report["copies"], copies, "{ops}");
    }
}

#[test]
fn a_memory_format_decides_what_as_strided_sees() {
    let (_, photo) = result(PHOTO, "");
    let ops = ".permute(2, 0, 1).clone().unsqueeze(0).contiguous(memory_format=channels_last)\
               .as_strided((405900,), (1,), 0)";
    let (_, seen) = result(PHOTO, ops);
    assert!(seen == photo, "channels_last of the planes is the photograph's own order");
}

#[test]
fn a_column_major_file_is_read_in_its_order() {
    let dir = TempDir::new().unwrap();
    let column_major = [1.0f64, 4.0, 2.0, 5.0, 3.0, 6.0].map(f64::to_le_bytes).concat();
    let input = save(&dir, 1, &fields("'<f8'", "True", "(2, 3)"), &column_major);
    let (header, data) = result(&input, "");
    assert_eq!(header.shape, [2, 3]);
    assert_eq!(data, [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].map(f64::to_le_bytes).concat());
    let (header, data) = result(&input, ".T");
    assert_eq!(header.shape, [3, 2]);
    assert_eq!(data, column_major);
}

#[test]
fn big_endian_items_keep_their_bytes_and_their_dtype() {
    let dir = TempDir::new().unwrap();
    let data = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_be_bytes).concat();
    let input = save(&dir, 1, &fields("'>f4'", "False", "(2, 2)"), &data);
    let (header, data) = result(input, ".T");
    assert_eq!((header.descr.as_str(), header.item_size), ("'>f4'", 4));
    assert_eq!(data, [1.0f32, 3.0, 2.0, 4.0].map(f32::to_be_bytes).concat());
}

#[test]
fn records_move_whole_and_keep_their_dtype() {
    let dir = TempDir::new().unwrap();
    let descr = "[('a','<i2'),('b','<f8')]"; // not NumPy's spacing: kept all the same
    let record = |i: u8| [i, 0, 9, 9, 9, 9, 9, 9, 9, i + 100];
    let data: Vec<u8> = (0..6).flat_map(record).collect();
    let input = save(&dir, 1, &fields(descr, "False", "(2, 3)"), &data);
    let (header, data) = result(input, ".T[::-1]");
    assert_eq!((header.descr.as_str(), header.item_size), (descr, 10));
    assert_eq!(header.shape, [3, 2]);
    assert_eq!(data, [2, 5, 1, 4, 0, 3].map(record).concat());
}

#[test]
fn every_version_of_the_format_is_read() {
    let dir = TempDir::new().unwrap();
    for (version, descr) in
        [(1, "[('t', '<i2')]"), (2, "[('t', '<i2')]"), (3, "[('\u{6e29}\u{5ea6}', '<i2')]")]
    {
        let input =
            save(&dir, version, &fields(descr, "False", "(2, 2)"), &[1, 0, 2, 0, 3, 0, 4, 0]);
        let (header, data) = result(input, ".T");
        assert_eq!(header.descr, descr);
        assert_eq!(header.version, if version == 3 { 3 } else { 1 });
        assert_eq!(data, [1, 0, 3, 0, 2, 0, 4, 0]);
    }
}

#[test]
fn arrays_without_axes_or_items_work() {
    let dir = TempDir::new().unwrap();
    let input = save(&dir, 1, &fields("'<i4'", "False", "()"), &[1, 2, 3, 4]);
    let (header, data) = result(&input, "");
    assert_eq!((&header.shape[..], data), (&[][..], vec![1, 2, 3, 4]));
    let (header, data) = result(&input, ".T.unsqueeze(0).expand(3)");
    assert_eq!((&header.shape[..], data), (&[3][..], [1, 2, 3, 4].repeat(3)));

    for order in ["True", "False"] {
        let input = save(&dir, 1, &fields("'<i4'", order, "(0, 3)"), &[]);
        let (header, data) = result(&input, ".T");
        assert_eq!((&header.shape[..], data), (&[3, 0][..], vec![]));
        let (header, _) = result(&input, ".T.reshape(0, 7).clone()");
        assert_eq!(header.shape, [0, 7]);
    }
}

#[test]
fn bytes_after_the_data_are_ignored() {
    let dir = TempDir::new().unwrap();
    let input = save(&dir, 1, &fields("'|u1'", "False", "(3,)"), &[1, 2, 3, 77, 78]);
    assert_eq!(result(input, "[::-1]").1, [3, 2, 1]);
}

#[test]
fn the_output_may_be_the_input() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("photo.npy");
    fs::copy(PHOTO, &path).unwrap();
    assert!(run(&path, ".permute(2, 0, 1)", &path).status.success());
    assert!(run(&path, ".permute(1, 2, 0)", &path).status.success());
    assert!(fs::read(&path).unwrap() == fs::read(PHOTO).unwrap());
    assert_eq!(listing(dir.path()).len(), 1);
}
