//! The client for model endpoints: a chat goes out, a reply comes back, and whatever else may come is
//! told apart from it.
//!
//! HTTP and TLS reach nobody who only wants the library: parts use this crate behind a feature. It
//! knows neither studies nor items. [`client::Client`] has one pool of requests in flight, which all
//! who ask share; [`wire`] knows the two formats of requests and replies; [`prompt`] makes
//! prompts from templates; [`secret`] keeps keys out of everything that is written.

pub mod address;
mod back_off;
pub mod batch;
mod cache;
pub mod chat;
pub mod client;
mod date;
mod exchange;
mod idle_bound;
mod kept_addresses;
pub mod limits;
mod pace;
pub mod prompt;
pub mod reply;
pub mod request;
pub mod secret;
mod spending;
mod status;
pub mod wire;
mod workers;
