//! What a copy costs, asked of the planner in this one place.

use serde::Serialize;

use crate::analysis::Side;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::plan::{CopySpec, Plan, PlanOptions};

/// The planner's answer for one copy on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// The class of the copy.
    pub class: &'static str,
    /// How it is carried out, in words.
    pub plan: String,
    /// What is read.
    pub source: Touched,
    /// What is written.
    pub destination: Touched,
    /// Source lines that a plain loop in the destination's order would fetch, those that fall
    /// out of the first-level cache before their next element counted again.
    pub plain_loop_lines: usize,
}

/// Distinct cache lines and pages that one side of a copy touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Touched {
    /// Cache lines.
    pub lines: usize,
    /// Pages.
    pub pages: usize,
}

impl Cost {
    /// The cost of copying `from` into `to`, with elements of `elem_size` bytes; `None` when no
    /// plan exists, which is so when a span in bytes exceeds the address range.
    pub fn of(from: &Layout, to: &Layout, elem_size: usize) -> Option<Self> {
        let spec = CopySpec::between(from, to, elem_size).ok()?;
        let plan = Plan::new(&spec, &PlanOptions::default()).ok()?;
        let traffic = plan.traffic(Machine::current());
        let touched = |side: Side| Touched { lines: side.lines, pages: side.pages };
        Some(Self {
            class: plan.class().as_str(),
            plan: plan.to_string(),
            source: touched(traffic.src),
            destination: touched(traffic.dst),
            plain_loop_lines: traffic.plain_loop_src_lines,
        })
    }
}
