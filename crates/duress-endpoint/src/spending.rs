//! What was spent, against what may be.

use std::sync::{Mutex, PoisonError};

use crate::limits::{Budget, Prices};
use crate::reply::Usage;

/// Counts what is spent in a run.
pub(crate) struct Spending {
    budget: Budget,
    prices: Option<Prices>,
    spent: Mutex<Spent>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    requests: u64,
    input: u64,
    output: u64,
}

impl Spending {
    pub(crate) fn new(budget: Budget, prices: Option<Prices>) -> Spending {
        Spending {
            budget,
            prices,
            spent: Mutex::default(),
        }
    }

    /// Counts one more request, if the budget has room for it; else says what is spent.
    pub(crate) fn take_request(&self) -> Result<(), String> {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spent) = self.exhausted(*spent) {
            return Err(spent);
        }
        spent.requests += 1;
        Ok(())
    }

    /// Takes a request back that asked nobody: the server was not ready.
    pub(crate) fn give_request_back(&self) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.requests = spent.requests.saturating_sub(1);
    }

    /// Counts the tokens of a reply.
    pub(crate) fn count(&self, usage: Usage) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.input += usage.input.unwrap_or(0);
        spent.output += usage.output.unwrap_or(0);
    }

    fn exhausted(&self, spent: Spent) -> Option<String> {
        let Budget {
            requests,
            tokens,
            cost,
        } = self.budget;
        if let Some(most) = requests.filter(|most| spent.requests >= *most) {
            return Some(format!("the budget of {most} requests is spent"));
        }
        let used = spent.input + spent.output;
        if let Some(most) = tokens.filter(|most| used >= *most) {
            return Some(format!(
                "the budget of {most} tokens is spent ({used} used)"
            ));
        }
        let paid = self.prices?.of(spent.input, spent.output);
        let most = cost.filter(|most| paid >= *most)?;
        Some(format!(
            "the budget of {most} is spent ({paid:.4} at the study's prices)"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_bounded_is_spent_first() {
        let usage = Usage {
            input: Some(600_000),
            output: Some(200_000),
        };
        let spent = |budget: Budget| {
            let prices = Prices {
                input: 1.0,
                output: 2.0,
            };
            let spending = Spending::new(budget, Some(prices));
            spending.take_request().unwrap();
            spending.count(usage);
            spending.take_request().err()
        };
        assert_eq!(spent(Budget::default()), None);
        let requests = Budget {
            requests: Some(1),
            ..Budget::default()
        };
        assert!(spent(requests).unwrap().contains("1 requests"));
        let tokens = Budget {
            tokens: Some(800_000),
            ..Budget::default()
        };
        assert!(spent(tokens).unwrap().contains("800000 tokens"));
        let cost = |most| Budget {
            cost: Some(most),
            ..Budget::default()
        };
        assert!(spent(cost(1.0)).unwrap().contains("1.0000"));
        assert_eq!(spent(cost(1.01)), None);
    }
}
