//! Gauges of ratings, of how they follow the number of errors, and of pairs in both orders.

pub mod both_orders_accuracy;
pub mod call_error;
pub mod dose_kendall;
pub mod dose_kendall_p;
pub mod dose_slope;
pub mod dose_spearman;
pub mod dose_spearman_p;
pub mod falling_share;
pub mod falling_sign_p;
pub mod first_error_discrimination;
pub mod first_slot_preference;
pub mod half_dose;
pub mod interval_coverage;
pub mod monotonic;
pub mod moved_share;
pub mod off_target_slope;
pub mod order_consistency;
pub mod quality;
pub mod quality_gap;
pub mod tie_share;
