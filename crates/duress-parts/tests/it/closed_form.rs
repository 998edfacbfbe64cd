//! Attacks where the answer is known: logistic regression on the breast-cancer table, whose worst
//! case in L∞ is found feature by feature.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;

use duress_core::answer::{Answers, Said};
use duress_core::data::{Dataset, Images, Inputs, Items};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Stressor, climb};
use duress_core::subject::{Fitted, SubjectPart, fit};
use duress_parts::classify::{datasets, stressors, subjects};

const EPSILONS: [f64; 6] = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2];

/// Single precision over thirty features leaves this much of a margin in doubt.
const ROUNDING: f64 = 2e-4;

#[test]
fn fgsm_and_pgd_reach_the_known_optimum_of_logistic_regression() {
    let table = table();
    let regression = regression(&table);
    let line = Line::of(regression.as_ref());
    let labels = &table.test().columns()["class"];
    let images = table.test().items().images().unwrap();
    let clean = (0..images.len())
        .filter(|&i| line.lead(images.image(i), &labels[i]) > 0.0)
        .count();
    assert!(
        clean as f64 > 0.93 * images.len() as f64,
        "{clean} of {} are right when clean",
        images.len()
    );
    let severities = EPSILONS.map(|epsilon| Severity::new(epsilon).unwrap());
    for (part, keys) in [
        (&stressors::fgsm::PART, &[][..]),
        (&stressors::pgd::PART, &[("steps", Raw::Whole(10))][..]),
    ] {
        let Stressor::Aware(attack) = stressor(part, keys) else {
            panic!("{} is no attack", part.name)
        };
        let climbed = climb(
            attack.as_ref(),
            regression.as_ref(),
            table.test(),
            &severities,
            Seed::new(3),
        )
        .unwrap();
        assert!(climbed.doubts.is_empty(), "{:?}", climbed.doubts);
        for (rung, epsilon) in climbed.rungs.iter().zip(EPSILONS) {
            let attacked = rung.images().unwrap();
            let (mut standing, mut in_doubt) = (0, 0);
            for (i, label) in labels.iter().enumerate() {
                let worst = line.worst_lead(images.image(i), label, epsilon);
                let reached = line.lead(attacked.image(i), label);
                assert!(
                    reached > worst - ROUNDING,
                    "{} item {i} at {epsilon}: beyond what is possible",
                    part.name
                );
                if worst.abs() <= ROUNDING {
                    in_doubt += 1;
                    continue;
                }
                assert_eq!(
                    reached > 0.0,
                    worst > 0.0,
                    "{} item {i} at {epsilon}: {reached}, could be {worst}",
                    part.name
                );
                // What stands was pushed all the way: the optimum itself is reached, not only its
                // sign.
                assert!(
                    worst < 0.0 || reached < worst + ROUNDING,
                    "{} item {i} at {epsilon}: {reached} {worst}",
                    part.name
                );
                standing += usize::from(worst > 0.0);
            }
            assert!(in_doubt <= 1, "{in_doubt} at {epsilon}");
            assert!(
                epsilon > 0.15 || standing > 0,
                "something stands at {epsilon}"
            );
            assert!(
                epsilon < 0.04 || standing < clean,
                "something falls at {epsilon}"
            );
        }
    }
}

/// How far malignant leads over benign: a linear function of the features.
struct Line {
    weights: Vec<f64>,
    bias: f64,
}

impl Line {
    /// Asked at the origin and at the end of each axis, a linear function tells all.
    fn of(regression: &dyn Fitted) -> Line {
        let origin = vec![0.0; 30];
        let axes = (0..30).flat_map(|axis| (0..30).map(move |at| f32::from(u8::from(at == axis))));
        let pixels = origin.into_iter().chain(axes).collect();
        let ids = (0..31).map(|i| i.to_string()).collect();
        let items =
            Items::new(ids, Inputs::Images(Images::new([1, 5, 6], pixels).unwrap())).unwrap();
        let Ok(Answers::Classes(said)) = regression.answer(Question::Classes, &items) else {
            panic!("no classes")
        };
        assert_eq!(said.classes(), ["benign", "malignant"]);
        let Said::Logits(logits) = said.said() else {
            panic!("no logits")
        };
        let leads: Vec<f64> = logits.chunks(2).map(|pair| pair[1] - pair[0]).collect();
        Line {
            weights: leads[1..].iter().map(|lead| lead - leads[0]).collect(),
            bias: leads[0],
        }
    }

    /// How far the label leads.
    fn lead(&self, image: &[f32], label: &str) -> f64 {
        let sum: f64 = self
            .weights
            .iter()
            .zip(image)
            .map(|(weight, &x)| weight * f64::from(x))
            .sum();
        side(label) * (self.bias + sum)
    }

    /// The least it can lead within `epsilon` in L∞ and the box: every feature goes its own way as
    /// far as it may.
    fn worst_lead(&self, image: &[f32], label: &str, epsilon: f64) -> f64 {
        let way = |weight: &f64| -epsilon * (side(label) * weight).signum();
        let moved = self
            .weights
            .iter()
            .zip(image)
            .map(|(weight, &x)| weight * (f64::from(x) + way(weight)).clamp(0.0, 1.0));
        side(label) * (self.bias + moved.sum::<f64>())
    }
}

fn side(label: &str) -> f64 {
    if label == "malignant" { 1.0 } else { -1.0 }
}

fn params(part: &Part, keys: &[(&str, Raw)]) -> Params {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    Params::of(part, keys, &folder).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn table() -> Dataset {
    let part = &datasets::npz_images::PART;
    let Build::Dataset(build) = part.build else {
        panic!("no dataset")
    };
    let keys = [
        ("path", Raw::Text("breast_cancer.npz".into())),
        ("fit-share", Raw::Number(0.5)),
    ];
    build(&params(part, &keys))
        .unwrap()
        .load(Seed::new(1))
        .unwrap()
}

fn regression(table: &Dataset) -> Box<dyn Fitted> {
    let part = &subjects::trained::PART;
    let Build::Subject(build) = part.build else {
        panic!("no subject")
    };
    let keys = [
        ("network", Raw::Text("linear".into())),
        ("epochs", Raw::Whole(60)),
    ];
    let SubjectPart::Live(subject) = build(&params(part, &keys)).unwrap() else {
        panic!("not live")
    };
    fit(subject.as_ref(), table.fit().unwrap(), Seed::new(2)).unwrap()
}

fn stressor(part: &Part, keys: &[(&str, Raw)]) -> Stressor {
    let Build::Stressor(build) = part.build else {
        panic!("no stressor")
    };
    build(&params(part, keys)).unwrap()
}
