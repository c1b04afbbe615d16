//! Any text as a spec: reading it never panics, an error points into the text, what was read stands
//! where it says, and the operations carried out never show an element that is not there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use restride::spec::{Origin, Source, Spec, SpecError, Trace, parse_ops};

/// Elements up to which every one is looked at.
const FEW: usize = 4096;

fuzz_target!(|text: &str| {
    match Spec::parse(text) {
        Ok(spec) => {
            check_places(&spec, text);
            carry_out(&spec, text);
        }
        Err(error) => check_error(&error, text),
    }
    if let Err(error) = parse_ops(text) {
        check_error(&error, text);
    }
});

fn check_error(error: &SpecError, text: &str) {
    assert!(text.get(error.at.clone()).is_some(), "{error:?} points outside {text:?}");
    assert!(error.char_index(text) <= text.chars().count());
    assert!(!error.message.is_empty());
}

/// The parts of the text that a spec names mean, on their own, what they mean in it.
fn check_places(spec: &Spec, text: &str) {
    let source = Spec::parse(&text[spec.source_at.clone()]).expect("the source alone");
    assert_eq!(source.source, spec.source);
    for op in &spec.ops {
        let alone = parse_ops(&text[op.at.clone()]).expect("the operation alone");
        assert_eq!(alone.len(), 1);
        assert_eq!(alone[0].op, op.op);
    }
}

fn carry_out(spec: &Spec, text: &str) {
    let Source::Dense { dtype, shape } = &spec.source else { return };
    let Ok(origin) = Origin::dense(*dtype, shape) else { return };
    let elements = origin.storage_len;
    let mut trace = Trace::start(origin);
    if let Err(error) = trace.apply_all(&spec.ops, text) {
        check_error(&error, text);
    }
    assert!(trace.steps().len() <= spec.ops.len());
    let steps = trace.steps();
    let sizes = steps.iter().filter_map(|step| step.copy.as_ref()).map(|copy| copy.to.numel());
    if sizes.chain([trace.layout().numel()]).all(|numel| numel <= FEW) {
        let order = trace.order(text).expect("few elements");
        assert_eq!(order.len(), trace.layout().numel());
        assert!(order.iter().all(|&element| element < elements));
    }
}
