//! How subjects that are taught here were taught, as their checkpoints tell.

use std::collections::HashSet;

use duress_core::subject::SubjectPart;
use duress_findings::Fitting;

use crate::ledger::Ledger;
use crate::plan::{Plan, Preparation};

/// The learning curves that are kept, each once: seeds may share a preparation. One that cannot be
/// read is not shown; whether the file is damaged is for others to tell.
pub(super) fn fittings(plan: &Plan, ledger: &Ledger) -> Vec<Fitting> {
    let mut known = HashSet::new();
    let mut fittings = Vec::new();
    for subject in plan.subjects.positions() {
        let SubjectPart::Live(live) = &*plan.subjects[subject].subject else {
            continue;
        };
        for (replicate, &seed) in plan.study.seeds.at_each() {
            let id = plan.preparation_id(Preparation::clean(subject, replicate));
            if !known.insert(id) {
                continue;
            }
            let kept = ledger.checkpoint(id).ok().flatten();
            let curve = kept.and_then(|kept| live.learning_curve(&kept.bytes));
            fittings.extend(curve.map(|curve| Fitting {
                subject: plan.study.subjects[subject].name.clone(),
                seed,
                curve,
            }));
        }
    }
    fittings
}
