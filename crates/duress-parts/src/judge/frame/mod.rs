//! What the parts of judging share.

pub(super) mod dose_correlation;
pub(super) mod dose_response;
pub(super) mod error_injection;
pub(super) mod shipped_responses;
