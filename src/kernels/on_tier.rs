//! Loops compiled for the instruction-set tiers: written once, in safe code that the compiler turns
//! into vectors, and run on the machine's tier.

#[cfg(target_arch = "x86_64")]
use crate::machine::{Isa, Machine};

/// A piece of work whose loops are to be compiled for every tier: everything it calls has to be
/// inlined into it.
pub(crate) trait Loops {
    type Output;

    /// Does the work. Implementations are `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// Runs `loops` on the machine's tier.
pub(crate) fn on_tier<L: Loops>(loops: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    match Machine::current().isa {
        Isa::Avx512 => {
            if let Some(v4) = pulp::x86::V4::try_new() {
                return v4.vectorize(Call(loops));
            }
        }
        Isa::Avx2 => {
            if let Some(v3) = pulp::x86::V3::try_new() {
                return v3.vectorize(Call(loops));
            }
        }
        _ => {}
    }
    loops.run()
}

#[cfg(target_arch = "x86_64")]
struct Call<L>(L);

#[cfg(target_arch = "x86_64")]
impl<L: Loops> pulp::NullaryFnOnce for Call<L> {
    type Output = L::Output;

    #[inline(always)]
    fn call(self) -> L::Output {
        self.0.run()
    }
}
