//! Ids: unique within a file, and made of what they are about.

use std::collections::BTreeSet;

use duress_findings::{Id, from_json};

const V2: &str = include_str!("../golden/order-scrambled-v2.json");

#[test]
fn no_two_findings_of_a_file_share_an_id() {
    let findings = from_json(V2).unwrap();
    let all: Vec<&Id> = findings.ids().collect();
    assert!(all.len() > 20);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn an_id_follows_from_what_the_finding_is_about() {
    let findings = from_json(V2).unwrap();
    for one in &findings.estimates {
        assert_eq!(one.id, Id::estimate(&one.gauge, &one.place));
    }
    for one in &findings.contrasts {
        assert_eq!(one.id, Id::contrast(&one.gauge, &one.of, &one.against));
    }
    for one in &findings.curves {
        let id = Id::curve(&one.gauge, &one.subject, &one.dataset, &one.ladder);
        assert_eq!(one.id, id);
    }
    for one in &findings.claims {
        assert_eq!(one.id, Id::claim(&one.name));
    }
}
