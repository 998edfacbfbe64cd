//! Stage 5 of 6: answers become findings.
//!
//! Every series of readings is resampled once, with the same draws for all (`sample`); contrasts,
//! drops, areas and shares are then functions of those draws, so everything that is compared is
//! paired.

mod absence;
mod added;
pub(crate) mod alone;
mod answers;
mod cards;
mod caveat;
mod claim;
pub(crate) mod clusters;
mod contrast;
mod curve;
mod delong;
pub(crate) mod derived;
mod doubted;
mod effort;
mod exhibit;
mod explanation;
mod fitting;
mod floor;
mod leaving;
pub(crate) mod look;
mod masked;
mod outlook;
pub(crate) mod paired;
pub mod power;
mod power_curve;
mod realised;
pub(crate) mod reason;
mod replicates;
mod sample;
mod series;
mod side;
mod slice;
mod statement;
mod templates;

pub use replicates::Replicates;

use crate::ledger::{Ledger, Unreadable};
use crate::plan::Plan;

use answers::Answered;
use duress_findings::{Estimate, Findings};
use series::{GaugeAtPlace, SampledGauges};

pub use look::{History, PastLook};
pub use power_curve::{PowerCurve, PowerOver, power_curves};

/// Reads the ledger of a plan and finds what there is to find. `history` is what was done in the same
/// folder before.
pub fn analyse(plan: &Plan, ledger: &Ledger, history: &History) -> Result<Findings, Unreadable> {
    let answered = Answered::read(plan, ledger)?;
    let seen = SampledGauges::new(plan, &answered);
    let estimates: Vec<Estimate> = seen
        .all()
        .iter()
        .map(|at| estimate(plan, &answered, at))
        .collect();
    let slices = slice::slices(plan, &answered, &seen);
    let curves = curve::curves(plan, &seen);
    let mut claims = claim::claims(plan, &seen, history);
    let absences = absence::absences(plan, &answered);
    let masked = masked::masked_ladders(plan, &answered);
    doubted::hold_back(plan, &answered, &masked, &absences, &mut claims);
    let leaving = leaving::leaving(plan, &answered);
    let earlier = &history.studies;
    let mut caveats = caveat::caveats(plan, &answered, &claims, &estimates, &leaving, history);
    caveats.extend(caveat::from_attacks(plan, &answered, masked));
    caveats.extend(absence::caveats(&absences));
    caveats.extend(floor::caveats(plan, &seen));
    let mut findings = Findings::new(cards::study(plan, earlier), cards::made(plan));
    findings.datasets = cards::datasets(plan);
    findings.subjects = cards::subjects(plan, &answered);
    findings.ladders = cards::ladders(plan);
    findings.conditions = cards::conditions(plan);
    findings.gauges = cards::gauges(plan);
    findings.cells = answered.count(plan);
    findings.claims = claims;
    findings.explanation_agreements = explanation::agreements(plan, &estimates);
    findings.estimates = estimates;
    findings.contrasts = contrast::contrasts(plan, &seen);
    findings.slices = slices;
    findings.curves = curves;
    findings.levels = cards::levels(plan);
    findings.expectations = cards::expectations(plan);
    findings.efforts = effort::efforts(plan, &answered);
    findings.realised = realised::realised(plan, &answered);
    findings.fittings = fitting::fittings(plan, ledger);
    findings.caveats = caveats;
    findings.exhibits = exhibit::exhibits(plan, &answered);
    findings.leaving = leaving::listed(plan, &leaving);
    findings.absences = absences;
    findings.failures = answered.failures(plan);
    Ok(findings)
}

fn estimate(plan: &Plan, answered: &Answered, at: &GaugeAtPlace) -> Estimate {
    let seeds = plan.study.seeds.iter().copied();
    let level = plan.study.analysis.level;
    let (quantity, variance) = at.sample.quantity_and_variance(level);
    let quantity = quantity.within(plan.gauges[at.gauge].scale.ends);
    let gauge = &plan.study.gauges[at.gauge].name;
    let mut estimate = Estimate::new(gauge, at.place.clone(), quantity);
    estimate.variance = match at.by_template.is_empty() {
        true => variance,
        false => at.by_template.clone(),
    };
    estimate.by_seed = seeds.zip(at.sample.by_seed()).collect();
    estimate.details = answered.details(plan, at);
    estimate
}
