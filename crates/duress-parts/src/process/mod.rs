//! A process that is talked to through its standard input and output: messages, frames, and the
//! threads that carry them.
//!
//! [`frame`] and [`message`] are arithmetic on bytes and know no process; [`carrier`] moves bytes
//! without ever waiting longer than it may; [`child`] starts, ends and buries, and [`watchdog`] does so
//! when we no longer can; [`talk`] asks one thing and gets one reply, in which [`secrets`] are struck; [`visit`]
//! knows what can be asked, [`reading`] what a reply means, [`early`] what is told before it. The protocol is in `docs/command.md`.

pub mod carrier;
pub mod child;
pub mod early;
pub mod frame;
pub mod message;
pub mod reading;
pub mod secrets;
pub mod stderr;
pub mod talk;
pub mod visit;
pub mod watchdog;
