//! Judges that are asked about errors which they wrote themselves.

use duress_core::stressor::Stressor;
use duress_core::subject::SubjectPart;
use duress_findings::Doubt;

use super::Plan;

/// A doubt for every subject whose model put in the errors of a ladder that presses it.
pub(crate) fn own_errors(plan: &Plan) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for (at, planned) in plan.subjects.at_each() {
        let SubjectPart::Live(subject) = &*planned.subject else {
            continue;
        };
        let Some(model) = subject.model() else {
            continue;
        };
        for (_, stress) in plan.pressing(at) {
            let wrote = stress.stressors.iter().any(|one| match &*one.stressor {
                Stressor::Blind(blind) => blind.made_by() == Some(model),
                Stressor::Aware(_) | Stressor::Elsewhere { .. } => false,
            });
            if wrote {
                doubts.push(Doubt::OwnErrors {
                    subject: plan.study.subjects[at].name.clone(),
                    model: model.into(),
                    stress: stress.name.clone(),
                });
            }
        }
    }
    doubts
}
