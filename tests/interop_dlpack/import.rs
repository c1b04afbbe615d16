//! Tensors of a library that counts deletions.

use proptest::prelude::*;
use restride::interop::dlpack::{
    DLDataType, DlpackError, Element, FLAG_READ_ONLY, Imported, Plain, code,
};
use restride::{CopyError, Layout, Plan, PlanError, PlanOptions, View};

use crate::foreign::Foreign;

/// Both ways to take `foreign`, each with its own count of deletions.
fn taken(foreign: &Foreign) -> [Imported; 2] {
    // SAFETY: each is a tensor that was just made, whose elements lie in its memory.
    unsafe {
        [
            Imported::from_raw(foreign.give()).unwrap(),
            Imported::from_raw_older(foreign.give_older()).unwrap(),
        ]
    }
}

#[test]
fn a_dense_tensor_is_read_and_deleted_once() {
    let foreign = Foreign::dense(&[1.5f32, 2.5, 3.5, 4.5, 5.5, 6.5], &[2, 3]);
    for tensor in taken(&foreign) {
        assert_eq!((tensor.shape(), tensor.strides()), (&[2, 3][..], &[3, 1][..]));
        assert_eq!(tensor.dtype().to_string(), "float32");
        assert!(!tensor.is_read_only() && !tensor.is_copied());
        let before = foreign.deletions.count();
        assert_eq!(tensor.to_vec::<f32>().unwrap(), [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
        assert_eq!(foreign.deletions.count(), before);
        drop(tensor);
        assert_eq!(foreign.deletions.count(), before + 1);
    }
}

#[test]
fn a_tensor_may_be_dropped_on_another_thread() {
    let foreign = Foreign::dense(&[7u8], &[]);
    for tensor in taken(&foreign) {
        std::thread::spawn(move || assert_eq!(tensor.to_vec::<u8>().unwrap(), [7])).join().unwrap();
    }
    assert_eq!(foreign.deletions.count(), 2);
}

#[test]
fn a_tensor_without_a_deleter_is_left_alone() {
    let foreign = Foreign { has_deleter: false, ..Foreign::dense(&[7u8], &[]) };
    for tensor in taken(&foreign) {
        assert_eq!(tensor.to_vec::<u8>().unwrap(), [7]);
    }
    assert_eq!(foreign.deletions.count(), 0);
}

#[test]
fn offsets_strides_and_alignment_are_respected() {
    // Element 0 of the memory is a byte off any alignment.
    let mut foreign = Foreign::dense(&[0u32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], &[2, 3]);
    foreign.memory.insert(0, 0xee);
    let cases: [(&[i64], u64, [u32; 6]); 4] = [
        (&[4, 1], 1, [0, 1, 2, 4, 5, 6]),
        (&[1, 4], 1 + 2 * 4, [2, 6, 10, 3, 7, 11]),
        (&[-4, -1], 1 + 11 * 4, [11, 10, 9, 7, 6, 5]),
        (&[0, 2], 1 + 4, [1, 3, 5, 1, 3, 5]),
    ];
    for (strides, byte_offset, expected) in cases {
        for tensor in taken(&foreign.clone().strided(strides, byte_offset)) {
            assert_eq!(tensor.to_vec::<u32>().unwrap(), expected);
            let bytes: Vec<u8> = expected.into_iter().flat_map(u32::to_ne_bytes).collect();
            assert_eq!(tensor.to_bytes().unwrap(), bytes);

            let plan =
                Plan::new(&tensor.to_contiguous_spec().unwrap(), &PlanOptions::serial()).unwrap();
            let mut dense = [0u32; 6];
            // SAFETY: the tensor is alive, and the plan's destination has its six elements.
            unsafe { plan.execute_raw(tensor.as_ptr(), dense.as_mut_ptr().cast()) };
            assert_eq!(dense, expected);
        }
    }
}

#[test]
fn tensors_without_axes_or_elements() {
    let scalar = Foreign { shape: None, ..Foreign::dense(&[2.5f64], &[]) };
    for tensor in taken(&scalar) {
        assert_eq!((tensor.shape(), tensor.layout().numel()), (&[][..], 1));
        assert_eq!(tensor.to_vec::<f64>().unwrap(), [2.5]);
    }
    for strides in [None, Some(vec![i64::MAX, -3])] {
        let empty = Foreign { is_null: true, strides, ..Foreign::dense::<f64>(&[], &[0, 5]) };
        for mut tensor in taken(&empty) {
            assert!(tensor.to_vec::<f64>().unwrap().is_empty());
            let nothing = View::new(Layout::contiguous(&[0, 5]).unwrap(), &[0f64; 0]).unwrap();
            tensor.copy_from(&nothing).unwrap();
        }
    }
}

#[test]
fn unit_axes_have_any_stride() {
    let foreign = Foreign::dense(&[1u16, 2, 3], &[1, 3, 1]).strided(&[i64::MIN, 1, i64::MAX], 0);
    for tensor in taken(&foreign) {
        assert_eq!(tensor.to_vec::<u16>().unwrap(), [1, 2, 3]);
    }
}

#[test]
fn elements_are_written_through_strides() {
    let foreign = Foreign::dense(&[0u32; 12], &[3, 2]).strided(&[-4, 2], 8 * 4);
    let values = [1u32, 2, 3, 4, 5, 6];
    let columns = Layout::contiguous(&[2, 3]).unwrap().t();
    for mut tensor in taken(&foreign) {
        tensor.copy_from(&View::new(columns.clone(), &values).unwrap()).unwrap();
        assert_eq!(tensor.to_vec::<u32>().unwrap(), [1, 4, 2, 5, 3, 6]);
        // SAFETY: the memory begins two elements below the lowest element, at 0; 12 elements.
        let memory = unsafe {
            std::slice::from_raw_parts(tensor.as_ptr().cast::<u32>().sub(8), 12).to_vec()
        };
        assert_eq!(memory, [3, 0, 6, 0, 2, 0, 5, 0, 1, 0, 4, 0]);
    }
}

#[test]
fn writes_are_refused_where_they_may_not_happen() {
    let values = [1u32, 2, 3, 4];
    let view = View::new(Layout::contiguous(&[2, 2]).unwrap(), &values).unwrap();
    let foreign = Foreign::dense(&[9u32; 4], &[2, 2]);

    let read_only = Foreign { flags: FLAG_READ_ONLY, ..foreign.clone() };
    // SAFETY: a tensor that was just made.
    let mut tensor = unsafe { Imported::from_raw(read_only.give()) }.unwrap();
    assert!(tensor.is_read_only());
    assert_eq!(tensor.copy_from(&view), Err(DlpackError::ReadOnly));
    assert_eq!(tensor.to_vec::<u32>().unwrap(), [9; 4]);

    for mut tensor in taken(&foreign.clone().strided(&[1, 1], 0)) {
        let refused = tensor.copy_from(&view);
        let certain = true;
        let overlap = CopyError::Plan(PlanError::DestinationOverlap { certain });
        assert_eq!(refused, Err(DlpackError::Copy(overlap)));
    }
    for mut tensor in taken(&foreign) {
        let flat = View::new(Layout::contiguous(&[4]).unwrap(), &values).unwrap();
        let refused = tensor.copy_from(&flat).unwrap_err().to_string();
        assert_eq!(refused, "the source has shape [4], but the destination [2, 2]");
        let floats = View::new(Layout::contiguous(&[2, 2]).unwrap(), &[0f32; 4]).unwrap();
        let refused = tensor.copy_from(&floats).unwrap_err().to_string();
        assert_eq!(refused, "the tensor's elements are uint32, not float32");
        assert_eq!(tensor.to_vec::<u32>().unwrap(), [9; 4]);
    }
}

#[test]
fn truth_values_and_vectors_of_numbers() {
    for mut tensor in taken(&Foreign::dense(&[true, false, true], &[3])) {
        assert_eq!(tensor.to_vec::<u8>().unwrap(), [1, 0, 1]);
        let values = View::new(Layout::contiguous(&[3]).unwrap(), &[false, false, true]).unwrap();
        tensor.copy_from(&values).unwrap();
        assert_eq!(tensor.to_vec::<u8>().unwrap(), [0, 0, 1]);
    }
    let points = [[1f32, 2., 3.], [4., 5., 6.]];
    assert_eq!(<[f32; 3]>::DTYPE, DLDataType { code: code::FLOAT, bits: 32, lanes: 3 });
    for tensor in taken(&Foreign::dense(&points, &[2]).strided(&[-1], 12)) {
        assert_eq!(tensor.elem_size(), 12);
        assert_eq!(tensor.to_vec::<[f32; 3]>().unwrap(), [points[1], points[0]]);
        let refused = tensor.to_vec::<f32>().unwrap_err().to_string();
        assert_eq!(refused, "the tensor's elements are float32x3, not float32");
    }
}

#[test]
fn types_without_a_rust_type_are_read_as_bytes() {
    let mut foreign = Foreign::dense(&[1u8, 2, 3, 4], &[2, 2]).strided(&[1, 2], 0);
    foreign.dtype = DLDataType::scalar(10, 8); // float8_e4m3fn
    for tensor in taken(&foreign) {
        assert_eq!(tensor.to_bytes().unwrap(), [1, 3, 2, 4]);
        assert!(matches!(tensor.to_vec::<u8>(), Err(DlpackError::ElementType { .. })));
    }
}

/// Elements `0, 1, 2, …` of a type, and what they are made of.
fn check_type<T: Plain + PartialEq + std::fmt::Debug>(number: impl Fn(u8) -> T) {
    let values: Vec<T> = (0..24).map(number).collect();
    for tensor in taken(&Foreign::dense(&values, &[4, 3, 2]).strided(&[1, 8, 4], 0)) {
        let expected: Vec<T> =
            (0..24).map(|i| values[i / 6 + 8 * (i / 2 % 3) + 4 * (i % 2)]).collect();
        assert_eq!(tensor.to_vec::<T>().unwrap(), expected);
    }
}

#[test]
fn every_type() {
    check_type(|i| i as i8);
    check_type(i16::from);
    check_type(i32::from);
    check_type(i64::from);
    check_type(|i| i);
    check_type(u16::from);
    check_type(u32::from);
    check_type(u64::from);
    check_type(f32::from);
    check_type(f64::from);
    #[cfg(feature = "half")]
    {
        check_type(half::f16::from);
        check_type(half::bf16::from);
        assert_eq!(half::bf16::DTYPE.to_string(), "bfloat16");
    }
    #[cfg(feature = "num-complex")]
    {
        check_type(|i| num_complex::Complex32::new(i.into(), -1.0));
        check_type(|i| num_complex::Complex64::new(i.into(), -1.0));
        assert_eq!(num_complex::Complex64::DTYPE.to_string(), "complex128");
    }
}

/// A shape and strides in elements, of either sign or 0, and how far below element `[0, 0, …]`
/// they reach.
fn strided() -> impl Strategy<Value = (Vec<i64>, Vec<i64>)> {
    prop::collection::vec((0i64..=6, -9i64..=40), 0..=6)
        .prop_filter("few elements", |axes| axes.iter().map(|a| a.0.max(1)).product::<i64>() < 5000)
        .prop_map(|axes| axes.into_iter().unzip())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_tensors_are_read_element_by_element(
        (shape, strides) in strided(),
        odd in 0u64..4,
        has_strides in any::<bool>(),
    ) {
        let row_major = || -> Vec<i64> {
            (1..=shape.len()).map(|axis| shape[axis..].iter().map(|&n| n.max(1)).product()).collect()
        };
        let meant = if has_strides { strides } else { row_major() };
        let reach = |sign: i64| -> i64 {
            let extents = shape.iter().zip(&meant).map(|(&size, &stride)| (size - 1) * stride);
            extents.filter(|extent| extent * sign > 0).sum()
        };
        let is_empty = shape.contains(&0);
        let (below, above) = if is_empty { (0, -1) } else { (-reach(-1), reach(1)) };
        let values: Vec<u32> = (0..(below + above + 1) as u32).map(|i| i.wrapping_mul(0x9e37)).collect();
        let mut foreign = Foreign::dense(&values, &shape);
        foreign.memory.splice(0..0, vec![0; odd as usize]);
        foreign.byte_offset = odd + 4 * below as u64;
        foreign.strides = has_strides.then(|| meant.clone());

        let count = if is_empty { 0 } else { shape.iter().product() };
        let expected: Vec<u32> = (0..count)
            .map(|mut flat| {
                let mut element = below;
                for (&size, &stride) in shape.iter().zip(&meant).rev() {
                    element += flat % size * stride;
                    flat /= size;
                }
                values[element as usize]
            })
            .collect();
        for tensor in taken(&foreign) {
            prop_assert_eq!(tensor.to_vec::<u32>().unwrap(), &expected[..]);
        }
        prop_assert_eq!(foreign.deletions.count(), 2);
    }
}
