//! The parts, family by family, and the files they read: one binary of tests.

mod agreement;
mod attack_strength;
mod built;
mod causal;
mod classify;
mod closed_form;
mod command;
mod corruptions;
#[cfg(feature = "endpoint")]
mod endpoint;
mod explained;
mod graphs;
mod images;
mod inputs;
mod judge;
mod listed;
#[cfg(feature = "endpoint")]
mod llm_judge;
mod logged;
mod option_order;
mod order;
mod probe;
mod recorded;
mod recorded_maps;
mod text_noise;
mod torch_probes;
mod windows;
