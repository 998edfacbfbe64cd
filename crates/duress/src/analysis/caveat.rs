//! Caveats: doubts the program raises itself, each beside the number it touches.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use duress_core::answer::{Absence, AbsenceKind, Answers, Said};
use duress_core::gauge::{CellGauge, Gauge, Unit, open_viewed};
use duress_core::part::Build;
use duress_core::stressor::AttackDoubt;
use duress_tables::excerpt::names_in_message;

use super::answers::Answered;
use super::explanation;
use super::leaving::Leaving;
use super::look::History;
use super::masked::MaskedLadders;
use crate::axis::{DatasetAt, GaugeAt, StressAt, SubjectAt};
use crate::plan::{Cell, Plan, Stress, clusters, own_errors, unread_remarks};
use crate::study::{Chosen, Origin, Units};
use duress_findings::{
    About, Caveat, ClaimFinding, Doubt, Estimate, Missed, Place, Under, Verdict,
};

/// Below this many seeds intervals are wider than they would be if it were known that seeds do not
/// differ, and claims are upheld less often: by a tenth at ten (docs/statistics.md).
const FEW_SEEDS: usize = 11;

/// Below this many clusters of one size, or as many as these of unequal size are worth, their spread
/// is known badly.
const FEW_CLUSTERS: f64 = 10.0;

/// The same of clusters of unequal size: a hundred that are worth 53 do not quite hold what they promise
/// (docs/statistics.md).
const FEW_UNEQUAL_CLUSTERS: f64 = 100.0;

/// Clusters that are worth less than this share of their number are of unequal size.
const UNEQUAL: f64 = 2.0 / 3.0;

pub(super) fn caveats(
    plan: &Plan,
    answered: &Answered,
    claims: &[ClaimFinding],
    estimates: &[Estimate],
    leaving: &[Leaving],
    history: &History,
) -> Vec<Caveat> {
    let mut all = Vec::new();
    all.extend(changed_study(&history.studies));
    all.extend(history.is_damaged.then(|| of_study(Doubt::LogDamaged)));
    all.extend(unchecked_files(answered));
    all.extend(unread_remarks(plan).into_iter().map(of_study));
    all.extend(few_seeds(plan));
    all.extend(clusters(plan, answered));
    all.extend(unreproducible(plan));
    all.extend(seen_truth(plan));
    all.extend(own_errors(plan).into_iter().map(of_study));
    all.extend(biased_gauges(plan, estimates));
    all.extend(from_cells(plan, answered));
    all.extend(leaving_items(plan, leaving));
    all.extend(mixed_forms(plan, answered));
    all.extend(below_chance(plan, answered, estimates));
    all.extend(beyond_scale(plan, answered));
    all.extend(explanation::survive_random_weights(plan, estimates));
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

/// Items that belong together: those that are counted as if they did not, those of which it is not
/// known, and few clusters.
fn clusters(plan: &Plan, answered: &Answered) -> Vec<Caveat> {
    let mut all = Vec::new();
    for at in plan.tested_on() {
        let Some(kept) = answered.first_dataset(plan, at) else {
            continue;
        };
        let dataset = || plan.study.datasets[at].name.clone();
        let mut doubts: Vec<Doubt> = plan
            .unsaid_groups(at, &kept.columns)
            .into_iter()
            .map(|unsaid| Doubt::IgnoresGroups {
                dataset: dataset(),
                column: unsaid.column,
                groups: unsaid.groups,
                items: kept.ids.len(),
            })
            .collect();
        if let Some(column) = plan.cluster_of(at) {
            let values = kept.columns.get(column);
            let without = values.and_then(|values| clusters::without(values));
            doubts.extend(without.map(|without| Doubt::ItemsWithoutCluster {
                dataset: dataset(),
                column: column.into(),
                items: without.items,
                of: without.of,
            }));
        }
        let found = answered.clusters(at).ok().flatten();
        let few = found.filter(|found| are_few(found.count(), found.effective_count()));
        doubts.extend(few.map(|found| Doubt::ClustersAreFew {
            dataset: dataset(),
            column: found.column().into(),
            clusters: found.count(),
        }));
        let about = doubts.into_iter();
        all.extend(about.map(|doubt| Caveat::new(About::Dataset(dataset()), doubt)));
    }
    all
}

/// Whether so many clusters, worth so many of one size, say little of how much clusters differ.
fn are_few(count: usize, worth: f64) -> bool {
    let least = match worth < UNEQUAL * count as f64 {
        true => FEW_UNEQUAL_CLUSTERS,
        false => FEW_CLUSTERS,
    };
    count > 1 && worth < least
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

/// Gauges that say themselves that they are biased, and those whose interval shows it.
fn biased_gauges(plan: &Plan, estimates: &[Estimate]) -> Vec<Caveat> {
    let gauges = plan.study.gauges.iter().zip(plan.gauges.iter());
    let known = gauges.filter(|(_, planned)| planned.gauge.counts_noise());
    let known = known.map(|(gauge, _)| {
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

/// What attacks doubt of themselves, and what other attacks show of them, of each ladder for itself:
/// such a doubt marks the numbers of its ladder and no others.
pub(super) fn from_attacks(plan: &Plan, answered: &Answered, masked: MaskedLadders) -> Vec<Caveat> {
    let mut said: BTreeMap<(SubjectAt, DatasetAt, StressAt, String), AttackDoubt> = BTreeMap::new();
    let attacked = plan.cells().filter_map(|cell| {
        let kept = answered.kept(cell).ok()?;
        Some((cell, cell.stress?.stress, kept))
    });
    for (cell, stress, kept) in attacked {
        for by in &kept.attack_doubts {
            let about = (cell.subject, cell.test, stress, by.to_string());
            said.entry(about).or_insert_with(|| by.clone());
        }
    }
    for ((subject, test, stress), by) in masked {
        said.insert((subject, test, stress, by.to_string()), by);
    }
    let caveat = |((subject, test, stress, _), by)| {
        let place = Place {
            subject: plan.study.subjects[subject].name.clone(),
            dataset: plan.study.datasets[test].name.clone(),
            under: all_of(&plan.stresses[stress]),
        };
        Caveat::new(About::Place(place), Doubt::Attack { by })
    };
    said.into_iter().map(caveat).collect()
}

/// What cells themselves have to say: what subjects tell, items without an answer, cells without
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
fn leaving_items(plan: &Plan, leaving: &[Leaving]) -> Vec<Caveat> {
    let caveat = |one: &Leaving| {
        let stress = &plan.stresses[one.stress];
        let place = Place {
            subject: plan.study.subjects[one.subject].name.clone(),
            dataset: plan.study.datasets[one.test].name.clone(),
            under: all_of(stress),
        };
        let first = names_in_message(one.items.keys().take(NAMED).map(String::as_str));
        let more = if one.items.len() > NAMED { " …" } else { "" };
        let doubt = Doubt::ItemsLeave {
            ladder: stress.name.clone(),
            left: one.items.len(),
            of: one.of,
            first: first + more,
        };
        Caveat::new(About::Place(place), doubt)
    };
    leaving.iter().map(caveat).collect()
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
    let chance = |one: &Estimate| {
        let mut gauges = plan.study.gauges.iter().zip(plan.gauges.iter());
        let (_, planned) = gauges.find(|(gauge, _)| gauge.name == one.gauge)?;
        planned
            .gauge
            .chance(*classes.get(one.place.subject.as_str())?)
    };
    let below = estimates.iter().filter(|one| {
        let high = one.quantity.interval.as_ref().map(|range| range.high);
        one.place.under == Under::Clean
            && chance(one)
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

/// Gauges that are read or read through, and some of whose values lie outside what they are meant
/// for.
fn beyond_scale(plan: &Plan, answered: &Answered) -> Vec<Caveat> {
    let mut read: BTreeMap<&str, (GaugeAt, &dyn CellGauge)> = BTreeMap::new();
    for (at, planned) in plan.gauges.at_each() {
        let through = planned.through.as_ref().unwrap_or(&planned.gauge);
        if let Gauge::Cell(gauge) = &**through {
            let own = || plan.study.gauges[at].name.as_str();
            let name = planned.gauge.of().unwrap_or_else(own);
            read.entry(name).or_insert((at, gauge.as_ref()));
        }
    }
    let mut all = Vec::new();
    for (name, (at, gauge)) in read {
        if let (Some(low), Some(high)) = gauge.meant_within() {
            let found = values_beyond(plan, answered, at, gauge, low..=high);
            for ((subject, test), [beyond, of]) in found {
                let doubt = Doubt::BeyondScale {
                    gauge: name.into(),
                    beyond,
                    of,
                    low,
                    high,
                };
                all.push(Caveat::new(everywhere(plan, subject, test), doubt));
            }
        }
    }
    all
}

/// How many values of a gauge lie outside a range, and of how many, where some do.
fn values_beyond(
    plan: &Plan,
    answered: &Answered,
    at: GaugeAt,
    gauge: &dyn CellGauge,
    range: RangeInclusive<f64>,
) -> BTreeMap<(SubjectAt, DatasetAt), [usize; 2]> {
    let mut counts: BTreeMap<_, [usize; 2]> = BTreeMap::new();
    let question = plan.gauges[at].scale.reads;
    let is_read = |cell: &Cell| {
        let rater = plan.rater_for(at, cell.subject);
        cell.question == question && cell.rater == rater && plan.reads(at, cell.subject)
    };
    for cell in plan.cells().filter(is_read) {
        let Ok(sealed) = answered.sealed(plan, cell) else {
            continue;
        };
        let Ok(meter) = open_viewed(gauge, sealed) else {
            continue;
        };
        let [beyond, of] = counts.entry((cell.subject, cell.test)).or_default();
        for value in meter.per_item().into_iter().flatten().flatten() {
            *beyond += usize::from(!range.contains(value));
            *of += 1;
        }
    }
    counts.retain(|_, [beyond, _]| *beyond > 0);
    counts
}

/// All that a subject did on a dataset.
fn everywhere(plan: &Plan, subject: SubjectAt, test: DatasetAt) -> About {
    About::Place(Place {
        subject: plan.study.subjects[subject].name.clone(),
        dataset: plan.study.datasets[test].name.clone(),
        under: Under::Everything,
    })
}

fn absent(answers: &Answers) -> Option<Doubt> {
    let missing = |why: Option<&Absence>| {
        why.is_some_and(|absence| absence.kind != AbsenceKind::NotTakingPart)
    };
    let (absent, of) = match answers {
        Answers::Classes(said) => {
            let absent = said.absent().values();
            let absent = absent.filter(|why| missing(Some(why)));
            (absent.count(), said.len())
        }
        Answers::Texts(said) => count_missing(&said.texts, missing),
        Answers::Ratings(said) => count_missing(said.rows(), missing),
        Answers::Maps(said) => count_missing(said.maps(), missing),
        Answers::Curves(said) => count_missing(said.rows(), missing),
        Answers::Graph(_) => (0, 1),
    };
    (absent > 0).then_some(Doubt::ItemsWithoutAnswer { absent, of })
}

/// How many answers are missing, of how many.
fn count_missing<T>(
    said: &[Result<T, Absence>],
    missing: impl Fn(Option<&Absence>) -> bool,
) -> (usize, usize) {
    let absent = said.iter().filter(|one| missing(one.as_ref().err()));
    (absent.count(), said.len())
}

fn powerless_claims(claims: &[ClaimFinding]) -> Vec<Caveat> {
    let caveat = |claim: &ClaimFinding| {
        let powerless = claim
            .judged()
            .filter(|(_, one)| one.verdict == Verdict::Undecided && one.out_of_reach);
        let about = About::Claim(claim.name.clone());
        powerless
            .map(|(claim, _)| Caveat::new(about.clone(), Doubt::NoOutcomeCouldStand { claim }))
            .collect::<Vec<_>>()
    };
    claims.iter().flat_map(caveat).collect()
}
