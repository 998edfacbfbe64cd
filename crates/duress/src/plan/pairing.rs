//! What fits together: wrong pairs are refused with both names in the message, before anyone is
//! asked.

use std::collections::HashSet;

use duress_core::gauge::{Ends, Gauge, ends_of_difference};
use duress_core::place::Under;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::stressor::{Needs, Stressor};
use duress_core::subject::{Learns, SubjectPart};

use super::make::Described;
use super::{
    DatasetOf, Loaded, Plan, PlannedGauge, PlannedRater, PlannedStressor, PlannedSubject, Stress,
};
use crate::axis::{Axis, DatasetAt, GaugeAt, LoadedAt, RaterAt, ReplicateAt, StressAt, SubjectAt};
use crate::study::CLASS_SLICE;
use crate::study::{
    ActsOn, Against, ClaimSide, ClaimTest, GaugeDecl, Spanned, StatementDecl, Study,
};
use duress_core::name::Name;

/// Subjects with the datasets they are fitted and tested on.
pub(super) fn subjects(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    data: &Axis<DatasetAt, Described>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (decl, subject) in study.subjects.iter().zip(subjects) {
        for &at in std::iter::once(&subject.on).chain(&subject.test_on) {
            let dataset = &study.datasets[at].name;
            let described = &data[at];
            let part = decl.chosen.part.name;
            if let Some(abilities) = &subject.abilities
                && abilities.accepts != described.kind
            {
                let wrong = format!(
                    "subject `{}` ({part}) takes {}, but dataset `{dataset}` has {}",
                    decl.name, abilities.accepts, described.kind
                );
                problems.push(Problem::new(wrong).at(decl.span.clone()));
            } else if !subject.offers.contains(&described.offers) {
                let wrong = format!(
                    "subject `{}` ({part}) answers {}, but dataset `{dataset}` has the truth about {}",
                    decl.name,
                    in_words(&subject.offers),
                    described.offers
                );
                problems.push(Problem::new(wrong).at(decl.span.clone()));
            }
        }
    }
    problems.dedup();
    problems
}

/// Stresses with the subjects they press; fills in which those are.
pub(super) fn stresses(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    data: &Axis<DatasetAt, Described>,
    stresses: &mut Axis<StressAt, Stress>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let spans = study
        .ladders
        .iter()
        .map(|ladder| (&ladder.span, &ladder.subjects));
    let spans = spans.chain(
        study
            .conditions
            .iter()
            .map(|condition| (&condition.span, &condition.subjects)),
    );
    for (stress, (span, named)) in stresses.iter_mut().zip(spans) {
        let wrong = too_hard(stress).or_else(|| between_steps(stress));
        problems.extend(wrong.map(|problem| problem.at(span.clone())));
        problems.extend(not_a_condition(stress).map(|problem| problem.at(span.clone())));
        let unclimbable = unclimbable_source(study, stress, subjects);
        problems.extend(unclimbable.map(|problem| problem.at(span.clone())));
        let fits: Axis<SubjectAt, Result<(), Misfit>> = subjects
            .at_each()
            .map(|(at, subject)| fits(study, stress, at, subject, data))
            .collect();
        problems.extend(
            apply(study, stress, named.as_ref(), &fits)
                .into_iter()
                .map(|p| p.at(span.clone())),
        );
    }
    problems
}

/// Why a stress does not press a subject.
enum Misfit {
    /// It is made for another kind of data: left out in silence unless the study names the subject.
    OtherKind(String),
    /// It is made for this kind of data, but cannot be: refused.
    Refused(String),
}

fn fits(
    study: &Study,
    stress: &Stress,
    at: SubjectAt,
    subject: &PlannedSubject,
    data: &Axis<DatasetAt, Described>,
) -> Result<(), Misfit> {
    let decl = &study.subjects[at];
    let (who, what) = (
        format!("subject `{}` ({})", decl.name, decl.chosen.part.name),
        &stress.name,
    );
    if !subject.test_on.iter().any(|test| stress.pressed_on[*test]) {
        let why = format!("`{what}` names other `datasets` than {who} is tested on");
        return Err(Misfit::OtherKind(why));
    }
    for stressor in &stress.stressors {
        let part = stressor.part;
        let Some(abilities) = &subject.abilities else {
            return match *stressor.stressor {
                Stressor::Elsewhere { .. } => Ok(()),
                _ => Err(Misfit::OtherKind(format!(
                    "`{what}` ({part}) presses items here, but the answers of {who} were recorded elsewhere"
                ))),
            };
        };
        let Some(pressure) = stressor.stressor.pressure() else {
            return Err(Misfit::OtherKind(format!(
                "`{what}` ({part}) was applied elsewhere, but {who} is asked here"
            )));
        };
        let kind = data[subject.on].kind;
        if pressure.accepts != kind {
            let why = format!(
                "`{what}` ({part}) presses {}, but {who} is given {kind}",
                pressure.accepts
            );
            return Err(Misfit::OtherKind(why));
        }
        if stressor.source == Some(at) {
            let why = format!("`{what}` ({part}) climbs {who} to break others");
            return Err(Misfit::OtherKind(why));
        }
        if needs_gradients(&stressor.stressor) && !abilities.gradients {
            let why = format!("`{what}` ({part}) needs gradients, but {who} offers none");
            return Err(Misfit::Refused(why));
        }
        if stress.presses_fit() && abilities.learns == Learns::Nothing {
            let why = format!("`{what}` acts on what is fitted, but {who} is not fitted");
            return Err(Misfit::Refused(why));
        }
    }
    Ok(())
}

/// Says why the slopes of the other subject that an attack names cannot be climbed.
fn unclimbable_source(
    study: &Study,
    stress: &Stress,
    subjects: &Axis<SubjectAt, PlannedSubject>,
) -> Option<Problem> {
    let mut stressors = stress.stressors.iter();
    let (planned, source) = stressors.find_map(|planned| Some((planned, planned.source?)))?;
    let abilities = subjects[source].abilities.as_ref();
    if abilities.is_some_and(|abilities| abilities.gradients) {
        return None;
    }
    let decl = &study.subjects[source];
    let wrong = format!(
        "`{}` ({}) climbs the slopes of subject `{}` ({}), which offers none",
        stress.name, planned.part, decl.name, decl.chosen.part.name
    );
    Some(Problem::new(wrong).expected("a subject that offers gradients"))
}

/// Whether a stressor is an attack that climbs gradients.
fn needs_gradients(stressor: &Stressor) -> bool {
    matches!(stressor, Stressor::Aware(attack) if attack.needs() == Needs::Gradients)
}

/// Settles which subjects a stress presses, and what is wrong with that.
fn apply(
    study: &Study,
    stress: &mut Stress,
    named: Option<&Spanned<Vec<Name>>>,
    fits: &Axis<SubjectAt, Result<(), Misfit>>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, fit) in fits.at_each() {
        let wanted = named.map(|list| list.value.contains(&study.subjects[at].name));
        match (wanted, fit) {
            (Some(false), _) | (None, Err(Misfit::OtherKind(_))) => {}
            (_, Ok(())) => stress.applies_to[at] = true,
            (Some(true), Err(Misfit::OtherKind(why) | Misfit::Refused(why))) => {
                let problem = Problem::new(why.clone());
                problems.push(match named {
                    Some(list) => problem.at(list.span.clone()),
                    None => problem,
                });
            }
            (None, Err(Misfit::Refused(why))) => {
                let hint = format!(
                    "name the subjects that `{}` should press: `subjects = [\"…\"]`",
                    stress.name
                );
                problems.push(Problem::new(why.clone()).hint(hint));
            }
        }
    }
    if study.is_whole && problems.is_empty() && stress.applies_to.iter().all(|applies| !applies) {
        let reasons = fits.iter().filter_map(|fit| match fit {
            Err(Misfit::OtherKind(why) | Misfit::Refused(why)) => Some(why.as_str()),
            Ok(()) => None,
        });
        let why = reasons.collect::<Vec<_>>().join("; ");
        problems.push(Problem::new(format!(
            "`{}` presses no subject: {why}",
            stress.name
        )));
    }
    problems
}

fn too_hard(stress: &Stress) -> Option<Problem> {
    severities_of(stress).find_map(|(stressor, severity)| {
        let pressure = stressor.stressor.pressure()?;
        let expected = format!("at most {} ({})", pressure.most, pressure.unit);
        let is_too_hard = severity.value() > pressure.most;
        is_too_hard.then(|| wrong_severity(stress, stressor, severity).expected(expected))
    })
}

/// Half an error cannot be put in.
fn between_steps(stress: &Stress) -> Option<Problem> {
    severities_of(stress).find_map(|(stressor, severity)| {
        let pressure = stressor.stressor.pressure()?;
        let is_between = stressor.stressor.counts_steps() && severity.value().fract() != 0.0;
        let expected = format!("a whole number ({})", pressure.unit);
        is_between.then(|| wrong_severity(stress, stressor, severity).expected(expected))
    })
}

fn severities_of(stress: &Stress) -> impl Iterator<Item = (&PlannedStressor, &Severity)> {
    let rungs = stress.rungs.iter();
    rungs.flat_map(move |rung| stress.stressors.iter().zip(&rung.severities))
}

fn wrong_severity(stress: &Stress, stressor: &PlannedStressor, severity: &Severity) -> Problem {
    Problem::new(format!(
        "severity {severity} of `{}` ({})",
        stress.name, stressor.part
    ))
}

fn not_a_condition(stress: &Stress) -> Option<Problem> {
    if stress.stressors.is_empty() {
        return Some(Problem::new(format!(
            "condition `{}` presses nothing",
            stress.name
        )));
    }
    let acts_on_test = stress.acts_on == ActsOn::Test;
    let attack = stress
        .stressors
        .iter()
        .find(|one| matches!(*one.stressor, Stressor::Aware(_)))?;
    let wrong = match (stress.is_ladder, acts_on_test) {
        (true, true) => return None,
        (true, false) => format!(
            "`{}` ({}) attacks a fitted subject: it cannot act on what is fitted",
            stress.name, attack.part
        ),
        (false, _) => {
            format!(
                "`{}` ({}) is an attack, which climbs a ladder of its own",
                stress.name, attack.part
            )
        }
    };
    Some(Problem::new(wrong))
}

/// Gauges with the questions subjects answer; marks the subjects that are read.
pub(super) fn gauges(
    study: &Study,
    subjects: &mut Axis<SubjectAt, PlannedSubject>,
    gauges: &Axis<GaugeAt, PlannedGauge>,
    raters: &Axis<RaterAt, PlannedRater>,
) -> Vec<Problem> {
    for at in subjects.positions() {
        let offers = subjects[at].offers.iter().copied();
        let read = offers.filter(|question| is_read(*question, at, gauges, raters));
        let read: Vec<Question> = read.collect();
        let explained = explanations(&subjects[at], gauges);
        subjects[at].asked = read.into_iter().chain(explained).collect();
    }
    if !study.is_whole {
        // Gauges and subjects that nobody reads may have had each other. What a subject is asked by
        // none is looked at all the same.
        for subject in subjects.iter_mut().filter(|one| one.asked.is_empty()) {
            subject.asked = subject.offers.clone();
        }
        return Vec::new();
    }
    let reads = |gauge: &PlannedGauge, at: SubjectAt, subject: &PlannedSubject| {
        let through_rater = || raters.iter().any(|rater| rater.applies_to[at]);
        subject.asked.contains(&gauge.scale.reads)
            || subject.offers.contains(&gauge.scale.reads)
            || (gauge.scale.reads == Question::Ratings && through_rater())
    };
    let mut problems = Vec::new();
    for (decl, gauge) in study.gauges.iter().zip(gauges) {
        let unread = |(at, subject): (SubjectAt, &PlannedSubject)| !reads(gauge, at, subject);
        if subjects.at_each().all(unread) {
            let said: Vec<String> = study
                .subjects
                .iter()
                .zip(subjects.iter())
                .map(|(decl, subject)| {
                    format!("`{}` answers {}", decl.name, in_words(&subject.offers))
                })
                .collect();
            let wrong = format!(
                "gauge `{}` reads {}, but {}",
                decl.name,
                gauge.scale.reads,
                said.join(", ")
            );
            problems.push(Problem::new(wrong).at(decl.span.clone()));
        }
    }
    problems.extend(scores(study, subjects, gauges));
    for (decl, subject) in study
        .subjects
        .iter()
        .zip(subjects.iter())
        .filter(|(_, subject)| subject.asked.is_empty())
    {
        let wrong = format!(
            "no gauge reads what subject `{}` answers ({})",
            decl.name,
            in_words(&subject.offers)
        );
        problems.push(Problem::new(wrong).at(decl.span.clone()));
    }
    problems
}

/// The explanations that gauges read and a subject can give, each once, in the order of the gauges.
fn explanations(subject: &PlannedSubject, gauges: &Axis<GaugeAt, PlannedGauge>) -> Vec<Question> {
    let mut all = Vec::new();
    for question in gauges.iter().flat_map(PlannedGauge::questions) {
        let Question::Explanation(asked) = question else {
            continue;
        };
        let explains = match &*subject.subject {
            SubjectPart::Live(live) => live.explains(&asked),
            SubjectPart::Recorded(recording) => recording.explains(&asked),
        };
        if explains && !all.contains(&question) {
            all.push(question);
        }
    }
    all
}

/// Whether some gauge reads the answers to a question, or some rater does whose ratings a gauge
/// reads.
fn is_read(
    question: Question,
    subject: SubjectAt,
    gauges: &Axis<GaugeAt, PlannedGauge>,
    raters: &Axis<RaterAt, PlannedRater>,
) -> bool {
    let reads = |wanted: Question| {
        gauges
            .iter()
            .any(|gauge| gauge.questions().contains(&wanted))
    };
    let rates = |rater: &PlannedRater| {
        rater.applies_to[subject] && rater.rater.rates() == question && reads(Question::Ratings)
    };
    reads(question) || raters.iter().any(rates)
}

/// Questions as a list of words.
pub(super) fn in_words(questions: &[Question]) -> String {
    let words: Vec<String> = questions.iter().map(ToString::to_string).collect();
    words.join(", ")
}

/// Gauges that need a score beside the answers, with the subjects that keep one.
fn scores(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    gauges: &Axis<GaugeAt, PlannedGauge>,
) -> Vec<Problem> {
    let kept: Vec<&str> = subjects
        .iter()
        .flat_map(|subject| match &*subject.subject {
            SubjectPart::Recorded(recording) => recording.scores(),
            SubjectPart::Live(_) => &[],
        })
        .map(String::as_str)
        .collect();
    let needs = |gauge: &PlannedGauge| {
        let read = gauge.through.as_ref().unwrap_or(&gauge.gauge);
        let kept_beside = read.score_from().is_none();
        read.needs().filter(|_| kept_beside).map(String::from)
    };
    let wanted = study
        .gauges
        .iter()
        .zip(gauges)
        .filter_map(|(decl, gauge)| Some((decl, needs(gauge)?)));
    let lacking = wanted.filter(|(_, score)| !kept.contains(&score.as_str()));
    lacking
        .map(|(decl, score)| {
            let wrong = Problem::new(format!(
                "gauge `{}` needs the score `{score}`, which no subject has",
                decl.name
            ));
            let wrong = match kept.is_empty() {
                true => wrong.hint(format!(
                    "`scores = [\"{score}\"]` has recorded answers keep that column"
                )),
                false => wrong.nearest(&score, kept.iter().copied()),
            };
            wrong.at(decl.span.clone())
        })
        .collect()
}

/// Gauges that are about severities of one kind, with the ladders that have such.
pub(super) fn bounds(
    study: &Study,
    stresses: &Axis<StressAt, Stress>,
    gauges: &Axis<GaugeAt, PlannedGauge>,
) -> Vec<Problem> {
    let both = study.gauges.iter().zip(gauges);
    let bounded = both.filter_map(|(decl, gauge)| Some((decl, gauge.gauge.bounded_by()?)));
    let lacking = bounded.filter(|(_, bound)| {
        study.is_whole && !stresses.iter().any(|stress| stress.is_bounded(*bound))
    });
    lacking
        .map(|(decl, bound)| {
            let wrong = format!(
                "gauge `{}` is about what is {bound}, and no ladder is",
                decl.name
            );
            Problem::new(wrong)
                .expected("an attack with that norm (`norm = …`)")
                .at(decl.span.clone())
        })
        .collect()
}

/// Claims with what is planned.
pub(super) fn claims(
    study: &Study,
    stresses: &Axis<StressAt, Stress>,
    gauges: &Axis<GaugeAt, PlannedGauge>,
) -> Vec<Problem> {
    let wrong = |one: &StatementDecl| {
        let at = study.gauges.position(|gauge| gauge.name == one.gauge)?;
        let misplaced = misplaced(study, one, stresses, &gauges[at].gauge);
        misplaced
            .or_else(|| unanswerable(one, gauges[at].scale.ends))
            .or_else(|| needs_one_seed(study, one))
    };
    let all = study.claims.iter().flat_map(|claim| {
        claim.statements.iter().filter_map(|one| {
            let why = wrong(one)?;
            let name = claim.quoted(one);
            Some(Problem::new(format!("claim `{name}`: {why}")).at(one.span.clone()))
        })
    });
    all.collect()
}

/// DeLong's test is about the items of one seed.
fn needs_one_seed(study: &Study, claim: &StatementDecl) -> Option<String> {
    let seeds = study.seeds.len();
    (claim.test == ClaimTest::Delong && seeds > 1).then(|| {
        format!("`delong` compares the items of one seed, and the study has {seeds}: `design` judges new seeds too")
    })
}

/// Why no answers could decide a claim.
fn unanswerable(claim: &StatementDecl, ends: Ends) -> Option<String> {
    if claim.against == Against::Subject(claim.place.subject.clone()) {
        return Some(format!("it compares `{}` with itself", claim.place.subject));
    }
    if claim.test == ClaimTest::Mcnemar && !claim.by_items {
        return Some("McNemar counts items that are right or wrong: `unit = \"items\"`".into());
    }
    let counts_pairs = matches!(claim.test, ClaimTest::Mcnemar | ClaimTest::Delong);
    if counts_pairs && claim.minus_on.is_some() {
        return Some(format!(
            "`{}` compares two answers to an item, and with `minus-on` there are more: `design`",
            claim.test
        ));
    }
    let is_value = claim.against == Against::Nothing && claim.side != ClaimSide::Equivalent;
    let differences = usize::from(!is_value) + usize::from(claim.minus_on.is_some());
    let ends = (0..differences).fold(ends, |ends, _| ends_of_difference(ends));
    let (Some(low), Some(high)) = ends else {
        return None;
    };
    let within = low..=high;
    (!within.contains(&claim.margin)).then(|| {
        let from = within.start();
        let to = within.end();
        format!(
            "a margin of {} is beyond what `{}` can give, {from} to {to}",
            claim.margin, claim.gauge
        )
    })
}

fn misplaced(
    study: &Study,
    claim: &StatementDecl,
    stresses: &Axis<StressAt, Stress>,
    gauge: &Gauge,
) -> Option<String> {
    let fits = match (gauge, &claim.place.under) {
        (Gauge::Cell(_), Under::Ladder(_)) => Err("reads one rung: `at` needs a severity"),
        (Gauge::Pair(_), Under::Clean | Under::Ladder(_)) => {
            Err("compares a rung with clean: `at` needs one")
        }
        (Gauge::Ladder(_), Under::Clean | Under::Rung { .. } | Under::Condition(_)) => {
            Err("reads a whole ladder: `at = { ladder = … }`")
        }
        (Gauge::Subject(_), Under::Rung { .. } | Under::Ladder(_) | Under::Condition(_)) => {
            Err("reads all that a subject did: leave `at` out")
        }
        _ => Ok(()),
    };
    if let Err(why) = fits {
        return Some(format!(
            "the {} gauge `{}` {why}",
            gauge.scope(),
            claim.gauge
        ));
    }
    if claim.against == Against::Clean && claim.place.under == Under::Clean {
        return Some("the clean twin of a clean cell is itself".into());
    }
    if claim.against == Against::MilderRung && study.milder_rung(&claim.place.under).is_none() {
        return Some("only a rung has a milder one: `at = { ladder = …, severity = … }`".into());
    }
    let name = match &claim.place.under {
        Under::Clean | Under::Everything => return None,
        Under::Rung { ladder: name, .. } | Under::Ladder(name) | Under::Condition(name) => name,
    };
    let stress = stresses.iter().find(|stress| stress.name == *name)?;
    let datasets = std::iter::once(&claim.place.dataset).chain(&claim.minus_on);
    let unpressed = datasets.into_iter().find(|dataset| {
        let at = study.datasets.position(|decl| decl.name == **dataset);
        at.is_some_and(|at| !stress.pressed_on[at])
    });
    if let Some(dataset) = unpressed {
        return Some(format!("`{name}` does not press dataset `{dataset}`"));
    }
    let others = match &claim.against {
        Against::Subject(other) => Some(other),
        _ => None,
    };
    let unpressed = std::iter::once(&claim.place.subject)
        .chain(others)
        .find(|subject| {
            let at = study.subjects.position(|decl| decl.name == **subject);
            at.is_some_and(|at| !stress.applies_to[at])
        })?;
    Some(format!("`{name}` does not press subject `{unpressed}`"))
}

/// Claims that take the reading of one dataset off that of another, with the items of both: the
/// difference is one of items, so every seed has to show the same ones in the same order.
pub(super) fn same_items(plan: &Plan) -> Vec<Problem> {
    let study = &plan.study;
    let ids = |dataset: &Name, replicate| {
        let at = study.datasets.position(|decl| decl.name == *dataset)?;
        Some(plan.dataset(at, replicate).dataset().test().items().ids())
    };
    let differ = |one: &StatementDecl, other: &Name| {
        let mut seeds = study.seeds.positions();
        seeds.any(|seed| ids(&one.place.dataset, seed) != ids(other, seed))
    };
    let statements = study.claims.iter().flat_map(|claim| {
        let of_claim = claim.statements.iter();
        of_claim.map(move |one| (claim, one))
    });
    statements
        .filter_map(|(claim, one)| {
            let other = one.minus_on.as_ref().filter(|other| differ(one, other))?;
            let wrong = format!(
                "claim `{}`: `{}` and `{other}` do not show the same items",
                claim.quoted(one),
                one.place.dataset
            );
            let wrong = Problem::new(wrong).expected("the same ids in the same order");
            Some(wrong.at(one.span.clone()))
        })
        .collect()
}

/// Gauges that read answers at a temperature, with what it is fitted on: classes, which every
/// subject they read is asked about there.
pub(super) fn temperatures(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    gauges: &Axis<GaugeAt, PlannedGauge>,
) -> Vec<Problem> {
    let why = |decl: &GaugeDecl, gauge: &PlannedGauge| -> Option<String> {
        let fitted = gauge.temperature.as_ref()?;
        let name = &decl.name;
        if matches!(*gauge.gauge, Gauge::Pair(_)) {
            return Some(format!(
                "`temperature-on`, and `{name}` compares with clean"
            ));
        }
        let reads = gauge.scale.reads;
        if reads != Question::Classes {
            return Some(format!("`temperature-on`, and `{name}` reads {reads}"));
        }
        let mut both = study.subjects.iter().zip(subjects);
        let (subject, _) = both.find(|(_, planned)| {
            planned.offers.contains(&Question::Classes) && !planned.test_on.contains(&fitted.on)
        })?;
        let dataset = &study.datasets[fitted.on].name;
        let subject = &subject.name;
        Some(format!(
            "`{name}` fits a temperature on `{dataset}`, on which subject `{subject}` is not tested"
        ))
    };
    let mut problems = Vec::new();
    for (decl, gauge) in study.gauges.iter().zip(gauges) {
        let wrong = why(decl, gauge).map(Problem::new);
        problems.extend(wrong.map(|problem| problem.at(decl.span.clone())));
    }
    problems
}

/// Gauges that choose something of themselves, with what they choose it on.
pub(super) fn choices(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    gauges: &Axis<GaugeAt, PlannedGauge>,
) -> Vec<Problem> {
    let why = |decl: &GaugeDecl, gauge: &PlannedGauge| -> Option<String> {
        let name = &decl.name;
        let chooses = matches!(&*gauge.gauge, Gauge::Cell(gauge) if gauge.chooses());
        let Some(on) = gauge.chosen_on else {
            return chooses.then(|| {
                format!("`{name}` chooses a threshold, and `chosen-on` names no dataset")
            });
        };
        if !chooses {
            return Some(format!("`chosen-on`, and `{name}` chooses nothing"));
        }
        let reads = gauge.scale.reads;
        let mut both = study.subjects.iter().zip(subjects);
        let (subject, _) = both.find(|(_, planned)| {
            planned.asked.contains(&reads) && !planned.test_on.contains(&on)
        })?;
        let dataset = &study.datasets[on].name;
        Some(format!(
            "`{name}` chooses on `{dataset}`, on which subject `{}` is not tested",
            subject.name
        ))
    };
    let both = study.gauges.iter().zip(gauges);
    both.filter_map(|(decl, gauge)| {
        let problem = Problem::new(why(decl, gauge)?);
        Some(problem.at(decl.span.clone()))
    })
    .collect()
}

/// Gauges that say where they are read, with what they read at once.
pub(super) fn limits(study: &Study, gauges: &Axis<GaugeAt, PlannedGauge>) -> Vec<Problem> {
    let why = |decl: &GaugeDecl, gauge: &PlannedGauge| -> Option<String> {
        let name = &decl.name;
        let scope = gauge.gauge.scope();
        let at = decl.at.as_ref()?;
        match &*gauge.gauge {
            Gauge::Ladder(_) | Gauge::Subject(_) => Some(format!(
                "`at`, and the {scope} gauge `{name}` reads all rungs"
            )),
            Gauge::Pair(_) if at.iter().all(|under| *under == Under::Clean) => Some(format!(
                "`at` names no rung, and the {scope} gauge `{name}` compares rungs with clean"
            )),
            Gauge::Cell(_) | Gauge::Pair(_) => None,
        }
    };
    let both = study.gauges.iter().zip(gauges);
    both.filter_map(|(decl, gauge)| {
        let problem = Problem::new(why(decl, gauge)?);
        Some(problem.at(decl.span.clone()))
    })
    .collect()
}

/// Subjects that learn, with the splits they learn from.
pub(super) fn lessons(
    study: &Study,
    subjects: &Axis<SubjectAt, PlannedSubject>,
    loaded: &Axis<LoadedAt, Loaded>,
    dataset_of: &DatasetOf,
) -> Vec<Problem> {
    let missing = study.subjects.iter().zip(subjects).filter(|(_, subject)| {
        let learns = subject
            .abilities
            .as_ref()
            .is_some_and(|abilities| abilities.learns == Learns::Labels);
        learns && loaded[dataset_of[subject.on][ReplicateAt::FIRST]].fit_items == 0
    });
    missing
        .map(|(decl, subject)| {
            let dataset = &study.datasets[subject.on].name;
            Problem::new(format!(
                "subject `{}` has to be taught, but dataset `{dataset}` has no fit split",
                decl.name
            ))
            .at(decl.span.clone())
        })
        .collect()
}

/// Live subjects with the items and the classes they are asked about.
pub(super) fn suits(plan: &Plan) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut seen = HashSet::new();
    for (at, decl) in plan.study.subjects.at_each() {
        let subject = &plan.subjects[at];
        let SubjectPart::Live(live) = &*subject.subject else {
            continue;
        };
        let asked = subject.test_on.iter().copied().chain(climbed_on(plan, at));
        let asked = asked.flat_map(|test| plan.study.seeds.positions().map(move |nth| (test, nth)));
        for (test, replicate) in asked {
            let number = plan.replicate_number(replicate);
            if seen.insert((at, number, plan.dataset_of[test][replicate])) {
                let split = plan.dataset(test, replicate).dataset().test();
                let suits = live.suits(number, split.items(), split.classes());
                problems.extend(suits.err().map(|problem| problem.at(decl.span.clone())));
            }
        }
    }
    problems.dedup();
    problems
}

/// The datasets on which a subject's slopes are climbed to break others.
fn climbed_on(plan: &Plan, source: SubjectAt) -> impl Iterator<Item = DatasetAt> {
    let climbs = move |stress: &&Stress| {
        let mut stressors = stress.stressors.iter();
        stressors.any(|planned| planned.source == Some(source))
    };
    plan.stresses.iter().filter(climbs).flat_map(move |stress| {
        let pressed = plan.subjects.at_each();
        let pressed = pressed.filter(|(at, _)| stress.applies_to[*at]);
        let tests = pressed.flat_map(|(_, subject)| subject.test_on.iter().copied());
        tests.filter(|test| stress.pressed_on[*test])
    })
}

/// Slices with the columns the datasets have; every dataset with labels has `class`.
pub(super) fn slices(study: &Study, loaded: &Axis<LoadedAt, Loaded>) -> Vec<Problem> {
    let mut columns: Vec<&str> = vec![CLASS_SLICE];
    columns.extend(
        loaded
            .iter()
            .flat_map(|one| one.dataset().test().columns().keys().map(String::as_str)),
    );
    let slices = &study.analysis.slices;
    let unknown = slices
        .value
        .iter()
        .filter(|_| study.is_whole)
        .filter(|name| !columns.contains(&name.as_str()));
    unknown
        .map(|name| {
            let wrong = Problem::new(format!("no dataset has a column `{name}` to slice by"));
            wrong
                .nearest(name, columns.iter().copied())
                .at(slices.span.clone())
        })
        .collect()
}
