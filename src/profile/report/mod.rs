//! One page on one copy: what it costs by the clock, by the model, by the simulator and by the
//! hardware, strategy by strategy, and what limits each.

pub mod html;
mod limits;
mod measure;
pub mod text;

use serde::Serialize;

use super::counters::Counted;
use super::simulate::{Caches, Counts};
use crate::bench::warning::Warning;

pub use measure::{Settings, profile, stream};

/// Version of the JSON form.
pub const FORMAT: u32 = 1;

/// Everything about one copy.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// [`FORMAT`].
    pub format: u32,
    /// The spec.
    pub spec: String,
    /// Class of its copy.
    pub class: String,
    /// How restride carries it out.
    pub plan: String,
    /// The planned copy beside the loop written by hand, in a sentence.
    pub in_short: String,
    /// Bytes of an element.
    pub elem_size: usize,
    /// Elements along each axis.
    pub shape: Vec<usize>,
    /// Source strides in bytes.
    pub src_strides: Vec<isize>,
    /// Destination strides in bytes.
    pub dst_strides: Vec<isize>,
    /// Bytes that a copy writes.
    pub output_bytes: usize,
    /// Threads of the measured copies. Simulated is one.
    pub threads: usize,
    /// The processor's name.
    pub cpu: Option<String>,
    /// What was simulated.
    pub caches: Caches,
    /// Bytes of a cache line that the predictions count.
    pub line: usize,
    /// Distinct lines and pages, by the sizes and strides alone.
    pub predicted: Predicted,
    /// Name of the dense copy that the others are held against.
    pub ceiling: String,
    /// One entry for each strategy.
    pub strategies: Vec<Profiled>,
    /// Why the hardware counted nothing; null where it did.
    pub not_counted: Option<String>,
    /// What makes the times doubtful.
    pub warnings: Vec<Warning>,
}

/// What the model says before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Predicted {
    /// Distinct source lines.
    pub src_lines: usize,
    /// Distinct destination lines.
    pub dst_lines: usize,
    /// Distinct source pages.
    pub src_pages: usize,
    /// Distinct destination pages.
    pub dst_pages: usize,
    /// Source lines that a plain loop fetches through the level-1 cache.
    pub plain_loop_src_lines: usize,
}

/// One strategy.
#[derive(Clone, Debug, Serialize)]
pub struct Profiled {
    /// Its name.
    pub strategy: String,
    /// A dense copy of as many bytes, there for comparison.
    pub dense: bool,
    /// Seconds a copy takes: median.
    pub seconds: f64,
    /// Half the width of the median's 95 % interval, relative to it.
    pub noise: f64,
    /// 10⁹ bytes read and written in a second, every element once each way.
    pub gb_per_second: f64,
    /// Speed relative to the ceiling: 1 is as fast.
    pub to_ceiling: f64,
    /// Lines that the model says have to pass the level-1 cache or be streamed.
    pub predicted_lines: usize,
    /// What the simulator counted, scaled up to the whole copy.
    pub simulated: Counts,
    /// Part of the copy that was simulated.
    pub simulated_share: f64,
    /// What the hardware counted, where it did.
    pub counted: Option<Counted>,
    /// What limits it, in a sentence.
    pub limit: String,
}

impl Profile {
    /// The strategy of this name.
    pub fn of(&self, strategy: &str) -> Option<&Profiled> {
        self.strategies.iter().find(|profiled| profiled.strategy == strategy)
    }
}
