//! The size of an item, from the dtype description of a header.
//!
//! A description is a type string (`'<f4'`), a list of fields (`[('a', '<i2'), ('b', '<f8')]`), or
//! a sub-array (`('<f4', (2, 3))`); fields nest.

use super::literal::{Fault, Node, Value, quote};

/// Bytes of one item.
pub(super) fn item_size(descr: &Node) -> Result<usize, Fault> {
    let size = size_of(descr)?;
    if size == 0 {
        let message = "the dtype has items of 0 bytes; there is nothing to move";
        return Err(Fault::new(descr.span.start, message));
    }
    Ok(size)
}

fn size_of(descr: &Node) -> Result<usize, Fault> {
    let at = descr.span.start;
    match &descr.value {
        Value::Str(text) => type_string(text, at),
        Value::List(fields) => fields.iter().try_fold(0usize, |sum, field| {
            sum.checked_add(field_size(field)?).ok_or_else(|| too_large(at))
        }),
        Value::Tuple(pair) => match &pair[..] {
            [base, shape] => sub_array(size_of(base)?, shape),
            _ => Err(Fault::new(at, "a sub-array dtype is a pair (dtype, shape)")),
        },
        _ => Err(Fault::new(at, "a dtype is a type string or a list of fields")),
    }
}

/// A field is `(name, dtype)` or `(name, dtype, shape)`; a name may be a pair of title and name.
fn field_size(field: &Node) -> Result<usize, Fault> {
    let at = field.span.start;
    let Value::Tuple(parts) = &field.value else {
        return Err(Fault::new(at, "a field is a tuple (name, dtype) or (name, dtype, shape)"));
    };
    match &parts[..] {
        [_, descr] => size_of(descr),
        [_, descr, shape] => sub_array(size_of(descr)?, shape),
        _ => Err(Fault::new(at, "a field has a name, a dtype and perhaps a shape")),
    }
}

fn sub_array(base: usize, shape: &Node) -> Result<usize, Fault> {
    let at = shape.span.start;
    let times = |size: usize, axis: &Node| match axis.value {
        Value::Int(axis) => size.checked_mul(axis).ok_or_else(|| too_large(at)),
        _ => Err(Fault::new(axis.span.start, "a sub-array's size is not a whole number")),
    };
    match &shape.value {
        Value::Tuple(axes) => axes.iter().try_fold(base, times),
        _ => times(base, shape),
    }
}

fn too_large(at: usize) -> Fault {
    Fault::new(at, "the size of an item overflows")
}

/// A type string: a byte order (`<`, `>`, `=`, `|`, or none), a kind, a size, and for times a
/// unit in brackets. The size counts bytes, for text characters of 4 bytes.
fn type_string(text: &[u8], at: usize) -> Result<usize, Fault> {
    let unknown = || {
        let message = format!(
            "type string {} is not of the form <order><kind><bytes>, such as '<f4'",
            quote(text)
        );
        Fault::new(at, message)
    };
    let bare = match text {
        [b'<' | b'>' | b'=' | b'|', bare @ ..] => bare,
        bare => bare,
    };
    let (&kind, rest) = bare.split_first().ok_or_else(unknown)?;
    if kind == b'O' {
        let message = "the dtype holds Python objects ('O'), which are pickled, not stored as fixed-size items";
        return Err(Fault::new(at, message));
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, unit) = rest.split_at(digits);
    let unit_fits = match kind {
        b'm' | b'M' => unit.is_empty() || (unit[0] == b'[' && unit.ends_with(b"]")),
        _ => unit.is_empty(),
    };
    if !kind.is_ascii_alphabetic() || !unit_fits || digits.is_empty() {
        return Err(unknown());
    }
    let size: usize = core::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| too_large(at))?;
    let unit = if kind == b'U' { 4 } else { 1 };
    size.checked_mul(unit).ok_or_else(|| too_large(at))
}

#[cfg(test)]
mod tests {
    use super::super::literal::parse;
    use super::*;

    fn size(text: &str) -> Result<usize, String> {
        parse(text.as_bytes()).and_then(|node| item_size(&node)).map_err(|fault| fault.message)
    }

    #[test]
    fn sizes_of_real_dtypes() {
        for (descr, bytes) in [
            ("'<f4'", 4),
            ("'>f4'", 4),
            ("'|u1'", 1),
            ("'=i8'", 8),
            ("'f8'", 8),
            ("'|b1'", 1),
            ("'<c16'", 16),
            ("'<f2'", 2),
            ("'|S5'", 5),
            ("'>U3'", 12),
            ("'|V7'", 7),
            ("'<M8[ns]'", 8),
            ("'<m8[25s]'", 8),
            ("[('a', '<i2'), ('b', '<f8')]", 10),
            ("[('a', '<f4', (2, 3)), ('', '|V4'), (('title', 'b'), '>u2')]", 30),
            ("[('a', [('x', '<f4'), ('y', '<f4')], (2,)), ('b', '|u1', 3)]", 19),
            ("[('empty', '|S0'), ('a', '|u1')]", 1),
            ("[('a', '<f8', (3L,))]", 24),
            ("('<f4', (2,))", 8),
        ] {
            assert_eq!(size(descr), Ok(bytes), "{descr}");
        }
    }

    #[test]
    fn what_has_no_size_is_refused() {
        for (descr, message) in [
            ("'|O'", "Python objects"),
            ("[('a', '<f4'), ('b', '|O')]", "Python objects"),
            ("'|O8'", "Python objects"),
            ("'|V0'", "items of 0 bytes"),
            ("'<U0'", "items of 0 bytes"),
            ("[]", "items of 0 bytes"),
            ("'float64'", "type string `float64`"),
            ("''", "type string ``"),
            ("'<'", "type string `<`"),
            ("'<f'", "type string `<f`"),
            ("'<f4[ns]'", "type string `<f4[ns]`"),
            ("'<M8[ns'", "type string `<M8[ns`"),
            ("'<f99999999999999999999'", "overflows"),
            ("'<U9223372036854775807'", "overflows"),
            (
                "[('a', '|V9223372036854775807'), ('b', '|V9223372036854775807'), ('c', '|V2')]",
                "overflows",
            ),
            ("[('a', '<f4', (9223372036854775807, 9223372036854775807))]", "overflows"),
            ("[('a', '<f4', ('2',))]", "whole number"),
            ("[('a',)]", "a name, a dtype"),
            ("['<f4']", "a field is a tuple"),
            ("3", "a type string or a list"),
            ("('<f4', (2,), 3)", "a pair"),
        ] {
            let refused = size(descr).expect_err(descr);
            assert!(refused.contains(message), "{descr}: {refused}");
        }
    }
}
