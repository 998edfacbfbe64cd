//! Doses: what a gauge reads at each number of injected errors, over the items that took all of
//! them.

use duress_core::gauge::{Ends, Rung, Undefined};
use duress_core::part::{Field, Takes};
use duress_core::word::Word;

/// The scores of items at each dose.
pub(crate) struct Doses {
    /// The number of errors, by rung.
    pub(crate) dose: Vec<f64>,
    units: usize,
    /// By rung and item; an item that lacks a score at one dose has none at all, so that all means
    /// are over the same items.
    scores: Vec<Vec<Option<f64>>>,
}

duress_core::words! {
    /// What is correlated with the dose.
    pub(crate) enum DosePairs {
        /// The means over items.
        Means = "means",
        /// Each item's scores, and the correlations averaged.
        Items = "items",
    }
}

impl Doses {
    /// The key that names the gauge read through.
    pub(crate) const OF: Field = Field {
        name: "of",
        takes: Takes::Text,
        doc: "the gauge of single cells that is read at every dose",
        default: Some("quality"),
    };
    /// The key that says what is correlated.
    pub(crate) const OVER: Field = Field {
        name: "over",
        takes: Takes::Choice(DosePairs::spellings),
        doc: "whether the means over items are correlated with the dose, or each item's scores, and those averaged",
        default: Some("means"),
    };

    pub(crate) fn of(rungs: &[Rung]) -> Result<Doses, Undefined> {
        // By dose, in whatever order they come.
        let mut rungs: Vec<&Rung> = rungs.iter().collect();
        rungs.sort_by(|one, other| one.severity.value().total_cmp(&other.severity.value()));
        let values = |rung: &&Rung| {
            rung.meter
                .per_item()
                .map(<[Option<f64>]>::to_vec)
                .ok_or_else(|| {
                    Undefined::new("needs a score per item, from a gauge that is a mean over items")
                })
        };
        let mut scores: Vec<Vec<Option<f64>>> =
            rungs.iter().map(values).collect::<Result<_, _>>()?;
        let units = scores.first().map_or(0, Vec::len);
        if scores.iter().any(|values| values.len() != units) {
            return Err(Undefined::new("the rungs are about different items"));
        }
        let whole: Vec<bool> = (0..units)
            .map(|i| scores.iter().all(|values| values[i].is_some()))
            .collect();
        if !whole.contains(&true) {
            return Err(Undefined::new("no item has a score at every dose"));
        }
        for values in &mut scores {
            values
                .iter_mut()
                .zip(&whole)
                .filter(|(_, whole)| !**whole)
                .for_each(|(value, _)| *value = None);
        }
        Ok(Doses {
            dose: rungs.iter().map(|rung| rung.severity.value()).collect(),
            units,
            scores,
        })
    }

    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// Whether an item has a score at every dose.
    pub(crate) fn has(&self, item: usize) -> bool {
        self.scores.iter().all(|values| values[item].is_some())
    }

    /// The mean score at each dose.
    pub(crate) fn means(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let mean = |values: &Vec<Option<f64>>| {
            let mut sum = 0.0;
            let mut count = 0.0;
            for (value, &weight) in values.iter().zip(weights) {
                if let Some(value) = value {
                    sum += value * f64::from(weight);
                    count += f64::from(weight);
                }
            }
            if count > 0.0 {
                Ok(sum / count)
            } else {
                Err(Undefined::new("no item takes part"))
            }
        };
        self.scores.iter().map(mean).collect()
    }

    /// A statistic of each item's own scores against the dose; `None` for an item that lacks one.
    pub(crate) fn per_item(
        &self,
        statistic: impl Fn(&[f64], &[f64]) -> Result<f64, Undefined>,
    ) -> Vec<Option<f64>> {
        let own = |i: usize| {
            self.scores
                .iter()
                .map(|values| values[i])
                .collect::<Option<Vec<f64>>>()
        };
        (0..self.units)
            .map(|i| statistic(&self.dose, &own(i)?).ok())
            .collect()
    }
}

/// The slope of the least-squares line.
pub(crate) fn slope(dose: &[f64], score: &[f64]) -> Result<f64, Undefined> {
    let n = dose.len() as f64;
    let (x, y) = (dose.iter().sum::<f64>() / n, score.iter().sum::<f64>() / n);
    let spread: f64 = dose.iter().map(|d| (d - x).powi(2)).sum();
    if spread == 0.0 {
        return Err(Undefined::new(
            "all rungs have the same dose: a slope needs two",
        ));
    }
    Ok(dose
        .iter()
        .zip(score)
        .map(|(d, s)| (d - x) * (s - y))
        .sum::<f64>()
        / spread)
}

/// The smallest and the largest slope over these doses of scores between two ends.
///
/// The steepest line belongs to scores that lie on one end below the mean dose, and on the other
/// above it.
pub(crate) fn slope_ends(ends: Ends, dose: &[f64]) -> Ends {
    let (Some(low), Some(high)) = ends else {
        return (None, None);
    };
    let mean = dose.iter().sum::<f64>() / dose.len() as f64;
    let steepest: Vec<f64> = dose
        .iter()
        .map(|one| if *one > mean { high - low } else { 0.0 })
        .collect();
    let most = slope(dose, &steepest).ok();
    (most.map(|most| -most), most)
}

/// Says what a statistic could not.
pub(crate) fn reason(why: duress_stats::UndefinedReason) -> Undefined {
    match why {
        duress_stats::UndefinedReason::NoSpread { .. } => Undefined::new(
            "the scores are the same at every dose: a rank correlation of a constant is undefined",
        ),
        other => Undefined::new(other.to_string()),
    }
}
