//! `rearrange("b (h w) c -> b c h w", h=2)`: einops' notation, carried out as a split, a
//! permutation and a merge.

use core::ops::Range;

use super::SpecError;
use super::cursor::Cursor;
use super::trace::Fault;
use crate::error::ErrorKind;
use crate::layout::{Layout, Reshaped};

/// A parsed pattern: every named axis stands once on either side, the ellipsis on both or on
/// none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rearrange {
    left: Vec<Group>,
    right: Vec<Group>,
    /// Named axes, numbered as they stand on the left.
    names: Vec<String>,
    /// Their sizes, where given by keyword.
    sizes: Vec<Option<usize>>,
}

/// What stands for one axis of a side: a name, `1` (no axes), or several in parentheses. The
/// ellipsis alone, without parentheses, stands for any number of axes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    axes: Vec<Axis>,
    in_parentheses: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    /// An index into [`Rearrange::names`].
    Named(usize),
    Ellipsis,
}

/// The left side applied to a shape.
struct Split {
    /// Sizes of the elementary axes, those of the ellipsis among them.
    sizes: Vec<usize>,
    /// Where each named axis stands in `sizes`.
    named: Vec<usize>,
    /// Where the ellipsis' axes stand in `sizes`.
    ellipsis: Range<usize>,
}

impl Rearrange {
    /// Reads `text`, which stands at byte `base` of the spec. `known` are the sizes given by
    /// keyword, with the places of the keywords.
    pub(super) fn parse(
        text: &str,
        base: usize,
        known: &[(String, usize, Range<usize>)],
    ) -> Result<Self, SpecError> {
        let mut pattern = read(text).map_err(|error| {
            let at = error.at.start + base..error.at.end + base;
            SpecError { at, ..error }
        })?;
        for (name, size, at) in known {
            let message = match pattern.names.iter().position(|known| known == name) {
                None => format!("no axis `{name}` in the pattern"),
                Some(axis) if pattern.sizes[axis].replace(*size).is_none() => continue,
                Some(_) => format!("the size of `{name}` is given twice"),
            };
            return Err(SpecError::syntax(message, at.clone()));
        }
        Ok(pattern)
    }

    /// Splits and permutes the axes of `layout`, then merges them. Returns the layout before the
    /// merge, and the merge, which alone can copy.
    pub(super) fn apply(&self, layout: &Layout) -> Result<(Layout, Reshaped), Fault> {
        let split = self.split(layout.shape())?;
        let mut permutation = Vec::new();
        let mut shape = Vec::new();
        for group in &self.right {
            let axes: Vec<usize> = group.axes.iter().flat_map(|&axis| split.places(axis)).collect();
            let sizes = axes.iter().map(|&axis| split.sizes[axis]);
            if group.is_bare_ellipsis() {
                shape.extend(sizes.map(|size| size as isize));
            } else {
                shape.push(product(sizes)? as isize);
            }
            permutation.extend(axes.iter().map(|&axis| axis as isize));
        }
        let sizes: Vec<isize> = split.sizes.iter().map(|&size| size as isize).collect();
        let permuted = layout.view(&sizes)?.permute(&permutation)?;
        let merged = permuted.reshape(&shape)?;
        Ok((permuted, merged))
    }

    /// Finds the size of every elementary axis.
    fn split(&self, shape: &[usize]) -> Result<Split, Fault> {
        let ellipsis = self.left.iter().position(Group::is_bare_ellipsis);
        let groups = self.left.len() - usize::from(ellipsis.is_some());
        let fits = if ellipsis.is_some() { groups <= shape.len() } else { groups == shape.len() };
        if !fits {
            let message =
                format!("the pattern names {groups} axes, but the tensor has {}", shape.len());
            return Err(Fault::new(ErrorKind::BadAxis, message));
        }
        let mut split = Split { sizes: vec![], named: vec![0; self.names.len()], ellipsis: 0..0 };
        let mut rest = shape;
        for group in &self.left {
            if group.is_bare_ellipsis() {
                let (covered, after) = rest.split_at(shape.len() - groups);
                let start = split.sizes.len();
                split.sizes.extend(covered);
                split.ellipsis = start..split.sizes.len();
                rest = after;
                continue;
            }
            let (&size, after) = rest.split_first().expect("the ranks were compared");
            rest = after;
            for (axis, size) in self.factors(group, size)? {
                split.named[axis] = split.sizes.len();
                split.sizes.push(size);
            }
        }
        Ok(split)
    }

    /// The named axes an axis of `size` splits into, with their sizes.
    fn factors(&self, group: &Group, size: usize) -> Result<Vec<(usize, usize)>, Fault> {
        let names: Vec<usize> = group
            .axes
            .iter()
            .filter_map(|axis| match axis {
                Axis::Named(axis) => Some(*axis),
                Axis::Ellipsis => None,
            })
            .collect();
        let text =
            names.iter().map(|&axis| self.names[axis].as_str()).collect::<Vec<_>>().join(" ");
        let known = product(names.iter().filter_map(|&axis| self.sizes[axis]))?;
        let mut unknown = names.iter().filter(|&&axis| self.sizes[axis].is_none());
        let inferred = match (unknown.next(), unknown.next()) {
            (None, _) if known == size => 1,
            (Some(_), None) if known == 0 && size == 0 => {
                let message = format!("an axis of size 0 does not tell the sizes of ({text})");
                return Err(Fault::new(ErrorKind::Ambiguous, message));
            }
            (Some(_), None) if known != 0 && size.is_multiple_of(known) => size / known,
            (Some(&a), Some(&b)) => {
                let message = format!(
                    "the sizes of `{}` and `{}` cannot both be inferred: give one by keyword",
                    self.names[a], self.names[b]
                );
                return Err(Fault::new(ErrorKind::TwoInferred, message));
            }
            (None, _) if names.is_empty() => {
                let message = format!("`1` in the pattern stands for an axis of size {size}");
                return Err(Fault::new(ErrorKind::SizeMismatch, message));
            }
            _ => {
                let message = format!(
                    "an axis of size {size} does not split into ({text}) with {known} given"
                );
                return Err(Fault::new(ErrorKind::SizeMismatch, message));
            }
        };
        Ok(names.iter().map(|&axis| (axis, self.sizes[axis].unwrap_or(inferred))).collect())
    }
}

impl Group {
    fn is_bare_ellipsis(&self) -> bool {
        !self.in_parentheses && self.axes == [Axis::Ellipsis]
    }
}

impl Split {
    fn places(&self, axis: Axis) -> Range<usize> {
        match axis {
            Axis::Named(axis) => self.named[axis]..self.named[axis] + 1,
            Axis::Ellipsis => self.ellipsis.clone(),
        }
    }
}

/// The product of sizes, at most `isize::MAX`.
fn product(sizes: impl Iterator<Item = usize>) -> Result<usize, Fault> {
    let mut product = Some(1usize);
    let mut has_zero = false;
    for size in sizes {
        has_zero |= size == 0;
        product = product.and_then(|p| p.checked_mul(size));
    }
    match product.filter(|&p| isize::try_from(p).is_ok()) {
        _ if has_zero => Ok(0),
        Some(product) => Ok(product),
        None => Err(Fault::new(ErrorKind::Overflow, "a product of axis sizes overflows")),
    }
}

/// Reads a pattern; positions count from the start of `text`.
fn read(text: &str) -> Result<Rearrange, SpecError> {
    let mut cursor = Cursor::new(text);
    let mut names: Vec<String> = Vec::new();
    let mut left_ellipsis = false;
    let left = side(&mut cursor, |name, at, in_parentheses| {
        if name == "..." {
            if in_parentheses {
                let message = "an ellipsis on the left cannot stand in parentheses";
                return Err(SpecError::syntax(message, at));
            }
            left_ellipsis = true;
            return Ok(Axis::Ellipsis);
        }
        names.push(name.to_owned());
        Ok(Axis::Named(names.len() - 1))
    })?;
    if !cursor.eat("->") {
        return Err(cursor.unexpected("an axis or `->`"));
    }
    let right = side(&mut cursor, |name, at, _| {
        if name == "..." {
            let message = "the ellipsis stands only on the right";
            return left_ellipsis.then_some(Axis::Ellipsis).ok_or(SpecError::syntax(message, at));
        }
        names
            .iter()
            .position(|known| known == name)
            .map(Axis::Named)
            .ok_or_else(|| SpecError::syntax(format!("axis `{name}` stands only on the right"), at))
    })?;
    if cursor.peek().is_some() {
        return Err(cursor.unexpected("an axis or the end of the pattern"));
    }
    let is_missing = |axis: Axis| !right.iter().any(|group| group.axes.contains(&axis));
    if left_ellipsis && is_missing(Axis::Ellipsis) {
        return Err(SpecError::syntax("the ellipsis stands only on the left", 0..text.len()));
    }
    if let Some(axis) = (0..names.len()).find(|&axis| is_missing(Axis::Named(axis))) {
        let message = format!("axis `{}` stands only on the left", names[axis]);
        return Err(SpecError::syntax(message, 0..text.len()));
    }
    let sizes = vec![None; names.len()];
    Ok(Rearrange { left, right, names, sizes })
}

/// Reads one side; `resolve` turns a name (or `...`), its place and whether it stands in
/// parentheses into an axis.
fn side<'a>(
    cursor: &mut Cursor<'a>,
    mut resolve: impl FnMut(&'a str, Range<usize>, bool) -> Result<Axis, SpecError>,
) -> Result<Vec<Group>, SpecError> {
    let mut groups: Vec<Group> = Vec::new();
    let mut open: Option<Group> = None;
    let mut seen: Vec<&str> = Vec::new();
    loop {
        if let Some((name, at)) = axis_name(cursor)? {
            let in_parentheses = open.is_some();
            let mut axes = Vec::new();
            if name != "1" {
                if seen.contains(&name) {
                    return Err(SpecError::syntax(
                        format!("`{name}` stands twice on one side"),
                        at,
                    ));
                }
                seen.push(name);
                axes.push(resolve(name, at, in_parentheses)?);
            }
            match &mut open {
                Some(group) => group.axes.append(&mut axes),
                None => groups.push(Group { axes, in_parentheses }),
            }
        } else if open.is_none() && cursor.eat("(") {
            open = Some(Group { axes: vec![], in_parentheses: true });
        } else if open.is_some() && cursor.eat(")") {
            groups.extend(open.take());
        } else if open.is_some() {
            return Err(cursor.unexpected("an axis or `)`"));
        } else {
            return Ok(groups);
        }
    }
}

/// Reads a name, `1` or `...`, if one comes next.
fn axis_name<'a>(cursor: &mut Cursor<'a>) -> Result<Option<(&'a str, Range<usize>)>, SpecError> {
    if let Some(found) = cursor.identifier() {
        return Ok(Some(found));
    }
    let start = cursor.pos();
    if cursor.eat("...") {
        return Ok(Some(("...", start..cursor.pos())));
    }
    if cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        return match cursor.integer()? {
            Some((1, at)) => Ok(Some(("1", at))),
            Some((_, at)) => {
                Err(SpecError::syntax("the only number that can stand for an axis is 1", at))
            }
            None => Ok(None),
        };
    }
    Ok(None)
}
