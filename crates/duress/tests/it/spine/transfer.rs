//! Attacks that climb another subject of the study, and what one attack shows of another.

use std::path::Path;

use duress::plan::Plan;
use duress_core::stressor::AttackDoubt;
use duress_findings::{About, Doubt, Findings, Under, Verdict};

use super::{estimate, found, linear_on_digits, planned, planned_at, under};

/// An attack on gradients whose two steps are far too short to break anything, and a claim on what it
/// leaves standing.
const STUDY: &str = r#"
[subject.other]
use = "trained"
on = "digits"
network = "mlp"
hidden = [16]
epochs = 4

[ladder.weak]
use = "pgd"
steps = 2
step = 0.02
random-start = false
severities = [0.2]
subjects = ["linear"]
BESIDE

[analysis]
gauges = ["accuracy"]
scope = "items"

[[claim]]
name = "it withstands"
gauge = "accuracy"
of = "linear"
against = "clean"
at = { ladder = "weak", severity = 0.2 }
side = "equivalent"
margin = 0.5
"#;

const SQUARE: &str = r#"
[ladder.beside]
use = "square"
queries = 200
severities = [0.2]
subjects = ["linear"]
"#;

const TRANSFER: &str = r#"
[ladder.beside]
use = "transfer"
from = "other"
steps = 20
severities = [0.2]
"#;

fn beside(ladder: &str) -> String {
    linear_on_digits("beside", &STUDY.replace("BESIDE", ladder))
}

/// What is gravely doubted, and about which ladders.
fn grave(findings: &Findings) -> Vec<(Under, AttackDoubt)> {
    let told = findings
        .caveats
        .iter()
        .filter_map(|one| match (&one.about, &one.doubt) {
            (About::Place(place), Doubt::Attack { by }) if by.is_grave() => {
                Some((place.under.clone(), by.clone()))
            }
            _ => None,
        });
    told.collect()
}

#[test]
fn a_ladder_on_gradients_is_doubted_where_more_falls_without_them() {
    let alone = found(&beside(""));
    assert!(grave(&alone).is_empty(), "{:?}", grave(&alone));
    assert_eq!(alone.claims[0].verdict, Verdict::Upheld);
    for ladder in [SQUARE, TRANSFER] {
        let findings = found(&beside(ladder));
        let [(Under::Ladder(name), doubt)] = &grave(&findings)[..] else {
            panic!("{:?}", grave(&findings))
        };
        assert_eq!(name.as_str(), "weak", "and no other ladder is");
        let (broken, tried) = match doubt {
            AttackDoubt::AnswersBeatGradients { broken, tried } if ladder == SQUARE => {
                (*broken, *tried)
            }
            AttackDoubt::TransferBeatsGradients { broken, tried } if ladder == TRANSFER => {
                (*broken, *tried)
            }
            other => panic!("{other:?}"),
        };
        assert!(broken > 10 && broken <= tried, "{broken} of {tried}");
        let claim = &findings.claims[0];
        assert_eq!(claim.verdict, Verdict::Undecided, "{}", claim.why);
        assert!(claim.why.contains("gradients are masked"), "{}", claim.why);
    }
}

#[test]
fn transfer_presses_all_but_the_subject_it_climbs() {
    let findings = found(&beside(TRANSFER));
    let under = under("beside", 0.2);
    let attacked = estimate(&findings, "accuracy", "linear", &under);
    let clean = estimate(&findings, "accuracy", "linear", &Under::Clean);
    let value = |one: &duress_findings::Estimate| one.quantity.value.value().unwrap();
    assert!(value(attacked) < value(clean) - 0.2);
    let climbed = findings
        .estimates
        .iter()
        .any(|one| one.place.subject.as_str() == "other" && one.place.under == under);
    assert!(!climbed, "the subject that is climbed is not attacked");
}

/// The identities of what transfer is asked about.
fn identities(plan: &Plan) -> Vec<String> {
    let under = plan.cells().filter(|cell| {
        let stress = cell.stress.map(|at| &plan.stresses[at.stress].name);
        stress.is_some_and(|name| name.as_str() == "beside")
    });
    under.map(|cell| plan.id(cell).to_string()).collect()
}

#[test]
fn an_identity_has_in_it_what_is_climbed_and_not_what_it_is_called() {
    let text = beside(TRANSFER);
    let first = identities(&planned(&text));
    assert_eq!(first.len(), 1);
    let renamed = text
        .replace("subject.other", "subject.another")
        .replace("from = \"other\"", "from = \"another\"");
    assert_eq!(identities(&planned(&renamed)), first);
    let retaught = text.replace("hidden = [16]", "hidden = [17]");
    assert_ne!(identities(&planned(&retaught)), first);
}

#[test]
fn a_source_that_is_not_there_or_has_no_slopes_is_refused_before_anyone_is_asked() {
    let refused = |text: &str| {
        let wrong = planned_at(Path::new("study.toml"), text).err().unwrap();
        format!("{:?}", wrong.problems)
    };
    let text = beside(TRANSFER);
    let said = refused(&text.replace("from = \"other\"", "from = \"othr\""));
    assert!(
        said.contains("there is no subject `othr` to climb"),
        "{said}"
    );
    assert!(said.contains("other"), "the nearest is named: {said}");
    let process = r#"
[subject.process]
use = "command"
on = "digits"
command = ["true"]
accepts = "images"
answers = "classes"
"#;
    let text = text.replace("from = \"other\"", "from = \"process\"") + process;
    let said = refused(&text);
    assert!(said.contains("which offers none"), "{said}");
}

#[test]
fn certificates_are_read_on_ladders_in_their_own_norm_only() {
    let study = |ladders: &str| {
        let smoothed = "smoothing = 0.25\nsmoothing-draws = 40\n";
        let text = beside(ladders).replacen("epochs = 4\n", &format!("epochs = 4\n{smoothed}"), 1);
        text.replace("[\"accuracy\"]", "[\"accuracy\", \"certified-accuracy\"]")
    };
    let wrong = planned_at(Path::new("study.toml"), &study(""))
        .err()
        .unwrap();
    let said = format!("{:?}", wrong.problems);
    assert!(
        said.contains("`certified-accuracy` is about what is bounded in L2, and no ladder is"),
        "{said}"
    );
    let euclidean = r#"
[ladder.beside]
use = "fgsm"
norm = "l2"
severities = [0.2]
subjects = ["linear"]
"#;
    let findings = found(&study(euclidean));
    let read = |ladder: &str| {
        let one = estimate(
            &findings,
            "certified-accuracy",
            "linear",
            &under(ladder, 0.2),
        );
        one.quantity.value.value()
    };
    assert!(read("beside").is_some());
    assert!(read("weak").is_none(), "L∞ is not L2");
}
