//! What the parts of scrambled order share.

pub(super) mod degradation;
pub(super) mod group_evenness;
pub(super) mod idiom_dictionary;
pub(super) mod idiom_file;
pub(super) mod item_groups;
pub(super) mod moved_units;
pub(super) mod option_answers;
pub(super) mod scored_groups;
pub(super) mod text_noise;
pub(super) mod tried_orders;
