//! Curves: a gauge over the severities of a ladder, and how it falls.

use duress_core::gauge::{Direction, Ends, Gauge};
use duress_core::severity::Severity;
use duress_stats::{Route, Side, curve as stats, verdict};

use super::contrast::{Common, SharedItems};
use super::reason;
use super::sample::Sample;
use super::series::{GaugeAtPlace, SampledGauges};
use crate::plan::{Plan, Stress};
use duress_findings::{
    AbsenceReason, Curve, CurvePoint, Drop, NoBreak, Place, Range, Reading, Resampled, Shape, Under,
};

/// Which share of what a gauge spans n has to be able to show the loss of, before it is said that
/// nothing was lost.
const MATTERS: f64 = 0.1;

pub(super) fn curves(plan: &Plan, seen: &SampledGauges) -> Vec<Curve> {
    let ladders = || plan.stresses.iter().filter(|stress| stress.is_ladder);
    let mut curves = Vec::new();
    // A floor stands beside its gauge, and has no curve of its own.
    let is_floor = |at: &&GaugeAtPlace| plan.study.gauges[at.gauge].floor.is_some();
    for at in seen.all().iter().filter(|at| !is_floor(at)) {
        match (&*plan.gauges[at.gauge].gauge, &at.place.under) {
            (Gauge::Cell(_), Under::Clean) => {
                let along = ladders().filter_map(|stress| {
                    let rungs: Vec<_> = rungs(stress, at, seen).collect();
                    (!rungs.is_empty()).then(|| curve(plan, &stress.name, at, &rungs))
                });
                curves.extend(along);
            }
            // A pair gauge has no clean value: its curve begins at the first rung.
            (Gauge::Pair(_), Under::Rung { ladder, .. }) => {
                let Some(stress) = ladders().find(|stress| stress.name == *ladder) else {
                    continue;
                };
                let mut rungs = rungs(stress, at, seen);
                let first = rungs.next();
                if first.is_some_and(|first| first.place == at.place) {
                    let rest: Vec<_> = rungs.collect();
                    curves.push(curve(plan, ladder, at, &rest));
                }
            }
            _ => {}
        }
    }
    curves
}

/// What the same gauge reads of the same subject at each severity of a ladder that it is read at.
fn rungs<'a>(
    stress: &'a Stress,
    beside: &'a GaugeAtPlace,
    seen: &'a SampledGauges,
) -> impl Iterator<Item = &'a GaugeAtPlace> {
    distinct(stress.rungs.iter().map(|rung| &rung.severity))
        .into_iter()
        .filter_map(move |severity| {
            let under = Under::Rung {
                ladder: stress.name.clone(),
                severity,
            };
            seen.get(
                &Place {
                    under,
                    ..beside.place.clone()
                },
                beside.gauge,
            )
        })
}

fn distinct<'a>(severities: impl Iterator<Item = &'a Severity>) -> Vec<Severity> {
    let mut list: Vec<Severity> = severities.cloned().collect();
    list.dedup();
    list
}

fn curve(
    plan: &Plan,
    ladder: &duress_core::name::Name,
    clean: &GaugeAtPlace,
    rungs: &[&GaugeAtPlace],
) -> Curve {
    let all: Vec<&GaugeAtPlace> = std::iter::once(clean)
        .chain(rungs.iter().copied())
        .collect();
    // A curve is of the same items from its first rung to its last.
    let shared = SharedItems::of(plan, &all);
    let all_shared: Vec<Common<'_>> = all.iter().map(|at| shared.of_these(plan, at)).collect();
    let samples: Vec<&Sample> = all_shared.iter().map(|one| one.sample.as_ref()).collect();
    let severities: Vec<Severity> = all.iter().map(|at| severity(&at.place.under)).collect();
    let (level, ends) = (
        plan.study.analysis.level,
        plan.gauges[clean.gauge].scale.ends,
    );
    let direction = plan.gauges[clean.gauge].scale.direction;
    let line = FittedLine {
        samples: &samples,
        ends,
        severities: severities.iter().map(Severity::value).collect(),
        better: match direction {
            // Of a gauge of which neither way is better, what it falls by is counted, and judged
            // below as nothing.
            Direction::Higher | Direction::Neither => verdict::Orientation::Higher,
            Direction::Lower => verdict::Orientation::Lower,
        },
    };
    let no_fall = match (direction, severities[0].is_clean()) {
        (Direction::Neither, _) => Some((NoBreak::NeitherIsBetter, AbsenceReason::NeitherIsBetter)),
        (_, false) => Some((
            NoBreak::AlreadyAgainstClean,
            AbsenceReason::AlreadyAgainstClean,
        )),
        (_, true) => None,
    };
    let points = severities.iter().zip(&samples);
    let point = |(severity, sample): (&Severity, &&Sample)| CurvePoint {
        severity: severity.clone(),
        quantity: sample.quantity(level).within(ends),
    };
    let gauge = &plan.study.gauges[clean.gauge].name;
    let mut curve = Curve::new(gauge, &clean.place.subject, &clean.place.dataset, ladder);
    curve.points = points.map(point).collect();
    // The area is a mean of the gauge over severity, and ends where the gauge ends.
    curve.area = line.area().quantity(level).within(ends);
    curve.drops = (1..samples.len())
        .map(|rung| line.drop(&severities, rung, level))
        .collect();
    (curve.break_point, curve.shape) = match no_fall {
        None => (
            line.break_point(&severities, level),
            line.shape(&severities, level, plan.study.analysis.cliff_factor),
        ),
        Some((no_break, why)) => (Err(no_break), Shape::Undefined(why)),
    };
    curve.monotonicity = line.monotonicity();
    curve
}

fn severity(under: &Under) -> Severity {
    match under {
        Under::Rung { severity, .. } => severity.clone(),
        _ => Severity::clean(),
    }
}

/// Weights of what is lost between two of `n` rungs.
fn between(n: usize, from: usize, to: usize) -> Vec<f64> {
    let mut weights = vec![0.0; n];
    weights[from] += 1.0;
    weights[to] -= 1.0;
    weights
}

/// The horizontal axis, what stands over it, and which way is better.
struct FittedLine<'a> {
    samples: &'a [&'a Sample],
    /// The ends of what the gauge reads.
    ends: Ends,
    severities: Vec<f64>,
    better: verdict::Orientation,
}

impl FittedLine<'_> {
    fn through(&self, values: &[f64]) -> Option<stats::SeverityCurve> {
        stats::SeverityCurve::new(&self.severities, values, self.better).ok()
    }

    /// The trapezoid over severity, divided by the range of severities.
    fn area(&self) -> Sample {
        let s = &self.severities;
        let range = s[s.len() - 1] - s[0];
        let weight = |i: usize| {
            let before = s[i.max(1) - 1];
            let after = s[(i + 1).min(s.len() - 1)];
            0.5 * (after - before) / range
        };
        let all = self.samples.iter().copied().enumerate();
        let all: Vec<(f64, &Sample)> = all.map(|(i, sample)| (weight(i), sample)).collect();
        Sample::weighted(&all)
    }

    fn drop(&self, severities: &[Severity], rung: usize, level: f64) -> Drop {
        let step = self.fall_between(rung - 1, rung).quantity(level);
        let width = severities[rung].value() - severities[rung - 1].value();
        let per_unit = match &step.value {
            Reading::Value(value) => Reading::Value(value / width),
            undefined => undefined.clone(),
        };
        Drop {
            from: severities[rung - 1].clone(),
            to: severities[rung].clone(),
            step,
            per_unit,
        }
    }

    /// The mildest rung that is reached when the drops against clean are tested from the hardest
    /// down, each at α.
    fn break_point(&self, severities: &[Severity], level: f64) -> Result<Severity, NoBreak> {
        let alpha = 1.0 - level;
        let mut p_values = Vec::new();
        for (rung, severity) in severities.iter().enumerate().skip(1) {
            let fall = self.fall_between(0, rung);
            match fall.p(0.0, Side::Greater) {
                Ok(p) => p_values.push(p),
                // What is not worse has not broken, though nothing can bound by how much it moved.
                Err(_) if fall.value().is_ok_and(|fall| fall <= 0.0) => p_values.push(1.0),
                Err(AbsenceReason::TwoSeeds | AbsenceReason::OneSeed) => {
                    let unit = fall.quantity(level).unit;
                    return Err(NoBreak::NotShown { least: None, unit });
                }
                Err(why) => {
                    let at = severity.clone();
                    return Err(NoBreak::Unknown { at, why });
                }
            }
        }
        if let Some(rung) = stats::break_point(&p_values, alpha) {
            return Ok(severities[rung + 1].clone());
        }
        let hardest = self.fall_between(0, severities.len() - 1);
        if hardest.p(0.0, Side::Less).is_ok_and(|p| p <= alpha) {
            return Err(NoBreak::Improves);
        }
        Err(match self.blind_spot(alpha) {
            Some((least, unit)) => NoBreak::NotShown { least, unit },
            None => NoBreak::Nowhere,
        })
    }

    /// Where n could not have shown a drop that matters from the first rung to the last: the
    /// smallest that it could have shown, and what n counts.
    fn blind_spot(&self, alpha: f64) -> Option<(Option<f64>, Resampled)> {
        let fall = self.fall_between(0, self.samples.len() - 1);
        let found = fall.quantity(1.0 - 2.0 * alpha);
        let few =
            |why: &AbsenceReason| matches!(why, AbsenceReason::OneSeed | AbsenceReason::TwoSeeds);
        let one_sided = fall.p(0.0, Side::Greater);
        if one_sided.as_ref().is_err_and(few) || self.cannot_fall() {
            return Some((None, found.unit));
        }
        let value = found.value.value()?;
        let Ok(interval) = found.interval else {
            return Some((None, found.unit));
        };
        let least = value - interval.low;
        (least > self.matters()?).then_some((Some(least), found.unit))
    }

    /// Whether the first rung's reading is the worst there is.
    fn cannot_fall(&self) -> bool {
        let worst = match self.better {
            verdict::Orientation::Higher => self.ends.0,
            verdict::Orientation::Lower => self.ends.1,
        };
        worst.is_some_and(|worst| self.samples[0].value().is_ok_and(|value| value == worst))
    }

    /// The smallest drop that matters: a tenth of what the gauge spans, or of the first rung's
    /// reading where it has no ends.
    fn matters(&self) -> Option<f64> {
        let span = match self.ends {
            (Some(low), Some(high)) => high - low,
            _ => self.samples[0].value().ok()?.abs(),
        };
        Some(MATTERS * span)
    }

    /// How much worse one rung is than another, from those two alone: what failed elsewhere does
    /// not matter.
    fn fall_between(&self, from: usize, to: usize) -> Sample {
        let sign = self.sign();
        Sample::weighted(&[(sign, self.samples[from]), (-sign, self.samples[to])])
    }

    /// What a loss of the reading counts.
    fn sign(&self) -> f64 {
        match self.better {
            verdict::Orientation::Higher => 1.0,
            verdict::Orientation::Lower => -1.0,
        }
    }

    /// A weighted sum of the rungs, each weight counting towards what is lost.
    fn lost(&self, weights: &[f64]) -> Sample {
        let weights = weights.iter().map(|weight| self.sign() * weight);
        let all: Vec<(f64, &Sample)> = weights.zip(self.samples.iter().copied()).collect();
        let used: Vec<(f64, &Sample)> = all.iter().copied().filter(|(w, _)| *w != 0.0).collect();
        Sample::weighted(&used)
    }

    /// Whether one step is shown to be a cliff, or none of them to be one.
    fn shape(&self, severities: &[Severity], level: f64, factor: f64) -> Shape {
        let alpha = 1.0 - level;
        let not_shown = |(least, unit)| Shape::DropNotShown { least, unit };
        match self.tests(factor) {
            Err(why) => match self.blind_spot(alpha) {
                Some((None, unit)) => not_shown((None, unit)),
                _ => Shape::Undefined(why),
            },
            Ok(tests) => match tests.judge(alpha) {
                stats::Fall::NoDrop => self.blind_spot(alpha).map_or(Shape::NoDrop, not_shown),
                stats::Fall::NotShown => Shape::NotShown,
                stats::Fall::Graceful => Shape::Graceful {
                    largest_share: self.largest_share().unwrap_or(0.0),
                },
                stats::Fall::Cliff(step) => {
                    let (share, interval) = self.share_of_step(step, level);
                    Shape::Cliff {
                        from: severities[step].clone(),
                        to: severities[step + 1].clone(),
                        share,
                        interval,
                    }
                }
            },
        }
    }

    fn tests(&self, factor: f64) -> Result<stats::FallTests, AbsenceReason> {
        let rungs = self.samples.len();
        let last = rungs - 1;
        let p = |weights: &[f64], side: Side| self.lost(weights).p(0.0, side);
        let total = p(&between(rungs, 0, last), Side::Greater)?;
        let mut tests = stats::FallTests {
            total,
            drops: Vec::new(),
            steeper: Vec::new(),
            gentler: Vec::new(),
        };
        for step in (0..last).filter(|_| last > 1) {
            let steeper = stats::steepness_weights(&self.severities, step, factor);
            let steeper = steeper.map_err(reason::statistic)?;
            let fall = between(rungs, step, step + 1);
            // What nothing varies in is not shown.
            tests.drops.push(p(&fall, Side::Greater).unwrap_or(1.0));
            tests
                .steeper
                .push(p(&steeper, Side::Greater).unwrap_or(1.0));
            tests.gentler.push(p(&steeper, Side::Less).unwrap_or(1.0));
        }
        Ok(tests)
    }

    fn largest_share(&self) -> Option<f64> {
        let values: Result<Vec<f64>, &AbsenceReason> =
            self.samples.iter().map(|sample| sample.value()).collect();
        let curve = self.through(&values.ok()?)?;
        Some(curve.largest_step().drop / curve.total_drop())
    }

    /// What a step takes of the total drop, with the interval of the ratio, linearised.
    fn share_of_step(&self, step: usize, level: f64) -> (f64, Result<Range, AbsenceReason>) {
        let n = self.samples.len();
        let fall = between(n, step, step + 1);
        let all = between(n, 0, n - 1);
        let value = |weights: &[f64]| self.lost(weights).value().unwrap_or(0.0);
        let total = value(&all);
        let share = value(&fall) / total;
        let apart = fall
            .iter()
            .zip(&all)
            .map(|(fall, all)| (fall - share * all) / total);
        let apart = self.lost(&apart.collect::<Vec<_>>());
        let interval = apart.quantity(level).interval.map(|range| Range {
            low: share + range.low,
            high: share + range.high,
            level,
        });
        (share, interval)
    }

    fn monotonicity(&self) -> Reading {
        let values: Result<Vec<f64>, &AbsenceReason> =
            self.samples.iter().map(|sample| sample.value()).collect();
        let tau = values.map_err(AbsenceReason::clone).and_then(|values| {
            let curve = stats::SeverityCurve::new(&self.severities, &values, self.better)
                .map_err(reason::statistic)?;
            curve
                .monotonicity(Route::Auto)
                .map(|test| test.statistic)
                .map_err(reason::statistic)
        });
        match tau {
            Ok(tau) if self.better == verdict::Orientation::Higher => Reading::Value(-tau),
            Ok(tau) => Reading::Value(tau),
            Err(why) => Reading::Undefined(why),
        }
    }
}
