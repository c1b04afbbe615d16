//! What a choice of kernel and cells rests on besides the copy itself.

use super::options::{Strategy, TileSize};
use crate::machine::Isa;

/// What the caller asked for and the machine has, decided once for a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub strategy: Strategy,
    pub isa: Isa,
    /// Stores pass the caches by where the kernel can.
    pub stream: bool,
    /// Extents of a transpose's cells.
    pub tile: Option<TileSize>,
}
