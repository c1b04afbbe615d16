//! burn's own results, from views of random shapes and of every type.
#![cfg(feature = "burn")]

use burn_backend::{BoolStore, Bytes, DType, Shape, TensorData};
use burn_flex::{FlexTensor, Layout as FlexLayout};
use proptest::prelude::*;
use restride::interop::burn::{BurnError, contiguous, data_of, to_data};
use restride::{CopyError, Layout};

/// The types that burn-flex itself makes contiguous.
const TYPES: [DType; 14] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::I64,
    DType::I32,
    DType::I16,
    DType::I8,
    DType::U64,
    DType::U32,
    DType::U16,
    DType::U8,
    DType::Bool(BoolStore::Native),
    DType::Bool(BoolStore::U8),
];

/// A tensor of the type over the layout's storage, of `len` elements that differ.
fn tensor(layout: FlexLayout, len: usize, dtype: DType) -> FlexTensor {
    let is_truth = matches!(dtype, DType::Bool(_));
    let bytes = (0..len * dtype.size()).map(|i| if is_truth { i % 3 % 2 } else { i * 7 % 251 });
    // Allocators align whole elements of any type, whatever type they are asked for.
    FlexTensor::new(Bytes::from_bytes_vec(bytes.map(|byte| byte as u8).collect()), layout, dtype)
}

/// `len` elements, dense.
fn dense(dims: &[usize], dtype: DType) -> FlexTensor {
    let layout = FlexLayout::contiguous(Shape::from(dims.to_vec()));
    tensor(layout, dims.iter().product(), dtype)
}

fn same(view: &FlexTensor) {
    let (ours, theirs) = (contiguous(view).unwrap(), view.to_contiguous());
    assert_eq!(ours.layout(), theirs.layout());
    assert_eq!(ours.dtype(), theirs.dtype());
    assert_eq!(ours.bytes(), theirs.bytes(), "{:?}", view.layout());
    let (ours, theirs) = (to_data(view.clone()).unwrap(), view.clone().into_data());
    assert_eq!((ours.shape(), ours.dtype()), (theirs.shape(), theirs.dtype()));
    assert_eq!(ours.as_bytes(), theirs.as_bytes());
}

#[derive(Clone, Debug)]
struct Axis {
    size: usize,
    key: u32,
    flip: bool,
    cut: (usize, usize),
    repeat: bool,
}

fn axis() -> impl Strategy<Value = Axis> {
    let cut = prop_oneof![3 => Just((0usize, 0usize)), 1 => (0usize..3, 0usize..3)];
    let rarely = prop_oneof![5 => Just(false), 1 => Just(true)];
    (0usize..=6, any::<u32>(), any::<bool>(), cut, rarely)
        .prop_map(|(size, key, flip, cut, repeat)| Axis { size, key, flip, cut, repeat })
}

/// A permuted, flipped, cut and repeated view of a dense tensor.
fn view_of(axes: &[Axis], dtype: DType) -> FlexTensor {
    let sizes: Vec<usize> = axes.iter().map(|axis| axis.size).collect();
    let base = dense(&sizes, dtype);
    let mut layout = base.layout().clone();
    for (i, axis) in axes.iter().enumerate() {
        let start = axis.cut.0.min(axis.size);
        layout = layout.narrow(i, start, (axis.size - start).saturating_sub(axis.cut.1));
    }
    let flips: Vec<usize> =
        (0..axes.len()).filter(|&i| axes[i].flip && !layout.shape().contains(&0)).collect();
    layout = layout.flip(&flips);
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&i| axes[i].key);
    layout = layout.permute(&order);
    // A repeated axis is one more, of stride 0.
    let (mut shape, mut strides) = (layout.shape().to_vec(), layout.strides().to_vec());
    for (place, _) in axes.iter().enumerate().filter(|(_, axis)| axis.repeat) {
        shape.insert(place, 2);
        strides.insert(place, 0);
    }
    let offset = layout.start_offset();
    base.with_layout(FlexLayout::new(Shape::from(shape), strides, offset))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_views_become_what_burn_makes_of_them(
        axes in prop::collection::vec(axis(), 0..=6),
        dtype in prop::sample::select(&TYPES[..]),
    ) {
        same(&view_of(&axes, dtype));
    }
}

#[test]
fn every_type_and_sizes_that_run_on_threads() {
    for dtype in TYPES {
        same(&dense(&[37, 53], dtype).transpose(0, 1));
        same(&dense(&[8, 300, 500], dtype).permute(&[2, 0, 1]));
        same(&dense(&[], dtype));
        same(&dense(&[0, 3], dtype).transpose(0, 1));
        let flipped = dense(&[40, 30], dtype);
        let layout = flipped.layout().flip(&[0, 1]);
        same(&flipped.with_layout(layout));
    }
}

#[test]
fn a_dense_tensor_is_shared_when_it_is_all_of_its_memory() {
    let tensor = dense(&[4, 6], DType::F32);
    let address = tensor.bytes().as_ptr();
    assert_eq!(contiguous(&tensor).unwrap().bytes().as_ptr(), address);
    assert_eq!(to_data(tensor.clone()).unwrap().num_elements(), 24);
    let first_rows = tensor.narrow(0, 0, 2);
    let copy = contiguous(&first_rows).unwrap();
    assert_ne!(copy.bytes().as_ptr(), address);
    assert_eq!(copy.bytes().len(), 2 * 6 * 4);
    drop((copy, first_rows));
    // The only handle: the memory itself becomes the data.
    assert_eq!(to_data(tensor).unwrap().as_bytes().as_ptr(), address);
}

#[test]
fn other_types_are_refused() {
    let packed = DType::Bool(BoolStore::U32);
    let view = dense(&[2, 3], packed).transpose(0, 1);
    let refused = contiguous(&view).map(drop);
    assert_eq!(refused, Err(BurnError::Unsupported { dtype: packed }));
    let view = dense(&[2, 3], DType::Flex32).transpose(0, 1);
    assert!(matches!(contiguous(&view), Err(BurnError::Unsupported { .. })));
}

#[test]
fn memory_that_holds_no_elements_is_refused() {
    let shape = Shape::from(vec![3, 2]);
    let layout = FlexLayout::new(shape, vec![1, 3], 0);
    let part = Bytes::from_bytes_vec(vec![0; 4 * 6 + 1]);
    let refused = contiguous(&FlexTensor::new(part, layout.clone(), DType::F32)).map(drop);
    assert!(matches!(refused, Err(BurnError::Misaligned { len: 25, .. })), "{refused:?}");
    let short = Bytes::from_elems(vec![0f32; 5]);
    let refused = contiguous(&FlexTensor::new(short, layout, DType::F32)).map(drop);
    let Err(BurnError::Copy(CopyError::Layout(outside))) = refused else { panic!("{refused:?}") };
    assert_eq!(outside.to_string(), "the layout reaches elements 0 to 5 of a storage of 5");
}

#[test]
fn data_of_strided_elements() {
    let image: Vec<f32> = (0..24u8).map(f32::from).collect();
    let planes = Layout::contiguous(&[2, 4, 3]).unwrap().permute(&[2, 0, 1]).unwrap();
    let planes = planes.flip(&[1]).unwrap();
    let expected: Vec<f32> =
        (0..24).map(|i| image[12 * (1 - i / 4 % 2) + 3 * (i % 4) + i / 8]).collect();
    let data = data_of(&planes, &image).unwrap();
    assert_eq!(data, TensorData::new(expected, [3, 2, 4]));
    let outside = data_of(&planes, &image[1..]).unwrap_err();
    assert!(matches!(outside, CopyError::OutOfReach { last: 23, len: 23, .. }));
}
