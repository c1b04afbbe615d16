//! The view rule, reshape, contiguity and memory formats against what PyTorch 2.10 answered.

mod truth;

use restride::layout::{MemoryFormat, Overlap, Reshaped, overlap};
use serde_json::Value;
use truth::{Axes, layout, lines};

/// What a view or reshape gave, in the words of the data.
fn told(result: Result<Reshaped, restride::LayoutError>) -> Result<Reshaped, String> {
    result.map_err(|error| error.kind().as_str().to_string())
}

fn expected_error(expected: &Value) -> Option<String> {
    expected.get("error").map(|e| e.as_str().unwrap().to_string())
}

#[test]
fn every_view_agrees_with_pytorch() {
    for line in lines("torch_view.jsonl") {
        let source = layout(&line);
        let target = line["target"].signed();
        let view = told(source.view(&target).map(Reshaped::View));
        let expected = &line["view"];
        match (&view, expected_error(expected)) {
            (Err(kind), Some(wanted)) => assert_eq!(*kind, wanted, "{line}"),
            (Ok(got), None) => {
                let got = got.layout();
                assert_eq!(got.shape(), expected["shape"].sizes(), "{line}");
                assert_eq!(got.strides(), expected["strides"].signed(), "{line}");
                assert_eq!(got.offset() as u64, expected["offset"].as_u64().unwrap(), "{line}");
            }
            _ => panic!("{view:?} for {line}"),
        }
    }
}

#[test]
fn every_reshape_agrees_with_pytorch_about_copies_strides_and_order() {
    let mut copies = 0;
    for line in lines("torch_view.jsonl") {
        let source = layout(&line);
        let reshaped = told(source.reshape(&line["target"].signed()));
        let expected = &line["reshape"];
        match (&reshaped, expected_error(expected)) {
            (Err(kind), Some(wanted)) => assert_eq!(*kind, wanted, "{line}"),
            (Ok(got), None) => {
                assert_eq!(got.is_copy(), expected["copied"].as_bool().unwrap(), "{line}");
                assert_eq!(got.layout().shape(), expected["shape"].sizes(), "{line}");
                assert_eq!(got.layout().strides(), expected["strides"].signed(), "{line}");
                copies += usize::from(got.is_copy());
                if let Some(order) = expected.get("order") {
                    // A copy has the source's elements in the source's logical order.
                    let from = if got.is_copy() { &source } else { got.layout() };
                    assert_eq!(from.storage_order().collect::<Vec<_>>(), order.sizes(), "{line}");
                }
            }
            _ => panic!("{reshaped:?} for {line}"),
        }
    }
    assert!(copies > 200, "only {copies} copies");
}

#[test]
fn contiguity_agrees_with_pytorch() {
    for line in lines("torch_view.jsonl") {
        let source = layout(&line);
        assert_eq!(source.is_contiguous(), line["is_contiguous"].as_bool().unwrap(), "{line}");
        let copies = line["contiguous_copies"].as_bool().unwrap();
        assert_eq!(source.to_contiguous().is_copy(), copies, "{line}");
    }
}

#[test]
fn self_overlap_never_contradicts_pytorch_and_is_exact_where_it_gave_up() {
    let mut decided = 0;
    for line in lines("torch_view.jsonl") {
        let source = layout(&line);
        let mut elements: Vec<_> = source.storage_order().collect();
        let count = elements.len();
        elements.sort_unstable();
        elements.dedup();
        let truth = if elements.len() < count { Overlap::Yes } else { Overlap::No };
        assert_eq!(overlap::self_overlap(&source), truth, "{line}");
        match line["internal_overlap"].as_str().unwrap() {
            "yes" if count > 0 => assert_eq!(truth, Overlap::Yes, "{line}"),
            "no" => assert_eq!(truth, Overlap::No, "{line}"),
            _ => decided += 1,
        }
    }
    assert!(decided > 100, "only {decided} were left open");
}

#[test]
fn every_channels_last_answer_agrees_with_pytorch() {
    for line in lines("torch_memory_format.jsonl") {
        let source = layout(&line);
        let format = match source.rank() {
            4 => MemoryFormat::ChannelsLast,
            _ => MemoryFormat::ChannelsLast3d,
        };
        assert_eq!(source.is_contiguous(), line["is_contiguous"].as_bool().unwrap(), "{line}");
        assert_eq!(
            source.is_channels_last(),
            line["is_channels_last"].as_bool().unwrap(),
            "{line}"
        );
        let expected = &line["to_channels_last"];
        let result = source.to_memory_format(format).unwrap();
        assert_eq!(result.layout().strides(), expected["strides"].signed(), "{line}");
        if let Some(copied) = expected["copied"].as_bool() {
            assert_eq!(result.is_copy(), copied, "{line}");
        }
        let kept = source.dense_in(MemoryFormat::Preserve).unwrap();
        assert_eq!(kept.strides(), line["preserve_format_strides"].signed(), "{line}");
    }
}
