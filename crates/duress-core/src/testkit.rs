//! What every part must pass. A new part is tested by adding it to a list.
//!
//! Each function panics with the rule that was broken, so that a failing test reads as a sentence.

use std::collections::HashSet;

use crate::answer::{Absence, Answers, TextAnswers};
use crate::data::{Items, Source, Split};
use crate::gauge::{self, CellGauge};
use crate::question::Question;
use crate::rater::{Rated, Rater};
use crate::seed::Seed;
use crate::severity::Severity;
use crate::stressor::{self, Aware, Blind, Pressed};
use crate::subject::{self, Abilities, Differentiable, Subject};
use crate::truth::{Labels, Sealed, Truth};

/// A dataset has unique ids (by construction), does not depend on when it is loaded, and varies
/// with the seed if it says so.
pub fn check_source(source: &dyn Source) {
    let load = |seed| {
        source
            .load(Seed::new(seed))
            .unwrap_or_else(|problem| panic!("{problem}"))
    };
    let (first, again, other) = (load(1), load(1), load(2));
    assert_eq!(
        first.test(),
        again.test(),
        "the same seed must give the same items"
    );
    assert_eq!(
        first.fit(),
        again.fit(),
        "the same seed must give the same items"
    );
    assert_eq!(
        first.test() != other.test(),
        source.varies(),
        "a dataset must say whether it varies with the seed"
    );
    assert_eq!(
        first.test().items().inputs().kind(),
        source.kind(),
        "a dataset must say what its items look like"
    );
    let ids: HashSet<&str> = first.test().items().ids().iter().collect();
    assert_eq!(ids.len(), first.test().items().len(), "ids must be unique");
}

/// A blind stressor is the identity at 0, deterministic, within its promise, independent of the
/// order of items, in every one of its variants, and presses no less as the severity rises on the
/// items that take part. `rungs` are rising severities above 0.
pub fn check_blind(blind: &dyn Blind, split: &Split, rungs: &[f64]) {
    let seed = Seed::new(11);
    let items = split.items();
    let truth = blind.pressure().sees_truth.then(|| split.truth().open());
    let severity = |value: f64| Severity::new(value).unwrap_or_else(|why| panic!("{why}"));
    let press = |items: &Items, severity: &Severity, variant: usize| {
        let pressed = blind.press(
            Pressed {
                items,
                truth,
                variant,
            },
            severity,
            seed,
        );
        let pressed = pressed.unwrap_or_else(|failure| panic!("severity {severity}: {failure}"));
        let kept = blind.pressure().promise.check(items, &pressed, severity);
        kept.unwrap_or_else(|failure| panic!("severity {severity}: {failure}"));
        pressed
    };
    assert_eq!(
        &press(items, &Severity::clean(), 0),
        items,
        "severity 0 must be the identity, bit for bit"
    );
    let mut before = vec![0.0; items.len()];
    for rung in rungs.iter().map(|&rung| severity(rung)) {
        let mut most = before.clone();
        for variant in 0..blind.variants(&rung) {
            let pressed = press(items, &rung, variant);
            assert_eq!(
                pressed,
                press(items, &rung, variant),
                "the same seed must press the same way"
            );
            if !blind.looks_around() {
                check_alone(items, &pressed, |one| press(one, &rung, variant));
            }
            let now = stressor::distortion(items, &pressed);
            for i in (0..items.len()).filter(|&i| blind.takes_part(items, i, &rung, variant)) {
                assert!(
                    now[i] >= before[i] - 1e-9,
                    "item {i} is less distorted at {rung} than at the rung below"
                );
                most[i] = most[i].max(now[i]);
            }
        }
        before = most;
    }
    assert!(
        before.iter().any(|moved| *moved > 0.0),
        "the highest rung must change something"
    );
}

/// What happens to an item must not depend on which other items there are.
fn check_alone(items: &Items, together: &Items, press: impl Fn(&Items) -> Items) {
    for i in [0, items.len() / 2, items.len() - 1] {
        let alone = press(&items.select(&[i]));
        assert_eq!(
            alone,
            together.select(&[i]),
            "item {i} is pressed otherwise when it is alone"
        );
    }
}

/// An attack is the identity at 0, deterministic, within its promise, independent of which other
/// items there are; what it breaks stays broken as the severity rises; and it counts what it asks.
/// `rungs` are rising severities above 0.
pub fn check_aware(attack: &dyn Aware, subject: &dyn Differentiable, split: &Split, rungs: &[f64]) {
    let severity = |&value: &f64| Severity::new(value).unwrap_or_else(|why| panic!("{why}"));
    let severities: Vec<Severity> = [0.0].iter().chain(rungs).map(severity).collect();
    let climb = |split: &Split| {
        let climb = stressor::climb(attack, subject, split, &severities, Seed::new(11));
        climb.unwrap_or_else(|failure| panic!("{failure}"))
    };
    let Truth::Labels(labels) = split.truth().open() else {
        panic!("an attack is checked on labels")
    };
    let climbed = climb(split);
    assert_eq!(
        climbed.rungs.len(),
        severities.len(),
        "there must be a rung per severity"
    );
    assert_eq!(
        climbed.rungs.first(),
        Some(split.items()),
        "severity 0 must be the identity, bit for bit"
    );
    assert_eq!(
        climbed.rungs,
        climb(split).rungs,
        "the same seed must attack the same way"
    );
    check_spent(&climbed.spent, severities.len(), split.items().len());
    for i in [0, split.items().len() / 2, split.items().len() - 1] {
        let alone = climb(&only(split, labels, i));
        for (alone, together) in alone.rungs.iter().zip(&climbed.rungs) {
            assert_eq!(
                *alone,
                together.select(&[i]),
                "item {i} is attacked otherwise when it is alone"
            );
        }
    }
    check_breaks_last(subject, labels, &climbed.rungs);
    assert_ne!(
        climbed.rungs.last(),
        Some(split.items()),
        "the highest rung must change something"
    );
}

/// What an attack asked is counted for every item and only grows.
fn check_spent(spent: &[stressor::Spent], rungs: usize, items: usize) {
    assert_eq!(
        spent.len(),
        rungs,
        "what was spent must be counted at every rung"
    );
    let grows = |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(a, b)| a <= b);
    for (rung, one) in spent.iter().enumerate() {
        assert_eq!(
            (one.queries.len(), one.gradients.len()),
            (items, items),
            "every item must be counted"
        );
        assert!(
            one.queries.iter().all(|asked| *asked > 0),
            "no item is attacked without being asked about"
        );
        assert!(
            grows(&one.gradients, &one.queries),
            "a gradient is asked for with a query"
        );
        let before = &spent[rung.saturating_sub(1)];
        assert!(
            grows(&before.queries, &one.queries) && grows(&before.gradients, &one.gradients),
            "what was spent cannot shrink"
        );
    }
}

fn only(split: &Split, labels: &Labels, i: usize) -> Split {
    let one = Labels::new(labels.classes().to_vec(), vec![labels.of()[i]])
        .unwrap_or_else(|why| panic!("{why}"));
    Split::new(split.items().select(&[i]), Truth::Labels(one)).unwrap_or_else(|why| panic!("{why}"))
}

/// An item that is wrong at a rung is wrong at every higher one.
fn check_breaks_last(subject: &dyn Differentiable, labels: &Labels, rungs: &[Items]) {
    let mut standing = vec![true; labels.of().len()];
    for (rung, items) in rungs.iter().enumerate() {
        let images = items.images().unwrap_or_else(|failure| panic!("{failure}"));
        let losses = subject.loss(images.pixels(), labels.of(), None);
        for (i, loss) in losses
            .unwrap_or_else(|failure| panic!("{failure}"))
            .iter()
            .enumerate()
        {
            assert!(
                standing[i] || !loss.right,
                "item {i} is right again at rung {rung}"
            );
            standing[i] = loss.right;
        }
    }
}

/// A subject gives the same answers for the same seed and from its checkpoint, for any batch, as
/// far as it says.
pub fn check_subject(subject: &dyn Subject, fit_on: &Split, test: &Items) {
    let abilities = subject.abilities();
    assert!(
        !abilities.answers.is_empty(),
        "a subject must answer some question"
    );
    for question in abilities.answers.clone() {
        check_answers(subject, &abilities, question, fit_on, test);
    }
}

fn check_answers(
    subject: &dyn Subject,
    abilities: &Abilities,
    question: Question,
    fit_on: &Split,
    test: &Items,
) {
    let fit = |seed| {
        subject::fit(subject, fit_on, Seed::new(seed)).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let ask = |fitted: &dyn subject::Fitted, items: &Items| {
        let answers = fitted
            .answer(question, items)
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(
            answers.question(),
            question,
            "the question must be answered"
        );
        assert_eq!(
            answers.validate(items.len()),
            Ok(()),
            "answers must be about the items asked about"
        );
        answers
    };
    let fitted = fit(1);
    let all = ask(fitted.as_ref(), test);
    let restored = subject
        .restore(&fitted.checkpoint())
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(
        ask(restored.as_ref(), test),
        all,
        "a checkpoint must answer as what it was made from"
    );
    if abilities.reproducible {
        assert_eq!(
            ask(fit(1).as_ref(), test),
            all,
            "the same seed must give the same answers"
        );
    }
    assert_eq!(
        fitted.slope().is_some(),
        abilities.gradients,
        "a subject must say whether it offers gradients"
    );
    if !matches!(all, Answers::Graph(_)) {
        for i in [0, test.len() / 2, test.len() - 1] {
            let alone = ask(fitted.as_ref(), &test.select(&[i]));
            assert!(
                differs(&alone, &all, i) <= abilities.batch_tolerance,
                "the answer about item {i} depends on the batch"
            );
        }
    }
}

/// How far the answer about the only item of `alone` is from that about item `i` of `all`: in the
/// probability of a class, else 0 when it is the same and infinitely far when it is not.
fn differs(alone: &Answers, all: &Answers, i: usize) -> f64 {
    let exactly = |same: bool| if same { 0.0 } else { f64::INFINITY };
    match (alone, all) {
        (Answers::Classes(alone), Answers::Classes(all)) => {
            let apart = |class| {
                let (a, b) = (alone.probability(0, class), all.probability(i, class));
                (a.unwrap_or_default() - b.unwrap_or_default()).abs()
            };
            (0..all.classes().len() as u32)
                .map(apart)
                .fold(0.0, f64::max)
        }
        (Answers::Texts(alone), Answers::Texts(all)) => exactly(alone.texts[0] == all.texts[i]),
        (Answers::Ratings(alone), Answers::Ratings(all)) => {
            exactly(alone.rows()[0] == all.rows()[i])
        }
        _ => 0.0,
    }
}

/// A rater rates every item in the dimensions it says, the same way every time and whatever else
/// there is to rate, and gives no rating where there is no answer.
pub fn check_rater(rater: &dyn Rater, split: &Split, texts: &Answers) {
    let Truth::References(references) = split.truth().open() else {
        panic!("a rater is checked on references")
    };
    let Answers::Texts(said) = texts else {
        panic!("a rater is checked on texts")
    };
    let rate = |items: &Items, references: &[Vec<String>], texts: Vec<Result<String, Absence>>| {
        let answers = Answers::Texts(TextAnswers { texts });
        let rated = rater.rate(Rated {
            items,
            references: Some(references),
            answers: &answers,
        });
        let rated = rated.unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(
            rated.dimensions(),
            rater.dimensions(),
            "a rater must rate in the dimensions it says"
        );
        let rated = Answers::Ratings(rated);
        assert_eq!(
            rated.validate(items.len()),
            Ok(()),
            "ratings must be about the items rated"
        );
        rated
    };
    let all = rate(split.items(), references, said.texts.clone());
    if rater.reproducible() {
        assert_eq!(
            rate(split.items(), references, said.texts.clone()),
            all,
            "the same answers, the same ratings"
        );
    }
    for i in [0, split.items().len() / 2, split.items().len() - 1] {
        let (one, own) = (split.items().select(&[i]), &references[i..=i]);
        let alone = rate(&one, own, said.texts[i..=i].to_vec());
        assert!(
            differs(&alone, &all, i) == 0.0,
            "the rating of item {i} depends on the others"
        );
        let Answers::Ratings(none) = rate(&one, own, vec![Err("timed out".into())]) else {
            unreachable!()
        };
        assert!(
            none.rows()[0].is_err(),
            "an item without an answer must have no rating"
        );
    }
}

/// A cell gauge does not depend on the order of items, is at its best on perfect answers, and is
/// finite and within its ends or undefined with a reason, also under weights. `shuffled` is the
/// same truth and answers in another order.
pub fn check_cell_gauge(
    gauge: &dyn CellGauge,
    cases: &[(Truth, Answers)],
    perfect: &(Truth, Answers),
) {
    let scale = gauge.scale();
    let open = |(truth, answers): &(Truth, Answers)| {
        gauge::open_cell(gauge, &Sealed::new(truth.clone()), answers)
    };
    for case in cases.iter().chain([perfect]) {
        let Ok(meter) = open(case) else { continue };
        for weight in [1, 2] {
            let weights: Vec<u32> = (0..meter.units())
                .map(|i| weight * (1 + (i % 2) as u32))
                .collect();
            match meter.read(&weights) {
                Ok(value) => {
                    assert!(value.is_finite(), "a reading must be finite, not {value}");
                    let (low, high) = scale.ends;
                    let within = low.is_none_or(|end| value >= end - 1e-12)
                        && high.is_none_or(|end| value <= end + 1e-12);
                    assert!(
                        within,
                        "{value} lies beyond the ends it says it has, {:?}",
                        scale.ends
                    );
                }
                Err(undefined) => {
                    assert!(!undefined.why.is_empty(), "undefined must have a reason")
                }
            }
        }
        assert!(
            meter.units() < 2 || meter.read(&vec![0; meter.units()]).is_err(),
            "no items, no value"
        );
    }
    if let (Some(best), Ok(meter)) = (scale.best, open(perfect)) {
        let value = meter
            .plain()
            .unwrap_or_else(|undefined| panic!("{undefined}"));
        assert!(
            (value - best).abs() < 1e-12,
            "perfect answers must read {best}, not {value}"
        );
    }
}

/// Whether a gauge reads the same from the same items in another order.
pub fn check_order(gauge: &dyn CellGauge, case: &(Truth, Answers), shuffled: &(Truth, Answers)) {
    let read = |(truth, answers): &(Truth, Answers)| {
        let meter = gauge::open_cell(gauge, &Sealed::new(truth.clone()), answers)?;
        meter.plain()
    };
    match (read(case), read(shuffled)) {
        (Ok(a), Ok(b)) => {
            assert!(
                gauge.scale().compat || (a - b).abs() <= 1e-12,
                "the order of items changes {a} to {b}"
            );
        }
        (a, b) => assert_eq!(
            a.is_err(),
            b.is_err(),
            "the order of items changes whether it is defined"
        ),
    }
}
