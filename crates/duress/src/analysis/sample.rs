//! Samples: the readings of a series, and what resampling its units gives.
//!
//! All series of one shape meet the same draws, so a difference, an area or a share is computed
//! draw by draw.

use std::sync::Arc;

use duress_core::gauge::{Meter, Undefined, Unit};
use duress_stats::bootstrap::{self, Config, Design, Draw, Nesting, TwoLevel};
use duress_stats::{interval, statistic};

use super::reason;
use super::series::Series;
use crate::study::{Study, Units};
use duress_findings::{AbsenceReason, IntervalMethod, Method, Quantity, Range, Reading, Resampled};

/// How a study resamples.
pub(crate) struct Sampling {
    units: Units,
    config: Config,
    /// Whether samples are combined with others, for which all need draws.
    combined: bool,
}

/// What was resampled.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum How {
    /// Readings of seeds: a t interval.
    Seeds,
    /// Right or wrong per item, one seed: Wilson's interval.
    Proportion { right: u64, of: u64 },
    /// Draws, and of what.
    Draws(Resampled),
    /// Nothing could be, and why.
    Nothing(AbsenceReason),
}

/// A number per seed, their mean, and what resampling gives.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    value: Result<f64, AbsenceReason>,
    by_seed: Vec<Result<f64, AbsenceReason>>,
    draws: Vec<Option<f64>>,
    /// Whether the draws were reflected about the reading, so that they take off the bias that resampling adds.
    reflected: bool,
    how: How,
    items: usize,
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
            units: study.analysis.units,
            config,
            combined: true,
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
            units: Units::Items,
            config,
            combined: false,
        }
    }

    /// Reads a series, and resamples what the study resamples as far as the series has it.
    pub(crate) fn sample(&self, series: &Series) -> Sample {
        let by_seed: Vec<Result<f64, AbsenceReason>> = series.meters.iter().map(read).collect();
        let defined: Vec<&Arc<dyn Meter>> = series.meters.iter().flatten().collect();
        let defined: Vec<&Arc<dyn Meter>> = defined
            .into_iter()
            .filter(|meter| meter.plain().is_ok())
            .collect();
        // Seeds may differ in who has no answer; the smallest number promises nothing that is not
        // there.
        let items = defined
            .iter()
            .map(|meter| meter.taking_part())
            .min()
            .unwrap_or(0);
        let (how, draws) = self.resample(series, &defined, &by_seed);
        let value = mean(&by_seed);
        let about = value
            .as_ref()
            .ok()
            .zip(plug_in_value(&defined))
            .map(|(value, all)| value + all);
        // What the reading misses of the truth, a resample misses of the items as a population:
        // draws become guesses at the truth.
        let reflected = |draw: Option<f64>| about.map_or(draw, |about| Some(about - draw?));
        Sample {
            value,
            by_seed,
            draws: draws.into_iter().map(reflected).collect(),
            reflected: about.is_some(),
            how,
            items: if series.unit == Unit::Items { items } else { 0 },
        }
    }

    fn resample(
        &self,
        series: &Series,
        meters: &[&Arc<dyn Meter>],
        by_seed: &[Result<f64, AbsenceReason>],
    ) -> (How, Vec<Option<f64>>) {
        let seeds = meters.len();
        if seeds == 0 {
            return (How::Nothing(first_reason(by_seed)), Vec::new());
        }
        let units = match (series.unit, self.units) {
            (Unit::Replicates, _) => Units::Seeds,
            (Unit::Items, Units::ItemsAndSeeds) if seeds == 1 => Units::Items,
            (Unit::Items, units) => units,
        };
        if units == Units::Seeds {
            let how = match seeds {
                1 => How::Nothing(AbsenceReason::OneSeed),
                _ => How::Seeds,
            };
            return (how, Vec::new());
        }
        if let (1, Units::Items, Some(proportion)) = (seeds, units, proportion(meters[0])) {
            let drawn = self
                .combined
                .then(|| items_only(meters, series.crossed, self.config));
            return (proportion, drawn.and_then(Result::ok).unwrap_or_default());
        }
        let drawn = match units {
            Units::Items => items_only(meters, series.crossed, self.config),
            _ => both(meters, series.crossed, self.config),
        };
        match drawn {
            Ok(draws) => (How::Draws(resampled(units, meters, series.crossed)), draws),
            Err(why) => (How::Nothing(why), Vec::new()),
        }
    }
}

/// What biased meters would read in the mean if their items were all there are; `None` where one is
/// not biased.
fn plug_in_value(meters: &[&Arc<dyn Meter>]) -> Option<f64> {
    let read = |meter: &&Arc<dyn Meter>| meter.plug_in_value(&vec![1; meter.units()])?.ok();
    let all = meters.iter().map(read).collect::<Option<Vec<f64>>>()?;
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

/// What is resampled.
fn resampled(units: Units, meters: &[&Arc<dyn Meter>], crossed: bool) -> Resampled {
    let (seeds, items) = (
        meters.len(),
        meters
            .iter()
            .map(|meter| meter.taking_part())
            .min()
            .unwrap_or(0),
    );
    match (units, seeds, crossed) {
        (Units::Items, 1, _) => Resampled::Items { items },
        (Units::Items, _, true) => Resampled::ItemsSeedsKept { items, seeds },
        (Units::Items, _, false) => Resampled::ItemsWithinSeeds { items, seeds },
        (_, _, true) => Resampled::Crossed { items, seeds },
        (_, _, false) => Resampled::Nested { items, seeds },
    }
}

fn read(meter: &Result<Arc<dyn Meter>, AbsenceReason>) -> Result<f64, AbsenceReason> {
    Ok(meter.as_ref().map_err(Clone::clone)?.plain()?)
}

/// The first of the reasons why no seed has a value.
fn first_reason(by_seed: &[Result<f64, AbsenceReason>]) -> AbsenceReason {
    let first = by_seed.iter().find_map(|one| one.clone().err());
    first.unwrap_or(AbsenceReason::NothingToCombine)
}

/// The mean over the seeds that have a value.
fn mean(by_seed: &[Result<f64, AbsenceReason>]) -> Result<f64, AbsenceReason> {
    let defined: Vec<f64> = by_seed.iter().flatten().copied().collect();
    match defined.len() {
        0 => Err(first_reason(by_seed)),
        n => Ok(defined.iter().sum::<f64>() / n as f64),
    }
}

fn proportion(meter: &Arc<dyn Meter>) -> Option<How> {
    let values: Vec<f64> = meter.per_item()?.iter().flatten().copied().collect();
    let binary = meter.is_share();
    let right = values.iter().filter(|value| **value == 1.0).count() as u64;
    binary.then_some(How::Proportion {
        right,
        of: values.len() as u64,
    })
}

type Drawn = Result<Vec<Option<f64>>, AbsenceReason>;

/// Items are drawn, seeds are kept: the same items for all seeds, or each seed's own.
fn items_only(meters: &[&Arc<dyn Meter>], crossed: bool, config: Config) -> Drawn {
    let sizes: Vec<usize> = meters.iter().map(|meter| meter.units()).collect();
    let crossed = crossed && sizes.iter().all(|size| *size == sizes[0]);
    let drawn = if crossed {
        let shared = statistic::from_fn(sizes[0], |weights: &[u32]| {
            mean_of(meters.iter().map(|m| m.read(weights)))
        });
        bootstrap::distribution(&shared, Design::Simple, config)
    } else {
        let labels: Vec<usize> = sizes
            .iter()
            .enumerate()
            .flat_map(|(seed, size)| std::iter::repeat_n(seed, *size))
            .collect();
        let own = statistic::from_fn(labels.len(), |weights: &[u32]| {
            let mut rest = weights;
            mean_of(meters.iter().map(|meter| {
                let (mine, others) = rest.split_at(meter.units());
                rest = others;
                meter.read(mine)
            }))
        });
        bootstrap::distribution(&own, Design::Stratified(&labels), config)
    };
    Ok(drawn
        .map_err(reason::statistic)?
        .into_iter()
        .map(Result::ok)
        .collect())
}

/// Seeds are drawn, and items too.
fn both(meters: &[&Arc<dyn Meter>], crossed: bool, config: Config) -> Drawn {
    let nesting = if crossed {
        Nesting::Crossed
    } else {
        Nesting::Nested
    };
    let drawn = bootstrap::distribution_two_level(&Replicates(meters), nesting, config);
    Ok(drawn
        .map_err(reason::statistic)?
        .into_iter()
        .map(Result::ok)
        .collect())
}

struct Replicates<'a>(&'a [&'a Arc<dyn Meter>]);

impl TwoLevel for Replicates<'_> {
    fn outer(&self) -> usize {
        self.0.len()
    }

    fn inner(&self, outer: usize) -> usize {
        self.0[outer].units()
    }

    fn at_draws(&self, draws: &[Draw<'_>]) -> Result<f64, duress_stats::UndefinedReason> {
        // Crossed draws share their weights, so a seed drawn twice reads the same: it is read once.
        let mut known: Vec<(usize, *const u32, f64)> = Vec::with_capacity(draws.len());
        let mut sum = 0.0;
        for draw in draws {
            let key = (draw.outer, draw.inner.as_ptr());
            let value = match known
                .iter()
                .find(|(outer, inner, _)| (*outer, *inner) == key)
            {
                Some((_, _, value)) => *value,
                None => {
                    let value = self.0[draw.outer].read(draw.inner).map_err(because)?;
                    known.push((key.0, key.1, value));
                    value
                }
            };
            sum += value;
        }
        Ok(sum / draws.len() as f64)
    }
}

fn mean_of(
    readings: impl Iterator<Item = Result<f64, Undefined>>,
) -> Result<f64, duress_stats::UndefinedReason> {
    let readings = readings.collect::<Result<Vec<_>, _>>().map_err(because)?;
    Ok(readings.iter().sum::<f64>() / readings.len() as f64)
}

fn because(undefined: Undefined) -> duress_stats::UndefinedReason {
    duress_stats::UndefinedReason::Because(undefined.why)
}

impl Sample {
    /// A number computed from several samples: seed by seed and draw by draw.
    pub(super) fn combine(samples: &[&Sample], of: impl Fn(&[f64]) -> Option<f64>) -> Sample {
        let at = |values: Vec<Result<f64, AbsenceReason>>| -> Result<f64, AbsenceReason> {
            let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
            of(&values).ok_or(AbsenceReason::DoesNotExist)
        };
        let seeds = samples
            .iter()
            .map(|sample| sample.by_seed.len())
            .min()
            .unwrap_or(0);
        let by_seed: Vec<_> = (0..seeds)
            .map(|seed| at(samples.iter().map(|s| s.by_seed[seed].clone()).collect()))
            .collect();
        let paired = samples.iter().all(|sample| {
            sample.seeds_defined() == by_seed.iter().map(Result::is_ok).collect::<Vec<_>>()
        });
        let draws = samples
            .iter()
            .map(|sample| sample.draws.len())
            .min()
            .unwrap_or(0);
        let draw = |b: usize| {
            of(&samples
                .iter()
                .map(|s| s.draws[b])
                .collect::<Option<Vec<_>>>()?)
        };
        Sample {
            value: if paired {
                at(samples.iter().map(|s| s.value.clone()).collect())
            } else {
                mean(&by_seed)
            },
            by_seed,
            draws: (0..draws).map(draw).collect(),
            reflected: samples.iter().any(|sample| sample.reflected),
            how: combined_how(samples, paired),
            items: samples.iter().map(|sample| sample.items).min().unwrap_or(0),
        }
    }

    /// `self − other`, paired.
    pub(super) fn minus(&self, other: &Sample) -> Sample {
        Sample::combine(&[self, other], |values| Some(values[0] - values[1]))
    }

    fn seeds_defined(&self) -> Vec<bool> {
        self.by_seed.iter().map(Result::is_ok).collect()
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

    /// The interval at a level, or why there is none; and its method.
    pub(super) fn interval(&self, level: f64) -> (Result<Range, AbsenceReason>, Method) {
        let found = match &self.how {
            How::Nothing(why) => Err(why.clone()),
            How::Seeds => interval::student_t(&self.seeds(), level).map_err(reason::statistic),
            How::Proportion { right, of } => {
                interval::wilson(*right, *of, level).map_err(reason::statistic)
            }
            How::Draws(_) => percentile(&self.draws, level),
        };
        let range = found.map(|found| Range {
            low: found.low,
            high: found.high,
            level,
        });
        (range, self.method())
    }

    fn method(&self) -> Method {
        let resamples = self.draws.len();
        let made = match &self.how {
            How::Seeds => IntervalMethod::TOverSeeds,
            How::Proportion { .. } => IntervalMethod::Wilson,
            How::Draws(_) if self.reflected => IntervalMethod::Basic { resamples },
            How::Draws(_) => IntervalMethod::Percentile { resamples },
            How::Nothing(_) => IntervalMethod::None,
        };
        made.into()
    }

    fn unit(&self) -> Resampled {
        let seeds = self.seeds().len();
        match &self.how {
            How::Proportion { of, .. } => Resampled::Items {
                items: *of as usize,
            },
            How::Draws(unit) => unit.clone(),
            How::Nothing(_) if self.items > 0 => Resampled::Items { items: self.items },
            How::Seeds | How::Nothing(_) => Resampled::Seeds { seeds },
        }
    }

    /// The number with what it takes to trust it.
    pub(crate) fn quantity(&self, level: f64) -> Quantity {
        let (interval, method) = self.interval(level);
        Quantity::new(reading(&self.value), interval)
            .of(self.items, self.seeds().len())
            .by(self.unit(), method)
    }
}

fn combined_how(samples: &[&Sample], paired: bool) -> How {
    let nothing = samples.iter().find_map(|sample| match &sample.how {
        How::Nothing(why) => Some(why.clone()),
        _ => None,
    });
    match (nothing, samples.first().map(|sample| &sample.how)) {
        (Some(why), _) => How::Nothing(why),
        (None, Some(How::Seeds)) => How::Seeds,
        (None, _) if !paired => How::Nothing(AbsenceReason::OtherSeeds),
        (None, Some(How::Proportion { of, .. })) => How::Draws(Resampled::Items {
            items: *of as usize,
        }),
        (None, Some(How::Draws(unit))) => How::Draws(unit.clone()),
        (None, _) => How::Nothing(AbsenceReason::NothingToCombine),
    }
}

/// The largest share of resamples without a value that an interval survives.
const UNDEFINED_SHARE: f64 = 0.05;

fn percentile(draws: &[Option<f64>], level: f64) -> Result<interval::Interval, AbsenceReason> {
    let mut values: Vec<f64> = draws.iter().flatten().copied().collect();
    let undefined = draws.len() - values.len();
    if undefined as f64 > UNDEFINED_SHARE * draws.len() as f64 {
        return Err(AbsenceReason::UndefinedInResamples {
            undefined,
            resamples: draws.len(),
        });
    }
    values.sort_by(f64::total_cmp);
    if values.first() == values.last() {
        return Err(AbsenceReason::SameInEveryResample);
    }
    bootstrap::percentile_interval(&values, level).map_err(reason::statistic)
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
