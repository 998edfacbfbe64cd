//! What gauges of explanations say about each other: maps that survive random weights, and whether
//! they rank subjects alike.

use duress_core::explanation::Attribution;
use duress_core::gauge::{Direction, Gauge};
use duress_core::name::Name;
use duress_core::question::Question;
use duress_findings::{
    About, AbsenceReason, Caveat, Doubt, Estimate, ExplanationAgreement, RankedSubjects, Reading,
    Under,
};
use duress_stats::tests::kendall;
use duress_stats::{Route, Side};

use crate::plan::{Plan, PlannedGauge};

/// Two rankings of fewer subjects are alike by chance too often to say anything.
const LEAST_SUBJECTS: usize = 3;

/// A doubt about every gauge that reads maps of a subject which another gauge found to explain
/// nothing, without stress.
pub(super) fn survive_random_weights(plan: &Plan, estimates: &[Estimate]) -> Vec<Caveat> {
    let mut all = Vec::new();
    for (decl, doubting) in plan.study.gauges.iter().zip(&plan.gauges) {
        let (Some(above), Some(maps)) = (doubting.gauge.doubts_above(), attribution(doubting))
        else {
            continue;
        };
        let read = estimates.iter().filter(|one| one.gauge == decl.name);
        for one in read.filter(|one| one.place.under == Under::Clean) {
            let Some(reads) = one.quantity.value.value().filter(|value| *value > above) else {
                continue;
            };
            let doubt = |gauge: String| Doubt::SurvivesRandomWeights {
                gauge,
                subject: one.place.subject.clone(),
                maps: maps.method.to_string(),
                by: decl.name.clone(),
                reads,
                above,
            };
            let doubted = gauges_about(plan, maps).map(|gauge| {
                let about = About::Gauge(gauge.clone());
                Caveat::new(about, doubt(gauge))
            });
            all.extend(doubted);
        }
    }
    all.dedup();
    all
}

/// The gauges that read maps made in this way, or what became of such, and doubt none themselves.
/// That a floor survives is known.
fn gauges_about(plan: &Plan, maps: &Attribution) -> impl Iterator<Item = String> {
    let gauges = plan.study.gauges.iter().zip(&plan.gauges);
    let about = gauges.filter(|(decl, planned)| {
        let is_alike = attribution(planned).is_some_and(|own| own.is_made_like(maps));
        is_alike && planned.gauge.doubts_above().is_none() && decl.floor.is_none()
    });
    about.map(|(decl, _)| decl.name.clone())
}

/// The map that a gauge is about, by itself or by a score that it needs.
fn attribution(planned: &PlannedGauge) -> Option<&'static Attribution> {
    let mut questions = planned.questions().into_iter();
    questions.find_map(|question| match question {
        Question::Explanation(asked) => asked.explanation().attribution(),
        _ => None,
    })
}

/// What a gauge of explanations reads of each subject: the more the better.
struct Scores {
    gauge: String,
    under: Under,
    of: Vec<(Name, f64)>,
}

/// Whether gauges of explanations rank subjects alike, on each dataset where there is one. Floors
/// rank nobody's explanations and are left out.
pub(super) fn agreements(plan: &Plan, estimates: &[Estimate]) -> Vec<ExplanationAgreement> {
    let tested = plan.tested_on();
    let agreement = |dataset: &Name| {
        let gauges = plan.study.gauges.iter().zip(&plan.gauges);
        let all: Vec<Scores> = gauges
            .filter(|(decl, _)| decl.floor.is_none())
            .filter_map(|(decl, planned)| {
                let own = estimates.iter();
                let own = own.filter(|one| one.gauge == decl.name && one.place.dataset == *dataset);
                scores(planned, own.collect())
            })
            .collect();
        (!all.is_empty()).then(|| agree(dataset, all))
    };
    tested
        .filter_map(|at| agreement(&plan.study.datasets[at].name))
        .collect()
}

fn scores(planned: &PlannedGauge, estimates: Vec<&Estimate>) -> Option<Scores> {
    let reads_maps = matches!(planned.scale.reads, Question::Explanation(_))
        && attribution(planned).is_some_and(|of| !of.method.is_floor());
    let sign = match planned.scale.direction {
        Direction::Higher => 1.0,
        Direction::Lower => -1.0,
        Direction::Neither => return None,
    };
    if !reads_maps || !matches!(*planned.gauge, Gauge::Cell(_) | Gauge::Pair(_)) {
        return None;
    }
    let first = estimates.first()?;
    let under = match estimates.iter().any(|one| one.place.under == Under::Clean) {
        true => Under::Clean,
        false => {
            let stress = first.place.under.stress();
            let mut hardest_first = estimates.iter().map(|one| &one.place.under).rev();
            hardest_first
                .find(|under| under.stress() == stress)?
                .clone()
        }
    };
    let there = estimates.iter().filter(|one| one.place.under == under);
    let score = |one: &&Estimate| {
        let value = one.quantity.value.value()?;
        Some((one.place.subject.clone(), sign * value))
    };
    Some(Scores {
        gauge: first.gauge.clone(),
        of: there.filter_map(score).collect(),
        under,
    })
}

fn agree(dataset: &Name, mut all: Vec<Scores>) -> ExplanationAgreement {
    let has = |scores: &Scores, name: &Name| scores.of.iter().any(|(subject, _)| subject == name);
    let named = all.iter().max_by_key(|scores| scores.of.len());
    let named = named.map_or(Vec::new(), |scores| scores.of.clone());
    let common = named.into_iter().map(|(name, _)| name);
    let common: Vec<Name> = common
        .filter(|name| all.iter().all(|scores| has(scores, name)))
        .collect();
    for scores in &mut all {
        scores.of.retain(|(subject, _)| common.contains(subject));
        // The same order in all of them, so that they pair.
        scores.of.sort_by(|one, other| one.0.cmp(&other.0));
    }
    let tau = match common.len() >= LEAST_SUBJECTS && all.len() > 1 {
        true => mean_tau(&all),
        false => Reading::Undefined(AbsenceReason::TooFewToRank {
            subjects: common.len(),
            gauges: all.len(),
        }),
    };
    ExplanationAgreement {
        dataset: dataset.clone(),
        tau,
        gauges: all.iter().map(ranked).collect(),
    }
}

/// Kendall's τ-b of every pair of gauges that tell subjects apart, in the mean.
fn mean_tau(all: &[Scores]) -> Reading {
    let values =
        |scores: &Scores| -> Vec<f64> { scores.of.iter().map(|(_, value)| *value).collect() };
    let mut taus = Vec::new();
    for (nth, one) in all.iter().enumerate() {
        for other in &all[nth + 1..] {
            let found = kendall(&values(one), &values(other), Side::TwoSided, Route::Auto);
            taus.extend(found.ok().map(|test| test.statistic));
        }
    }
    match taus.is_empty() {
        false => Reading::Value(taus.iter().sum::<f64>() / taus.len() as f64),
        true => Reading::Undefined(AbsenceReason::Gauge {
            why: "no two gauges of explanations tell the subjects apart".into(),
        }),
    }
}

fn ranked(scores: &Scores) -> RankedSubjects {
    let rank = |(name, own): &(Name, f64)| {
        let better = scores.of.iter().filter(|(_, other)| other > own).count();
        let equal = scores.of.iter().filter(|(_, other)| other == own).count();
        (name.clone(), better as f64 + (equal as f64 + 1.0) / 2.0)
    };
    RankedSubjects {
        gauge: scores.gauge.clone(),
        under: scores.under.clone(),
        ranks: scores.of.iter().map(rank).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    fn read(gauge: &str, values: &[(&str, f64)]) -> Scores {
        Scores {
            gauge: gauge.into(),
            under: Under::Clean,
            of: values
                .iter()
                .map(|(who, value)| (name(who), *value))
                .collect(),
        }
    }

    #[test]
    fn gauges_that_rank_alike_agree_and_ties_share_their_rank() {
        let one = read("ssim", &[("a", 0.9), ("b", 0.5), ("c", 0.5)]);
        let other = read("insertion", &[("c", 0.1), ("a", 0.4), ("b", 0.2)]);
        let found = agree(&name("lesions"), vec![one, other]);
        // SciPy's kendalltau([0.9, 0.5, 0.5], [0.4, 0.2, 0.1]).
        let tau = found.tau.value().expect("three subjects by two gauges");
        assert!((tau - 0.816_496_580_927_726).abs() < 1e-12, "{tau}");
        let ranks = |nth: usize| -> Vec<f64> {
            found.gauges[nth]
                .ranks
                .iter()
                .map(|(_, rank)| *rank)
                .collect()
        };
        assert_eq!(ranks(0), [1.0, 2.5, 2.5]);
        assert_eq!(ranks(1), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn two_subjects_or_one_gauge_are_too_few() {
        let two = || read("ssim", &[("a", 0.9), ("b", 0.5)]);
        let three = || read("deletion", &[("a", 0.9), ("b", 0.5), ("c", 0.1)]);
        let why = |all: Vec<Scores>| match agree(&name("lesions"), all).tau {
            Reading::Undefined(AbsenceReason::TooFewToRank { subjects, gauges }) => {
                (subjects, gauges)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(why(vec![two(), three()]), (2, 2));
        assert_eq!(why(vec![three()]), (3, 1));
    }
}
