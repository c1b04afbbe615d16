//! Medians and how far to trust them.
//!
//! Samples of a copy's time are bounded below by the hardware and have a long tail above
//! (interrupts, neighbours, frequency changes), so everything here is built on order statistics:
//! no mean, no standard deviation.

use serde::{Deserialize, Serialize};

use super::buffers::mix;
use super::digits;

/// Resamples drawn for a bootstrap interval.
const RESAMPLES: usize = 500;

/// A median with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The median of the samples.
    #[serde(serialize_with = "digits::one")]
    pub median: f64,
    /// Lower end of the bootstrap interval.
    #[serde(serialize_with = "digits::one")]
    pub low: f64,
    /// Upper end of the bootstrap interval.
    #[serde(serialize_with = "digits::one")]
    pub high: f64,
}

impl Estimate {
    /// The median of `samples` with its percentile-bootstrap interval; `None` without samples.
    ///
    /// The resamples come from a fixed sequence: equal samples give equal intervals.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let median = quantile(&sorted, 0.5)?;
        let mut draw = vec![0.0; sorted.len()];
        let mut state = 0;
        let mut medians: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                for slot in &mut draw {
                    state += 1;
                    *slot = sorted[(mix(state) % sorted.len() as u64) as usize];
                }
                draw.sort_by(f64::total_cmp);
                quantile(&draw, 0.5).unwrap_or(median)
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        let end = |q| quantile(&medians, q).unwrap_or(median);
        Some(Self { median, low: end(0.025), high: end(0.975) })
    }

    /// Half the interval's width relative to the median: 0.03 reads "± 3 %".
    pub fn noise(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median }
    }
}

/// The `q`-quantile (0 to 1) of ascending samples, interpolated between neighbours; `None`
/// without samples.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(below + (above - below) * at.fract())
}

/// The median, or `None` without samples.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// Sample by sample `numerator / denominator`, over the rounds that both took part in.
///
/// Samples of one round lie milliseconds apart, so a machine that slows down for a while slows
/// both and leaves their ratio alone; the ratio of two medians would not.
pub fn paired_ratios(numerator: &[f64], denominator: &[f64]) -> Vec<f64> {
    numerator.iter().zip(denominator).map(|(n, d)| n / d).collect()
}

/// How far the median moved from the first half of the rounds to the second: 0.3 is 30 %, in
/// either direction. `None` below six samples, where halves say nothing.
pub fn drift(samples: &[f64]) -> Option<f64> {
    if samples.len() < 6 {
        return None;
    }
    let (first, second) = samples.split_at(samples.len() / 2);
    let (first, second) = (median(first)?, median(second)?);
    Some(first.max(second) / first.min(second) - 1.0)
}

/// How many samples lie beyond the upper outer fence: more than three interquartile ranges, and
/// more than a tenth of the median, above the third quartile.
pub fn outliers(samples: &[f64]) -> usize {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(q1), Some(middle), Some(q3)) =
        (quantile(&sorted, 0.25), quantile(&sorted, 0.5), quantile(&sorted, 0.75))
    else {
        return 0;
    };
    let fence = q3 + (3.0 * (q3 - q1)).max(0.1 * middle);
    samples.iter().filter(|&&sample| sample > fence).count()
}

/// The geometric mean of positive figures, as for ratios; `None` without any.
pub fn geometric_mean(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) =
        figures.into_iter().fold((0.0, 0u32), |(sum, count), f| (sum + f.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&sorted, 0.0), Some(1.0));
        assert_eq!(quantile(&sorted, 0.5), Some(3.0));
        assert_eq!(quantile(&sorted, 1.0), Some(8.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
    }

    #[test]
    fn the_interval_holds_the_median_and_stays_inside_the_samples() {
        let samples = [5.0, 1.0, 2.0, 3.0, 4.0, 100.0, 2.5];
        let estimate = Estimate::of(&samples).unwrap();
        assert_eq!(estimate.median, 3.0);
        assert!(1.0 <= estimate.low && estimate.low <= 3.0);
        assert!(3.0 <= estimate.high && estimate.high <= 100.0);
        assert_eq!(Estimate::of(&samples), Some(estimate));
    }

    #[test]
    fn equal_samples_have_no_noise() {
        let estimate = Estimate::of(&[2.0; 9]).unwrap();
        assert_eq!((estimate.low, estimate.median, estimate.high), (2.0, 2.0, 2.0));
        assert_eq!(estimate.noise(), 0.0);
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn a_wider_sample_has_a_wider_interval() {
        let narrow: Vec<f64> = (0..40).map(|i| 100.0 + f64::from(i % 5)).collect();
        let wide: Vec<f64> = (0..40).map(|i| 100.0 + 20.0 * f64::from(i % 5)).collect();
        let noise = |samples: &[f64]| Estimate::of(samples).unwrap().noise();
        assert!(noise(&narrow) < noise(&wide));
    }

    #[test]
    fn a_slow_spell_cancels_in_paired_ratios() {
        let ceiling = [1.0, 1.0, 2.0, 2.0];
        let copy = [2.0, 2.0, 4.0, 4.0];
        assert_eq!(paired_ratios(&ceiling, &copy), [0.5; 4]);
    }

    #[test]
    fn drift_compares_halves() {
        assert_eq!(drift(&[1.0, 1.0, 1.0, 1.5, 1.5, 1.5]), Some(0.5));
        assert_eq!(drift(&[1.5, 1.5, 1.5, 1.0, 1.0, 1.0]), Some(0.5));
        assert_eq!(drift(&[1.0, 9.0]), None);
    }

    #[test]
    fn outliers_need_to_stand_out() {
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 1.0, 1.05]), 0);
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 1.0, 5.0]), 1);
        assert_eq!(outliers(&[]), 0);
    }

    #[test]
    fn geometric_means_multiply() {
        let mean = geometric_mean([0.5, 2.0, 1.0]).unwrap();
        assert!((mean - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean([]), None);
    }
}
