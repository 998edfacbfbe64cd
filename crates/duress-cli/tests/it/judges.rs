//! Studies of judges: what is said where nothing moves, and models that write errors and judge them.

use std::path::Path;
use std::process::Command;

use duress_stand_in::{Act, Asked, StandIn};

use crate::harness::TestFolder;

/// A judge that says the same of everything, with one claim that it leaves a dimension alone.
fn study(margin: f64) -> String {
    format!(
        r#"
name = "constant"
seeds = [1]

[dataset.responses]
use = "judged-responses"

[subject.constant]
use = "planted-judge"
on = "responses"

[ladder.spelling]
use = "inject-spelling"
severities = [1, 2, 3, 4, 5]

[gauge.B]
use = "quality"
dimension = "B"

[gauge.B-slope]
use = "dose-slope"
of = "B"

[analysis]
units = "items"
gauges = ["B", "B-slope"]

[[claim]]
name = "spelling leaves B"
gauge = "B-slope"
of = "constant"
at = {{ ladder = "spelling" }}
side = "equivalent"
margin = {margin}
"#
    )
}

/// Scores between 0 and 100 over doses from 0 to 5 have slopes up to 100 · 4.5 / 17.5. If a share s of
/// other responses had the steepest, the mean could be s times that; none of 24 has any.
#[test]
fn a_slope_that_is_zero_for_every_response_is_judged_by_how_many_others_could_move() {
    let steepest = 100.0 * 4.5 / 17.5;
    for (margin, verdict) in [(1.0, "undecided"), (6.0, "upheld")] {
        let folder = TestFolder::new();
        let (said, findings) = folder.run(&study(margin));
        let claim = &findings["claims"][0];
        assert_eq!(claim["verdict"], verdict, "{said}");
        let p = claim["test"]["Ok"]["p"].as_f64().unwrap();
        let expected = (1.0_f64 - margin / steepest).powi(24);
        assert!((p - expected).abs() < 1e-9, "{p} {expected}");
        let slope = findings["estimates"].as_array().unwrap().iter();
        let slope = slope.filter(|one| one["gauge"] == "B-slope");
        let high = slope.map(|one| one["interval"]["Ok"]["high"].as_f64().unwrap());
        let reach = steepest * (1.0 - 0.025_f64.powf(1.0 / 24.0));
        assert!(
            high.clone().all(|high| (high - reach).abs() < 1e-9),
            "{findings}"
        );
        assert_eq!(high.count(), 1);
        if verdict == "undecided" {
            // ln .025 / ln(1 − 1 / 25.71): so many responses, none of which moves, at a further look.
            assert!(said.contains("about 94 items (24 now), if none"), "{said}");
        }
    }
}

/// A model that writes an error where it is asked to, and finds as many as there are.
fn writes_and_judges(asked: &Asked) -> Act {
    let prompt = asked.prompt();
    if prompt.contains("Put exactly one error") {
        let quote = if prompt.contains("fouur") {
            "lanes"
        } else {
            "four"
        };
        let replacement = if quote == "four" { "fouur" } else { "lannes" };
        return Act::says(&format!(
            "{{\"quote\": \"{quote}\", \"replacement\": \"{replacement}\"}}"
        ));
    }
    if prompt.contains("List every error") {
        let found = ["fouur", "lannes"]
            .into_iter()
            .filter(|word| prompt.contains(word));
        let spans =
            found.map(|word| format!("{{\"quote\": \"{word}\", \"subtype\": \"spelling\"}}"));
        let spans: Vec<String> = spans.collect();
        return Act::says(&format!("{{\"spans\": [{}]}}", spans.join(", ")));
    }
    Act::says("{\"severity\": 1}")
}

#[test]
fn errors_that_a_model_writes_are_kept_judged_and_said_to_be_its_own() {
    let server = StandIn::start(writes_and_judges);
    let folder = TestFolder::new();
    let response = "The bridge has four lanes.";
    let responses: String = (0..4)
        .map(|at| format!("{{\"id\": \"r{at}\", \"response\": \"{response}\", \"source\": \"Four lanes. {at}\"}}\n"))
        .collect();
    folder.write("responses.jsonl", responses);
    let model = |base: &str| format!("base-url = \"{base}\"\nmodel = \"one\"\nretries = 0");
    let study = format!(
        "name = \"own\"\nseeds = [1]\n[dataset.responses]\nuse = \"judged-responses\"\nfile = \"responses.jsonl\"\n\
         [subject.judge]\nuse = \"llm-judge\"\n{0}\n[ladder.spelling]\nuse = \"inject-llm\"\nsubtype = \"spelling\"\nfile = \"errors.jsonl\"\n{0}\nseverities = [1, 2]\n\
         [analysis]\nunits = \"items\"\ngauges = [\"quality\"]\n",
        model(&server.base())
    );
    folder.write("study.toml", &study);
    // A run asks the model for no error, and says who does.
    let (code, _, wrong) = folder.duress(&["run", "study.toml"]);
    assert_eq!(code, 2, "{wrong}");
    assert!(
        wrong.contains("no error that a model writes is kept") && wrong.contains("duress inject"),
        "{wrong}"
    );
    let (code, told, _) = folder.check(&study);
    assert!(code == 0 && told.contains("duress inject"), "{told}");
    let said = folder.done(&["inject", "study.toml"]);
    assert!(
        said.contains("spelling: 8 errors put into 4 texts; 0 could"),
        "{said}"
    );
    let (said, findings) = folder.run(&study);
    // 100 · exp(−.1 k / 2).
    let value = |at: usize| {
        findings["estimates"][at]["value"]["value"]
            .as_f64()
            .unwrap()
    };
    let expected = |k: f64| 100.0 * (-0.05 * k).exp();
    for (at, k) in [(0, 0.0), (1, 1.0), (2, 2.0)] {
        assert!((value(at) - expected(k)).abs() < 1e-9, "{findings}");
    }
    let caveats = findings["caveats"].to_string();
    assert!(caveats.contains("own-errors"), "{said}");
    let (_, told, _) = folder.check(&study);
    assert!(
        told.contains("judges errors that it wrote itself"),
        "{told}"
    );
    // The sheet of a review is of these steps.
    folder.done(&["review", "study.toml", "--out", "sheet"]);
    assert!(
        folder
            .read("sheet/review.csv")
            .contains("has fou{+u+}r lanes")
    );
    // A sheet that rejects what is not there is of other errors.
    folder.write("other.csv", "id,verdict\ns0123456789ab,rejected\n");
    let keys = "file = \"errors.jsonl\"\nreviewed = \"other.csv\"";
    folder.write("study.toml", study.replace("file = \"errors.jsonl\"", keys));
    let (code, _, wrong) = folder.duress(&["run", "study.toml", "--out", "reviewed"]);
    assert_eq!(code, 2, "{wrong}");
    assert!(
        wrong.contains("rejects 1 steps") && wrong.contains("s0123456789ab"),
        "{wrong}"
    );
}

/// Four pairs as JudgeBench keeps them: a judge that is right in both orders, one that takes whoever
/// stands first, one that is wrong in both, and one without a decision.
#[test]
fn judgements_of_judgebench_are_read_in_the_frame_they_were_made_in() {
    let row = |id: &str, label: &str, decisions: [&str; 2]| {
        let said = decisions.map(|one| format!("{{\"decision\": {one}}}"));
        format!(
            "{{\"pair_id\": \"{id}\", \"source\": \"x\", \"question\": \"?\", \"response_A\": \"{id} a\", \"response_B\": \"{id} b\", \"label\": \"{label}\", \"judgments\": [{}, {}]}}\n",
            said[0], said[1]
        )
    };
    let (a, b) = ("\"A>B\"", "\"B>A\"");
    let rows = [
        row("right", "A>B", [a, b]),
        row("first", "A>B", [a, a]),
        row("wrong", "B>A", [a, b]),
        row("none", "A>B", ["null", a]),
    ];
    let folder = TestFolder::new();
    folder.write("judged.jsonl", rows.concat());
    let study = "name = \"pairs\"\nseeds = [1]\n[dataset.pairs]\nuse = \"judged-pairs\"\nfile = \"judged.jsonl\"\n\
        [subject.judge]\nuse = \"recorded-judgements\"\nfile = \"judged.jsonl\"\n[ladder.swapped]\nuse = \"elsewhere\"\nseverities = [1]\n\
        [analysis]\nunits = \"items\"\ngauges = [\"order-consistency\", \"both-orders-accuracy\"]\n";
    let (said, findings) = folder.run(study);
    let value = |gauge: &str| {
        let estimates = findings["estimates"].as_array().unwrap().iter();
        let mut own = estimates.filter(|one| one["gauge"] == gauge);
        own.next().unwrap()["value"]["value"].as_f64().unwrap()
    };
    assert!(
        (value("order-consistency") - 2.0 / 3.0).abs() < 1e-9,
        "{said}"
    );
    assert!(
        (value("both-orders-accuracy") - 1.0 / 3.0).abs() < 1e-9,
        "{said}"
    );
}

/// A study that asks a judge twenty times about each of eight responses.
fn calls_study(server: &StandIn) -> String {
    let gauges = ["interval-coverage", "call-error"].map(|gauge| {
        [1, 3, 5].map(|calls| {
            format!("[gauge.{gauge}-{calls}]\nuse = \"{gauge}\"\ndimension = \"tone\"\ncalls = {calls}\n")
        })
    });
    format!(
        "name = \"calls\"\nseeds = [1]\n[dataset.responses]\nuse = \"judged-responses\"\nfile = \"responses.jsonl\"\n\
         [subject.judge]\nuse = \"llm-judge\"\nform = \"score\"\ndimensions = [\"tone\"]\njudges = 20\ntemperature = 1.0\nbase-url = \"{}\"\nmodel = \"one\"\n{}\
         [analysis]\nunits = \"items\"\ngauges = [{}]\n",
        server.base(),
        gauges.concat().concat(),
        ["interval-coverage", "call-error"]
            .map(|gauge| [1, 3, 5]
                .map(|calls| format!("\"{gauge}-{calls}\""))
                .join(", "))
            .join(", ")
    )
}

#[test]
fn twenty_calls_say_whether_the_interval_of_a_few_covers_and_the_same_reply_says_nothing() {
    let responses: String = (0..8)
        .map(|at| format!("{{\"id\": \"r{at}\", \"response\": \"Response number {at}.\"}}\n"))
        .collect();
    let noisy = StandIn::start(|asked| {
        let drawn = asked.body["seed"]
            .as_u64()
            .unwrap()
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            >> 59;
        Act::says(&format!("{{\"tone\": {}}}", 40 + drawn))
    });
    let folder = TestFolder::new();
    folder.write("responses.jsonl", &responses);
    let (said, findings) = folder.run(&calls_study(&noisy));
    let reading = |findings: &serde_json::Value, gauge: &str| {
        let estimates = findings["estimates"].as_array().unwrap().iter();
        let mut own = estimates.filter(|one| one["gauge"] == gauge);
        own.next().unwrap()["value"].clone()
    };
    let value = |gauge: &str| reading(&findings, gauge)["value"].as_f64().unwrap();
    assert!(
        (0.5..=1.0).contains(&value("interval-coverage-3")),
        "{said}"
    );
    assert!(
        (0.5..=1.0).contains(&value("interval-coverage-5")),
        "{said}"
    );
    let shrinks = value("call-error-3") / value("call-error-5");
    assert!((0.9..1.9).contains(&shrinks), "{shrinks}: {said}");
    let one = reading(&findings, "interval-coverage-1").to_string();
    assert!(one.contains("one call gives no interval"), "{one}");

    let same = StandIn::start(|_| Act::says("{\"tone\": 70}"));
    let folder = TestFolder::new();
    folder.write("responses.jsonl", &responses);
    let (_, findings) = folder.run(&calls_study(&same));
    let vacuous = reading(&findings, "interval-coverage-5").to_string();
    assert!(vacuous.contains("says the same"), "{vacuous}");
}

#[test]
fn lines_without_a_response_are_told_what_they_have_instead() {
    let folder = TestFolder::new();
    folder.write(
        "mine.jsonl",
        "{\"id\": \"a\", \"answer\": \"Two lanes.\"}\n",
    );
    let named = "use = \"judged-responses\"\nfile = \"mine.jsonl\"";
    let study = study(1.0).replace("use = \"judged-responses\"", named);
    let (code, _, wrong) = folder.check(&study);
    assert_eq!(code, 2);
    assert!(
        wrong.contains("no line has a `response`; there is: answer"),
        "{wrong}"
    );
}

/// The example that ships, with dimensions of its own.
#[test]
fn a_judge_of_ones_own_is_a_process_with_its_own_dimensions() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: the process is not tested");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/command/judge.py");
    let study = format!(
        "name = \"mine\"\nseeds = [1]\n[dataset.responses]\nuse = \"judged-responses\"\n\
         [subject.mine]\nuse = \"command\"\ncommand = [\"python3\", {script:?}]\naccepts = \"texts\"\nanswers = \"ratings\"\n\
         [ladder.factual_error]\nuse = \"inject-factual-error\"\nseverities = [1, 2, 3]\n\
         [gauge.support]\nuse = \"quality\"\ndimension = \"support\"\n\
         [gauge.support-slope]\nuse = \"dose-slope\"\nof = \"support\"\n\
         [gauge.trust]\nuse = \"quality\"\ndimension = \"T\"\n\
         [analysis]\nunits = \"items\"\ngauges = [\"support\", \"support-slope\", \"trust\"]\n"
    );
    let folder = TestFolder::new();
    let (said, findings) = folder.run(&study);
    let estimates = findings["estimates"].as_array().unwrap().iter();
    let mut slopes = estimates.filter(|one| one["gauge"] == "support-slope");
    let slope = slopes.next().unwrap()["value"]["value"].as_f64().unwrap();
    assert!(slope < -5.0, "{said}");
    // A dimension that it does not have is told with those that it has.
    assert!(
        said.contains("nobody rated in the dimension `T`; there is: support, brevity"),
        "{said}"
    );
}

/// A judge that varies is asked about the same responses once for each kind of error.
#[test]
fn ratings_without_an_error_may_differ_between_kinds_of_error() {
    let mut table = String::from("id,subtype,k,T\n");
    for (subtype, clean, cost) in [("factual_error", 90, 10), ("gender_bias", 80, 1)] {
        for item in 0..4 {
            for k in 0..4 {
                table += &format!("r{item},{subtype},{k},{}\n", clean + item - cost * k);
            }
        }
    }
    let folder = TestFolder::new();
    folder.write("ratings.csv", &table);
    let json = folder.done(&["gauge", "ratings.csv", "--only", "dose-slope", "--json"]);
    let gauged: serde_json::Value = serde_json::from_str(&json).unwrap();
    let slopes = gauged["gauges"].as_array().unwrap().iter();
    let slopes: Vec<f64> = slopes
        .map(|one| one["value"]["value"].as_f64().unwrap())
        .collect();
    assert_eq!(slopes, [-10.0, -1.0]);
    // A study has one clean rung for all of its ladders.
    let judge = "use = \"recorded-ratings\"\nfiles = \"ratings.csv\"";
    let responses: String = (0..4)
        .map(|at| format!("{{\"id\": \"r{at}\", \"response\": \"Response number {at}.\"}}\n"))
        .collect();
    folder.write("responses.jsonl", &responses);
    let study = format!(
        "name = \"two\"\nseeds = [1]\n[dataset.responses]\nuse = \"judged-responses\"\nfile = \"responses.jsonl\"\n\
         [subject.judge]\n{judge}\n[ladder.factual_error]\nuse = \"elsewhere\"\nseverities = [1, 2, 3]\n\
         [gauge.T]\nuse = \"quality\"\ndimension = \"T\"\n[analysis]\nunits = \"items\"\n"
    );
    let (_, _, wrong) = folder.check(&study);
    assert!(
        wrong.contains("ratings without an error differ between ladders"),
        "{wrong}"
    );
}

#[test]
fn half_an_error_is_refused_before_anything_runs() {
    let folder = TestFolder::new();
    let study = study(1.0).replace("severities = [1, 2, 3, 4, 5]", "severities = [0.5, 1]");
    assert!(study.contains("0.5"), "{study}");
    let (code, _, wrong) = folder.check(&study);
    assert_eq!(code, 2);
    assert!(wrong.contains("a whole number (errors)"), "{wrong}");
}
