//! `compare` on two runs of a judge: whether it changed, or what it judges, by responses that stayed.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use duress_stand_in::{Act, Asked, StandIn};

use crate::harness::TestFolder;

/// A judge that gives more to responses that are called good, differs a little from response to
/// response, and gives so many points less than it used to.
fn judge(stricter: u32) -> StandIn {
    StandIn::start(move |asked: &Asked| {
        let prompt = asked.prompt();
        let own = prompt.bytes().map(u32::from).sum::<u32>() % 5;
        let quality = if prompt.contains("good") { 80 } else { 50 };
        Act::says(&format!("{{\"tone\": {}}}", quality + own - stricter))
    })
}

fn responses(named: &str, quality: &str) -> String {
    let row = |at: u32| {
        format!(
            "{{\"id\": \"{named}-{at}\", \"response\": \"A {quality} response, number {at}.\"}}\n"
        )
    };
    (0..12).map(row).collect()
}

fn study(server: &StandIn, datasets: &[&str]) -> String {
    let dataset = |name: &&str| {
        format!("[dataset.{name}]\nuse = \"judged-responses\"\nfile = \"{name}.jsonl\"\n")
    };
    let all: String = datasets.iter().map(dataset).collect();
    format!(
        "name = \"drift\"\nseeds = [1]\n{all}[subject.judge]\nuse = \"llm-judge\"\nform = \"score\"\ndimensions = [\"tone\"]\nbase-url = \"{}\"\nmodel = \"one\"\n\
         on = \"{}\"\ntest-on = {datasets:?}\n[gauge.tone]\nuse = \"quality\"\ndimension = \"tone\"\n[analysis]\nunits = \"items\"\ngauges = [\"tone\"]\n",
        server.base(),
        datasets[0]
    )
}

/// What `compare` says of a run with these responses by a judge so much stricter, after one with good
/// responses.
fn compared(datasets: &[&str], quality: &str, stricter: u32) -> (String, serde_json::Value) {
    let folder = TestFolder::new();
    for (run, quality, stricter) in [("first", "good", 0), ("second", quality, stricter)] {
        folder.write("anchor.jsonl", responses("anchor", "good"));
        folder.write(
            "system.jsonl",
            responses(run, quality).replace(run, "system"),
        );
        let server = judge(stricter);
        folder.write("study.toml", study(&server, datasets));
        folder.done(&["run", "study.toml", "--out", run]);
    }
    let said = folder.done(&["compare", "first", "second"]);
    let json = folder.done(&["compare", "first", "second", "--form", "json"]);
    (said, serde_json::from_str(&json).unwrap())
}

#[test]
fn what_changed_is_told_by_responses_that_are_the_same_in_both_runs() {
    let both = ["anchor", "system"];
    let cases = [
        (&both[..], "poor", 0, "system"),
        (&both, "good", 10, "judge"),
        (&both, "poor", 10, "judge"),
        (&both, "good, truly good", 0, "neither"),
        (&["system"], "poor", 0, "no-anchor"),
    ];
    for (datasets, quality, stricter, verdict) in cases {
        let (said, compared) = compared(datasets, quality, stricter);
        let drift = &compared["drifts"][0];
        assert_eq!(drift["verdict"], verdict, "{quality} {stricter}: {said}");
        assert_eq!(drift["judge"], "judge");
        let words = match verdict {
            "system" => "the responses of system changed",
            "judge" => "the judge changed: it rates anchor otherwise",
            "neither" => "no change is shown",
            _ => "whether the judge changed cannot be told",
        };
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn two_runs_on_the_same_responses_are_compared_without_a_word_about_drift() {
    let (said, compared) = compared(&["anchor"], "good", 10);
    assert!(compared.get("drifts").is_none(), "{said}");
    assert!(said.contains("1 worse"), "{said}");
}
