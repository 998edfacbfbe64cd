//! Limits: how many requests, how often, how long, and how much may be spent.

use std::time::Duration;

/// What a client keeps to. None of it changes an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The most requests in flight.
    pub in_flight: usize,
    /// How often a request that failed for a reason that may pass is sent again.
    pub retries: u32,
    /// The first wait before that; it doubles from one time to the next.
    pub first_wait: Duration,
    /// The longest wait; a server that asks for more is given up.
    pub longest_wait: Duration,
    /// How long a server is waited for that has not answered yet.
    pub wait_ready: Duration,
    /// After so many failures in a row nobody is asked any more.
    pub failures_in_a_row: u32,
    /// How long a connection may take.
    pub connect: Duration,
    /// How long the first byte of a reply may take.
    pub first_byte: Duration,
    /// How long nothing may come once a reply has begun.
    pub idle: Duration,
    /// How long a request may take in all.
    pub whole: Duration,
    /// The most bytes a reply may have.
    pub reply_bytes: u64,
    /// What may be spent.
    pub budget: Budget,
    /// What tokens cost.
    pub prices: Option<Prices>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            in_flight: 8,
            retries: 5,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(300),
            wait_ready: Duration::from_secs(60),
            failures_in_a_row: 10,
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(60),
            whole: Duration::from_secs(600),
            reply_bytes: 4 << 20,
            budget: Budget::default(),
            prices: None,
        }
    }
}

/// What may be spent in one run; what is absent is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Requests, repeated ones counted each time.
    pub requests: Option<u64>,
    /// Tokens, read and written.
    pub tokens: Option<u64>,
    /// Money, in the currency of the prices.
    pub cost: Option<f64>,
}

/// What a million tokens cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Read.
    pub input: f64,
    /// Written.
    pub output: f64,
}

impl Prices {
    /// What so many tokens cost.
    pub fn of(&self, input: u64, output: u64) -> f64 {
        (input as f64 * self.input + output as f64 * self.output) / 1e6
    }
}
