//! Resamples of items: the error of readings that are rough or biased.

use duress_stats::UndefinedReason;
use duress_stats::components::Scope;
use duress_stats::evidence::Evidence;

use crate::analysis::reason;
use duress_findings::AbsenceReason;

use super::Sample;
use super::series_parts::DrawsBySeed;

/// Resamples of items, for each seed that has a value.
pub(super) struct Draws {
    pub(super) by_seed: DrawsBySeed,
    /// What the mean of the readings would be if the items were all there are, of a biased gauge.
    pub(super) population: Option<f64>,
}

impl Sample {
    pub(super) fn draws_of_parts(&self) -> DrawsBySeed {
        let each: Vec<(f64, DrawsBySeed)> = self
            .parts
            .iter()
            .map(|part| (part.weight, part.series.draws()))
            .collect();
        let at = |seed: usize| -> Option<Vec<Option<f64>>> {
            let rows = each
                .iter()
                .map(|(weight, draws)| Some((*weight, draws.get(seed)?.as_ref()?)))
                .collect::<Option<Vec<_>>>()?;
            let resamples = rows.iter().map(|(_, row)| row.len()).min().unwrap_or(0);
            let one = |b: usize| {
                rows.iter()
                    .map(|(weight, row)| Some(weight * row[b]?))
                    .sum()
            };
            Some((0..resamples).map(one).collect())
        };
        (0..self.by_seed.len()).map(at).collect()
    }

    /// Resamples of items, and what seeds add to their spread: as the two-way analysis of variance
    /// has it, with variances of resamples in the place of mean squares.
    pub(super) fn evidence_of_draws(&self, values: &[f64]) -> Result<Evidence, AbsenceReason> {
        let (own, population);
        let by_seed = match &self.draws {
            Some(draws) => {
                population = draws.population;
                &draws.by_seed
            }
            None => {
                population = None;
                own = self.draws_of_parts();
                &own
            }
        };
        let rows: Vec<&Vec<Option<f64>>> = by_seed.iter().flatten().collect();
        if rows.is_empty() {
            return Err(AbsenceReason::NothingToCombine);
        }
        let spread = ItemSpread::of(&rows)?;
        let estimate = values.iter().sum::<f64>() / values.len() as f64;
        let error = match self.scope {
            Scope::Both if values.len() > 1 => spread.added_by_seeds(values).sqrt(),
            _ => 0.0,
        };
        // bias(reading) ≈ bias(resample): the draws are reflected about estimate + plug-in value.
        let (centre, draws) = match population {
            Some(all) => {
                let reflected: Vec<f64> = spread.means.iter().map(|d| estimate + all - d).collect();
                (
                    reflected.iter().sum::<f64>() / reflected.len() as f64,
                    reflected,
                )
            }
            None => (estimate, spread.means),
        };
        let freedom = (values.len() as f64 - 1.0).max(1.0);
        Evidence::resampled(centre, draws, error, freedom).map_err(|why| match why {
            UndefinedReason::NoSpread { .. } => AbsenceReason::SameInEveryResample,
            other => reason::statistic(other),
        })
    }
}

/// The largest share of resamples without a value that an interval survives.
const UNDEFINED_SHARE: f64 = 0.05;

/// How resamples of items scatter.
struct ItemSpread {
    /// The mean over seeds, of each resample that has it.
    means: Vec<f64>,
    /// The mean of the variances of single seeds.
    of_one_seed: f64,
}

impl ItemSpread {
    fn of(rows: &[&Vec<Option<f64>>]) -> Result<ItemSpread, AbsenceReason> {
        let resamples = rows.iter().map(|row| row.len()).min().unwrap_or(0);
        let at = |b: usize| rows.iter().map(|row| row[b]).sum::<Option<f64>>();
        let whole: Vec<(usize, f64)> = (0..resamples)
            .filter_map(|b| Some((b, at(b)? / rows.len() as f64)))
            .collect();
        let undefined = resamples - whole.len();
        if undefined as f64 > UNDEFINED_SHARE * resamples as f64 || whole.is_empty() {
            return Err(AbsenceReason::UndefinedInResamples {
                undefined,
                resamples,
            });
        }
        let single = rows.iter().map(|row| {
            let values: Vec<f64> = whole.iter().filter_map(|(b, _)| row[*b]).collect();
            variance(&values)
        });
        Ok(ItemSpread {
            of_one_seed: single.sum::<f64>() / rows.len() as f64,
            means: whole.into_iter().map(|(_, mean)| mean).collect(),
        })
    }

    /// How much larger the variance of the mean is for new seeds too, than for new items alone.
    fn added_by_seeds(&self, values: &[f64]) -> f64 {
        let seeds = values.len() as f64;
        let items = variance(&self.means);
        let of_seeds = variance(values) / seeds;
        let both = ((self.of_one_seed - items) / (seeds - 1.0)).max(0.0);
        (items + of_seeds - both).max(items).max(of_seeds) - items
    }
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    squares.sum::<f64>() / (n - 1.0).max(1.0)
}
