//! Specs against what PyTorch and NumPy themselves answered (`tests/data`).

use restride::layout::Layout;
use restride::spec::{Origin, Source, Spec, SpecError, Trace, parse_ops};
use serde_json::Value;

fn lines(text: &'static str) -> impl Iterator<Item = (usize, Value)> {
    text.lines().enumerate().map(|(number, line)| (number + 1, serde_json::from_str(line).unwrap()))
}

fn integers<T: TryFrom<i64>>(value: &Value) -> Vec<T> {
    let as_integer = |v: &Value| T::try_from(v.as_i64().unwrap()).ok().unwrap();
    value.as_array().unwrap().iter().map(as_integer).collect()
}

fn run(text: &str) -> Result<Trace, SpecError> {
    let spec = Spec::parse(text)?;
    let Source::Dense { dtype, shape } = &spec.source else { panic!("{text}: not dense") };
    let mut trace = Trace::start(Origin::dense(*dtype, shape).unwrap());
    trace.apply_all(&spec.ops, text)?;
    Ok(trace)
}

#[test]
fn chains_end_where_pytorch_ends() {
    for (number, case) in lines(include_str!("data/torch_chain.jsonl")) {
        let shape: Vec<usize> = integers(&case["shape"]);
        let text = format!("f32{shape:?}{}", case["chain"].as_str().unwrap());
        let result = run(&text);
        if let Some(refused) = case["error_in"].as_str() {
            let error = result.expect_err(&text);
            let op = &text[error.at.clone()];
            let named = match refused {
                "select" => text[..error.at.start].ends_with(['[', ',']),
                name => op.starts_with(&format!(".{name}(")),
            };
            assert!(named, "line {number}: {text}: {refused} is to be refused, not {op}");
            continue;
        }
        let trace = result.unwrap_or_else(|error| panic!("line {number}: {text}: {error}"));
        let layout = trace.layout();
        assert_eq!(layout.shape(), integers::<usize>(&case["out_shape"]), "line {number}: {text}");
        assert_eq!(
            layout.strides(),
            integers::<isize>(&case["out_strides"]),
            "line {number}: {text}"
        );
        assert_eq!(layout.offset() as u64, case["offset"], "line {number}: {text}");
        assert_eq!(trace.shares_storage(), case["shares_storage"], "line {number}: {text}");
        let order = trace.order(&text).unwrap();
        assert_eq!(order, integers::<usize>(&case["order"]), "line {number}: {text}");
    }
}

#[test]
fn indices_select_what_numpy_selects() {
    for (number, case) in lines(include_str!("data/numpy_index.jsonl")) {
        let shape: Vec<usize> = integers(&case["shape"]);
        let layout = match case["fortran"].as_bool().unwrap() {
            true => Layout::column_major(&shape).unwrap(),
            false => Layout::contiguous(&shape).unwrap(),
        };
        let text = format!("[{}]", case["index"].as_str().unwrap());
        let ops = parse_ops(&text).unwrap_or_else(|e| panic!("line {number}: {text}: {e}"));
        let storage_len = layout.numel();
        let mut trace =
            Trace::start(Origin { dtype: "f32".into(), elem_size: 4, layout, storage_len });
        trace.apply_all(&ops, &text).unwrap_or_else(|e| panic!("line {number}: {text}: {e}"));
        let (result, context) = (trace.layout(), format!("line {number}: {shape:?}{text}"));
        assert_eq!(result.shape(), integers::<usize>(&case["out_shape"]), "{context}");
        if let Some(offset) = case["offset"].as_u64() {
            assert_eq!(result.offset() as u64, offset, "{context}");
        }
        // NumPy's values are positions in C order; `memory` says which stands where.
        let memory: Vec<usize> = integers(&case["memory"]);
        let values: Vec<usize> =
            trace.order(&text).unwrap().into_iter().map(|element| memory[element]).collect();
        assert_eq!(values, integers::<usize>(&case["order"]), "{context}");
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
