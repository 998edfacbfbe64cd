//! Curves: a gauge over the severities of a ladder, and how it falls.

use duress_core::gauge::{Direction, Gauge};
use duress_core::severity::Severity;
use duress_stats::{Route, curve as stats, verdict};

use super::contrast::on_shared_items;
use super::reason;
use super::sample::Sample;
use super::series::{GaugeAtPlace, SampledGauges};
use crate::plan::{Plan, Stress};
use duress_findings::{
    AbsenceReason, Curve, CurvePoint, Drop, NoBreak, Place, Reading, Shape, Under,
};

pub(super) fn curves(plan: &Plan, seen: &SampledGauges) -> Vec<Curve> {
    let ladders = || plan.stresses.iter().filter(|stress| stress.is_ladder);
    let mut curves = Vec::new();
    for at in seen.all() {
        match (&*plan.gauges[at.gauge].gauge, &at.place.under) {
            (Gauge::Cell(_), Under::Clean) => {
                let along = ladders().filter_map(|stress| {
                    let rungs = rungs(stress, at, seen).collect::<Option<Vec<_>>>()?;
                    Some(curve(plan, &stress.name, at, &rungs))
                });
                curves.extend(along);
            }
            // A pair gauge has no clean value: its curve begins at the first rung.
            (Gauge::Pair(_), Under::Rung { ladder, severity }) => {
                let Some(stress) = ladders().find(|stress| stress.name == *ladder) else {
                    continue;
                };
                if stress
                    .rungs
                    .first()
                    .is_some_and(|rung| rung.severity == *severity)
                    && let Some(rest) = rungs(stress, at, seen).skip(1).collect::<Option<Vec<_>>>()
                {
                    curves.push(curve(plan, ladder, at, &rest));
                }
            }
            _ => {}
        }
    }
    curves
}

/// What the same gauge reads of the same subject at each severity of a ladder.
fn rungs<'a>(
    stress: &'a Stress,
    beside: &'a GaugeAtPlace,
    seen: &'a SampledGauges,
) -> impl Iterator<Item = Option<&'a GaugeAtPlace>> {
    distinct(stress.rungs.iter().map(|rung| &rung.severity))
        .into_iter()
        .map(move |severity| {
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
    let samples: Vec<&Sample> = all.iter().map(|at| &at.sample).collect();
    let severities: Vec<Severity> = all.iter().map(|at| severity(&at.place.under)).collect();
    let (level, ends) = (
        plan.study.analysis.level,
        plan.gauges[clean.gauge].scale.ends,
    );
    let direction = plan.gauges[clean.gauge].scale.direction;
    let line = FittedLine {
        plan,
        all: &all,
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
    curve.area = line
        .read(&samples, stats::CurveReading::Area)
        .quantity(level)
        .within(ends);
    curve.drops = (1..samples.len())
        .map(|rung| line.drop(&severities, rung, level))
        .collect();
    (curve.break_point, curve.shape) = match no_fall {
        None => (
            line.break_point(&severities, level),
            line.shape(&samples, &severities, level),
        ),
        Some((no_break, why)) => (Err(no_break), Shape::Undefined(why)),
    };
    curve.monotonicity = line.monotonicity(&samples);
    curve
}

fn severity(under: &Under) -> Severity {
    match under {
        Under::Rung { severity, .. } => severity.clone(),
        _ => Severity::clean(),
    }
}

/// The horizontal axis, what stands over it, and which way is better.
struct FittedLine<'a> {
    plan: &'a Plan,
    all: &'a [&'a GaugeAtPlace],
    severities: Vec<f64>,
    better: verdict::Orientation,
}

impl FittedLine<'_> {
    fn through(&self, values: &[f64]) -> Option<stats::SeverityCurve> {
        stats::SeverityCurve::new(&self.severities, values, self.better).ok()
    }

    fn read(&self, samples: &[&Sample], reading: stats::CurveReading) -> Sample {
        Sample::combine(samples, |values| {
            reading.read_from(&self.through(values)?).ok()
        })
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

    /// The smallest severity at which the interval of the drop against clean excludes zero.
    fn break_point(&self, severities: &[Severity], level: f64) -> Result<Severity, NoBreak> {
        let mut better = false;
        for (rung, severity) in severities.iter().enumerate().skip(1) {
            let fall = self.fall_between(0, rung);
            let interval = fall.interval(level).0;
            better = interval.as_ref().is_ok_and(|range| range.high < 0.0);
            match interval {
                Ok(range) if range.low > 0.0 => return Ok(severity.clone()),
                Ok(_) => {}
                // What is not worse has not broken, though no resampling can bound by how much it
                // moved.
                Err(_) if fall.value().is_ok_and(|fall| fall <= 0.0) => {}
                // What lies above an unknown rung cannot be the smallest.
                Err(why) => {
                    let at = severity.clone();
                    return Err(NoBreak::Unknown { at, why });
                }
            }
        }
        Err(if better {
            NoBreak::Improves
        } else {
            NoBreak::Nowhere
        })
    }

    /// How much worse one rung is than another, from those two alone and what was answered at both:
    /// what failed elsewhere does not matter.
    fn fall_between(&self, from: usize, to: usize) -> Sample {
        let severities = [self.severities[from], self.severities[to]];
        let [left, right] = on_shared_items(self.plan, [self.all[from], self.all[to]]);
        Sample::combine(&[&left.sample, &right.sample], |values| {
            Some(
                stats::SeverityCurve::new(&severities, values, self.better)
                    .ok()?
                    .total_drop(),
            )
        })
    }

    fn shape(&self, samples: &[&Sample], severities: &[Severity], level: f64) -> Shape {
        let total = self.read(samples, stats::CurveReading::TotalDrop);
        match total.interval(level).0 {
            Ok(range) if range.low <= 0.0 => return Shape::NoDrop,
            Err(why) => return Shape::Undefined(why),
            Ok(_) => {}
        }
        let values: Result<Vec<f64>, &AbsenceReason> =
            samples.iter().map(|sample| sample.value()).collect();
        let Some(curve) = values.ok().and_then(|values| self.through(&values)) else {
            return Shape::Undefined(AbsenceReason::RungWithoutValue);
        };
        let largest = curve.largest_step();
        let share = largest.drop / curve.total_drop();
        match curve.fall() {
            stats::Fall::NoDrop => Shape::NoDrop,
            stats::Fall::Graceful => Shape::Graceful {
                largest_share: share,
            },
            stats::Fall::Cliff { step, share } => {
                let to = self
                    .severities
                    .iter()
                    .position(|severity| *severity == step.to)
                    .unwrap_or(1);
                let drawn = Sample::combine(samples, |values| {
                    let curve = self.through(values)?;
                    (curve.total_drop() > 0.0)
                        .then(|| curve.steps()[to - 1].drop / curve.total_drop())
                });
                let (from, to) = (severities[to - 1].clone(), severities[to].clone());
                Shape::Cliff {
                    from,
                    to,
                    share,
                    interval: drawn.interval(level).0,
                }
            }
        }
    }

    fn monotonicity(&self, samples: &[&Sample]) -> Reading {
        let values: Result<Vec<f64>, &AbsenceReason> =
            samples.iter().map(|sample| sample.value()).collect();
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
