//! Tensors that are refused, each deleted once.

use restride::LayoutError;
use restride::interop::dlpack::{DLDataType, DLPackVersion, DlpackError, Imported, code};

use crate::foreign::Foreign;

fn good() -> Foreign {
    Foreign::dense(&[1f32, 2., 3., 4., 5., 6.], &[2, 3]).strided(&[3, 1], 0)
}

/// Why both structs are refused, which must be one reason.
fn refused(foreign: Foreign) -> DlpackError {
    // SAFETY: tensors that were just made; none of them is read when it is refused.
    let [new, old] = unsafe {
        [
            Imported::from_raw(foreign.give()).unwrap_err(),
            Imported::from_raw_older(foreign.give_older()).unwrap_err(),
        ]
    };
    assert_eq!(new, old);
    assert_eq!(foreign.deletions.count(), 2, "each is deleted once: {new}");
    new
}

#[test]
fn null_pointers() {
    // SAFETY: null is allowed.
    unsafe {
        let null = Err(DlpackError::Null { what: "the tensor" });
        assert_eq!(Imported::from_raw(std::ptr::null_mut()).map(drop), null);
        assert_eq!(Imported::from_raw_older(std::ptr::null_mut()).map(drop), null);
    }
    let text = refused(Foreign { is_null: true, ..good() }).to_string();
    assert_eq!(text, "the data of a tensor with elements is a null pointer");
    let text = refused(Foreign { is_null: true, byte_offset: 64, ..good() }).to_string();
    assert_eq!(text, "the data of a tensor with elements is a null pointer");
    let text = refused(Foreign { shape: None, ..good() }).to_string();
    assert_eq!(text, "the shape of a tensor with axes is a null pointer");
}

#[test]
fn other_versions_are_deleted_and_not_looked_into() {
    for (major, minor) in [(0, 8), (2, 0), (u32::MAX, 1)] {
        let version = DLPackVersion { major, minor };
        // Numbers that would be refused for themselves if anybody looked.
        let foreign = Foreign { version, ndim: -1, device_type: 2, ..good() };
        // SAFETY: a tensor that was just made.
        let error = unsafe { Imported::from_raw(foreign.give()) }.unwrap_err();
        assert_eq!(error, DlpackError::Version { version });
        assert_eq!(foreign.deletions.count(), 1);
        assert!(error.to_string().contains("only versions 1.x are known"));
    }
    let later = Foreign { version: DLPackVersion { major: 1, minor: 99 }, ..good() };
    // SAFETY: a tensor that was just made.
    let tensor = unsafe { Imported::from_raw(later.give()) }.unwrap();
    assert_eq!(tensor.version(), Some(later.version));
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [1., 2., 3., 4., 5., 6.]);
}

#[test]
fn other_devices() {
    for device_type in [-1, 0, 2, 3, 13, 16] {
        let error = refused(Foreign { device_type, ..good() });
        assert_eq!(error, DlpackError::Device { device_type });
    }
}

#[test]
fn elements_that_are_no_whole_bytes() {
    let types = [
        DLDataType::scalar(17, 4),
        DLDataType { code: 17, bits: 4, lanes: 2 },
        DLDataType::scalar(15, 6),
        DLDataType::scalar(code::BOOL, 1),
        DLDataType::scalar(code::FLOAT, 0),
        DLDataType { code: code::FLOAT, bits: 32, lanes: 0 },
    ];
    for dtype in types {
        assert_eq!(refused(Foreign { dtype, ..good() }), DlpackError::PartBytes { dtype });
    }
    let text = DlpackError::PartBytes { dtype: types[0] }.to_string();
    assert_eq!(
        text,
        "elements of type type code 17 of 4 bits are not whole bytes each; convert them to a \
         wider type first"
    );
}

#[test]
fn impossible_ranks_and_sizes() {
    assert_eq!(refused(Foreign { ndim: -1, ..good() }), DlpackError::NegativeRank { ndim: -1 });
    let error = refused(Foreign { ndim: i32::MAX, ..good() });
    assert_eq!(error, LayoutError::RankTooLarge { rank: i32::MAX as usize }.into());
    let error = refused(Foreign { shape: Some(vec![2, -3]), ..good() });
    assert_eq!(error, DlpackError::NegativeSize { axis: 1, size: -3 });
}

#[test]
fn numbers_too_large_for_memory() {
    let overflows = |shape: &[i64], strides: Option<&[i64]>, byte_offset| {
        let shape = Some(shape.to_vec());
        let strides = strides.map(<[i64]>::to_vec);
        let error = refused(Foreign { shape, strides, byte_offset, ..good() });
        assert!(
            error.to_string().contains("memory can hold")
                || error.to_string().ends_with("overflows"),
            "{error}"
        );
    };
    overflows(&[i64::MAX, 3], None, 0);
    overflows(&[i64::MAX, 1], None, 0); // the count fits, its bytes do not
    overflows(&[1 << 40, 1 << 40], Some(&[1, 1]), 0);
    overflows(&[2, 3], Some(&[i64::MAX, 1]), 0);
    overflows(&[2, 3], Some(&[i64::MIN, 1]), 0);
    overflows(&[2, 3], Some(&[1 << 62, -(1 << 62)]), 0);
    overflows(&[2, 3], Some(&[3, 1]), u64::MAX);
    overflows(&[2, 3], Some(&[3, 1]), u64::MAX - (1 << 40));
    // Below address 0, which is not far below any buffer of the heap.
    overflows(&[2, 3], Some(&[-(1 << 60), 1]), 0);
}
