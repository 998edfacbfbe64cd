//! Caveats: doubts the program raises itself, each beside the number it touches.

use std::collections::{BTreeMap, BTreeSet};

use duress_core::answer::{Absence, AbsenceKind, Answers, Said};
use duress_core::gauge::Unit;
use duress_core::part::Build;

use super::answers::Answered;
use crate::axis::{DatasetAt, StressAt, SubjectAt};
use crate::ledger::Kept;
use crate::plan::{Plan, Stress};
use crate::study::{Chosen, Origin, Units};
use duress_findings::{
    About, Caveat, ClaimFinding, Doubt, Estimate, Missed, Place, Under, Verdict,
};

/// Below this many seeds an interval over seeds is very wide.
const FEW_SEEDS: usize = 8;

/// The gauge that chance is compared with.
const ACCURACY: &str = "accuracy";

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
    all.extend(unchecked_files(answered));
    all.extend(few_seeds(plan));
    all.extend(unreproducible(plan));
    all.extend(seen_truth(plan));
    all.extend(biased_gauges(plan, estimates));
    all.extend(from_cells(plan, answered));
    all.extend(leaving_items(plan, answered));
    all.extend(mixed_forms(plan, answered));
    all.extend(below_chance(plan, answered, estimates));
    all.extend(powerless_claims(claims));
    all
}

fn of_study(doubt: Doubt) -> Caveat {
    Caveat::new(About::Study, doubt)
}

fn changed_study(earlier: &[String]) -> Option<Caveat> {
    let earlier = earlier.len();
    (earlier > 0).then(|| of_study(Doubt::ChangedStudy { earlier }))
}

fn unchecked_files(answered: &Answered) -> Option<Caveat> {
    let files = answered.unchecked();
    (files > 0).then(|| of_study(Doubt::UncheckedFiles { files }))
}

fn few_seeds(plan: &Plan) -> Option<Caveat> {
    let seeds = plan.study.seeds.len();
    let resampled = plan.study.analysis.units != Units::Items
        || plan
            .gauges
            .iter()
            .any(|gauge| gauge.scale.unit == Unit::Replicates);
    (resampled && (2..FEW_SEEDS).contains(&seeds)).then(|| of_study(Doubt::SeedsAreFew { seeds }))
}

fn unreproducible(plan: &Plan) -> Vec<Caveat> {
    let subjects = plan.study.subjects.iter().zip(&plan.subjects);
    let free =
        subjects.filter(|(_, planned)| planned.abilities.as_ref().is_some_and(|a| !a.reproducible));
    let subjects = free.map(|(decl, _)| {
        let subject = decl.name.clone();
        Caveat::new(
            About::Subject(subject.clone()),
            Doubt::MayAnswerOtherwise { subject },
        )
    });
    let raters = plan.study.raters.iter().zip(&plan.raters);
    let raters = raters
        .filter(|(_, planned)| !planned.rater.reproducible())
        .map(|(decl, _)| {
            of_study(Doubt::MayRateOtherwise {
                rater: decl.name.clone(),
            })
        });
    subjects.chain(raters).collect()
}

fn seen_truth(plan: &Plan) -> Vec<Caveat> {
    let sees = |stress: &&Stress| {
        stress.stressors.iter().any(|one| {
            one.stressor
                .pressure()
                .is_some_and(|pressure| pressure.sees_truth)
        })
    };
    let seeing = plan.stresses.iter().filter(sees).map(|stress| {
        let doubt = Doubt::SeesTruth {
            stress: stress.name.clone(),
        };
        Caveat::new(About::Stress(all_of(stress)), doubt)
    });
    let baked = plan.study.datasets.iter().filter(|decl| match &decl.from {
        Origin::Derived { press, .. } => press.iter().any(|one| looks_at_truth(&one.chosen)),
        Origin::Part(_) => false,
    });
    let baked = baked.map(|decl| {
        let dataset = decl.name.clone();
        Caveat::new(
            About::Dataset(dataset.clone()),
            Doubt::MadeWithTruth { dataset },
        )
    });
    seeing.chain(baked).collect()
}

/// A stress at all of its severities.
fn all_of(stress: &Stress) -> Under {
    match stress.is_ladder {
        true => Under::Ladder(stress.name.clone()),
        false => Under::Condition(stress.name.clone()),
    }
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
    let known = plan
        .study
        .gauges
        .iter()
        .filter(|gauge| PLUG_IN.contains(&gauge.chosen.part.name));
    let known = known.map(|gauge| {
        let gauge = gauge.name.clone();
        Caveat::new(About::Gauge(gauge.clone()), Doubt::PlugIn { gauge })
    });
    let missed = plan.study.gauges.iter().filter_map(|gauge| {
        let all = || estimates.iter().filter(|one| one.gauge == gauge.name);
        let missed: Vec<Missed> = all().filter_map(|one| one.quantity.missed()).collect();
        let doubt = Doubt::IntervalMisses {
            gauge: gauge.name.clone(),
            missed: missed.len(),
            places: all().count(),
            because: missed.into_iter().next()?,
        };
        Some(Caveat::new(About::Gauge(gauge.name.clone()), doubt))
    });
    known.chain(missed).collect()
}

/// What the cells of a subject on a dataset say, by the sentence: the doubt, and under which
/// stresses.
type SaidByCells = BTreeMap<(SubjectAt, DatasetAt, String), (Doubt, BTreeSet<Option<StressAt>>)>;

/// What cells themselves have to say: attacks' doubts, items without an answer, cells without
/// answers.
fn from_cells(plan: &Plan, answered: &Answered) -> Vec<Caveat> {
    let mut said = SaidByCells::new();
    let mut failed = 0;
    for cell in plan.cells() {
        let Ok(kept) = answered.kept(cell) else {
            failed += usize::from(!answered.follows(plan, cell));
            continue;
        };
        let told = kept.doubts.iter().cloned();
        let told = told.map(|what| Doubt::Told { what });
        for doubt in told.chain(absent(&kept.answers)) {
            let about = (cell.subject, cell.test, doubt.to_string());
            let (_, stresses) = said.entry(about).or_insert((doubt, BTreeSet::new()));
            stresses.insert(cell.stress.map(|at| at.stress));
        }
    }
    let mut all = once_each(plan, said);
    if failed > 0 {
        all.push(of_study(Doubt::CellsWithoutAnswers { failed }));
    }
    all
}

/// What is said of several conditions is about the subject, and said once.
fn once_each(plan: &Plan, said: SaidByCells) -> Vec<Caveat> {
    let one =
        |((subject, test, text), (doubt, stresses)): (_, (Doubt, BTreeSet<Option<StressAt>>))| {
            let only = stresses.first().copied().flatten();
            let only = only.filter(|_| stresses.len() == 1);
            ((subject, test, only, text), doubt)
        };
    let sorted: BTreeMap<(SubjectAt, DatasetAt, Option<StressAt>, String), Doubt> =
        said.into_iter().map(one).collect();
    let caveat =
        |((subject, test, stress, _), doubt): ((SubjectAt, DatasetAt, Option<StressAt>, _), _)| {
            let place = Place {
                subject: plan.study.subjects[subject].name.clone(),
                dataset: plan.study.datasets[test].name.clone(),
                under: stress.map_or(Under::Everything, |stress| all_of(&plan.stresses[stress])),
            };
            Caveat::new(About::Place(place), doubt)
        };
    sorted.into_iter().map(caveat).collect()
}

/// How many ids a caveat names.
const NAMED: usize = 5;

/// Ladders that some items do not climb to their end: a mean there is over other items than a clean
/// one.
fn leaving_items(plan: &Plan, answered: &Answered) -> Vec<Caveat> {
    // By subject, dataset and ladder: of each severity, the items that take part in one way at
    // least.
    type Takers = BTreeMap<String, BTreeSet<String>>;
    let mut takers: BTreeMap<(SubjectAt, DatasetAt, StressAt), Takers> = BTreeMap::new();
    let mut everybody: BTreeMap<DatasetAt, BTreeSet<String>> = BTreeMap::new();
    let leaves =
        |kept: &Kept, item: usize| kept.answers.absence(item) == Some(AbsenceKind::NotTakingPart);
    let under_ladder = || {
        plan.cells().filter_map(|cell| {
            let (at, kept) = (cell.stress?, answered.kept(cell).ok()?);
            let key = (cell.subject, cell.test, at.stress);
            plan.stresses[at.stress]
                .is_ladder
                .then_some((key, at.rung, kept))
        })
    };
    // Most ladders press everything, and need no list of items.
    let left: BTreeSet<(SubjectAt, DatasetAt, StressAt)> = under_ladder()
        .filter(|(_, _, kept)| {
            let mut absent = kept.answers.absent().into_iter();
            absent.any(|item| leaves(kept, item))
        })
        .map(|(key, ..)| key)
        .collect();
    for (key, rung, kept) in under_ladder().filter(|(key, ..)| left.contains(key)) {
        let severity = plan.stresses[key.2].rungs[rung].severity.to_string();
        let own = takers.entry(key).or_default().entry(severity).or_default();
        for (item, id) in kept.ids.iter().enumerate() {
            everybody.entry(key.1).or_default().insert(id.clone());
            if !leaves(kept, item) {
                own.insert(id.clone());
            }
        }
    }
    let caveat = |((subject, test, stress), own): (_, Takers)| {
        let all = &everybody[&test];
        let left: Vec<&str> = all
            .iter()
            .filter(|id| !own.values().all(|some| some.contains(*id)))
            .map(String::as_str)
            .collect();
        let stress = &plan.stresses[stress];
        let place = Place {
            subject: plan.study.subjects[subject].name.clone(),
            dataset: plan.study.datasets[test].name.clone(),
            under: all_of(stress),
        };
        let more = if left.len() > NAMED { " …" } else { "" };
        let doubt = Doubt::ItemsLeave {
            ladder: stress.name.clone(),
            left: left.len(),
            of: all.len(),
            first: format!("{}{more}", left[..left.len().min(NAMED)].join(", ")),
        };
        (!left.is_empty()).then(|| Caveat::new(About::Place(place), doubt))
    };
    takers.into_iter().filter_map(caveat).collect()
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
            let subject = plan.study.subjects[subject].name.clone();
            let doubt = Doubt::MixedForms {
                subject: subject.clone(),
                probabilities,
                logits,
            };
            Caveat::new(About::Subject(subject), doubt)
        })
        .collect()
}

/// Subjects that are right clearly less often than chance would be, without stress: something is
/// rather swapped than learnt.
fn below_chance(plan: &Plan, answered: &Answered, estimates: &[Estimate]) -> Vec<Caveat> {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in plan.cells() {
        if let Ok(kept) = answered.kept(cell)
            && let Answers::Classes(said) = &kept.answers
        {
            let name = plan.study.subjects[cell.subject].name.as_str();
            classes.insert(name, said.classes().len());
        }
    }
    let is_accuracy = |name: &str| {
        let mut gauges = plan.study.gauges.iter();
        gauges.any(|gauge| gauge.name == name && gauge.chosen.part.name == ACCURACY)
    };
    let below = estimates.iter().filter(|one| {
        let chance = classes
            .get(one.place.subject.as_str())
            .map(|classes| 1.0 / *classes as f64);
        let high = one.quantity.interval.as_ref().map(|range| range.high);
        one.place.under == Under::Clean
            && is_accuracy(&one.gauge)
            && chance
                .zip(high.ok())
                .is_some_and(|(chance, high)| high < chance)
    });
    below
        .map(|one| {
            let subject = one.place.subject.clone();
            Caveat::new(
                About::Place(one.place.clone()),
                Doubt::BelowChance { subject },
            )
        })
        .collect()
}

fn absent(answers: &Answers) -> Option<Doubt> {
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
    (absent > 0).then_some(Doubt::ItemsWithoutAnswer { absent, of })
}

fn powerless_claims(claims: &[ClaimFinding]) -> Vec<Caveat> {
    let powerless = claims
        .iter()
        .filter(|claim| claim.verdict == Verdict::Undecided && claim.out_of_reach);
    powerless
        .map(|claim| {
            let claim = claim.name.clone();
            Caveat::new(
                About::Claim(claim.clone()),
                Doubt::NoOutcomeCouldStand { claim },
            )
        })
        .collect()
}
