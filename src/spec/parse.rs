//! Reads a whole spec: the source, then the chain of operations.

use core::ops::Range;
use std::path::PathBuf;

use super::consumer::{self, ConsumerAt};
use super::cursor::Cursor;
use super::op::Op;
use super::signature::{self, Call};
use super::value::{self, Spanned, Value};
use super::{DType, SpecError};
use crate::error::ErrorKind;
use crate::layout::IndexItem;

/// A parsed spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// What the operations start from.
    pub source: Source,
    /// Where the source stands in the text, as a byte range.
    pub source_at: Range<usize>,
    /// The operations, first to last.
    pub ops: Vec<OpAt>,
    /// What reads the view that the operations make, and then what came of it.
    pub consumers: Vec<ConsumerAt>,
}

/// What the operations of a spec start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A dense row-major tensor.
    Dense {
        /// Its element type.
        dtype: DType,
        /// Its sizes.
        shape: Vec<usize>,
    },
    /// A `.npy` file.
    File(PathBuf),
}

/// An operation and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpAt {
    /// The operation.
    pub op: Op,
    /// Its byte range in the text it was read from.
    pub at: Range<usize>,
    /// The byte range of each item of an index; empty for other operations.
    pub items_at: Vec<Range<usize>>,
}

impl Spec {
    /// Reads a spec.
    ///
    /// # Errors
    /// [`SpecError`] pointing at the first character that cannot be read.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let mut cursor = Cursor::new(text);
        let mut spec = view(&mut cursor)?;
        if consumer::ahead(&cursor).is_some() {
            spec.consumers = consumer::consumers(&mut cursor)?;
        } else if cursor.peek().is_some() {
            return Err(cursor.unexpected("an operation (`.` or `[`)"));
        }
        Ok(spec)
    }
}

/// Reads a spec that stands in parentheses, up to the closing one.
pub(super) fn argument(cursor: &mut Cursor<'_>) -> Result<Spec, SpecError> {
    let spec = view(cursor)?;
    if let Some(name) = consumer::ahead(cursor) {
        let message = format!("an argument is a view: `.{name}` cannot stand in one");
        return Err(SpecError::new(ErrorKind::Unsupported, message, cursor.here()));
    }
    Ok(spec)
}

/// Reads a source and the view operations after it.
fn view(cursor: &mut Cursor<'_>) -> Result<Spec, SpecError> {
    cursor.peek();
    let start = cursor.pos();
    let source = source(cursor)?;
    let source_at = cursor.since(start);
    Ok(Spec { source, source_at, ops: chain(cursor)?, consumers: Vec::new() })
}

/// Reads a chain of operations without a source, such as `.T[1:]`; it may be empty.
///
/// # Errors
/// [`SpecError`] pointing at the first character that cannot be read.
pub fn parse_ops(text: &str) -> Result<Vec<OpAt>, SpecError> {
    let mut cursor = Cursor::new(text);
    let ops = chain(&mut cursor)?;
    if let Some(name) = consumer::ahead(&cursor) {
        let message = format!("`.{name}` makes no view: only view operations can stand here");
        return Err(SpecError::new(ErrorKind::Unsupported, message, cursor.here()));
    }
    match cursor.peek() {
        None => Ok(ops),
        Some(_) => Err(cursor.unexpected("an operation (`.` or `[`)")),
    }
}

fn source(cursor: &mut Cursor<'_>) -> Result<Source, SpecError> {
    if let Some((path, at)) = cursor.string()? {
        if path.is_empty() {
            return Err(SpecError::syntax("the path is empty", at.start - 1..at.end + 1));
        }
        return Ok(Source::File(path.into()));
    }
    let rest = cursor.rest();
    let name_len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let (name, after) = rest.split_at(name_len);
    let is_dense = after.trim_start_matches(|c: char| c.is_ascii_whitespace()).starts_with('[');
    if is_dense && let Some(dtype) = DType::from_name(name) {
        cursor.advance(name_len);
        return Ok(Source::Dense { dtype, shape: dense_shape(cursor)? });
    }
    if let Some(len) = bare_path(rest) {
        cursor.advance(len);
        return Ok(Source::File(rest[..len].into()));
    }
    let at = cursor.pos()..cursor.pos() + name_len;
    if DType::from_name(name).is_some() {
        cursor.advance(name_len);
        return Err(cursor.unexpected("`[` and the sizes"));
    }
    let bytes = name.strip_prefix("u8x").filter(|n| !n.is_empty() && !n.starts_with('0'));
    if is_dense && bytes.is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) {
        let message = format!("elements of `{name}` exceed isize::MAX bytes");
        return Err(SpecError::new(ErrorKind::Overflow, message, at));
    }
    if is_dense && name_len > 0 {
        let message = format!("no element type `{name}`; there are {}", DType::names());
        return Err(SpecError::syntax(message, at));
    }
    Err(cursor.unexpected("a source such as f32[3,4], or the path of a .npy file"))
}

/// Length of the path at the start of `rest`: up to the first `.npy` that is followed by an
/// operation, a space, the end, or the parenthesis that closes an argument.
fn bare_path(rest: &str) -> Option<usize> {
    let extension = ".npy";
    rest.match_indices(extension).map(|(at, _)| at + extension.len()).find(|&end| {
        let next = rest[end..].chars().next();
        next.is_none_or(|c| matches!(c, '.' | '[' | ')') || c.is_ascii_whitespace())
    })
}

fn dense_shape(cursor: &mut Cursor<'_>) -> Result<Vec<usize>, SpecError> {
    cursor.eat("[");
    let mut shape = Vec::new();
    while !cursor.eat("]") {
        let Some((size, at)) = cursor.integer()? else {
            return Err(cursor.unexpected("a size or `]`"));
        };
        let size = usize::try_from(size).map_err(|_| {
            SpecError::new(ErrorKind::BadDim, format!("a size cannot be {size}"), at)
        })?;
        shape.push(size);
        if !cursor.eat(",") && cursor.peek() != Some(']') {
            return Err(cursor.unexpected("`,` or `]`"));
        }
    }
    Ok(shape)
}

/// Reads view operations up to a consumer, or to what is no operation.
fn chain(cursor: &mut Cursor<'_>) -> Result<Vec<OpAt>, SpecError> {
    let mut ops = Vec::new();
    while let Some(next @ ('.' | '[')) = cursor.peek() {
        if consumer::ahead(cursor).is_some() {
            break;
        }
        let start = cursor.pos();
        let mut items_at = Vec::new();
        let op = match next {
            '.' => {
                cursor.eat(".");
                method(cursor, start)?
            }
            _ => {
                cursor.eat("[");
                Op::Index(index(cursor, &mut items_at)?)
            }
        };
        ops.push(OpAt { op, at: cursor.since(start), items_at });
    }
    Ok(ops)
}

fn method(cursor: &mut Cursor<'_>, start: usize) -> Result<Op, SpecError> {
    let Some((name, name_at)) = cursor.identifier() else {
        return Err(cursor.unexpected("the name of an operation"));
    };
    let arguments = cursor.eat("(").then(|| value::arguments(cursor)).transpose()?;
    signature::bind(&Call { name, name_at, at: cursor.since(start), arguments })
}

/// Reads the items of `[…]` up to the `]`, and where each stands; the `[` has been read.
fn index(
    cursor: &mut Cursor<'_>,
    items_at: &mut Vec<Range<usize>>,
) -> Result<Vec<IndexItem>, SpecError> {
    let mut items = Vec::new();
    if cursor.peek() == Some(']') {
        return Err(cursor.unexpected("an index"));
    }
    if let Some(tuple) = tuple(cursor)? {
        for item in tuple {
            items_at.push(item.at.clone());
            items.push(value_as_item(item)?);
        }
        return Ok(items);
    }
    while !cursor.eat("]") {
        cursor.peek();
        let start = cursor.pos();
        items.push(index_item(cursor)?);
        items_at.push(cursor.since(start));
        if !cursor.eat(",") && cursor.peek() != Some(']') {
            return Err(cursor.unexpected("`,`, `:` or `]`"));
        }
    }
    Ok(items)
}

/// Reads `(…)]` where a tuple is the whole index, which Python takes for its items.
fn tuple(cursor: &mut Cursor<'_>) -> Result<Option<Vec<Spanned>>, SpecError> {
    let mut ahead = cursor.clone();
    if ahead.peek() != Some('(') {
        return Ok(None);
    }
    let start = ahead.pos();
    let Spanned { value: Value::Seq(items), at } = value::value(&mut ahead, 0)? else {
        return Ok(None);
    };
    // A list in brackets, which starts after them, is no tuple.
    let whole = at.start == start && ahead.eat("]");
    if whole {
        *cursor = ahead;
    }
    Ok(whole.then_some(items))
}

fn index_item(cursor: &mut Cursor<'_>) -> Result<IndexItem, SpecError> {
    if cursor.eat("...") {
        return Ok(IndexItem::Ellipsis);
    }
    let first = match cursor.peek() {
        Some(':') => None,
        _ => Some(value::value(cursor, 0)?),
    };
    if cursor.eat(":") {
        let start = first.map_or(Ok(None), bound)?;
        let stop = optional_bound(cursor)?;
        let step = if cursor.eat(":") { optional_bound(cursor)? } else { None };
        return Ok(IndexItem::Slice { start, stop, step });
    }
    match first {
        Some(item) => value_as_item(item),
        None => Err(cursor.unexpected("an index")),
    }
}

fn value_as_item(item: Spanned) -> Result<IndexItem, SpecError> {
    match &item.value {
        Value::Int(index) => Ok(IndexItem::Int(*index)),
        Value::Name(name) => match name.as_str() {
            "None" | "newaxis" | "np.newaxis" | "numpy.newaxis" => Ok(IndexItem::NewAxis),
            "Ellipsis" => Ok(IndexItem::Ellipsis),
            "True" | "False" => Err(gathers("a boolean", item.at)),
            _ => Err(SpecError::syntax(format!("`{name}` is not an index"), item.at)),
        },
        Value::Seq(_) => Err(gathers("a tuple or list", item.at)),
        Value::Str(..) => Err(SpecError::syntax("a string is not an index", item.at)),
    }
}

/// The part of a slice before the next `:`, `,` or `]`.
fn optional_bound(cursor: &mut Cursor<'_>) -> Result<Option<isize>, SpecError> {
    match cursor.peek() {
        Some(':' | ',' | ']') => Ok(None),
        _ => bound(value::value(cursor, 0)?),
    }
}

fn bound(given: Spanned) -> Result<Option<isize>, SpecError> {
    match given.value {
        Value::Int(value) => Ok(Some(value)),
        Value::Name(name) if name == "None" => Ok(None),
        _ => Err(SpecError::syntax("the parts of a slice must be integers", given.at)),
    }
}

fn gathers(what: &str, at: Range<usize>) -> SpecError {
    let message = format!("indexing with {what} gathers elements: it is no view of the source");
    SpecError::new(ErrorKind::Unsupported, message, at)
}
