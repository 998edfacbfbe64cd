//! Severity curves: how a reading falls as life gets harder.
//!
//! | word | is |
//! |---|---|
//! | area | trapezoid of the values over severity, divided by the severity range |
//! | drop | loss in the direction that is better, in points; quoted per step and per unit of severity |
//! | cliff | a step shown to fall, and to fall faster than the rest together by more than a factor ([`FallTests`]) |
//! | graceful | a fall is shown, and every step is shown not to be that steep |
//! | relative degradation | drop against clean over the clean value, in percent; mean and largest over the rungs |
//! | break point | mildest rung reached by testing the drop against clean from the hardest rung down ([`break_point`]) |
//! | monotonicity | Kendall's τ of value and severity ([`SeverityCurve::monotonicity`]); over units, Page's test ([`crate::tests::page`]) |
//!
//! The first rung is the clean one. Every number is a reading of the mean curve of some units, so
//! [`UnitCurves`] makes each a [`Statistic`] and [`crate::bootstrap`] gives it an interval.

use crate::statistic::{NO_WEIGHT, Statistic, total};
use crate::tests::kendall;
use crate::verdict::Orientation;
use crate::{Route, Side, TestResult, UndefinedReason, check};

/// Values of one reading over ascending severities, the clean rung first.
///
/// ```
/// use duress_stats::curve::SeverityCurve;
/// use duress_stats::verdict::Orientation;
///
/// let curve = SeverityCurve::new(&[0.0, 2.0, 4.0, 8.0], &[0.9, 0.85, 0.4, 0.3], Orientation::Higher).unwrap();
/// assert!((curve.area() - 0.55).abs() < 1e-15);
/// let step = curve.largest_step();
/// assert_eq!((step.from, step.to), (2.0, 4.0));
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

/// The mildest rung shown to have fallen, by testing from the hardest down.
///
/// `p` are the one-sided p-values of "it has not fallen against clean" of the rungs after the clean
/// one, mildest first. Each is tested at `alpha` as long as all harder ones were shown: a fixed
/// sequence, so the chance of a false one is at most `alpha` however many rungs there are (W. Maurer,
/// L. A. Hothorn and W. Lehmacher, *Biometrie in der chemisch-pharmazeutischen Industrie* 6 (1995) 3).
/// `None` if the hardest is not shown.
///
/// ```
/// use duress_stats::curve::break_point;
///
/// assert_eq!(break_point(&[0.3, 0.01, 0.001], 0.05), Some(1));
/// assert_eq!(break_point(&[0.001, 0.2, 0.001], 0.05), Some(2));
/// assert_eq!(break_point(&[0.001, 0.001, 0.06], 0.05), None);
/// ```
#[must_use]
pub fn break_point(p: &[f64], alpha: f64) -> Option<usize> {
    let shown = p.iter().rev().take_while(|p| **p <= alpha).count();
    (shown > 0).then(|| p.len() - shown)
}

/// How a curve falls, as far as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fall {
    /// A step, counted from 0, that falls and is shown to be steeper than the others together by
    /// more than the factor.
    Cliff(usize),
    /// It falls, and every step is shown not to be that much steeper than the rest.
    Graceful,
    /// It is not shown to fall at all.
    NoDrop,
    /// It falls, and neither is shown.
    NotShown,
}

/// The p-values a fall is judged by, one per step unless said otherwise; see
/// [`steepness_weights`] for what "steeper" means.
#[derive(Debug, Clone, PartialEq)]
pub struct FallTests {
    /// Of the null that the curve does not fall from its first rung to its last.
    pub total: f64,
    /// Of the null that the step does not fall.
    pub drops: Vec<f64>,
    /// Of the null that the step is not steeper than the rest by the factor.
    pub steeper: Vec<f64>,
    /// Of the null that it is.
    pub gentler: Vec<f64>,
}

impl FallTests {
    /// A cliff is judged with the steps adjusted for one another (Holm), each by the larger of its
    /// two p-values; a graceful fall asks for every step, which needs no adjusting.
    ///
    /// ```
    /// use duress_stats::curve::{Fall, FallTests};
    ///
    /// let tests = FallTests {
    ///     total: 1e-6,
    ///     drops: vec![0.2, 1e-5, 0.01],
    ///     steeper: vec![1.0, 0.004, 1.0],
    ///     gentler: vec![1e-4, 0.996, 1e-4],
    /// };
    /// assert_eq!(tests.judge(0.05), Fall::Cliff(1));
    /// ```
    ///
    /// # Panics
    /// Never for p-values between 0 and 1.
    #[must_use]
    pub fn judge(&self, alpha: f64) -> Fall {
        if self.total > alpha {
            return Fall::NoDrop;
        }
        let both = self.drops.iter().zip(&self.steeper);
        let each: Vec<f64> = both.map(|(drop, steeper)| drop.max(*steeper)).collect();
        let adjusted = crate::correct::holm(&each).unwrap_or_else(|_| vec![1.0; each.len()]);
        let smallest = (0..adjusted.len()).min_by(|&a, &b| each[a].total_cmp(&each[b]));
        match smallest {
            Some(step) if each.len() > 1 && adjusted[step] <= alpha => Fall::Cliff(step),
            _ if each.len() > 1 && self.gentler.iter().all(|p| *p <= alpha) => Fall::Graceful,
            _ => Fall::NotShown,
        }
    }
}

/// Weights of the values of all rungs whose sum is how much steeper one step falls than the rest
/// together: `drop/width − factor · (total − drop)/(range − width)`, for a reading of which more is
/// better (turn the signs for the others).
///
/// ```
/// use duress_stats::curve::steepness_weights;
///
/// let weights = steepness_weights(&[0.0, 1.0, 3.0], 0, 4.0).unwrap();
/// let steeper: f64 = weights.iter().zip([0.9, 0.5, 0.4]).map(|(w, v)| w * v).sum();
/// assert!((steeper - (0.4 - 4.0 * 0.05)).abs() < 1e-12);
/// ```
///
/// # Errors
/// Severities that do not ascend, fewer than two steps, or a step that is not there.
pub fn steepness_weights(
    severities: &[f64],
    step: usize,
    factor: f64,
) -> Result<Vec<f64>, UndefinedReason> {
    ascending(severities)?;
    check::at_least("steps", severities.len() - 1, 2)?;
    check::at_least("steps", severities.len() - 1, step + 1)?;
    check::positive("the factor", factor)?;
    let last = severities.len() - 1;
    let width = severities[step + 1] - severities[step];
    let rest = factor / (severities[last] - severities[0] - width);
    let mut weights = vec![0.0; severities.len()];
    weights[0] -= rest;
    weights[last] += rest;
    weights[step] += 1.0 / width + rest;
    weights[step + 1] -= 1.0 / width + rest;
    Ok(weights)
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
