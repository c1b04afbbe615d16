//! Headers of `.npy` files: what NumPy and other writers produce, and what nobody should.
#![cfg(feature = "cli")]

use proptest::prelude::*;
use restride::npy::{Header, HeaderError};

/// A file of `version` with the header text `text`, as it stands, and `data`.
fn file(version: u8, text: &[u8], data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend(u16::try_from(text.len()).unwrap().to_le_bytes()),
        _ => file.extend(u32::try_from(text.len()).unwrap().to_le_bytes()),
    }
    file.extend(text);
    file.extend(data);
    file
}

fn parse(text: &str) -> Result<Header, HeaderError> {
    Header::parse(&file(1, text.as_bytes(), &[]))
}

fn refusal(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn fortran_order_is_read_in_any_spelling_and_key_order() {
    for text in [
        "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
        "{'descr':'<f8','fortran_order':True,'shape':(2,3)}",
        "{'shape': (2, 3), 'fortran_order': True, 'descr': '<f8'}",
        "{ 'fortran_order'  :   True , 'shape' : ( 2 , 3 , ) ,\t'descr' : '<f8' , }   ",
        "{\"fortran_order\": True, \"descr\": \"<f8\", \"shape\": (2, 3)}\n",
        "{u'fortran_order': True, u'descr': u'<f8', u'shape': (2L, 3L)}\n",
    ] {
        let header = parse(text).expect(text);
        assert!(header.fortran_order, "{text}");
        assert_eq!(header.shape, [2, 3], "{text}");
        assert_eq!(header.layout().strides(), [1, 2], "{text}");
        assert_eq!(header.data_len(), 48, "{text}");
    }
    let header = parse("{'descr': '<f8', 'fortran_order':False, 'shape': (2, 3), }").unwrap();
    assert!(!header.fortran_order);
    assert_eq!(header.layout().strides(), [3, 1]);
}

#[test]
fn a_shape_without_its_comma_is_named() {
    assert_eq!(
        refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (184)}"),
        "header at byte 60: shape `(184)` is not a tuple; one axis is written (184,)"
    );
    assert_eq!(
        refusal("{'descr': '<f8', 'fortran_order': False, 'shape': [3, 4]}"),
        "header at byte 60: shape `[3, 4]` is not a tuple"
    );
}

#[test]
fn long_suffixes_of_old_writers_are_accepted() {
    let header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L)}").unwrap();
    assert_eq!(header.shape, [3, 4]);
}

#[test]
fn sizes_written_as_calls_are_named() {
    assert_eq!(
        refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (np.int64(1), np.int64(2))}"),
        "header at byte 61: `np.int64(1)` is not a literal value"
    );
}

#[test]
fn zeroed_magic_is_refused() {
    let mut bytes = file(1, b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", &[0; 16]);
    bytes[..10].fill(0);
    assert_eq!(Header::parse(&bytes), Err(HeaderError::BadMagic));
    assert_eq!(Header::parse(b""), Err(HeaderError::BadMagic));
    assert_eq!(Header::parse(b"\x93NUMP"), Err(HeaderError::BadMagic));
    assert_eq!(Header::parse(b"PK\x03\x04 an .npz file"), Err(HeaderError::BadMagic));
}

#[test]
fn the_three_versions_read_equal() {
    let text =
        "{'descr': [('temp\u{e9}rature', '<f8')], 'fortran_order': False, 'shape': (2, 3), }";
    let latin1: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    let v1 = Header::parse(&file(1, &latin1, &[])).unwrap();
    let v2 = Header::parse(&file(2, &latin1, &[])).unwrap();
    let v3 = Header::parse(&file(3, text.as_bytes(), &[])).unwrap();
    for header in [&v1, &v2, &v3] {
        assert_eq!(header.descr, "[('temp\u{e9}rature', '<f8')]");
        assert_eq!((header.item_size, &header.shape[..]), (8, &[2, 3][..]));
    }
    assert_eq!((v1.version, v2.version, v3.version), (1, 2, 3));
    assert_eq!((v1.data_offset, v2.data_offset), (10 + latin1.len(), 12 + latin1.len()));
    assert_eq!(v3.data_offset, 12 + text.len());

    let broken = Header::parse(&file(3, &latin1, &[])).unwrap_err().to_string();
    assert_eq!(broken, "header at byte 29: not UTF-8, as version 3 requires");
    assert_eq!(
        Header::parse(b"\x93NUMPY\x04\0\0\0\0\0"),
        Err(HeaderError::UnknownVersion { major: 4, minor: 0 })
    );
    assert_eq!(
        Header::parse(b"\x93NUMPY\x01\x01\0\0\0\0"),
        Err(HeaderError::UnknownVersion { major: 1, minor: 1 })
    );
}

#[test]
fn big_endian_and_records_are_opaque_items() {
    let header = parse("{'descr': '>f4', 'fortran_order': False, 'shape': (5,), }").unwrap();
    assert_eq!((header.descr.as_str(), header.item_size), ("'>f4'", 4));
    let record = "[('a','<i2'),  ('b', '<f8')]"; // odd spacing is kept
    let text = format!("{{'descr': {record}, 'fortran_order': False, 'shape': (5,), }}");
    let header = parse(&text).unwrap();
    assert_eq!((header.descr.as_str(), header.item_size), (record, 10));
    assert_eq!(header.data_len(), 50);
}

#[test]
fn lying_header_lengths_are_truncation() {
    let text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}";
    let mut bytes = file(2, text, &[]);
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let have = bytes.len() as u64;
    assert_eq!(
        Header::parse(&bytes),
        Err(HeaderError::Truncated { need: 12 + u64::from(u32::MAX), have })
    );
    bytes[8..12].copy_from_slice(&10u32.to_le_bytes());
    assert_eq!(
        Header::parse(&bytes).unwrap_err().to_string(),
        "header at byte 22: the header ends where a value was expected"
    );
    for cut in 6..bytes.len() {
        assert!(Header::parse(&bytes[..cut]).is_err(), "{cut} bytes");
    }
}

#[test]
fn sizes_that_overflow_are_refused() {
    for shape in [
        "(4294967296, 4294967296, 4294967296)",
        "(9223372036854775807,)",
        "(0, 4294967296, 4294967296, 4294967296)",
        "(18446744073709551615, 2)",
    ] {
        for order in ["True", "False"] {
            let text = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}}}");
            assert!(refusal(&text).contains("overflows"), "{shape}: {}", refusal(&text));
        }
    }
    let digits = "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,)}";
    assert!(refusal(digits).contains("does not fit"), "{}", refusal(digits));
    let axes = "1,".repeat(65);
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({axes})}}");
    assert_eq!(refusal(&text), "header at byte 60: 65 axes; the limit is 64");
}

#[test]
fn faults_say_where_and_what() {
    for (text, message) in [
        ("", "header at byte 10: the header ends where a value was expected"),
        ("(1, 2)", "header at byte 10: the header is not a dictionary"),
        (
            "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
            "header at byte 20: the dtype holds Python objects ('O'), which are pickled, not stored \
             as fixed-size items",
        ),
        (
            "{'descr': '|V0', 'fortran_order': False, 'shape': (2,)}",
            "header at byte 20: the dtype has items of 0 bytes; there is nothing to move",
        ),
        (
            "{'descr': '<f8', 'fortran_order': 1, 'shape': (2,)}",
            "header at byte 44: fortran_order is `1`, neither True nor False",
        ),
        ("{'descr': '<f8', 'shape': (2,)}", "header at byte 10: key 'fortran_order' is missing"),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'extra': 1}",
            "header at byte 66: unexpected key `'extra'`; the keys are descr, fortran_order and shape",
        ),
        (
            "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
            "header at byte 27: key `'descr'` given twice",
        ),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (True,)}",
            "header at byte 61: size `True` is not a whole number",
        ),
    ] {
        assert_eq!(refusal(text), message);
    }
}

/// Headers that NumPy 2.4.6 wrote, growth space and all.
#[test]
fn headers_are_written_as_numpy_writes_them() {
    for (descr, shape, written) in [
        ("'<f4'", &[3, 4][..], "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"),
        ("'>f8'", &[5], "{'descr': '>f8', 'fortran_order': False, 'shape': (5,), }"),
        ("'<f8'", &[], "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"),
        ("'|u1'", &[0, 3], "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }"),
        (
            "[('a', '<i2'), ('b', '<f8')]",
            &[2],
            "{'descr': [('a', '<i2'), ('b', '<f8')], 'fortran_order': False, 'shape': (2,), }",
        ),
    ] {
        let header =
            parse(&format!("{{'descr': {descr}, 'fortran_order': True, 'shape': (7, 9)}}"));
        let bytes = header.unwrap().encode_row_major(shape).unwrap();
        let spaces = bytes.len() - 10 - written.len() - 1;
        assert_eq!(bytes, file(1, format!("{written}{}\n", " ".repeat(spaces)).as_bytes(), &[]));
        assert_eq!(bytes.len(), 128);
    }
}

#[test]
fn the_written_version_is_the_lowest_that_holds_the_text() {
    let text = "{'descr': [('\u{e9}', '<i2')], 'fortran_order': False, 'shape': (2,)}";
    let header = Header::parse(&file(3, text.as_bytes(), &[])).unwrap();
    let written = header.encode_row_major(&[2]).unwrap();
    assert_eq!((written[6], written.len()), (1, 128));
    assert_eq!(Header::parse(&written).unwrap().descr, header.descr);

    let text = "{'descr': [('\u{6e29}', '<i2')], 'fortran_order': False, 'shape': (2,)}";
    let header = Header::parse(&file(3, text.as_bytes(), &[])).unwrap();
    let written = header.encode_row_major(&[2]).unwrap();
    assert_eq!((written[6], written.len()), (3, 128));
    assert_eq!(Header::parse(&written).unwrap().descr, header.descr);

    let fields: String = (0..4000).map(|i| format!("('f{i:05}', '<f8'), ")).collect();
    let text = format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': (2,)}}");
    let header = Header::parse(&file(2, text.as_bytes(), &[])).unwrap();
    assert_eq!(header.item_size, 32_000);
    let written = header.encode_row_major(&[2]).unwrap();
    assert_eq!((written[6], written.len() % 64), (2, 0));
    assert_eq!(Header::parse(&written).unwrap().descr, header.descr);
}

/// Fragments that come close to a header, so that random ones get past the first checks.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let known: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "'",
        "\"",
        "\\",
        "'descr'",
        "'shape'",
        "'fortran_order'",
        "True",
        "False",
        "None",
        "'<f4'",
        "'>U3'",
        "'|O'",
        "'<M8[ns]'",
        "0",
        "3",
        "3L",
        "-1",
        "9223372036854775807",
        "18446744073709551616",
        "np.int64(",
        "(184)",
        "(2, 3)",
        "[('a', '<f4', (2,))]",
        "u'x'",
    ];
    prop_oneof![
        8 => proptest::sample::select(known).prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Header::parse(&bytes);
        let _ = Header::parse(&[b"\x93NUMPY\x01\0", &bytes[..]].concat());
        for version in 1..=3 {
            let _ = Header::parse(&file(version, &bytes, &[]));
        }
    }

    #[test]
    fn no_text_makes_it_panic(
        version in 1u8..=3,
        fragments in proptest::collection::vec(fragment(), 0..40),
    ) {
        let _ = Header::parse(&file(version, &fragments.concat(), &[]));
    }

    #[test]
    fn no_damage_makes_it_panic(at in 0usize..128, byte in any::<u8>(), cut in 0usize..200) {
        let text = b"{'descr': [('a', '<f4', (2, 3)), ('b', '>u2')], 'fortran_order': True, \
                     'shape': (3, 4), }\n";
        let mut bytes = file(1, text, &[0; 100]);
        bytes[at.min(109)] = byte;
        bytes.truncate(cut);
        let _ = Header::parse(&bytes);
    }

    #[test]
    fn what_is_written_reads_back(
        shape in proptest::collection::vec(0usize..2000, 0..5),
        descr in proptest::sample::select(&["'<f4'", "[('\u{6e29}', '>i2', (2,)), ('b', '|S3')]"][..]),
    ) {
        let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ()}}");
        let header = Header::parse(&file(3, text.as_bytes(), &[])).unwrap();
        let again = Header::parse(&header.encode_row_major(&shape).unwrap()).unwrap();
        prop_assert_eq!(&again.shape, &shape);
        prop_assert_eq!(&again.descr, &header.descr);
        prop_assert_eq!(again.item_size, header.item_size);
        prop_assert!(!again.fortran_order);
        prop_assert_eq!(again.data_offset % 64, 0);
    }
}
