//! What the parts of causal discovery share.

pub(super) mod bif;
pub(super) mod clock;
pub(super) mod edge_list;
pub(super) mod edge_selection;
pub(super) mod graph_gauge;
pub(super) mod lagged_tests;
pub(super) mod time_series;
pub(super) mod window_corruption;
pub(super) mod window_summary;
