//! Files of newer versions: shown as far as they are understood, refused with a reason beyond.

use duress_findings::{AbsenceReason, Reading, from_json};

const V2: &str = include_str!("../golden/order-scrambled-v2.json");

#[test]
fn a_reason_that_only_a_newer_version_knows_keeps_its_sentence() {
    let newer = r#"{"undefined": {"kind": "eclipse", "until": 7, "text": "the sun was gone"}}"#;
    let Reading::Undefined(why) = serde_json::from_str(newer).unwrap() else {
        panic!("it is undefined")
    };
    assert_eq!(why.to_string(), "the sun was gone");
    let AbsenceReason::Other { kind, .. } = why else {
        panic!("nobody knows it")
    };
    assert_eq!(kind, "eclipse");
}

#[test]
fn a_key_that_only_a_newer_version_knows_is_passed_over() {
    let more = V2.replacen(
        "\"version\": 2,",
        "\"version\": 2, \"weather\": \"fine\",",
        1,
    );
    assert_ne!(more, V2);
    assert_eq!(from_json(&more).unwrap(), from_json(V2).unwrap());
}

#[test]
fn a_word_that_only_a_newer_version_knows_is_named_with_who_wrote_it() {
    let duress = from_json(V2).unwrap().made.duress;
    let newer = V2
        .replacen("\"units\": \"items\"", "\"units\": \"templates\"", 1)
        .replacen(
            &format!("\"duress\": \"{duress}\""),
            "\"duress\": \"99.1.0\"",
            1,
        );
    assert!(newer.contains("templates") && newer.contains("99.1.0"));
    let why = from_json(&newer).unwrap_err().to_string();
    assert!(why.contains("`templates`"), "{why}");
    assert!(why.contains("written by duress 99.1.0"), "{why}");
}

#[test]
fn a_version_that_is_not_known_is_refused() {
    let newer = V2.replacen("\"version\": 2,", "\"version\": 3,", 1);
    let why = from_json(&newer).unwrap_err().to_string();
    assert!(why.starts_with("findings of version 3"), "{why}");
    assert!(
        from_json("[]")
            .unwrap_err()
            .to_string()
            .starts_with("these are no findings")
    );
}
