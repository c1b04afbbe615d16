//! The inner loops of sums.
//!
//! Short stretches are added up in vectors of the element type (or of [`Element::Stretch`], where that
//! is too narrow), and their sums in the wide type ([`Element::Wide`]): as fast as memory, and as
//! exact as a sum in the wide type nearly.

use super::element::Element;
use super::walk::Axis;
use crate::tensor::Additive;

/// Sums that are kept side by side.
pub(super) const SIDE_BY_SIDE: usize = 2048;

/// Elements that are added up in the element type before the wide type takes over.
const STRETCH: usize = 4096;

/// Rows that are added up in the element type before the wide type takes over.
const ROWS: usize = 64;

/// Streams that a dense run is read as, and the partial sums of each: a vector or more on every
/// tier.
const STREAMS: usize = 4;
const LANES: usize = 16;

/// Fewer terms than this are added across sums that lie side by side, not one sum after the other.
const FEW: usize = 16;

/// Sums of stretches on their way to the wide ones.
pub(super) struct Partial<T: Element>([T::Stretch; SIDE_BY_SIDE]);

impl<T: Element> Partial<T> {
    pub fn new() -> Self {
        Self([<T::Stretch>::ZERO; SIDE_BY_SIDE])
    }
}

/// Adds to each `sums[j]`, `j` below `kept.len`, the elements `data[at + j * kept.step + i *
/// summed.step]` for all `i` below `summed.len`. There are at most [`SIDE_BY_SIDE`] sums.
#[inline(always)]
pub(super) fn accumulate<T: Element>(
    data: &[T],
    at: usize,
    kept: Axis,
    summed: Axis,
    partial: &mut Partial<T>,
    sums: &mut [T::Wide],
) {
    let along = summed.step < kept.step && summed.len >= FEW;
    if along || kept.len < FEW.min(summed.len) {
        one_by_one(data, at, kept, summed, sums);
    } else {
        side_by_side(data, at, kept, summed, &mut partial.0[..kept.len], sums);
    }
}

/// Walks along the summed axis, a stretch for each sum.
#[inline(always)]
fn one_by_one<T: Element>(data: &[T], at: usize, kept: Axis, summed: Axis, sums: &mut [T::Wide]) {
    // Neighbouring sums may share lines: a stretch of several sums stays in the cache.
    let stretch = if kept.len == 1 || kept.step > summed.step { STRETCH } else { STRETCH / 16 };
    for first in (0..summed.len).step_by(stretch) {
        let len = stretch.min(summed.len - first);
        let at = at + first * summed.step;
        for (j, sum) in sums.iter_mut().enumerate() {
            let at = at + j * kept.step;
            let part = match summed.step {
                1 => dense::<T>(&data[at..at + len]),
                step => stepped::<T>(&data[at..], len, step),
            };
            *sum = (*sum).plus(T::widen(part));
        }
    }
}

/// Walks along the kept axis and adds whole rows to each other.
#[inline(always)]
fn side_by_side<T: Element>(
    data: &[T],
    at: usize,
    kept: Axis,
    summed: Axis,
    partial: &mut [T::Stretch],
    sums: &mut [T::Wide],
) {
    for first in (0..summed.len).step_by(ROWS) {
        partial.fill(<T::Stretch>::ZERO);
        let rows = ROWS.min(summed.len - first);
        let row = |i: usize| &data[at + (first + i) * summed.step..];
        let quads = if kept.step == 1 { rows / 4 } else { 0 };
        for quad in 0..quads {
            add_four_rows::<T>(partial, [0, 1, 2, 3].map(|i| row(4 * quad + i)));
        }
        for i in 4 * quads..rows {
            if kept.step == 1 {
                partial.iter_mut().zip(row(i)).for_each(|(sum, &x)| *sum = sum.plus(x.stretch()));
            } else {
                let row = row(i).iter().step_by(kept.step.max(1));
                partial.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.plus(x.stretch()));
            }
        }
        for (sum, &part) in sums.iter_mut().zip(&*partial) {
            *sum = (*sum).plus(T::widen(part));
        }
    }
}

/// Adds four rows in one pass over the sums.
#[inline(always)]
fn add_four_rows<T: Element>(sums: &mut [T::Stretch], rows: [&[T]; 4]) {
    let [a, b, c, d] = rows.map(|row| &row[..sums.len()]);
    for (i, sum) in sums.iter_mut().enumerate() {
        let (a, b, c, d) = (a[i].stretch(), b[i].stretch(), c[i].stretch(), d[i].stretch());
        *sum = sum.plus(a.plus(b).plus(c.plus(d)));
    }
}

/// The sum of a dense run, read as four streams: more lines are on their way from memory then.
#[inline(always)]
fn dense<T: Element>(run: &[T]) -> T::Stretch {
    let stream = run.len() / (STREAMS * LANES) * LANES;
    let (body, tail) = run.split_at(STREAMS * stream);
    let chunks = |which: usize| body[which * stream..][..stream].as_chunks::<LANES>().0.iter();
    let [mut a, mut b, mut c, mut d] = [[<T::Stretch>::ZERO; LANES]; STREAMS];
    for (((to_a, to_b), to_c), to_d) in chunks(0).zip(chunks(1)).zip(chunks(2)).zip(chunks(3)) {
        add_lanes(&mut a, to_a);
        add_lanes(&mut b, to_b);
        add_lanes(&mut c, to_c);
        add_lanes(&mut d, to_d);
    }
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        *a = a.plus(b).plus(c.plus(d));
    }
    for chunk in tail.chunks(LANES) {
        a.iter_mut().zip(chunk).for_each(|(lane, &x)| *lane = lane.plus(x.stretch()));
    }
    a.into_iter().fold(<T::Stretch>::ZERO, Additive::plus)
}

/// Adds lane by lane.
#[inline(always)]
fn add_lanes<T: Element>(sums: &mut [T::Stretch; LANES], terms: &[T; LANES]) {
    for (sum, &term) in sums.iter_mut().zip(terms) {
        *sum = sum.plus(term.stretch());
    }
}

/// The sum of `len` elements `step` apart, from the first of `data` on.
#[inline(always)]
fn stepped<T: Element>(data: &[T], len: usize, step: usize) -> T::Stretch {
    let mut lanes = [<T::Stretch>::ZERO; 8];
    let mut at = 0;
    for _ in 0..len / 8 {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = lane.plus(data[at + i * step].stretch());
        }
        at += 8 * step;
    }
    for i in 0..len % 8 {
        lanes[i] = lanes[i].plus(data[at + i * step].stretch());
    }
    lanes.into_iter().fold(<T::Stretch>::ZERO, Additive::plus)
}
