//! The text form when it is wrong: where errors point, and that any text gets an answer.

#[path = "support/spec.rs"]
mod spec;

use proptest::prelude::*;
use restride::error::ErrorKind;
use restride::spec::{Origin, Source, Spec, Trace, parse_ops};

use spec::run;

#[test]
fn errors_point_at_the_fault() {
    use ErrorKind::*;
    for (text, kind, at) in [
        ("", BadSpec, 0),
        ("   ", BadSpec, 3),
        ("f33[2]", BadSpec, 0),
        ("f32", BadSpec, 3),
        ("f32[2", BadSpec, 5),
        ("f32[2,,3]", BadSpec, 6),
        ("f32[x]", BadSpec, 4),
        ("f32[01]", BadSpec, 4),
        ("f32[1__0]", BadSpec, 4),
        ("f32[-1]", BadDim, 4),
        ("f32[3,4]x", BadSpec, 8),
        ("f32[3,4].", BadSpec, 9),
        ("f32[3,4].sqeeze(1)", BadSpec, 9),
        ("f32[3,4].T()", BadSpec, 8),
        ("f32[3,4].squeeze", BadSpec, 8),
        ("f32[3,4].view(3,", BadSpec, 16),
        ("f32[3,4].view(a)", Unsupported, 14),
        ("f32[3,4].view(torch.int32)", Unsupported, 14),
        ("f32[3,4].view(1,'a')", BadSpec, 16),
        ("f32[3,4].narrow(0,1)", BadSpec, 8),
        ("f32[3,4].narrow(0,1,1,1)", BadSpec, 22),
        ("f32[3,4].narrow(0,1,length=1,start=1)", BadSpec, 35),
        ("f32[3,4].narrow(0,1,len=1)", BadSpec, 20),
        ("f32[3,4].narrow(dim=0,1,1)", BadSpec, 22),
        ("f32[3,4].unflatten(0,3)", BadSpec, 21),
        ("f32[3,4].contiguous(memory_format=channels_first)", BadSpec, 34),
        ("f32[3,4].contiguous(memory_format=preserve_format)", Unsupported, 8),
        ("f32[3,4].contiguous(memory_format=channels_last)", Unsupported, 8),
        ("f32[3,4][]", BadSpec, 9),
        ("f32[3,4][,]", BadSpec, 9),
        ("f32[3,4][0:1:2:3]", BadSpec, 14),
        ("f32[3,4][[0,1]]", Unsupported, 9),
        ("f32[3,4][True]", Unsupported, 9),
        ("f32[3,4][0.5]", BadSpec, 10),
        ("f32[3,4][::0]", BadIndex, 9),
        ("f32[3,4][3]", BadIndex, 9),
        ("f32[3,4][None, 1:, ..., 4]", BadIndex, 24),
        ("f32[3,4][..., 2, 4]", BadIndex, 17),
        ("f32[3,4][..., 2, ...]", BadIndex, 8),
        ("f32[3,4][0,0,0]", BadIndex, 8),
        ("f32[3,4].T.view(-1)", NotViewable, 10),
        ("f32[3,4].view(5)", SizeMismatch, 8),
        ("f32[3,4].view(-1,-1)", TwoInferred, 8),
        ("f32[0].view(0,-1)", Ambiguous, 6),
        ("f32[3,4].view(-2)", BadDim, 8),
        ("f32[3,4].transpose(0,2)", BadAxis, 8),
        ("f32[9].as_strided((9,),(2,),0)", BadIndex, 6),
        ("f32[99999999999999999999]", Overflow, 4),
        ("f32[9223372036854775807]", Overflow, 0),
        ("f32[3].view(2,13,419,691,823,2977518503)", Overflow, 6),
        ("f64[1,1].as_strided((1,4611686018427387904),(0,0),0).contiguous()", Overflow, 52),
        ("f32[3,4].rearrange('a b -> b')", BadSpec, 20),
        ("f32[3,4].rearrange('a b -> b a c')", BadSpec, 31),
        ("f32[3,4].rearrange('a a -> a')", BadSpec, 22),
        ("f32[3,4].rearrange('a 2 -> a')", BadSpec, 22),
        ("f32[3,4].rearrange('a b c -> a b c')", BadAxis, 8),
        ("f32[3,4].rearrange('a (b c) -> a b c')", TwoInferred, 8),
        ("f32[3,4].rearrange('a (b c) -> a b c', b=3)", SizeMismatch, 8),
        ("f32[3,4].rearrange('a b -> b a', c=3)", BadSpec, 33),
        ("f32[3,4].rearrange('a b -> b a", BadSpec, 19),
        ("f32[3,4].rearrange(3)", BadSpec, 19),
        ("\"ü\".T.q", BadSpec, 6),
    ] {
        let error = match Spec::parse(text) {
            Ok(Spec { source: Source::File(_), .. }) => panic!("{text}: parsed"),
            Err(error) => error,
            Ok(_) => run(text).expect_err(text),
        };
        assert_eq!((error.kind, error.char_index(text)), (kind, at), "{text}: {error}");
        assert!(text.get(error.at.clone()).is_some(), "{text}: {:?}", error.at);
    }
}

#[test]
fn hostile_specs_are_errors() {
    let deep = format!("f32[2].permute({}", "(".repeat(1 << 20));
    assert_eq!(Spec::parse(&deep).unwrap_err().kind, ErrorKind::BadSpec);
    let deep = format!("f32[2][{}", "[".repeat(1 << 20));
    assert_eq!(Spec::parse(&deep).unwrap_err().kind, ErrorKind::BadSpec);
    let long = format!("f32[{}]", "1,".repeat(65));
    assert!(run(&long).is_err());
    let new_axes = format!("f32[2][{}]", "None,".repeat(64));
    assert!(run(&new_axes).is_err());
    let names: Vec<String> = (0..100).map(|i| format!("a{i}")).collect();
    let names = names.join(" ");
    let split = format!("f32[1].rearrange('({names}) -> {names}')");
    assert!(run(&split).is_err());
}

const PIECES: &[&str] = &[
    "f32[3,4]",
    "f32[",
    "]",
    "[",
    "(",
    ")",
    ",",
    ":",
    "::",
    "...",
    "None",
    "-1",
    "0",
    "1",
    "2",
    "-",
    "+",
    ".T",
    ".mT",
    ".permute",
    ".transpose",
    ".view",
    ".reshape",
    ".expand",
    ".flip",
    ".squeeze()",
    ".narrow",
    ".unfold",
    ".as_strided",
    ".diagonal()",
    ".flatten()",
    ".unflatten",
    ".contiguous()",
    ".clone()",
    ".rearrange",
    "'a b -> (a b)'",
    "'",
    "\"",
    "->",
    "=",
    "dim",
    "size",
    "h=2",
    " ",
    "\n",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
    "é",
    "\\",
    ".npy",
    "(0,1)",
    "[1::2]",
    "(-1)",
    "(2,6)",
    "u8x3[0]",
    "_",
    "0_1",
    "\u{0}",
];

/// Whatever the text, there is an answer, and errors point into it.
fn answers(text: &str) {
    let error = match Spec::parse(text) {
        Ok(Spec { source: Source::Dense { .. }, .. }) => match run(text) {
            Ok(trace) => {
                if trace.layout().numel() < 1 << 12 {
                    assert_eq!(trace.order(text).unwrap().len(), trace.layout().numel());
                }
                return;
            }
            Err(error) => error,
        },
        Ok(_) => return,
        Err(error) => error,
    };
    assert!(text.get(error.at.clone()).is_some(), "{text:?}: {error:?}");
    assert!(!error.message.is_empty());
    let _ = parse_ops(text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,60}") {
        answers(&text);
    }

    #[test]
    fn any_mix_of_tokens_gets_an_answer(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14)
    ) {
        answers(&pieces.concat());
        answers(&format!("f32[3,4]{}", pieces.concat()));
    }

    #[test]
    fn mutated_specs_get_an_answer(
        line in 0..1200usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(PIECES)), 1..4),
    ) {
        let data = include_str!("data/torch_chain.jsonl");
        let case: serde_json::Value = serde_json::from_str(data.lines().nth(line).unwrap()).unwrap();
        let mut text = format!("f32{}{}", case["shape"], case["chain"].as_str().unwrap());
        for (place, piece) in edits {
            let at = place.index(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                text.replace_range(at..at + 1, piece);
            }
            answers(&text);
        }
    }
}

#[test]
fn faults_are_counted_in_words() {
    for (text, kind, message) in [
        ("u8x99999999999999999999[3]", ErrorKind::Overflow, "exceed isize::MAX bytes"),
        ("f32[3].unsqueeze(2)", ErrorKind::BadAxis, "no new axis fits at 2: the layout has 1 axis"),
        ("f32[3].mT", ErrorKind::BadAxis, "at least 2 axes are needed, but the layout has 1"),
        ("f32[][0]", ErrorKind::BadIndex, "1 index for 0 axes"),
        ("f32[3].select(1, 0)", ErrorKind::BadAxis, "axis 1 does not exist: there is 1 axis"),
    ] {
        let fault = Spec::parse(text).and_then(|spec| {
            let Source::Dense { dtype, shape } = &spec.source else { unreachable!() };
            let mut trace = Trace::start(Origin::dense(*dtype, shape).unwrap());
            trace.apply_all(&spec.ops, text)
        });
        let fault = fault.unwrap_err();
        assert_eq!(fault.kind, kind, "{text}");
        assert!(fault.message.ends_with(message), "{text}: {}", fault.message);
    }
}
