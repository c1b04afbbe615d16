//! The name of a copy's pattern, and the numbers that matter for it.

use core::fmt;

use super::normalize::Normalized;

/// What the source looks like in the order in which the destination is written.
///
/// A copy can be several of these at once (a transpose of a broadcast row, say); the class is the
/// first that applies in the order of this list, since that is what decides how it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// No element at all.
    Empty,
    /// A source axis of stride 0: elements are read more than once.
    Broadcast,
    /// A source axis of negative stride.
    Reversed,
    /// One run, one memcpy.
    Unit,
    /// Inner runs that are contiguous on both sides, outer axes strided.
    Blocked,
    /// The source's contiguous axis and the destination's contiguous axis differ.
    Transposed,
    /// No source axis has unit stride (or the destination has none).
    Gather,
}

impl Class {
    /// The class in lower case, as reports spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Broadcast => "broadcast",
            Self::Reversed => "reversed",
            Self::Unit => "unit",
            Self::Blocked => "blocked",
            Self::Transposed => "transposed_tile",
            Self::Gather => "gather",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The pattern of a normalized copy. Axis numbers index [`Normalized::axes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The pattern's name.
    pub class: Class,
    /// Bytes contiguous on both sides.
    pub run: usize,
    /// The axis along which the destination is contiguous from run to run.
    pub dst_unit: Option<usize>,
    /// The axis along which the source is contiguous from run to run, in either direction.
    pub src_unit: Option<usize>,
}

impl Pattern {
    /// Classifies `copy`, whose elements have `elem` bytes.
    pub fn of(copy: &Normalized, elem: usize) -> Self {
        let run = copy.run as isize;
        let axes = &copy.axes;
        let dst_unit = axes.iter().rposition(|axis| axis.dst == run);
        let src_unit = axes.iter().rposition(|axis| axis.src.abs() == run);
        let class = if copy.bytes == 0 {
            Class::Empty
        } else if axes.iter().any(|axis| axis.src == 0) {
            Class::Broadcast
        } else if axes.iter().any(|axis| axis.src < 0) {
            Class::Reversed
        } else if axes.is_empty() {
            Class::Unit
        } else if copy.run > elem {
            Class::Blocked
        } else if dst_unit.is_some() && src_unit.is_some() {
            Class::Transposed
        } else {
            Class::Gather
        };
        Self { class, run: copy.run, dst_unit, src_unit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CopySpec;

    fn class(shape: &[usize], src: &[isize], dst: &[isize]) -> Class {
        let copy = Normalized::of(&CopySpec::new(4, shape, src, dst)).unwrap();
        Pattern::of(&copy, 4).class
    }

    #[test]
    fn classes_of_literal_layouts() {
        assert_eq!(class(&[0, 4], &[16, 4], &[16, 4]), Class::Empty);
        assert_eq!(class(&[3, 4], &[16, 4], &[16, 4]), Class::Unit);
        assert_eq!(class(&[3, 4], &[32, 4], &[16, 4]), Class::Blocked);
        assert_eq!(class(&[4, 3], &[4, 16], &[12, 4]), Class::Transposed);
        // RGB: the source runs over channels, the destination over pixels.
        assert_eq!(class(&[3, 100], &[4, 12], &[400, 4]), Class::Transposed);
        // Heads split from a sequence: rows of 64 elements stay whole.
        assert_eq!(class(&[16, 512, 64], &[256, 4096, 4], &[131072, 256, 4]), Class::Blocked);
        assert_eq!(class(&[50], &[8], &[4]), Class::Gather);
        assert_eq!(class(&[50], &[4], &[8]), Class::Gather);
        assert_eq!(class(&[4, 5], &[0, 4], &[20, 4]), Class::Broadcast);
        assert_eq!(class(&[4, 5], &[4, 0], &[20, 4]), Class::Broadcast);
        assert_eq!(class(&[4, 5], &[20, -4], &[20, 4]), Class::Reversed);
        assert_eq!(class(&[4, 5], &[-20, 4], &[20, 4]), Class::Reversed);
    }

    #[test]
    fn the_tile_axes_are_named() {
        let copy = Normalized::of(&CopySpec::new(4, &[4, 3], &[4, 16], &[12, 4])).unwrap();
        let pattern = Pattern::of(&copy, 4);
        assert_eq!((pattern.src_unit, pattern.dst_unit), (Some(0), Some(1)));
    }
}
