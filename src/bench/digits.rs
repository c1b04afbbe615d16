//! How many digits of a figure go into a file.
//!
//! No round of a benchmark is known to more than a few per mille. Four significant digits keep the
//! files small, and what is read back is what anybody else reads.

use serde::{Serialize, Serializer};

/// The nearest number with four significant digits.
pub fn significant(figure: f64) -> f64 {
    format!("{figure:.3e}").parse().unwrap_or(figure)
}

/// Writes one figure with four significant digits.
///
/// # Errors
/// What the serializer said.
pub fn one<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    significant(*figure).serialize(serializer)
}

/// The same for a figure that may be missing.
///
/// # Errors
/// What the serializer said.
pub fn option<S: Serializer>(figure: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    figure.map(significant).serialize(serializer)
}

/// The same for a row of figures.
///
/// # Errors
/// What the serializer said.
pub fn all<S: Serializer>(figures: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(figures.iter().copied().map(significant))
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn four_digits_are_kept() {
        for (figure, kept) in [
            (0.000_099_452_7, 0.000_099_45),
            (1.0, 1.0),
            (123_456.0, 123_500.0),
            (-0.033_333_33, -0.033_33),
            (0.0, 0.0),
        ] {
            assert_eq!(significant(figure), kept);
        }
        assert_eq!(significant(f64::INFINITY), f64::INFINITY);
    }
}
