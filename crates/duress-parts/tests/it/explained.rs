//! Every part that a study can name explains itself in the same way.

use duress_core::part::PartKind;
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
        assert!(
            text.split("\n\n").next().unwrap().ends_with('.'),
            "{name}: a sentence first"
        );
        for heading in HEADINGS {
            assert!(text.contains(heading), "{name} has {heading}");
        }
        assert_eq!(
            text.contains("# Severity"),
            part.kind() == PartKind::Stressor,
            "{name}: severity is a stressor's"
        );
    }
}
