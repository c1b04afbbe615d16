//! What the copy tests share: buffers between guard pages, and random copies to run on them.

#![allow(dead_code)] // every test binary uses its own part

pub mod guarded;
pub mod random;
