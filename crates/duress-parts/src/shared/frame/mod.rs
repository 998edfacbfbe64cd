//! What parts of several families share.

pub(crate) mod chosen_ladder;
pub(crate) mod chosen_ladders;
pub(crate) mod concept_direction;
pub(crate) mod explaining;
pub(crate) mod fixed_source;
pub(crate) mod gathering_intake;
pub(crate) mod log_form;
pub(crate) mod map_likeness;
pub(crate) mod meter_mixture;
pub(crate) mod ratings;
pub(crate) mod recorded_files;
pub(crate) mod recorded_maps;
pub(crate) mod temperature_scaling;
