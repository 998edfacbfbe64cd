//! Language models that judge: what they say becomes ratings, and what cannot be read becomes none.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use duress_core::answer::{AbsenceKind, Answers, RatingAnswers};
use duress_core::data::{Inputs, Items, Split, Text};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{self, Subject, SubjectPart};
use duress_core::truth::Truth;
use duress_parts::judge::subjects::llm_judge::PART;
use duress_stand_in::{Act, Asked, StandIn};

/// The parts that are checked here.
pub(crate) fn checked() -> Vec<&'static Part> {
    vec![&PART, &duress_parts::judge::stressors::inject_llm::PART]
}

const RESPONSE: &str = "The tower was opened in 1989. Women cannot climb it.";

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn items() -> Items {
    let response = Text::new(RESPONSE)
        .with("prompt", "When was it opened?")
        .with("source", "It was opened in 1889.")
        .with("other", "It was opened in 1889.");
    Items::new(vec!["tower".into()], Inputs::Texts(vec![response])).unwrap()
}

fn build(base: &str, keys: &[(&str, Raw)]) -> Result<Box<dyn Subject>, Problem> {
    let mut pairs = vec![
        ("base-url", text(base)),
        ("model", text("stand-in")),
        ("first-wait", Raw::Number(0.001)),
        ("retries", Raw::Whole(1)),
    ];
    pairs.extend(keys.iter().cloned());
    let params = Params::of(&PART, &pairs, Path::new("")).unwrap();
    let Build::Subject(build) = PART.build else {
        panic!("a judge is a subject")
    };
    match build(&params)? {
        SubjectPart::Live(subject) => Ok(subject),
        SubjectPart::Recorded(_) => panic!("it is live"),
    }
}

fn judged(server: &StandIn, keys: &[(&str, Raw)]) -> RatingAnswers {
    let subject = build(&server.base(), keys).unwrap();
    let split = Split::new(items(), Truth::Nothing).unwrap();
    let fitted = subject::fit(subject.as_ref(), &split, Seed::new(1)).unwrap();
    match fitted.answer(Question::Ratings, &items()).unwrap() {
        Answers::Ratings(ratings) => ratings,
        other => panic!("ratings were asked for, {other:?} came"),
    }
}

fn says_always(said: &'static str, keys: &[(&str, Raw)]) -> RatingAnswers {
    judged(&StandIn::start(move |_| Act::says(said)), keys)
}

fn form(name: &str) -> [(&'static str, Raw); 1] {
    [("form", text(name))]
}

/// Two spans; the first is weighed 1, then 2; the second .5, then .5.
fn tags_and_weighs(asked: &Asked) -> Act {
    let prompt = asked.prompt();
    if prompt.contains("List every error") {
        return Act::says(
            "```json\n{\"spans\": [{\"quote\": \"1989\", \"subtype\": \"factual_error\", \"explanation\": \"1889\"}, {\"quote\": \"Women cannot  climb it\", \"subtype\": \"gender_bias\", \"start\": 0, \"end\": 2}]}\n```",
        );
    }
    let severity = match (prompt.contains("\"1989\""), asked.number % 2) {
        (true, 1) => "1",
        (true, _) => "2",
        (false, _) => "0.5",
    };
    Act::says(&format!("{{\"severity\": {severity}}}"))
}

#[test]
fn spans_are_weighed_by_each_judge_and_their_mean_severity_becomes_quality() {
    let server = StandIn::start(tags_and_weighs);
    let rated = judged(&server, &[("judges", Raw::Whole(2))]);
    let near = |name: &str, severity: f64| {
        let expected = 100.0 * (-severity / 2.0).exp();
        let found = rated.rating(0, name).unwrap();
        assert!(
            (found - expected).abs() < 1e-9,
            "{name}: {found} {expected}"
        );
    };
    // .8 × (1 + 2) / 2, .8 × .5, and nothing of E.
    near("T", 0.8 * 1.5);
    near("B", 0.8 * 0.5);
    near("E", 0.0);
    near("T-call-1", 0.8);
    near("T-call-2", 1.6);
    // One call for the spans and two for each of them; each judge has a seed of its own.
    let seen = server.seen();
    assert_eq!(seen.len(), 5);
    assert_eq!(
        seen[2].body["seed"].as_i64().unwrap(),
        seen[1].body["seed"].as_i64().unwrap() + 1
    );
    assert!(seen[0].prompt().contains("It was opened in 1889."));
    assert!(seen[0].body["response_format"].is_object());
}

#[test]
fn a_response_without_a_span_is_flawless_and_asked_about_once() {
    let server = StandIn::start(|_| Act::says("{\"spans\": []}"));
    let rated = judged(&server, &[]);
    assert_eq!(rated.rows()[0], Ok(vec![100.0, 100.0, 100.0]));
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn what_cannot_be_read_is_asked_for_once_more_and_then_is_no_rating() {
    let unreadable = [
        "no errors at all",
        "{\"errors\": []}",
        "{\"spans\": [{\"quote\": \"not in it\", \"subtype\": \"spelling\"}]}",
        "{\"spans\": [{\"quote\": \"1989\", \"subtype\": \"typo\"}]}",
        "{\"spans\": [{\"subtype\": \"spelling\"}]}",
    ];
    for said in unreadable {
        let server = StandIn::start(move |_| Act::says(said));
        let rated = judged(&server, &[]);
        let absence = rated.rows()[0].as_ref().unwrap_err();
        assert_eq!(absence.kind, AbsenceKind::Unparsable, "{said}");
        assert_eq!(server.seen().len(), 2, "{said}");
        assert!(server.seen()[1].prompt().contains("could not be read"));
    }
}

#[test]
fn a_reply_that_is_mended_counts() {
    let server = StandIn::start(|asked| match asked.number {
        0 => Act::says("Looks fine to me."),
        _ => Act::says("{\"spans\": []}"),
    });
    assert_eq!(judged(&server, &[]).rating(0, "T"), Some(100.0));
}

#[test]
fn a_severity_outside_its_scale_is_no_rating() {
    let server = StandIn::start(|asked| match asked.prompt().contains("List every") {
        true => Act::says("{\"spans\": [{\"quote\": \"1989\", \"subtype\": \"factual_error\"}]}"),
        false => Act::says("{\"severity\": 9}"),
    });
    assert!(judged(&server, &[]).rows()[0].is_err());
}

#[test]
fn scores_verdicts_and_preferences_are_read_and_nothing_else_is() {
    let said = |said, form_name| says_always(said, &form(form_name)).rows()[0].clone().ok();
    assert_eq!(
        said("{\"T\": 40, \"B\": 90, \"E\": 100}", "score"),
        Some(vec![40.0, 90.0, 100.0])
    );
    assert_eq!(said("{\"T\": 140, \"B\": 90, \"E\": 100}", "score"), None);
    assert_eq!(said("{\"T\": 40}", "score"), None);
    assert_eq!(
        said("{\"verdict\": \"Pass\"}", "pass-fail"),
        Some(vec![100.0])
    );
    assert_eq!(
        said("{\"verdict\": \"fail\"}", "pass-fail"),
        Some(vec![0.0])
    );
    assert_eq!(said("{\"verdict\": \"maybe\"}", "pass-fail"), None);
    assert_eq!(said("{\"better\": \"first\"}", "pairwise"), Some(vec![1.0]));
    assert_eq!(
        said("{\"better\": \"second\"}", "pairwise"),
        Some(vec![0.0])
    );
    assert_eq!(said("{\"better\": \"tie\"}", "pairwise"), Some(vec![0.5]));
    assert_eq!(said("both", "pairwise"), None);
}

#[test]
fn own_dimensions_belong_to_scores_and_several_calls_to_their_mean() {
    let server =
        StandIn::start(|asked| Act::says(&format!("{{\"tone\": {}}}", 10 * (asked.number + 1))));
    let keys = [
        ("form", text("score")),
        ("dimensions", Raw::List(vec![text("tone")])),
        ("judges", Raw::Whole(3)),
    ];
    let rated = judged(&server, &keys);
    assert_eq!(
        rated.dimensions(),
        ["tone", "tone-call-1", "tone-call-2", "tone-call-3"]
    );
    assert_eq!(rated.rows()[0], Ok(vec![20.0, 10.0, 20.0, 30.0]));
    for key in [
        ("dimensions", Raw::List(vec![text("tone")])),
        ("range", Raw::List(vec![Raw::Whole(1), Raw::Whole(5)])),
    ] {
        assert!(build("http://127.0.0.1:9/v1", &[key]).is_err());
    }
    let stars = [
        ("form", text("score")),
        ("dimensions", Raw::List(vec![text("tone")])),
        ("range", Raw::List(vec![Raw::Whole(1), Raw::Whole(5)])),
    ];
    let server = StandIn::start(|_| Act::says("{\"tone\": 4}"));
    assert_eq!(judged(&server, &stars).rows()[0], Ok(vec![4.0]));
    assert!(
        server.seen()[0]
            .prompt()
            .contains("from 1 (worst) to 5 (flawless)")
    );
    assert!(says_always("{\"tone\": 6}", &stars).rows()[0].is_err());
}

mod injector {
    use super::*;
    use duress_core::severity::Severity;
    use duress_core::stressor::{Blind, PreparedSteps, Stressor};
    use duress_core::testkit;
    use duress_parts::judge::step_id;
    use duress_parts::judge::stressors::inject_llm;

    const WORDS: [&str; 5] = ["alpha", "beta", "gamma", "delta", "omega"];

    fn texts() -> Split {
        let text = |name: &str| Text::new(format!("The {name} has alpha beta gamma delta omega."));
        let texts = ["ship", "tower"].map(text).to_vec();
        let ids = vec!["ship".into(), "tower".into()];
        Split::new(
            Items::new(ids, Inputs::Texts(texts)).unwrap(),
            Truth::Nothing,
        )
        .unwrap()
    }

    fn injector(folder: &Path, base: &str, keys: &[(&str, Raw)]) -> Box<dyn Blind> {
        let mut pairs = vec![
            ("subtype", text("spelling")),
            ("file", text("errors.jsonl")),
            ("base-url", text(base)),
            ("model", text("stand-in")),
            ("retries", Raw::Whole(0)),
        ];
        pairs.extend(keys.iter().cloned());
        let params = Params::of(&inject_llm::PART, &pairs, folder).unwrap();
        let Build::Stressor(build) = inject_llm::PART.build else {
            panic!("it is a stressor")
        };
        match build(&params).unwrap() {
            Stressor::Blind(blind) => blind,
            _ => panic!("it is blind"),
        }
    }

    /// Doubles the last letter of the first word that is still as it was.
    fn misspells(asked: &Asked) -> Act {
        let prompt = asked.prompt();
        let whole = |word: &&&str| {
            prompt.contains(&format!(" {word} ")) || prompt.contains(&format!(" {word}."))
        };
        let word = WORDS.iter().find(whole).unwrap();
        let last = word.chars().last().unwrap();
        Act::says(&format!(
            "{{\"quote\": \"{word}\", \"replacement\": \"{word}{last}\"}}"
        ))
    }

    fn at(k: f64) -> Severity {
        Severity::new(k).unwrap()
    }

    #[test]
    fn errors_are_written_one_by_one_kept_and_read_again_without_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let split = texts();
        let first = {
            let server = StandIn::start(misspells);
            let blind = injector(folder.path(), &server.base(), &[]);
            let made = blind.prepare(split.items(), 3).unwrap().unwrap();
            assert_eq!(
                made,
                PreparedSteps {
                    items: 2,
                    made: 6,
                    refused: 0
                }
            );
            assert_eq!(server.seen().len(), 6);
            blind.identity()
        };
        // Whoever reads the file now asks nobody: there is no server any more.
        let blind = injector(folder.path(), "http://127.0.0.1:9/v1", &[]);
        assert_ne!(blind.identity(), first, "other errors are another stress");
        let steps = blind
            .steps(split.items(), 0, &at(3.0), Seed::new(1))
            .unwrap()
            .unwrap();
        assert_eq!(steps.len(), 3);
        assert_eq!(
            (steps[1].by.as_str(), steps[1].kind.as_str()),
            ("stand-in", "spelling")
        );
        assert_eq!(
            steps[0].marked("The ship has alpha beta gamma delta omega."),
            "The ship has alpha{+a+} beta gamma delta omega."
        );
        assert!(blind.takes_part(split.items(), 1, &at(3.0), 0));
        assert!(!blind.takes_part(split.items(), 1, &at(4.0), 0));
        testkit::check_blind(blind.as_ref(), &split, &[1.0, 2.0, 3.0]);
        // More errors are asked for where some are kept, and no step is asked for twice.
        let server = StandIn::start(misspells);
        let blind = injector(folder.path(), &server.base(), &[]);
        let made = blind.prepare(split.items(), 5).unwrap().unwrap();
        assert_eq!((made.made, server.seen().len()), (4, 4));
    }

    #[test]
    fn a_step_that_is_none_is_asked_for_once_more_and_then_ends_the_dose() {
        let no_steps = [
            "nothing",
            "{\"quote\": \"zeta\", \"replacement\": \"eta\"}",
            "{\"quote\": \"beta\", \"replacement\": \"beta\"}",
        ];
        for said in no_steps {
            let folder = tempfile::tempdir().unwrap();
            let server = StandIn::start(move |_| Act::says(said));
            let blind = injector(folder.path(), &server.base(), &[]);
            let made = blind.prepare(texts().items(), 2).unwrap().unwrap();
            assert_eq!(
                made,
                PreparedSteps {
                    items: 2,
                    made: 0,
                    refused: 2
                },
                "{said}"
            );
            assert_eq!(server.seen().len(), 4, "{said}");
            let blind = injector(folder.path(), &server.base(), &[]);
            let why = blind
                .steps(texts().items(), 0, &at(1.0), Seed::new(1))
                .unwrap();
            assert!(why.unwrap_err().contains("step 1 failed"), "{said}");
        }
        // The second step would undo the first.
        let folder = tempfile::tempdir().unwrap();
        let server = StandIn::start(|asked| match asked.prompt().contains("alphaa") {
            false => Act::says("{\"quote\": \"alpha\", \"replacement\": \"alphaa\"}"),
            true => Act::says("{\"quote\": \"alphaa\", \"replacement\": \"alpha\"}"),
        });
        let blind = injector(folder.path(), &server.base(), &[]);
        let made = blind.prepare(texts().items(), 2).unwrap().unwrap();
        assert_eq!((made.made, made.refused), (2, 2));
    }

    #[test]
    fn what_was_taken_out_is_not_put_in_again_and_no_step_rewrites_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let server = StandIn::start(|asked| match asked.prompt().contains("beta") {
            true => Act::says("{\"quote\": \" beta\", \"replacement\": \"\"}"),
            false => {
                Act::says("{\"quote\": \"alpha gamma\", \"replacement\": \"alpha beta gamma\"}")
            }
        });
        let blind = injector(folder.path(), &server.base(), &[]);
        let made = blind.prepare(texts().items(), 2).unwrap().unwrap();
        assert_eq!((made.made, made.refused), (2, 2));
        let all = "The ship has alpha beta gamma delta omega.";
        let said =
            format!("{{\"quote\": \"{all}\", \"replacement\": \"Something else entirely\"}}");
        let folder = tempfile::tempdir().unwrap();
        let server = StandIn::start(move |_| Act::says(&said));
        let blind = injector(folder.path(), &server.base(), &[]);
        assert_eq!(blind.prepare(texts().items(), 1).unwrap().unwrap().made, 0);
    }

    #[test]
    fn a_server_that_fails_refuses_no_step_and_what_a_kill_cut_short_is_asked_for_again() {
        let folder = tempfile::tempdir().unwrap();
        let failing = StandIn::start(|_| Act::error(500, "overloaded"));
        let blind = injector(folder.path(), &failing.base(), &[]);
        assert!(blind.prepare(texts().items(), 2).unwrap().is_err());
        let server = StandIn::start(misspells);
        let blind = injector(folder.path(), &server.base(), &[]);
        let made = blind.prepare(texts().items(), 2).unwrap().unwrap();
        assert_eq!((made.made, made.refused), (4, 0));
        // Cut the last line as a kill in the middle of writing would.
        let file = folder.path().join("errors.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, &text[..text.len() - 20]).unwrap();
        let server = StandIn::start(misspells);
        let blind = injector(folder.path(), &server.base(), &[]);
        let made = blind.prepare(texts().items(), 2).unwrap().unwrap();
        assert_eq!((made.made, server.seen().len()), (1, 1));
        let lines = std::fs::read_to_string(&file).unwrap();
        assert_eq!(lines.lines().count(), 4);
    }

    #[test]
    fn a_file_that_another_process_writes_to_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let held = std::fs::File::create(folder.path().join("errors.jsonl")).unwrap();
        held.lock().unwrap();
        let server = StandIn::start(misspells);
        let blind = injector(folder.path(), &server.base(), &[]);
        let refused = blind.prepare(texts().items(), 1).unwrap().unwrap_err();
        assert!(refused.why.contains("another process"), "{}", refused.why);
        assert!(server.seen().is_empty());
    }

    /// Two studies are read at the same time; the second waits until the first is done with its file.
    #[test]
    fn what_another_process_kept_meanwhile_is_not_asked_for_again() {
        let folder = tempfile::tempdir().unwrap();
        let server = StandIn::start(misspells);
        let first = injector(folder.path(), &server.base(), &[]);
        let second = injector(folder.path(), &server.base(), &[]);
        assert_eq!(first.prepare(texts().items(), 2).unwrap().unwrap().made, 4);
        let made = second.prepare(texts().items(), 3).unwrap().unwrap();
        assert_eq!((made.made, server.seen().len()), (2, 6));
        let third = injector(folder.path(), &server.base(), &[]);
        assert!(third.takes_part(texts().items(), 1, &at(3.0), 0));
    }

    #[test]
    fn a_step_that_was_rejected_and_those_after_it_do_not_take_part() {
        let folder = tempfile::tempdir().unwrap();
        let server = StandIn::start(misspells);
        let split = texts();
        let blind = injector(folder.path(), &server.base(), &[]);
        blind.prepare(split.items(), 3).unwrap().unwrap();
        let second = "The ship has alphaa beta{+a+} gamma delta omega.";
        let sheet = format!(
            "id,diff,verdict\n{},x,rejected\nffff,y,accepted\nfffe,z,\n",
            step_id(second)
        );
        std::fs::write(folder.path().join("review.csv"), sheet).unwrap();
        let keys = [("reviewed", text("review.csv"))];
        let reviewed = injector(folder.path(), &server.base(), &keys);
        let takes_part = |item, k| reviewed.takes_part(split.items(), item, &at(k), 0);
        assert_eq!(
            [1.0, 2.0, 3.0].map(|k| takes_part(0, k)),
            [true, false, false]
        );
        assert!(takes_part(1, 3.0));
        let plain = injector(folder.path(), &server.base(), &[]);
        assert_ne!(reviewed.identity(), plain.identity());
    }
}
