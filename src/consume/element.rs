//! The types that can be added up and multiplied.

use crate::tensor::Additive;

mod sealed {
    pub trait Sealed {}
}

/// A type that sums and additions work on: `f32`, `f64` and the integers up to 64 bits, whose sums
/// wrap around.
pub trait Element: Additive + PartialEq + sealed::Sealed + 'static {
    /// What sums of short stretches are added up in: `f64` for the floating types, so that the error
    /// of a long sum stays near that of its result's rounding; the type itself for integers.
    type Wide: Additive;

    /// The same value, wide.
    fn widen(self) -> Self::Wide;
    /// A wide sum as a value of this type.
    fn narrow(wide: Self::Wide) -> Self;
    /// A wide one, added up `times` times.
    fn repeated(wide: Self::Wide, times: usize) -> Self::Wide;
}

/// A type that matrix products work on: `f32` and `f64`.
pub trait Multiply: Element {
    /// One.
    const ONE: Self;
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl sealed::Sealed for $float {}

        impl Element for $float {
            type Wide = f64;

            #[inline(always)]
            fn widen(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn narrow(wide: f64) -> Self {
                wide as Self
            }

            #[inline(always)]
            fn repeated(wide: f64, times: usize) -> f64 {
                wide * times as f64
            }
        }

        impl Multiply for $float {
            const ONE: Self = 1.0;
        }
    )*};
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl sealed::Sealed for $integer {}

        impl Element for $integer {
            type Wide = Self;

            #[inline(always)]
            fn widen(self) -> Self {
                self
            }

            #[inline(always)]
            fn narrow(wide: Self) -> Self {
                wide
            }

            #[inline(always)]
            fn repeated(wide: Self, times: usize) -> Self {
                // Wrapping sums depend on the count's low bits only.
                wide.wrapping_mul(times as Self)
            }
        }
    )*};
}

floats!(f32 f64);
integers!(u8 i8 u16 i16 u32 i32 u64 i64);
