//! The element types that consumers know, and which of them a spec means.

use core::fmt;

use crate::consume::{self, Element};
use crate::copy::View;
use crate::error::ConsumeError;
use crate::plan::Threads;

/// What a benchmark asks of a type besides [`Element`].
pub trait Number: Element {
    /// A small number, the same for the same `noise`: sums and products of them stay exact for long.
    fn small(noise: u64) -> Self;

    /// The nearest `f64`.
    fn to_f64(self) -> f64;

    /// The value of these bytes, in the machine's order. There are as many as the type has.
    fn from_bytes(bytes: &[u8]) -> Self;

    /// Writes the matrix product of `a` and `b` to `out`.
    ///
    /// # Errors
    /// Those of [`consume::matmul_into`].
    ///
    /// # Panics
    /// For integers: [`NumberType::multiplies`] says which types have products.
    fn matmul_into(
        a: &View<'_, Self>,
        b: &View<'_, Self>,
        threads: Threads,
        out: &mut [Self],
    ) -> Result<(), ConsumeError>;
}

macro_rules! numbers {
    ($($variant:ident $type:ident $product:expr;)*) => {
        /// An element type of a sequence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum NumberType {
            $(#[doc = concat!("`", stringify!($type), "`")] $variant,)*
        }

        impl NumberType {
            const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in a spec.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($type)),* }
            }

            /// Bytes of one element.
            pub fn size(self) -> usize {
                match self { $(Self::$variant => size_of::<$type>()),* }
            }

            /// Does `work` with this type.
            pub fn with<W: Work>(self, work: W) -> W::Output {
                match self { $(Self::$variant => work.with::<$type>()),* }
            }
        }

        $(impl Number for $type {
            fn small(noise: u64) -> Self {
                // From -4 to 4 where there is a sign, from 0 to 8 where not.
                (noise % 9) as $type - if $type::MIN == 0 as $type { 0 as $type } else { 4 as $type }
            }

            fn to_f64(self) -> f64 {
                self as f64
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                let mut whole = [0; size_of::<Self>()];
                whole.copy_from_slice(bytes);
                Self::from_ne_bytes(whole)
            }

            fn matmul_into(
                a: &View<'_, Self>,
                b: &View<'_, Self>,
                threads: Threads,
                out: &mut [Self],
            ) -> Result<(), ConsumeError> {
                $product(a, b, threads, out)
            }
        })*
    };
}

/// Products of integers, which no spec can ask for.
fn none<T>(_: &View<'_, T>, _: &View<'_, T>, _: Threads, _: &mut [T]) -> Result<(), ConsumeError> {
    unreachable!("specs with matrix products of integers are refused")
}

numbers! {
    F32 f32 consume::matmul_into;
    F64 f64 consume::matmul_into;
    U8 u8 none;
    I8 i8 none;
    U16 u16 none;
    I16 i16 none;
    U32 u32 none;
    I32 i32 none;
    U64 u64 none;
    I64 i64 none;
}

/// Something to be done with an element type that is known at run time only.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it with `T`.
    fn with<T: Number>(self) -> Self::Output;
}

impl NumberType {
    /// The type that a spec calls `dtype`, or a `.npy` header (`<f4`); `None` for those that
    /// consumers do not know, the other byte order among them.
    pub fn of(dtype: &str) -> Option<Self> {
        let native = if cfg!(target_endian = "little") { '<' } else { '>' };
        let header = |number: &Self| {
            let kind = match number.name().as_bytes()[0] {
                b'f' => 'f',
                b'u' => 'u',
                _ => 'i',
            };
            let order = if number.size() == 1 { '|' } else { native };
            format!("{order}{kind}{}", number.size())
        };
        Self::ALL.iter().copied().find(|number| number.name() == dtype || header(number) == dtype)
    }

    /// Whether there are matrix products of this type.
    pub fn multiplies(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The names a message can offer.
    pub fn names() -> String {
        Self::ALL.iter().map(|number| number.name()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_and_headers_name_the_same_types() {
        for number in NumberType::ALL {
            assert_eq!(NumberType::of(number.name()), Some(*number));
        }
        if cfg!(target_endian = "little") {
            assert_eq!(NumberType::of("<f4"), Some(NumberType::F32));
            assert_eq!(NumberType::of("|u1"), Some(NumberType::U8));
            assert_eq!(NumberType::of("<i8"), Some(NumberType::I64));
            assert_eq!(NumberType::of(">f4"), None);
        }
        assert_eq!(NumberType::of("bf16"), None);
    }

    #[test]
    fn small_numbers_have_a_sign_where_there_is_one() {
        assert_eq!((f32::small(0), i8::small(8), u8::small(8)), (-4.0, 4, 8));
        assert_eq!(i32::from_bytes(&7i32.to_ne_bytes()), 7);
    }
}
