//! Arguments of a call as Python writes them, before anybody knows what they mean.

use core::ops::Range;

use super::SpecError;
use super::cursor::Cursor;

/// Brackets may nest this deep; no operation needs more than two.
const MAX_DEPTH: usize = 16;

/// One argument value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Int(isize),
    /// A name, with its module if it has one: `torch.channels_last`.
    Name(String),
    /// A string and the place of its inside.
    Str(String, Range<usize>),
    /// A tuple or a list.
    Seq(Vec<Spanned>),
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spanned {
    pub value: Value,
    pub at: Range<usize>,
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Argument {
    /// The keyword it was given by, and where that stands.
    pub keyword: Option<(String, Range<usize>)>,
    pub value: Spanned,
}

/// Reads the arguments of a call up to its `)`; the `(` has been read.
pub(super) fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<Argument>, SpecError> {
    let mut arguments: Vec<Argument> = Vec::new();
    while !cursor.eat(")") {
        let argument = argument(cursor)?;
        let named_before = arguments.last().is_some_and(|last| last.keyword.is_some());
        if named_before && argument.keyword.is_none() {
            let message = "an argument without a keyword cannot follow one with a keyword";
            return Err(SpecError::syntax(message, argument.value.at));
        }
        arguments.push(argument);
        if !cursor.eat(",") && cursor.peek() != Some(')') {
            return Err(cursor.unexpected("`,` or `)`"));
        }
    }
    Ok(arguments)
}

fn argument(cursor: &mut Cursor<'_>) -> Result<Argument, SpecError> {
    let value = value(cursor, 0)?;
    if cursor.peek() != Some('=') {
        return Ok(Argument { keyword: None, value });
    }
    let Value::Name(keyword) = value.value else {
        return Err(cursor.unexpected("`,` or `)`"));
    };
    cursor.eat("=");
    Ok(Argument { keyword: Some((keyword, value.at)), value: self::value(cursor, 0)? })
}

/// Reads one value.
pub(super) fn value(cursor: &mut Cursor<'_>, depth: usize) -> Result<Spanned, SpecError> {
    if let Some((value, at)) = cursor.integer()? {
        return Ok(Spanned { value: Value::Int(value), at });
    }
    cursor.peek();
    let start = cursor.pos();
    if let Some((text, inner)) = cursor.string()? {
        return Ok(Spanned { value: Value::Str(text.to_owned(), inner), at: start..cursor.pos() });
    }
    if let Some((name, mut at)) = cursor.identifier() {
        let mut dotted = name.to_owned();
        while cursor.eat(".") {
            let Some((part, part_at)) = cursor.identifier() else {
                return Err(cursor.unexpected("a name after the dot"));
            };
            dotted = format!("{dotted}.{part}");
            at.end = part_at.end;
        }
        return Ok(Spanned { value: Value::Name(dotted), at });
    }
    if depth == MAX_DEPTH && matches!(cursor.peek(), Some('(' | '[')) {
        return Err(SpecError::syntax("brackets nest too deep", cursor.here()));
    }
    if cursor.eat("(") {
        let (mut items, comma) = sequence(cursor, ")", depth)?;
        // Python: `(3)` is the number 3, `(3,)` a tuple.
        return Ok(match (items.len(), comma) {
            (1, false) => items.remove(0),
            _ => Spanned { value: Value::Seq(items), at: start..cursor.pos() },
        });
    }
    if cursor.eat("[") {
        let (items, _) = sequence(cursor, "]", depth)?;
        return Ok(Spanned { value: Value::Seq(items), at: start..cursor.pos() });
    }
    Err(cursor.unexpected("an argument"))
}

/// Reads values up to the closing bracket; also says whether a comma was seen.
fn sequence(
    cursor: &mut Cursor<'_>,
    close: &str,
    depth: usize,
) -> Result<(Vec<Spanned>, bool), SpecError> {
    let mut items = Vec::new();
    let mut comma = false;
    while !cursor.eat(close) {
        items.push(value(cursor, depth + 1)?);
        if cursor.eat(",") {
            comma = true;
        } else if !cursor.rest().starts_with(close) {
            return Err(cursor.unexpected(&format!("`,` or `{close}`")));
        }
    }
    Ok((items, comma))
}
