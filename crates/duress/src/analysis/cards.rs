//! Cards: what was asked and what made the answers, as the report shows them.

use std::collections::BTreeSet;

use duress_core::answer::{Answers, Said};
use duress_core::gauge::Gauge;
use duress_core::severity::Severity;

use super::answers::Answered;
use super::power;
use crate::axis::{Axis, DatasetAt, SubjectAt};
use crate::plan::{Plan, Stress};
use crate::study::{ActsOn, Origin, Press};
use duress_core::name::Name;
use duress_core::stressor::Stressor;
use duress_findings::{
    AnswersRead, ConditionCard, DatasetCard, Expectation, GaugeCard, LadderCard, Level, Made,
    Place, StudyCard, SubjectCard, Under,
};

pub(super) fn study(plan: &Plan, earlier: &[String]) -> StudyCard {
    let study = &plan.study;
    let units = study.analysis.units;
    let level = study.analysis.level;
    let mut card = StudyCard::new(study.name.as_str(), units, level);
    card.title = study.report.title.clone();
    card.figures = study.report.figures.clone();
    card.numbers = study.report.numbers;
    card.layouts = study.report.layouts.clone();
    card.layouts_on.clone_from(&study.report.layouts_on);
    card.hash = study.hash.clone();
    card.earlier = earlier.to_vec();
    card.text = study.text.clone();
    card.seeds = study.seeds.iter().copied().collect();
    card.power = power::of_study(study);
    card.cliff_factor = study.analysis.cliff_factor;
    card.looks.clone_from(&study.analysis.looks);
    card
}

pub(super) fn made(plan: &Plan) -> Made {
    let study = &plan.study;
    let datasets = study.datasets.iter().flat_map(|decl| match &decl.from {
        Origin::Part(chosen) => vec![chosen],
        Origin::Derived { press, .. } => press.iter().map(|one| &one.chosen).collect(),
    });
    let chosen = datasets
        .chain(study.subjects.iter().map(|decl| &decl.chosen))
        .chain(study.ladders.iter().map(|decl| &decl.chosen))
        .chain(
            study
                .conditions
                .iter()
                .flat_map(|decl| decl.press.iter().map(|press| &press.chosen)),
        )
        .chain(study.raters.iter().map(|decl| &decl.chosen))
        .chain(study.gauges.iter().map(|decl| &decl.chosen));
    let mut parts: Vec<String> = chosen
        .map(|one| {
            format!(
                "{} {} v{}",
                one.part.kind(),
                one.part.name,
                one.part.version
            )
        })
        .collect();
    parts.sort();
    parts.dedup();
    let mut made = Made::new(env!("CARGO_PKG_VERSION"), &machine());
    made.commit = option_env!("DURESS_COMMIT").map(str::to_string);
    made.parts = parts;
    made.files = plan.files.clone();
    made
}

/// Operating system, processor and the instruction sets that can change the last bits of an answer.
fn machine() -> String {
    let mut said = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    #[cfg(target_arch = "x86_64")]
    for (name, there) in [
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
    ] {
        if there {
            said.push_str(&format!(" {name}"));
        }
    }
    said
}

pub(super) fn datasets(plan: &Plan) -> Vec<DatasetCard> {
    let card = |(at, decl): (DatasetAt, &crate::study::DatasetDecl)| {
        let positions = plan.distinct(at);
        let first = &plan.loaded[positions[0]];
        DatasetCard {
            name: decl.name.clone(),
            source: match &decl.from {
                Origin::Part(chosen) => chosen.part.name.into(),
                Origin::Derived {
                    base,
                    press,
                    hold_out,
                } => derived(base, press, *hold_out),
            },
            base: match &decl.from {
                Origin::Part(_) => None,
                Origin::Derived { base, .. } => Some(base.clone()),
            },
            held_out: match &decl.from {
                Origin::Part(_) => None,
                Origin::Derived { hold_out, .. } => *hold_out,
            },
            fingerprints: positions
                .iter()
                .map(|&at| plan.loaded[at].fingerprint.to_string())
                .collect(),
            fit_items: first.fit_items,
            test_items: first.test_items,
            remarks: first.remarks.clone(),
        }
    };
    plan.study.datasets.at_each().map(card).collect()
}

fn derived(base: &Name, press: &[Press], hold_out: Option<u32>) -> String {
    let pressed: Vec<String> = press
        .iter()
        .map(|one| format!("{} {}", one.chosen.part.name, one.severity))
        .collect();
    let under = if pressed.is_empty() {
        String::new()
    } else {
        format!(" under {}", pressed.join(", "))
    };
    let held = hold_out.map_or(String::new(), |regime| {
        format!(", regime {regime} held out")
    });
    format!("{base}{under}{held}")
}

pub(super) fn subjects(plan: &Plan, answered: &Answered) -> Vec<SubjectCard> {
    let none = |_| BTreeSet::new();
    let mut forms: Axis<SubjectAt, BTreeSet<AnswersRead>> =
        plan.subjects.iter().map(none).collect();
    for cell in plan.cells() {
        if let Ok(Answers::Classes(said)) = answered.kept(cell).map(|kept| &kept.answers) {
            forms[cell.subject].insert(match said.said() {
                Said::Probabilities(_) => AnswersRead::Probabilities,
                Said::Logits(_) => AnswersRead::Logits,
                Said::Labels {
                    confidence: Some(_),
                    ..
                } => AnswersRead::LabelsWithConfidence,
                Said::Labels {
                    confidence: None, ..
                } => AnswersRead::Labels,
            });
        }
    }
    let both = plan.study.subjects.iter().zip(&plan.subjects).zip(&forms);
    both.map(|((decl, planned), forms)| SubjectCard {
        name: decl.name.clone(),
        part: decl.chosen.part.name.into(),
        on: decl.on.clone(),
        reproducible: planned
            .abilities
            .as_ref()
            .is_none_or(|abilities| abilities.reproducible),
        answers: forms.iter().copied().collect(),
    })
    .collect()
}

pub(super) fn ladders(plan: &Plan) -> Vec<LadderCard> {
    let ladders = plan.stresses.iter().filter(|stress| stress.is_ladder);
    ladders.map(ladder).collect()
}

fn ladder(stress: &Stress) -> LadderCard {
    let mut severities: Vec<Severity> = vec![Severity::clean()];
    severities.extend(stress.rungs.iter().map(|rung| rung.severity.clone()));
    severities.dedup();
    let pressure = stress.stressors[0].stressor.pressure();
    let unit = match &*stress.stressors[0].stressor {
        Stressor::Elsewhere { unit, .. } => unit.clone(),
        _ => pressure
            .as_ref()
            .map_or("", |pressure| pressure.unit)
            .to_string(),
    };
    LadderCard {
        name: stress.name.clone(),
        stressor: stress.stressors[0].part.into(),
        unit,
        acts_on: stress.acts_on,
        severities,
        sees_truth: stress.acts_on != ActsOn::Elsewhere
            && pressure.is_some_and(|pressure| pressure.sees_truth),
        aware: stress.aware,
    }
}

pub(super) fn conditions(plan: &Plan) -> Vec<ConditionCard> {
    let conditions = plan.stresses.iter().filter(|stress| !stress.is_ladder);
    conditions
        .map(|stress| {
            let presses = stress.stressors.iter().zip(&stress.rungs[0].severities);
            let presses: Vec<String> = presses
                .map(|(stressor, severity)| format!("{} {severity}", stressor.part))
                .collect();
            ConditionCard {
                name: stress.name.clone(),
                presses: format!("{} on {}", presses.join(", then "), stress.acts_on),
            }
        })
        .collect()
}

pub(super) fn gauges(plan: &Plan) -> Vec<GaugeCard> {
    let both = plan.study.gauges.iter().zip(&plan.gauges);
    both.map(|(decl, planned)| GaugeCard {
        name: decl.name.clone(),
        scope: planned.gauge.scope(),
        scale: planned.scale.clone(),
        summary: decl.chosen.part.summary(),
        floor: decl.floor.clone(),
    })
    .collect()
}

pub(super) fn levels(plan: &Plan) -> Vec<Level> {
    let level = |decl: &crate::study::LevelDecl| Level {
        name: decl.name.clone(),
        gauge: decl.gauge.clone(),
        dataset: decl.on.clone(),
        value: decl.value,
    };
    plan.study.levels.iter().map(level).collect()
}

pub(super) fn expectations(plan: &Plan) -> Vec<Expectation> {
    // What is read of all that a subject did stands there, and not where nothing presses.
    let place = |decl: &crate::study::ExpectationDecl| {
        let at = plan.study.gauges.position(|one| one.name == decl.gauge);
        let is_of_all = at.is_some_and(|at| matches!(*plan.gauges[at].gauge, Gauge::Subject(_)));
        match is_of_all {
            true => Place {
                under: Under::Everything,
                ..decl.place.clone()
            },
            false => decl.place.clone(),
        }
    };
    let expectation = |decl: &crate::study::ExpectationDecl| Expectation {
        place: place(decl),
        gauge: decl.gauge.clone(),
        low: decl.low,
        high: decl.high,
        source: decl.source.clone(),
    };
    plan.study.expectations.iter().map(expectation).collect()
}
