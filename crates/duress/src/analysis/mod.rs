//! Stage 5 of 6: answers become findings.
//!
//! Every series of readings is resampled once, with the same draws for all (`sample`); contrasts,
//! drops, areas and shares are then functions of those draws, so everything that is compared is
//! paired.

mod added;
pub(crate) mod alone;
mod answers;
mod cards;
mod caveat;
mod claim;
mod contrast;
mod curve;
pub(crate) mod derived;
mod effort;
mod exhibit;
pub(crate) mod paired;
pub mod power;
mod realised;
mod sample;
mod series;
mod slice;

use crate::ledger::{Ledger, Unreadable};
use crate::plan::Plan;

use answers::Answered;
use duress_findings::{Estimate, Findings, VERSION};
use series::{GaugeAtPlace, SampledGauges};

/// Reads the ledger of a plan and finds what there is to find. `earlier` are the hashes of studies
/// run in the same folder before this one.
pub fn analyse(plan: &Plan, ledger: &Ledger, earlier: &[String]) -> Result<Findings, Unreadable> {
    let answered = Answered::read(plan, ledger)?;
    let seen = SampledGauges::new(plan, &answered);
    let estimates: Vec<Estimate> = seen
        .all()
        .iter()
        .map(|at| estimate(plan, &answered, at))
        .collect();
    let slices = slice::slices(plan, &answered, &seen);
    let curves = curve::curves(plan, &seen);
    let claims = claim::claims(plan, &seen);
    let caveats = caveat::caveats(plan, &answered, &claims, &estimates, earlier);
    Ok(Findings {
        version: VERSION,
        study: cards::study(plan, earlier),
        made: cards::made(plan),
        datasets: cards::datasets(plan),
        subjects: cards::subjects(plan, &answered),
        ladders: cards::ladders(plan),
        conditions: cards::conditions(plan),
        gauges: cards::gauges(plan),
        cells: answered.count(),
        claims,
        estimates,
        contrasts: contrast::contrasts(plan, &seen),
        slices,
        curves,
        levels: cards::levels(plan),
        expectations: cards::expectations(plan),
        efforts: effort::efforts(plan, &answered),
        realised: realised::realised(plan, &answered),
        caveats,
        exhibits: exhibit::exhibits(plan, &answered),
        failures: answered.failures(plan),
    })
}

fn estimate(plan: &Plan, answered: &Answered, at: &GaugeAtPlace) -> Estimate {
    let seeds = plan.study.seeds.iter().copied();
    Estimate {
        place: at.place.clone(),
        gauge: plan.study.gauges[at.gauge].name.clone(),
        quantity: at
            .sample
            .quantity(plan.study.analysis.level)
            .within(plan.gauges[at.gauge].scale.ends),
        by_seed: seeds.zip(at.sample.by_seed()).collect(),
        details: answered.details(plan, at),
    }
}
