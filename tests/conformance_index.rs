//! Basic indexing against what NumPy 2.4 answered.

mod truth;

use restride::Layout;
use restride::layout::IndexItem;
use truth::{Axes, lines};

/// Reads `1:5:-2,...,None,3`.
fn parse(index: &str) -> Vec<IndexItem> {
    let number = |text: &str| -> Option<isize> {
        let text = text.trim();
        (!text.is_empty()).then(|| text.parse().unwrap())
    };
    let item = |text: &str| match text.trim() {
        "..." => IndexItem::Ellipsis,
        "None" => IndexItem::NewAxis,
        text if text.contains(':') => {
            let mut parts = text.split(':').map(number);
            let mut next = || parts.next().flatten();
            IndexItem::Slice { start: next(), stop: next(), step: next() }
        }
        text => IndexItem::Int(text.parse().unwrap()),
    };
    index.split(',').filter(|text| !text.trim().is_empty()).map(item).collect()
}

#[test]
fn every_basic_index_agrees_with_numpy() {
    for line in lines("numpy_index.jsonl") {
        let shape = line["shape"].sizes();
        let source = if line["fortran"].as_bool().unwrap() {
            Layout::column_major(&shape)
        } else {
            Layout::contiguous(&shape)
        }
        .unwrap();
        let result = source.index(&parse(line["index"].as_str().unwrap())).unwrap();
        assert_eq!(result.shape(), line["out_shape"].sizes(), "{line}");

        let memory = line["memory"].sizes();
        let values: Vec<_> = result.storage_order().map(|element| memory[element]).collect();
        assert_eq!(values, line["order"].sizes(), "{line}");

        if result.is_empty() {
            continue;
        }
        assert_eq!(Some(result.offset() as u64), line["offset"].as_u64(), "{line}");
        let strides = line["out_strides"].signed();
        for (axis, &size) in result.shape().iter().enumerate() {
            assert!(size == 1 || result.strides()[axis] == strides[axis], "{line}");
        }
        let copies = line["ascontiguousarray_copies"].as_bool().unwrap();
        assert_eq!(result.to_contiguous().is_copy(), copies, "{line}");
        let copies = line["flatten_copies"].as_bool().unwrap();
        assert_eq!(result.reshape(&[-1]).unwrap().is_copy(), copies, "{line}");
    }
}
