//! Every part that a study can name explains itself in the same way, and every part that a family
//! lists can be named.

use duress_core::part::Part;
use duress_parts::registry::Registry;

const HEADINGS: [&str; 5] = [
    "# What it does",
    "# Why it matters",
    "# Promise",
    "# Example",
    "# Reference",
];

#[test]
fn every_registered_part_explains_itself() {
    for part in Registry::standard().parts() {
        let (name, text) = (part.name, part.explanation());
        let first = text.split("\n\n").next().unwrap();
        assert!(first.ends_with('.'), "{name}: a sentence first");
        for heading in HEADINGS {
            assert!(text.contains(heading), "{name} has {heading}");
        }
        assert_eq!(
            text.contains("# Severity"),
            part.kind() == "stressor",
            "{name}: severity is a stressor's"
        );
    }
}

pub(crate) fn check_registered(parts: impl IntoIterator<Item = &'static Part>) {
    for part in parts {
        let found = Registry::standard().find(part.kind(), part.name);
        assert!(found.is_ok(), "{} is registered", part.name);
    }
}
