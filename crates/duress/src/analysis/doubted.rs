//! Claims that rest on a number which its own attack doubts: they are left undecided, unless the
//! study says otherwise.

use std::collections::BTreeMap;

use duress_core::name::Name;
use duress_core::stressor::AttackDoubt;
use duress_findings::{ClaimFinding, Place, Under, Verdict};

use super::answers::Answered;
use super::claim;
use crate::plan::Plan;
use crate::study::{Doubted, StatementDecl};

/// The first grave doubt about each subject, dataset and attack.
struct GraveDoubts {
    found: BTreeMap<(Name, Name, Name), AttackDoubt>,
}

/// Leaves claims undecided that rest on doubted numbers.
pub(super) fn hold_back(plan: &Plan, answered: &Answered, claims: &mut [ClaimFinding]) {
    let doubts = GraveDoubts::of(plan, answered);
    for (decl, found) in plan.study.claims.iter().zip(claims) {
        match decl.has_parts() {
            false => {
                doubts.hold_back(&decl.statements[0], found);
            }
            true => {
                let parts = decl.statements.iter().zip(&mut found.parts);
                let held = parts.filter_map(|(decl, part)| doubts.hold_back(decl, part));
                if held.count() > 0 {
                    judge_by_parts(found);
                }
            }
        }
    }
}

/// A claim is upheld when each of its parts is, and refuted when one is.
fn judge_by_parts(found: &mut ClaimFinding) {
    let all = |verdict: Verdict| found.parts.iter().all(|part| part.verdict == verdict);
    let one = |verdict: Verdict| found.parts.iter().any(|part| part.verdict == verdict);
    let verdict = match found.verdict {
        Verdict::Upheld if all(Verdict::Upheld) => Verdict::Upheld,
        Verdict::Refuted if one(Verdict::Refuted) => Verdict::Refuted,
        _ => Verdict::Undecided,
    };
    found.verdict = verdict;
    found.why = claim::why(found);
    let open = found.parts.iter().filter_map(|part| {
        let what = part.would_decide.as_ref()?;
        Some(format!("{}: {what}", part.name))
    });
    let open: Vec<String> = open.collect();
    found.would_decide = (verdict == Verdict::Undecided).then(|| open.join("; "));
}

impl GraveDoubts {
    fn of(plan: &Plan, answered: &Answered) -> GraveDoubts {
        let mut found = BTreeMap::new();
        for cell in plan.cells() {
            let (Some(at), Ok(kept)) = (cell.stress, answered.kept(cell)) else {
                continue;
            };
            let grave = kept.attack_doubts.iter().find(|doubt| doubt.is_grave());
            if let Some(doubt) = grave {
                let place = (
                    plan.study.subjects[cell.subject].name.clone(),
                    plan.study.datasets[cell.test].name.clone(),
                    plan.stresses[at.stress].name.clone(),
                );
                found.entry(place).or_insert_with(|| doubt.clone());
            }
        }
        GraveDoubts { found }
    }

    /// What is doubted about a place; a number about all that was asked rests on every attack.
    fn about(&self, place: &Place) -> Option<&AttackDoubt> {
        let rests_on = |stress: &Name| match &place.under {
            Under::Clean => false,
            Under::Everything => true,
            under => under.stress() == Some(stress),
        };
        let mut found = self.found.iter();
        let about = found.find(|((subject, dataset, stress), _)| {
            *subject == place.subject && *dataset == place.dataset && rests_on(stress)
        });
        about.map(|(_, doubt)| doubt)
    }

    /// Leaves one statement undecided, if it was decided by a doubted number.
    fn hold_back(&self, decl: &StatementDecl, found: &mut ClaimFinding) -> Option<()> {
        let places = found.of.iter().chain(&found.against);
        let doubt = places.filter_map(|place| self.about(place)).next()?;
        if decl.doubted == Doubted::Judged || found.verdict == Verdict::Undecided {
            return None;
        }
        found.why = format!(
            "it would be {}, but its own attack doubts the number: {doubt}",
            found.verdict
        );
        found.would_decide = Some(format!(
            "another attack: {}; or `doubted = \"judged\"`, which takes the number as it is",
            doubt.remedy()
        ));
        found.verdict = Verdict::Undecided;
        Some(())
    }
}
