//! Any bytes as a `.npy` file: reading it never panics, data that are not there are an error, and
//! what was read can be written and read again.
#![no_main]

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use restride::PlanOptions;
use restride::npy::{Header, NpyFile, materialize};

/// Bytes up to which data are copied.
const SMALL: usize = 1 << 16;

thread_local!(static PATH: OnceCell<PathBuf> = const { OnceCell::new() });

fuzz_target!(|bytes: &[u8]| {
    let header = Header::parse(bytes);
    if let Ok(header) = &header {
        check_header(header, bytes);
    }
    PATH.with(|path| {
        let name =
            || std::env::temp_dir().join(format!("restride-fuzz-{}.npy", std::process::id()));
        let path = path.get_or_init(name);
        fs::write(path, bytes).expect("a temporary file");
        match NpyFile::open(path) {
            Ok(file) => copy(&file, &header.expect("the file's header")),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
});

fn check_header(header: &Header, bytes: &[u8]) {
    assert!(header.data_offset <= bytes.len() && header.item_size > 0);
    assert_eq!(header.layout().shape(), header.shape);
    assert!(!header.dtype().is_empty());
    let Ok(written) = header.encode_row_major(&header.shape) else { return };
    let again = Header::parse(&written).expect("a header just written");
    assert_eq!((again.data_offset, again.data_offset % 64), (written.len(), 0));
    assert_eq!((&again.descr, &again.shape), (&header.descr, &header.shape));
    assert_eq!((again.item_size, again.fortran_order), (header.item_size, false));
}

/// The items of a small file in row-major order are those that the layout shows.
fn copy(file: &NpyFile, header: &Header) {
    assert_eq!(file.header(), header);
    let (data, item) = (file.data(), header.item_size);
    assert_eq!(data.len(), header.data_len());
    if data.len() > SMALL {
        return;
    }
    let mut out = vec![0xa5; data.len()];
    let options = PlanOptions::serial();
    materialize(data, header.layout(), item, &mut out, &options, |_| ()).expect("a dense copy");
    let shown = header.layout().storage_order().flat_map(|at| &data[at * item..][..item]);
    assert!(shown.eq(&out));
}
