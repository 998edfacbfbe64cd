//! Gauges of explanations beside their floors: what is not shown beyond one gets a caveat.

use duress_core::floor::FloorKind;
use duress_core::gauge::{Direction, ends_of_difference};
use duress_core::name::Name;
use duress_core::number;
use duress_findings::{About, Caveat, Doubt, Place, Quantity, Reading, Under};

use super::contrast::on_shared_items;
use super::series::{GaugeAtPlace, SampledGauges};
use crate::axis::{DatasetAt, GaugeAt};
use crate::plan::Plan;

/// A doubt about every gauge, floor and dataset where the one is not shown beyond the other.
pub(super) fn caveats(plan: &Plan, seen: &SampledGauges) -> Vec<Caveat> {
    let mut all = Vec::new();
    for (floor_at, decl) in plan.study.gauges.at_each() {
        let Some(floor) = &decl.floor else {
            continue;
        };
        for of in &floor.of {
            let Some(gauge_at) = plan.study.gauges.position(|one| one.name == *of) else {
                continue;
            };
            let pair = FlooredGauge {
                gauge: gauge_at,
                floor: floor_at,
                kind: floor.kind,
            };
            let tested = plan.tested_on();
            all.extend(tested.filter_map(|dataset| pair.doubt(plan, seen, dataset)));
        }
    }
    all
}

/// A gauge, and one of its floors.
struct FlooredGauge {
    gauge: GaugeAt,
    floor: GaugeAt,
    kind: FloorKind,
}

impl FlooredGauge {
    fn doubt(&self, plan: &Plan, seen: &SampledGauges, dataset: DatasetAt) -> Option<Caveat> {
        let dataset = &plan.study.datasets[dataset].name;
        let subjects = plan.study.subjects.iter();
        let places = subjects.filter_map(|decl| self.not_shown(plan, seen, &decl.name, dataset));
        let places: Vec<String> = places.collect();
        let gauge = plan.study.gauges[self.gauge].name.clone();
        let floor = plan.study.gauges[self.floor].name.clone();
        let dataset = dataset.clone();
        let about = About::Gauge(gauge.clone());
        let doubt = match self.kind {
            FloorKind::KnowsNothing => Doubt::NotBeyondFloor {
                gauge,
                floor,
                dataset,
                places: places.clone(),
            },
            FloorKind::OtherDraws => Doubt::WithinOtherDraws {
                gauge,
                floor,
                dataset,
                places: places.clone(),
            },
        };
        (!places.is_empty()).then(|| Caveat::new(about, doubt))
    }

    /// At how many places of a subject it is not shown beyond the floor, and by how much it is away
    /// from it at the first.
    fn not_shown(
        &self,
        plan: &Plan,
        seen: &SampledGauges,
        subject: &Name,
        dataset: &Name,
    ) -> Option<String> {
        let is_there = |at: &&GaugeAtPlace| {
            at.gauge == self.gauge && at.place.subject == *subject && at.place.dataset == *dataset
        };
        let mut compared = 0;
        let mut held: Vec<(&Under, Quantity)> = Vec::new();
        for at in seen.all().iter().filter(is_there) {
            let Some(difference) = self.difference(plan, seen, at) else {
                continue;
            };
            compared += 1;
            if !self.is_shown(plan, &difference) {
                held.push((&at.place.under, difference));
            }
        }
        let (under, first) = held.first()?;
        let places = held.len();
        Some(format!(
            "{subject} at {places} of {compared} places ({under}: {})",
            in_words(first)
        ))
    }

    /// How far it is from its floor on the same items: at the same place, or without stress where
    /// the floor is read there alone.
    fn difference(&self, plan: &Plan, seen: &SampledGauges, at: &GaugeAtPlace) -> Option<Quantity> {
        let clean = Place {
            under: Under::Clean,
            ..at.place.clone()
        };
        let floor = seen.get(&at.place, self.floor);
        let floor = floor.or_else(|| seen.get(&clean, self.floor))?;
        let [own, floor] = on_shared_items(plan, [at, floor]);
        let difference = own.sample.minus(&floor.sample);
        let (quantity, _) = difference.quantity_and_variance(plan.study.analysis.level);
        let ends = ends_of_difference(plan.gauges[self.gauge].scale.ends);
        let quantity = quantity.within(ends);
        quantity.value.value().is_some().then_some(quantity)
    }

    fn is_shown(&self, plan: &Plan, difference: &Quantity) -> bool {
        let Ok(range) = &difference.interval else {
            return false;
        };
        let (above, below) = (range.low > 0.0, range.high < 0.0);
        let (better, worse) = match plan.gauges[self.gauge].scale.direction {
            Direction::Higher => (above, below),
            Direction::Lower => (below, above),
            Direction::Neither => return true,
        };
        match self.kind {
            FloorKind::KnowsNothing => better,
            FloorKind::OtherDraws => worse,
        }
    }
}

/// A difference with its interval.
fn in_words(difference: &Quantity) -> String {
    let value = match &difference.value {
        Reading::Value(value) => number::fixed(*value, 3),
        Reading::Undefined(why) => return why.to_string(),
    };
    match &difference.interval {
        Ok(range) => {
            let (low, high) = (number::fixed(range.low, 3), number::fixed(range.high, 3));
            format!("{value} [{low}, {high}]")
        }
        Err(why) => format!("{value}, no interval: {why}"),
    }
}
