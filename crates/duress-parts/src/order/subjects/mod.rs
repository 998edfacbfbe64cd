//! Subjects that explain texts.

pub mod lookup;
pub mod option_picker;
