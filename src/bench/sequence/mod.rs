//! What a view costs together with what reads it: sequences of a view and its consumers.
//!
//! Making a view is free, so there is nothing to time in it; what it costs shows when it is read.
//! Each sequence is carried out under every [`policy::Policy`], all in the same rounds:
//!
//! ```text
//! resolve     a spec that ends in consumers → layouts and shapes
//! number      the element types that consumers know
//! inputs      what is read: storage, arguments, room for results
//! policy      read the view; or make it dense first, once a use or once for many
//! run         everybody in every round
//! model       what cache lines and operations alone would cost
//! break_even  from how many uses on materializing pays
//! advice      which policy to choose, in words
//! record      what is kept
//! table       the figures on a terminal
//! csv         a line for each policy
//! html        the figures on the web page
//! ```

pub mod advice;
pub mod break_even;
pub mod csv;
pub mod html;
pub mod inputs;
pub mod model;
pub mod number;
pub mod policy;
pub mod record;
pub mod resolve;
pub mod run;
pub mod table;

pub use record::SequenceRecord;
pub use resolve::Sequence;
