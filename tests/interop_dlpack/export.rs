//! Tensors given to a library that checks them, and taken back.

use std::sync::Arc;

use dlpark::{legacy, versioned};
use proptest::prelude::*;
use restride::interop::dlpack::{DlpackError, Export, Imported};
use restride::tensor::{Tensor, TensorError};
use restride::{CopyError, Layout, contiguous};

#[test]
fn another_crate_finds_every_number_in_order() {
    let view = Layout::contiguous(&[4, 3, 2]).unwrap().permute(&[2, 0, 1]).unwrap();
    let view = view.slice(1, Some(1), None, 2).unwrap();
    let data: Vec<i16> = (0..24).collect();
    let export = || Export::of_vec(data.clone(), view.clone()).unwrap();

    // SAFETY: tensors that were just made, taken once.
    let (new, old) = unsafe {
        (
            versioned::Dlpack::from_raw(export().into_raw().cast()).unwrap(),
            legacy::Dlpack::from_raw(export().into_raw_older().unwrap().cast()).unwrap(),
        )
    };
    assert_eq!((new.version().major, new.flags().bits()), (1, 0));
    for tensor in [new.validate_export().unwrap(), old.validate_export().unwrap()] {
        assert_eq!(tensor.shape(), [2, 2, 3]);
        assert_eq!(tensor.strides(), Some(&[1, 12, 2][..]));
        assert_eq!((tensor.dtype().bits, tensor.dtype().lanes), (16, 1));
        assert_eq!(tensor.byte_offset(), 0);
        // SAFETY: the elements are there, and i16.
        assert_eq!(unsafe { *tensor.data_ptr().cast::<i16>() }, 6);
    }
}

#[test]
fn tensors_without_axes_or_elements() {
    let scalar = Export::of_vec(vec![7u64], Layout::contiguous(&[]).unwrap()).unwrap();
    // SAFETY: a tensor that was just made, taken once.
    let scalar = unsafe { versioned::Dlpack::from_raw(scalar.into_raw().cast()) }.unwrap();
    assert_eq!(scalar.validate_export().unwrap().num_elements(), 1);

    let empty = Export::of_vec(vec![7u64], Layout::contiguous(&[0, 5]).unwrap()).unwrap();
    // SAFETY: as above.
    let empty = unsafe { versioned::Dlpack::from_raw(empty.into_raw().cast()) }.unwrap();
    let empty = empty.validate_export().unwrap();
    assert!(empty.data_ptr().is_null());
    assert_eq!(empty.shape(), [0, 5]);
}

#[test]
fn a_layout_outside_its_vector_is_refused() {
    let refused = Export::of_vec(vec![0u8; 5], Layout::contiguous(&[2, 3]).unwrap()).unwrap_err();
    assert!(matches!(refused, DlpackError::Copy(CopyError::OutOfReach { last: 5, len: 5, .. })));
}

#[test]
fn a_sole_tensor_gives_its_storage_away() {
    let tensor = Tensor::from_vec(vec![1u32, 2, 3, 4], &[2, 2]).unwrap();
    let view = tensor.t();
    let address = view.data_ptr();
    drop(tensor);
    let export = Export::of_tensor(view).unwrap();
    assert!(!export.is_read_only());
    // SAFETY: a tensor that was just made, taken once.
    let taken = unsafe { Imported::from_raw(export.into_raw()) }.unwrap();
    assert_eq!(taken.as_ptr().cast(), address);
    assert_eq!(taken.strides(), [1, 2]);
    assert!(!taken.is_copied());
    assert_eq!(taken.to_vec::<u32>().unwrap(), [1, 3, 2, 4]);
}

#[test]
fn a_tensor_with_other_handles_gives_a_copy() {
    let tensor = Tensor::from_vec(vec![1u32, 2, 3, 4], &[2, 2]).unwrap();
    let export = Export::of_tensor(tensor.t()).unwrap();
    // SAFETY: a tensor that was just made, taken once.
    let mut taken = unsafe { Imported::from_raw(export.into_raw()) }.unwrap();
    assert!(taken.is_copied() && !taken.is_read_only());
    assert_eq!((taken.strides(), taken.to_vec::<u32>().unwrap()), (&[2, 1][..], vec![1, 3, 2, 4]));
    let zeros = restride::View::new(Layout::contiguous(&[2, 2]).unwrap(), &[0u32; 4]).unwrap();
    taken.copy_from(&zeros).unwrap();
    assert_eq!(tensor.to_vec().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn a_shared_storage_is_read_by_all_and_written_by_nobody() {
    let tensor = Tensor::from_vec((0..6u16).collect(), &[2, 3]).unwrap();
    let handles = tensor.storage().handles();
    let exports = [&tensor.t(), &tensor].map(|view| Export::of_shared(view).unwrap());
    let [transposed, whole] = exports.map(|export| {
        assert!(export.is_read_only());
        // SAFETY: tensors that were just made, taken once.
        unsafe { Imported::from_raw(export.into_raw()) }.unwrap()
    });
    assert_eq!(transposed.as_ptr(), whole.as_ptr());
    assert_eq!(transposed.to_vec::<u16>().unwrap(), [0, 3, 1, 4, 2, 5]);
    assert_eq!(tensor.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);

    let in_use = Err(TensorError::InUse { wanted: "written" });
    assert_eq!(tensor.fill(9), in_use);
    std::thread::spawn(move || drop(transposed)).join().unwrap();
    assert_eq!(tensor.fill(9), in_use);
    drop(whole);
    tensor.fill(9).unwrap();
    assert_eq!(tensor.storage().handles(), handles);
}

#[test]
fn a_taken_tensor_outlives_its_giver() {
    let tensor = Tensor::from_vec(vec![1u8, 2, 3], &[3]).unwrap();
    let export = Export::of_shared(&tensor).unwrap();
    drop(tensor);
    // SAFETY: a tensor that was just made, taken once.
    let taken = unsafe { Imported::from_raw(export.into_raw()) }.unwrap();
    assert_eq!(taken.to_vec::<u8>().unwrap(), [1, 2, 3]);
}

#[test]
fn the_older_struct_cannot_be_read_only() {
    let tensor = Tensor::from_vec(vec![1u8, 2, 3], &[3]).unwrap();
    let refused = Export::of_shared(&tensor).unwrap().into_raw_older();
    assert_eq!(refused.map(drop), Err(DlpackError::NoReadOnlyFlag));
    tensor.fill(0).unwrap(); // the refused export has let go
}

#[test]
fn a_storage_being_written_is_not_lent() {
    let tensor = Tensor::from_vec(vec![1u8, 2, 3], &[3]).unwrap();
    let open = tensor.write().unwrap();
    let refused = Export::of_shared(&tensor).unwrap_err();
    assert_eq!(refused, TensorError::InUse { wanted: "read" }.into());
    drop(open);
}

#[test]
fn an_export_that_nobody_takes_frees_its_storage() {
    let tensor = Arc::new(Tensor::from_vec(vec![1u8, 2, 3], &[3]).unwrap());
    drop(Export::of_shared(&tensor).unwrap());
    assert_eq!(tensor.storage().handles(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_views_come_back_as_they_were(
        shape in prop::collection::vec(0usize..=5, 0..=6),
        order in any::<[u32; 6]>(),
        flips in any::<[bool; 6]>(),
        older in any::<bool>(),
    ) {
        let rank = shape.len();
        let mut axes: Vec<isize> = (0..rank as isize).collect();
        axes.sort_by_key(|&axis| order[axis as usize]);
        let flipped: Vec<isize> = (0..rank as isize).filter(|&a| flips[a as usize]).collect();
        let dense = Layout::contiguous(&shape).unwrap();
        let view = dense.permute(&axes).unwrap().flip(&flipped).unwrap();
        let data: Vec<f64> = (0..dense.numel()).map(|i| i as f64).collect();
        let expected = contiguous(&view, &data).unwrap();

        let export = Export::of_vec(data, view.clone()).unwrap();
        // SAFETY: a tensor that was just made, taken once.
        let taken = unsafe {
            if older {
                Imported::from_raw_older(export.into_raw_older().unwrap())
            } else {
                Imported::from_raw(export.into_raw())
            }
        }
        .unwrap();
        prop_assert_eq!((taken.shape(), taken.strides()), (view.shape(), view.strides()));
        prop_assert_eq!(taken.to_vec::<f64>().unwrap(), expected);
    }
}
