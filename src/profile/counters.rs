//! The hardware's own counts, through Linux' `perf_event`.
//!
//! Counters belong to the thread that opens them: what other threads do is not counted.

use serde::Serialize;

/// What one run cost, as far as the hardware counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Core cycles in user mode.
    pub cycles: Option<u64>,
    /// Loads that missed the level-1 data cache.
    pub l1_misses: Option<u64>,
    /// Loads that missed the last-level cache.
    pub llc_misses: Option<u64>,
    /// Loads whose page the level-1 data TLB did not hold.
    pub dtlb_misses: Option<u64>,
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::Counters;
#[cfg(target_os = "linux")]
pub use linux::Counters;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Event, Hardware};
    use perf_event::{Builder, Counter};

    use super::Counted;

    /// Counters of this thread, not running.
    pub struct Counters {
        cycles: Counter,
        l1: Option<Counter>,
        llc: Option<Counter>,
        dtlb: Option<Counter>,
    }

    impl Counters {
        /// Opens what the kernel and the processor have. Counters other than of cycles may be
        /// missing.
        ///
        /// # Errors
        /// One sentence that says why nothing can be counted.
        pub fn open() -> Result<Self, String> {
            let cycles = open(Hardware::CPU_CYCLES).map_err(|error| why(&error))?;
            let misses = |which| {
                open(Cache { which, operation: CacheOp::READ, result: CacheResult::MISS }).ok()
            };
            Ok(Self {
                cycles,
                l1: misses(CacheId::L1D),
                llc: misses(CacheId::LL),
                dtlb: misses(CacheId::DTLB),
            })
        }

        /// Counts while `work` runs. A counter that could not be read is missing from the result.
        pub fn during(&mut self, work: impl FnOnce()) -> Counted {
            let mut all: Vec<&mut Counter> =
                [self.l1.as_mut(), self.llc.as_mut(), self.dtlb.as_mut()]
                    .into_iter()
                    .flatten()
                    .chain([&mut self.cycles])
                    .collect();
            for counter in &mut all {
                // What does not start reads as 0, or not at all; it is only a figure less.
                let _ = counter.reset().and_then(|()| counter.enable());
            }
            work();
            for counter in &mut all {
                let _ = counter.disable();
            }
            let read = |counter: &mut Counter| counter.read().ok();
            Counted {
                cycles: read(&mut self.cycles),
                l1_misses: self.l1.as_mut().and_then(read),
                llc_misses: self.llc.as_mut().and_then(read),
                dtlb_misses: self.dtlb.as_mut().and_then(read),
            }
        }
    }

    fn open<E: Event>(event: E) -> io::Result<Counter> {
        Builder::new(event).build()
    }

    fn why(error: &io::Error) -> String {
        match error.kind() {
            io::ErrorKind::PermissionDenied => "the kernel keeps hardware counters from this \
                 process: lower /proc/sys/kernel/perf_event_paranoid or grant CAP_PERFMON"
                .into(),
            io::ErrorKind::NotFound => {
                "no hardware counters here: the kernel finds none, as in most virtual machines"
                    .into()
            }
            _ => format!("no hardware counters: {error}"),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::Counted;

    /// Only Linux has them.
    pub enum Counters {}

    impl Counters {
        /// Fails.
        ///
        /// # Errors
        /// Always: hardware counters are read through Linux' `perf_event`.
        pub fn open() -> Result<Self, String> {
            Err("hardware counters are read on Linux only".into())
        }

        /// Never called.
        pub fn during(&mut self, _work: impl FnOnce()) -> Counted {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_cycles_are_counted_or_one_sentence_says_why_not() {
        match Counters::open() {
            Ok(mut counters) => {
                let counted = counters.during(|| {
                    core::hint::black_box((0..1000u64).map(core::hint::black_box).sum::<u64>());
                });
                assert!(counted.cycles.is_some());
            }
            Err(why) => assert!(!why.is_empty() && !why.contains('\n')),
        }
    }
}
