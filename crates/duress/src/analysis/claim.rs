//! Claims: each has two nulls, not beyond and not short of its margin, tested by its own test and
//! adjusted over its family; significance against zero is a separate answer.
//!
//! A claim of several parts counts once in its family. It is upheld when each of its parts is and
//! refuted when one is: a part is judged with its own p-values in the place of the claim's, so that
//! what is said of the parts and of the claim cannot disagree.

use duress_stats::verdict::{self, Judged, TwoNulls};

use super::History;
use super::look::{self, LookLevel};
use super::power;
use super::series::SampledGauges;
use super::statement::{Statement, verdict_of};
use crate::plan::Plan;
use crate::study::{ClaimDecl, Study};
use duress_findings::{AbsenceReason, ClaimFinding, NullCard, TestCard, Verdict};

pub(super) fn claims(plan: &Plan, seen: &SampledGauges, history: &History) -> Vec<ClaimFinding> {
    let study = &plan.study;
    let examined: Vec<Examined<'_>> = study
        .claims
        .iter()
        .map(|claim| Examined::new(plan, seen, claim, look::level(study, claim, history)))
        .collect();
    let mut found: Vec<ClaimFinding> = examined
        .iter()
        .map(|one| one.finding(&Family::of(study, one.claim, &examined)))
        .collect();
    for family in families(study) {
        adjust(study, &family, &mut found);
    }
    found
}

/// A claim with what its statements are about.
struct Examined<'a> {
    claim: &'a ClaimDecl,
    look: LookLevel,
    statements: Vec<Statement<'a>>,
    nulls: Vec<Result<TwoNulls, AbsenceReason>>,
}

impl<'a> Examined<'a> {
    fn new(
        plan: &'a Plan,
        seen: &'a SampledGauges,
        claim: &'a ClaimDecl,
        look: LookLevel,
    ) -> Examined<'a> {
        let statements = claim.statements.iter();
        let statements: Vec<Statement<'a>> = statements
            .map(|decl| Statement::new(plan, seen, (claim, decl), &look))
            .collect();
        Examined {
            claim,
            look,
            nulls: statements.iter().map(Statement::two_nulls).collect(),
            statements,
        }
    }

    /// The nulls of the whole claim; a part that cannot be tested shows nothing.
    fn nulls_of_all(&self) -> TwoNulls {
        let each = self.nulls.iter();
        let each: Vec<TwoNulls> = each
            .map(|one| *one.as_ref().unwrap_or(&TwoNulls::NOTHING))
            .collect();
        TwoNulls::of_all(&each)
    }

    fn finding(&self, family: &Family) -> ClaimFinding {
        let parts: Vec<ClaimFinding> = self
            .statements
            .iter()
            .zip(&self.nulls)
            .map(|(statement, own)| {
                let own = own.as_ref().map_err(AbsenceReason::clone);
                let own = own.map(|own| own.as_one_of(self.statements.len()));
                let judged = own.as_ref().map_err(AbsenceReason::clone);
                let judged = judged.map(|own| family.judge(*own, self.look.alpha));
                statement.finding(&own, &judged)
            })
            .collect();
        let mut found = match self.claim.has_parts() {
            true => self.whole(family, parts),
            false => parts
                .into_iter()
                .next()
                .unwrap_or_else(|| unreachable!("a claim says something")),
        };
        found.look.clone_from(&self.look.shown);
        found
    }

    /// A claim of its parts.
    fn whole(&self, family: &Family, parts: Vec<ClaimFinding>) -> ClaimFinding {
        let own = self.nulls_of_all();
        let judged = family.judge(own, self.look.alpha);
        let mut found = ClaimFinding::of_parts(&self.claim.name, &self.claim.family, parts);
        found.verdict = verdict_of(&Ok(judged));
        let adjusted = (judged.adjusted.not_beyond, judged.adjusted.not_short);
        let own = (own.not_beyond, own.not_short);
        found.nulls = Some(NullCard::new(own, adjusted, self.look.alpha));
        let sentences = found.parts.iter().map(|part| part.sentence.as_str());
        found.sentence = sentences.collect::<Vec<_>>().join(", and ");
        found.why = why(&found);
        let open = found.parts.iter().filter_map(|part| {
            let what = part.would_decide.as_ref()?;
            Some(format!("{}: {what}", part.name))
        });
        let open: Vec<String> = open.collect();
        found.would_decide = (found.verdict == Verdict::Undecided).then(|| open.join("; "));
        found
    }
}

/// Why a claim of parts came out as it did.
pub(super) fn why(found: &ClaimFinding) -> String {
    let names = |verdict: Verdict| {
        let some = found.parts.iter().filter(|part| part.verdict == verdict);
        some.map(|part| part.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let all = found.parts.len();
    match found.verdict {
        Verdict::Upheld => format!("each of its {all} parts is upheld"),
        Verdict::Refuted => format!(
            "a part is refuted, and all {all} have to hold: {}",
            names(Verdict::Refuted)
        ),
        Verdict::Undecided => format!(
            "of its {all} parts, all of which have to hold, some are undecided: {}",
            names(Verdict::Undecided)
        ),
    }
}

/// The p-values of a claim's family, of which its own are one.
struct Family {
    all: Vec<TwoNulls>,
    own: usize,
    correction: duress_stats::correct::Correction,
}

impl Family {
    /// A claim that cannot be tested still counts as one of its family.
    fn of(study: &Study, claim: &ClaimDecl, examined: &[Examined<'_>]) -> Family {
        let members = || {
            examined
                .iter()
                .filter(|other| other.claim.family == claim.family)
        };
        let own = members().position(|other| other.claim.name == claim.name);
        Family {
            all: members().map(Examined::nulls_of_all).collect(),
            own: own.unwrap_or_else(|| unreachable!("a claim is one of its family")),
            correction: power::correction(study),
        }
    }

    /// The verdict if the claim's p-values were these.
    fn judge(&self, own: TwoNulls, alpha: f64) -> Judged {
        let mut all = self.all.clone();
        all[self.own] = own;
        let judged = verdict::judge_family(&all, &vec![alpha; all.len()], self.correction);
        judged.map_or(
            Judged {
                adjusted: own,
                verdict: verdict::MarginVerdict::Undecided,
            },
            |judged| judged[self.own],
        )
    }
}

fn families(study: &Study) -> Vec<String> {
    let mut names: Vec<String> = study
        .claims
        .iter()
        .map(|claim| claim.family.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Corrects the p-values against zero of one family together, those of parts among them.
fn adjust(study: &Study, family: &str, found: &mut [ClaimFinding]) {
    let correction = power::correction(study);
    let of_family = found.iter_mut().filter(|claim| claim.family == family);
    let mut cards: Vec<&mut TestCard> = of_family
        .flat_map(|claim| match claim.parts.is_empty() {
            true => std::slice::from_mut(claim).iter_mut(),
            false => claim.parts.iter_mut(),
        })
        .filter_map(|claim| claim.test.as_mut().ok())
        .collect();
    let p_values: Vec<f64> = cards.iter().map(|card| card.p).collect();
    let Ok(adjusted) = correction.adjust(&p_values) else {
        return;
    };
    for (card, p) in cards.iter_mut().zip(adjusted) {
        card.correct(p, study.analysis.correction, p_values.len());
    }
}
