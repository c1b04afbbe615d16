//! A plan in words.

use core::fmt;

use super::nest::Extent;
use super::{Plan, Threads, Work};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.copy.bytes == 0 {
            return f.write_str("nothing to copy");
        }
        write!(f, "{}: ", self.class())?;
        let unit = self.copy.run;
        if self.copy.axes.is_empty() {
            write!(f, "one run of {unit} bytes")?;
        } else {
            for (i, axis) in self.copy.axes.iter().enumerate() {
                write!(f, "{}{}", if i == 0 { "" } else { " x " }, axis.len)?;
            }
            write!(
                f,
                " {} of {unit} bytes",
                if unit > self.elem_size { "runs" } else { "elements" }
            )?;
        }
        let streams = match &self.work {
            Work::Nest(nest) => {
                let asked = if self.tile_asked { " as asked" } else { "" };
                write!(f, ", {}{asked}", Cells(nest.cells(), nest.p, nest.q))?;
                nest.kernel.streams()
            }
            _ => false,
        };
        let stores = if streams { "streaming" } else { "cached" };
        write!(f, " by {}, {stores} stores, ", self.kernel())?;
        match self.threads {
            Threads::Serial => f.write_str("serial"),
            Threads::Auto => f.write_str("threads as the bytes are worth"),
            Threads::AtMost(n) => write!(f, "at most {n} threads"),
        }
    }
}

/// Count and extents of a nest's cells.
struct Cells(usize, Extent, Extent);

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p, q) = (self.1.block(), self.2.block());
        let plural = if self.0 == 1 { "cell" } else { "cells" };
        write!(f, "{} {plural} of {p} x {q}", self.0)
    }
}
