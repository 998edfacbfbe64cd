//! One question, one reply, within a time; whatever else happens is a failure with its reason.

use std::time::{Duration, Instant};

use duress_core::subject::{Failure, FailureKind};

use super::carrier::{CarrierTurn, PIECE};
use super::child::{Program, Running};
use super::message::{Listener, OutgoingMessage, Reply, ReplyHead};
use super::secrets::InheritedSecrets;

/// Hears of single items before the reply about all of them; says what is wrong with a line.
pub type HearEarly<'a> = dyn FnMut(ReplyHead) -> Result<(), String> + 'a;

/// For questions that are answered in one line.
pub fn nothing_early(_: ReplyHead) -> Result<(), String> {
    Err("expected a reply, came a line about one item".into())
}

/// How long a process that closed its output may take to end.
const ENDING: Duration = Duration::from_secs(2);

/// A process with the state of the conversation. After a failure other than [`FailureKind::Unable`]
/// the conversation is over.
pub struct Talk {
    running: Running,
    listener: Listener,
    secrets: InheritedSecrets,
    id: u64,
}

/// What a reply is allowed to be.
#[derive(Clone, Copy)]
pub struct Allowance {
    /// How long it may take, from the first byte of the question to the last of the reply.
    pub time: Duration,
    /// The most bytes a frame may have.
    pub frame: u64,
}

impl Talk {
    /// Starts the process.
    pub fn start(program: &Program) -> Result<Talk, Failure> {
        let started = program.start();
        let running = started.map_err(|why| {
            Failure::unable(format!(
                "expected to start `{}`, but: {why}",
                program.name()
            ))
        })?;
        let secrets = InheritedSecrets::of_environment();
        Ok(Talk {
            running,
            listener: Listener::new(secrets.clone()),
            secrets,
            id: 0,
        })
    }

    /// The number of the next question.
    pub fn next_id(&mut self) -> u64 {
        self.id += 1;
        self.id
    }

    /// Takes back the numbers of a frame, whose memory serves the next one.
    pub fn done_with(&mut self, numbers: Vec<f32>) {
        self.listener.done_with(numbers);
    }

    /// Sends a question and waits for the reply. `what` is asked, in words; lines about single items
    /// that come before the reply are handed to `early`.
    pub fn ask(
        &mut self,
        what: &str,
        question: OutgoingMessage<'_>,
        allowed: Allowance,
        early: &mut HearEarly<'_>,
    ) -> Result<Reply, Failure> {
        let reply = self
            .exchange(question, allowed, early)
            .map_err(|trouble| self.explain(what, trouble, allowed))?;
        match &reply.head.error {
            Some(why) => Err(Failure::unable(format!("{what}: the process says: {why}"))),
            None => Ok(reply),
        }
    }

    /// A reply that cannot be what was asked for; the conversation is over.
    pub fn unusable_reply(&mut self, what: &str, why: impl std::fmt::Display) -> Failure {
        self.running.kill();
        Failure::new(
            FailureKind::Nonsense,
            format!("{what}: {why}{}", self.last_words()),
        )
    }

    /// The secret that stands in what is to be kept as it is, by its name.
    pub fn secret_in(&self, bytes: &[u8]) -> Option<&str> {
        self.secrets.found_in(bytes)
    }

    fn last_words(&self) -> String {
        self.running.last_words(&self.secrets)
    }

    fn exchange(
        &mut self,
        mut question: OutgoingMessage<'_>,
        allowed: Allowance,
        early: &mut HearEarly<'_>,
    ) -> Result<Reply, Trouble> {
        let mut until = Instant::now() + allowed.time;
        let mut reply = None;
        while reply.is_none() || !question.is_sent() {
            match self.running.carrier.turn(!question.is_sent(), until) {
                CarrierTurn::Room(mut piece) => {
                    question.fill(&mut piece, PIECE);
                    self.running.carrier.send(piece);
                }
                CarrierTurn::Came(piece) => {
                    let mut rest = &piece[..];
                    while !rest.is_empty() {
                        if reply.is_some() {
                            return Err(Trouble::Nonsense(TWICE.into()));
                        }
                        let heard = self.listener.take(rest, allowed.frame);
                        let (taken, whole) = heard.map_err(Trouble::Nonsense)?;
                        rest = &rest[taken..];
                        match whole {
                            Some(one) if one.head.item.is_some() => {
                                early(one.head).map_err(Trouble::Nonsense)?;
                                // Whoever tells one item after another has not gone silent.
                                until = Instant::now() + allowed.time;
                            }
                            whole => reply = whole,
                        }
                    }
                    self.running.carrier.done_with(piece);
                }
                CarrierTurn::Ended => return Err(Trouble::Ended),
                CarrierTurn::Late if question.is_sent() => {
                    return Err(Trouble::Late(self.listener.progress()));
                }
                CarrierTurn::Late => {
                    return Err(Trouble::Late("it has not read the whole question".into()));
                }
            }
        }
        reply.ok_or_else(|| Trouble::Late(String::new()))
    }

    fn explain(&mut self, what: &str, trouble: Trouble, allowed: Allowance) -> Failure {
        let (kind, why) = match trouble {
            Trouble::Nonsense(why) => (FailureKind::Nonsense, why),
            Trouble::Late(so_far) => {
                let seconds = allowed.time.as_secs_f64();
                (
                    FailureKind::TimedOut,
                    format!("expected a reply within {seconds} s, came {so_far}"),
                )
            }
            Trouble::Ended => (FailureKind::Crashed, self.ending()),
        };
        self.running.kill();
        Failure::new(kind, format!("{what}: {why}{}", self.last_words()))
    }

    fn ending(&mut self) -> String {
        let so_far = self.listener.progress();
        match self.running.ended_within(ENDING) {
            Some(status) => {
                format!("expected a reply, but the process ended ({status}); came {so_far}")
            }
            None => format!(
                "expected a reply, but the process closed its input or output; came {so_far}"
            ),
        }
    }
}

const TWICE: &str = "expected one reply, came more than one; standard output is for replies only";

/// Why there is no reply.
enum Trouble {
    Nonsense(String),
    Late(String),
    Ended,
}
