//! Which arrangements of a text count, for whoever reads scores of them from a table.

pub use duress_text::arrangement::counts_for;
