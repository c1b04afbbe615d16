//! What `restride bench` measures, in the order in which it happens.
//!
//! ```text
//! suite       names and specs: built in, from a file, from the command line
//! resolve     a spec → the one copy to time
//! case        that copy, its bytes and its source data
//! memory      refuse what does not fit instead of being killed
//! buffers     touched, non-repeating input; poisoned output
//! strategy    who takes part: naive, rows, tiles, restride, streaming copy, memcpy
//! verify      every output compared with the oracle before it is timed
//! allowance   which cases a limited time still allows
//! rounds      everybody in every round, in changing order
//! stats       medians, intervals, drift
//! ceiling     which dense copy the others are held against
//! sequence    views with what reads them, under every policy: materialize, or not
//! prepared    one strategy for one case, outside of rounds
//! report      table, JSON, CSV, SVG, web page of a [`record::Report`]
//! ```
//!
//! [`run::run`] ties these together. [`saved`] reads reports back, whoever wrote them, and
//! [`compare`] finds what changed from one to another.

pub mod allowance;
pub mod buffers;
pub mod case;
pub mod ceiling;
pub mod compare;
pub mod context;
pub mod digits;
pub mod memory;
pub mod naive;
pub mod prepared;
pub mod record;
pub mod report;
pub mod resolve;
pub mod rounds;
pub mod run;
pub mod saved;
pub mod sequence;
pub mod stats;
pub mod strategy;
pub mod stream;
pub mod suite;
pub mod team;
pub mod verify;
pub mod warning;

mod error;

pub use error::BenchError;
