//! Does memory overlap: does a layout address an element twice, do two layouts share one.
//!
//! Both questions are about strided boxes in memory and ask for integers: are there indices for
//! which `Σ stride * index` falls into a small interval? Cheap sufficient tests answer nearly
//! every layout met in practice. What is left is solved exactly: axes that together cover an
//! arithmetic progression are merged, two axes are decided by a Euclidean step each, and more
//! are searched through, largest stride first, for a bounded number of steps. Only a search that
//! reaches the bound answers [`Overlap::Unknown`], and numbers that no object in memory has.

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
    let Some(mut terms) = Term::of_side(Strided { offset: 0, shape, strides, elem }) else {
        return Overlap::Unknown;
    };
    terms.sort_unstable_by_key(|term| term.step);
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
    let (Some(terms_a), Some(terms_b)) = (Term::of_side(a), Term::of_side(b)) else {
        return Overlap::Unknown;
    };
    let base = lowest(a) - (lowest(b) + reach(&terms_b));
    let mut terms = terms_a;
    terms.extend(terms_b);
    let (low, high) = (1 - a.elem as i128 - base, b.elem as i128 - 1 - base);
    terms.sort_unstable_by_key(|term| term.step);
    reaches(&terms, low, high, &mut Work::default())
}

/// Lowest byte offset at which an element starts.
fn lowest(side: Strided<'_>) -> i128 {
    let back =
        side.shape.iter().zip(side.strides).filter(|&(&size, &stride)| size > 1 && stride < 0);
    back.fold(side.offset as i128, |low, (&size, &stride)| {
        low + (size as i128 - 1) * stride as i128
    })
}

/// `step * z` for an integer `z` in `0..=max`, which is at least 1.
#[derive(Clone, Copy, Debug)]
struct Term {
    step: i128,
    max: i128,
}

type Terms = SmallVec<[Term; 8]>;

impl Term {
    /// A term for every axis of `side` that is stepped along; `None` when the side spans more
    /// bytes than an object can have. With that ruled out, no sum below overflows `i128`.
    fn of_side(side: Strided<'_>) -> Option<Terms> {
        let mut span = side.elem as i128;
        let mut terms = Terms::new();
        for (&size, &stride) in side.shape.iter().zip(side.strides) {
            if size > 1 {
                let term = Self { step: stride.unsigned_abs() as i128, max: size as i128 - 1 };
                span = term.step.checked_mul(term.max)?.checked_add(span)?;
                terms.push(term);
            }
        }
        (span <= isize::MAX as i128).then_some(terms)
    }

    fn reach(self) -> i128 {
        self.step * self.max
    }
}

/// The largest sum of `terms`.
fn reach(terms: &[Term]) -> i128 {
    terms.iter().map(|term| term.reach()).sum()
}

/// [`strided_self_overlap`] for axes sorted by step, where the cheap tests left it open.
fn self_overlap_of_terms(terms: &[Term], elem: i128) -> Overlap {
    let bytes = terms.iter().try_fold(elem, |product, term| product.checked_mul(term.max + 1));
    if bytes.is_none_or(|bytes| bytes > reach(terms) + elem) {
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
        smaller.push(Term { step: term.step, max: 2 * term.max });
        smaller_reach += term.reach();
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
        if term.step <= high - low + 1 {
            // Steps no longer than the interval: their sums and the interval have no gaps.
            low -= term.reach();
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
        bound = Bound { gcd: gcd(bound.gcd, term.step), reach: bound.reach + term.reach() };
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
    for z in first..=end {
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
    }
    answer
}

/// Whether `a.step * x + b.step * y` can fall into `low..=high`, exactly, for an interval shorter
/// than both steps.
fn pair_reaches(a: Term, b: Term, low: i128, high: i128) -> Overlap {
    // For an x, a y exists when `high - a.step * x` lies at most `width` above a multiple of
    // b.step, and x is neither too small for y <= b.max nor too large for y >= 0.
    let width = high - low;
    let first = div_ceil(low - b.reach(), a.step).max(0);
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
