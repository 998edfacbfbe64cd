//! Samples: the readings of a series, and what is known of their error.
//!
//! What a sample knows of its error follows from the design. Replicates that met the same items are
//! crossed with them: the error comes from what each item adds to each reading, so that a
//! difference, a drop or an area is a weighted sum of samples, item by item and seed by seed.
//! Replicates with items of their own, and answers about a whole dataset, have a t over their
//! readings. Readings that are not smooth have resamples of items, and what seeds add to those.
//! Where items belong to clusters, these stand in the place of items throughout.

mod draws;
mod known;
mod quantity;
mod series_parts;

use std::sync::Arc;

use duress_core::gauge::{Ends, Meter, Unit};
use duress_stats::Side;
use duress_stats::bootstrap::Config;
use duress_stats::components::{Components, Scope};
use duress_stats::evidence::Evidence;

use super::added::{Added, AddedTable};
use super::clusters::Clusters;
use super::reason;
use super::series::Series;
use crate::study::{Study, Units};
use draws::Draws;
use duress_findings::{AbsenceReason, Reading};
use series_parts::{Part, SeriesParts, of_replicate};

pub(crate) use known::TwoSides;
pub(super) use known::{Basis, Known};
pub(super) use quantity::{reading, variance_parts};

/// How a study samples.
pub(crate) struct Sampling {
    scope: Scope,
    config: Config,
    /// Whether the samples are those of a study, with seeds that could be others.
    in_study: bool,
}

/// A number per seed, their mean, and what its error follows from.
#[derive(Clone)]
pub(crate) struct Sample {
    value: Result<f64, AbsenceReason>,
    by_seed: Vec<Result<f64, AbsenceReason>>,
    items: usize,
    unit: Unit,
    /// Whether items, or their clusters, are the same for every seed.
    crossed: bool,
    clusters: Option<Arc<Clusters>>,
    scope: Scope,
    in_study: bool,
    /// The ends of what is estimated.
    ends: Ends,
    /// Whether it is a reading, or a mean of readings, and not a difference.
    alone: bool,
    /// The share of right items, of a meter by itself.
    share: bool,
    parts: Vec<Part>,
    draws: Option<Arc<Draws>>,
}

impl Sampling {
    pub(crate) fn of(study: &Study) -> Sampling {
        let resamples = study.analysis.resamples;
        let level = study.analysis.level;
        let config = Config {
            resamples,
            level,
            seed: 0,
            threads: 1,
        };
        Sampling {
            scope: scope_of(study.analysis.units),
            config,
            in_study: true,
        }
    }

    /// The same with another number of resamples.
    pub(super) fn with_resamples(mut self, resamples: usize) -> Sampling {
        self.config.resamples = resamples;
        self
    }

    /// For a series that stands alone: items are resampled on all cores, with the draws that a
    /// study would make.
    pub(super) fn alone(resamples: usize, level: f64) -> Sampling {
        let config = Config {
            resamples,
            level,
            seed: 0,
            threads: 0,
        };
        Sampling {
            scope: Scope::Items,
            config,
            in_study: false,
        }
    }

    /// For replicates without a study around them, read as those of one are.
    pub(super) fn of_replicates(level: f64) -> Sampling {
        let config = Config {
            resamples: 2000,
            level,
            seed: 0,
            threads: 0,
        };
        Sampling {
            scope: Scope::Both,
            config,
            in_study: true,
        }
    }

    /// Reads a series, and finds what each item adds to its readings.
    pub(crate) fn sample(&self, series: &Series) -> Sample {
        let by_seed: Vec<Result<f64, AbsenceReason>> = series.meters.iter().map(read).collect();
        let both = series.meters.iter().zip(&by_seed);
        let meters: Vec<Option<(Arc<dyn Meter>, f64)>> = both
            .map(|(meter, value)| Some((Arc::clone(meter.as_ref().ok()?), *value.as_ref().ok()?)))
            .collect();
        // Seeds may differ in who has no answer; the smallest number promises nothing that is not
        // there.
        let items = meters
            .iter()
            .flatten()
            .map(|(meter, _)| meter.taking_part())
            .min();
        let of_items = series.unit == Unit::Items;
        let needs_items = of_items && self.scope != Scope::Replicates;
        let seeds = meters.iter().flatten().count();
        let crossed = series.has_crossed_units();
        let over_items = needs_items && (crossed || seeds == 1 || self.scope == Scope::Items);
        let share = meters.iter().flatten().all(|(meter, _)| meter.is_share());
        let contrast = meters
            .iter()
            .flatten()
            .any(|(meter, _)| meter.is_contrast());
        let parts = SeriesParts::new(meters, series.clusters.clone(), self.config);
        let draws = over_items.then(|| parts.draws_of_biased()).flatten();
        if over_items {
            parts.added();
        }
        Sample {
            value: mean(&by_seed),
            by_seed,
            items: items.filter(|_| of_items).unwrap_or(0),
            unit: series.unit,
            crossed,
            clusters: series.clusters.clone(),
            scope: self.scope,
            in_study: self.in_study,
            ends: series.ends,
            alone: !contrast,
            share,
            draws: draws.map(Arc::new),
            parts: vec![Part {
                weight: 1.0,
                series: Arc::new(parts),
            }],
        }
    }
}

fn read(meter: &Result<Arc<dyn Meter>, AbsenceReason>) -> Result<f64, AbsenceReason> {
    let meter = meter.as_ref().map_err(Clone::clone)?;
    meter.plain().map_err(AbsenceReason::from)
}

/// The mean over the seeds that have a value.
fn mean(by_seed: &[Result<f64, AbsenceReason>]) -> Result<f64, AbsenceReason> {
    let defined: Vec<f64> = by_seed.iter().flatten().copied().collect();
    match defined.len() {
        0 => Err(first_reason(by_seed)),
        n => Ok(defined.iter().sum::<f64>() / n as f64),
    }
}

fn first_reason(by_seed: &[Result<f64, AbsenceReason>]) -> AbsenceReason {
    let found = by_seed.iter().find_map(|one| one.clone().err());
    found.unwrap_or(AbsenceReason::NothingToRead)
}

impl Sample {
    /// A weighted sum of samples: seed by seed, and item by item.
    pub(super) fn weighted(all: &[(f64, &Sample)]) -> Sample {
        let seeds = all.iter().map(|(_, sample)| sample.by_seed.len()).min();
        let at = |seed: usize| -> Result<f64, AbsenceReason> {
            let each = all.iter().map(|(weight, sample)| {
                let value = sample.by_seed[seed]
                    .as_ref()
                    .map_err(AbsenceReason::clone)?;
                Ok(weight * value)
            });
            each.sum()
        };
        let by_seed: Vec<_> = (0..seeds.unwrap_or(0)).map(at).collect();
        let end = |low: bool| {
            let each = all.iter().map(|(weight, sample)| {
                let takes_low = (*weight > 0.0) == low;
                let end = if takes_low {
                    sample.ends.0
                } else {
                    sample.ends.1
                };
                Some(weight * end?)
            });
            each.sum::<Option<f64>>()
        };
        let parts = all.iter().flat_map(|(weight, sample)| {
            sample.parts.iter().map(move |part| Part {
                weight: weight * part.weight,
                series: Arc::clone(&part.series),
            })
        });
        let total: f64 = all.iter().map(|(weight, _)| weight).sum();
        let mixes = all.iter().all(|(weight, _)| *weight >= 0.0) && (total - 1.0).abs() < 1e-9;
        let parts: Vec<Part> = parts.collect();
        let first = all.first().map(|(_, sample)| *sample);
        Sample {
            value: mean(&by_seed),
            by_seed,
            items: all
                .iter()
                .map(|(_, sample)| sample.items)
                .min()
                .unwrap_or(0),
            unit: first.map_or(Unit::Replicates, |one| one.unit),
            crossed: all.iter().all(|(_, sample)| sample.crossed),
            clusters: first.and_then(|one| one.clusters.clone()),
            scope: first.map_or(Scope::Both, |one| one.scope),
            in_study: first.is_none_or(|one| one.in_study),
            ends: (end(true), end(false)),
            alone: mixes && all.iter().all(|(_, sample)| sample.alone),
            share: false,
            draws: None,
            parts,
        }
    }

    /// `self − other`, paired.
    pub(crate) fn minus(&self, other: &Sample) -> Sample {
        Sample::weighted(&[(1.0, self), (-1.0, other)])
    }

    /// The same, judged by resamples of items whatever the gauge is.
    pub(super) fn resampled(&self) -> Sample {
        let draws = Arc::new(Draws {
            by_seed: self.draws_of_parts(),
            population: None,
        });
        Sample {
            draws: Some(draws),
            share: false,
            ..self.clone()
        }
    }

    /// Whether resamples of items are what its error is known by.
    pub(super) fn is_judged_by_resamples(&self) -> bool {
        self.draws.is_some() || self.is_rough()
    }

    /// The same for another scope.
    pub(super) fn for_scope(&self, scope: Scope) -> Sample {
        Sample {
            scope,
            ..self.clone()
        }
    }

    /// The reading of each seed.
    pub(super) fn by_seed(&self) -> Vec<Reading> {
        self.by_seed.iter().map(reading).collect()
    }

    /// The values of the seeds that have one.
    pub(super) fn seeds(&self) -> Vec<f64> {
        self.by_seed.iter().flatten().copied().collect()
    }

    pub(super) fn value(&self) -> Result<f64, &AbsenceReason> {
        self.value.as_ref().copied()
    }

    /// What intervals and p-values are made of.
    pub(super) fn known(&self) -> Result<Known, AbsenceReason> {
        let values = self.seeds();
        let by_seeds = self.unit == Unit::Replicates || self.scope == Scope::Replicates;
        match values.len() {
            0 => Err(first_reason(&self.by_seed)),
            1 if by_seeds => Err(AbsenceReason::OneSeed),
            1 => self.over_items(&values),
            _ if by_seeds || !self.crossed && self.scope == Scope::Both => self.over_seeds(&values),
            _ if !self.crossed => self.within_seeds(&values),
            _ => self.over_items(&values),
        }
    }

    fn over_seeds(&self, values: &[f64]) -> Result<Known, AbsenceReason> {
        let evidence = Evidence::of_replicates(values, self.ends);
        Ok(Known {
            evidence: evidence.map_err(reason::statistic)?,
            basis: Basis::Seeds,
            components: None,
            clustered: self.clusters.is_some(),
        })
    }

    /// Items are the same for all seeds, or there is one seed.
    fn over_items(&self, values: &[f64]) -> Result<Known, AbsenceReason> {
        self.has_several_clusters()?;
        let basis = match (values.len(), self.scope) {
            (1, _) => Basis::Items,
            (_, Scope::Both) => Basis::Crossed,
            _ => Basis::ItemsKeptSeeds,
        };
        if self.is_judged_by_resamples() {
            return Ok(Known {
                evidence: self.evidence_of_draws(values)?,
                basis,
                components: None,
                clustered: self.clusters.is_some(),
            });
        }
        let found = self.components(values)?;
        let basis = match found.identical_replicates() {
            true => Basis::Items,
            false => basis,
        };
        let evidence = match self.share_of_items(basis) {
            Some((right, of)) => Evidence::share(right, of),
            None => Evidence::of_components(&found, self.scope, self.ends, self.alone),
        };
        Ok(Known {
            evidence: evidence.map_err(reason::statistic)?,
            basis,
            components: Some(found),
            clustered: self.clusters.is_some(),
        })
    }

    /// One cluster says nothing about others.
    fn has_several_clusters(&self) -> Result<(), AbsenceReason> {
        match &self.clusters {
            Some(all) if all.count() == 1 => Err(AbsenceReason::OneCluster {
                column: all.column().into(),
            }),
            _ => Ok(()),
        }
    }

    fn components(&self, values: &[f64]) -> Result<Components, AbsenceReason> {
        let table = self.added()?;
        let added = |seed: usize, unit: usize| table.added(seed, unit);
        Components::crossed(values, table.units(), added, table.labels()).map_err(reason::statistic)
    }

    /// What units add to the readings of the seeds that have one.
    fn added(&self) -> Result<AddedTable<'_>, AbsenceReason> {
        let seeds = self.defined_seeds();
        let mut parts: Vec<(f64, Vec<&Added>)> = Vec::new();
        for part in &self.parts {
            let all = part.series.added();
            let added = seeds.iter().map(|&seed| all[seed].as_ref());
            let added = added.collect::<Option<Vec<_>>>();
            let added = added.ok_or(AbsenceReason::NotWithoutSomeItems)?;
            parts.push((part.weight, added));
        }
        let labels = self.clusters.as_ref().map(|all| {
            let of_seeds = seeds.iter().map(|&seed| all.labels(seed));
            of_seeds.collect()
        });
        AddedTable::new(&parts, labels).ok_or(AbsenceReason::NoCommonItem)
    }

    /// Items of each seed's own, the seeds kept.
    fn within_seeds(&self, values: &[f64]) -> Result<Known, AbsenceReason> {
        let mut variance = 0.0;
        let mut freedom = 0.0;
        for (at, seed) in self.defined_seeds().into_iter().enumerate() {
            let one = Sample {
                by_seed: vec![self.by_seed[seed].clone()],
                parts: self.parts.iter().map(|part| part.only(seed)).collect(),
                clusters: of_replicate(self.clusters.as_ref(), seed),
                ..self.clone()
            };
            one.has_several_clusters()?;
            let found = one.components(&values[at..=at])?;
            let error = found.error(Scope::Items);
            variance += error * error;
            freedom += found.freedom(Scope::Items);
        }
        let (n, estimate) = (
            values.len() as f64,
            values.iter().sum::<f64>() / values.len() as f64,
        );
        let evidence = Evidence::student(estimate, variance.sqrt() / n, freedom);
        Ok(Known {
            evidence: evidence.map_err(reason::statistic)?,
            basis: Basis::ItemsKeptSeeds,
            components: None,
            clustered: self.clusters.is_some(),
        })
    }

    fn is_rough(&self) -> bool {
        self.parts.iter().any(|part| part.series.rough)
    }

    fn defined_seeds(&self) -> Vec<usize> {
        let all = self.by_seed.iter().enumerate();
        all.filter(|(_, value)| value.is_ok())
            .map(|(at, _)| at)
            .collect()
    }

    /// Right ones and all, where the reading is a share and the items are those of one replicate.
    fn share_of_items(&self, basis: Basis) -> Option<(u64, u64)> {
        if !self.share || self.clusters.is_some() || basis != Basis::Items {
            return None;
        }
        let (meter, _) = self.parts.first()?.series.meters.iter().flatten().next()?;
        let values: Vec<f64> = meter.per_item()?.iter().flatten().copied().collect();
        let right = values.iter().filter(|value| **value == 1.0).count();
        Some((right as u64, values.len() as u64))
    }

    /// Items per replicate; none of a gauge of whole datasets.
    pub(super) fn items(&self) -> usize {
        self.items
    }

    /// How many units an error is made of.
    pub(super) fn units(&self, known: &Known) -> usize {
        match (known.basis, &self.clusters) {
            (Basis::Seeds, _) => self.seeds().len(),
            (_, Some(clusters)) => clusters.count(),
            (_, None) => self.items,
        }
    }

    /// The ends of what is estimated.
    pub(crate) fn ends(&self) -> Ends {
        self.ends
    }

    /// The p-value of the null that it is at most (`Greater`) or at least (`Less`) `null`. Two seeds
    /// give an interval and decide nothing that is meant for others.
    pub(super) fn p(&self, null: f64, side: Side) -> Result<f64, AbsenceReason> {
        let known = self.known()?;
        if self.seeds().len() == 2 && matches!(known.basis, Basis::Crossed | Basis::Seeds) {
            return Err(AbsenceReason::TwoSeeds);
        }
        known.p(null, side)
    }

    /// The p-values against zero, both ways, where there are such.
    pub(crate) fn two_sides(&self) -> Option<TwoSides> {
        Some(TwoSides {
            above: self.p(0.0, Side::Greater).ok()?,
            below: self.p(0.0, Side::Less).ok()?,
        })
    }
}

/// What is generalised to, in the words of the statistics.
pub(super) fn scope_of(units: Units) -> Scope {
    match units {
        Units::Items => Scope::Items,
        Units::Seeds => Scope::Replicates,
        Units::ItemsAndSeeds => Scope::Both,
    }
}
