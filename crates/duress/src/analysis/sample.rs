//! Samples: the readings of a series, and what is known of their error.
//!
//! What a sample knows of its error follows from the design. Replicates that met the same items are
//! crossed with them: the error comes from what each item adds to each reading, so that a
//! difference, a drop or an area is a weighted sum of samples, item by item and seed by seed.
//! Replicates with items of their own, and answers about a whole dataset, have a t over their
//! readings. Readings that are not smooth have resamples of items, and what seeds add to those.

use std::sync::Arc;

use duress_core::gauge::{Ends, Meter, Undefined, Unit};
use duress_stats::bootstrap::{self, Config, Design};
use duress_stats::components::{Components, Scope};
use duress_stats::evidence::Evidence;
use duress_stats::{Interval, Side, UndefinedReason, statistic};

use super::added::Added;
use super::reason;
use super::series::Series;
use crate::study::{Study, Units};
use duress_findings::{AbsenceReason, IntervalMethod, Method, Quantity, Range, Reading, Resampled};

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
    crossed: bool,
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
    meters: Vec<Option<Arc<dyn Meter>>>,
    added: Vec<Option<Added>>,
    rough: bool,
    config: Config,
}

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

    /// Reads a series, and finds what each item adds to its readings.
    pub(crate) fn sample(&self, series: &Series) -> Sample {
        let by_seed: Vec<Result<f64, AbsenceReason>> = series.meters.iter().map(read).collect();
        let both = series.meters.iter().zip(&by_seed);
        let meters: Vec<Option<Arc<dyn Meter>>> = both
            .map(|(meter, value)| meter.as_ref().ok().filter(|_| value.is_ok()).cloned())
            .collect();
        // Seeds may differ in who has no answer; the smallest number promises nothing that is not
        // there.
        let items = meters
            .iter()
            .flatten()
            .map(|meter| meter.taking_part())
            .min();
        let of_items = series.unit == Unit::Items;
        let needs_items = of_items && self.scope != Scope::Replicates;
        let seeds = meters.iter().flatten().count();
        let over_items =
            needs_items && (series.crossed || seeds == 1 || self.scope == Scope::Items);
        let share = meters.iter().flatten().all(|meter| meter.is_share());
        let parts = SeriesParts::new(meters, &by_seed, over_items, self.config);
        let draws = over_items.then(|| parts.draws_of_biased()).flatten();
        Sample {
            value: mean(&by_seed),
            by_seed,
            items: items.filter(|_| of_items).unwrap_or(0),
            unit: series.unit,
            crossed: series.crossed,
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
        meters: Vec<Option<Arc<dyn Meter>>>,
        by_seed: &[Result<f64, AbsenceReason>],
        over_items: bool,
        config: Config,
    ) -> SeriesParts {
        let rough = meters.iter().flatten().any(|meter| meter.is_rough());
        let added = |(meter, value): (&Option<Arc<dyn Meter>>, &Result<f64, AbsenceReason>)| {
            let (meter, value) = (meter.as_ref()?, value.as_ref().ok()?);
            (over_items && !rough).then(|| Added::of(meter, *value))?
        };
        SeriesParts {
            added: meters.iter().zip(by_seed).map(added).collect(),
            meters,
            rough,
            config,
        }
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
        let read = |meter: &Arc<dyn Meter>| meter.plug_in_value(&vec![1; meter.units()])?.ok();
        let all = self.meters.iter().flatten().map(read);
        let all = all.collect::<Option<Vec<f64>>>()?;
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// The same draws of items for all seeds that have as many.
    fn draws(&self) -> DrawsBySeed {
        let drawn = |meter: &Option<Arc<dyn Meter>>| {
            let meter = meter.as_ref()?;
            let read = statistic::from_fn(meter.units(), |weights: &[u32]| {
                meter.read(weights).map_err(because)
            });
            let draws = bootstrap::distribution(&read, Design::Simple, self.config).ok()?;
            Some(draws.into_iter().map(Result::ok).collect())
        };
        self.meters.iter().map(drawn).collect()
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
        })
    }

    /// Items are the same for all seeds, or there is one seed.
    fn over_items(&self, values: &[f64]) -> Result<Known, AbsenceReason> {
        let basis = match (values.len(), self.scope) {
            (1, _) => Basis::Items,
            (_, Scope::Both) => Basis::Crossed,
            _ => Basis::ItemsKeptSeeds,
        };
        if self.draws.is_some() || self.is_rough() {
            return Ok(Known {
                evidence: self.evidence_of_draws(values)?,
                basis,
                components: None,
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
        })
    }

    fn components(&self, values: &[f64]) -> Result<Components, AbsenceReason> {
        let seeds = self.defined_seeds();
        let mut parts: Vec<(f64, Vec<&Added>)> = Vec::new();
        for part in &self.parts {
            let added = seeds.iter().map(|&seed| part.series.added[seed].as_ref());
            let added = added.collect::<Option<Vec<_>>>();
            parts.push((
                part.weight,
                added.ok_or(AbsenceReason::NotWithoutSomeItems)?,
            ));
        }
        let units = parts[0].1[0].units();
        let same = |(_, added): &(f64, Vec<&Added>)| added.iter().all(|one| one.units() == units);
        if !parts.iter().all(same) {
            return Err(AbsenceReason::NoCommonItem);
        }
        let added = |seed: usize, unit: usize| {
            let each = parts
                .iter()
                .filter_map(|(weight, added)| Some(weight * added[seed].by(unit)?));
            each.reduce(|a, b| a + b)
        };
        Components::crossed(values, units, added, None).map_err(reason::statistic)
    }

    /// Items of each seed's own, the seeds kept.
    fn within_seeds(&self, values: &[f64]) -> Result<Known, AbsenceReason> {
        let (mut variance, mut freedom) = (0.0, 0.0);
        for (at, seed) in self.defined_seeds().into_iter().enumerate() {
            let one = Sample {
                by_seed: vec![self.by_seed[seed].clone()],
                parts: self.parts.iter().map(|part| part.only(seed)).collect(),
                ..self.clone()
            };
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
        if !self.share || basis != Basis::Items {
            return None;
        }
        let meter = self.parts.first()?.series.meters.iter().flatten().next()?;
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
        // What the reading misses of the truth, a resample misses of the items as a population:
        // draws become guesses at the truth.
        let (centre, draws) = match population {
            Some(all) => {
                let turned: Vec<f64> = spread.means.iter().map(|d| estimate + all - d).collect();
                (turned.iter().sum::<f64>() / turned.len() as f64, turned)
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
        match known.basis {
            Basis::Seeds => self.seeds().len(),
            _ => self.items,
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
            ("t of log-odds", _) => IntervalMethod::ItemsLogOdds,
            (_, Basis::Crossed) => IntervalMethod::Crossed,
            _ => IntervalMethod::TOverItems,
        };
        made.into()
    }

    /// What was drawn and might have been drawn otherwise; narrower scopes say so.
    fn drawn(&self, basis: Option<Basis>) -> Resampled {
        let (items, seeds) = (self.items, self.seeds().len());
        let whole = self.unit == Unit::Replicates || !self.crossed;
        match basis {
            Some(Basis::Crossed) => Resampled::Crossed { items, seeds },
            Some(Basis::Items) if !self.in_study => Resampled::Items { items },
            Some(Basis::Items) if seeds == 1 => Resampled::ItemsOfOneSeed { items },
            Some(Basis::Items) => Resampled::ItemsOfEqualSeeds { items, seeds },
            Some(Basis::ItemsKeptSeeds) => Resampled::ItemsForSeeds { items, seeds },
            Some(Basis::Seeds) if whole => Resampled::Seeds { seeds },
            Some(Basis::Seeds) => Resampled::SeedsItemsKept { seeds },
            None if items > 0 => Resampled::Items { items },
            None => Resampled::Seeds { seeds },
        }
    }

    /// The number with what it takes to trust it.
    pub(crate) fn quantity(&self, level: f64) -> Quantity {
        let known = self.known();
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
        let meters = vec![self.series.meters[seed].clone()];
        let added = meters[0]
            .as_ref()
            .and_then(|meter| Added::of(meter, meter.plain().ok()?));
        Part {
            weight: self.weight,
            series: Arc::new(SeriesParts {
                meters,
                added: vec![added],
                ..*self.series
            }),
        }
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
