//! What the parts of judging share.

#[cfg(feature = "endpoint")]
pub(super) mod asked_judge;
pub(super) mod both_orders;
pub(super) mod dose_correlation;
pub(super) mod dose_reading;
pub(super) mod dose_response;
#[cfg(feature = "endpoint")]
pub(super) mod error_writing;
pub(super) mod judge_calls;
#[cfg(feature = "endpoint")]
pub(super) mod judge_dialogue;
#[cfg(feature = "endpoint")]
pub(super) mod judge_form;
#[cfg(feature = "endpoint")]
pub(super) mod kept_steps;
pub(super) mod quality_scale;
pub(super) mod rating_words;
pub(super) mod shipped_responses;
pub(super) mod text_dose;
