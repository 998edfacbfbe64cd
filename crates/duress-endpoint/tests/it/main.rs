//! The client against a server that misbehaves on purpose: nothing lost, nothing hung, nothing taken
//! for an answer that is none, and no key anywhere.

mod kinds;
mod patience;
mod secrets;
mod setup;
mod sharing;
