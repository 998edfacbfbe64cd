//! Cost: what asking came to, in time and in what a provider counts.

use serde::{Deserialize, Serialize};

/// What answers cost. Nothing is left out in silence: what nobody counted is absent, not zero.
///
/// ```
/// use duress_core::cost::Cost;
/// let first = Cost { seconds: 0.5, requests: 1, input_tokens: Some(20), ..Cost::default() };
/// let second = Cost { seconds: 0.25, requests: 1, ..Cost::default() };
/// let both = first + second;
/// assert_eq!((both.seconds, both.requests, both.input_tokens), (0.75, 2, Some(20)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Seconds of thinking, waiting for a turn left out.
    pub seconds: f64,
    /// Questions sent to somebody else, repeated ones counted each time.
    #[serde(default)]
    pub requests: u64,
    /// Tokens read by a language model, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// What asking would cost, as far as that can be known before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostEstimate {
    /// Questions to somebody else.
    pub requests: u64,
    /// Tokens to be read, about: counted from characters.
    pub input_tokens: u64,
    /// Tokens to be written, at most; none where nothing bounds them.
    pub output_tokens: Option<u64>,
    /// Money, at most, in the currency of the study's prices.
    pub price: Option<f64>,
}

impl std::ops::Add for CostEstimate {
    type Output = CostEstimate;

    fn add(self, more: CostEstimate) -> CostEstimate {
        let both = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        CostEstimate {
            requests: self.requests + more.requests,
            input_tokens: self.input_tokens + more.input_tokens,
            output_tokens: both(self.output_tokens, more.output_tokens),
            price: self.price.zip(more.price).map(|(a, b)| a + b),
        }
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, more: Cost) -> Cost {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        Cost {
            seconds: self.seconds + more.seconds,
            requests: self.requests + more.requests,
            input_tokens: sum(self.input_tokens, more.input_tokens),
            output_tokens: sum(self.output_tokens, more.output_tokens),
        }
    }
}
