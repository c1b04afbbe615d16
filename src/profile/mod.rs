//! What a layout does to the caches of this machine.
//!
//! ```text
//! topology    cores, caches, TLBs, pages, NUMA nodes: what the system and the CPU tell
//! stream      the addresses that a copy reads and writes, in order, without touching any of them
//! simulate    set-associative caches and TLBs that such a stream is fed to
//! counters    the hardware's own counts, where the kernel lets a process have them
//! ```
//!
//! `restride profile` puts them beside the clock; its report lives in `report`, and the sweeps that
//! draw bandwidth against one number at a time in `sweep`.

pub mod counters;
pub mod simulate;
pub mod stream;
pub mod topology;

#[cfg(feature = "cli")]
pub mod report;
#[cfg(feature = "cli")]
pub mod sweep;
