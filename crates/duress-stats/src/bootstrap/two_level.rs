//! Two levels of units: replicates, and items crossed with them or nested in them.
//!
//! A resample first draws replicates with replacement, then items. *Crossed*: all replicates answer
//! the same items, so one draw of items serves all of them. *Nested*: each replicate has its own
//! items, so each drawn copy of a replicate gets its own draw. Both treat the two levels as random;
//! with fewer than about five replicates, or ten where the replicates differ more than the items
//! do, the interval is too narrow (see the coverage table in `docs/statistics.md`).
//!
//! Source: A. B. Owen, *The pigeonhole bootstrap*, Ann. Appl. Stat. 1 (2007) 386, for the crossed
//! design; A. C. Davison and D. V. Hinkley (1997), §3.8, for the nested one. Both overstate the
//! variance a little rather than understate it.

use super::{Bootstrapped, Config, IntervalKind, Resamples, check_config};
use super::{acceleration, basic_interval, bca_interval, percentile_interval};
use crate::random::RandomStream;
use crate::{UndefinedReason, check, parallel};

/// One drawn outer unit with the weights of its inner units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw<'a> {
    /// Which outer unit.
    pub outer: usize,
    /// How often each of its inner units counts.
    pub inner: &'a [u32],
}

/// A statistic of outer units that each hold inner units.
///
/// `at_draws` receives the outer units drawn, copies included, each with inner weights. The mean over
/// replicates of an accuracy is thus `draws.iter().map(|d| accuracy(d.outer, d.inner)).sum() /
/// draws.len()`.
pub trait TwoLevel: Sync {
    /// Number of outer units.
    fn outer(&self) -> usize;

    /// Number of inner units of an outer unit.
    fn inner(&self, outer: usize) -> usize;

    /// The value over the outer units drawn.
    ///
    /// # Errors
    /// The statistic does not exist for these draws.
    fn at_draws(&self, draws: &[Draw<'_>]) -> Result<f64, UndefinedReason>;
}

/// Values by outer and inner unit; the statistic is the mean of the outer units' means.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoLevelMean(pub Vec<Vec<f64>>);

impl TwoLevel for TwoLevelMean {
    fn outer(&self) -> usize {
        self.0.len()
    }

    fn inner(&self, outer: usize) -> usize {
        self.0[outer].len()
    }

    fn at_draws(&self, draws: &[Draw<'_>]) -> Result<f64, UndefinedReason> {
        let mean = |d: &Draw<'_>| {
            let values = self.0[d.outer].iter().zip(d.inner);
            let sum: f64 = values.map(|(v, &w)| v * f64::from(w)).sum();
            sum / d.inner.iter().sum::<u32>() as f64
        };
        Ok(draws.iter().map(mean).sum::<f64>() / draws.len() as f64)
    }
}

/// How inner units relate to outer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// Every outer unit holds the same inner units, in the same order.
    Crossed,
    /// Each outer unit holds its own.
    Nested,
}

/// A bootstrap interval over both levels. Studentised intervals are not offered here.
///
/// ```
/// use duress_stats::bootstrap::{Config, IntervalKind, Nesting, TwoLevelMean, bootstrap_two_level};
///
/// // Replicate × item.
/// let answers = TwoLevelMean(vec![vec![1.0, 0.0, 1.0, 1.0], vec![1.0, 1.0, 1.0, 0.0], vec![0.0, 0.0, 1.0, 1.0]]);
/// let config = Config { resamples: 1000, ..Config::default() };
/// let result = bootstrap_two_level(&answers, Nesting::Crossed, IntervalKind::Percentile, config).unwrap();
/// assert!(result.interval.contains(2.0 / 3.0));
/// ```
///
/// # Errors
/// As [`super::bootstrap`]; also a crossed design whose outer units differ in size.
pub fn bootstrap_two_level<S: TwoLevel + ?Sized>(
    statistic: &S,
    nesting: Nesting,
    kind: IntervalKind,
    config: Config,
) -> Result<Bootstrapped, UndefinedReason> {
    check_config(config)?;
    let shape = NestedSizes::of_statistic(statistic, nesting)?;
    let estimate = statistic.at_draws(&draws(&shape.everything(), &shape.ones()))?;
    let drawn = shape.resample(statistic, config);
    let resamples = Resamples::collect(drawn)?;
    let method = |kind: &str, note: &str| format!("{kind}{note} bootstrap, {}", shape.name());
    let values = &resamples.values;
    let level = config.level;
    let interval = match kind {
        IntervalKind::Percentile => {
            percentile_interval(values, level)?.named(method("percentile", ""))
        }
        IntervalKind::Basic => basic_interval(estimate, values, level)?.named(method("basic", "")),
        IntervalKind::Bca => {
            let (left_out, note) = shape.jackknife(statistic, config.threads)?;
            bca_interval(estimate, values, acceleration(&left_out)?, level)?
                .named(method("BCa", &note))
        }
        IntervalKind::Studentised { .. } => {
            return Err(UndefinedReason::Because(
                "no studentised interval over two levels".to_owned(),
            ));
        }
    };
    Ok(resamples.summary(estimate, interval))
}

/// The values of the statistic over the resamples, in order of resample, undefined ones as they
/// are.
///
/// Two statistics of the same shape meet the same draws under the same seed, so values may be
/// combined draw by draw: a paired difference is the difference of two such lists.
///
/// # Errors
/// The design does not fit the data.
pub fn distribution_two_level<S: TwoLevel + ?Sized>(
    statistic: &S,
    nesting: Nesting,
    config: Config,
) -> Result<Vec<Result<f64, UndefinedReason>>, UndefinedReason> {
    Ok(NestedSizes::of_statistic(statistic, nesting)?.resample(statistic, config))
}

/// Pairs drawn outer units with their inner weights; one set of weights serves all when crossed.
fn draws<'a>(outer: &[usize], inner: &'a [Vec<u32>]) -> Vec<Draw<'a>> {
    let weights = |i: usize| {
        inner
            .get(i)
            .or(inner.first())
            .map_or(&[][..], Vec::as_slice)
    };
    outer
        .iter()
        .enumerate()
        .map(|(i, &outer)| Draw {
            outer,
            inner: weights(i),
        })
        .collect()
}

struct NestedSizes {
    nesting: Nesting,
    sizes: Vec<usize>,
}

impl NestedSizes {
    fn of_statistic<S: TwoLevel + ?Sized>(
        statistic: &S,
        nesting: Nesting,
    ) -> Result<Self, UndefinedReason> {
        let sizes: Vec<usize> = (0..statistic.outer()).map(|o| statistic.inner(o)).collect();
        check::at_least("outer units", sizes.len(), 2)?;
        for &size in &sizes {
            check::at_least("inner units", size, 1)?;
            check::at_most("the number of inner units", size, u32::MAX as usize)?;
            if nesting == Nesting::Crossed && size != sizes[0] {
                return Err(UndefinedReason::Unpaired {
                    left: sizes[0],
                    right: size,
                });
            }
        }
        Ok(Self { nesting, sizes })
    }

    fn name(&self) -> String {
        let outer = self.sizes.len();
        let all = self.sizes.iter().sum::<usize>();
        match self.nesting {
            Nesting::Crossed => format!("{outer} outer units crossed with {} inner", self.sizes[0]),
            Nesting::Nested => format!("{all} inner units nested in {outer} outer"),
        }
    }

    fn everything(&self) -> Vec<usize> {
        (0..self.sizes.len()).collect()
    }

    fn ones(&self) -> Vec<Vec<u32>> {
        match self.nesting {
            Nesting::Crossed => vec![vec![1; self.sizes[0]]],
            Nesting::Nested => self.sizes.iter().map(|&size| vec![1; size]).collect(),
        }
    }

    fn draw_units(&self, stream: &mut RandomStream) -> (Vec<usize>, Vec<Vec<u32>>) {
        let count = self.sizes.len();
        let mut outer = Vec::with_capacity(count);
        stream.draw_below(count as u32, count, |o| outer.push(o as usize));
        let mut weights = |size: usize| {
            let mut weights = vec![0; size];
            stream.draw_below(size as u32, size, |i| weights[i as usize] += 1);
            weights
        };
        let inner = match self.nesting {
            Nesting::Crossed => vec![weights(self.sizes[0])],
            Nesting::Nested => outer.iter().map(|&o| weights(self.sizes[o])).collect(),
        };
        (outer, inner)
    }

    fn resample<S: TwoLevel + ?Sized>(
        &self,
        statistic: &S,
        config: Config,
    ) -> Vec<Result<f64, UndefinedReason>> {
        parallel::map_with_state(
            config.resamples,
            config.threads,
            || (),
            |(), b| {
                let (outer, inner) = self.draw_units(&mut RandomStream::new(config.seed, b as u64));
                statistic.at_draws(&draws(&outer, &inner))
            },
        )
    }

    /// Outer units left out one by one; when crossed, inner units too, as a second stratum.
    fn jackknife<S: TwoLevel + ?Sized>(
        &self,
        statistic: &S,
        threads: usize,
    ) -> Result<(Vec<Vec<f64>>, String), UndefinedReason> {
        const GROUPS: usize = 500;
        let all = self.everything();
        let ones = self.ones();
        let outer = parallel::map_with_state(
            all.len(),
            threads,
            || (),
            |(), o| {
                let mut drawn = draws(&all, &ones);
                drawn.remove(o);
                statistic.at_draws(&drawn)
            },
        );
        let mut strata = vec![outer.into_iter().collect::<Result<Vec<f64>, _>>()?];
        if self.nesting == Nesting::Nested {
            return Ok((strata, " (jackknife of outer units)".to_owned()));
        }
        let groups = self.sizes[0].min(GROUPS);
        if groups > 1 {
            let inner = parallel::map_with_state(
                groups,
                threads,
                || (),
                |(), g| {
                    let mut weights = ones[0].clone();
                    weights
                        .iter_mut()
                        .skip(g)
                        .step_by(groups)
                        .for_each(|w| *w = 0);
                    statistic.at_draws(&draws(&all, std::slice::from_ref(&weights)))
                },
            );
            strata.push(inner.into_iter().collect::<Result<_, _>>()?);
        }
        let exact = groups == self.sizes[0];
        let note = if exact {
            String::new()
        } else {
            format!(" (grouped jackknife, {groups} groups)")
        };
        Ok((strata, note))
    }
}
