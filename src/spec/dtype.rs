//! Element types: for moving bytes only their names and sizes matter.

use core::fmt;

/// The element type of a dense source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DType {
    /// A type with a name of its own.
    Named {
        /// Its name in a spec, for example `f32`.
        name: &'static str,
        /// Bytes of one element.
        size: usize,
    },
    /// `u8xN`: an element of `N` bytes, at least 1.
    Bytes(usize),
}

/// Every named type with its size in bytes.
const NAMED: [(&str, usize); 16] = [
    ("bool", 1),
    ("u8", 1),
    ("i8", 1),
    ("u16", 2),
    ("i16", 2),
    ("f16", 2),
    ("bf16", 2),
    ("u32", 4),
    ("i32", 4),
    ("f32", 4),
    ("u64", 8),
    ("i64", 8),
    ("f64", 8),
    ("c64", 8),
    ("c128", 16),
    ("u128", 16),
];

impl DType {
    /// The type a spec calls `name`; `None` when there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(&(name, size)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Some(Self::Named { name, size });
        }
        let digits = name.strip_prefix("u8x")?;
        let canonical = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        let size = digits.parse::<isize>().ok().filter(|_| canonical)?;
        Some(Self::Bytes(size as usize))
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::Named { size, .. } | Self::Bytes(size) => size,
        }
    }

    /// The names a message can offer.
    pub(super) fn names() -> String {
        let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        format!("{} or u8xN", names.join(" "))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { name, .. } => f.write_str(name),
            Self::Bytes(size) => write!(f, "u8x{size}"),
        }
    }
}
