//! Subjects behind an endpoint: prompts go out as the study says, and only answers come back as
//! answers.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::Path;

use duress_core::answer::{AbsenceKind, Answers, ItemAnswer, Said};
use duress_core::cost::Cost;
use duress_core::data::{Inputs, Items, Text};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{self, Failure, Fitted, Intake, Subject, SubjectPart};
use duress_parts::shared::subjects::endpoint::PART;
use duress_stand_in::{Act, StandIn, chat_reply};
use serde_json::json;

/// The parts that are checked here.
pub(crate) fn checked() -> Vec<&'static Part> {
    vec![&PART]
}

type Keys<'a> = &'a [(&'a str, Raw)];

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn texts(texts: &[&str]) -> Raw {
    Raw::List(texts.iter().map(|one| text(one)).collect())
}

fn table(pairs: &[(&str, Raw)]) -> Raw {
    let pair = |(key, raw): &(&str, Raw)| ((*key).to_string(), raw.clone());
    Raw::Table(pairs.iter().map(pair).collect())
}

fn build(base: &str, keys: Keys<'_>) -> Result<Box<dyn Subject>, Vec<Problem>> {
    let mut pairs = vec![
        ("base-url", text(base)),
        ("model", text("stand-in")),
        ("first-wait", Raw::Number(0.001)),
        ("retries", Raw::Whole(1)),
    ];
    pairs.retain(|(key, _)| keys.iter().all(|(other, _)| other != key));
    pairs.extend(keys.iter().cloned());
    let params = Params::of(&PART, &pairs, Path::new(""))?;
    let Build::Subject(build) = PART.build else {
        panic!("an endpoint is a subject")
    };
    match build(&params).map_err(|problem| vec![problem])? {
        SubjectPart::Live(subject) => Ok(subject),
        SubjectPart::Recorded(_) => panic!("an endpoint is live"),
    }
}

fn items() -> Items {
    let item = |(text, source): (&str, &str)| Text::new(text).with("source", source);
    let all = [("a good film", "paper"), ("a bad film", "radio")].map(item);
    let ids = vec!["1".into(), "2".into()];
    Items::new(ids, Inputs::Texts(all.to_vec())).unwrap()
}

fn ready(subject: &dyn Subject) -> Result<Box<dyn Fitted>, Failure> {
    let split = duress_core::data::Split::new(
        items(),
        duress_core::truth::Truth::References(vec![Vec::new(); 2]),
    )
    .unwrap();
    subject::fit(subject, &split, Seed::new(1))
}

fn ask(server: &StandIn, question: Question, keys: Keys<'_>) -> Result<Answers, Failure> {
    let subject = build(&server.base(), keys).unwrap();
    ready(subject.as_ref())?.answer(question, &items())
}

const CLASSES: [&str; 2] = ["negative", "positive"];

#[test]
fn prompts_are_filled_in_and_every_sampling_key_is_sent() {
    let server = StandIn::start(|asked| Act::says(&asked.prompt().to_uppercase()));
    let keys = [
        ("system", text("Be brief.")),
        ("template", text("{{ source }}: {{ text }}")),
        ("omit", texts(&["top-p"])),
        ("body", table(&[("user", text("me"))])),
        ("in-flight", Raw::Whole(1)),
    ];
    let Answers::Texts(said) = ask(&server, Question::Text, &keys).unwrap() else {
        panic!("texts were asked for")
    };
    let expected = ["PAPER: A GOOD FILM", "RADIO: A BAD FILM"];
    assert_eq!(said.texts, expected.map(|text| Ok(text.to_string())));
    let body = &server.seen()[0].body;
    assert_eq!(
        body["messages"][0],
        json!({"role": "system", "content": "Be brief."})
    );
    assert_eq!(
        (&body["temperature"], &body["max_tokens"]),
        (&json!(0.0), &json!(256))
    );
    assert_eq!(body["user"], "me");
    assert!(body["seed"].is_i64() && body.get("top_p").is_none());
}

#[test]
fn classes_are_read_from_texts_and_what_names_none_is_unparsable() {
    let server = StandIn::start(|asked| match asked.prompt().contains("good") {
        true => Act::says("Positive."),
        false => Act::says("Who knows?"),
    });
    let keys = [("answers", text("classes")), ("classes", texts(&CLASSES))];
    let answers = ask(&server, Question::Classes, &keys).unwrap();
    let Answers::Classes(said) = &answers else {
        panic!("classes were asked for")
    };
    assert_eq!(said.label(0), Some(1));
    assert_eq!(answers.absence(1), Some(AbsenceKind::Unparsable));
}

#[test]
fn log_probabilities_of_the_first_token_are_probabilities() {
    let server = StandIn::start(|_| {
        let mut reply = chat_reply("A");
        let top = [("A", 0.25_f64), ("B", 0.5), ("The", 0.25)]
            .map(|(token, p)| json!({"token": token, "logprob": p.ln()}));
        reply["choices"][0]["logprobs"] = json!({"content": [{"top_logprobs": top}]});
        reply["choices"][0]["finish_reason"] = json!("length");
        Act::json(200, &reply)
    });
    let keys = [
        ("answers", text("classes")),
        ("classes", texts(&CLASSES)),
        ("choices", text("letters")),
        ("class-from", text("first-token")),
        ("max-tokens", Raw::Whole(1)),
    ];
    let Answers::Classes(said) = ask(&server, Question::Classes, &keys).unwrap() else {
        panic!("classes were asked for")
    };
    let Said::Probabilities(rows) = said.said() else {
        panic!("{said:?}")
    };
    assert!((rows[0] - 1.0 / 3.0).abs() < 1e-12, "{rows:?}");
    assert_eq!(said.label(0), Some(1));
    assert_eq!(server.seen()[0].body["top_logprobs"], 20);
}

#[test]
fn a_rating_that_cannot_be_read_is_asked_for_once_more() {
    let server = StandIn::start(
        |asked| match asked.body["messages"].as_array().unwrap().len() {
            1 if asked.prompt().contains("good") => Act::says("```json\n{\"T\": 4}\n```"),
            1 => Act::says("I would say four."),
            _ => Act::says("{\"T\": 2}"),
        },
    );
    let keys = [("answers", text("ratings")), ("dimensions", texts(&["T"]))];
    let Answers::Ratings(said) = ask(&server, Question::Ratings, &keys).unwrap() else {
        panic!("ratings were asked for")
    };
    assert_eq!(
        (said.rating(0, "T"), said.rating(1, "T")),
        (Some(4.0), Some(2.0))
    );
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    let repair = seen
        .iter()
        .find(|asked| asked.body["messages"].as_array().unwrap().len() == 3);
    let repair = repair.unwrap();
    assert_eq!(repair.body["messages"][1]["content"], "I would say four.");
    assert!(repair.prompt().contains("JSON"), "{}", repair.prompt());
    assert!(seen[0].body["response_format"]["json_schema"]["schema"].is_object());
}

/// Counts the requests that answers cost.
#[derive(Default)]
struct CountingIntake(std::sync::Mutex<u64>);

impl Intake for CountingIntake {
    fn keep(&self, _item: usize, _answer: ItemAnswer, cost: Cost) -> Result<(), Failure> {
        *self.0.lock().unwrap() += cost.requests;
        Ok(())
    }

    fn stopping(&self) -> bool {
        false
    }
}

#[test]
fn a_rating_that_cannot_be_read_twice_is_absent_and_both_requests_are_counted() {
    let server = StandIn::start(|_| Act::says("I would say four."));
    let keys = [("answers", text("ratings")), ("dimensions", texts(&["T"]))];
    let subject = build(&server.base(), &keys).unwrap();
    let fitted = ready(subject.as_ref()).unwrap();
    let intake = CountingIntake::default();
    let each = fitted.item_by_item().unwrap();
    each.answer_items(Question::Ratings, &items(), &intake)
        .unwrap();
    assert_eq!(*intake.0.lock().unwrap(), 4, "two items, asked twice each");
    assert_eq!(server.seen().len(), 4);
    let answers = fitted.answer(Question::Ratings, &items()).unwrap();
    assert_eq!(answers.absence(0), Some(AbsenceKind::Unparsable));
}

#[test]
fn what_is_no_answer_is_absent_and_says_of_which_kind() {
    let check = |act: Act, expected: AbsenceKind| {
        let server = StandIn::start(move |_| act.clone());
        let keys = [("refusals", texts(&["I'm sorry"]))];
        let answers = ask(&server, Question::Text, &keys).unwrap();
        assert_eq!(answers.absence(0), Some(expected));
    };
    let mut cut = chat_reply("a tow");
    cut["choices"][0]["finish_reason"] = json!("length");
    check(Act::json(200, &cut), AbsenceKind::CutOff);
    check(Act::says("I'm sorry, I cannot."), AbsenceKind::Refused);
    check(Act::says(""), AbsenceKind::Empty);
    check(
        Act::json(200, &json!({"choices": []})),
        AbsenceKind::Unparsable,
    );
    let long = json!({"error": {"type": "exceed_context_size_error"}});
    check(Act::json(400, &long), AbsenceKind::TooLong);
    check(Act::error(500, "broken"), AbsenceKind::Failed);
}

#[test]
fn another_model_than_was_asked_for_is_remarked_on() {
    let server = StandIn::start(|_| Act::says("a tower"));
    let remarks = |keys: Keys<'_>| {
        let subject = build(&server.base(), keys).unwrap();
        let fitted = ready(subject.as_ref()).unwrap();
        fitted.answer(Question::Text, &items()).unwrap();
        fitted.remarks()
    };
    assert_eq!(remarks(&[]), Vec::<String>::new());
    let other = remarks(&[("model", text("large"))]);
    assert!(
        other[0].contains("\"large\"") && other[0].contains("\"stand-in\""),
        "{other:?}"
    );
}

#[test]
fn a_spent_budget_is_a_failure_that_says_so() {
    let server = StandIn::start(|_| Act::says("a tower"));
    let keys = [
        ("budget", table(&[("requests", Raw::Whole(1))])),
        ("in-flight", Raw::Whole(1)),
    ];
    let failure = ask(&server, Question::Text, &keys).unwrap_err();
    assert!(failure.why.contains("budget of 1 requests"), "{failure}");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn only_what_decides_answers_is_the_identity() {
    let identity = |keys: Keys<'_>| {
        let subject = build("http://127.0.0.1:1/v1", keys).unwrap();
        subject.identity().unwrap()
    };
    let plain = identity(&[]);
    for (key, value) in [
        ("in-flight", Raw::Whole(99)),
        ("retries", Raw::Whole(0)),
        ("timeout", Raw::Whole(9)),
        ("key-env", text("SOME_KEY")),
        ("budget", table(&[("requests", Raw::Whole(1))])),
    ] {
        assert_eq!(identity(&[(key, value)]), plain, "{key}");
    }
    for (key, value) in [
        ("model", text("large")),
        ("base-url", text("http://127.0.0.1:2/v1")),
        ("template", text("{{ text }}!")),
        ("system", text("Be brief.")),
        ("temperature", Raw::Number(0.5)),
        ("body", table(&[("user", text("me"))])),
    ] {
        assert_ne!(identity(&[(key, value)]), plain, "{key}");
    }
}

#[test]
fn what_a_run_costs_is_known_before() {
    let price = table(&[("input", Raw::Whole(1)), ("output", Raw::Whole(2))]);
    let keys = [("price", price), ("max-tokens", Raw::Whole(100))];
    let subject = build("http://127.0.0.1:1/v1", &keys).unwrap();
    let cost = subject.estimate(&items()).unwrap();
    assert_eq!((cost.requests, cost.output_tokens), (2, Some(200)));
    assert_eq!(cost.input_tokens, 6, "21 characters");
    assert!((cost.price.unwrap() - 406.0 / 1e6).abs() < 1e-12);
}

#[test]
fn keys_that_cannot_be_are_refused_before_anyone_is_asked() {
    let check = |keys: Keys<'_>, expected: &str| {
        let problems = build("http://127.0.0.1:1/v1", keys).err().unwrap();
        let said = format!("{problems:?}");
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains("hidden"), "{said}");
    };
    check(
        &[("base-url", text("http://me:hidden@host/v1"))],
        "password",
    );
    check(
        &[("key-env", text("hidden-key-value"))],
        "not the name of an environment variable",
    );
    check(
        &[("headers", table(&[("api-key", text("hidden"))]))],
        "env:NAME",
    );
    check(&[("answers", text("classes"))], "without two `classes`");
    check(&[("answers", text("ratings"))], "without `dimensions`");
    check(&[("template", text("{{ text"))], "template");
    check(
        &[("budget", table(&[("request", Raw::Whole(1))]))],
        "budget.request",
    );
    check(
        &[("budget", table(&[("cost", Raw::Whole(1))]))],
        "without `price`",
    );
    check(&[("omit", texts(&["temprature"]))], "temprature");
    check(
        &[("body", table(&[("stream", Raw::Flag(true))]))],
        "read whole",
    );
    check(&[("body", table(&[("n", Raw::Whole(2))]))], "`repeats`");
    let first_token = [
        ("wire", text("anthropic")),
        ("answers", text("classes")),
        ("classes", texts(&CLASSES)),
        ("class-from", text("first-token")),
    ];
    check(&first_token, "no log-probabilities");
}

#[test]
fn a_template_that_wants_what_is_not_there_is_refused_with_what_is() {
    let subject = build("http://127.0.0.1:1/v1", &[("template", text("{{ txet }}"))]).unwrap();
    let problem = subject.suits(0, &items(), None).unwrap_err();
    let expected = problem.expected.unwrap();
    assert!(
        expected.contains("source") && expected.contains("text"),
        "{expected}"
    );
}

#[test]
fn examples_are_lines_that_templates_know() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("few.jsonl");
    std::fs::write(&file, "{\"q\": \"one\", \"a\": \"two\"}\n").unwrap();
    let server = StandIn::start(|asked| Act::says(asked.prompt()));
    let keys = [
        ("examples", text(file.to_str().unwrap())),
        (
            "template",
            text("{% for e in examples %}{{ e.q }}={{ e.a }};{% endfor %}{{ text }}"),
        ),
    ];
    let Answers::Texts(said) = ask(&server, Question::Text, &keys).unwrap() else {
        panic!("texts were asked for")
    };
    assert_eq!(said.texts[0], Ok("one=two;a good film".into()));
    let subject = build(&server.base(), &keys).unwrap();
    assert_eq!(subject.sources(0).unwrap(), std::slice::from_ref(&file));
    std::fs::write(&file, "{}\nnot json\n").unwrap();
    let problems = build(&server.base(), &keys).err().unwrap();
    assert_eq!(problems[0].line, Some(2));
}

#[test]
fn one_pool_serves_all_that_is_fitted() {
    let server = StandIn::start(|asked| Act::says(asked.prompt()).after(30));
    let subject = build(&server.base(), &[("in-flight", Raw::Whole(2))]).unwrap();
    let fitted: Vec<Box<dyn Fitted>> = (0..3).map(|_| ready(subject.as_ref()).unwrap()).collect();
    std::thread::scope(|scope| {
        for one in &fitted {
            scope.spawn(|| one.answer(Question::Text, &items()).unwrap());
        }
    });
    assert_eq!(server.most_at_once(), 2);
    let restored = subject.restore(&fitted[0].checkpoint()).unwrap();
    assert_eq!(restored.checkpoint(), fitted[0].checkpoint());
}

#[test]
fn a_key_that_is_not_set_is_named_before_anyone_is_asked() {
    let keys = [("key-env", text("DURESS_NO_SUCH_KEY"))];
    let subject = build("http://127.0.0.1:1/v1", &keys).unwrap();
    assert!(subject.remarks(0, &items())[0].contains("DURESS_NO_SUCH_KEY"));
    let failure = ready(subject.as_ref()).err().unwrap();
    assert!(
        failure.why.contains("DURESS_NO_SUCH_KEY is not set"),
        "{failure}"
    );
    let empty: BTreeMap<String, Raw> = BTreeMap::new();
    assert!(build("http://127.0.0.1:1/v1", &[("body", Raw::Table(empty))]).is_ok());
}

#[test]
fn texts_are_compared_by_embeddings_whole_and_by_tokens_and_by_rerank() {
    let server = StandIn::start(|asked| match asked.path.as_str() {
        "/v1/embeddings" => {
            let rows = asked.body["input"].as_array().unwrap().iter().enumerate();
            let row = |(index, text): (usize, &serde_json::Value)| {
                let length = text.as_str().unwrap().trim().len() as f64;
                assert!(length > 0.0, "an empty text is not embedded");
                json!({"index": index, "embedding": [length, 1.0]})
            };
            Act::json(200, &json!({"data": rows.map(row).collect::<Vec<_>>()}))
        }
        "/v1/rerank" => {
            let results = json!([{"index": 0, "relevance_score": -2.5}]);
            Act::json(200, &json!({"results": results}))
        }
        other => panic!("{other}"),
    });
    let rated = |answers: &str| {
        let keys = [("answers", text(answers)), ("against", text("source"))];
        let Answers::Ratings(said) = ask(&server, Question::Ratings, &keys).unwrap() else {
            panic!("ratings were asked for")
        };
        said.rating(0, answers).unwrap()
    };
    // Lengths 11 and 5: the cosine of (11, 1) and (5, 1).
    let expected = 56.0 / (122.0_f64 * 26.0).sqrt();
    assert!((rated("similarity") - expected).abs() < 1e-12);
    assert_eq!(rated("relevance"), -2.5);
    // Tokens of lengths 1, 4 and 4, matched with one of length 5, which is likest to those of 4.
    let alike = |length: f64| (5.0 * length + 1.0) / ((length * length + 1.0) * 26.0).sqrt();
    let precision = (alike(1.0) + 2.0 * alike(4.0)) / 3.0;
    let expected = 2.0 * precision * alike(4.0) / (precision + alike(4.0));
    assert!((rated("token-match") - expected).abs() < 1e-12);
    // An empty text is like nothing, and no server embeds it.
    let empty = Text::new(" ").with("source", "paper");
    let empty = Items::new(vec!["1".into()], Inputs::Texts(vec![empty])).unwrap();
    for answers in ["similarity", "token-match"] {
        let keys = [("answers", text(answers)), ("against", text("source"))];
        let subject = build(&server.base(), &keys).unwrap();
        let told = ready(subject.as_ref()).unwrap();
        let Ok(Answers::Ratings(said)) = told.answer(Question::Ratings, &empty) else {
            panic!("ratings were asked for")
        };
        assert_eq!(said.rating(0, answers), Some(0.0));
    }
    let nothing = [("answers", text("similarity"))];
    let subject = build(&server.base(), &nothing).unwrap();
    let problem = subject.suits(0, &items(), None).unwrap_err();
    assert!(problem.to_string().contains("`reference`"), "{problem}");
}

#[test]
fn repeats_are_requests_of_their_own_and_their_shares_are_probabilities() {
    let server = StandIn::start(|asked| match asked.number % 4 {
        0 => Act::says("negative"),
        _ => Act::says("positive"),
    });
    let keys = [
        ("answers", text("classes")),
        ("classes", texts(&CLASSES)),
        ("repeats", Raw::Whole(4)),
        ("in-flight", Raw::Whole(1)),
    ];
    let Answers::Classes(said) = ask(&server, Question::Classes, &keys).unwrap() else {
        panic!("classes were asked for")
    };
    assert!(
        matches!(said.said(), Said::Probabilities(rows) if rows[..] == [0.25, 0.75, 0.25, 0.75])
    );
    let seen = server.seen();
    assert_eq!(seen.len(), 8);
    let seeds: std::collections::BTreeSet<i64> = seen
        .iter()
        .map(|asked| asked.body["seed"].as_i64().unwrap())
        .collect();
    assert_eq!(
        seeds.len(),
        4,
        "each time another seed, the same for all items"
    );
    let wrong = build(&server.base(), &[("repeats", Raw::Whole(2))])
        .err()
        .unwrap();
    assert!(format!("{wrong:?}").contains("`repeats` without classes"));
    let subject = build(&server.base(), &keys).unwrap();
    assert_eq!(subject.estimate(&items()).unwrap().requests, 8);
}

#[test]
fn anthropics_messages_are_asked_and_read() {
    let server = StandIn::start(|_| Act::json(200, &duress_stand_in::messages_reply("a tower")));
    let keys = [("wire", text("anthropic")), ("system", text("Be brief."))];
    let Answers::Texts(said) = ask(&server, Question::Text, &keys).unwrap() else {
        panic!("texts were asked for")
    };
    assert_eq!(said.texts[0], Ok("a tower".into()));
    let asked = &server.seen()[0];
    assert_eq!(
        (asked.path.as_str(), &asked.body["system"]),
        ("/v1/messages", &json!("Be brief."))
    );
    assert!(asked.header("anthropic-version").is_some());
}
