//! `duress agree`: judges against people, from one table.

use std::fs;

use crate::harness::ended_at_width;

/// Labels of a judge and of people: 8, 2, 1 and 9 items that both labelled, and four without a label
/// of people, of which the judge passed three.
fn table() -> String {
    let pairs = [
        ("pass", "pass", 8),
        ("fail", "pass", 2),
        ("pass", "fail", 1),
        ("fail", "fail", 9),
        ("pass", "", 3),
        ("fail", "", 1),
    ];
    let rows = pairs
        .iter()
        .flat_map(|(judge, human, times)| vec![format!("{judge},{human}\n"); *times]);
    format!("judge,human\n{}", rows.collect::<String>())
}

#[test]
fn every_number_says_how_many_items_it_is_of_and_a_bar_gates() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("labels.csv"), table()).unwrap();
    let (code, said, wrong) = ended_at_width(folder.path(), 100, &["agree", "labels.csv"]);
    assert_eq!(code, 0, "{wrong}");
    let line = |name: &str| {
        let found = said.lines().find(|line| line.contains(name));
        found.unwrap_or_default().to_string()
    };
    // 8 of 10 passed rightly, 9 of 10 failed rightly; of four without a label three passed:
    // (0.75 + 0.9 − 1) / (0.8 + 0.9 − 1).
    for (name, value, items) in [
        ("tpr", "0.800", "n = 10"),
        ("tnr", "0.900", "n = 10"),
        ("agreement", "0.850", "n = 20"),
        ("kappa", "0.700", "n = 20"),
        ("corrected-rogan-gladen", "0.929", "n = 4"),
        ("corrected-ppi", "", "n = 24"),
    ] {
        let line = line(name);
        assert!(
            line.contains(value) && line.contains(items),
            "{line}\n{said}"
        );
    }
    let gate =
        |bar: &str| ended_at_width(folder.path(), 100, &["agree", "labels.csv", "--gate", bar]).0;
    assert_eq!(gate("agreement=0.5"), 0);
    assert_eq!(gate("agreement=0.99"), 1);
}

#[test]
fn gauge_says_which_command_reads_judges_beside_people() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("labels.csv"), table()).unwrap();
    let (code, _, wrong) = ended_at_width(folder.path(), 100, &["gauge", "labels.csv"]);
    assert_eq!(code, 2);
    assert!(wrong.contains("`duress agree labels.csv`"), "{wrong}");
}

/// What docs/judge.md shows.
#[test]
fn the_shipped_labels_do_not_clear_the_bar_and_say_how_many_would_decide() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let labels = "studies/judge/agreement/labels.csv";
    let args = ["agree", labels, "--gate", "kappa=0.6"];
    let (code, said, wrong) = ended_at_width(&root, 100, &args);
    assert_eq!(code, 1, "{said}{wrong}");
    let kappa = said.lines().find(|line| line.trim().starts_with("kappa "));
    assert!(kappa.is_some_and(|line| line.contains("0.490")), "{said}");
    assert!(said.contains("further items that both label"), "{said}");
}
