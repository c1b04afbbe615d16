//! From how many uses on a dense copy is worth its making.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The number of uses from which on it pays to materialize a view once and consume the dense copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BreakEven {
    /// The view is read as fast as dense memory, or faster.
    Never,
    /// Even for a single use.
    AtOnce,
    /// From this many uses on, at least 2.
    From {
        /// The uses.
        uses: u64,
    },
}

/// More uses than this are none.
const MOST: f64 = 1e9;

impl BreakEven {
    /// The break-even of a copy that takes `copy` seconds, when one use of the view takes `view` and
    /// one of dense memory `dense`.
    pub fn of(view: f64, dense: f64, copy: f64) -> Self {
        let saved = view - dense;
        if saved <= 0.0 || copy / saved > MOST {
            return Self::Never;
        }
        match (copy / saved).ceil() {
            uses if uses <= 1.0 => Self::AtOnce,
            uses => Self::From { uses: uses as u64 },
        }
    }
}

impl fmt::Display for BreakEven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never pays"),
            Self::AtOnce => f.write_str("pays at once"),
            Self::From { uses } => write!(f, "pays from {uses} uses on"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_pays_when_its_uses_have_saved_its_time() {
        assert_eq!(BreakEven::of(3.0, 1.0, 5.0), BreakEven::From { uses: 3 });
        assert_eq!(BreakEven::of(3.0, 1.0, 4.0), BreakEven::From { uses: 2 });
        assert_eq!(BreakEven::of(3.0, 1.0, 2.0), BreakEven::AtOnce);
        assert_eq!(BreakEven::of(1.0, 1.0, 2.0), BreakEven::Never);
        assert_eq!(BreakEven::of(1.0, 2.0, 0.0), BreakEven::Never);
        assert_eq!(BreakEven::of(1.0 + 1e-15, 1.0, 1.0), BreakEven::Never);
    }

    #[test]
    fn break_evens_are_words_in_json() {
        let json = |break_even: BreakEven| serde_json::to_string(&break_even).unwrap();
        assert_eq!(json(BreakEven::Never), r#"{"kind":"never"}"#);
        assert_eq!(json(BreakEven::From { uses: 4 }), r#"{"kind":"from","uses":4}"#);
    }
}
