//! Which Rust types the data types are.

use core::fmt;

use super::abi::DLDataType;
use super::error::DlpackError;

/// Kinds of numbers: the codes of [`DLDataType`] that Rust types are known for. There are more, of
/// numbers of eight bits and fewer.
pub mod code {
    /// Signed integers.
    pub const INT: u8 = 0;
    /// Unsigned integers.
    pub const UINT: u8 = 1;
    /// IEEE floating point.
    pub const FLOAT: u8 = 2;
    /// bfloat16.
    pub const BFLOAT: u8 = 4;
    /// Complex numbers: two floating-point numbers, whose bits are counted together.
    pub const COMPLEX: u8 = 5;
    /// Truth values, of a byte each.
    pub const BOOL: u8 = 6;
}

impl DLDataType {
    /// One number of `bits` bits.
    pub const fn scalar(code: u8, bits: u8) -> Self {
        Self { code, bits, lanes: 1 }
    }

    /// Bytes of one element, at least 1.
    ///
    /// # Errors
    /// [`DlpackError::PartBytes`] when the numbers are no whole bytes.
    pub fn size(self) -> Result<usize, DlpackError> {
        let bytes = usize::from(self.bits) / 8 * usize::from(self.lanes);
        if !self.bits.is_multiple_of(8) || bytes == 0 {
            return Err(DlpackError::PartBytes { dtype: self });
        }
        Ok(bytes)
    }
}

impl fmt::Display for DLDataType {
    /// For example `float32`, or `uint8x4` for four lanes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            code::INT => write!(f, "int{}", self.bits)?,
            code::UINT => write!(f, "uint{}", self.bits)?,
            code::FLOAT => write!(f, "float{}", self.bits)?,
            code::BFLOAT => write!(f, "bfloat{}", self.bits)?,
            code::COMPLEX => write!(f, "complex{}", self.bits)?,
            code::BOOL => write!(f, "bool{}", self.bits)?,
            other => write!(f, "type code {other} of {} bits", self.bits)?,
        }
        if self.lanes == 1 { Ok(()) } else { write!(f, "x{}", self.lanes) }
    }
}

/// A Rust type that a DLPack data type stands for: it can be given away and written.
///
/// # Safety
/// An element of `DTYPE` has `size_of::<Self>()` bytes, of which every value initializes all, and
/// every value is one that others expect of `DTYPE`.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The data type.
    const DTYPE: DLDataType;
}

/// An [`Element`] that can be read from foreign memory. `bool` is none, since nobody has made sure
/// that its byte is 0 or 1: read truth values as `u8`.
///
/// # Safety
/// Every bit pattern is a value.
pub unsafe trait Plain: Element {}

macro_rules! plain {
    ($($type:ty: $code:expr;)*) => {$(
        // SAFETY: a number without padding, of as many bits as its data type has.
        unsafe impl Element for $type {
            const DTYPE: DLDataType = DLDataType::scalar($code, 8 * size_of::<$type>() as u8);
        }
        // SAFETY: every bit pattern is a number.
        unsafe impl Plain for $type {}
    )*};
}

plain! {
    i8: code::INT;
    i16: code::INT;
    i32: code::INT;
    i64: code::INT;
    u8: code::UINT;
    u16: code::UINT;
    u32: code::UINT;
    u64: code::UINT;
    f32: code::FLOAT;
    f64: code::FLOAT;
}

#[cfg(feature = "half")]
plain! {
    half::f16: code::FLOAT;
    half::bf16: code::BFLOAT;
}

#[cfg(feature = "num-complex")]
plain! {
    num_complex::Complex32: code::COMPLEX;
    num_complex::Complex64: code::COMPLEX;
}

// SAFETY: a byte, and both of its values are those of a truth value.
unsafe impl Element for bool {
    const DTYPE: DLDataType = DLDataType::scalar(code::BOOL, 8);
}

// SAFETY: an array has no padding between its elements, which are the lanes.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const DTYPE: DLDataType = {
        let lanes = T::DTYPE.lanes as usize * N;
        assert!(0 < lanes && lanes <= u16::MAX as usize, "1 to 65535 lanes");
        DLDataType { lanes: lanes as u16, ..T::DTYPE }
    };
}

// SAFETY: every bit pattern is a value of each of its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
