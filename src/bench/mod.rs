//! Copy strategies, timed interleaved beside the ceiling.
