//! The ways to get a view read.

use crate::bench::record::Destination;

/// Uses of one dense copy in [`Policy::Many`].
pub const USES: u32 = 8;

/// One participant of a sequence's rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The consumers read the view as it is.
    View,
    /// The consumers read dense memory that is there already: what every use after the first pays.
    Dense,
    /// The view is materialized, then consumed once.
    Once(Destination),
    /// The view is materialized, then consumed [`USES`] times.
    Many(Destination),
    /// A memcpy of the viewed bytes: the unit of the other figures.
    Memcpy,
}

impl Policy {
    /// All, in the order of tables.
    pub const ALL: [Self; 7] = [
        Self::View,
        Self::Once(Destination::Reused),
        Self::Once(Destination::Fresh),
        Self::Many(Destination::Reused),
        Self::Many(Destination::Fresh),
        Self::Dense,
        Self::Memcpy,
    ];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "consume the view",
            Self::Dense => "consume dense memory",
            Self::Once(_) => "materialize, consume",
            Self::Many(_) => "materialize, consume 8 times",
            Self::Memcpy => "memcpy",
        }
    }

    /// Where the view is materialized to, if it is.
    pub fn destination(self) -> Option<Destination> {
        match self {
            Self::Once(destination) | Self::Many(destination) => Some(destination),
            Self::View | Self::Dense | Self::Memcpy => None,
        }
    }

    /// How often the view's values are consumed.
    pub fn uses(self) -> u32 {
        match self {
            Self::View | Self::Dense | Self::Once(_) => 1,
            Self::Many(_) => USES,
            Self::Memcpy => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_counts_the_uses() {
        let name = Policy::Many(Destination::Fresh).name();
        assert!(name.contains(&format!("{USES} times")), "{name}");
    }
}
