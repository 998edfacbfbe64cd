//! What stands between the keys of an `endpoint` and its client: settings, requests, and what replies
//! mean.

pub(crate) mod asked_model;
pub(crate) mod choice;
pub(crate) mod heard_models;
pub(crate) mod keys;
pub(crate) mod lazy_client;
pub(crate) mod ratings;
mod repeats;
pub(crate) mod settings;
pub(crate) mod terms;
