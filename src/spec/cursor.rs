//! Reads the tokens of a spec one after the other, and knows where each stands.

use core::ops::Range;

use super::SpecError;
use crate::error::ErrorKind;

/// A position in a spec. Spaces before a token are skipped by whoever reads it.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, pos: 0 }
    }

    /// Byte position of the next unread byte.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// What was read from `start` on, without the spaces after it.
    pub fn since(&self, start: usize) -> Range<usize> {
        start..start + self.text[start..self.pos].trim_ascii_end().len()
    }

    /// Everything not yet read, spaces included.
    pub fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    /// Moves on by `bytes`, which end on a character boundary of [`Cursor::rest`].
    pub fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    /// The next character that is no space, without reading it.
    pub fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.pos += rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
        self.rest().chars().next()
    }

    /// Reads `token` if it comes next.
    pub fn eat(&mut self, token: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(token);
        if found {
            self.pos += token.len();
        }
        found
    }

    /// The next character's place: one character wide, empty at the end of the text.
    pub fn here(&mut self) -> Range<usize> {
        let width = self.peek().map_or(0, char::len_utf8);
        self.pos..self.pos + width
    }

    /// The error "expected …, found …" at the next character.
    pub fn unexpected(&mut self, expected: &str) -> SpecError {
        let found = match self.peek() {
            Some(c) => format!("found `{}`", c.escape_debug()),
            None => "the spec ends".to_owned(),
        };
        SpecError::syntax(format!("expected {expected}, but {found}"), self.here())
    }

    /// Reads a Python identifier, if one comes next.
    pub fn identifier(&mut self) -> Option<(&'a str, Range<usize>)> {
        self.peek().filter(|&c| c.is_ascii_alphabetic() || c == '_')?;
        let rest = self.rest();
        let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let start = self.pos;
        self.pos += len;
        Some((&rest[..len], start..self.pos))
    }

    /// Reads an integer as Python writes them (`-3`, `+1`, `1_000`), if one comes next.
    ///
    /// # Errors
    /// A sign without digits, a leading zero, digits that run into letters, a value outside
    /// `isize`.
    pub fn integer(&mut self) -> Result<Option<(isize, Range<usize>)>, SpecError> {
        let Some(first) = self.peek().filter(|c| c.is_ascii_digit() || matches!(c, '-' | '+'))
        else {
            return Ok(None);
        };
        let start = self.pos;
        if matches!(first, '-' | '+') {
            self.pos += 1;
            if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
                return Err(self.unexpected("a number after the sign"));
            }
        }
        let rest = self.rest();
        let len = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let digits = &rest[..len];
        self.pos += len;
        let at = start..self.pos;
        let well_formed = digits
            .split('_')
            .all(|group| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit()));
        let plain = digits.replace('_', "");
        if !well_formed {
            return Err(SpecError::syntax(format!("`{digits}` is not a whole number"), at));
        }
        if plain.len() > 1 && plain.starts_with('0') && plain.bytes().any(|b| b != b'0') {
            let hint = format!("`{digits}` begins with a zero, which Python does not allow");
            return Err(SpecError::syntax(hint, at));
        }
        let sign = if first == '-' { "-" } else { "" };
        match format!("{sign}{plain}").parse() {
            Ok(value) => Ok(Some((value, at))),
            Err(_) => {
                let message =
                    format!("{sign}{plain} does not fit a signed {}-bit integer", isize::BITS);
                Err(SpecError::new(ErrorKind::Overflow, message, at))
            }
        }
    }

    /// Reads a quoted string without escapes, if one comes next; the range is what is inside
    /// the quotes.
    ///
    /// # Errors
    /// A string that does not end, or that holds a backslash.
    pub fn string(&mut self) -> Result<Option<(&'a str, Range<usize>)>, SpecError> {
        let Some(quote) = self.peek().filter(|c| matches!(c, '"' | '\'')) else {
            return Ok(None);
        };
        let opening = self.here();
        let start = self.pos + 1;
        let inner = &self.text[start..];
        let Some(len) = inner.find(quote) else {
            return Err(SpecError::syntax("this string is not closed", opening));
        };
        if let Some(slash) = inner[..len].find('\\') {
            let at = start + slash..start + slash + 1;
            return Err(SpecError::syntax("escapes are not read in strings", at));
        }
        self.pos = start + len + 1;
        Ok(Some((&inner[..len], start..start + len)))
    }
}
