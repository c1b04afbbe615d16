//! Specs against what PyTorch and NumPy themselves answered (`tests/data`).

mod truth;

use restride::layout::Layout;
use restride::spec::{Origin, Source, Spec, SpecError, Trace, parse_ops};
use truth::{Axes, lines};

fn run(text: &str) -> Result<Trace, SpecError> {
    let spec = Spec::parse(text)?;
    let Source::Dense { dtype, shape } = &spec.source else { panic!("{text}: not dense") };
    let mut trace = Trace::start(Origin::dense(*dtype, shape).unwrap());
    trace.apply_all(&spec.ops, text)?;
    Ok(trace)
}

#[test]
fn chains_end_where_pytorch_ends() {
    for case in lines("torch_chain.jsonl") {
        let shape = case["shape"].sizes();
        let text = format!("f32{shape:?}{}", case["chain"].as_str().unwrap());
        let result = run(&text);
        if let Some(refused) = case["error_in"].as_str() {
            let error = result.expect_err(&text);
            let op = &text[error.at.clone()];
            let named = match refused {
                "select" => text[..error.at.start].ends_with(['[', ',']),
                name => op.starts_with(&format!(".{name}(")),
            };
            assert!(named, "{text}: {refused} is to be refused, not {op}");
            continue;
        }
        let trace = result.unwrap_or_else(|error| panic!("{text}: {error}"));
        let layout = trace.layout();
        assert_eq!(layout.shape(), case["out_shape"].sizes(), "{text}");
        assert_eq!(layout.strides(), case["out_strides"].signed(), "{text}");
        assert_eq!(layout.offset() as u64, case["offset"], "{text}");
        assert_eq!(trace.shares_storage(), case["shares_storage"], "{text}");
        let order = trace.order(&text).unwrap();
        assert_eq!(order, case["order"].sizes(), "{text}");
    }
}

#[test]
fn indices_select_what_numpy_selects() {
    for case in lines("numpy_index.jsonl") {
        let shape = case["shape"].sizes();
        let layout = match case["fortran"].as_bool().unwrap() {
            true => Layout::column_major(&shape).unwrap(),
            false => Layout::contiguous(&shape).unwrap(),
        };
        let text = format!("[{}]", case["index"].as_str().unwrap());
        let ops = parse_ops(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let storage_len = layout.numel();
        let mut trace =
            Trace::start(Origin { dtype: "f32".into(), elem_size: 4, layout, storage_len });
        trace.apply_all(&ops, &text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let (result, context) = (trace.layout(), format!("{shape:?}{text}"));
        assert_eq!(result.shape(), case["out_shape"].sizes(), "{context}");
        if let Some(offset) = case["offset"].as_u64() {
            assert_eq!(result.offset() as u64, offset, "{context}");
        }
        // NumPy's values are positions in C order; `memory` says which stands where.
        let memory = case["memory"].sizes();
        let values: Vec<usize> =
            trace.order(&text).unwrap().into_iter().map(|element| memory[element]).collect();
        assert_eq!(values, case["order"].sizes(), "{context}");
        for (op, copies) in
            [(".reshape(-1)", "flatten_copies"), (".contiguous()", "ascontiguousarray_copies")]
        {
            let Some(copies) = case[copies].as_bool() else { continue };
            let mut trace = trace.clone();
            trace.apply_all(&parse_ops(op).unwrap(), op).unwrap();
            assert_eq!(!trace.shares_storage(), copies, "{context}{op}");
        }
    }
}

/// A spec for the layout of `case`, cut from a storage that is long enough.
fn strided(case: &serde_json::Value) -> String {
    let (shape, strides) = (case["shape"].sizes(), case["strides"].signed());
    format!("f32[100000].as_strided({shape:?}, {strides:?}, {})", case["offset"])
}

#[test]
fn views_and_reshapes_are_what_pytorch_makes_of_them() {
    for case in lines("torch_view.jsonl") {
        let (source, target) = (strided(&case), case["target"].signed());
        let text = format!("{source}.view({target:?})");
        match (run(&text), case["view"]["error"].as_str()) {
            (Err(error), Some(kind)) => assert_eq!(error.kind.as_str(), kind, "{text}: {error}"),
            (Ok(trace), None) => {
                assert_eq!(trace.layout().shape(), case["view"]["shape"].sizes(), "{text}");
                assert_eq!(trace.layout().strides(), case["view"]["strides"].signed(), "{text}");
                assert!(trace.shares_storage(), "{text}");
            }
            (result, expected) => panic!("{text}: {result:?}, not {expected:?}"),
        }
        let reshape = &case["reshape"];
        if let (Some(copied), text) =
            (reshape["copied"].as_bool(), format!("{source}.reshape({target:?})"))
        {
            let trace = run(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(!trace.shares_storage(), copied, "{text}");
            assert_eq!(trace.layout().strides(), reshape["strides"].signed(), "{text}");
            if !reshape["order"].is_null() {
                assert_eq!(trace.order(&text).unwrap(), reshape["order"].sizes(), "{text}");
            }
        }
    }
}

#[test]
fn memory_formats_are_kept_and_made_as_pytorch_does() {
    for case in lines("torch_memory_format.jsonl") {
        let format = match case["shape"].sizes().len() {
            5 => "torch.channels_last_3d",
            _ => "torch.channels_last",
        };
        let text = format!("{}.contiguous(memory_format={format})", strided(&case));
        let trace = run(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let expected = &case["to_channels_last"];
        if let Some(copied) = expected["copied"].as_bool() {
            assert_eq!(!trace.shares_storage(), copied, "{text}");
        }
        assert_eq!(trace.layout().strides(), expected["strides"].signed(), "{text}");
        let text = format!("{}.clone()", strided(&case));
        let trace = run(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(!trace.shares_storage(), "{text}");
        let preserved = case["preserve_format_strides"].signed();
        assert_eq!(trace.layout().strides(), preserved, "{text}");
    }
}
