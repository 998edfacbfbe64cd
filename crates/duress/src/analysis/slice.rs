//! Slices: every gauge of items, read on the items of each value of a column; the worst is named. A
//! gauge of all that a subject did, which compares groups itself, is read where it has a value.

use std::sync::Arc;

use duress_core::exhibit::truth_in_words;
use duress_core::gauge::{Direction, Unit};
use duress_stats::parallel::map_list;

use super::answers::Answered;
use super::derived::Derived;
use super::sample::{Sample, Sampling};
use super::series::{GaugeAtPlace, SampledGauges, Series};
use crate::axis::ReplicateAt;
use crate::plan::Plan;
use crate::study::CLASS_SLICE;
use duress_findings::{AbsenceReason, Slice, Under};

pub(super) fn slices(plan: &Plan, answered: &Answered, seen: &SampledGauges) -> Vec<Slice> {
    let columns = &plan.study.analysis.slices.value;
    let items = seen.all().iter().filter(|at| at.series.unit == Unit::Items);
    let wanted: Vec<(&GaugeAtPlace, &String)> = items
        .flat_map(|at| columns.iter().map(move |column| (at, column)))
        .collect();
    let sampling = Sampling::of(&plan.study);
    let sliced = map_list(&wanted, |(at, column)| {
        of_column(plan, answered, at, column, &sampling)
    });
    sliced.into_iter().flatten().collect()
}

fn of_column(
    plan: &Plan,
    answered: &Answered,
    at: &GaugeAtPlace,
    column: &str,
    sampling: &Sampling,
) -> Vec<Slice> {
    let values: Vec<Option<Vec<String>>> = plan
        .study
        .seeds
        .positions()
        .map(|replicate| values(plan, answered, at, replicate, column))
        .collect();
    let mut names: Vec<&String> = values.iter().flatten().flatten().collect();
    names.sort();
    names.dedup();
    let read = |name: &&String| {
        (
            name.to_string(),
            sampling.sample(&series(at, &values, name)),
        )
    };
    let mut sampled: Vec<(String, Sample)> = names.iter().map(read).collect();
    // A spread over the groups of a column has no value within one of them.
    if at.place.under == Under::Everything {
        sampled.retain(|(_, sample)| sample.value().is_ok());
    }
    let direction = plan.gauges[at.gauge].scale.direction;
    // Where neither way is better, no slice is the worst.
    let judged = sampled.iter().filter(|_| direction != Direction::Neither);
    let defined = judged.filter_map(|(name, sample)| Some((name, sample.value().ok()?)));
    let worst = defined.reduce(|worst, one| {
        if direction.better(worst.1, one.1) {
            one
        } else {
            worst
        }
    });
    let worst = worst.map(|(name, _)| name.clone());
    let slice = |(value, sample): (String, Sample)| {
        let quantity = sample
            .quantity(plan.study.analysis.level)
            .within(plan.gauges[at.gauge].scale.ends);
        let gauge = &plan.study.gauges[at.gauge].name;
        let mut slice = Slice::new(gauge, at.place.clone(), (column, &value), quantity);
        slice.worst = worst.as_ref() == Some(&value);
        slice
    };
    sampled.into_iter().map(slice).collect()
}

/// The values of a column for the items of one replicate.
fn values(
    plan: &Plan,
    answered: &Answered,
    at: &GaugeAtPlace,
    replicate: ReplicateAt,
    column: &str,
) -> Option<Vec<String>> {
    let cell = crate::plan::Cell {
        replicate,
        ..at.clean
    };
    let dataset = answered.dataset(plan, cell)?;
    match dataset.columns.get(column) {
        Some(values) => Some(values.clone()),
        None if column == CLASS_SLICE => (0..dataset.ids.len())
            .map(|i| truth_in_words(&dataset.truth, i))
            .collect(),
        None => None,
    }
}

/// The series on the items with one value.
fn series(at: &GaugeAtPlace, values: &[Option<Vec<String>>], name: &str) -> Series {
    let inside: Vec<Vec<usize>> = values
        .iter()
        .map(|values| positions(values.as_deref().unwrap_or_default(), name))
        .collect();
    let meters = at.series.meters.iter().zip(values).zip(&inside);
    let meters = meters.map(|((meter, values), some)| {
        let meter = meter.as_ref().map_err(Clone::clone)?;
        let values = values.as_ref().ok_or(AbsenceReason::NoSuchColumn)?;
        if some.is_empty() || values.len() != meter.units() {
            return Err(AbsenceReason::NoItemHas { value: name.into() });
        }
        Ok(Derived::only(meter, some.clone()))
    });
    let clusters = at.series.clusters.as_ref();
    Series {
        meters: meters.collect(),
        unit: at.series.unit,
        crossed: at.series.crossed,
        clusters: clusters
            .and_then(|all| all.subset(&inside, at.series.crossed))
            .map(Arc::new),
        ends: at.series.ends,
    }
}

/// Where the items with one value stand.
fn positions(values: &[String], name: &str) -> Vec<usize> {
    (0..values.len()).filter(|&i| values[i] == name).collect()
}
