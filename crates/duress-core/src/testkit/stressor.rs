//! What every stressor must pass.

use crate::answer::Answers;
use crate::data::{Items, Split};
use crate::question::Question;
use crate::seed::Seed;
use crate::severity::Severity;
use crate::stressor::{self, Aware, Blind, Monotone, Pressed};
use crate::subject::Fitted;
use crate::truth::{Labels, Truth};

/// A blind stressor is the identity at 0, deterministic, within its promise, independent of the
/// order of items, in every one of its variants, and presses no less as the severity rises: on each
/// of the items that take part, or in the mean over them, as it says. `rungs` are rising severities
/// above 0.
pub fn check_blind(blind: &dyn Blind, split: &Split, rungs: &[f64]) {
    let items = split.items();
    let truth = blind.pressure().sees_truth.then(|| split.truth().open());
    let press = |items: &Items, severity: &Severity, variant: usize| {
        let pressed = Pressed {
            items,
            truth,
            variant,
        };
        let pressed = blind
            .press(pressed, severity, Seed::new(11))
            .unwrap_or_else(|failure| panic!("severity {severity}: {failure}"));
        let kept = blind.pressure().promise.check(items, &pressed, severity);
        kept.unwrap_or_else(|failure| panic!("severity {severity}: {failure}"));
        pressed
    };
    assert_eq!(
        &press(items, &Severity::clean(), 0),
        items,
        "severity 0 must be the identity, bit for bit"
    );
    let mut below = vec![Distortion::default(); items.len()];
    for rung in rungs {
        let rung = Severity::new(*rung).unwrap_or_else(|why| panic!("{why}"));
        let mut here = vec![Distortion::default(); items.len()];
        for variant in 0..blind.variants(&rung) {
            let pressed = press(items, &rung, variant);
            assert_eq!(
                pressed,
                press(items, &rung, variant),
                "the same seed must press the same way"
            );
            if !blind.depends_on_other_items() {
                check_alone(items, &pressed, |one| press(one, &rung, variant));
            }
            let moved = stressor::distortion(items, &pressed);
            for i in (0..items.len()).filter(|&i| blind.takes_part(items, i, &rung, variant)) {
                here[i].add(moved[i]);
            }
        }
        match blind.monotone() {
            Monotone::EachItem => check_rises_for_each(&below, &here, &rung),
            Monotone::InTheMean => check_rises_in_the_mean(&below, &here, &rung),
        }
        for (below, here) in below.iter_mut().zip(&here) {
            below.follow(here);
        }
    }
    assert!(
        below.iter().any(|one| one.most > 0.0),
        "the highest rung must change something"
    );
}

/// How far an item was moved at a rung, over the variants it takes part in.
#[derive(Clone, Copy, Default)]
struct Distortion {
    variants: u32,
    least: f64,
    most: f64,
    sum: f64,
}

impl Distortion {
    fn add(&mut self, moved: f64) {
        self.least = if self.variants == 0 {
            moved
        } else {
            self.least.min(moved)
        };
        self.most = self.most.max(moved);
        self.sum += moved;
        self.variants += 1;
    }

    fn mean(self) -> f64 {
        self.sum / f64::from(self.variants.max(1))
    }

    /// Becomes what the next rung is compared with. An item that sits a rung out keeps what it had.
    fn follow(&mut self, here: &Distortion) {
        if here.variants > 0 {
            let most = self.most.max(here.most);
            *self = Distortion { most, ..*here };
        }
    }
}

/// What rounding may take from a distortion.
const ROUNDING: f64 = 1e-9;

fn check_rises_for_each(below: &[Distortion], here: &[Distortion], rung: &Severity) {
    for (i, (below, here)) in below.iter().zip(here).enumerate() {
        assert!(
            here.variants == 0 || here.least >= below.most - ROUNDING,
            "item {i} is less distorted at {rung} than at the rung below"
        );
    }
}

fn check_rises_in_the_mean(below: &[Distortion], here: &[Distortion], rung: &Severity) {
    let mut before = 0.0;
    let mut now = 0.0;
    for (below, here) in below.iter().zip(here).filter(|(_, here)| here.variants > 0) {
        before += below.mean();
        now += here.mean();
    }
    assert!(
        now >= before - ROUNDING * here.len() as f64,
        "items are less distorted in the mean at {rung} than at the rung below"
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
pub fn check_aware(attack: &dyn Aware, subject: &dyn Fitted, split: &Split, rungs: &[f64]) {
    let severity = |&value: &f64| Severity::new(value).unwrap_or_else(|why| panic!("{why}"));
    let severities: Vec<Severity> = [0.0].iter().chain(rungs).map(severity).collect();
    let climb = |split: &Split| {
        // Whoever climbs another subject climbs this one.
        let source = attack.source().map(|_| subject);
        let seed = Seed::new(11);
        let climb = stressor::climb_from(attack, subject, source, split, &severities, seed);
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
fn check_breaks_last(subject: &dyn Fitted, labels: &Labels, rungs: &[Items]) {
    let mut standing = vec![true; labels.of().len()];
    for (rung, items) in rungs.iter().enumerate() {
        let said = match subject.answer(Question::Classes, items) {
            Ok(Answers::Classes(said)) => said,
            other => panic!("an attack is checked on classes, not {other:?}"),
        };
        for (i, label) in labels.of().iter().enumerate() {
            let right = said.label(i) == Some(*label);
            assert!(
                standing[i] || !right,
                "item {i} is right again at rung {rung}"
            );
            standing[i] = right;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Images, InputKind, Inputs};
    use crate::stressor::{Pressure, Promise};
    use crate::subject::Failure;

    /// Adds to every pixel what `shift` says of its image and the severity.
    struct Shift {
        monotone: Monotone,
        shift: fn(usize, f64) -> f32,
    }

    impl Blind for Shift {
        fn pressure(&self) -> Pressure {
            Pressure {
                accepts: InputKind::Images,
                unit: "grey",
                most: 1.0,
                sees_truth: false,
                promise: Promise::InTheBox,
            }
        }

        fn monotone(&self) -> Monotone {
            self.monotone
        }

        fn press(
            &self,
            pressed: Pressed<'_>,
            severity: &Severity,
            _seed: Seed,
        ) -> Result<Items, Failure> {
            let images = pressed.items.images()?;
            // An image is known by its first pixel, so that it is the same one when it is alone.
            let shifted = images.pixels().iter().map(|pixel| {
                let image = (pixel * 10.0) as usize;
                pixel + (self.shift)(image, severity.value())
            });
            let images = Images::new([1, 1, 1], shifted.collect())
                .unwrap_or_else(|problem| panic!("{problem}"));
            Items::new(
                pressed.items.ids().iter().map(String::from).collect(),
                Inputs::Images(images),
            )
            .map_err(|problem| Failure::unable(problem.to_string()))
        }
    }

    fn check(monotone: Monotone, shift: fn(usize, f64) -> f32) {
        let images = Images::new([1, 1, 1], vec![0.05, 0.15, 0.25]).unwrap();
        let ids = ["x", "y", "z"].map(String::from).to_vec();
        let items = Items::new(ids, Inputs::Images(images)).unwrap();
        let split = Split::new(items, Truth::Nothing).unwrap();
        check_blind(&Shift { monotone, shift }, &split, &[0.1, 0.2, 0.4]);
    }

    /// The first image comes back as the severity rises; the others move on.
    fn one_comes_back(image: usize, severity: f64) -> f32 {
        match image {
            0 if severity > 0.1 => 0.05,
            _ => severity as f32,
        }
    }

    #[test]
    fn a_stressor_that_moves_every_item_further_passes_either_rule() {
        check(Monotone::EachItem, |_, severity| severity as f32);
        check(Monotone::InTheMean, |_, severity| severity as f32);
    }

    #[test]
    fn one_that_says_it_rises_in_the_mean_may_bring_an_item_back() {
        check(Monotone::InTheMean, one_comes_back);
    }

    #[test]
    #[should_panic(expected = "item 0 is less distorted at 0.2 than at the rung below")]
    fn one_that_does_not_say_so_may_not() {
        check(Monotone::EachItem, one_comes_back);
    }

    #[test]
    #[should_panic(expected = "items are less distorted in the mean at 0.4")]
    fn one_that_falls_in_the_mean_fails_whatever_it_says() {
        check(Monotone::InTheMean, |_, severity| {
            if severity > 0.3 { 0.1 } else { severity as f32 }
        });
    }

    #[test]
    #[should_panic(expected = "severity 0 must be the identity")]
    fn one_that_presses_at_0_fails() {
        check(Monotone::EachItem, |_, severity| 0.1 + severity as f32);
    }

    #[test]
    #[should_panic(expected = "the highest rung must change something")]
    fn one_that_does_nothing_fails() {
        check(Monotone::InTheMean, |_, _| 0.0);
    }
}
