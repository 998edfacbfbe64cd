//! The `command` subject with real processes, well-behaved and not.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;
use std::process::Command;

use duress_core::answer::{Answers, ItemAnswer, RatingAnswers, Said, TextAnswers};
use duress_core::cost::Cost;
use duress_core::data::{Dataset, Images, Inputs, Items, Split, Text, Windows};
use duress_core::fitting::FitTerms;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::rater::{self, AnyRater, TextsToRate};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Stressor, climb};
use duress_core::subject::{Failure, FailureKind, Fitted, Intake, Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::Truth;
use duress_parts::classify::{datasets, stressors};
use duress_parts::shared::subjects;

const CHILD: &str = env!("CARGO_BIN_EXE_command-child");

type Keys<'a> = &'a [(&'a str, Raw)];

/// What is built here, and held to the rules of a subject.
const CHECKED: &Part = &subjects::command::PART;

pub(crate) fn checked() -> Vec<&'static Part> {
    vec![CHECKED]
}

#[test]
fn a_process_keeps_the_rules_of_a_subject_in_both_protocols() {
    let digits = digits();
    for protocol in ["json", "binary"] {
        let keys = [
            ("protocol", text(protocol)),
            ("gradients", Raw::Flag(true)),
            ("batch", Raw::Whole(7)),
        ];
        let mean = learner(&keys);
        testkit::check_subject(mean.as_ref(), digits.fit().unwrap(), &few(digits.test()));
    }
}

#[test]
fn both_protocols_give_the_same_answers_and_losses() {
    let digits = digits();
    let all = ["json", "binary"].map(|protocol| {
        let subject = learner(&[("protocol", text(protocol)), ("gradients", Raw::Flag(true))]);
        let fitted = fit(subject.as_ref(), digits.fit().unwrap(), Seed::new(1)).unwrap();
        let items = few(digits.test());
        let pixels = items.images().unwrap().pixels();
        let mut gradient = vec![0.5; pixels.len()];
        let labels = vec![3; items.len()];
        let losses = fitted
            .differentiable()
            .unwrap()
            .loss(pixels, &labels, Some(&mut gradient))
            .unwrap();
        assert_eq!(
            losses,
            fitted
                .differentiable()
                .unwrap()
                .loss(pixels, &labels, None)
                .unwrap()
        );
        assert!(
            fitted
                .differentiable()
                .unwrap()
                .loss(&pixels[1..], &labels, None)
                .is_err()
        );
        (
            fitted.answer(Question::Classes, &items).unwrap(),
            losses,
            gradient,
        )
    });
    assert_eq!(all[0], all[1]);
}

#[test]
fn pgd_climbs_the_loss_of_a_process() {
    let digits = digits();
    let subject = learner(&[("protocol", text("binary")), ("gradients", Raw::Flag(true))]);
    let fitted = fit(subject.as_ref(), digits.fit().unwrap(), Seed::new(1)).unwrap();
    let part: &'static Part = &stressors::pgd::PART;
    let Build::Stressor(build) = part.build else {
        unreachable!()
    };
    let params = Params::of(part, &[], Path::new("")).unwrap();
    let Ok(Stressor::Aware(pgd)) = build(&params) else {
        unreachable!()
    };
    let severities = [0.0, 0.05, 0.2].map(|epsilon| Severity::new(epsilon).unwrap());
    let climbed = climb(
        pgd.as_ref(),
        fitted.as_ref(),
        digits.test(),
        &severities,
        Seed::new(1),
    )
    .unwrap();
    let right = |items: &Items| share_right(fitted.as_ref(), items, digits.test());
    let right: Vec<f64> = climbed.rungs.iter().map(right).collect();
    assert!(
        right[0] > 0.85 && right[1] < right[0] - 0.05 && right[2] < right[0] / 2.0,
        "{right:?}"
    );
}

/// Attacks a process that learnt digits, and returns the share that was right on each rung.
fn attacked(behaviour: &str, part: &'static Part, keys: Keys<'_>) -> Result<Vec<f64>, Failure> {
    let digits = digits();
    let all = [
        ("protocol", text("binary")),
        ("gradients", Raw::Flag(true)),
        ("learns", text("labels")),
    ];
    let subject = subject_of(behaviour, &all);
    let fitted = fit(subject.as_ref(), digits.fit().unwrap(), Seed::new(1)).unwrap();
    let Build::Stressor(build) = part.build else {
        unreachable!()
    };
    let params = Params::of(part, keys, Path::new("")).unwrap();
    let Ok(Stressor::Aware(attack)) = build(&params) else {
        unreachable!()
    };
    let severities = [0.0, 0.05, 0.2].map(|epsilon| Severity::new(epsilon).unwrap());
    let split = digits.test();
    let climbed = climb(
        attack.as_ref(),
        fitted.as_ref(),
        split,
        &severities,
        Seed::new(1),
    )?;
    let right = |items: &Items| share_right(fitted.as_ref(), items, split);
    Ok(climbed.rungs.iter().map(right).collect())
}

/// The share of pressed items of a split whose answer is their class.
fn share_right(fitted: &dyn Fitted, items: &Items, split: &Split) -> f64 {
    let Ok(Answers::Classes(said)) = fitted.answer(Question::Classes, items) else {
        panic!("classes")
    };
    let truth = &split.columns()["class"];
    let named = |i: usize| &said.classes()[said.label(i).unwrap() as usize];
    let right = (0..items.len()).filter(|&i| *named(i) == truth[i]);
    right.count() as f64 / items.len() as f64
}

#[test]
fn a_process_that_takes_slopes_is_attacked_with_any_loss() {
    for loss in ["ce", "margin", "dlr", "probability-margin"] {
        let keys = [("loss", text(loss)), ("steps", Raw::Whole(20))];
        let right = attacked("mean-slopes", &stressors::apgd::PART, &keys).unwrap();
        assert!(
            right[0] > 0.85 && right[1] < right[0] - 0.05 && right[2] < right[0] / 2.0,
            "{loss}: {right:?}"
        );
    }
}

#[test]
fn both_protocols_take_the_same_slopes_back() {
    let digits = digits();
    let all = ["json", "binary"].map(|protocol| {
        let keys = [
            ("protocol", text(protocol)),
            ("gradients", Raw::Flag(true)),
            ("learns", text("labels")),
            ("batch", Raw::Whole(7)),
        ];
        let subject = subject_of("mean-slopes", &keys);
        let fitted = fit(subject.as_ref(), digits.fit().unwrap(), Seed::new(1)).unwrap();
        let items = few(digits.test());
        let pixels = items.images().unwrap().pixels();
        let mut gradient = vec![0.5; pixels.len()];
        let slopes = fitted.differentiable().unwrap().logit_slopes().unwrap();
        let first = |_: usize, _: &[f32], slope: &mut [f32]| slope[3] = 1.0;
        let logits = slopes.backward(pixels, &first, &mut gradient).unwrap();
        assert_eq!(logits, slopes.logits(pixels).unwrap());
        (logits, gradient)
    });
    assert_eq!(all[0], all[1]);
}

#[test]
fn a_process_that_tells_its_loss_only_is_still_attacked_and_other_losses_are_refused() {
    let right = attacked("mean", &stressors::apgd::PART, &[("steps", Raw::Whole(20))]).unwrap();
    assert!(right[2] < right[0] / 2.0, "{right:?}");
    let refused = attacked("mean", &stressors::pgd::PART, &[("loss", text("dlr"))]).unwrap_err();
    assert_eq!(refused.kind, FailureKind::Unable);
    assert!(refused.why.contains("`slopes` in its hello"), "{refused}");
}

#[test]
fn whatever_a_process_does_wrong_is_a_failure_that_says_what() {
    use FailureKind::{Crashed, Nonsense, TimedOut, Unable};
    let check = |behaviour: &str, keys: Keys<'_>, kind: FailureKind, expected: &[&str]| {
        let failure = ask(behaviour, keys).unwrap_err();
        assert_eq!(failure.kind, kind, "{behaviour}: {failure}");
        expected
            .iter()
            .for_each(|why| assert!(failure.why.contains(why), "{behaviour}: {failure}"));
    };
    let soon = [("timeout", Raw::Number(0.3))];
    let binary = [("protocol", text("binary")), ("batch", Raw::Whole(4))];
    let named = [("classes", Raw::List(vec![text("a"), text("b")]))];
    check(
        "garbage",
        &[],
        Nonsense,
        &[
            "items 1 to 4 of 8",
            "line 2",
            "JSON object",
            "epoch 1: loss 0.3",
        ],
    );
    check(
        "garbage-hello",
        &[],
        Nonsense,
        &["hello: line 1", "Welcome"],
    );
    check("other-version", &[], Nonsense, &["version 1", "version 2"]);
    check(
        "other-classes",
        &named,
        Nonsense,
        &["the study says", "\"x\", \"y\""],
    );
    check("no-classes", &[], Unable, &["names of the classes"]);
    check(
        "few-rows",
        &[],
        Nonsense,
        &["line 2", "about 4 items, came 3"],
    );
    check(
        "wide-rows",
        &[],
        Nonsense,
        &["expected 2 numbers", "came 3"],
    );
    check(
        "closes-early",
        &[("restarts", Raw::Whole(0))],
        Crashed,
        &["items 5 to 8", "exit status: 0"],
    );
    check(
        "crashes",
        &[],
        Crashed,
        &["exit status: 7", "CUDA out of memory", "started 2 times"],
    );
    check(
        "dies-at-once",
        &[],
        Crashed,
        &["hello", "exit status: 3", "weights.pt"],
    );
    check(
        "floods-stderr",
        &[],
        Crashed,
        &["exit status: 1", "the last words"],
    );
    check("floods-stdout", &[], Nonsense, &["line 2 has more than"]);
    check(
        "never-reads",
        &soon,
        TimedOut,
        &["hello", "within 0.3 s", "nothing"],
    );
    check(
        "never-answers",
        &soon,
        TimedOut,
        &["within 0.3 s", "nothing after line 1"],
    );
    check("answers-twice", &[], Nonsense, &["expected"]);
    check(
        "wrong-id",
        &[],
        Nonsense,
        &["expected a reply with id 1, came id 99"],
    );
    check("nan", &[], Nonsense, &["line 2", "not finite", "NaN"]);
    check("nan-frame", &binary, Nonsense, &["NaN"]);
    check(
        "half-frame",
        &binary,
        Crashed,
        &["4 of the 32 bytes of a frame of logits"],
    );
    check("huge-frame", &binary, Nonsense, &["at most"]);
    check("forms", &[], Nonsense, &["another form"]);
    check(
        "unable",
        &[],
        Unable,
        &["the process says: the moon is full"],
    );
}

#[test]
fn a_process_that_never_reads_a_large_question_is_not_waited_for() {
    let images = Images::new([1, 512, 512], vec![0.5; 512 * 512 * 8]).unwrap();
    let items = Items::new(
        (0..8).map(|i| i.to_string()).collect(),
        Inputs::Images(images),
    )
    .unwrap();
    // After its hello it sleeps on the first question, whose frame is larger than any pipe.
    let keys = [("protocol", text("binary")), ("timeout", Raw::Number(0.5))];
    let subject = subject_of("never-reads-frames", &keys);
    let failure = teach_nothing(subject.as_ref(), &items)
        .unwrap()
        .answer(Question::Classes, &items)
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
    assert!(
        failure.why.contains("has not read the whole question"),
        "{failure}"
    );
}

#[test]
fn a_process_that_ended_is_started_again_and_remembers_what_it_was_taught() {
    let (folder, digits) = (tempfile::tempdir().unwrap(), digits());
    let mark = folder.path().join("crashed");
    let keys = [("learns", text("labels")), ("batch", Raw::Whole(8))];
    let taught = |command: &[&str]| {
        let subject = build(command, &keys).unwrap();
        let fitted = fit(subject.as_ref(), digits.fit().unwrap(), Seed::new(1)).unwrap();
        fitted
            .answer(Question::Classes, &few(digits.test()))
            .unwrap()
    };
    // It ends when it is first asked about a test item, and knows what it was taught only from the
    // checkpoint it is given back.
    let crashed = taught(&[CHILD, "mean-crashes-once", mark.to_str().unwrap()]);
    assert!(mark.exists(), "it did crash");
    assert_eq!(crashed, taught(&[CHILD, "mean"]));
}

#[test]
fn a_process_that_ended_is_asked_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("crashed");
    let command = [CHILD, "crashes-once", mark.to_str().unwrap()];
    let answers = ask_of(&command, &[]).unwrap();
    let Answers::Classes(said) = answers else {
        panic!("classes")
    };
    assert_eq!(*said.said(), Said::Probabilities([0.25, 0.75].repeat(8)));
    assert!(mark.exists(), "it did crash");
}

#[test]
fn a_process_that_said_it_cannot_is_asked_again() {
    let subject = subject_of("unable", &[]);
    let fitted = teach_nothing(subject.as_ref(), &grey()).unwrap();
    assert!(fitted.answer(Question::Classes, &grey()).is_err());
    assert!(fitted.answer(Question::Classes, &grey()).is_ok());
}

#[test]
fn items_without_an_answer_have_a_reason() {
    let Ok(Answers::Classes(said)) = ask("absent", &[("batch", Raw::Whole(2))]) else {
        panic!("classes")
    };
    assert_eq!(said.label(0), Some(1));
    assert_eq!(said.absent().len(), 4);
    assert_eq!(said.absent()[&3].why, "too dark");
}

/// The grandchild holds a lock for as long as it lives: this test ends only if it does not outlive
/// the time-out.
#[test]
fn a_process_that_hangs_is_ended_with_everything_it_has_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held");
    let failure = ask_of(
        &[CHILD, "nest", file.to_str().unwrap()],
        &[("timeout", Raw::Number(1.0))],
    )
    .unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
    std::fs::File::open(&file).unwrap().lock().unwrap();
}

/// As above: the helper does not read, and would outlive a process that ends by itself.
#[test]
fn a_process_that_ends_by_itself_leaves_no_helper_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held");
    let all_at_once = [("batch", Raw::Whole(8))];
    ask_of(&[CHILD, "helped", file.to_str().unwrap()], &all_at_once).unwrap();
    std::fs::File::open(&file).unwrap().lock().unwrap();
}

#[test]
fn a_process_rates_what_a_subject_wrote() {
    let texts = ["one", "two", "three"].map(Text::new).to_vec();
    let ids = ["a", "b", "c"].map(String::from).to_vec();
    let items = Items::new(ids, Inputs::Texts(texts)).unwrap();
    let references = ["1", "2", "3"].map(|one| vec![one.to_string()]).to_vec();
    let split = Split::new(items, Truth::References(references)).unwrap();
    let said = Answers::Texts(TextAnswers {
        texts: vec![Ok("uno".into()), Err("cut off".into()), Ok("tres".into())],
    });
    let keys = [("accepts", text("texts")), ("answers", text("ratings"))];
    let subject = build(&[CHILD, "ratings"], &keys).unwrap();
    let AnyRater::Subject(judge) =
        AnyRater::subject("command", SubjectPart::Live(subject)).unwrap()
    else {
        panic!("a subject")
    };
    let to_rate = TextsToRate::new(split.items(), split.truth(), &said).unwrap();
    let ratings = |fitted: &dyn Fitted| -> RatingAnswers {
        let come = fitted.answer(Question::Ratings, to_rate.items()).unwrap();
        match to_rate.ratings(come).unwrap() {
            Answers::Ratings(ratings) => ratings,
            _ => panic!("ratings"),
        }
    };
    let fitted = rater::fit(
        judge.as_ref(),
        None,
        FitTerms::of_replicate(0),
        Seed::new(1),
    )
    .unwrap();
    let all = ratings(fitted.as_ref());
    assert_eq!(all.rating(2, "B"), Some(100.0));
    assert_eq!(all.rows()[1].as_ref().unwrap_err().why, "cut off");
    let again = judge.restore(&fitted.checkpoint()).unwrap();
    assert_eq!(ratings(again.as_ref()), all);
}

#[test]
fn texts_ratings_and_graphs_go_both_ways() {
    let texts = ["one", "two"]
        .map(|word| Text::new(word).with("source", "book"))
        .to_vec();
    let texts = Items::new(vec!["a".into(), "b".into()], Inputs::Texts(texts)).unwrap();
    let keys =
        |accepts: &str, answers: &str| [("accepts", text(accepts)), ("answers", text(answers))];
    let ask = |behaviour: &str, keys: Keys<'_>, question: Question, items: &Items| {
        let subject = build(&[CHILD, behaviour], keys).unwrap();
        teach_nothing(subject.as_ref(), items)
            .unwrap()
            .answer(question, items)
            .unwrap()
    };
    let Answers::Texts(said) = ask("text", &keys("texts", "text"), Question::Text, &texts) else {
        panic!()
    };
    assert_eq!(said.texts[1], Ok("two (\"book\")".into()));
    let ratings = ask(
        "ratings",
        &keys("texts", "ratings"),
        Question::Ratings,
        &texts,
    );
    let Answers::Ratings(ratings) = ratings else {
        panic!()
    };
    assert_eq!(ratings.rating(1, "B"), Some(100.0));
    let mut windows =
        Windows::new(vec!["x".into(), "y".into()], 3, vec![0, 1], vec![1.5; 12]).unwrap();
    windows.hide(1, 2, 0);
    let windows = Items::new(vec!["a".into(), "b".into()], Inputs::Windows(windows)).unwrap();
    for protocol in ["json", "binary"] {
        let mut keys = keys("windows", "graph").to_vec();
        keys.push(("protocol", text(protocol)));
        let Answers::Graph(said) = ask("graph", &keys, Question::Graph, &windows) else {
            panic!()
        };
        assert!(said.graph.has(0, 1));
        assert_eq!(said.scores[1], 1.0, "one hidden value was seen as hidden");
    }
}

#[test]
fn keys_that_cannot_be_are_refused_before_anything_is_started() {
    let check = |command: &[&str], keys: Keys<'_>, expected: &str| {
        let problem = build(command, keys).err().unwrap().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    check(&[], &[], "command = []");
    check(
        &["x"],
        &[("accepts", text("texts")), ("gradients", Raw::Flag(true))],
        "classifier of images",
    );
    check(&["x"], &[("answers", text("graph"))], "windows");
    check(
        &["x"],
        &[("classes", Raw::List(vec![text("a"), text("a")]))],
        "twice",
    );
    let missing = ask_of(&["./no-such-program"], &[]).unwrap_err();
    assert_eq!(missing.kind, FailureKind::Unable, "{missing}");
    assert!(missing.why.contains("no-such-program"), "{missing}");
}

#[test]
fn a_checkpoint_that_is_none_is_refused() {
    let subject = subject_of("good", &[]);
    for hostile in [&b""[..], b"{}\n", b"null", &[0xff; 40], b"{\"seed\":1}\n"] {
        assert!(subject.restore(hostile).is_err(), "{hostile:?}");
    }
}

/// The examples people start from: they answer, and alike in both protocols.
#[test]
fn the_python_examples_read_digits() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: the Python examples are not tested");
        return;
    }
    let digits = digits();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/command");
    let answers = [
        ("nearest_mean.py", "json"),
        ("nearest_mean_binary.py", "binary"),
    ]
    .map(|(script, protocol)| {
        let script = folder.join(script);
        let keys = [("protocol", text(protocol)), ("learns", text("labels"))];
        let subject = build(&["python3", script.to_str().unwrap()], &keys).unwrap();
        testkit::check_subject(subject.as_ref(), digits.fit().unwrap(), &few(digits.test()));
        let fitted = fit(subject.as_ref(), digits.fit().unwrap(), Seed::new(1)).unwrap();
        let Ok(Answers::Classes(said)) = fitted.answer(Question::Classes, digits.test().items())
        else {
            panic!()
        };
        let truth = &digits.test().columns()["class"];
        let right = (0..truth.len())
            .filter(|&i| said.classes()[said.label(i).unwrap() as usize] == truth[i]);
        assert!(
            right.count() as f64 > 0.85 * truth.len() as f64,
            "{protocol}"
        );
        (0..truth.len())
            .map(|i| said.label(i).unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(answers[0], answers[1]);
}

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

/// A subject that accepts images and answers classes, unless `keys` say otherwise.
fn build(
    command: &[&str],
    keys: Keys<'_>,
) -> Result<Box<dyn Subject>, duress_core::problem::Problem> {
    let part = CHECKED;
    let mut all = keys.to_vec();
    all.push((
        "command",
        Raw::List(command.iter().map(|word| text(word)).collect()),
    ));
    for (key, default) in [("accepts", "images"), ("answers", "classes")] {
        if keys.iter().all(|(given, _)| *given != key) {
            all.push((key, text(default)));
        }
    }
    let params = Params::of(part, &all, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let Build::Subject(build) = part.build else {
        unreachable!()
    };
    build(&params).map(|built| match built {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => unreachable!(),
    })
}

fn subject_of(behaviour: &str, keys: Keys<'_>) -> Box<dyn Subject> {
    build(&[CHILD, behaviour], keys).unwrap()
}

fn learner(keys: Keys<'_>) -> Box<dyn Subject> {
    let mut all = keys.to_vec();
    all.push(("learns", text("labels")));
    subject_of("mean", &all)
}

fn teach_nothing(subject: &dyn Subject, items: &Items) -> Result<Box<dyn Fitted>, Failure> {
    fit(
        subject,
        &Split::new(items.clone(), Truth::Nothing).unwrap(),
        Seed::new(1),
    )
}

fn ask(behaviour: &str, keys: Keys<'_>) -> Result<Answers, Failure> {
    ask_of(&[CHILD, behaviour], keys)
}

/// Asks about eight grey images, four at a time.
fn ask_of(command: &[&str], keys: Keys<'_>) -> Result<Answers, Failure> {
    let mut all = keys.to_vec();
    if keys.iter().all(|(key, _)| *key != "batch") {
        all.push(("batch", Raw::Whole(4)));
    }
    let subject = build(command, &all).unwrap();
    teach_nothing(subject.as_ref(), &grey())?.answer(Question::Classes, &grey())
}

fn grey() -> Items {
    let images = Images::new([1, 2, 2], vec![0.5; 32]).unwrap();
    Items::new(
        (0..8).map(|i| i.to_string()).collect(),
        Inputs::Images(images),
    )
    .unwrap()
}

fn digits() -> Dataset {
    let part: &'static Part = &datasets::digits::PART;
    let Build::Dataset(build) = part.build else {
        unreachable!()
    };
    build(&Params::of(part, &[], Path::new("")).unwrap())
        .unwrap()
        .load(Seed::new(1))
        .unwrap()
}

fn few(split: &Split) -> Items {
    split.items().select(&(0..40).collect::<Vec<_>>())
}

/// Remembers what it is told to keep.
#[derive(Default)]
struct RememberingIntake(std::sync::Mutex<Vec<(usize, ItemAnswer)>>);

impl Intake for RememberingIntake {
    fn keep(&self, item: usize, answer: ItemAnswer, _cost: Cost) -> Result<(), Failure> {
        self.0.lock().unwrap().push((item, answer));
        Ok(())
    }

    fn stopping(&self) -> bool {
        false
    }
}

/// How asking item by item ended, and what was kept by then.
fn kept_of(
    behaviour: &str,
    keys: Keys<'_>,
    question: Question,
    items: &Items,
) -> (Result<(), Failure>, Vec<(usize, ItemAnswer)>) {
    let subject = subject_of(behaviour, keys);
    let fitted = teach_nothing(subject.as_ref(), items).unwrap();
    let intake = RememberingIntake::default();
    let each = fitted.item_by_item().unwrap();
    let asked = each.answer_items(question, items, &intake);
    (asked, intake.0.into_inner().unwrap())
}

#[test]
fn classes_are_kept_item_by_item_in_whatever_form_they_are_told() {
    let keys = [("restarts", Raw::Whole(0)), ("batch", Raw::Whole(4))];
    let grey = |items: &[usize]| grey().select(items);
    for (behaviour, told) in [
        ("tells-labels", ItemAnswer::Label(1, None)),
        (
            "tells-probabilities",
            ItemAnswer::Probabilities(vec![0.25, 0.75]),
        ),
        ("tells-logits", ItemAnswer::Logits(vec![0.0, 2.0])),
    ] {
        let kept_of = |items: &Items| kept_of(behaviour, &keys, Question::Classes, items);
        let (broken, kept) = kept_of(&grey(&[0, 1, 2, 3]));
        assert_eq!(broken.unwrap_err().kind, FailureKind::Crashed);
        assert_eq!(kept, [(0, told.clone()), (1, told.clone())], "{behaviour}");
        let (whole, kept) = kept_of(&grey(&[2, 3, 4]));
        whole.unwrap();
        let all = [0, 1, 2].map(|item| (item, told.clone()));
        assert_eq!(kept, all, "{behaviour}: none twice, and null is not kept");
    }
}

#[test]
fn batches_before_the_one_that_breaks_are_kept() {
    let keys = [("restarts", Raw::Whole(0)), ("batch", Raw::Whole(4))];
    let (broken, kept) = kept_of("closes-early", &keys, Question::Classes, &grey());
    assert_eq!(broken.unwrap_err().kind, FailureKind::Crashed);
    let items: Vec<usize> = kept.iter().map(|(item, _)| *item).collect();
    assert_eq!(items, [0, 1, 2, 3]);
}

#[test]
fn what_a_process_tells_before_its_batch_breaks_is_kept_and_only_the_rest_is_asked_again() {
    let texts = |words: &[&str]| {
        let texts = words
            .iter()
            .map(|word| Text::new(*word).with("source", "book"));
        let ids = words.iter().map(|word| (*word).to_string()).collect();
        Items::new(ids, Inputs::Texts(texts.collect())).unwrap()
    };
    let keys = [
        ("accepts", text("texts")),
        ("answers", text("text")),
        ("restarts", Raw::Whole(0)),
    ];
    let kept_of = |behaviour: &str, items: &Items| kept_of(behaviour, &keys, Question::Text, items);
    let (broken, kept) = kept_of("one-by-one", &texts(&["a", "b", "c", "d"]));
    assert_eq!(broken.unwrap_err().kind, FailureKind::Crashed);
    let said = |word: &str| ItemAnswer::Text(format!("{word} (\"book\")"));
    assert_eq!(kept, [(0, said("a")), (1, said("b"))]);
    let (whole, kept) = kept_of("one-by-one", &texts(&["c", "d", "e"]));
    whole.unwrap();
    assert_eq!(
        kept,
        [(0, said("c")), (1, said("d")), (2, said("e"))],
        "none twice"
    );
    let (beyond, _) = kept_of("beyond", &texts(&["a"]));
    assert!(beyond.unwrap_err().why.contains("beyond the 1 asked"));
}
