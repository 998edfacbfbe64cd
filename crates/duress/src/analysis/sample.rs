//! Samples: the readings of a series, and what is known of their error.
//!
//! What a sample knows of its error follows from the design. Replicates that met the same items are
//! crossed with them: the error comes from what each item adds to each reading, so that a
//! difference, a drop or an area is a weighted sum of samples, item by item and seed by seed.
//! Replicates with items of their own, and answers about a whole dataset, have a t over their
//! readings. Readings that are not smooth have resamples of items, and what seeds add to those.
//! Where items belong to clusters, these stand in the place of items throughout.

use std::sync::{Arc, OnceLock};

use duress_core::gauge::{Ends, Meter, Undefined, Unit};
use duress_stats::bootstrap::{self, Config, Design};
use duress_stats::components::{Components, Scope};
use duress_stats::evidence::Evidence;
use duress_stats::sources::{self, Factor, Source};
use duress_stats::{Interval, Side, UndefinedReason, statistic};

use super::added::{Added, AddedTable};
use super::clusters::Clusters;
use super::reason;
use super::series::Series;
use crate::study::{Study, Units};
use duress_findings::{
    AbsenceReason, IntervalMethod, Method, Quantity, Range, Reading, Resampled, VariancePart,
    VarianceSource,
};

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

/// A series that a sample is made of, and how much it counts.
#[derive(Clone)]
struct Part {
    weight: f64,
    series: Arc<SeriesParts>,
}

/// What units add to each reading of a series.
struct SeriesParts {
    /// With their plain readings.
    meters: Vec<Option<(Arc<dyn Meter>, f64)>>,
    clusters: Option<Arc<Clusters>>,
    /// Found when it is wanted: not every scope needs it.
    added: OnceLock<Vec<Option<Added>>>,
    rough: bool,
    config: Config,
}

/// A meter and its plain reading.
type ReadMeter = (Arc<dyn Meter>, f64);

/// The resamples of every seed, undefined ones among them; none where a seed has no reading.
type DrawsBySeed = Vec<Option<Vec<Option<f64>>>>;

/// Resamples of items, for each seed that has a value.
struct Draws {
    by_seed: DrawsBySeed,
    /// What the mean of the readings would be if the items were all there are, of a biased gauge.
    population: Option<f64>,
}

/// What an interval and its p-values are made of.
pub(super) struct Known {
    pub(super) evidence: Evidence,
    pub(super) basis: Basis,
    pub(super) components: Option<Components>,
    /// Whether its units are clusters of items, and not items.
    pub(super) clustered: bool,
}

/// The one-sided p-values of a difference against zero.
pub(crate) struct TwoSides {
    /// That it is not above.
    pub(crate) above: f64,
    /// That it is not below.
    pub(crate) below: f64,
}

/// The design an error follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Basis {
    /// Items crossed with seeds.
    Crossed,
    /// The items of one seed, or of seeds that do not differ.
    Items,
    /// Items, the seeds kept.
    ItemsKeptSeeds,
    /// Readings of seeds.
    Seeds,
}

impl Sampling {
    pub(crate) fn of(study: &Study) -> Sampling {
        let (resamples, level) = (study.analysis.resamples, study.analysis.level);
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
            alone: true,
            share,
            draws: draws.map(Arc::new),
            parts: vec![Part {
                weight: 1.0,
                series: Arc::new(parts),
            }],
        }
    }
}

impl SeriesParts {
    fn new(
        meters: Vec<Option<(Arc<dyn Meter>, f64)>>,
        clusters: Option<Arc<Clusters>>,
        config: Config,
    ) -> SeriesParts {
        SeriesParts {
            rough: meters.iter().flatten().any(|(meter, _)| meter.is_rough()),
            added: OnceLock::new(),
            meters,
            clusters,
            config,
        }
    }

    /// What units add to the reading of each seed; nothing is known of readings that are rough.
    fn added(&self) -> &[Option<Added>] {
        self.added.get_or_init(|| {
            let of_seed = |(seed, meter): (usize, &Option<ReadMeter>)| {
                let (meter, value) = meter.as_ref().filter(|_| !self.rough)?;
                let clusters = self.clusters.as_ref();
                let clusters = clusters.map(|all| (all.labels(seed), all.count()));
                Added::of(meter, *value, clusters)
            };
            self.meters.iter().enumerate().map(of_seed).collect()
        })
    }

    /// Resamples of a gauge that is biased or rough, by which its own interval is made; others have
    /// no need of them.
    fn draws_of_biased(&self) -> Option<Draws> {
        let population = self.population();
        (self.rough || population.is_some()).then(|| Draws {
            by_seed: self.draws(),
            population,
        })
    }

    /// What biased meters would read in the mean if their items were all there are; `None` where
    /// one is not biased.
    fn population(&self) -> Option<f64> {
        let read =
            |(meter, _): &(Arc<dyn Meter>, f64)| meter.plug_in_value(&vec![1; meter.units()])?.ok();
        let all = self.meters.iter().flatten().map(read);
        let all = all.collect::<Option<Vec<f64>>>()?;
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// The same draws of items, or of clusters, for all seeds that have as many.
    fn draws(&self) -> DrawsBySeed {
        let drawn = |(seed, meter): (usize, &Option<ReadMeter>)| {
            let (meter, _) = meter.as_ref()?;
            let drawn = match &self.clusters {
                None => self.drawn(meter.units(), |weights| meter.read(weights)),
                Some(all) => self.drawn(all.count(), |weights| {
                    meter.read(&all.weights_of_items(seed, weights))
                }),
            };
            Some(drawn?.into_iter().map(Result::ok).collect())
        };
        self.meters.iter().enumerate().map(drawn).collect()
    }

    fn drawn(
        &self,
        units: usize,
        read: impl Fn(&[u32]) -> Result<f64, Undefined> + Sync,
    ) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let read = |weights: &[u32]| read(weights).map_err(because);
        let read = statistic::from_fn(units, read);
        bootstrap::distribution(&read, Design::Simple, self.config).ok()
    }
}

fn because(undefined: Undefined) -> duress_stats::UndefinedReason {
    duress_stats::UndefinedReason::Because(undefined.why)
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

    /// Where the variance comes from, as far as what is known tells.
    fn variance(&self, known: &Known) -> Vec<VariancePart> {
        let Some(components) = known.components else {
            return Vec::new();
        };
        let sources = match self.within_clusters() {
            Some(sources) => sources,
            None if self.clusters.is_some() => components.sources(Factor::Cluster),
            None => components.sources(Factor::Item),
        };
        let found: Vec<(VarianceSource, f64, f64)> = sources
            .iter()
            .map(|source| (named(source.factor), source.variance, source.error))
            .collect();
        VariancePart::all(&found)
    }

    /// Clusters apart from their items: of a mean, where all seeds met the same items.
    fn within_clusters(&self) -> Option<Vec<Source>> {
        let table = self.added().ok()?;
        let (first, rest) = table.labels()?.split_first()?;
        if rest.iter().any(|own| own != first) {
            return None;
        }
        let added = |seed: usize, item: usize| table.added(seed, item);
        sources::within_clusters(&self.seeds(), added, first).ok()
    }

    /// Items of each seed's own, the seeds kept.
    fn within_seeds(&self, values: &[f64]) -> Result<Known, AbsenceReason> {
        let (mut variance, mut freedom) = (0.0, 0.0);
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

    fn draws_of_parts(&self) -> DrawsBySeed {
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
    fn evidence_of_draws(&self, values: &[f64]) -> Result<Evidence, AbsenceReason> {
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

    pub(super) fn method(&self, known: &Known) -> Method {
        let resamples = self
            .parts
            .first()
            .map_or(0, |part| part.series.config.resamples);
        let biased = self
            .draws
            .as_ref()
            .is_some_and(|draws| draws.population.is_some());
        let made = match (known.evidence.method(), known.basis) {
            ("bootstrap", _) if biased => IntervalMethod::Basic { resamples },
            ("bootstrap", _) => IntervalMethod::Percentile { resamples },
            ("Wilson", _) => IntervalMethod::Wilson,
            ("bounded mean", _) => IntervalMethod::BoundedMean,
            ("units that do not vary", _) => IntervalMethod::Unvaried,
            (_, Basis::Seeds) => IntervalMethod::TOverSeeds,
            ("t of log-odds", Basis::Crossed) => IntervalMethod::CrossedLogOdds,
            ("t of log-odds", _) if self.clusters.is_some() => IntervalMethod::ClustersLogOdds,
            ("t of log-odds", _) => IntervalMethod::ItemsLogOdds,
            (_, Basis::Crossed) => IntervalMethod::Crossed,
            _ if self.clusters.is_some() => IntervalMethod::TOverClusters,
            _ => IntervalMethod::TOverItems,
        };
        made.into()
    }

    /// What was drawn and might have been drawn otherwise; narrower scopes say so.
    fn drawn(&self, basis: Option<Basis>) -> Resampled {
        let (items, seeds) = (self.items, self.seeds().len());
        match (basis, &self.clusters) {
            (Some(Basis::Seeds), _) => self.drawn_seeds(seeds),
            (Some(basis), Some(clusters)) => self.drawn_clusters(basis, clusters, seeds),
            (Some(Basis::Crossed), None) => Resampled::Crossed { items, seeds },
            (Some(Basis::Items), None) if !self.in_study => Resampled::Items { items },
            (Some(Basis::Items), None) if seeds == 1 => Resampled::ItemsOfOneSeed { items },
            (Some(Basis::Items), None) => Resampled::ItemsOfEqualSeeds { items, seeds },
            (Some(Basis::ItemsKeptSeeds), None) => Resampled::ItemsForSeeds { items, seeds },
            (None, _) if items > 0 => Resampled::Items { items },
            (None, _) => Resampled::Seeds { seeds },
        }
    }

    /// Data that are the same for all seeds are these data and no others.
    fn drawn_seeds(&self, seeds: usize) -> Resampled {
        match (self.unit, self.crossed) {
            (_, false) => Resampled::Seeds { seeds },
            (Unit::Replicates, true) => Resampled::SeedsOfOneDataset { seeds },
            (Unit::Items, true) => Resampled::SeedsItemsKept { seeds },
        }
    }

    fn drawn_clusters(&self, basis: Basis, all: &Clusters, seeds: usize) -> Resampled {
        let (clusters, column, items) = (all.count(), all.column().into(), self.items);
        match basis {
            Basis::Crossed | Basis::Seeds => Resampled::CrossedClusters {
                clusters,
                column,
                items,
                seeds,
            },
            Basis::Items if !self.in_study => Resampled::Clusters {
                clusters,
                column,
                items,
            },
            Basis::Items if seeds == 1 => Resampled::ClustersOfOneSeed {
                clusters,
                column,
                items,
            },
            Basis::Items => Resampled::ClustersOfEqualSeeds {
                clusters,
                column,
                items,
                seeds,
            },
            Basis::ItemsKeptSeeds => Resampled::ClustersForSeeds {
                clusters,
                column,
                items,
                seeds,
            },
        }
    }

    /// The number with what it takes to trust it.
    pub(crate) fn quantity(&self, level: f64) -> Quantity {
        self.quantity_by(&self.known(), level)
    }

    /// The same, and where its variance comes from.
    pub(super) fn quantity_and_variance(&self, level: f64) -> (Quantity, Vec<VariancePart>) {
        let known = self.known();
        let variance = known.as_ref().map(|known| self.variance(known));
        (
            self.quantity_by(&known, level),
            variance.unwrap_or_default(),
        )
    }

    fn quantity_by(&self, known: &Result<Known, AbsenceReason>, level: f64) -> Quantity {
        let interval = known.as_ref().map_err(AbsenceReason::clone);
        let interval = interval.and_then(|known| known.interval(level));
        let interval = interval.map(|found| Range {
            low: found.low,
            high: found.high,
            level,
        });
        let method = known.as_ref().map(|known| self.method(known));
        let unit = self.drawn(known.as_ref().ok().map(|known| known.basis));
        Quantity::new(reading(&self.value), interval)
            .of(self.items, self.seeds().len())
            .by(unit, method.unwrap_or(IntervalMethod::None.into()))
    }
}

/// A factor in the words of the contract.
fn named(factor: Factor) -> VarianceSource {
    match factor {
        Factor::Cluster => VarianceSource::Cluster,
        Factor::Item => VarianceSource::Item,
        Factor::Replicate => VarianceSource::Replicate,
        Factor::Rest => VarianceSource::Rest,
    }
}

impl Known {
    /// The interval at a level; beyond the tails that Satterthwaite's approximation was simulated
    /// for, never narrower than t over seeds, which needs none.
    pub(super) fn interval(&self, level: f64) -> Result<Interval, AbsenceReason> {
        let found = self.evidence.interval(level).map_err(reason::statistic)?;
        let Some(seeds) = self.over_seeds().filter(|_| level > 1.0 - 2.0 * NEAR_TAIL) else {
            return Ok(found);
        };
        let other = seeds.interval(level).map_err(reason::statistic)?;
        Ok(Interval {
            low: found.low.min(other.low),
            high: found.high.max(other.high),
            ..found
        })
    }

    /// The p-value of a one-sided null, by the same rule.
    pub(super) fn p(&self, null: f64, side: Side) -> Result<f64, AbsenceReason> {
        let p = self.evidence.p(null, side).map_err(reason::statistic)?;
        match self.over_seeds().filter(|_| p < NEAR_TAIL) {
            Some(seeds) => {
                let other = seeds.p(null, side).map_err(reason::statistic)?;
                Ok(p.max(other.min(NEAR_TAIL)))
            }
            None => Ok(p),
        }
    }

    /// Student's t over the seeds of a crossed design.
    fn over_seeds(&self) -> Option<Evidence> {
        let found = self.components.filter(|_| self.basis == Basis::Crossed)?;
        let (error, freedom) = (
            found.error(Scope::Replicates),
            found.freedom(Scope::Replicates),
        );
        Evidence::student(found.estimate, error, freedom).ok()
    }
}

/// Up to this tail Satterthwaite's degrees of freedom were simulated; further out, few seeds make
/// them too many.
const NEAR_TAIL: f64 = 0.025;

impl Part {
    /// The part of one seed.
    fn only(&self, seed: usize) -> Part {
        let SeriesParts {
            meters,
            clusters,
            config,
            ..
        } = &*self.series;
        let clusters = of_replicate(clusters.as_ref(), seed);
        let meters = vec![meters[seed].clone()];
        Part {
            weight: self.weight,
            series: Arc::new(SeriesParts::new(meters, clusters, *config)),
        }
    }
}

/// The clusters of one replicate, where some of its items belong together.
fn of_replicate(clusters: Option<&Arc<Clusters>>, replicate: usize) -> Option<Arc<Clusters>> {
    clusters?.of_replicate(replicate).map(Arc::new)
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
        let (items, of_seeds) = (variance(&self.means), variance(values) / seeds);
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

/// What is generalised to, in the words of the statistics.
pub(super) fn scope_of(units: Units) -> Scope {
    match units {
        Units::Items => Scope::Items,
        Units::Seeds => Scope::Replicates,
        Units::ItemsAndSeeds => Scope::Both,
    }
}

pub(super) fn reading(value: &Result<f64, AbsenceReason>) -> Reading {
    match value {
        Ok(value) if value.is_finite() => Reading::Value(*value),
        Ok(value) => Reading::Undefined(AbsenceReason::NotFinite {
            value: value.to_string(),
        }),
        Err(why) => Reading::Undefined(why.clone()),
    }
}
