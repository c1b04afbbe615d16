//! Chains of operations against what PyTorch 2.10 answered.

mod truth;

use restride::layout::{IndexItem, Reshaped};
use restride::{Layout, LayoutError};
use truth::{Axes, lines};

/// One operation of a chain: its name (`[]` for an index) and its arguments as written.
fn operations(chain: &str) -> Vec<(&str, &str)> {
    let mut rest = chain;
    let mut found = Vec::new();
    while !rest.is_empty() {
        if let Some(index) = rest.strip_prefix('[') {
            let (inside, after) = index.split_once(']').unwrap();
            found.push(("[]", inside));
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap();
        let end = rest.find(['.', '[', '(']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (arguments, after) = match after.strip_prefix('(') {
            Some(call) => call.split_once(')').unwrap(),
            None => ("", after),
        };
        found.push((name, arguments));
        rest = after;
    }
    found
}

fn numbers(arguments: &str) -> Vec<isize> {
    arguments.split(',').filter(|a| !a.is_empty()).map(|a| a.trim().parse().unwrap()).collect()
}

fn item(text: &str) -> IndexItem {
    let number = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    match text.split(':').map(number).collect::<Vec<_>>()[..] {
        [Some(index)] => IndexItem::Int(index),
        [start, stop] => IndexItem::Slice { start, stop, step: None },
        [start, stop, step] => IndexItem::Slice { start, stop, step },
        _ => panic!("index {text}"),
    }
}

fn apply(layout: &Layout, name: &str, arguments: &str) -> Result<Reshaped, LayoutError> {
    if name == "[]" {
        let items: Vec<_> = arguments.split(',').map(item).collect();
        return layout.index(&items).map(Reshaped::View);
    }
    let n = numbers(arguments);
    match name {
        "T" => Ok(layout.t()),
        "permute" => layout.permute(&n),
        "transpose" => layout.transpose(n[0], n[1]),
        "squeeze" if n.is_empty() => Ok(layout.squeeze()),
        "squeeze" => layout.squeeze_dims(&n),
        "unsqueeze" => layout.unsqueeze(n[0]),
        "expand" => layout.expand(&n),
        "narrow" => layout.narrow(n[0], n[1], n[2]),
        "view" => layout.view(&n),
        "flatten" => return layout.flatten(n[0], n[1]),
        "reshape" => return layout.reshape(&n),
        "contiguous" => return Ok(layout.to_contiguous()),
        _ => panic!("operation {name}"),
    }
    .map(Reshaped::View)
}

#[test]
fn every_chain_agrees_with_pytorch() {
    let mut refused = 0;
    for line in lines("torch_chain.jsonl") {
        let mut layout = Layout::contiguous(&line["shape"].sizes()).unwrap();
        // Source element of each element of the present storage.
        let mut storage: Vec<usize> = layout.storage_order().collect();
        let (mut shares, mut error_in) = (true, None);
        for (name, arguments) in operations(line["chain"].as_str().unwrap()) {
            match apply(&layout, name, arguments) {
                Ok(Reshaped::View(view)) => layout = view,
                Ok(Reshaped::Copy(dense)) => {
                    storage = layout.storage_order().map(|element| storage[element]).collect();
                    layout = dense;
                    shares = false;
                }
                Err(_) => {
                    error_in = Some(if name == "[]" { "select" } else { name });
                    break;
                }
            }
        }
        assert_eq!(error_in, line.get("error_in").and_then(|e| e.as_str()), "{line}");
        if error_in.is_some() {
            refused += 1;
            continue;
        }
        assert_eq!(layout.shape(), line["out_shape"].sizes(), "{line}");
        assert_eq!(layout.strides(), line["out_strides"].signed(), "{line}");
        assert_eq!(shares, line["shares_storage"].as_bool().unwrap(), "{line}");
        let order: Vec<_> = layout.storage_order().map(|element| storage[element]).collect();
        assert_eq!(order, line["order"].sizes(), "{line}");
        assert!(layout.required_len() <= storage.len(), "{line}");
        assert_eq!(Some(layout.offset() as u64), line["offset"].as_u64(), "{line}");
    }
    assert!(refused > 50, "only {refused} refusals");
}
