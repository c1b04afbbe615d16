//! Caches and TLBs that a stream of accesses is fed to.
//!
//! ```text
//! shape       sizes, ways and lines, from the machine or from text such as l1=48K,12,64
//! set         which line of a set has to go: least recently used, or the tree that resembles it
//! cache       one set-associative cache
//! level       a cache with its counts, beside a fully associative one that tells conflicts apart
//! simulator   levels behind one another, TLBs beside them
//! counts      what came of it
//! ```
//!
//! Modelled: allocation on reads and on writes, write-backs of lines that were written, streaming
//! stores that pass all levels by, inclusive levels and such that promise nothing. Left out: every
//! prefetcher, in hardware or software; victim caches; the hash by which large last-level caches
//! pick a set; the scattering of physical pages, so that sets follow from the addresses the program
//! sees. What is counted as a miss may therefore have been foreseen in time, which is what makes
//! walks along lines fast and jumps slow.

mod cache;
mod counts;
mod level;
mod set;
mod shape;
mod simulator;

pub use cache::{Cache, Lookup};
pub use counts::{Counts, LevelCounts};
pub use set::Policy;
pub use shape::{Caches, Level, Shape, ShapeError, Streaming, Tlb};
pub use simulator::Simulator;
