//! How long it takes to score every distinct scramble of three files of idioms, and to resample what
//! is made of the scores. `cargo bench -p duress --bench order`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use duress_core::answer::{Absence, AbsenceKind, Answers, TextAnswers};
use duress_core::data::{Dataset, Split};
use duress_core::gauge::{Columns, Gauge, Mean, Rung};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, PartKind, Raw};
use duress_core::question::Question;
use duress_core::rater::{Rater, rate};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Stressor, press};
use duress_core::subject::{Fitted, SubjectPart, fit};
use duress_parts::registry::Registry;
use duress_stats::UndefinedReason;
use duress_stats::bootstrap::{Config, Design, distribution};
use duress_stats::statistic::from_fn;

/// The files with explanations, as `studies/order/four-languages` has them.
const FILES: [&str; 3] = [
    "chinese_explanations.csv",
    "traditional_chinese_explanations.csv",
    "korean_explanations.csv",
];
/// What these have of distinct scrambles with explanations.
const SCRAMBLES: usize = 65_695;
const GAUGES: [&str; 5] = ["mdr", "mda", "s-seq", "s-struct", "s-rob"];
const RESAMPLES: usize = 10_000;
/// Seconds that each of the two may take.
const BAR: f64 = 5.0;

fn main() -> ExitCode {
    let mut scoring = 0.0;
    let mut scored = 0;
    let mut ladders = Vec::new();
    for file in FILES {
        let ladder = ScoredLadder::of(file);
        scoring += ladder.seconds;
        scored += ladder.scrambles;
        ladders.push(ladder);
    }
    let start = Instant::now();
    for ladder in &ladders {
        for gauge in GAUGES {
            resample(gauge, ladder);
        }
    }
    let resampling = start.elapsed().as_secs_f64();
    let in_time = told(&format!("{scored} scrambles scored"), scoring);
    let resampled = told(
        &format!(
            "MDR … S_rob of {} files, {RESAMPLES} resamples",
            FILES.len()
        ),
        resampling,
    );
    match in_time && resampled && scored == SCRAMBLES {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn told(what: &str, seconds: f64) -> bool {
    let met = seconds < BAR;
    let word = if met { "met" } else { "MISSED" };
    println!("{what}: {seconds:.3} s, bar {BAR} s: {word}");
    met
}

/// What a reader scores at every arrangement of a file's idioms.
struct ScoredLadder {
    rungs: Vec<Rung>,
    columns: Columns,
    scrambles: usize,
    /// What scoring took, without the reader's own time.
    seconds: f64,
}

impl ScoredLadder {
    fn of(file: &str) -> ScoredLadder {
        let keys = [("file", Raw::Text(file.into()))];
        let dataset = dataset(&keys);
        let split = dataset.test();
        let reader = reader(split, &[("dictionary", Raw::Text(file.into()))]);
        let rater = rater();
        let arrangement = arrangement();
        let mut ladder = ScoredLadder {
            rungs: Vec::new(),
            columns: split.columns().clone(),
            scrambles: 0,
            seconds: 0.0,
        };
        for inversions in 0..=6 {
            let severity =
                Severity::new(f64::from(inversions)).unwrap_or_else(|why| panic!("{why}"));
            for variant in 0..arrangement.variants(&severity) {
                let said = said(
                    reader.as_ref(),
                    arrangement.as_ref(),
                    split,
                    &severity,
                    variant,
                );
                let start = Instant::now();
                let rated = rate(rater.as_ref(), split.items(), split.truth(), &said);
                ladder.seconds += start.elapsed().as_secs_f64();
                let Ok(Answers::Ratings(rated)) = rated else {
                    panic!("texts are rated")
                };
                let items = 0..split.items().len();
                let scores: Vec<Option<f64>> =
                    items.map(|item| rated.rating(item, "s-acc")).collect();
                if inversions > 0 {
                    ladder.scrambles += scores.iter().flatten().count();
                }
                ladder.rungs.push(Rung {
                    name: arrangement.variant_name(&severity, variant),
                    severity: severity.clone(),
                    variant,
                    meter: Arc::new(Mean::over(scores)),
                });
            }
        }
        ladder
    }
}

/// What the reader says of an arrangement; nothing of items that do not take part.
fn said(
    reader: &dyn Fitted,
    arrangement: &dyn Blind,
    split: &Split,
    severity: &Severity,
    variant: usize,
) -> Answers {
    let pressed = press(arrangement, split, severity, variant, Seed::new(1));
    let pressed = pressed.unwrap_or_else(|failure| panic!("{failure}"));
    let Ok(Answers::Texts(mut said)) = reader.answer(Question::Text, pressed.items()) else {
        panic!("the reader answers texts")
    };
    for item in 0..split.items().len() {
        if !arrangement.takes_part(split.items(), item, severity, variant) {
            let why = Absence::new(
                AbsenceKind::NotTakingPart,
                "another arrangement is the same",
            );
            said.texts[item] = Err(why);
        }
    }
    Answers::Texts(TextAnswers { ..said })
}

fn resample(gauge: &str, ladder: &ScoredLadder) {
    let part = part(PartKind::Gauge, gauge);
    let Build::Gauge(build) = part.build else {
        panic!("{gauge} is a gauge")
    };
    let built = build(&params(part, &[])).unwrap_or_else(|problem| panic!("{problem}"));
    let opened = match built {
        Gauge::Ladder(gauge) => gauge.open(&ladder.rungs, &ladder.columns),
        Gauge::Subject(gauge) => {
            let name = Name::new("scrambled").unwrap_or_else(|why| panic!("{why}"));
            gauge.open(&[(name, ladder.rungs.clone())], &ladder.columns)
        }
        Gauge::Cell(_) | Gauge::Pair(_) => panic!("{gauge} reads a ladder"),
    };
    let meter = opened.unwrap_or_else(|why| panic!("{gauge}: {}", why.why));
    let read = |weights: &[u32]| {
        let read = meter.read(weights);
        read.map_err(|undefined| UndefinedReason::Because(undefined.why))
    };
    let config = Config {
        resamples: RESAMPLES,
        threads: 0,
        ..Config::default()
    };
    let drawn = distribution(&from_fn(meter.units(), read), Design::Simple, config);
    assert_eq!(drawn.map(|drawn| drawn.len()), Ok(RESAMPLES));
}

fn dataset(keys: &[(&str, Raw)]) -> Dataset {
    let part = part(PartKind::Dataset, "idioms");
    let Build::Dataset(build) = part.build else {
        panic!("it is a dataset")
    };
    let source = build(&params(part, keys)).unwrap_or_else(|problem| panic!("{problem}"));
    let loaded = source.load(Seed::new(1));
    loaded.unwrap_or_else(|problem| panic!("{problem}"))
}

fn reader(split: &Split, keys: &[(&str, Raw)]) -> Box<dyn Fitted> {
    let part = part(PartKind::Subject, "lookup");
    let Build::Subject(build) = part.build else {
        panic!("it is a subject")
    };
    let Ok(SubjectPart::Live(subject)) = build(&params(part, keys)) else {
        panic!("it is asked here")
    };
    let fitted = fit(subject.as_ref(), split, Seed::new(1));
    fitted.unwrap_or_else(|failure| panic!("{failure}"))
}

fn rater() -> Box<dyn Rater> {
    let part = part(PartKind::Rater, "lexical");
    let Build::Rater(build) = part.build else {
        panic!("it is a rater")
    };
    build(&params(part, &[])).unwrap_or_else(|problem| panic!("{problem}"))
}

fn arrangement() -> Box<dyn Blind> {
    let part = part(PartKind::Stressor, "arrangement");
    let Build::Stressor(build) = part.build else {
        panic!("it is a stressor")
    };
    match build(&params(part, &[])) {
        Ok(Stressor::Blind(blind)) => blind,
        _ => panic!("it is blind"),
    }
}

fn part(kind: PartKind, name: &str) -> &'static Part {
    let found = Registry::standard().find(kind, name);
    found.unwrap_or_else(|problem| panic!("{problem}"))
}

fn params(part: &Part, keys: &[(&str, Raw)]) -> Params {
    let params = Params::of(part, keys, &folder());
    params.unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/order/four-languages")
}
