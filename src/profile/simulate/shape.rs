//! Sizes of caches and TLBs: of this machine, or given by hand.

use serde::Serialize;
use thiserror::Error;

use super::Policy;
use crate::machine::Machine;
use crate::profile::topology::Topology;

/// A cache's (or TLB's) size, its ways and its line. All in bytes but the ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// What it holds; of a TLB, what its entries translate.
    pub bytes: usize,
    /// Lines of a set.
    pub ways: usize,
    /// Line; of a TLB, a page.
    pub line: usize,
}

/// The most lines that a cache may have: more is a mistake, and would take gigabytes.
const MOST_LINES: usize = 1 << 24;
/// The most ways of a set, above which looking through one takes too long.
const MOST_WAYS: usize = 4096;

impl Shape {
    /// A cache of `bytes` in sets of `ways` lines of `line` bytes.
    ///
    /// # Errors
    /// [`ShapeError::Impossible`] when a number is 0, the line is no power of two, the sets would
    /// not come out even, or the cache is larger than any.
    pub fn new(bytes: usize, ways: usize, line: usize) -> Result<Self, ShapeError> {
        let wrong = |why| Err(ShapeError::Impossible { bytes, ways, line, why });
        if bytes == 0 || ways == 0 || line == 0 {
            return wrong("no number may be 0");
        }
        if !line.is_power_of_two() {
            return wrong("the line is no power of two");
        }
        match ways.checked_mul(line) {
            Some(set) if bytes.is_multiple_of(set) => {}
            _ => return wrong("the size is no multiple of ways times line"),
        }
        if ways > MOST_WAYS || bytes / line > MOST_LINES {
            return wrong("that is larger than any cache");
        }
        Ok(Self { bytes, ways, line })
    }

    /// Lines in all.
    pub fn lines(&self) -> usize {
        self.bytes / self.line
    }

    /// Sets.
    pub fn sets(&self) -> usize {
        self.lines() / self.ways
    }

    /// Reads `48K,12,64`: size, ways, line; without the line, 64.
    fn parse(text: &str) -> Result<Self, ShapeError> {
        let unreadable = || ShapeError::Unreadable { text: text.to_owned() };
        let mut parts = text.split(',').map(str::trim);
        let bytes = parts.next().and_then(parse_size).ok_or_else(unreadable)?;
        let ways = parts.next().and_then(|part| part.parse().ok()).ok_or_else(unreadable)?;
        let line = match parts.next() {
            Some(part) => parse_size(part).ok_or_else(unreadable)?,
            None => 64,
        };
        if parts.next().is_some() {
            return Err(unreadable());
        }
        Self::new(bytes, ways, line)
    }
}

/// `48K`, `2M`, `1G` or plain bytes.
fn parse_size(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: usize = match &text[digits.len()..] {
        "" | "B" => 1,
        "K" | "k" | "KiB" => 1 << 10,
        "M" | "m" | "MiB" => 1 << 20,
        "G" | "g" | "GiB" => 1 << 30,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

/// A shape that no cache has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Numbers that make no cache.
    #[error("a cache of {bytes} bytes, {ways} ways and lines of {line}: {why}")]
    Impossible {
        /// The size.
        bytes: usize,
        /// The ways.
        ways: usize,
        /// The line.
        line: usize,
        /// What is wrong with them.
        why: &'static str,
    },
    /// Text that is no shape.
    #[error("`{text}` is not SIZE,WAYS[,LINE], for example 48K,12,64")]
    Unreadable {
        /// The text.
        text: String,
    },
    /// A name that no level has, or none at all.
    #[error("`{text}` does not begin with l1=, l2=, l3=, tlb1= or tlb2=")]
    UnknownLevel {
        /// The text.
        text: String,
    },
    /// A tree of more leaves than a set's state has bits for.
    #[error("a tree-PLRU set has at most 64 ways, not {ways}")]
    TooManyWays {
        /// The ways asked for.
        ways: usize,
    },
    /// Caches whose lines differ.
    #[error("all caches need lines of the same size")]
    LinesDiffer,
}

/// One cache of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Level {
    /// `L1d`, `L2`, `L3`.
    pub name: &'static str,
    /// Its sizes.
    pub shape: Shape,
    /// It holds whatever the nearer levels hold: what it loses, they lose.
    pub inclusive: bool,
    /// The sizes are assumed: the machine did not tell.
    pub assumed: bool,
}

/// One TLB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tlb {
    /// `L1 dTLB`, `L2 TLB`.
    pub name: &'static str,
    /// Its sizes: a line is a page.
    pub shape: Shape,
    /// The sizes are assumed: the machine did not tell.
    pub assumed: bool,
}

/// What becomes of streaming stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Streaming {
    /// They pass every level by, and throw out the line where one holds it.
    #[default]
    Bypass,
    /// They are stores like all others, as in cachegrind.
    AsStores,
}

/// What is simulated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caches {
    /// Caches, nearest first; at least one. Their lines have one size.
    pub levels: Vec<Level>,
    /// TLBs, nearest first. Their pages have one size.
    pub tlbs: Vec<Tlb>,
    /// Which line of a set has to go.
    pub policy: Policy,
    /// What becomes of streaming stores.
    pub streaming: Streaming,
}

/// Entries and ways of the TLBs assumed where the machine does not tell.
const ASSUMED_TLBS: [(usize, usize); 2] = [(64, 4), (1536, 12)];
/// Ways of the caches assumed where the machine does not tell.
const ASSUMED_WAYS: [usize; 3] = [8, 8, 16];

impl Caches {
    /// The caches and TLBs of a machine; what `topology` does not tell is assumed, and marked so.
    /// Pages have the base size.
    pub fn of(topology: &Topology, machine: &Machine) -> Self {
        let sizes = [machine.l1d, machine.l2, machine.l3];
        let levels = (1..).zip(["L1d", "L2", "L3"]).zip(sizes.into_iter().zip(ASSUMED_WAYS));
        let level = |((level, name), (bytes, ways)): ((u32, &'static str), (usize, usize))| {
            let told = topology.data_cache(level);
            let shape = told.and_then(|c| Shape::new(c.bytes, c.ways?, c.line?).ok());
            let step = ways * machine.line;
            let assumed = Shape { bytes: bytes.next_multiple_of(step), ways, line: machine.line };
            Level {
                name,
                shape: shape.unwrap_or(assumed),
                inclusive: level > 1 && told.and_then(|c| c.inclusive).unwrap_or(false),
                assumed: shape.is_none(),
            }
        };
        let tlb = |((level, name), (entries, ways)): ((u8, &'static str), (usize, usize))| {
            let page = machine.page;
            let told = topology.data_tlb(level, page);
            let shape = told.and_then(|t| Shape::new(t.entries * page, t.ways, page).ok());
            let assumed = Shape { bytes: entries * page, ways, line: page };
            Tlb { name, shape: shape.unwrap_or(assumed), assumed: shape.is_none() }
        };
        Self {
            levels: levels.map(level).collect(),
            tlbs: (1..).zip(["L1 dTLB", "L2 TLB"]).zip(ASSUMED_TLBS).map(tlb).collect(),
            policy: Policy::Lru,
            streaming: Streaming::Bypass,
        }
    }

    /// Replaces one shape as `text` says: `l1=48K,12,64`, `tlb1=96,6,4K` (entries, ways, page), or
    /// `l3=none` to leave a level out.
    ///
    /// # Errors
    /// [`ShapeError`] when the text is none of these. The level is left as it was.
    pub fn set(&mut self, text: &str) -> Result<(), ShapeError> {
        let unknown = || ShapeError::UnknownLevel { text: text.to_owned() };
        let (name, value) = text.split_once('=').ok_or_else(unknown)?;
        let name = match name.trim().to_ascii_lowercase().as_str() {
            "l1" | "l1d" => "L1d",
            "l2" => "L2",
            "l3" => "L3",
            "tlb1" => "L1 dTLB",
            "tlb2" => "L2 TLB",
            _ => return Err(unknown()),
        };
        if value.trim() == "none" && name != "L1d" {
            self.levels.retain(|level| level.name != name);
            self.tlbs.retain(|tlb| tlb.name != name);
            return Ok(());
        }
        if name.ends_with("TLB") {
            let shape = parse_tlb(value)?;
            self.tlbs.retain(|tlb| tlb.name != name);
            self.tlbs.push(Tlb { name, shape, assumed: false });
            self.tlbs.sort_by_key(|tlb| tlb.name);
            return Ok(());
        }
        let shape = Shape::parse(value)?;
        let inclusive = self.levels.iter().any(|level| level.name == name && level.inclusive);
        self.levels.retain(|level| level.name != name);
        self.levels.push(Level { name, shape, inclusive, assumed: false });
        self.levels.sort_by_key(|level| level.name);
        Ok(())
    }

    /// Checks what can be checked only of all of them together.
    ///
    /// # Errors
    /// [`ShapeError::LinesDiffer`] for lines (or pages) of two sizes; [`ShapeError::TooManyWays`]
    /// for sets that the policy cannot keep track of.
    pub fn check(&self) -> Result<(), ShapeError> {
        let shapes = || self.levels.iter().map(|l| l.shape);
        let tlbs = || self.tlbs.iter().map(|t| t.shape);
        let line = self.levels.first().map(|level| level.shape.line);
        let page = self.tlbs.first().map(|tlb| tlb.shape.line);
        if !shapes().all(|s| Some(s.line) == line) || !tlbs().all(|s| Some(s.line) == page) {
            return Err(ShapeError::LinesDiffer);
        }
        let wide = shapes().chain(tlbs()).find(|shape| shape.ways > Policy::MOST_TREE_WAYS);
        match wide {
            Some(shape) if self.policy == Policy::TreePlru => {
                Err(ShapeError::TooManyWays { ways: shape.ways })
            }
            _ => Ok(()),
        }
    }
}

/// Reads `64,4` or `64,4,4K`: entries, ways, page.
fn parse_tlb(text: &str) -> Result<Shape, ShapeError> {
    let unreadable = || ShapeError::Unreadable { text: text.to_owned() };
    let (entries, rest) = text.split_once(',').ok_or_else(unreadable)?;
    let entries: usize = entries.trim().parse().map_err(|_| unreadable())?;
    let (ways, page) = match rest.split_once(',') {
        Some((ways, page)) => (ways, parse_size(page.trim()).ok_or_else(unreadable)?),
        None => (rest, 4096),
    };
    let ways = ways.trim().parse().map_err(|_| unreadable())?;
    Shape::new(entries.checked_mul(page).ok_or_else(unreadable)?, ways, page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_from_text() {
        let l1 = Shape { bytes: 48 << 10, ways: 12, line: 64 };
        assert_eq!(Shape::parse("48K,12,64"), Ok(l1));
        assert_eq!(Shape::parse("49152,12"), Ok(l1));
        assert_eq!((l1.lines(), l1.sets()), (768, 64));
        assert_eq!(parse_tlb("96,6").unwrap().sets(), 16);
        assert_eq!(parse_tlb("32,32,2M").unwrap().bytes, 64 << 20);
    }

    #[test]
    fn what_is_no_cache_is_refused() {
        for text in ["", "48K", "48K,0", "48K,12,0", "48K,12,48", "1000,3,64", "x,1", "4K,1,64,9"] {
            assert!(Shape::parse(text).is_err(), "{text}");
        }
        for text in ["99999999999G,1", "18446744073709551615,3,64", "64,4,99999999999999M"] {
            assert!(Shape::parse(text).is_err() && parse_tlb(text).is_err(), "{text}");
        }
    }

    #[test]
    fn levels_are_replaced_and_left_out() {
        let mut caches = Caches::of(&Topology::detect(), Machine::current());
        caches.set("l2=64K,8").unwrap();
        caches.set("l3=none").unwrap();
        caches.set("tlb1=16,4").unwrap();
        let names: Vec<_> = caches.levels.iter().map(|level| level.name).collect();
        assert_eq!(names, ["L1d", "L2"]);
        assert_eq!(caches.levels[1].shape.bytes, 64 << 10);
        assert_eq!(caches.tlbs[0].shape.lines(), 16);
        assert!(caches.set("l4=1M,8").is_err() && caches.set("48K").is_err());
        assert!(caches.set("l1=none").is_err());
        assert_eq!(caches.check(), Ok(()));
        caches.set("l2=64K,8,128").unwrap();
        assert_eq!(caches.check(), Err(ShapeError::LinesDiffer));
    }
}
