//! Several calls of a judge about the same item: the first few, which an interval is made from, and
//! further ones, which it is held against.

use duress_core::answer::Answers;
use duress_core::gauge::Undefined;
use duress_core::part::{Field, Params, Takes};
use duress_stats::dist::StudentT;

use crate::shared::frame::ratings::{dimension, dimension_key, ratings};

/// Which calls are read, and how.
pub(crate) struct CallPlan {
    dimension: String,
    calls: usize,
    further: usize,
    level: f64,
}

/// The calls about one item.
pub(crate) struct ItemCalls {
    first: Vec<f64>,
    further: Vec<f64>,
}

impl CallPlan {
    /// The keys that say so.
    pub(crate) const KEYS: &[Field] = &[
        dimension_key("the dimension whose calls are read", "T"),
        Field {
            name: "calls",
            takes: Takes::Whole(1, 99),
            doc: "how many calls the interval is made from: the first ones, DIMENSION-call-1 and so on",
            default: Some("3"),
        },
        Field {
            name: "further",
            takes: Takes::Whole(1, 99),
            doc: "how many calls it is held against: those that come next",
            default: Some("15"),
        },
        Field {
            name: "level",
            takes: Takes::Number(0.01, 0.999),
            doc: "the level of the interval",
            default: Some("0.95"),
        },
    ];

    pub(crate) fn of_params(params: &Params) -> CallPlan {
        CallPlan {
            dimension: params.text("dimension").into(),
            calls: params.count("calls"),
            further: params.count("further"),
            level: params.number("level"),
        }
    }

    /// What is read, for a scale.
    pub(crate) fn in_words(&self) -> String {
        format!(
            "{} calls in dimension {}, beside {} further ones",
            self.calls, self.dimension, self.further
        )
    }

    /// The calls about each item; none for an item without ratings.
    pub(crate) fn calls(&self, answers: &Answers) -> Result<Vec<Option<ItemCalls>>, Undefined> {
        let rated = ratings(answers)?;
        if self.calls < 2 {
            return Err(Undefined::new(
                "one call gives no interval: there is no spread",
            ));
        }
        let call = |nth: usize| dimension(rated, &format!("{}-call-{nth}", self.dimension));
        let all: Vec<Vec<Option<f64>>> = (1..=self.calls + self.further)
            .map(call)
            .collect::<Result<_, _>>()?;
        let of_item = |item: usize| {
            let said: Vec<f64> = all.iter().map(|one| one[item]).collect::<Option<_>>()?;
            let (first, further) = said.split_at(self.calls);
            Some(ItemCalls {
                first: first.to_vec(),
                further: further.to_vec(),
            })
        };
        let calls: Vec<Option<ItemCalls>> = (0..rated.rows().len()).map(of_item).collect();
        match calls.iter().flatten().any(ItemCalls::vary) {
            true => Ok(calls),
            false => Err(Undefined::new(
                "every call about an item says the same: there is nothing that an interval could be right or wrong about",
            )),
        }
    }

    /// Whether the interval of the first calls holds the mean of the further ones.
    pub(crate) fn covers(&self, item: &ItemCalls) -> Result<bool, Undefined> {
        let reach = self.reach(item)?;
        Ok((mean(&item.first) - mean(&item.further)).abs() <= reach)
    }

    /// Half the width of Student's interval of the first calls.
    fn reach(&self, item: &ItemCalls) -> Result<f64, Undefined> {
        let wrong = |why: duress_stats::UndefinedReason| Undefined::new(why.to_string());
        let student = StudentT::new(self.calls as f64 - 1.0).map_err(wrong)?;
        let quantile = student
            .upper_quantile(0.5 * (1.0 - self.level))
            .map_err(wrong)?;
        Ok(quantile * item.error_square().sqrt())
    }
}

impl ItemCalls {
    fn vary(&self) -> bool {
        let mut all = self.first.iter().chain(&self.further);
        let first = all.next();
        all.any(|one| Some(one) != first)
    }

    /// The square of the standard error of the mean of the first calls.
    pub(crate) fn error_square(&self) -> f64 {
        let (n, mean) = (self.first.len() as f64, mean(&self.first));
        let spread: f64 = self
            .first
            .iter()
            .map(|one| (one - mean) * (one - mean))
            .sum();
        spread / (n - 1.0) / n
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
