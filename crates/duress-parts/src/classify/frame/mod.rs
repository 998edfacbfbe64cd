//! What the parts that classify share.

pub(super) mod answered_items;
pub(super) mod attack_keys;
pub(super) mod attribution_keys;
pub(super) mod calibration_error;
pub(super) mod class_names;
pub(super) mod class_pair;
pub(super) mod confidence;
pub(super) mod confusion;
pub(super) mod corruption_error;
pub(super) mod corruption_levels;
pub(super) mod curve_gauge;
pub(super) mod erasure;
pub(super) mod explanation_scale;
pub(super) mod image_corruption;
pub(super) mod map_gauge;
pub(super) mod neighbours;
pub(super) mod network_classifier;
pub(super) mod network_probe;
pub(super) mod repeated;
pub(super) mod risk_coverage;
pub(super) mod selective_prediction;
pub(crate) mod smoothing;
pub(crate) mod training_keys;
