//! Contrasts: paired differences of two places.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::derived::Derived;
use super::sample::{Sample, Sampling};
use super::series::{GaugeAtPlace, SampledGauges, Series};
use crate::axis::SubjectAt;
use crate::plan::Plan;
use duress_core::gauge::{Meter, ends_of_difference};
use duress_findings::{AbsenceReason, Contrast, Place, Under};

/// Every rung against clean, every subject against the reference, and what the study asks for
/// besides.
pub(super) fn contrasts(plan: &Plan, seen: &SampledGauges) -> Vec<Contrast> {
    let mut all: Vec<Contrast> = Vec::new();
    let is_floor = |at: &&GaugeAtPlace| plan.study.gauges[at.gauge].floor.is_some();
    for at in seen.all().iter().filter(|at| !is_floor(at)) {
        all.extend(against_clean(plan, seen, at));
        all.extend(against_reference(plan, seen, at));
    }
    for decl in &plan.study.contrasts {
        let gauge = plan.study.gauges.position(|gauge| gauge.name == decl.gauge);
        let against = Place {
            subject: decl.against.clone(),
            ..decl.place.clone()
        };
        let both = gauge
            .and_then(|gauge| Some((seen.get(&decl.place, gauge)?, seen.get(&against, gauge)?)));
        if let Some((of, against)) = both
            && !all.iter().any(|one| {
                one.gauge == decl.gauge && one.of == of.place && one.against == against.place
            })
        {
            all.push(contrast(plan, of, against));
        }
    }
    all
}

fn against_clean(plan: &Plan, seen: &SampledGauges, at: &GaugeAtPlace) -> Option<Contrast> {
    if !matches!(at.place.under, Under::Rung { .. } | Under::Condition(_)) {
        return None;
    }
    let clean = seen.get(
        &Place {
            under: Under::Clean,
            ..at.place.clone()
        },
        at.gauge,
    )?;
    Some(contrast(plan, at, clean))
}

fn against_reference(plan: &Plan, seen: &SampledGauges, at: &GaugeAtPlace) -> Option<Contrast> {
    let first = || {
        let on = |subject: &SubjectAt| {
            plan.study.subjects[*subject]
                .test_on
                .contains(&at.place.dataset)
        };
        let mut rivals = plan
            .subjects
            .positions()
            .filter(|subject| plan.reads(at.gauge, *subject));
        rivals
            .find(on)
            .map(|subject| &plan.study.subjects[subject].name)
    };
    let subject = plan.study.analysis.reference.as_ref().or_else(first)?;
    if *subject == at.place.subject {
        return None;
    }
    let reference = seen.get(
        &Place {
            subject: subject.clone(),
            ..at.place.clone()
        },
        at.gauge,
    )?;
    Some(contrast(plan, at, reference))
}

fn contrast(plan: &Plan, of: &GaugeAtPlace, against: &GaugeAtPlace) -> Contrast {
    let [left, right] = on_shared_items(plan, [of, against]);
    let difference = left.sample.minus(&right.sample);
    let (quantity, variance) = difference.quantity_and_variance(plan.study.analysis.level);
    let quantity = quantity.within(ends_of_difference(plan.gauges[of.gauge].scale.ends));
    let gauge = &plan.study.gauges[of.gauge].name;
    let mut contrast = Contrast::new(gauge, of.place.clone(), against.place.clone(), quantity);
    contrast.variance = variance;
    contrast
}

/// A series and what was drawn from it, on the items that everything it is compared with has a
/// reading of too.
pub(super) struct Common<'a> {
    pub(super) series: Cow<'a, Series>,
    pub(super) sample: Cow<'a, Sample>,
}

/// What is compared, on the items that all of it has a reading of.
pub(super) fn on_shared_items<'a, const N: usize>(
    plan: &Plan,
    all: [&'a GaugeAtPlace; N],
) -> [Common<'a>; N] {
    let shared = SharedItems::of(plan, &all);
    all.map(|at| shared.of_these(plan, at))
}

/// Which items are compared: as they were sampled, or, where not everything has a reading of the
/// same items, without those that something has none of. Items are drawn as ever, so that all seeds
/// and sides still meet the same draws.
pub(super) struct SharedItems {
    /// For every seed, the items that count nothing.
    out: Vec<BTreeSet<usize>>,
    /// Whether nothing has others.
    alike: bool,
}

impl SharedItems {
    pub(super) fn of(plan: &Plan, all: &[&GaugeAtPlace]) -> SharedItems {
        // Where nothing could be read, nothing is compared: it takes nobody out.
        let read: Vec<&&GaugeAtPlace> = all.iter().filter(|at| at.sample.value().is_ok()).collect();
        let of_seed = |seed: usize| {
            let of_places = read.iter().flat_map(|at| at.unread.get(seed));
            of_places.flatten().copied().collect()
        };
        let out: Vec<BTreeSet<usize>> = (0..plan.study.seeds.len()).map(of_seed).collect();
        let alike = read.iter().all(|at| at.unread == out);
        SharedItems { out, alike }
    }

    /// A series on these items.
    pub(super) fn of_these<'a>(&self, plan: &Plan, at: &'a GaugeAtPlace) -> Common<'a> {
        if self.alike {
            return Common {
                series: Cow::Borrowed(&at.series),
                sample: Cow::Borrowed(&at.sample),
            };
        }
        let masked = |(meter, out): (&Result<Arc<dyn Meter>, AbsenceReason>, &BTreeSet<usize>)| {
            Ok(Derived::without(meter.as_ref().map_err(Clone::clone)?, out))
        };
        let series = Series {
            meters: at.series.meters.iter().zip(&self.out).map(masked).collect(),
            clusters: at.series.clusters.clone(),
            ..at.series
        };
        let sample = Sampling::of(&plan.study).sample(&series);
        Common {
            series: Cow::Owned(series),
            sample: Cow::Owned(sample),
        }
    }
}
