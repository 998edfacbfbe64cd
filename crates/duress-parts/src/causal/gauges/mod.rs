//! Gauges of learnt graphs.

pub mod directed_f1;
pub mod directed_f1_oracle_k;
pub mod edge_auprc;
pub mod edge_auroc;
pub mod edge_precision;
pub mod edge_recall;
pub mod false_edges;
pub mod held_out_likelihood;
pub mod orientation_accuracy;
pub mod shd;
pub mod shd_cpdag;
pub mod shd_reversal_2;
pub mod sid;
pub mod skeleton_f1;
pub mod skeleton_f1_oracle_k;
