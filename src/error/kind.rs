//! What kind of mistake an error is.

/// What kind of mistake an error is: the short word that machine-readable output carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No strides describe the requested view of this memory: it needs a copy.
    NotViewable,
    /// Element counts or sizes that must agree do not.
    SizeMismatch,
    /// More than one size is -1.
    TwoInferred,
    /// A -1 that any size would satisfy.
    Ambiguous,
    /// A negative size where none has a meaning.
    BadDim,
    /// An axis that does not exist, is named twice, or is missing.
    BadAxis,
    /// An index, range, step or storage element outside what exists.
    BadIndex,
    /// A text form that cannot be read.
    BadSpec,
    /// A size, stride or offset too large to be represented.
    Overflow,
    /// A request with a meaning, but not one that is served.
    Unsupported,
}

impl ErrorKind {
    /// The word used in machine-readable output, for example `not_viewable`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotViewable => "not_viewable",
            Self::SizeMismatch => "size_mismatch",
            Self::TwoInferred => "two_inferred",
            Self::Ambiguous => "ambiguous",
            Self::BadDim => "bad_dim",
            Self::BadAxis => "bad_axis",
            Self::BadIndex => "bad_index",
            Self::BadSpec => "bad_spec",
            Self::Overflow => "overflow",
            Self::Unsupported => "unsupported",
        }
    }
}

impl core::fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}
