//! The part of Python's literal syntax that `.npy` headers use: strings, whole numbers, `True`,
//! `False`, `None`, tuples, lists and dictionaries.
//!
//! Works on bytes, as names of fields may be Latin-1 or UTF-8: whatever is not ASCII stands
//! inside strings and is passed over. Escapes are not resolved either; a name is never looked at
//! and a type string has none.

use core::ops::Range;

/// How deep brackets may be nested; real dtypes stay in the single digits.
const MAX_DEPTH: usize = 64;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Position in the text, in bytes, parentheses around the value included.
    pub(super) span: Range<usize>,
    pub(super) value: Value<'a>,
}

#[derive(Debug)]
pub(super) enum Value<'a> {
    /// The bytes between the quotes.
    Str(&'a [u8]),
    Int(usize),
    Bool(bool),
    None,
    Tuple(Vec<Node<'a>>),
    List(Vec<Node<'a>>),
    Dict(Vec<(Node<'a>, Node<'a>)>),
}

/// A fault and its position in the text, in bytes.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// Reads the one literal that `text` consists of; white space may surround it.
pub(super) fn parse(text: &[u8]) -> Result<Node<'_>, Fault> {
    let mut parser = Parser { text, at: 0 };
    let node = parser.value(0)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(Fault::new(
            parser.at,
            format!("unexpected {} after the dictionary", parser.token()),
        )),
    }
}

/// A piece of the text for a message: printable, on one line and short.
pub(super) fn quote(piece: &[u8]) -> String {
    const SHOWN: usize = 40;
    let dots = if piece.len() > SHOWN { "..." } else { "" };
    let shown = piece[..piece.len().min(SHOWN)].iter().flat_map(|&byte| match byte {
        b'\'' | b'"' => vec![byte],
        _ => core::ascii::escape_default(byte).collect(),
    });
    format!("`{}{dots}`", shown.map(char::from).collect::<String>())
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')) {
            self.at += 1;
        }
    }

    /// Length of the run of bytes from `from` on that satisfy `test`.
    fn run(&self, from: usize, test: impl Fn(u8) -> bool) -> usize {
        self.text[from..].iter().take_while(|&&byte| test(byte)).count()
    }

    /// What stands here, for a message: a whole name or call such as `np.int64(3)`, or one byte.
    fn token(&self) -> String {
        let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
        let mut end = self.at + self.run(self.at, is_name);
        if end == self.at {
            return self.peek().map_or("end of the header".into(), |byte| quote(&[byte]));
        }
        if self.text.get(end) == Some(&b'(') {
            let inside = self.run(end, |b| b != b')');
            end = (end + inside + 1).min(self.text.len());
        }
        quote(&self.text[self.at..end])
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, Fault> {
        self.skip_space();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(Fault::new(start, format!("brackets nested deeper than {MAX_DEPTH}")));
        }
        let value = match self.peek() {
            Some(b'(') => return self.parenthesized(depth),
            Some(b'[') => {
                self.at += 1;
                Value::List(self.items(b']', depth)?.0)
            }
            Some(b'{') => {
                self.at += 1;
                self.dict(depth)?
            }
            Some(b'\'' | b'"') => self.string()?,
            // Python 2 marked text strings.
            Some(b'u') if matches!(self.text.get(self.at + 1), Some(b'\'' | b'"')) => {
                self.at += 1;
                self.string()?
            }
            Some(b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { span: start..self.at, value })
    }

    /// A tuple, or one value in parentheses, which Python takes for the value itself.
    fn parenthesized(&mut self, depth: usize) -> Result<Node<'a>, Fault> {
        let start = self.at;
        self.at += 1;
        let (mut items, ends_in_comma) = self.items(b')', depth)?;
        let value = match items.pop() {
            Some(only) if items.is_empty() && !ends_in_comma => only.value,
            last => {
                items.extend(last);
                Value::Tuple(items)
            }
        };
        Ok(Node { span: start..self.at, value })
    }

    /// Values up to `close`, and whether a comma followed the last one.
    fn items(&mut self, close: u8, depth: usize) -> Result<(Vec<Node<'a>>, bool), Fault> {
        let mut items = Vec::new();
        let mut comma = false;
        loop {
            self.skip_space();
            if self.eat(close) {
                return Ok((items, comma));
            }
            if !items.is_empty() && !comma {
                return Err(self.expected(&[b',', close]));
            }
            items.push(self.value(depth + 1)?);
            self.skip_space();
            comma = self.eat(b',');
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        let mut entries = Vec::new();
        let mut comma = true;
        loop {
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Value::Dict(entries));
            }
            if !comma {
                return Err(self.expected(b",}"));
            }
            let key = self.value(depth + 1)?;
            self.skip_space();
            if !self.eat(b':') {
                return Err(self.expected(b":"));
            }
            entries.push((key, self.value(depth + 1)?));
            self.skip_space();
            comma = self.eat(b',');
        }
    }

    fn expected(&self, choices: &[u8]) -> Fault {
        let choices: Vec<_> = choices.iter().map(|&choice| quote(&[choice])).collect();
        Fault::new(self.at, format!("expected {}, found {}", choices.join(" or "), self.token()))
    }

    fn string(&mut self) -> Result<Value<'a>, Fault> {
        let open = self.at;
        let quote = self.text[open];
        let mut at = open + 1;
        loop {
            match self.text.get(at) {
                Some(&byte) if byte == quote => {
                    self.at = at + 1;
                    return Ok(Value::Str(&self.text[open + 1..at]));
                }
                Some(b'\\') => at += 2,
                None | Some(b'\n') => return Err(Fault::new(open, "a string is never closed")),
                Some(_) => at += 1,
            }
        }
    }

    fn number(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.at;
        self.at += self.run(start, |b| b.is_ascii_digit());
        let digits = &self.text[start..self.at];
        self.eat(b'L'); // Python 2 wrote long integers so
        let rest = self.run(self.at, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
        if rest > 0 || (digits.len() > 1 && digits[0] == b'0') {
            let token = quote(&self.text[start..self.at + rest]);
            return Err(Fault::new(start, format!("{token} is not a whole decimal number")));
        }
        core::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse().ok())
            .map(Value::Int)
            .ok_or_else(|| {
                Fault::new(start, format!("{} does not fit {} bits", quote(digits), usize::BITS))
            })
    }

    fn word(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.at;
        let end = start + self.run(start, |b| b.is_ascii_alphanumeric() || b == b'_');
        let value = match &self.text[start..end] {
            b"True" => Value::Bool(true),
            b"False" => Value::Bool(false),
            b"None" => Value::None,
            b"" if self.peek() == Some(b'-') => {
                return Err(Fault::new(start, "a negative number; sizes are 0 or more"));
            }
            b"" if self.peek().is_none() => {
                return Err(Fault::new(start, "the header ends where a value was expected"));
            }
            _ => {
                let message = format!("{} is not a literal value", self.token());
                return Err(Fault::new(start, message));
            }
        };
        self.at = end;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let fault = parse(text.as_bytes()).expect_err(text);
        format!("{}: {}", fault.at, fault.message)
    }

    #[test]
    fn one_value_in_parentheses_is_no_tuple() {
        assert!(matches!(parse(b"(184)").unwrap().value, Value::Int(184)));
        assert_eq!(parse(b" ( 184 ) ").unwrap().span, 1..8);
        for text in ["()", "(184,)", "(1, 2)", "((1),)"] {
            assert!(matches!(parse(text.as_bytes()).unwrap().value, Value::Tuple(_)), "{text}");
        }
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        for (text, inner) in
            [("'a\"b'", "a\"b"), ("\"it's\"", "it's"), (r"'it\'s'", r"it\'s"), ("u'x'", "x")]
        {
            match parse(text.as_bytes()).unwrap().value {
                Value::Str(found) => assert_eq!(found, inner.as_bytes()),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn faults_name_the_token_and_its_place() {
        assert_eq!(fault("(np.int64(3),)"), "1: `np.int64(3)` is not a literal value");
        assert_eq!(fault("(1 2)"), "3: expected `,` or `)`, found `2`");
        assert_eq!(fault("{'a' 1}"), "5: expected `:`, found `1`");
        assert_eq!(fault("{'a': 1"), "7: expected `,` or `}`, found end of the header");
        assert_eq!(fault("(-3,)"), "1: a negative number; sizes are 0 or more");
        assert_eq!(fault("(3.0,)"), "1: `3.0` is not a whole decimal number");
        assert_eq!(fault("'abc"), "0: a string is never closed");
        assert_eq!(fault("[1] x"), "4: unexpected `x` after the dictionary");
        assert_eq!(fault(""), "0: the header ends where a value was expected");
        assert_eq!(fault("(,)"), "1: `,` is not a literal value");
        assert_eq!(
            fault("(99999999999999999999,)"),
            format!("1: `99999999999999999999` does not fit {} bits", usize::BITS)
        );
    }

    #[test]
    fn deep_nesting_is_refused_before_the_stack_is_gone() {
        assert_eq!(fault(&"(".repeat(100_000)), "65: brackets nested deeper than 64");
    }
}
