//! candle's own results, from views of random shapes and of every type.
#![cfg(feature = "candle")]

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Device, Layout, Shape, Storage, Tensor, Var};
use candle_core::{CustomOp1, safetensors};
use proptest::prelude::*;
use restride::interop::candle::{Contiguous, contiguous};

/// The types whose tensors candle itself makes contiguous.
const TYPES: [DType; 10] = [
    DType::U8,
    DType::U32,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::BF16,
    DType::F16,
    DType::F32,
    DType::F64,
    DType::F8E4M3,
];

/// The numbers from 0 on, in a dense tensor.
fn numbered(dims: &[usize], dtype: DType) -> Tensor {
    let count = dims.iter().product::<usize>() as u32;
    let numbers = Tensor::from_iter((0..count).map(|i| i % 120), &Device::Cpu).unwrap();
    let numbers = if dtype == DType::U32 { numbers } else { numbers.to_dtype(DType::F32).unwrap() };
    numbers.to_dtype(dtype).unwrap().reshape(dims).unwrap()
}

/// The bytes of a dense tensor's elements.
fn bytes(tensor: &Tensor) -> Vec<u8> {
    if tensor.elem_count() == 0 {
        return Vec::new(); // its offset may lie behind the storage
    }
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(storage) = &*storage else { panic!("not on the CPU") };
    let (start, end) = layout.contiguous_offsets().expect("a dense tensor");
    macro_rules! bytes_of {
        ($($variant:ident)*) => {
            match storage {
                $(CpuStorage::$variant(elements) => elements[start..end]
                    .iter()
                    .flat_map(|element| element.to_le_bytes())
                    .collect(),)*
                CpuStorage::F8E4M3(elements) => {
                    elements[start..end].iter().map(|element| element.to_bits()).collect()
                }
                other => panic!("no bytes of {:?}", other.dtype()),
            }
        };
    }
    bytes_of!(U8 U32 I16 I32 I64 BF16 F16 F32 F64)
}

fn same(view: &Tensor) {
    let (ours, theirs) = (contiguous(view).unwrap(), view.force_contiguous().unwrap());
    assert!(ours.is_contiguous());
    assert_eq!((ours.dims(), ours.dtype()), (theirs.dims(), theirs.dtype()));
    assert_eq!(bytes(&ours), bytes(&theirs), "{:?}", view.layout());
    let op = view.apply_op1(Contiguous).unwrap();
    assert_eq!(bytes(&op), bytes(&theirs), "{:?}", view.layout());
}

#[derive(Clone, Debug)]
struct View {
    dims: Vec<usize>,
    order: Vec<u32>,
    /// For each axis, where to begin and how many indices to leave out at the end.
    cut: Vec<(usize, usize)>,
    repeat: Option<usize>,
    dtype: DType,
}

impl View {
    fn tensor(&self) -> Tensor {
        let rank = self.dims.len();
        let mut view = numbered(&self.dims, self.dtype);
        for (axis, &(start, end)) in self.cut.iter().enumerate() {
            let size = self.dims[axis];
            let start = start.min(size);
            view = view.narrow(axis, start, (size - start).saturating_sub(end)).unwrap();
        }
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.sort_by_key(|&axis| self.order[axis]);
        view = view.permute(axes).unwrap();
        if let Some(times) = self.repeat {
            let mut dims = view.dims().to_vec();
            dims.push(times);
            view = view.unsqueeze(rank).unwrap().broadcast_as(dims).unwrap();
        }
        view
    }
}

fn view() -> impl Strategy<Value = View> {
    let repeat = prop_oneof![3 => Just(None), 1 => (1usize..4).prop_map(Some)];
    let cut = prop_oneof![3 => Just((0usize, 0usize)), 1 => (0usize..3, 0usize..3)];
    (prop::collection::vec(0usize..=6, 0..=6), repeat, prop::sample::select(&TYPES[..]))
        .prop_flat_map(move |(dims, repeat, dtype)| {
            let rank = dims.len();
            let order = prop::collection::vec(any::<u32>(), rank);
            let cut = prop::collection::vec(cut.clone(), rank);
            (Just(dims), order, cut, Just(repeat), Just(dtype))
        })
        .prop_map(|(dims, order, cut, repeat, dtype)| View { dims, order, cut, repeat, dtype })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_views_become_what_candle_makes_of_them(view in view()) {
        same(&view.tensor());
    }
}

#[test]
fn every_type_and_sizes_that_run_on_threads() {
    for dtype in TYPES {
        same(&numbered(&[37, 53], dtype).t().unwrap());
        same(&numbered(&[8, 300, 500], dtype).permute((2, 0, 1)).unwrap());
        same(&numbered(&[], dtype));
        same(&numbered(&[0, 3], dtype).t().unwrap());
    }
}

#[test]
fn a_contiguous_tensor_is_shared() {
    let tensor = numbered(&[4, 6], DType::F32);
    let address = |tensor: &Tensor| {
        let (storage, _) = tensor.storage_and_layout();
        let Storage::Cpu(storage) = &*storage else { panic!("not on the CPU") };
        storage.as_slice::<f32>().unwrap().as_ptr()
    };
    let part = tensor.narrow(0, 1, 2).unwrap(); // dense, and not at the start of its storage
    assert_eq!(address(&contiguous(&part).unwrap()), address(&tensor));
    assert_eq!(contiguous(&part).unwrap().id(), part.id());
    assert_ne!(address(&part.apply_op1(Contiguous).unwrap()), address(&tensor));
}

#[test]
fn gradients_are_those_of_candles_own() {
    let weights = numbered(&[3, 2], DType::F32);
    let x = Var::from_tensor(&numbered(&[2, 3], DType::F32)).unwrap();
    let gradient = |dense: Tensor| {
        let loss = (dense.sqr().unwrap() * &weights).unwrap().sum_all().unwrap();
        loss.backward().unwrap().get(&x).unwrap().to_vec2::<f32>().unwrap()
    };
    let view = x.t().unwrap();
    let theirs = gradient(view.contiguous().unwrap());
    assert_eq!(gradient(contiguous(&view).unwrap()), theirs);
    assert_eq!(gradient(view.apply_op1(Contiguous).unwrap()), theirs);
    assert_eq!(theirs[1], [6., 24., 50.]); // 2 * x * weight
}

#[test]
fn gradients_flow_through_broadcasts_and_higher_uses() {
    let x = Var::from_tensor(&numbered(&[1, 3], DType::F64)).unwrap();
    let rows = x.broadcast_as((4, 3)).unwrap();
    let dense = contiguous(&rows).unwrap();
    let twice = (&dense + contiguous(&rows.t().unwrap()).unwrap().t().unwrap()).unwrap();
    let gradients = twice.sum_all().unwrap().backward().unwrap();
    assert_eq!(gradients.get(&x).unwrap().to_vec2::<f64>().unwrap(), [[8.0; 3]]);
}

#[test]
fn a_byte_of_one_exponent_is_copied() {
    let storage = CpuStorage::F8E8M0((0..6).collect());
    let layout = Layout::contiguous((2, 3)).transpose(0, 1).unwrap();
    let (copy, shape) = Contiguous.cpu_fwd(&storage, &layout).unwrap();
    assert_eq!(shape, Shape::from((3, 2)));
    let CpuStorage::F8E8M0(bytes) = copy else { panic!("another type: {:?}", copy.dtype()) };
    assert_eq!(bytes, [0, 3, 1, 4, 2, 5]);
}

#[test]
fn several_elements_in_a_byte_are_refused() {
    let layout = Layout::contiguous((2, 3)).transpose(0, 1).unwrap();
    let packed = [
        CpuStorage::F4(vec![0; 6]),
        CpuStorage::F6E2M3(vec![0; 6]),
        CpuStorage::F6E3M2(vec![0; 6]),
    ];
    for storage in packed {
        let refused = Contiguous.cpu_fwd(&storage, &layout).unwrap_err().to_string();
        let expected = format!("unsupported dtype {:?} for op restride", storage.dtype());
        assert!(refused.starts_with(&expected), "{refused}");
    }
    let bytes = [0u8; 3];
    let file = serialized_f4(&bytes);
    let tensor = &safetensors::load_buffer(&file, &Device::Cpu).unwrap()["x"];
    assert_eq!(tensor.dtype(), DType::F4);
    assert!(contiguous(&tensor.t().unwrap()).is_err());
}

/// A safetensors file with a tensor `x` of `f4[2,3]`.
fn serialized_f4(bytes: &[u8; 3]) -> Vec<u8> {
    let header = r#"{"x":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]}}"#;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

#[test]
fn a_layout_outside_its_storage_is_an_error() {
    let storage = CpuStorage::F32(vec![0.; 5]);
    let refused = Contiguous.cpu_fwd(&storage, &Layout::contiguous((2, 3))).unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("reaches elements 0 to 5 of a storage of 5"), "{refused}");
}
