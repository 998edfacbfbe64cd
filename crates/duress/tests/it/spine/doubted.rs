//! Claims that rest on a number which its own attack doubts.

use duress_findings::{Doubt, Findings, Verdict};

use super::{found, linear_on_digits};

/// An attack whose steps are far too short, and a claim on what it leaves standing.
fn study(claim: &str) -> Findings {
    let more = format!(
        r#"
[ladder.pgd]
use = "pgd"
steps = 8
step = 0.02
random-start = false
severities = [0.2]

[analysis]
gauges = ["accuracy"]
scope = "items"

[[claim]]
name = "it withstands"
gauge = "accuracy"
of = "linear"
against = "clean"
at = {{ ladder = "pgd", severity = 0.2 }}
side = "equivalent"
margin = 0.5
{claim}
"#
    );
    found(&linear_on_digits("short-steps", &more))
}

#[test]
fn a_claim_on_a_doubted_number_is_undecided_and_says_what_would_decide_it() {
    let findings = study("");
    let grave = |doubt: &Doubt| matches!(doubt, Doubt::Attack { by } if by.is_grave());
    assert!(
        findings.caveats.iter().any(|one| grave(&one.doubt)),
        "{:?}",
        findings.caveats
    );
    let claim = &findings.claims[0];
    assert_eq!(claim.verdict, Verdict::Undecided, "{}", claim.why);
    assert!(claim.why.contains("it would be upheld"), "{}", claim.why);
    let way_out = claim.would_decide.as_ref().unwrap();
    assert!(way_out.contains("more `steps`"), "{way_out}");
}

#[test]
fn a_study_may_say_that_doubted_numbers_are_judged_all_the_same() {
    let findings = study("doubted = \"judged\"");
    assert_eq!(findings.claims[0].verdict, Verdict::Upheld);
}
