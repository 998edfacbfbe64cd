//! What the parts of judging share.

pub(super) mod both_orders;
pub(super) mod dose_correlation;
pub(super) mod dose_reading;
pub(super) mod dose_response;
pub(super) mod shipped_responses;
pub(super) mod text_dose;
