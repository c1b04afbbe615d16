//! The same copy at another size.

use crate::bench::BenchError;
use crate::bench::case::Case;

/// Elements from which on an axis is one that grows; shorter ones are channels, windows, heads.
const LONG: usize = 16;

/// `case` with its long axes shortened or lengthened alike, so that it reads and writes about `bytes`.
///
/// Every axis keeps its place in memory on both sides, and its length modulo 16: aligned pitches stay
/// aligned, and odd ones odd. A copy without long axes stays as it is.
///
/// # Errors
/// [`BenchError::Overflow`] when the numbers do not fit.
pub(super) fn scaled(case: &Case, bytes: usize) -> Result<Case, BenchError> {
    let mut copy = case.copy.clone();
    let long = copy.shape.iter().filter(|&&len| len >= LONG).count();
    let moved = 2.0 * case.output_bytes as f64;
    let factor = (bytes as f64 / moved).powf(1.0 / long.max(1) as f64);
    for len in copy.shape.iter_mut().filter(|len| **len >= LONG) {
        let rest = *len % LONG;
        let whole = ((*len as f64 * factor - rest as f64) / LONG as f64).round() as usize * LONG;
        *len = (whole + rest).max(if rest == 0 { LONG } else { 1 });
    }
    let unit = copy.elem_size as i128;
    let overflow = |what| BenchError::Overflow { case: case.name.clone(), what };
    let (old, new) = (&case.copy.shape, &copy.shape);
    let src =
        strides(old, new, &case.copy.src_strides, unit).ok_or_else(|| overflow("the source"))?;
    let dst = strides(old, new, &case.copy.dst_strides, unit)
        .ok_or_else(|| overflow("the destination"))?;
    (copy.src_strides, copy.dst_strides) = (src.into_iter().collect(), dst.into_iter().collect());
    // The lowest byte keeps its place in a line.
    let axes = copy.shape.iter().zip(&copy.src_strides);
    let below: usize = axes
        .filter(|(_, stride)| **stride < 0)
        .map(|(&len, stride)| (len - 1).saturating_mul(stride.unsigned_abs()))
        .fold(0, usize::saturating_add);
    Case::new(case.name.clone(), case.spec.clone(), copy, below.saturating_add(case.phase()))
}

/// `strides` (bytes) of axes that had the lengths `old` and now have `new`: each grows with the axes
/// inside it, and gaps in proportion. Axes that overlap the ones inside them keep theirs.
fn strides(old: &[usize], new: &[usize], strides: &[isize], unit: i128) -> Option<Vec<isize>> {
    let mut inward: Vec<usize> =
        (0..old.len()).filter(|&i| old[i] > 1 && strides[i] != 0).collect();
    inward.sort_by_key(|&i| strides[i].unsigned_abs());
    let mut scaled = strides.to_vec();
    let mut inside: Option<(i128, i128)> = None;
    for i in inward {
        let stride = strides[i] as i128;
        let step = match inside {
            Some((before, after)) if stride.abs() >= before => {
                let exact = stride.checked_mul(after)?;
                let step = exact / before;
                if exact % before == 0 || stride % unit != 0 { step } else { step / unit * unit }
            }
            _ => stride,
        };
        scaled[i] = isize::try_from(step).ok()?;
        inside = Some((
            stride.abs().checked_mul(old[i] as i128)?,
            step.abs().checked_mul(new[i] as i128)?,
        ));
    }
    Some(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CopySpec;

    fn case(elem: usize, shape: &[usize], src: &[isize], dst: &[isize]) -> Case {
        Case::new("t", "", CopySpec::new(elem, shape, src, dst), 0).unwrap()
    }

    #[test]
    fn a_transpose_stays_one() {
        let large = case(4, &[1024, 1024], &[4, 4096], &[4096, 4]);
        let small = scaled(&large, 2 * 4 * 64 * 64).unwrap();
        assert_eq!(small.copy, CopySpec::new(4, &[64, 64], &[4, 256], &[256, 4]));
        let odd = case(4, &[1025, 1023], &[4, 4100], &[4092, 4]);
        let small = scaled(&odd, 2 * 4 * 64 * 64).unwrap();
        assert_eq!(small.copy, CopySpec::new(4, &[65, 63], &[4, 260], &[252, 4]));
    }

    #[test]
    fn short_axes_gaps_and_directions_stay() {
        let channels = case(1, &[3, 512, 512], &[1, 1536, 3], &[512 * 512, 512, 1]);
        let small = scaled(&channels, 2 * 3 * 64 * 64).unwrap();
        assert_eq!(small.copy, CopySpec::new(1, &[3, 64, 64], &[1, 192, 3], &[64 * 64, 64, 1]));
        let every_second_backwards = case(4, &[512, 256], &[4096, -8], &[1024, 4]);
        let small = scaled(&every_second_backwards, 2 * 4 * 128 * 64).unwrap();
        assert_eq!(small.copy, CopySpec::new(4, &[128, 64], &[1024, -8], &[256, 4]));
        assert_eq!(small.first, 63 * 8);
        let windows = case(4, &[1024, 8], &[16, 4], &[32, 4]);
        let large = scaled(&windows, 2 * 4 * 4096 * 8).unwrap();
        assert_eq!(large.copy, CopySpec::new(4, &[4096, 8], &[16, 4], &[32, 4]));
        let bits = case(4, &[2; 4], &[4, 8, 16, 32], &[32, 16, 8, 4]);
        assert_eq!(scaled(&bits, 1 << 20).unwrap().copy, bits.copy);
    }
}
