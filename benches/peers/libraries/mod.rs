//! The libraries, one file each, in the order of tables.

mod burn;
mod candle;
mod faer;
mod fast_transpose;
#[cfg(feature = "hptt")]
mod hptt;
mod mdarray;
mod nalgebra;
mod ndarray;
mod rten;
mod strided;
mod transpose;

use core::fmt::Debug;

use bytemuck::Pod;

use super::entry::Entry;
use super::task::Task;

/// A library that takes part.
pub struct Library {
    /// Its name.
    pub name: &'static str,
    /// Whether its copies can use several threads.
    pub threads: bool,
    /// Its copy of a task; `None` where it cannot express it in one call.
    pub enter: fn(&Task<'_>) -> Option<Entry>,
}

/// Everybody, in the order of tables.
pub const LIBRARIES: &[Library] = &[
    #[cfg(feature = "hptt")]
    Library { name: "HPTT", threads: true, enter: hptt::enter },
    Library { name: "strided-perm", threads: true, enter: strided::enter_perm },
    Library { name: "strided-basic", threads: true, enter: strided::enter_basic },
    Library { name: "ndarray", threads: true, enter: ndarray::enter },
    Library { name: "transpose", threads: false, enter: transpose::enter },
    Library { name: "fast_transpose", threads: false, enter: fast_transpose::enter },
    Library { name: "rten-tensor", threads: false, enter: rten::enter },
    Library { name: "mdarray", threads: false, enter: mdarray::enter },
    Library { name: "nalgebra", threads: false, enter: nalgebra::enter },
    Library { name: "faer", threads: false, enter: faer::enter },
    Library { name: "candle", threads: false, enter: candle::enter },
    Library { name: "burn-flex", threads: true, enter: burn::enter },
];

/// How many of them keep a copy of the source in a run: burn-flex, and candle with room for what
/// a view skips at its end.
pub const OWNERS: u64 = 3;

/// What libraries want of an element.
pub trait Element: Pod + Send + Sync + PartialEq + Debug + Default {}

impl<T: Pod + Send + Sync + PartialEq + Debug + Default> Element for T {}

/// Calls a generic function with the type of a task's elements.
macro_rules! with_type {
    ($function:ident, $task:expr) => {
        match $task.elem_size {
            1 => $function::<u8>($task),
            2 => $function::<u16>($task),
            4 => $function::<f32>($task),
            8 => $function::<f64>($task),
            _ => $function::<[f64; 2]>($task),
        }
    };
}
use with_type;
