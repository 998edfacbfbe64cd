//! Resampled intervals: percentile, basic, BCa and studentised, over simple, clustered, stratified,
//! crossed and nested designs.
//!
//! | kind | interval | note |
//! |---|---|---|
//! | percentile | quantiles of θ* | transformation-respecting; too narrow at small n |
//! | basic | `2θ̂ −` quantiles of θ* | corrects bias once, can leave the range of θ |
//! | BCa | quantiles of θ* at levels moved by bias `z₀` and acceleration `a` | second-order accurate; `a` from the jackknife |
//! | studentised | `θ̂ −` quantiles of `(θ*−θ̂)/s*` times `s` | second-order accurate; needs a standard error per resample |
//!
//! None reaches its nominal coverage at small n: `docs/statistics.md` has the measured table, and
//! [`crate::interval`] the exact forms to prefer there. What was resampled, how often, and how many
//! resamples had no value are part of the result. Resample b is made from stream b of the seed, so
//! the number of threads changes nothing.
//!
//! Sources: B. Efron, JASA 82 (1987) 171; A. C. Davison and D. V. Hinkley, *Bootstrap Methods and
//! their Application* (1997), §5.3 and §2.4; quantiles interpolate linearly (type 7), z₀ counts
//! ties half, both as SciPy does.

mod design;
mod jackknife;
mod limits;
mod two_level;

pub use design::Design;
pub use limits::{acceleration, basic_interval, bca_interval, percentile_interval};
pub use two_level::{
    Draw, Nesting, TwoLevel, TwoLevelMean, bootstrap_two_level, distribution_two_level,
};

use crate::random::RandomStream;
use crate::statistic::Statistic;
use crate::{Interval, UndefinedReason, check, parallel};
use design::Sampler;
use jackknife::Jackknife;

/// Which interval is read off the resamples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalKind {
    /// Quantiles of the resamples.
    Percentile,
    /// The percentile interval reflected at the estimate; for a biased statistic halfway from it to
    /// its value in a population of the same items ([`Statistic::plug_in_value`]).
    Basic,
    /// Bias-corrected and accelerated.
    Bca,
    /// Bootstrap t.
    Studentised {
        /// Resamples of each resample, for statistics without a standard error of their own.
        inner: usize,
    },
}

/// How much is resampled, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Number of resamples.
    pub resamples: usize,
    /// Nominal coverage.
    pub level: f64,
    /// One seed, one answer.
    pub seed: u64,
    /// Threads to use; 0 means all cores. Never changes the answer.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            resamples: 9_999,
            level: 0.95,
            seed: 0,
            threads: 0,
        }
    }
}

/// A resampled estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrapped {
    /// The statistic of the data as they are.
    pub estimate: f64,
    /// Its interval, the method named in full.
    pub interval: Interval,
    /// Standard deviation of the resamples.
    pub standard_error: f64,
    /// Mean of the resamples minus the estimate.
    pub bias: f64,
    /// Resamples drawn.
    pub resamples: usize,
    /// Resamples in which the statistic had no value; they are left out of the interval.
    pub undefined: usize,
}

/// The largest share of resamples without a value that an interval survives.
const UNDEFINED_SHARE: f64 = 0.05;

/// A bootstrap interval of `statistic`.
///
/// ```
/// use duress_stats::bootstrap::{Config, Design, IntervalKind, bootstrap};
/// use duress_stats::statistic::SampleMean;
///
/// let mean = SampleMean::new(&[1.0, 4.0, 2.0, 8.0, 5.0, 7.0, 3.0, 3.5]).unwrap();
/// let config = Config { resamples: 2000, seed: 7, ..Config::default() };
/// let result = bootstrap(&mean, Design::Simple, IntervalKind::Bca, config).unwrap();
/// assert!(result.interval.contains(result.estimate));
///
/// let alone = bootstrap(&mean, Design::Simple, IntervalKind::Bca, Config { threads: 1, ..config }).unwrap();
/// assert_eq!(alone, result); // whatever the number of threads
/// ```
///
/// # Errors
/// The statistic has no value for the data, or for more than one resample in twenty; all resamples
/// are equal; the design does not fit the data; or there are too few resamples for the level.
pub fn bootstrap<S: Statistic + ?Sized>(
    statistic: &S,
    design: Design<'_>,
    kind: IntervalKind,
    config: Config,
) -> Result<Bootstrapped, UndefinedReason> {
    check_config(config)?;
    let sampler = Sampler::new(design, statistic.units())?;
    let estimate = statistic.value()?;
    if let IntervalKind::Studentised { inner } = kind {
        return studentised(statistic, &sampler, estimate, inner, config);
    }
    let resamples = Resamples::collect(draw_all(statistic, &sampler, config))?;
    let named = |kind: &str| format!("{kind} bootstrap, {}", sampler.name());
    let interval = match kind {
        IntervalKind::Bca => {
            let jackknife = Jackknife::leaving_one_out(statistic, &sampler, config.threads)?;
            let a = acceleration(&jackknife.strata)?;
            let method = named(&format!("BCa{}", jackknife.note));
            bca_interval(estimate, &resamples.values, a, config.level)?.named(method)
        }
        IntervalKind::Basic => {
            let population = statistic
                .plug_in_value(&vec![1; statistic.units()])
                .transpose()?;
            let about = population.map_or(estimate, |population| (estimate + population) / 2.0);
            basic_interval(about, &resamples.values, config.level)?.named(named("basic"))
        }
        _ => percentile_interval(&resamples.values, config.level)?.named(named("percentile")),
    };
    Ok(resamples.summary(estimate, interval))
}

/// The values of the statistic over the resamples, in order of resample, undefined ones as they
/// are.
///
/// # Errors
/// The design does not fit the data.
pub fn distribution<S: Statistic + ?Sized>(
    statistic: &S,
    design: Design<'_>,
    config: Config,
) -> Result<Vec<Result<f64, UndefinedReason>>, UndefinedReason> {
    let sampler = Sampler::new(design, statistic.units())?;
    Ok(draw_all(statistic, &sampler, config))
}

/// The statistic over all resamples, in order.
fn draw_all<S: Statistic + ?Sized>(
    statistic: &S,
    sampler: &Sampler,
    config: Config,
) -> Vec<Result<f64, UndefinedReason>> {
    let stream = |b: usize| RandomStream::new(config.seed, b as u64);
    if let (Some(values), true) = (statistic.summands(), sampler.simple()) {
        return parallel::map_with_state(
            config.resamples,
            config.threads,
            || (),
            |(), b| Ok(drawn_mean(values, stream(b))),
        );
    }
    let scratch = || vec![0; statistic.units()];
    parallel::map_with_state(config.resamples, config.threads, scratch, |weights, b| {
        sampler.draw_weights(&mut stream(b), weights);
        statistic.at_weights(weights)
    })
}

/// The mean of as many draws as there are values.
fn drawn_mean(values: &[f64], mut stream: RandomStream) -> f64 {
    let n = values.len();
    let mut sum = 0.0;
    stream.draw_groups(n as u32, n, |indices| {
        sum += indices.iter().map(|&i| values[i as usize]).sum::<f64>();
    });
    sum / n as f64
}

fn check_config(config: Config) -> Result<(), UndefinedReason> {
    check::open_unit("level", config.level)?;
    // Fewer than this and the quantile asked for lies beyond the outermost resample.
    let need = libm::ceil(2.0 / (1.0 - config.level)) as usize;
    check::at_least("resamples", config.resamples, need)
}

/// Values of the resamples that have one, sorted.
struct Resamples {
    values: Vec<f64>,
    drawn: usize,
}

impl Resamples {
    fn collect(drawn: Vec<Result<f64, UndefinedReason>>) -> Result<Self, UndefinedReason> {
        let count = drawn.len();
        let mut values = Vec::with_capacity(count);
        let mut first = None;
        for value in drawn {
            match value {
                Ok(value) if value.is_finite() => values.push(value),
                Ok(_) => {
                    first = first.or(Some(UndefinedReason::NotFinite {
                        what: "a resample",
                        at: values.len(),
                    }))
                }
                Err(why) => first = first.or(Some(why)),
            }
        }
        let undefined = count - values.len();
        if let Some(first) = first
            && undefined as f64 > UNDEFINED_SHARE * count as f64
        {
            return Err(UndefinedReason::MostlyUndefined {
                undefined,
                resamples: count,
                first: Box::new(first),
            });
        }
        values.sort_unstable_by(f64::total_cmp);
        if values.first() == values.last() {
            return Err(UndefinedReason::NoSpread {
                what: "the resamples",
            });
        }
        Ok(Self {
            values,
            drawn: count,
        })
    }

    fn summary(&self, estimate: f64, interval: Interval) -> Bootstrapped {
        let n = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / n;
        let squares: f64 = self.values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Bootstrapped {
            estimate,
            interval,
            standard_error: libm::sqrt(squares / (n - 1.0)),
            bias: mean - estimate,
            resamples: self.drawn,
            undefined: self.drawn - self.values.len(),
        }
    }
}

impl Interval {
    fn named(self, method: String) -> Self {
        Self { method, ..self }
    }
}

/// Bootstrap t: the resamples are of `(θ* − θ̂)/s*`.
fn studentised<S: Statistic + ?Sized>(
    statistic: &S,
    sampler: &Sampler,
    estimate: f64,
    inner: usize,
    config: Config,
) -> Result<Bootstrapped, UndefinedReason> {
    let ones = vec![1; statistic.units()];
    let closed = statistic.standard_error(&ones).is_some() && sampler.simple();
    if !closed {
        check::at_least("inner resamples", inner, 20)?;
    }
    let error = |weights: &[u32], b: u64| match statistic.standard_error(weights) {
        Some(error) if closed => error,
        _ => inner_error(statistic, sampler, weights, inner, config.seed, b),
    };
    let scale = error(&ones, u64::from(u32::MAX))?;
    let pairs = parallel::map_with_state(
        config.resamples,
        config.threads,
        || vec![0; statistic.units()],
        |weights, b| {
            sampler.draw_weights(&mut RandomStream::new(config.seed, b as u64), weights);
            let value = statistic.at_weights(weights)?;
            Ok((value, (value - estimate) / error(weights, b as u64)?))
        },
    );
    let roots = Resamples::collect(
        pairs
            .iter()
            .map(|p| p.clone().map(|(_, root)| root))
            .collect(),
    )?;
    let values = Resamples::collect(
        pairs
            .into_iter()
            .map(|p| p.map(|(value, _)| value))
            .collect(),
    )?;
    let quantiles = percentile_interval(&roots.values, config.level)?;
    let how = if closed {
        "closed-form error".to_owned()
    } else {
        format!("{inner} inner resamples")
    };
    let method = format!("studentised ({how}) bootstrap, {}", sampler.name());
    let low = estimate - quantiles.high * scale;
    let high = estimate - quantiles.low * scale;
    Ok(values.summary(estimate, Interval::new(low, high, config.level, method)?))
}

/// The standard error of a resample, by resampling it again.
fn inner_error<S: Statistic + ?Sized>(
    statistic: &S,
    sampler: &Sampler,
    weights: &[u32],
    inner: usize,
    seed: u64,
    b: u64,
) -> Result<f64, UndefinedReason> {
    // Streams of inner resamples live above all outer ones.
    let mut stream = RandomStream::new(seed, (b + 1) << 32);
    let mut again = vec![0; weights.len()];
    let mut values = Vec::with_capacity(inner);
    for _ in 0..inner {
        sampler.redraw(&mut stream, weights, &mut again);
        values.extend(statistic.at_weights(&again));
    }
    let enough = values.len() as f64 >= (1.0 - UNDEFINED_SHARE) * inner as f64;
    match crate::moments::Moments::from_values("inner resamples", &values, 2) {
        Ok(moments) if enough && !moments.constant() => Ok(moments.sd()),
        _ => Err(UndefinedReason::NoSpread {
            what: "the inner resamples",
        }),
    }
}
