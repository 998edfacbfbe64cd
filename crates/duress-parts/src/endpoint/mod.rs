//! What stands between the keys of an `endpoint` and its client: settings, and what replies mean.

pub(crate) mod choice;
pub(crate) mod ratings;
pub(crate) mod settings;
