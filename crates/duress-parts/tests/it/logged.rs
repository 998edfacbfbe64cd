//! Logs of other harnesses as datasets and subjects: what was said becomes answers, and what was not
//! stays absent with its kind.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use duress_core::answer::{AbsenceKind, Answers};
use duress_core::data::{Dataset, Source};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::testkit;
use duress_core::truth::label_conflict;
use duress_parts::shared::datasets::logged_items;
use duress_parts::shared::subjects::logged;

use crate::built::clean;

/// The parts that are checked here.
pub(crate) fn checked() -> Vec<&'static Part> {
    vec![&logged_items::PART, &logged::PART]
}

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../duress-tables/tests/logs")
}

fn params(part: &'static Part, pairs: &[(&str, &str)]) -> Params {
    let pairs: Vec<(&str, Raw)> = pairs
        .iter()
        .map(|(key, text)| (*key, Raw::Text((*text).into())))
        .collect();
    Params::of(part, &pairs, &logs()).unwrap()
}

fn source(pairs: &[(&str, &str)]) -> Box<dyn Source> {
    let Build::Dataset(build) = logged_items::PART.build else {
        panic!("logged-items is a dataset")
    };
    build(&params(&logged_items::PART, pairs)).unwrap()
}

fn dataset(file: &str, form: &str) -> Dataset {
    source(&[("file", file), ("form", form)])
        .load(Seed::new(1))
        .unwrap()
}

fn recording(pairs: &[(&str, &str)]) -> Box<dyn Recording> {
    let Build::Subject(build) = logged::PART.build else {
        panic!("logged is a subject")
    };
    match build(&params(&logged::PART, pairs)).unwrap() {
        SubjectPart::Recorded(recording) => recording,
        SubjectPart::Live(_) => panic!("logged answers are not live"),
    }
}

fn look_up(of: &Dataset, pairs: &[(&str, &str)], seed: u64) -> Result<Answers, Problem> {
    let (recording, at) = (recording(pairs), Circumstances { seed, ..clean() });
    recording.look_up(&at, recording.answers()[0], of.test().items())
}

/// How many answers are right, wrong, and absent by kind.
fn counts(of: &Dataset, answers: &Answers) -> (usize, usize) {
    let absent = answers.absent().len();
    let Answers::Classes(said) = answers else {
        panic!("classes were asked for")
    };
    let right = |item: &usize| said.label(*item) == Some(1);
    let items = of.test().items().len();
    ((0..items).filter(right).count(), items - absent)
}

#[test]
fn logs_keep_the_rules_of_datasets_and_of_recordings() {
    let source = source(&[("file", "lm_eval_mc.jsonl")]);
    testkit::check_source(source.as_ref());
    let items = source.load(Seed::new(1)).unwrap();
    let recording = recording(&[("files", "lm_eval_mc.jsonl")]);
    testkit::check_recording(recording.as_ref(), &clean(), items.test().items());
}

#[test]
fn choices_are_as_often_right_as_the_harness_says() {
    let items = dataset("lm_eval_mc.jsonl", "choices");
    assert_eq!(items.test().classes().unwrap(), ["A", "B", "C", "D"]);
    let answers = look_up(&items, &[("files", "lm_eval_mc.jsonl")], 1).unwrap();
    let Answers::Classes(said) = &answers else {
        panic!("classes were asked for")
    };
    let labels = (0..12).map(|item| (item, said.label(item).unwrap()));
    // Two of twelve are right: `acc` in that log.
    let wrong = label_conflict(items.test().truth(), labels).unwrap();
    assert_eq!(wrong.differing, 10);
    assert!(said.confidence(0).is_some_and(|sure| sure > 0.25));
    let several = dataset("inspect_mc.eval", "choices");
    assert_eq!(
        several.test().items().len(),
        11,
        "one item has two right choices"
    );
    assert!(
        several
            .remarks()
            .iter()
            .any(|remark| remark.contains("left out"))
    );
}

#[test]
fn a_score_says_what_is_right_and_what_is_no_answer_is_neither() {
    let items = dataset("lm_eval_gen.jsonl", "score");
    let keys = |score: &'static str| {
        [
            ("files", "lm_eval_gen.jsonl"),
            ("form", "score"),
            ("score", score),
        ]
    };
    let strict = look_up(&items, &keys("exact_match,strict"), 1).unwrap();
    assert_eq!(counts(&items, &strict), (3, 4));
    assert_eq!(strict.absence(2), Some(AbsenceKind::Unparsable));
    let flexible = look_up(&items, &keys("exact_match,flexible"), 1).unwrap();
    assert_eq!(counts(&items, &flexible), (5, 6));
    let several = look_up(
        &items,
        &[("files", "lm_eval_gen.jsonl"), ("form", "score")],
        1,
    );
    assert!(several.unwrap_err().to_string().contains("several scores"));
    let graded = dataset("inspect_one_epoch.eval", "score");
    let keys = [
        ("files", "inspect_one_epoch.eval"),
        ("form", "score"),
        ("score", "includes"),
    ];
    let graded_answers = look_up(&graded, &keys, 1).unwrap();
    assert_eq!(
        counts(&graded, &graded_answers),
        (8, 9),
        "an error, a refusal and a limit are absent"
    );
    let keys = [
        ("files", "inspect_one_epoch.eval"),
        ("form", "score"),
        ("score", "shape.length"),
    ];
    let lengths = look_up(&graded, &keys, 1).unwrap_err();
    assert!(
        lengths.to_string().contains("neither right nor wrong"),
        "{lengths}"
    );
}

#[test]
fn seeds_are_epochs_and_series_are_named() {
    let items = dataset("inspect_two_epochs.eval", "texts");
    let keys = [("files", "inspect_two_epochs.eval"), ("form", "texts")];
    assert!(look_up(&items, &keys, 2).is_ok());
    let none = look_up(&items, &keys, 3).unwrap_err();
    assert!(none.to_string().contains("no epoch 3"), "{none}");
    let items = dataset("promptfoo.jsonl", "texts");
    let keys = [("files", "promptfoo.jsonl"), ("form", "texts")];
    let several = look_up(&items, &keys, 1).unwrap_err();
    assert!(several.expected.unwrap().contains("odd plain"));
    let named = look_up(&items, &[&keys[..], &[("series", "odd plain")]].concat(), 1).unwrap();
    assert_eq!(named.absence(5), Some(AbsenceKind::Refused));
    assert_eq!(named.absence(4), Some(AbsenceKind::CutOff));
}

#[test]
fn a_log_without_choices_says_so() {
    let source = source(&[("file", "vllm_output.jsonl")]);
    let problem = source.load(Seed::new(1)).unwrap_err();
    assert!(
        problem.to_string().contains("no answers to choose"),
        "{problem}"
    );
}
