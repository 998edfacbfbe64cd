//! Asks a process for logits, losses and gradients of digits, attacks it, and prints all as JSON:
//! one half of `peers/command`.

use std::path::Path;

use duress_core::answer::{Answers, Said};
use duress_core::data::{Dataset, Items};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Stressor, climb};
use duress_core::subject::{Fitted, Subject, SubjectPart, fit};
use duress_parts::classify::{datasets, stressors};
use duress_parts::shared::subjects;
use serde_json::json;

fn main() {
    let digits = digits();
    let subject = subject();
    let fitted =
        fit(subject.as_ref(), digits.test(), Seed::new(1)).unwrap_or_else(|why| panic!("{why}"));
    let slope = fitted.differentiable().expect("it offers gradients");
    let (items, labels) = (digits.test().items(), labels(&digits));
    let pixels = items.images().expect("digits are images").pixels();
    let mut gradient = vec![0.0; pixels.len()];
    let losses = slope
        .loss(pixels, &labels, Some(&mut gradient))
        .unwrap_or_else(|why| panic!("{why}"));
    let severities = ["8/255"].map(|epsilon| Severity::parse(epsilon).expect("a fraction"));
    let pgd = stressor();
    let Stressor::Aware(pgd) = &pgd else {
        unreachable!("pgd asks the subject")
    };
    let climbed = climb(
        pgd.as_ref(),
        fitted.as_ref(),
        digits.test(),
        &severities,
        Seed::new(1),
    );
    let climbed = climbed.unwrap_or_else(|why| panic!("{why}"));
    let (logits, clean) = ask(fitted.as_ref(), items, &labels);
    let (_, attacked) = ask(fitted.as_ref(), &climbed.rungs[0], &labels);
    let losses: Vec<f64> = losses.iter().map(|loss| loss.loss).collect();
    let said = json!({
        "images": pixels, "labels": labels, "logits": logits, "losses": losses, "gradient": gradient,
        "clean": clean, "attacked": attacked,
    });
    println!("{said}");
}

fn ask(fitted: &dyn Fitted, items: &Items, labels: &[u32]) -> (Vec<f64>, f64) {
    let answers = fitted
        .answer(Question::Classes, items)
        .unwrap_or_else(|why| panic!("{why}"));
    let Answers::Classes(classes) = answers else {
        unreachable!("classes were asked for")
    };
    let right = (0..items.len())
        .filter(|&i| classes.label(i) == Some(labels[i]))
        .count();
    let Said::Logits(logits) = classes.said() else {
        unreachable!("the process gives logits")
    };
    (logits.clone(), right as f64 / items.len() as f64)
}

fn labels(digits: &Dataset) -> Vec<u32> {
    digits.test().columns()["class"]
        .iter()
        .map(|class| class.parse().expect("a digit"))
        .collect()
}

fn params(part: &'static Part, keys: &[(&str, Raw)]) -> Params {
    Params::of(part, keys, Path::new("")).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn digits() -> Dataset {
    let Build::Dataset(build) = datasets::digits::PART.build else {
        unreachable!("digits are a dataset")
    };
    let source = build(&params(&datasets::digits::PART, &[])).unwrap_or_else(|why| panic!("{why}"));
    source
        .load(Seed::new(1))
        .unwrap_or_else(|why| panic!("{why}"))
}

fn stressor() -> Stressor {
    let Build::Stressor(build) = stressors::pgd::PART.build else {
        unreachable!("pgd is a stressor")
    };
    build(&params(&stressors::pgd::PART, &[])).unwrap_or_else(|why| panic!("{why}"))
}

/// The process in the arguments of this program.
fn subject() -> Box<dyn Subject> {
    let text = |text: &str| Raw::Text(text.into());
    let command = std::env::args().skip(1).map(Raw::Text).collect();
    let keys = [
        ("command", Raw::List(command)),
        ("accepts", text("images")),
        ("answers", text("classes")),
        ("protocol", text("binary")),
        ("gradients", Raw::Flag(true)),
    ];
    let Build::Subject(build) = subjects::command::PART.build else {
        unreachable!("command is a subject")
    };
    match build(&params(&subjects::command::PART, &keys)) {
        Ok(SubjectPart::Live(subject)) => subject,
        Ok(SubjectPart::Recorded(_)) => unreachable!("a process is asked here"),
        Err(why) => panic!("{why}"),
    }
}
