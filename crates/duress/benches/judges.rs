//! How long it takes to put errors into responses by rules, and to hold a judge against people with
//! intervals. `cargo bench -p duress --bench judges`

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use duress::agreement::{AgreementOptions, agree};
use duress_core::data::{Inputs, Items, Split, Text};
use duress_core::part::{Build, Params, PartKind};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Stressor, press};
use duress_core::truth::Truth;
use duress_parts::registry::Registry;

const RESPONSES: usize = 200;
const LABELS: usize = 10_000;

/// Seconds that errors of all kinds, from 0 to 5 in every response, may take.
const INJECTION_BAR: f64 = 10.0;
/// Seconds that agreement with 10,000 resamples may take.
const AGREEMENT_BAR: f64 = 1.0;

fn main() -> ExitCode {
    let registry = Registry::standard();
    let injectors: Vec<&str> = registry
        .parts()
        .iter()
        .filter(|part| part.kind() == PartKind::Stressor && part.name.starts_with("inject-"))
        // What a model writes is not timed here.
        .filter(|part| part.fields.is_empty())
        .map(|part| part.name)
        .collect();
    let split = responses();
    let start = Instant::now();
    for name in &injectors {
        inject(&registry, name, &split);
    }
    let what = format!(
        "{} kinds × k 0 … 5 × {RESPONSES} responses",
        injectors.len()
    );
    let injected = told(&what, start.elapsed().as_secs_f64(), INJECTION_BAR);
    let agreed = agreement();
    match injected && agreed && injectors.len() == 14 {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn told(what: &str, seconds: f64, bar: f64) -> bool {
    let met = seconds < bar;
    let word = if met { "met" } else { "MISSED" };
    println!("{what}: {seconds:.3} s, bar {bar} s: {word}");
    met
}

/// The shipped responses over and over, each with a sentence of its own.
fn responses() -> Split {
    let registry = Registry::standard();
    let part = registry
        .find(PartKind::Dataset, "judged-responses")
        .unwrap_or_else(|problem| panic!("{problem}"));
    let Build::Dataset(build) = part.build else {
        panic!("it is a dataset")
    };
    let params = Params::of(part, &[], Path::new(""));
    let params = params.unwrap_or_else(|problems| panic!("{problems:?}"));
    let source = build(&params).unwrap_or_else(|problem| panic!("{problem}"));
    let dataset = source
        .load(Seed::new(1))
        .unwrap_or_else(|problem| panic!("{problem}"));
    let shipped = dataset
        .test()
        .items()
        .texts()
        .unwrap_or_else(|failure| panic!("{failure:?}"));
    let response = |at: usize| {
        let own: &Text = &shipped[at % shipped.len()];
        own.pressed(format!("{} This is answer number {at}.", own.text))
    };
    let texts = (0..RESPONSES).map(response).collect();
    let ids = (0..RESPONSES).map(|at| format!("r{at}")).collect();
    let items = Items::new(ids, Inputs::Texts(texts));
    let items = items.unwrap_or_else(|why| panic!("{why}"));
    Split::new(items, Truth::Nothing).unwrap_or_else(|why| panic!("{why}"))
}

/// Every dose of one kind.
fn inject(registry: &Registry, name: &str, split: &Split) {
    let part = registry
        .find(PartKind::Stressor, name)
        .unwrap_or_else(|problem| panic!("{problem}"));
    let Build::Stressor(build) = part.build else {
        panic!("{name} is a stressor")
    };
    let params = Params::of(part, &[], Path::new(""));
    let params = params.unwrap_or_else(|problems| panic!("{problems:?}"));
    let Ok(Stressor::Blind(blind)) = build(&params) else {
        panic!("{name} is blind")
    };
    for k in 0..=5 {
        let severity = Severity::new(f64::from(k)).unwrap_or_else(|why| panic!("{why}"));
        let pressed = press(blind.as_ref(), split, &severity, 0, Seed::new(1));
        assert!(pressed.is_ok(), "{name}");
    }
}

/// A judge that agrees with a person on four labels of five.
fn agreement() -> bool {
    let mut draws = Seed::new(2).draws();
    let mut table = String::from("item,judge,human\n");
    let word = |passes: bool| if passes { "pass" } else { "fail" };
    for item in 0..LABELS {
        let human = draws.chance(0.7);
        let judge = human == draws.chance(0.8);
        let _ = writeln!(table, "{item},{},{}", word(judge), word(human));
    }
    let file = std::env::temp_dir().join(format!("duress-bench-labels-{}.csv", std::process::id()));
    std::fs::write(&file, table).unwrap_or_else(|error| panic!("{error}"));
    let options = AgreementOptions::default();
    let start = Instant::now();
    let agreed = agree(&file, &options);
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&file);
    assert!(agreed.is_ok(), "{:?}", agreed.err());
    let what = format!(
        "agreement on {LABELS} labels, {} resamples",
        options.resamples
    );
    told(&what, seconds, AGREEMENT_BAR)
}
