//! Templates of a question: how much of the variance at a rung of paraphrases is the prompt's.

use std::sync::Arc;

use duress_core::gauge::{Gauge, Meter};
use duress_findings::VariancePart;
use duress_stats::sources::Factor;
use duress_stats::templates::across_templates;

use super::answers::Answered;
use super::sample::variance_parts;
use super::series::PlannedReading;
use crate::plan::Plan;

/// Where the variance of an answer comes from at a rung whose variants are templates, over items that
/// have an answer to every template for every seed. None elsewhere; where seeds have items of their
/// own or items belong to clusters, which this does not tell apart; and of a gauge that is no mean
/// over items.
pub(super) fn variance(
    reading: &PlannedReading,
    plan: &Plan,
    answered: &Answered,
) -> Option<Vec<VariancePart>> {
    let (stress, _) = plan.rung(*reading.rungs.first()?);
    let is_cell = matches!(&*plan.gauges[reading.gauge].gauge, Gauge::Cell(_));
    let crossed = plan.distinct(reading.test).len() == 1;
    let clustered = answered.clusters(reading.test).ok()?.is_some();
    if !stress.varies_templates() || !is_cell || !crossed || clustered {
        return None;
    }
    let seeds = plan.study.seeds.positions();
    let meters: Vec<Vec<Arc<dyn Meter>>> = seeds
        .map(|seed| reading.each_variant(plan, answered, seed).ok())
        .collect::<Option<_>>()?;
    let scores: Vec<Vec<&[Option<f64>]>> = meters
        .iter()
        .map(|of_seed| of_seed.iter().map(|meter| meter.per_item()).collect())
        .collect::<Option<_>>()?;
    let whole = |item: &usize| scores.iter().flatten().all(|of| of[*item].is_some());
    let items: Vec<usize> = (0..meters.first()?.first()?.units())
        .filter(whole)
        .collect();
    let sizes = [items.len(), reading.rungs.len(), scores.len()];
    let answer = |item: usize, template: usize, seed: usize| {
        scores[seed][template][items[item]].unwrap_or_default()
    };
    let mut sources = across_templates(sizes, answer).ok()?;
    for source in &mut sources {
        // The number is about these templates: others would change it, and not its error.
        if source.factor == Factor::Template {
            source.error = 0.0;
        }
    }
    Some(variance_parts(&sources))
}
