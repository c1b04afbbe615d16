//! Overlap of one and of two layouts against brute force.

mod truth;

use restride::layout::overlap::{Overlap, self_overlap, share_element};
use truth::{layout, lines};

#[test]
fn every_overlap_agrees_with_brute_force() {
    let answer = |yes: &serde_json::Value| match yes.as_bool().unwrap() {
        true => Overlap::Yes,
        false => Overlap::No,
    };
    for line in lines("overlap.jsonl") {
        let (a, b) = (layout(&line["a"]), layout(&line["b"]));
        assert_eq!(share_element(&a, &b), answer(&line["shares"]), "{line}");
        assert_eq!(share_element(&b, &a), answer(&line["shares"]), "{line}");
        assert_eq!(self_overlap(&a), answer(&line["a_self_overlap"]), "{line}");
        assert_eq!(self_overlap(&b), answer(&line["b_self_overlap"]), "{line}");
    }
}
