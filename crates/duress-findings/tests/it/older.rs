//! A file of version 1 says in today's version what it always said.

use duress_findings::{Findings, NoBreak, Resampled, TestMethod, VERSION, from_json};

/// The findings of `studies/order/idioms.toml`, as the last build of version 1 wrote them.
const V1: &str = include_str!("../golden/order-scrambled-v1.json");

/// The same study, as the first build of version 2 wrote it.
const V2: &str = include_str!("../golden/order-scrambled-v2.json");

/// Everything but what was made when, as it is written: every digit of every number counts.
fn written(mut findings: Findings, like: &Findings) -> String {
    findings.made = like.made.clone();
    serde_json::to_string_pretty(&findings).expect("findings can be written")
}

#[test]
fn a_converted_file_equals_what_a_run_writes_today() {
    let (old, new) = (from_json(V1).unwrap(), from_json(V2).unwrap());
    assert_eq!(old.version, VERSION);
    let (old, new) = (written(old, &new), written(new.clone(), &new));
    let differs = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    assert_eq!(differs, None);
    assert_eq!(old, new);
}

#[test]
fn a_file_that_is_read_and_written_is_the_same_file() {
    let read = from_json(V2).unwrap();
    assert_eq!(serde_json::to_string_pretty(&read).unwrap(), V2.trim_end());
}

/// The strings under these keys, wherever they stand.
fn sentences(value: &serde_json::Value, keys: &[&str], found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(all) => {
            all.iter().for_each(|one| sentences(one, keys, found));
        }
        serde_json::Value::Object(object) => {
            for (key, inner) in object {
                match inner.as_str() {
                    Some(text) if keys.contains(&key.as_str()) => found.push(text.into()),
                    _ => sentences(inner, keys, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_sentence_of_an_old_file_is_said_as_it_was() {
    let keys = [
        "method",
        "unit",
        "undefined",
        "Err",
        "judged_how",
        "correction",
        "why",
        "text",
    ];
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let mut old = Vec::new();
    for list in ["claims", "estimates", "contrasts", "curves"] {
        sentences(&read(V1)[list], &keys, &mut old);
    }
    assert!(old.len() > 20);
    let mut new = Vec::new();
    let converted = serde_json::to_value(from_json(V1).unwrap()).unwrap();
    sentences(&converted, &["text", "why"], &mut new);
    old.retain(|said| !new.contains(said));
    // A correction is written as its parts; the test below says them.
    old.retain(|said| !said.starts_with("Holm over "));
    assert_eq!(old, Vec::<String>::new());
}

#[test]
fn what_was_a_sentence_is_a_value() {
    let findings = from_json(V1).unwrap();
    let claim = &findings.claims[0];
    let test = claim.test.as_ref().ok();
    assert!(test.is_none_or(|test| !matches!(test.method, TestMethod::Other { .. })));
    let units = findings.estimates.iter().map(|one| &one.quantity.unit);
    assert!(units.clone().count() > 0);
    assert!(
        units
            .clone()
            .all(|unit| !matches!(unit, Resampled::Other { .. }))
    );
    let breaks = findings.curves.iter().map(|one| &one.break_point);
    assert!(breaks.clone().count() > 0);
    assert!(
        breaks
            .clone()
            .all(|one| !matches!(one, Err(NoBreak::Other { .. })))
    );
}
