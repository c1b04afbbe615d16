//! What a spec may end in: operations that read a view and make new values of it.

use core::ops::Range;

use super::cursor::Cursor;
use super::parse::{self, Spec};
use super::signature::{self, Call};
use super::{SpecError, value};
use crate::error::ErrorKind;

/// The names of consumers.
pub(super) const NAMES: [&str; 3] = ["sum", "add", "matmul"];

/// An operation that reads a view and gives new dense values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Consumer {
    /// `.sum()`: the sum of all elements; `.sum(dim)`: the sums along one axis.
    Sum(Option<isize>),
    /// `.add(SPEC)`: element by element, broadcast.
    Add(Box<Spec>),
    /// `.matmul(SPEC)`: the matrix product.
    Matmul(Box<Spec>),
}

impl Consumer {
    /// The second operand, a spec without consumers of its own.
    pub fn argument(&self) -> Option<&Spec> {
        match self {
            Self::Sum(_) => None,
            Self::Add(argument) | Self::Matmul(argument) => Some(argument),
        }
    }
}

/// A consumer and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerAt {
    /// The consumer.
    pub consumer: Consumer,
    /// Its byte range in the text it was read from.
    pub at: Range<usize>,
}

/// The name of the consumer that comes next, if one does.
pub(super) fn ahead(cursor: &Cursor<'_>) -> Option<&'static str> {
    let mut ahead = cursor.clone();
    let name = ahead.eat(".").then(|| ahead.identifier())??.0;
    NAMES.into_iter().find(|known| *known == name)
}

/// Reads consumers up to the end of the text. Nothing but another consumer may follow one.
pub(super) fn consumers(cursor: &mut Cursor<'_>) -> Result<Vec<ConsumerAt>, SpecError> {
    let mut consumers: Vec<ConsumerAt> = Vec::new();
    while cursor.peek().is_some() {
        if ahead(cursor).is_none() {
            let message = "a view operation cannot follow a consumer (.sum, .add, .matmul): \
                           consumers come last";
            return Err(match cursor.peek() {
                Some('.' | '[') => SpecError::new(ErrorKind::Unsupported, message, cursor.here()),
                _ => cursor.unexpected("another consumer or the end"),
            });
        }
        let start = cursor.pos();
        let consumer = consumer(cursor, start)?;
        consumers.push(ConsumerAt { consumer, at: cursor.since(start) });
    }
    Ok(consumers)
}

fn consumer(cursor: &mut Cursor<'_>, start: usize) -> Result<Consumer, SpecError> {
    cursor.eat(".");
    let Some((name, name_at)) = cursor.identifier() else {
        return Err(cursor.unexpected("the name of a consumer"));
    };
    if !cursor.eat("(") {
        let message = format!("`.{name}` is a method: write `.{name}(…)`");
        return Err(SpecError::syntax(message, cursor.since(start)));
    }
    if name == "sum" {
        let arguments = Some(value::arguments(cursor)?);
        let call = Call { name, name_at, at: cursor.since(start), arguments };
        return signature::optional_dim(&call).map(Consumer::Sum);
    }
    let argument = Box::new(parse::argument(cursor)?);
    if !cursor.eat(")") {
        return Err(cursor.unexpected("an operation (`.` or `[`) or `)`"));
    }
    Ok(if name == "add" { Consumer::Add(argument) } else { Consumer::Matmul(argument) })
}
