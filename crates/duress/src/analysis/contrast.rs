//! Contrasts: paired differences of two places.

use std::borrow::Cow;

use super::findings::{Contrast, Place, Under};
use super::paired::unequally_answered;
use super::sample::{Sample, Sampling};
use super::series::{Seen, SeriesAt};
use crate::plan::Plan;
use crate::study::At;
use duress_core::gauge::Gauge;

/// Every rung against clean, every subject against the reference, and what the study asks for besides.
pub(super) fn contrasts(plan: &Plan, seen: &Seen) -> Vec<Contrast> {
    let mut all: Vec<Contrast> = Vec::new();
    for at in seen.all() {
        all.extend(against_clean(plan, seen, at));
        all.extend(against_reference(plan, seen, at));
    }
    for decl in &plan.study.contrasts {
        let place = |subject| Place { subject, dataset: decl.on.clone(), under: under(&decl.at) };
        let gauge = plan.study.gauges.iter().position(|gauge| gauge.name == decl.gauge);
        let both = gauge.and_then(|gauge| {
            Some((seen.get(&place(decl.of.clone()), gauge)?, seen.get(&place(decl.against.clone()), gauge)?))
        });
        if let Some((of, against)) = both
            && !all
                .iter()
                .any(|one| one.gauge == decl.gauge && one.of == of.place && one.against == against.place)
        {
            all.push(contrast(plan, of, against));
        }
    }
    all
}

/// The place a study names.
pub(super) fn under(at: &At) -> Under {
    match at {
        At::Clean => Under::Clean,
        At::Rung(ladder, severity) => Under::Rung { ladder: ladder.clone(), severity: severity.clone() },
        At::Ladder(ladder) => Under::Ladder(ladder.clone()),
        At::Condition(name) => Under::Condition(name.clone()),
    }
}

fn against_clean(plan: &Plan, seen: &Seen, at: &SeriesAt) -> Option<Contrast> {
    if !matches!(at.place.under, Under::Rung { .. } | Under::Condition(_)) {
        return None;
    }
    let clean = seen.get(&Place { under: Under::Clean, ..at.place.clone() }, at.gauge)?;
    Some(contrast(plan, at, clean))
}

fn against_reference(plan: &Plan, seen: &Seen, at: &SeriesAt) -> Option<Contrast> {
    let first = || {
        let on = |subject: &usize| plan.study.subjects[*subject].test_on.contains(&at.place.dataset);
        let mut rivals = (0..plan.subjects.len()).filter(|subject| plan.reads(at.gauge, *subject));
        rivals.find(on).map(|subject| &plan.study.subjects[subject].name)
    };
    let subject = plan.study.analysis.reference.as_ref().or_else(first)?;
    if *subject == at.place.subject {
        return None;
    }
    let reference = seen.get(&Place { subject: subject.clone(), ..at.place.clone() }, at.gauge)?;
    Some(contrast(plan, at, reference))
}

fn contrast(plan: &Plan, of: &SeriesAt, against: &SeriesAt) -> Contrast {
    let (left, right) = paired(plan, of, against);
    Contrast {
        of: of.place.clone(),
        against: against.place.clone(),
        gauge: plan.study.gauges[of.gauge].name.clone(),
        quantity: left.minus(&right).quantity(plan.study.analysis.level),
    }
}

/// Both sides of a comparison: as they were sampled, or, where they did not answer the same items, on those both answered.
pub(super) fn paired<'a>(
    plan: &Plan,
    of: &'a SeriesAt,
    against: &'a SeriesAt,
) -> (Cow<'a, Sample>, Cow<'a, Sample>) {
    let cell = matches!(&*plan.gauges[of.gauge].gauge, Gauge::Cell(_));
    match cell.then(|| unequally_answered(&of.series, &against.series)).flatten() {
        Some((of, against)) => {
            let sampling = Sampling::of(&plan.study);
            (Cow::Owned(sampling.sample(&of)), Cow::Owned(sampling.sample(&against)))
        }
        None => (Cow::Borrowed(&of.sample), Cow::Borrowed(&against.sample)),
    }
}
