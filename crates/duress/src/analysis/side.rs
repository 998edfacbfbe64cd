//! The sides of a statement: a gauge at a place, or what it reads there beyond what it reads of the
//! same items in another dataset.

use super::contrast::{Common, SharedItems};
use super::sample::{Sample, Sampling};
use super::series::{GaugeAtPlace, Series};
use crate::plan::Plan;
use duress_findings::{AbsenceReason, Reading};

/// Where a side is read: at a place, and where the reading is that is taken off.
#[derive(Clone, Copy)]
pub(super) struct SidePlaces<'a> {
    pub(super) at: &'a GaugeAtPlace,
    pub(super) minus: Option<&'a GaugeAtPlace>,
}

/// One side, on the items that both sides have a reading of.
pub(super) struct StatementSide<'a> {
    at: Common<'a>,
    minus: Option<Common<'a>>,
}

/// The side that is claimed about, and the one it is compared with, on the items that everything
/// has a reading of.
pub(super) fn sides_on_shared_items<'a>(
    plan: &Plan,
    of: SidePlaces<'a>,
    against: Option<SidePlaces<'a>>,
) -> (StatementSide<'a>, Option<StatementSide<'a>>) {
    let sides = std::iter::once(of).chain(against);
    let places: Vec<&GaugeAtPlace> = sides
        .flat_map(|side| std::iter::once(side.at).chain(side.minus))
        .collect();
    let shared = SharedItems::of(plan, &places);
    let side = |places: SidePlaces<'a>| StatementSide {
        at: shared.of_these(plan, places.at),
        minus: places.minus.map(|at| shared.of_these(plan, at)),
    };
    (side(of), against.map(side))
}

impl StatementSide<'_> {
    /// What was drawn, or what these resamples would draw.
    pub(super) fn sample(&self, raised: Option<&Sampling>) -> Sample {
        let of_one = |one: &Common<'_>| match raised {
            Some(sampling) => sampling.sample(&one.series),
            None => one.sample.clone().into_owned(),
        };
        match &self.minus {
            Some(minus) => of_one(&self.at).minus(&of_one(minus)),
            None => of_one(&self.at),
        }
    }

    /// The series of the place itself.
    pub(super) fn series(&self) -> &Series {
        &self.at.series
    }

    /// One value per seed.
    pub(super) fn by_seed(&self) -> Vec<Reading> {
        self.sample(None).by_seed()
    }

    /// One value per item.
    pub(super) fn by_item(&self) -> Result<Vec<Option<f64>>, AbsenceReason> {
        let values = by_item(&self.at.series)?;
        let Some(minus) = &self.minus else {
            return Ok(values);
        };
        let both = values.into_iter().zip(by_item(&minus.series)?);
        Ok(both.map(|(one, other)| Some(one? - other?)).collect())
    }
}

/// One value per item: the mean over the seeds that have it where all saw the same items, else one
/// after the other.
fn by_item(series: &Series) -> Result<Vec<Option<f64>>, AbsenceReason> {
    let mut seeds: Vec<&[Option<f64>]> = Vec::new();
    for meter in series.meters.iter() {
        let meter = meter.as_ref().map_err(AbsenceReason::clone)?;
        seeds.push(meter.per_item().ok_or(AbsenceReason::NoMeanOverItems)?);
    }
    if !series.crossed {
        return Ok(seeds.concat());
    }
    let mean = |i: usize| {
        let values: Vec<f64> = seeds.iter().filter_map(|seed| seed[i]).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Ok((0..seeds.first().map_or(0, |seed| seed.len()))
        .map(mean)
        .collect())
}
