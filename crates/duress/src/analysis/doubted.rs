//! Claims that rest on a number which its own attack doubts, or at which too many answers are absent:
//! they are left undecided, unless the study says otherwise.

use std::collections::BTreeMap;

use duress_core::name::Name;
use duress_core::stressor::AttackDoubt;
use duress_findings::{AbsentAnswers, ClaimFinding, Place, Under, Verdict};

use super::answers::Answered;
use super::claim;
use super::masked::MaskedLadders;
use crate::axis::{DatasetAt, StressAt, SubjectAt};
use crate::plan::Plan;
use crate::study::{Doubted, StatementDecl};

/// What keeps claims from being decided.
struct GraveDoubts<'a> {
    /// The first grave doubt about each subject, dataset and attack.
    of_attacks: BTreeMap<(Name, Name, Name), AttackDoubt>,
    /// The places at which too many answers are absent.
    absences: Vec<&'a AbsentAnswers>,
    /// The share of answers that may be.
    absent_at_most: f64,
}

/// What keeps a claim from being decided.
enum GraveDoubt<'a> {
    Attack(&'a AttackDoubt),
    Absence(&'a AbsentAnswers, f64),
}

/// Leaves claims undecided that rest on doubted numbers.
pub(super) fn hold_back(
    plan: &Plan,
    answered: &Answered,
    masked: &MaskedLadders,
    absences: &[AbsentAnswers],
    claims: &mut [ClaimFinding],
) {
    let doubts = GraveDoubts::of(plan, answered, masked, absences);
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

impl<'a> GraveDoubts<'a> {
    fn of(
        plan: &Plan,
        answered: &Answered,
        masked: &MaskedLadders,
        absences: &'a [AbsentAnswers],
    ) -> GraveDoubts<'a> {
        let absent_at_most = plan.study.analysis.absent_at_most;
        let too_many = |one: &&AbsentAnswers| one.share() > absent_at_most;
        GraveDoubts {
            of_attacks: of_attacks(plan, answered, masked),
            absences: absences.iter().filter(too_many).collect(),
            absent_at_most,
        }
    }

    /// What is doubted about a place; a number about all that was asked rests on every attack.
    fn about(&self, place: &Place) -> Option<GraveDoubt<'_>> {
        let rests_on = |stress: &Name| match &place.under {
            Under::Clean => false,
            Under::Everything => true,
            under => under.stress() == Some(stress),
        };
        let mut found = self.of_attacks.iter();
        let by_attack = found.find(|((subject, dataset, stress), _)| {
            *subject == place.subject && *dataset == place.dataset && rests_on(stress)
        });
        if let Some((_, doubt)) = by_attack {
            return Some(GraveDoubt::Attack(doubt));
        }
        let mut absences = self.absences.iter();
        let absence = absences.find(|one| rests_on_answers_of(place, &one.place))?;
        Some(GraveDoubt::Absence(absence, self.absent_at_most))
    }

    /// Leaves one statement undecided, if it was decided by a doubted number.
    fn hold_back(&self, decl: &StatementDecl, found: &mut ClaimFinding) -> Option<()> {
        let places = found.places();
        let doubt = places.iter().find_map(|place| self.about(place))?;
        if decl.doubted == Doubted::Judged || found.verdict == Verdict::Undecided {
            return None;
        }
        found.why = format!("it would be {}, but {}", found.verdict, doubt.in_words());
        found.would_decide = Some(format!(
            "{}; or `doubted = \"judged\"`, which takes the number as it is",
            doubt.remedy()
        ));
        found.verdict = Verdict::Undecided;
        Some(())
    }
}

fn of_attacks(
    plan: &Plan,
    answered: &Answered,
    masked: &MaskedLadders,
) -> BTreeMap<(Name, Name, Name), AttackDoubt> {
    let named = |subject: SubjectAt, test: DatasetAt, stress: StressAt| {
        (
            plan.study.subjects[subject].name.clone(),
            plan.study.datasets[test].name.clone(),
            plan.stresses[stress].name.clone(),
        )
    };
    let mut found = BTreeMap::new();
    for cell in plan.cells() {
        let (Some(at), Ok(kept)) = (cell.stress, answered.kept(cell)) else {
            continue;
        };
        let grave = kept.attack_doubts.iter().find(|doubt| doubt.is_grave());
        if let Some(doubt) = grave {
            let place = named(cell.subject, cell.test, at.stress);
            found.entry(place).or_insert_with(|| doubt.clone());
        }
    }
    for (&(subject, test, stress), doubt) in masked {
        let place = named(subject, test, stress);
        found.entry(place).or_insert_with(|| doubt.clone());
    }
    found
}

/// Whether a number at `place` is made from answers at `asked`: a ladder has its rungs and the clean
/// one, everything has all of them.
fn rests_on_answers_of(place: &Place, asked: &Place) -> bool {
    let same = place.subject == asked.subject && place.dataset == asked.dataset;
    same && match &place.under {
        Under::Everything => true,
        Under::Ladder(ladder) => {
            asked.under == Under::Clean || asked.under.stress() == Some(ladder)
        }
        under => *under == asked.under,
    }
}

impl GraveDoubt<'_> {
    fn in_words(&self) -> String {
        match self {
            GraveDoubt::Attack(doubt) => format!("its own attack doubts the number: {doubt}"),
            GraveDoubt::Absence(absence, at_most) => format!(
                "too many answers are absent ({}; at most {:.0} % may be)",
                absence.in_words(),
                100.0 * at_most
            ),
        }
    }

    fn remedy(&self) -> String {
        match self {
            GraveDoubt::Attack(doubt) => format!("another attack: {}", doubt.remedy()),
            GraveDoubt::Absence(..) => {
                "fewer absent answers (`run --retry` asks again about those that failed), or a larger `absent-at-most` in [analysis]".into()
            }
        }
    }
}
