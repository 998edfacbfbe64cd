//! Severity curves: how a reading falls as life gets harder.
//!
//! | word | is |
//! |---|---|
//! | area | trapezoid of the values over severity, divided by the severity range |
//! | drop | loss in the direction that is better, in points; quoted per step and per unit of severity |
//! | cliff | one step that takes more than half of the total drop; without one the fall is graceful |
//! | relative degradation | drop against clean over the clean value, in percent; mean and largest over the rungs |
//! | break point | smallest severity at which the interval of the drop against clean excludes zero from above |
//! | monotonicity | Kendall's τ of value and severity ([`SeverityCurve::monotonicity`]); over units, Page's test ([`crate::tests::page`]) |
//!
//! The first rung is the clean one. Every number is a reading of the mean curve of some units, so
//! [`UnitCurves`] makes each a [`Statistic`] and [`crate::bootstrap`] gives it an interval.

use crate::statistic::{NO_WEIGHT, Statistic, total};
use crate::tests::kendall;
use crate::verdict::Orientation;
use crate::{Interval, Route, Side, TestResult, UndefinedReason, check};

/// Values of one reading over ascending severities, the clean rung first.
///
/// ```
/// use duress_stats::curve::{SeverityCurve, Fall};
/// use duress_stats::verdict::Orientation;
///
/// let curve = SeverityCurve::new(&[0.0, 2.0, 4.0, 8.0], &[0.9, 0.85, 0.4, 0.3], Orientation::Higher).unwrap();
/// assert!((curve.area() - 0.55).abs() < 1e-15);
/// let Fall::Cliff { step, share } = curve.fall() else { panic!("the step from 2 to 4 is a cliff") };
/// assert_eq!((step.from, step.to), (2.0, 4.0));
/// assert!((share - 0.75).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SeverityCurve {
    severities: Vec<f64>,
    values: Vec<f64>,
    better: Orientation,
}

/// What lies between two neighbouring rungs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RungStep {
    /// Severity before.
    pub from: f64,
    /// Severity after.
    pub to: f64,
    /// Loss over the step, in points; negative when the reading improved.
    pub drop: f64,
    /// Loss per unit of severity.
    pub per_unit: f64,
}

/// How a curve falls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fall {
    /// One step takes more than half of the total drop.
    Cliff {
        /// That step.
        step: RungStep,
        /// Its share of the total drop; above 1 when later rungs recover.
        share: f64,
    },
    /// No step does.
    Graceful,
    /// The last rung is no worse than the clean one.
    NoDrop,
}

impl SeverityCurve {
    /// # Errors
    /// Different lengths, fewer than two rungs, severities that do not ascend, or values that are
    /// not finite.
    pub fn new(
        severities: &[f64],
        values: &[f64],
        better: Orientation,
    ) -> Result<Self, UndefinedReason> {
        check::finite_pair(severities, values)?;
        ascending(severities)?;
        Ok(Self {
            severities: severities.to_vec(),
            values: values.to_vec(),
            better,
        })
    }

    /// Trapezoid over severity, divided by the severity range: a mean value.
    #[must_use]
    pub fn area(&self) -> f64 {
        let s = &self.severities;
        let v = &self.values;
        let trapezoids = s
            .windows(2)
            .zip(v.windows(2))
            .map(|(s, v)| 0.5 * (v[0] + v[1]) * (s[1] - s[0]));
        trapezoids.sum::<f64>() / (s[s.len() - 1] - s[0])
    }

    fn loss(&self, before: f64, after: f64) -> f64 {
        match self.better {
            Orientation::Higher => before - after,
            Orientation::Lower => after - before,
        }
    }

    /// The drop over each step.
    #[must_use]
    pub fn steps(&self) -> Vec<RungStep> {
        let pairs = self.severities.windows(2).zip(self.values.windows(2));
        pairs
            .map(|(s, v)| {
                let drop = self.loss(v[0], v[1]);
                RungStep {
                    from: s[0],
                    to: s[1],
                    drop,
                    per_unit: drop / (s[1] - s[0]),
                }
            })
            .collect()
    }

    /// The drop of each later rung against the clean one.
    #[must_use]
    pub fn drops(&self) -> Vec<f64> {
        self.values[1..]
            .iter()
            .map(|v| self.loss(self.values[0], *v))
            .collect()
    }

    /// The drop from the clean rung to the last.
    #[must_use]
    pub fn total_drop(&self) -> f64 {
        self.loss(self.values[0], self.values[self.values.len() - 1])
    }

    /// The step with the largest drop, the first of them if several are equal.
    #[must_use]
    pub fn largest_step(&self) -> RungStep {
        let steps = self.steps();
        steps[1..].iter().fold(steps[0], |largest, step| {
            if step.drop > largest.drop {
                *step
            } else {
                largest
            }
        })
    }

    /// Cliff, graceful, or no drop at all.
    #[must_use]
    pub fn fall(&self) -> Fall {
        let total = self.total_drop();
        let step = self.largest_step();
        if total <= 0.0 {
            return Fall::NoDrop;
        }
        let share = step.drop / total;
        if share > 0.5 {
            Fall::Cliff { step, share }
        } else {
            Fall::Graceful
        }
    }

    /// Drop of each later rung as percent of the clean value.
    ///
    /// # Errors
    /// The clean value is zero.
    pub fn relative_degradation(&self) -> Result<Vec<f64>, UndefinedReason> {
        let clean = libm::fabs(self.values[0]);
        if clean == 0.0 {
            return Err(UndefinedReason::OutOfRange {
                what: "the clean value",
                value: 0.0,
                expected: "not zero",
            });
        }
        Ok(self
            .drops()
            .into_iter()
            .map(|drop| 100.0 * drop / clean)
            .collect())
    }

    /// Mean of [`SeverityCurve::relative_degradation`] over the rungs.
    ///
    /// # Errors
    /// The clean value is zero.
    pub fn mean_degradation(&self) -> Result<f64, UndefinedReason> {
        let each = self.relative_degradation()?;
        Ok(each.iter().sum::<f64>() / each.len() as f64)
    }

    /// Largest of [`SeverityCurve::relative_degradation`] over the rungs.
    ///
    /// # Errors
    /// The clean value is zero.
    pub fn max_degradation(&self) -> Result<f64, UndefinedReason> {
        Ok(self
            .relative_degradation()?
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max))
    }

    /// Kendall's τ-b of severity and value, tested on the side on which the reading gets worse.
    ///
    /// # Errors
    /// All values are equal.
    pub fn monotonicity(&self, route: Route) -> Result<TestResult, UndefinedReason> {
        let side = match self.better {
            Orientation::Higher => Side::Less,
            Orientation::Lower => Side::Greater,
        };
        kendall(&self.severities, &self.values, side, route)
    }
}

fn ascending(severities: &[f64]) -> Result<(), UndefinedReason> {
    check::at_least("rungs", severities.len(), 2)?;
    match severities.windows(2).find(|s| s[0] >= s[1]) {
        Some(s) => Err(UndefinedReason::OutOfRange {
            what: "a severity",
            value: s[1],
            expected: "above the one before",
        }),
        None => Ok(()),
    }
}

/// The smallest severity whose drop against clean has an interval above zero; `None` if there is
/// none.
///
/// `severities` and `drops` are those of the rungs after the clean one.
///
/// ```
/// use duress_stats::Interval;
/// use duress_stats::curve::break_point;
///
/// let drops = [(-0.01, 0.02), (0.01, 0.05), (0.10, 0.20)]
///     .map(|(low, high)| Interval::new(low, high, 0.95, "BCa").unwrap());
/// assert_eq!(break_point(&[2.0, 4.0, 8.0], &drops).unwrap(), Some(4.0));
/// ```
///
/// # Errors
/// Different lengths, or severities that are not finite.
pub fn break_point(severities: &[f64], drops: &[Interval]) -> Result<Option<f64>, UndefinedReason> {
    check::paired(severities, drops)?;
    check::finite("the severities", severities)?;
    let broken = severities
        .iter()
        .zip(drops)
        .filter(|(_, drop)| drop.low > 0.0);
    Ok(broken.map(|(severity, _)| *severity).min_by(f64::total_cmp))
}

/// A number read off a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveReading {
    /// [`SeverityCurve::area`].
    Area,
    /// [`SeverityCurve::total_drop`].
    TotalDrop,
    /// The drop against clean of the given later rung, counted from 1.
    Drop(usize),
    /// The drop over the step that ends at the given later rung, counted from 1.
    StepDrop(usize),
    /// The drop of [`SeverityCurve::largest_step`].
    LargestStep,
    /// [`SeverityCurve::mean_degradation`].
    MeanDegradation,
    /// [`SeverityCurve::max_degradation`].
    MaxDegradation,
    /// Kendall's τ-b of severity and value.
    Monotonicity,
}

impl CurveReading {
    /// The number itself.
    ///
    /// # Errors
    /// The reading does not exist for this curve.
    pub fn read_from(self, curve: &SeverityCurve) -> Result<f64, UndefinedReason> {
        let rung = |of: usize, list: Vec<f64>| {
            let missing = UndefinedReason::TooFew {
                what: "rungs after the clean one",
                need: of,
                got: list.len(),
            };
            of.checked_sub(1)
                .and_then(|i| list.get(i).copied())
                .ok_or(missing)
        };
        match self {
            Self::Area => Ok(curve.area()),
            Self::TotalDrop => Ok(curve.total_drop()),
            Self::Drop(at) => rung(at, curve.drops()),
            Self::StepDrop(at) => rung(at, curve.steps().iter().map(|s| s.drop).collect()),
            Self::LargestStep => Ok(curve.largest_step().drop),
            Self::MeanDegradation => curve.mean_degradation(),
            Self::MaxDegradation => curve.max_degradation(),
            Self::Monotonicity => Ok(curve
                .monotonicity(Route::Asymptotic { continuity: false })?
                .statistic),
        }
    }
}

/// One curve per unit (item or replicate) over the same severities; readings are of their weighted
/// mean.
///
/// ```
/// use duress_stats::bootstrap::{Config, Design, IntervalKind, bootstrap};
/// use duress_stats::curve::{CurveReading, UnitCurves};
/// use duress_stats::verdict::Orientation;
///
/// let per_seed = [vec![0.9, 0.7, 0.4], vec![0.8, 0.7, 0.5], vec![0.9, 0.6, 0.5], vec![0.85, 0.65, 0.4]];
/// let curves = UnitCurves::new(&[0.0, 1.0, 2.0], &per_seed, Orientation::Higher).unwrap();
/// let config = Config { resamples: 500, ..Config::default() };
/// let area = bootstrap(&curves.reading(CurveReading::Area), Design::Simple, IntervalKind::Percentile, config).unwrap();
/// assert!(area.interval.contains(area.estimate));
/// ```
#[derive(Debug, Clone)]
pub struct UnitCurves {
    severities: Vec<f64>,
    rows: Vec<f64>,
    units: usize,
    better: Orientation,
}

impl UnitCurves {
    /// # Errors
    /// No units, rows that do not match the severities, severities that do not ascend, or values
    /// that are not finite.
    pub fn new<R: AsRef<[f64]>>(
        severities: &[f64],
        rows: &[R],
        better: Orientation,
    ) -> Result<Self, UndefinedReason> {
        ascending(severities)?;
        check::finite("the severities", severities)?;
        check::at_least("units", rows.len(), 1)?;
        let mut flat = Vec::with_capacity(rows.len() * severities.len());
        for row in rows {
            check::finite_pair(severities, row.as_ref())?;
            flat.extend_from_slice(row.as_ref());
        }
        Ok(Self {
            severities: severities.to_vec(),
            rows: flat,
            units: rows.len(),
            better,
        })
    }

    /// The mean curve when unit `i` counts `weights[i]` times.
    ///
    /// # Errors
    /// All weights are zero.
    pub fn mean(&self, weights: &[u32]) -> Result<SeverityCurve, UndefinedReason> {
        let rungs = self.severities.len();
        let mut sums = vec![0.0; rungs];
        for (row, &w) in self.rows.chunks(rungs).zip(weights) {
            sums.iter_mut()
                .zip(row)
                .for_each(|(sum, v)| *sum += f64::from(w) * v);
        }
        let all = total(weights);
        if all == 0 {
            return Err(NO_WEIGHT);
        }
        let values = sums.into_iter().map(|sum| sum / all as f64).collect();
        Ok(SeverityCurve {
            severities: self.severities.clone(),
            values,
            better: self.better,
        })
    }

    /// One reading as a statistic that can be resampled.
    #[must_use]
    pub fn reading(&self, reading: CurveReading) -> CurveStatistic<'_> {
        CurveStatistic {
            curves: self,
            reading,
        }
    }
}

/// A reading of the mean curve of units.
#[derive(Debug, Clone, Copy)]
pub struct CurveStatistic<'a> {
    curves: &'a UnitCurves,
    reading: CurveReading,
}

impl Statistic for CurveStatistic<'_> {
    fn units(&self) -> usize {
        self.curves.units
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        self.reading.read_from(&self.curves.mean(weights)?)
    }
}
