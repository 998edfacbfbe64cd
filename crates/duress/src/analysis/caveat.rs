//! Caveats: doubts the program raises itself, each beside the number it touches.

use std::collections::{BTreeMap, BTreeSet};

use duress_core::answer::{Absence, AbsenceKind, Answers, Said};
use duress_core::gauge::Unit;
use duress_core::part::Build;

use super::answers::Answered;
use crate::axis::{DatasetAt, StressAt, SubjectAt};
use crate::plan::Plan;
use crate::study::{Chosen, Origin, Units};
use duress_findings::{Caveat, ClaimFinding, Estimate, Verdict};

/// Below this many seeds an interval over seeds is very wide.
const FEW_SEEDS: usize = 8;

/// Gauges of calibration that count the noise within a bin as miscalibration.
const PLUG_IN: [&str; 3] = ["ece", "ece-equal-mass", "mce"];

pub(super) fn caveats(
    plan: &Plan,
    answered: &Answered,
    claims: &[ClaimFinding],
    estimates: &[Estimate],
    earlier: &[String],
) -> Vec<Caveat> {
    let mut all = Vec::new();
    all.extend(changed_study(earlier));
    all.extend(few_seeds(plan));
    all.extend(unreproducible(plan));
    all.extend(seen_truth(plan));
    all.extend(biased_gauges(plan, estimates));
    all.extend(from_cells(plan, answered));
    all.extend(mixed_forms(plan, answered));
    all.extend(powerless_claims(claims));
    all
}

fn general(text: impl Into<String>) -> Caveat {
    Caveat {
        text: text.into(),
        subject: None,
        dataset: None,
        ladder: None,
        gauge: None,
        claim: None,
    }
}

fn changed_study(earlier: &[String]) -> Option<Caveat> {
    (!earlier.is_empty()).then(|| {
        general(format!(
            "This folder holds {} earlier version{} of the study: claims may have been changed after answers were seen.",
            earlier.len(),
            if earlier.len() == 1 { "" } else { "s" }
        ))
    })
}

fn few_seeds(plan: &Plan) -> Option<Caveat> {
    let seeds = plan.study.seeds.len();
    let resampled = plan.study.analysis.units != Units::Items
        || plan
            .gauges
            .iter()
            .any(|gauge| gauge.scale.unit == Unit::Replicates);
    let text = match seeds {
        2 => "2 seeds: intervals are made, but nothing is decided that is meant for other seeds."
            .into(),
        _ => format!(
            "{seeds} seeds: how much seeds differ is known from few, so intervals are wide."
        ),
    };
    (resampled && (2..FEW_SEEDS).contains(&seeds)).then(|| general(text))
}

fn unreproducible(plan: &Plan) -> Vec<Caveat> {
    let subjects = plan.study.subjects.iter().zip(&plan.subjects);
    let free =
        subjects.filter(|(_, planned)| planned.abilities.as_ref().is_some_and(|a| !a.reproducible));
    let subjects = free.map(|(decl, _)| Caveat {
        subject: Some(decl.name.clone()),
        ..general(format!(
            "{} may answer otherwise when asked again.",
            decl.name
        ))
    });
    let raters = plan.study.raters.iter().zip(&plan.raters);
    let raters = raters
        .filter(|(_, planned)| !planned.rater.reproducible())
        .map(|(decl, _)| {
            general(format!(
                "{} may rate otherwise when asked again.",
                decl.name
            ))
        });
    subjects.chain(raters).collect()
}

fn seen_truth(plan: &Plan) -> Vec<Caveat> {
    let sees = |stress: &&crate::plan::Stress| {
        stress.stressors.iter().any(|one| {
            one.stressor
                .pressure()
                .is_some_and(|pressure| pressure.sees_truth)
        })
    };
    let seeing = plan.stresses.iter().filter(sees).map(|stress| Caveat {
        ladder: Some(stress.name.clone()),
        ..general(format!(
            "{} looks at the truth to choose what it does.",
            stress.name
        ))
    });
    let baked = plan.study.datasets.iter().filter(|decl| match &decl.from {
        Origin::Derived { press, .. } => press.iter().any(|one| looks_at_truth(&one.chosen)),
        Origin::Part(_) => false,
    });
    let baked = baked.map(|decl| Caveat {
        dataset: Some(decl.name.clone()),
        ..general(format!(
            "What was done to {} looked at the truth.",
            decl.name
        ))
    });
    seeing.chain(baked).collect()
}

fn looks_at_truth(chosen: &Chosen) -> bool {
    let Build::Stressor(build) = chosen.part.build else {
        return false;
    };
    let built = build(&chosen.params).ok();
    built
        .and_then(|stressor| stressor.pressure())
        .is_some_and(|pressure| pressure.sees_truth)
}

/// Gauges that are known to be biased, and those whose interval shows it.
fn biased_gauges(plan: &Plan, estimates: &[Estimate]) -> Vec<Caveat> {
    let of = |gauge: &str, text: String| Caveat {
        gauge: Some(gauge.into()),
        ..general(text)
    };
    let known = plan
        .study
        .gauges
        .iter()
        .filter(|gauge| PLUG_IN.contains(&gauge.chosen.part.name));
    let known = known.map(|gauge| {
        let text = format!(
            "{} is a plug-in: it is biased upward, the more so the fewer items.",
            gauge.name
        );
        of(&gauge.name, text)
    });
    let missed = plan.study.gauges.iter().filter_map(|gauge| {
        let all = || estimates.iter().filter(|one| one.gauge == gauge.name);
        let missed: Vec<&str> = all().filter_map(|one| one.quantity.missed()).collect();
        let (first, places) = (missed.first()?, all().count());
        let text = format!(
            "At {} of {places} places the interval of {} misses its number: {first}.",
            missed.len(),
            gauge.name
        );
        Some(of(&gauge.name, text))
    });
    known.chain(missed).collect()
}

/// What a cell has to say: of which subject, on which dataset, under which stress.
type Doubt = (SubjectAt, DatasetAt, Option<StressAt>, String);

/// The conditions a doubt is said of, by subject, dataset and text.
type DoubtedUnder = BTreeMap<(SubjectAt, DatasetAt, String), BTreeSet<Option<StressAt>>>;

/// What cells themselves have to say: attacks' doubts, items without an answer, cells without
/// answers.
fn from_cells(plan: &Plan, answered: &Answered) -> Vec<Caveat> {
    let mut said: BTreeSet<Doubt> = BTreeSet::new();
    let mut failed = 0;
    for cell in plan.cells() {
        let mut note = |text: String| {
            said.insert((
                cell.subject,
                cell.test,
                cell.stress.map(|at| at.stress),
                text,
            ));
        };
        match answered.kept(cell) {
            Err(_) => failed += 1,
            Ok(kept) => {
                kept.doubts.iter().for_each(|doubt| note(doubt.clone()));
                if let Some(text) = absent(&kept.answers) {
                    note(text);
                }
            }
        }
    }
    let mut all: Vec<Caveat> = once_each(said)
        .into_iter()
        .map(|one| about(plan, one))
        .collect();
    if failed > 0 {
        all.push(general(format!(
            "{} no answers; means are over the seeds that have, and their number is shown.",
            if failed == 1 {
                "1 cell has".into()
            } else {
                format!("{failed} cells have")
            }
        )));
    }
    all
}

/// What is said of several conditions is about the subject, and said once.
fn once_each(said: BTreeSet<Doubt>) -> BTreeSet<Doubt> {
    let mut under = DoubtedUnder::new();
    for (subject, test, stress, text) in said {
        under
            .entry((subject, test, text))
            .or_default()
            .insert(stress);
    }
    let mut once = BTreeSet::new();
    for ((subject, test, text), stresses) in under {
        let only = stresses.first().copied().flatten();
        let only = only.filter(|_| stresses.len() == 1);
        once.insert((subject, test, only, text));
    }
    once
}

/// Subjects some of whose answers are probabilities and others logits: told file by file, one of
/// the two may be wrong.
fn mixed_forms(plan: &Plan, answered: &Answered) -> Vec<Caveat> {
    let mut forms: BTreeMap<SubjectAt, [usize; 2]> = BTreeMap::new();
    for cell in plan.cells() {
        let Ok(kept) = answered.kept(cell) else {
            continue;
        };
        let Answers::Classes(said) = &kept.answers else {
            continue;
        };
        let counts = forms.entry(cell.subject).or_default();
        match said.said() {
            Said::Probabilities(_) => counts[0] += 1,
            Said::Logits(_) => counts[1] += 1,
            Said::Labels { .. } => {}
        }
    }
    let mixed = forms
        .into_iter()
        .filter(|(_, counts)| counts.iter().all(|count| *count > 0));
    mixed
        .map(|(subject, [probabilities, logits])| {
            let name = plan.study.subjects[subject].name.clone();
            let text = format!(
                "{probabilities} cells of {name} are read as probabilities and {logits} as logits; `form` would decide for all."
            );
            Caveat { subject: Some(name), ..general(text) }
        })
        .collect()
}

fn about(plan: &Plan, (subject, test, stress, text): Doubt) -> Caveat {
    Caveat {
        subject: Some(plan.study.subjects[subject].name.clone()),
        dataset: Some(plan.study.datasets[test].name.clone()),
        ladder: stress.map(|stress| plan.stresses[stress].name.clone()),
        ..general(text)
    }
}

fn absent(answers: &Answers) -> Option<String> {
    let missing = |why: Option<&Absence>| {
        why.is_some_and(|absence| absence.kind != AbsenceKind::NotTakingPart)
    };
    let (absent, of) = match answers {
        Answers::Classes(said) => (
            said.absent()
                .values()
                .filter(|why| missing(Some(why)))
                .count(),
            said.len(),
        ),
        Answers::Texts(said) => (
            said.texts
                .iter()
                .filter(|text| missing(text.as_ref().err()))
                .count(),
            said.texts.len(),
        ),
        Answers::Ratings(said) => (
            said.rows()
                .iter()
                .filter(|row| missing(row.as_ref().err()))
                .count(),
            said.rows().len(),
        ),
        Answers::Graph(_) => (0, 1),
    };
    (absent > 0)
        .then(|| format!("{absent} of {of} items have no answer; gauges are over the others."))
}

fn powerless_claims(claims: &[ClaimFinding]) -> Vec<Caveat> {
    let powerless = claims.iter().filter(|claim| {
        claim.verdict == Verdict::Undecided
            && claim
                .power
                .iter()
                .any(|line| line.contains("no result can stand"))
    });
    powerless
        .map(|claim| Caveat {
            claim: Some(claim.name.clone()),
            ..general(format!(
                "{}: with this many units no outcome could have stood.",
                claim.name
            ))
        })
        .collect()
}
