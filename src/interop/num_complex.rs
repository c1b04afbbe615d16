//! num-complex: complex elements.
//!
//! Copies and transposes take complex numbers as they take any element. With this feature they can
//! be added up too, by [`Tensor`](crate::Tensor)'s gradients and, with the feature `consume`, by its
//! functions. Before, with the type alone:
//!
//! ```
//! use num_complex::Complex;
//!
//! let data: Vec<Complex<f32>> = (0..12u8).map(|i| Complex::new(f32::from(i), 1.0)).collect();
//! let (rows, columns) = (3, 4);
//! let mut transposed = Vec::with_capacity(rows * columns);
//! for column in 0..columns {
//!     for row in 0..rows {
//!         transposed.push(data[row * columns + column]);
//!     }
//! }
//! # assert_eq!(transposed[1], Complex::new(4.0, 1.0));
//! ```
//!
//! After:
//!
//! ```
//! use num_complex::Complex;
//! use restride::{Layout, contiguous};
//!
//! let data: Vec<Complex<f32>> = (0..12u8).map(|i| Complex::new(f32::from(i), 1.0)).collect();
//! let transposed = contiguous(&Layout::contiguous(&[3, 4])?.t(), &data)?;
//! # assert_eq!(transposed[1], Complex::new(4.0, 1.0));
//! # Ok::<(), restride::CopyError>(())
//! ```
#![cfg_attr(
    feature = "consume",
    doc = "
```
use num_complex::Complex;
use restride::{Layout, Threads, View, consume};

let data: Vec<Complex<f64>> = (0..12u8).map(|i| Complex::new(f64::from(i), 1.0)).collect();
let view = View::new(Layout::contiguous(&[3, 4])?.t(), &data)?;
let sums = consume::sum_axis(&view, 0, Threads::Auto)?;
assert_eq!(sums, [6.0, 22.0, 38.0].map(|re| Complex::new(re, 4.0)));
# Ok::<(), Box<dyn std::error::Error>>(())
```"
)]

use num_complex::Complex;

use crate::tensor::Additive;

impl<T: Additive> Additive for Complex<T> {
    const ZERO: Self = Self { re: T::ZERO, im: T::ZERO };

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { re: self.re.plus(other.re), im: self.im.plus(other.im) }
    }
}

#[cfg(feature = "consume")]
mod consume {
    use num_complex::Complex;

    use crate::consume::{Element, sealed};

    impl<T: Element> sealed::Sealed for Complex<T> {}

    impl<T: Element> Element for Complex<T> {
        type Stretch = Complex<T::Stretch>;
        type Wide = Complex<T::Wide>;

        #[inline(always)]
        fn stretch(self) -> Self::Stretch {
            Complex { re: self.re.stretch(), im: self.im.stretch() }
        }

        #[inline(always)]
        fn widen(stretch: Self::Stretch) -> Self::Wide {
            Complex { re: T::widen(stretch.re), im: T::widen(stretch.im) }
        }

        #[inline(always)]
        fn narrow(wide: Self::Wide) -> Self {
            Self { re: T::narrow(wide.re), im: T::narrow(wide.im) }
        }

        #[inline(always)]
        fn repeated(wide: Self::Wide, times: usize) -> Self::Wide {
            Complex { re: T::repeated(wide.re, times), im: T::repeated(wide.im, times) }
        }
    }
}
