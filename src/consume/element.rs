//! The types that can be added up and multiplied.

use crate::tensor::Additive;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// A type that sums and additions work on: `f32`, `f64` and the integers up to 64 bits, whose sums
/// wrap around; with the features of these names, `half`'s types and `num-complex`' numbers.
pub trait Element: Additive + PartialEq + sealed::Sealed + 'static {
    /// What the elements of a short stretch are added up in: the type itself, but for types too
    /// narrow for that.
    type Stretch: Additive;

    /// What sums of short stretches are added up in: `f64` for the floating types, so that the error
    /// of a long sum stays near that of its result's rounding; the type itself for integers.
    type Wide: Additive;

    /// The same value, to be added to a stretch.
    fn stretch(self) -> Self::Stretch;
    /// The sum of a stretch, wide.
    fn widen(stretch: Self::Stretch) -> Self::Wide;
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
            type Stretch = Self;
            type Wide = f64;

            #[inline(always)]
            fn stretch(self) -> Self {
                self
            }

            #[inline(always)]
            fn widen(stretch: Self) -> f64 {
                f64::from(stretch)
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
            type Stretch = Self;
            type Wide = Self;

            #[inline(always)]
            fn stretch(self) -> Self {
                self
            }

            #[inline(always)]
            fn widen(stretch: Self) -> Self {
                stretch
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
