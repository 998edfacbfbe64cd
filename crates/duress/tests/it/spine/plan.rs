//! The plan: what is in a cell's identity, and what is not.

use std::collections::BTreeSet;
use std::path::Path;

use duress::plan::{Axes, Id, Plan};
use duress::study::Study;

use super::{parts, planned, small};

/// The identities of all cells.
fn ids(plan: &Plan) -> BTreeSet<Id> {
    plan.cells().map(|cell| plan.id(cell)).collect()
}

/// The identities of a study under a small change: those that stay, and those that are new.
fn kept_and_new(before: &str, after: &str) -> (usize, usize) {
    let (before, after) = (ids(&planned(before)), ids(&planned(after)));
    (
        after.intersection(&before).count(),
        after.difference(&before).count(),
    )
}

const DIGITS: &str = r#"
name = "digits"
seeds = [1, 2]

[dataset.digits]
use = "digits"

[subject.linear]
use = "trained"
on = "digits"
network = "linear"

[subject.mlp]
use = "trained"
on = "digits"

[ladder.noise]
use = "gaussian-noise"
severities = [0.1, 0.2]

[ladder.pgd]
use = "pgd"
severities = ["4/255", "8/255"]

[analysis]
gauges = ["accuracy"]
"#;

/// Two subjects × two seeds × (clean, two rungs of noise, two of PGD).
const CELLS: usize = 20;

#[test]
fn an_identity_is_made_of_what_can_change_the_answer() {
    let check = |from: &str, to: &str, expected: (usize, usize)| {
        assert!(DIGITS.contains(from), "{from}");
        assert_eq!(
            kept_and_new(DIGITS, &DIGITS.replace(from, to)),
            expected,
            "{from} → {to}"
        );
    };
    let all = (CELLS, 0);
    check("name = \"digits\"", "name = \"other\" # a remark\n", all);
    check("[ladder.noise]", "[ladder.snow]", all);
    check("[subject.mlp]", "[subject.network]", all);
    check(
        "[\"accuracy\"]",
        "[\"accuracy\", \"ece\"]\nunits = \"items\"",
        all,
    );
    check(
        "[\"4/255\", \"8/255\"]",
        "[0.015686274509803921568, \"8/255\"]",
        all,
    );
    check(
        "network = \"linear\"",
        "network = \"linear\"\nepochs = 40",
        all,
    );
    check("seeds = [1, 2]", "seeds = [2, 1]", all);

    check("seeds = [1, 2]", "seeds = [1, 3]", (CELLS / 2, CELLS / 2));
    check("seeds = [1, 2]", "seeds = [1, 2, 3]", (CELLS, CELLS / 2));
    check(
        "network = \"linear\"",
        "network = \"linear\"\nepochs = 41",
        (CELLS / 2, CELLS / 2),
    );
    check(
        "use = \"digits\"",
        "use = \"digits\"\nfit-share = 0.5",
        (0, CELLS),
    );
    // Blind rungs stand alone; an attack's answers depend on the whole ladder.
    check("[0.1, 0.2]", "[0.1, 0.3]", (CELLS - 4, 4));
    check("[0.1, 0.2]", "[0.1]", (CELLS - 4, 0));
    check(
        "[\"4/255\", \"8/255\"]",
        "[\"4/255\", \"9/255\"]",
        (CELLS - 8, 8),
    );
    check(
        "[\"4/255\", \"8/255\"]",
        "[\"4/255\", \"8/255\", \"9/255\"]",
        (CELLS - 8, 12),
    );
    check("use = \"pgd\"", "use = \"pgd\"\nsteps = 3", (CELLS - 8, 8));
    check("use = \"pgd\"", "use = \"fgsm\"", (CELLS - 8, 8));
    // Noise on what is fitted means other fits, and the same clean cells.
    check(
        "use = \"gaussian-noise\"",
        "use = \"gaussian-noise\"\non = \"train\"",
        (CELLS - 8, 8),
    );
    check(
        "use = \"gaussian-noise\"",
        "use = \"gaussian-noise\"\non = \"both\"",
        (CELLS - 8, 8),
    );
}

#[test]
fn the_order_of_sections_changes_no_identity() {
    let turned: Vec<&str> = DIGITS.split("\n\n").collect();
    let (top, sections) = turned.split_first().unwrap();
    let turned: Vec<&str> = std::iter::once(*top)
        .chain(sections.iter().rev().copied())
        .collect();
    assert_eq!(kept_and_new(DIGITS, &turned.join("\n\n")), (CELLS, 0));
}

#[test]
fn draws_that_do_not_vary_give_replicates_the_same_identity() {
    let vary =
        |what: &str| small("").replace("seeds = [1, 2]", &format!("seeds = [1, 2]\nvary = {what}"));
    assert_eq!(
        ids(&planned(&vary("[\"data\", \"stress\", \"subject\"]"))).len(),
        6
    );
    assert_eq!(ids(&planned(&vary("[\"subject\"]"))).len(), 6);
    // The subject and the data are the same; only what is pressed differs.
    assert_eq!(ids(&planned(&vary("[\"stress\"]"))).len(), 5);
    // The data could vary, but these do not.
    assert_eq!(ids(&planned(&vary("[\"data\"]"))).len(), 3);
}

#[test]
fn data_that_vary_have_a_fingerprint_each() {
    let prints = |text: &str| {
        let plan = planned(text);
        plan.loaded
            .iter()
            .map(|loaded| loaded.fingerprint)
            .collect::<BTreeSet<_>>()
            .len()
    };
    assert_eq!(prints(&small("")), 1);
    assert_eq!(
        prints(&small("").replace("use = \"tiny\"", "use = \"tiny\"\nvaries = true")),
        2
    );
}

#[test]
fn all_ladders_share_the_clean_cell() {
    let plan = planned(DIGITS);
    let clean = plan.cells().filter(|cell| cell.stress.is_none()).count();
    assert_eq!((clean, plan.cells().count()), (4, CELLS));
    let twins: BTreeSet<Id> = plan
        .cells()
        .map(|cell| plan.id(plan.clean_twin(cell)))
        .collect();
    assert_eq!(twins.len(), 4);
}

#[test]
fn a_derived_dataset_is_tested_on_beside_its_base() {
    let text =
        small("[dataset.worn]\nbase = \"tiny\"\npress = [{ use = \"shove\", severity = 0.3 }]\n");
    let text = text.replace(
        "use = \"actor\"",
        "use = \"actor\"\non = \"tiny\"\ntest-on = [\"tiny\", \"worn\"]",
    );
    let plan = planned(&text);
    assert_eq!(plan.count().cells, 2 * 2 * 3);
    assert_eq!(ids(&plan).len(), 12);
    let unworn = planned(&text.replace("severity = 0.3", "severity = 0"));
    assert_eq!(
        ids(&unworn).len(),
        6,
        "a dataset derived by nothing is its base"
    );
}

#[test]
fn the_count_is_the_number_of_cells_and_of_preparations() {
    let check = |text: &str| {
        let plan = planned(text);
        let preparations: std::collections::HashSet<_> = plan
            .cells()
            .filter_map(|cell| plan.preparation(cell))
            .collect();
        assert_eq!(plan.count().cells, plan.cells().count());
        assert_eq!(plan.count().preparations, preparations.len());
    };
    check(DIGITS);
    check(&DIGITS.replace(
        "use = \"gaussian-noise\"",
        "use = \"gaussian-noise\"\non = \"train\"",
    ));
    check(&small(""));
    check(&small(
        "[condition.storm]\npress = [{ use = \"shove\", severity = 0.1 }]\non = \"both\"",
    ));
}

#[test]
fn a_plan_that_was_kept_opens_to_the_same_cells_without_data() {
    let check = |text: &str| {
        let plan = planned(text);
        let axes: Axes =
            serde_json::from_str(&serde_json::to_string(&plan.axes()).unwrap()).unwrap();
        let registry = parts::registry();
        let study = Study::parse(Path::new("elsewhere/study.toml"), text, &registry).unwrap();
        let reopened = duress::plan::reopen(study, &registry, &axes).unwrap();
        let both = plan.cells().zip(reopened.cells());
        assert!(
            both.into_iter()
                .all(|(a, b)| a == b && plan.id(a) == reopened.id(b))
        );
        assert_eq!(plan.cells().count(), reopened.cells().count());
        assert_eq!(axes.count, reopened.count());
    };
    check(&small(""));
    check(&small("").replace("use = \"tiny\"", "use = \"tiny\"\nvaries = true"));
    check(DIGITS);
}

#[test]
fn a_plan_does_not_open_with_the_axes_of_another_study() {
    let axes = planned(&small("")).axes();
    let registry = parts::registry();
    let text = small("").replace("[1, 2]", "[1, 2, 3]");
    let study = Study::parse(Path::new("study.toml"), &text, &registry).unwrap();
    let Err(rejected) = duress::plan::reopen(study, &registry, &axes) else {
        panic!("axes of two seeds were taken for a study of three")
    };
    assert_eq!(
        rejected.problems[0].to_string(),
        "the plan that was kept is of another version of this study (run the study again: kept answers are taken up)"
    );
}

#[test]
fn the_same_study_has_the_same_identities_on_every_machine() {
    let plan = planned(&small(""));
    let first = plan.cells().next().unwrap();
    let last = plan.cells().last().unwrap();
    assert_eq!(
        plan.id(first).to_string(),
        "f0d58703834991e1c1fcbd1b09e53770ff3c50f78b2dfdb3e457d419347bccc5"
    );
    assert_eq!(
        plan.id(last).to_string(),
        "6d8ee7f10f5dd70b1a0f91faf2390675be18d510c3e7ff07816be17d601a6427"
    );
}
