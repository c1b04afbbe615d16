//! Does memory overlap: does a layout address an element twice, do two layouts share one.
//!
//! Both questions are about strided boxes in memory and ask for integers: are there indices for
//! which `Σ stride * index` falls into a small interval? Cheap sufficient tests answer nearly
//! every layout met in practice. What is left is solved exactly: axes that together cover an
//! arithmetic progression are merged, two axes are decided by a Euclidean step each, and more
//! are searched through, largest stride first, for a bounded number of steps. Only a search that
//! reaches the bound answers [`Overlap::Unknown`].

use smallvec::SmallVec;

use super::Layout;

/// Answer to an overlap question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlap {
    /// Some byte is addressed twice.
    Yes,
    /// No byte is addressed twice.
    No,
    /// Not decided within bounded work. Treat as [`Overlap::Yes`] where writing depends on it.
    Unknown,
}

/// Elements of `elem` bytes at byte offsets `offset + Σ strides[k] * index[k]`.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    /// Byte offset of element `[0, 0, …]` from any point common to both sides.
    pub offset: isize,
    /// Sizes of the axes, in elements.
    pub shape: &'a [usize],
    /// Strides of the axes, in bytes.
    pub strides: &'a [isize],
    /// Bytes of one element.
    pub elem: usize,
}

/// Whether two indices of `layout` address the same element.
pub fn self_overlap(layout: &Layout) -> Overlap {
    strided_self_overlap(layout.shape(), layout.strides(), 1)
}

/// Whether `a` and `b`, over the same storage, share an element.
pub fn share_element(a: &Layout, b: &Layout) -> Overlap {
    fn in_elements(layout: &Layout) -> Strided<'_> {
        Strided {
            offset: layout.offset() as isize, // a layout's offset fits isize
            shape: layout.shape(),
            strides: layout.strides(),
            elem: 1,
        }
    }
    strided_share(in_elements(a), in_elements(b))
}

/// Whether two elements of `elem` bytes, at two indices of `shape` with byte strides `strides`,
/// share a byte. Any numbers may be given; unit axes and empty shapes are not looked at.
pub fn strided_self_overlap(shape: &[usize], strides: &[isize], elem: usize) -> Overlap {
    if elem == 0 || shape.contains(&0) {
        return Overlap::No;
    }
    // Row-major order, the usual destination, is sorted already.
    let stepped = shape.iter().zip(strides).filter(|&(&size, _)| size > 1);
    let mut axes: SmallVec<[(usize, usize); 8]> =
        stepped.rev().map(|(&size, &stride)| (stride.unsigned_abs(), size - 1)).collect();
    if is_nested(&axes, elem) {
        return Overlap::No;
    }
    axes.sort_unstable();
    if is_nested(&axes, elem) {
        return Overlap::No;
    }
    if axes.first().is_some_and(|&(step, _)| step < elem) {
        return Overlap::Yes; // neighbours along one axis
    }
    if axes.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Overlap::Yes; // one step forwards along one axis, one back along the other
    }
    let terms: Terms =
        axes.iter().map(|&(step, max)| Term { step: step as i128, max: max as i128 }).collect();
    self_overlap_of_terms(&terms, elem as i128)
}

/// Whether each of `axes`, as (step, largest index), steps over all that those before it span.
fn is_nested(axes: &[(usize, usize)], elem: usize) -> bool {
    let mut end = elem;
    for &(step, max) in axes {
        if step < end {
            return false;
        }
        match step.checked_mul(max).and_then(|reach| reach.checked_add(end)) {
            Some(sum) => end = sum,
            None => return false,
        }
    }
    true
}

/// Whether some element of `a` and some element of `b` share a byte. Any numbers may be given;
/// unit axes and empty shapes are not looked at.
pub fn strided_share(a: Strided<'_>, b: Strided<'_>) -> Overlap {
    if a.elem == 0 || b.elem == 0 || a.shape.contains(&0) || b.shape.contains(&0) {
        return Overlap::No;
    }
    // Wanted: start(a) - start(b) in (-elem(a), elem(b)). With every axis walked forwards in a
    // and backwards in b, the left side is `low(a) - high(b)` plus non-negative steps.
    let (Some((low_a, _)), Some((_, high_b))) = (extent(a), extent(b)) else {
        return Overlap::Unknown;
    };
    let Some(base) = low_a.checked_sub(high_b) else {
        return Overlap::Unknown;
    };
    let mut terms = Term::of_axes(a.shape, a.strides);
    terms.extend(Term::of_axes(b.shape, b.strides));
    let (low, high) = (1 - a.elem as i128 - base, b.elem as i128 - 1 - base);
    terms.sort_unstable_by_key(|term| term.step);
    reaches(&terms, low, high, &mut Work::default())
}

/// Lowest and highest byte offset at which an element starts; `None` on overflow.
fn extent(side: Strided<'_>) -> Option<(i128, i128)> {
    let (mut low, mut high) = (side.offset as i128, side.offset as i128);
    for (&size, &stride) in side.shape.iter().zip(side.strides) {
        if size > 1 {
            let distance = (size as i128 - 1).checked_mul(stride as i128)?;
            let end = if distance < 0 { &mut low } else { &mut high };
            *end = end.checked_add(distance)?;
        }
    }
    Some((low, high))
}

/// `step * z` for an integer `z` in `0..=max`, which is at least 1.
#[derive(Clone, Copy, Debug)]
struct Term {
    step: i128,
    max: i128,
}

type Terms = SmallVec<[Term; 8]>;

impl Term {
    /// A term for every axis that is stepped along.
    fn of_axes(shape: &[usize], strides: &[isize]) -> Terms {
        shape
            .iter()
            .zip(strides)
            .filter(|&(&size, _)| size > 1)
            .map(|(&size, &stride)| Self {
                step: stride.unsigned_abs() as i128,
                max: size as i128 - 1,
            })
            .collect()
    }

    fn reach(self) -> Option<i128> {
        self.step.checked_mul(self.max)
    }
}

/// [`strided_self_overlap`] for axes sorted by step, where the cheap tests left it open.
fn self_overlap_of_terms(terms: &[Term], elem: i128) -> Overlap {
    let reach = |sum: i128, term: &Term| sum.checked_add(term.reach()?);
    let Some(end) = terms.iter().try_fold(elem, reach) else { return Overlap::Unknown };
    let bytes = terms.iter().try_fold(elem, |product, term| product.checked_mul(term.max + 1));
    if bytes.is_none_or(|bytes| bytes > end) {
        return Overlap::Yes; // more bytes than there is room for
    }

    // Two different indices differ first, from the largest step down, along some axis: by
    // 1..=max forwards there, by -max..=max along the smaller ones. For each such axis, the
    // differences shifted to begin at 0 make one question.
    let mut work = Work::default();
    let mut answer = Overlap::No;
    let mut smaller = Terms::new(); // with their range doubled
    let mut smaller_reach = 0i128;
    for term in terms {
        if term.step - smaller_reach < elem {
            let shift = smaller_reach - term.step;
            let mut question = smaller.clone();
            if term.max > 1 {
                question.push(Term { step: term.step, max: term.max - 1 });
            }
            match reaches(&question, 1 - elem + shift, elem - 1 + shift, &mut work) {
                Overlap::Yes => return Overlap::Yes,
                Overlap::Unknown => answer = Overlap::Unknown,
                Overlap::No => {}
            }
        }
        // The sum over all terms was checked above, and i128 has room for its double.
        let Some(doubled) = term.max.checked_mul(2) else { return Overlap::Unknown };
        smaller.push(Term { step: term.step, max: doubled });
        smaller_reach += term.step * term.max;
    }
    answer
}

/// Steps a search may still take.
struct Work(u32);

impl Default for Work {
    fn default() -> Self {
        Self(20_000)
    }
}

/// Whether the sum of `terms`, sorted by step, can fall into `low..=high`.
fn reaches(terms: &[Term], mut low: i128, high: i128, work: &mut Work) -> Overlap {
    let mut merged = Terms::new();
    for &term in terms {
        let Some(reach) = term.reach() else { return Overlap::Unknown };
        if term.step <= high - low + 1 {
            // Steps no longer than the interval: their sums and the interval have no gaps.
            match low.checked_sub(reach) {
                Some(wider) => low = wider,
                None => return Overlap::Unknown,
            }
            continue;
        }
        match merged.last_mut() {
            // Sums of both are all multiples of the smaller step.
            Some(last) if term.step % last.step == 0 && term.step / last.step <= last.max + 1 => {
                last.max += term.step / last.step * term.max;
            }
            _ => merged.push(term),
        }
    }
    // Greatest common divisor and sum of each term and those before it.
    let mut bounds: SmallVec<[Bound; 8]> = SmallVec::new();
    let mut bound = Bound { gcd: 0, reach: 0 };
    bounds.push(bound);
    for term in &merged {
        let Some(reach) = term.reach().and_then(|reach| bound.reach.checked_add(reach)) else {
            return Overlap::Unknown;
        };
        bound = Bound { gcd: gcd(bound.gcd, term.step), reach };
        bounds.push(bound);
    }
    search(&merged, &bounds, low, high, work)
}

/// What the sums of some terms have in common: they are multiples of `gcd` up to `reach`.
#[derive(Clone, Copy)]
struct Bound {
    gcd: i128,
    reach: i128,
}

impl Bound {
    /// Whether a multiple lies in `low..=high`.
    fn allows(self, low: i128, high: i128) -> bool {
        let (low, high) = (low.max(0), high.min(self.reach));
        low <= high && (low == 0 || (self.gcd > 0 && high / self.gcd * self.gcd >= low))
    }
}

/// Whether the sum of `terms` can fall into `low..=high`. `bounds[k]` speaks of the first `k`.
fn search(terms: &[Term], bounds: &[Bound], low: i128, high: i128, work: &mut Work) -> Overlap {
    if !bounds[terms.len()].allows(low, high) {
        return Overlap::No;
    }
    let (last, rest) = match terms {
        // What a single step's multiples, or 0, can do, the bound has said.
        [] | [_] => return Overlap::Yes,
        [small, large] => return pair_reaches(*small, *large, low, high),
        [rest @ .., last] => (*last, rest),
    };
    let rest_reach = bounds[rest.len()].reach;
    let first = div_ceil(low - rest_reach, last.step).max(0);
    let end = high.div_euclid(last.step).min(last.max);
    let mut answer = Overlap::No;
    let mut z = first;
    while z <= end {
        if work.0 == 0 {
            return Overlap::Unknown;
        }
        work.0 -= 1;
        let taken = z * last.step;
        match search(rest, bounds, low - taken, high - taken, work) {
            Overlap::Yes => return Overlap::Yes,
            Overlap::Unknown => answer = Overlap::Unknown,
            Overlap::No => {}
        }
        z += 1;
    }
    answer
}

/// Whether `a.step * x + b.step * y` can fall into `low..=high`, exactly, for an interval shorter
/// than both steps.
fn pair_reaches(a: Term, b: Term, low: i128, high: i128) -> Overlap {
    // For an x, a y exists when `high - a.step * x` lies at most `width` above a multiple of
    // b.step, and x is neither too small for y <= b.max nor too large for y >= 0.
    let width = high - low;
    let Some(b_reach) = b.reach() else { return Overlap::Unknown };
    let first = div_ceil(low - b_reach, a.step).max(0);
    let end = high.div_euclid(a.step).min(a.max);
    if first > end {
        return Overlap::No;
    }
    let modulus = b.step as u128;
    let start = (high - first * a.step).rem_euclid(b.step);
    if start <= width {
        return Overlap::Yes;
    }
    // Every further x subtracts a.step: seek the first whose multiple is `start - width..=start`.
    let step = (a.step as u128) % modulus;
    match first_multiple_within(step, modulus, (start - width) as u128, start as u128) {
        Some(t) if t <= (end - first) as u128 => Overlap::Yes,
        _ => Overlap::No,
    }
}

/// The least `t` with `step * t mod modulus` in `low..=high`, where `step < modulus` and
/// `0 < low <= high < modulus`. As many rounds as Euclid's algorithm takes.
fn first_multiple_within(step: u128, modulus: u128, low: u128, high: u128) -> Option<u128> {
    if step == 0 {
        return None;
    }
    let t = low.div_ceil(step);
    if t * step <= high {
        return Some(t);
    }
    // No multiple of step lies in low..=high itself: find how often to go round the modulus.
    let below = |x: u128| (step - x % step) % step; // -x mod step
    let rounds = first_multiple_within(modulus % step, step, below(high), below(low))?;
    Some((low + modulus * rounds).div_ceil(step))
}

/// `a / b` rounded up, `b` positive.
fn div_ceil(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
