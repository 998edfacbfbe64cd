//! Stressors of a response: errors that are put into it, lures for whoever judges it, and placebos.

pub mod inject_assumption_not_stated;
pub mod inject_confirmation;
pub mod inject_cultural_bias;
pub mod inject_demographic_bias;
pub mod inject_factual_error;
pub mod inject_gender_bias;
pub mod inject_hallucination;
pub mod inject_inconsistency;
#[cfg(feature = "endpoint")]
pub mod inject_llm;
pub mod inject_missing_context;
pub mod inject_overly_complex;
pub mod inject_political_bias;
pub mod inject_spelling;
pub mod inject_sycophancy;
pub mod inject_unclear_explanation;
pub mod lure_authority;
pub mod lure_flattery;
pub mod lure_formatting;
pub mod lure_instruction;
pub mod lure_padding;
pub mod lure_self_praise;
pub mod placebo_reordered_list;
pub mod placebo_synonym;
pub mod placebo_white_space;
pub mod swap_responses;
