//! Floors: what a gauge reads of something that knows nothing, or of the same thing drawn anew.
//!
//! A number about explanations says little by itself: where things lie in the middle of images, a
//! bump in the middle points at them too. A gauge therefore names its floors, as keys that a study
//! would set for them; whoever plans reads them beside it.

crate::words! {
    /// What a floor shows.
    pub enum FloorKind {
        /// What is owed to nothing that was learnt: the gauge has to read better.
        KnowsNothing = "knows-nothing",
        /// What chance does by itself: what stress does has to read worse.
        OtherDraws = "other-draws",
    }
}

/// A floor of a gauge: the same part with other keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Floor {
    /// What it is called behind the name of its gauge.
    pub name: &'static str,
    /// What it shows.
    pub kind: FloorKind,
    /// The keys that it sets, spelled as their defaults would be.
    pub sets: &'static [(&'static str, &'static str)],
    /// The keys that mean nothing to it.
    pub leaves_out: &'static [&'static str],
}
