//! Attacks on networks whose gradients mislead: scaled, quantised, randomised. Their true curve is
//! that of the plain network.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use duress_core::answer::{Answers, ClassAnswers, Said, softmax};
use duress_core::data::{Dataset, Images, Inputs, Items, Split};
use duress_core::objective::Objective;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{AttackDoubt, Aware, Climb, Stressor, climb_from};
use duress_core::subject::{
    Differentiable, Failure, Fitted, LogitSlope, LogitSlopes, Loss, Subject, SubjectPart, fit,
};
use duress_core::truth::{Labels, Truth};
use duress_parts::classify::{datasets, stressors, subjects};

/// What is done to a network that hides its gradients.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mask {
    Plain,
    /// Its logits are this many times as large.
    Scaled(f32),
    /// Its input is rounded to this many levels; slopes go straight through where `slopes`, else
    /// there are none.
    Quantised {
        levels: f32,
        slopes: bool,
    },
    /// Every pixel gets noise of this deviation, other noise each time it is asked.
    Noisy(f64),
    /// What it tells as logits are its probabilities.
    Softmax,
}

/// A network behind a mask.
struct Masked {
    network: &'static dyn Fitted,
    mask: Mask,
    asked: AtomicU64,
}

impl Masked {
    fn new(mask: Mask) -> Masked {
        Masked::behind(mask, MLP.as_ref())
    }

    fn behind(mask: Mask, network: &'static dyn Fitted) -> Masked {
        Masked {
            network,
            mask,
            asked: AtomicU64::new(0),
        }
    }

    fn slopes(&self) -> &dyn LogitSlopes {
        let slopes = self.network.differentiable().unwrap();
        slopes.logit_slopes().unwrap()
    }

    /// What the network gets to see.
    fn shown(&self, images: &[f32]) -> Vec<f32> {
        match self.mask {
            Mask::Plain | Mask::Scaled(_) | Mask::Softmax => images.to_vec(),
            Mask::Quantised { levels, .. } => images
                .iter()
                .map(|x| (x * levels).round() / levels)
                .collect(),
            Mask::Noisy(deviation) => {
                let times = self.asked.fetch_add(1, Ordering::Relaxed);
                let mut draws = Seed::new(times).draws();
                let noisy = |x: &f32| x + (deviation * draws.normal()) as f32;
                images.iter().map(noisy).collect()
            }
        }
    }

    /// What it says instead of the network's logits.
    fn told(&self, logits: &[f32]) -> Vec<f32> {
        if self.mask != Mask::Softmax {
            return logits.iter().map(|logit| logit * self.scale()).collect();
        }
        let rows = logits.chunks(self.classes().len());
        rows.flat_map(|row| {
            let exact: Vec<f64> = row.iter().map(|logit| f64::from(*logit)).collect();
            softmax(&exact).into_iter().map(|p| p as f32)
        })
        .collect()
    }

    fn scale(&self) -> f32 {
        match self.mask {
            Mask::Scaled(by) => by,
            _ => 1.0,
        }
    }
}

impl LogitSlopes for Masked {
    fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure> {
        let logits = self.slopes().logits(&self.shown(images))?;
        Ok(self.told(&logits))
    }

    fn backward(
        &self,
        images: &[f32],
        slope: &LogitSlope<'_>,
        gradient: &mut [f32],
    ) -> Result<Vec<f32>, Failure> {
        let by = self.scale();
        let scaled = |at: usize, logits: &[f32], slopes: &mut [f32]| {
            let told = self.told(logits);
            slope(at, &told, slopes);
            if self.mask == Mask::Softmax {
                let mean: f32 = slopes.iter().zip(&told).map(|(slope, p)| slope * p).sum();
                let each = slopes.iter_mut().zip(&told);
                each.for_each(|(slope, p)| *slope = p * (*slope - mean));
            }
            slopes.iter_mut().for_each(|slope| *slope *= by);
        };
        let mut none = vec![0.0; gradient.len()];
        let blocked = matches!(self.mask, Mask::Quantised { slopes: false, .. });
        let into = if blocked { &mut none } else { gradient };
        let logits = self.slopes().backward(&self.shown(images), &scaled, into)?;
        Ok(self.told(&logits))
    }
}

impl Differentiable for Masked {
    fn classes(&self) -> &[String] {
        self.network.differentiable().unwrap().classes()
    }

    fn loss(
        &self,
        images: &[f32],
        labels: &[u32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let ce = |logits: &[f32], label: u32, slope: Option<&mut [f32]>| {
            Objective::CrossEntropy.evaluate(logits, label, None, slope)
        };
        let classes = self.classes().len();
        let logits = match gradient {
            None => self.logits(images)?,
            Some(gradient) => {
                let slope = |at: usize, logits: &[f32], slope: &mut [f32]| {
                    ce(logits, labels[at], Some(slope));
                };
                self.backward(images, &slope, gradient)?
            }
        };
        let rows = logits.chunks(classes).zip(labels);
        Ok(rows.map(|(row, label)| ce(row, *label, None)).collect())
    }

    fn logit_slopes(&self) -> Option<&dyn LogitSlopes> {
        Some(self)
    }
}

impl Fitted for Masked {
    fn answer(&self, _question: Question, items: &Items) -> Result<Answers, Failure> {
        let logits = self.logits(items.images()?.pixels())?;
        let said = Said::Logits(logits.into_iter().map(f64::from).collect());
        let classes = self.classes().to_vec();
        Ok(Answers::Classes(ClassAnswers::new(classes, said)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        Vec::new()
    }

    fn differentiable(&self) -> Option<&dyn Differentiable> {
        Some(self)
    }
}

fn digits() -> Dataset {
    let part: &'static Part = &datasets::digits::PART;
    let Build::Dataset(build) = part.build else {
        unreachable!()
    };
    let source = build(&Params::of(part, &[], Path::new("")).unwrap()).unwrap();
    source.load(Seed::new(1)).unwrap()
}

static DIGITS: LazyLock<Dataset> = LazyLock::new(digits);

/// The first digits of the test.
static SPLIT: LazyLock<Split> = LazyLock::new(|| {
    let test = DIGITS.test();
    let few: Vec<usize> = (0..120).collect();
    let classes: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
    let labels = few.iter().map(|&i| {
        let class = &test.columns()["class"][i];
        classes.iter().position(|name| name == class).unwrap() as u32
    });
    let labels = Labels::new(classes.clone(), labels.collect()).unwrap();
    Split::new(test.items().select(&few), Truth::Labels(labels)).unwrap()
});

static MLP: LazyLock<Box<dyn Fitted>> = LazyLock::new(|| taught(&[], 7));

/// Taught on images that were moved against it.
static ROBUST: LazyLock<Box<dyn Fitted>> =
    LazyLock::new(|| taught(&[("adversarial", Raw::Number(0.1))], 7));

fn taught(keys: &[(&str, Raw)], seed: u64) -> Box<dyn Fitted> {
    let part: &'static Part = &subjects::trained::PART;
    let Build::Subject(build) = part.build else {
        unreachable!()
    };
    let SubjectPart::Live(subject) =
        build(&Params::of(part, keys, Path::new("")).unwrap()).unwrap()
    else {
        unreachable!()
    };
    let subject: Box<dyn Subject> = subject;
    fit(subject.as_ref(), DIGITS.fit().unwrap(), Seed::new(seed)).unwrap()
}

fn text(word: &str) -> Raw {
    Raw::Text(word.into())
}

fn attack(part: &'static Part, keys: &[(&str, Raw)]) -> Box<dyn Aware> {
    let Build::Stressor(build) = part.build else {
        unreachable!()
    };
    let params = Params::of(part, keys, Path::new("")).unwrap();
    match build(&params).unwrap() {
        Stressor::Aware(attack) => attack,
        _ => panic!("{} is no attack", part.name),
    }
}

fn run(attack: &dyn Aware, subject: &Masked, rungs: &[f64]) -> Climb {
    // Whoever climbs another subject climbs the robust one.
    let source = attack.source().map(|_| ROBUST.as_ref());
    let severities: Vec<Severity> = rungs.iter().map(|&e| Severity::new(e).unwrap()).collect();
    climb_from(attack, subject, source, &SPLIT, &severities, Seed::new(3)).unwrap()
}

/// The share of items that are right on each rung, as answered ten times.
fn standing(subject: &Masked, climbed: &Climb) -> Vec<f64> {
    let right = |items: &Items| {
        let mut right = 0;
        for _ in 0..10 {
            let Ok(Answers::Classes(said)) = subject.answer(Question::Classes, items) else {
                panic!("classes")
            };
            let truth = &DIGITS.test().columns()["class"];
            let same = |i: &usize| said.classes()[said.label(*i).unwrap() as usize] == truth[*i];
            right += (0..items.len()).filter(same).count();
        }
        right as f64 / (10 * items.len()) as f64
    };
    climbed.rungs.iter().map(right).collect()
}

const RUNGS: [f64; 3] = [0.05, 0.1, 0.2];

const MASKS: [Mask; 6] = [
    Mask::Plain,
    Mask::Scaled(30.0),
    Mask::Scaled(1e4),
    Mask::Quantised {
        levels: 8.0,
        slopes: true,
    },
    Mask::Quantised {
        levels: 8.0,
        slopes: false,
    },
    Mask::Noisy(0.15),
];

#[test]
fn a_margin_loss_sees_through_scaled_logits_where_cross_entropy_is_flat() {
    let plain = Masked::new(Mask::Plain);
    let truth = standing(
        &plain,
        &run(attack(&stressors::apgd::PART, &[]).as_ref(), &plain, &RUNGS),
    );
    let scaled = Masked::new(Mask::Scaled(1e4));
    let flat = run(attack(&stressors::pgd::PART, &[]).as_ref(), &scaled, &RUNGS);
    assert!(
        standing(&scaled, &flat)[2] > truth[2] + 0.3,
        "the mask works"
    );
    assert!(
        flat.doubts.iter().any(|doubt| doubt.is_grave()),
        "and is seen: {:?}",
        flat.doubts
    );
    for loss in ["margin", "dlr"] {
        for part in [&stressors::pgd::PART, &stressors::apgd::PART] {
            let climbed = run(
                attack(part, &[("loss", text(loss))]).as_ref(),
                &scaled,
                &RUNGS,
            );
            let found = standing(&scaled, &climbed);
            for (found, truth) in found.iter().zip(&truth) {
                assert!(
                    (found - truth).abs() < 0.06,
                    "{} {loss}: {found} {truth}",
                    part.name
                );
            }
        }
    }
}

#[test]
fn a_rung_is_not_weaker_than_the_same_attack_alone_at_that_budget() {
    let attacks: [(&'static Part, Vec<(&str, Raw)>); 9] = [
        (&stressors::pgd::PART, vec![]),
        (
            &stressors::transfer::PART,
            vec![("from", text("robust")), ("steps", Raw::Whole(20))],
        ),
        (&stressors::pgd::PART, vec![("loss", text("margin"))]),
        (
            &stressors::pgd::PART,
            vec![("loss", text("margin")), ("targets", Raw::Whole(2))],
        ),
        (
            &stressors::apgd::PART,
            vec![("loss", text("dlr")), ("steps", Raw::Whole(20))],
        ),
        (&stressors::square::PART, vec![("queries", Raw::Whole(50))]),
        (&stressors::rays::PART, vec![("queries", Raw::Whole(100))]),
        (&stressors::fmn::PART, vec![("steps", Raw::Whole(20))]),
        (
            &stressors::fab::PART,
            vec![("steps", Raw::Whole(10)), ("targets", Raw::Whole(3))],
        ),
    ];
    let networks = MASKS.map(|mask| (mask, MLP.as_ref()));
    let networks = networks.into_iter().chain([(Mask::Plain, ROBUST.as_ref())]);
    for (mask, network) in networks {
        for (part, keys) in &attacks {
            let attack = attack(part, keys);
            let subject = Masked::behind(mask, network);
            let ladder = standing(&subject, &run(attack.as_ref(), &subject, &RUNGS));
            // A randomised subject answers, and falls, otherwise each time: of some forty items that
            // could go either way the difference of two runs varies by about four points.
            let noise = if matches!(mask, Mask::Noisy(_)) {
                0.1
            } else {
                0.0
            };
            for (rung, budget) in ladder.iter().zip(RUNGS) {
                let alone = standing(&subject, &run(attack.as_ref(), &subject, &[budget]));
                assert!(
                    *rung <= alone[0] + noise,
                    "{mask:?} {} {keys:?} at {budget}: {rung} {alone:?}",
                    part.name
                );
            }
        }
    }
}

#[test]
fn a_randomised_subject_falls_as_far_as_its_noise_allows() {
    let subject = Masked::new(Mask::Noisy(0.15));
    for (part, keys) in [
        (&stressors::pgd::PART, vec![]),
        (&stressors::apgd::PART, vec![("steps", Raw::Whole(20))]),
    ] {
        let climbed = run(attack(part, &keys).as_ref(), &subject, &[0.1, 0.2, 0.3]);
        let found = standing(&subject, &climbed);
        assert!(found[2] < 0.1, "{}: {found:?}", part.name);
        assert!(
            found.windows(2).all(|pair| pair[1] <= pair[0] + 0.05),
            "{found:?}"
        );
        let said = climbed
            .doubts
            .iter()
            .any(|doubt| doubt.to_string().contains("randomised"));
        assert!(said, "{:?}", climbed.doubts);
    }
}

#[test]
fn minimum_norm_attacks_come_through_noise_too() {
    let subject = Masked::new(Mask::Noisy(0.15));
    let steps = [("steps", Raw::Whole(40))];
    for part in [&stressors::fmn::PART, &stressors::fab::PART] {
        let climbed = run(attack(part, &steps).as_ref(), &subject, &[0.1, 0.2, 0.3]);
        let found = standing(&subject, &climbed);
        assert!(found[2] < 0.5, "{}: {found:?}", part.name);
    }
}

/// Whether the way along gradients is told to lead nowhere.
fn is_told_shattered(doubt: &AttackDoubt) -> bool {
    match doubt {
        AttackDoubt::ShatteredGradients { .. } => true,
        AttackDoubt::OfOneStage { says, .. } => is_told_shattered(says),
        AttackDoubt::OfAllStages { says } => is_told_shattered(says),
        _ => false,
    }
}

#[test]
fn noise_alone_is_not_taken_for_gradients_that_lead_nowhere() {
    for deviation in [0.15, 0.3] {
        let subject = Masked::new(Mask::Noisy(deviation));
        let steps = [("steps", Raw::Whole(5))];
        let attack = attack(&stressors::apgd::PART, &steps);
        let climbed = run(attack.as_ref(), &subject, &[0.02, 0.1]);
        let told: Vec<_> = climbed
            .doubts
            .iter()
            .filter(|d| is_told_shattered(d))
            .collect();
        assert!(told.is_empty(), "{deviation}: {told:?}");
    }
}

/// What stands of the plain network in a norm, at budgets that break about as much in each.
fn plain_standing_in(norm: &str, part: &'static Part, keys: &[(&str, Raw)]) -> Vec<f64> {
    let rungs = match norm {
        "linf" => RUNGS,
        "l1" => [2.0, 4.0, 8.0],
        _ => [0.3, 0.6, 1.2],
    };
    let plain = Masked::new(Mask::Plain);
    let mut all = vec![("norm", text(norm))];
    all.extend_from_slice(keys);
    standing(&plain, &run(attack(part, &all).as_ref(), &plain, &rungs))
}

#[test]
fn apgd_is_no_weaker_than_pgd_of_as_many_steps() {
    for norm in ["linf", "l2"] {
        let steps = [("steps", Raw::Whole(100))];
        let pgd = plain_standing_in(norm, &stressors::pgd::PART, &steps);
        let apgd = plain_standing_in(norm, &stressors::apgd::PART, &steps);
        for (apgd, pgd) in apgd.iter().zip(&pgd) {
            assert!(*apgd <= pgd + 1.0 / 120.0, "{norm}: {apgd} {pgd}");
        }
    }
}

#[test]
fn aimed_at_every_class_pgd_and_apgd_break_no_less_than_at_none() {
    for part in [&stressors::pgd::PART, &stressors::apgd::PART] {
        let keys = [("loss", text("margin")), ("steps", Raw::Whole(20))];
        let at_none = plain_standing_in("linf", part, &keys);
        let mut aimed = keys.to_vec();
        aimed.push(("targets", Raw::Whole(9)));
        let at_all = plain_standing_in("linf", part, &aimed);
        for (at_all, at_none) in at_all.iter().zip(&at_none) {
            assert!(at_all <= at_none, "{}: {at_all} {at_none}", part.name);
        }
    }
    let from_the_image = [
        ("random-start", Raw::Flag(false)),
        ("loss", text("dlr")),
        ("targets", Raw::Whole(9)),
    ];
    let found = plain_standing_in("linf", &stressors::pgd::PART, &from_the_image);
    let apgd = plain_standing_in("linf", &stressors::apgd::PART, &[]);
    assert!(found[2] <= apgd[2] + 0.05, "{found:?} {apgd:?}");
}

#[test]
fn minimum_norm_attacks_come_near_to_what_a_ladder_of_apgd_breaks() {
    for norm in ["linf", "l2"] {
        let apgd = plain_standing_in(norm, &stressors::apgd::PART, &[]);
        for part in [&stressors::fmn::PART, &stressors::fab::PART] {
            let found = plain_standing_in(norm, part, &[]);
            for (found, apgd) in found.iter().zip(&apgd) {
                assert!(
                    *found <= apgd + 0.05,
                    "{} {norm}: {found} {apgd}",
                    part.name
                );
            }
        }
    }
}

#[test]
fn in_l1_what_apgd_and_minimum_norm_attacks_break_is_alike() {
    let apgd = plain_standing_in("l1", &stressors::apgd::PART, &[]);
    assert!(
        apgd[0] > apgd[2] + 0.2,
        "the rungs mean something: {apgd:?}"
    );
    for part in [&stressors::fmn::PART, &stressors::fab::PART] {
        let found = plain_standing_in("l1", part, &[]);
        for (found, apgd) in found.iter().zip(&apgd) {
            assert!((found - apgd).abs() <= 0.1, "{}: {found} {apgd}", part.name);
        }
    }
}

#[test]
fn answers_alone_break_what_hides_its_gradients() {
    let plain = Masked::new(Mask::Plain);
    let under = |part: &'static Part, keys: &[(&str, Raw)], subject: &Masked| {
        standing(subject, &run(attack(part, keys).as_ref(), subject, &RUNGS))
    };
    let truth = under(&stressors::apgd::PART, &[], &plain);
    let hidden = Masked::new(Mask::Quantised {
        levels: 8.0,
        slopes: false,
    });
    let by_gradients = under(&stressors::apgd::PART, &[], &hidden);
    assert!(
        by_gradients[2] > truth[2] + 0.3,
        "the mask works: {by_gradients:?}"
    );
    for part in [&stressors::square::PART, &stressors::rays::PART] {
        let found = under(part, &[], &hidden);
        assert!(
            found[2] < truth[2] + 0.2,
            "{}: {found:?} {truth:?}",
            part.name
        );
    }
}

#[test]
fn the_suite_sees_through_every_mask_and_says_what_it_saw() {
    let plain = Masked::new(Mask::Plain);
    let suite = attack(&stressors::attack_suite::PART, &[]);
    let rungs = [0.1, 0.2];
    let truth = standing(&plain, &run(suite.as_ref(), &plain, &rungs));
    for scale in [30.0, 1e4] {
        let scaled = Masked::new(Mask::Scaled(scale));
        let found = standing(&scaled, &run(suite.as_ref(), &scaled, &rungs));
        for (found, truth) in found.iter().zip(&truth) {
            assert!(
                (found - truth).abs() <= 2.0 / 120.0,
                "{scale}: {found} {truth}"
            );
        }
    }
    let hidden = Masked::new(Mask::Quantised {
        levels: 8.0,
        slopes: false,
    });
    let climbed = run(suite.as_ref(), &hidden, &rungs);
    let found = standing(&hidden, &climbed);
    assert!(found[1] < truth[1] + 0.1, "{found:?} {truth:?}");
    let said = |doubt: &AttackDoubt| matches!(doubt, AttackDoubt::AnswersStillBreak { .. });
    assert!(climbed.doubts.iter().any(said), "{:?}", climbed.doubts);
    let noisy = Masked::new(Mask::Noisy(0.15));
    let found = standing(&noisy, &run(suite.as_ref(), &noisy, &[0.3]));
    assert!(found[0] < 0.1, "{found:?}");
}

#[test]
fn an_ensemble_tells_the_doubts_of_every_attack_and_rests_on_those_that_all_share() {
    let suite = attack(&stressors::attack_suite::PART, &[]);
    let doubts = |mask: Mask| {
        let subject = Masked::new(mask);
        run(suite.as_ref(), &subject, &[0.1]).doubts
    };
    let of_one = |doubt: &AttackDoubt| match doubt {
        AttackDoubt::OfOneStage { stage, says } => Some((stage.clone(), (**says).clone())),
        _ => None,
    };
    let scaled = doubts(Mask::Scaled(1e4));
    let told: Vec<_> = scaled.iter().filter_map(of_one).collect();
    let of_ce = |(stage, says): &(String, AttackDoubt)| {
        stage == "apgd on ce"
            && matches!(says, AttackDoubt::ZeroGradients { items, saturated, .. } if items == saturated)
    };
    assert!(told.iter().any(of_ce), "{scaled:?}");
    assert!(
        !scaled.iter().any(AttackDoubt::is_grave),
        "the DLR sees through it: {scaled:?}"
    );
    let hidden = doubts(Mask::Quantised {
        levels: 8.0,
        slopes: false,
    });
    let grave: Vec<&AttackDoubt> = hidden.iter().filter(|doubt| doubt.is_grave()).collect();
    assert!(!grave.is_empty(), "no attack had a slope: {hidden:?}");
    for doubt in grave {
        assert!(
            !doubt.remedy().contains("attack-suite"),
            "the ensemble is no remedy for itself: {doubt}"
        );
    }
    assert!(doubts(Mask::Plain).is_empty(), "{:?}", doubts(Mask::Plain));
}

#[test]
fn outputs_that_are_probabilities_are_told() {
    let pgd = attack(&stressors::pgd::PART, &[]);
    let said = |mask: Mask| {
        let subject = Masked::new(mask);
        let doubts = run(pgd.as_ref(), &subject, &[0.1]).doubts;
        doubts.contains(&AttackDoubt::ProbabilityOutputs)
    };
    assert!(said(Mask::Softmax) && !said(Mask::Plain));
}

#[test]
fn square_breaks_in_l2_what_hides_its_gradients() {
    let square = [("queries", Raw::Whole(2000))];
    let apgd = plain_standing_in("l2", &stressors::apgd::PART, &[]);
    let found = plain_standing_in("l2", &stressors::square::PART, &square);
    assert!(found[2] < apgd[2] + 0.25, "{found:?} {apgd:?}");
    assert!(found[0] > found[2] + 0.2, "{found:?}");
    let hidden = Masked::new(Mask::Quantised {
        levels: 8.0,
        slopes: false,
    });
    let suite = attack(&stressors::attack_suite::PART, &[("norm", text("l2"))]);
    let climbed = run(suite.as_ref(), &hidden, &[1.2]);
    let standing = standing(&hidden, &climbed);
    assert!(standing[0] < apgd[2] + 0.2, "{standing:?} {apgd:?}");
    let said = |doubt: &AttackDoubt| matches!(doubt, AttackDoubt::AnswersStillBreak { .. });
    assert!(climbed.doubts.iter().any(said), "{:?}", climbed.doubts);
}

#[test]
fn what_hurts_one_network_breaks_another_whose_own_gradients_are_hidden() {
    let hidden = Masked::new(Mask::Quantised {
        levels: 8.0,
        slopes: false,
    });
    let from = ("from", text("robust"));
    let transfer = attack(&stressors::transfer::PART, std::slice::from_ref(&from));
    let climbed = run(transfer.as_ref(), &hidden, &RUNGS);
    let found = standing(&hidden, &climbed);
    let own = run(
        attack(&stressors::apgd::PART, &[]).as_ref(),
        &hidden,
        &RUNGS,
    );
    let own = standing(&hidden, &own);
    assert!(found[2] < own[2] - 0.3, "{found:?} {own:?}");
    assert!(climbed.doubts.is_empty(), "{:?}", climbed.doubts);
    let asked = climbed.spent.last().unwrap();
    assert_eq!(
        asked.gradients.iter().sum::<u32>(),
        0,
        "only answers of the subject itself are asked for"
    );
    // A source without slopes is no source, and that is said.
    let severities = [Severity::new(0.1).unwrap()];
    let blind = climb_from(
        transfer.as_ref(),
        MLP.as_ref(),
        Some(&hidden),
        &SPLIT,
        &severities,
        Seed::new(3),
    );
    let doubts = blind.unwrap().doubts;
    let [AttackDoubt::BlindSource { items, .. }] = doubts[..] else {
        panic!("{doubts:?}")
    };
    assert!(items > 100, "{items}");
}

#[test]
fn on_a_plain_network_the_suite_is_no_weaker_than_its_parts() {
    let plain = Masked::new(Mask::Plain);
    let suite = attack(&stressors::attack_suite::PART, &[]);
    let found = standing(&plain, &run(suite.as_ref(), &plain, &RUNGS));
    let apgd = attack(&stressors::apgd::PART, &[]);
    let alone = standing(&plain, &run(apgd.as_ref(), &plain, &RUNGS));
    assert!(
        found
            .iter()
            .zip(&alone)
            .all(|(suite, alone)| suite <= alone),
        "{found:?} {alone:?}"
    );
}

/// Random images, pixels at the ends of the box among them, that the plain network is right about.
fn random_split(images: usize, seed: u64) -> Split {
    let mut draws = Seed::new(seed).draws();
    let pixel = |_| draws.between(-0.3, 1.3).clamp(0.0, 1.0) as f32;
    let pixels: Vec<f32> = (0..images * 64).map(pixel).collect();
    let images = Images::new([1, 8, 8], pixels).unwrap();
    let ids = (0..images.len()).map(|at| at.to_string()).collect();
    let items = Items::new(ids, Inputs::Images(images)).unwrap();
    let Ok(Answers::Classes(said)) = MLP.answer(Question::Classes, &items) else {
        panic!("classes")
    };
    let labels = (0..items.len()).map(|at| said.label(at).unwrap()).collect();
    let labels = Labels::new(said.classes().to_vec(), labels).unwrap();
    Split::new(items, Truth::Labels(labels)).unwrap()
}

/// The runner checks every image of every rung and fails otherwise, to 1e-6 of rounding.
#[test]
fn no_attack_leaves_its_ball_or_the_box_in_a_hundred_thousand_random_cases() {
    let steps = |steps: i64| ("steps", Raw::Whole(steps));
    let targets = ("targets", Raw::Whole(2));
    let queries = ("queries", Raw::Whole(12));
    let climbers: [(&'static Part, Vec<(&str, Raw)>); 5] = [
        (
            &stressors::pgd::PART,
            vec![steps(3), ("step", Raw::Number(0.9))],
        ),
        (&stressors::fgsm::PART, vec![]),
        (
            &stressors::apgd::PART,
            vec![steps(5), ("loss", text("dlr")), targets.clone()],
        ),
        (&stressors::fmn::PART, vec![steps(6)]),
        (&stressors::fab::PART, vec![steps(4), targets]),
    ];
    let mut attacks: Vec<Box<dyn Aware>> = Vec::new();
    for norm in ["linf", "l2", "l1"] {
        for (part, keys) in &climbers {
            let mut all = vec![("norm", text(norm))];
            all.extend_from_slice(keys);
            attacks.push(attack(part, &all));
        }
    }
    attacks.push(attack(
        &stressors::square::PART,
        std::slice::from_ref(&queries),
    ));
    attacks.push(attack(
        &stressors::square::PART,
        &[queries.clone(), ("norm", text("l2"))],
    ));
    attacks.push(attack(&stressors::rays::PART, &[queries]));
    attacks.push(attack(
        &stressors::transfer::PART,
        &[("from", text("robust")), steps(5)],
    ));
    let plain = Masked::new(Mask::Plain);
    let mut cases = 0;
    for round in 0..6 {
        let split = random_split(500, round);
        for (at, attack) in attacks.iter().enumerate() {
            let widest = [1.0, 8.0, 64.0][(at / climbers.len()) % 3];
            let mut draws = Seed::new(1000 * round + at as u64).draws();
            // From a thousandth of the box to nearly all of it, as likely in every tenfold.
            let low = widest * libm::pow(10.0, draws.between(-3.0, -0.5));
            let rungs = [low, low * draws.between(1.01, 3.0)];
            let severities = rungs.map(|budget| Severity::new(budget).unwrap());
            let source = attack.source().map(|_| ROBUST.as_ref());
            let climbed = climb_from(
                attack.as_ref(),
                &plain,
                source,
                &split,
                &severities,
                Seed::new(round),
            );
            let climbed = climbed.unwrap_or_else(|why| panic!("attack {at} at {rungs:?}: {why}"));
            cases += climbed.rungs.iter().map(Items::len).sum::<usize>();
        }
    }
    assert!(cases >= 100_000, "{cases}");
}
