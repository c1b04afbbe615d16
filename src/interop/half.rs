//! [half]: 16-bit floating-point elements.
//!
//! Copies and transposes take `f16` and `bf16` as they take any element. With this feature they can
//! be added up too, by [`Tensor`](crate::Tensor)'s gradients and, with the feature `consume`, by its
//! functions. Before, with the types alone:
//!
//! ```
//! use half::f16;
//!
//! let data: Vec<f16> = (0..12u8).map(f16::from).collect();
//! let (rows, columns) = (3, 4);
//! let mut transposed = Vec::with_capacity(rows * columns);
//! for column in 0..columns {
//!     for row in 0..rows {
//!         transposed.push(data[row * columns + column]);
//!     }
//! }
//! # assert_eq!(transposed[1], f16::from(4u8));
//! ```
//!
//! After:
//!
//! ```
//! use half::f16;
//! use restride::{Layout, contiguous};
//!
//! let data: Vec<f16> = (0..12u8).map(f16::from).collect();
//! let transposed = contiguous(&Layout::contiguous(&[3, 4])?.t(), &data)?;
//! # assert_eq!(transposed[1], f16::from(4u8));
//! # Ok::<(), restride::CopyError>(())
//! ```
//!
//! A sum by `consume` is formed in `f32` and `f64` and rounded once. A gradient is
//! added up where it is stored, and rounded with every addition.
#![cfg_attr(
    feature = "consume",
    doc = "
```
use half::bf16;
use restride::{Layout, Threads, View, consume};

let data = vec![bf16::from_f32(1.0); 3000];
let view = View::new(Layout::contiguous(&[3000])?, &data)?;
assert_eq!(consume::sum(&view, Threads::Auto), bf16::from_f32(3000.0)); // not 256
# Ok::<(), restride::CopyError>(())
```"
)]

use half::{bf16, f16};

use crate::tensor::Additive;

macro_rules! halves {
    ($($half:ty)*) => {$(
        impl Additive for $half {
            const ZERO: Self = <$half>::ZERO;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }

        #[cfg(feature = "consume")]
        impl crate::consume::sealed::Sealed for $half {}

        #[cfg(feature = "consume")]
        impl crate::consume::Element for $half {
            /// A stretch of halves would lose most of its sum.
            type Stretch = f32;
            type Wide = f64;

            #[inline(always)]
            fn stretch(self) -> f32 {
                self.to_f32()
            }

            #[inline(always)]
            fn widen(stretch: f32) -> f64 {
                f64::from(stretch)
            }

            #[inline(always)]
            fn narrow(wide: f64) -> Self {
                Self::from_f64(wide)
            }

            #[inline(always)]
            fn repeated(wide: f64, times: usize) -> f64 {
                wide * times as f64
            }
        }
    )*};
}

halves!(f16 bf16);
