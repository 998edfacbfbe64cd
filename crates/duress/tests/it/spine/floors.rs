//! Floors that a study reads without naming them, and where its gauges are read.

use duress::plan::{Cell, Plan};
use duress_core::floor::FloorKind;
use duress_core::question::Question;
use duress_findings::{Doubt, Findings, GaugeFloor, Under};

use super::explanations::{study, value, wrong_with};
use super::{findings_in, planned, run_in, under};

const DELETION: &str =
    "[gauge.deletion]\nuse = \"deletion\"\nsteps = 4\nattribution = \"gradient-times-input\"\n";

const STABLE: &str = "[gauge.stable]\nuse = \"explanation-stability\"\nmeasure = \"cosine\"\nattribution = \"smooth-grad\"\nsamples = 1\nnoise = 0.5\n";

fn found(gauges: &str) -> (std::sync::Arc<Plan>, Findings) {
    let plan = planned(&study(gauges));
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_in(&plan, folder.path());
    assert_eq!(outcome.failed, 0);
    let findings = findings_in(&plan, folder.path());
    (plan, findings)
}

fn floors(findings: &Findings) -> Vec<(&str, &GaugeFloor)> {
    let gauges = findings.gauges.iter();
    let floors = gauges.filter_map(|card| Some((card.name.as_str(), card.floor.as_ref()?)));
    floors.collect()
}

fn doubts(findings: &Findings) -> Vec<&Doubt> {
    let doubts = findings.caveats.iter().map(|caveat| &caveat.doubt);
    let about_floors = doubts.filter(|doubt| {
        matches!(
            doubt,
            Doubt::NotBeyondFloor { .. } | Doubt::WithinOtherDraws { .. }
        )
    });
    about_floors.collect()
}

#[test]
fn floors_stand_beside_gauges_of_maps_without_being_named() {
    let (plan, findings) = found(&format!("{DELETION}items = 0\n"));
    let of = GaugeFloor {
        kind: FloorKind::KnowsNothing,
        of: vec!["deletion".into()],
    };
    assert_eq!(
        floors(&findings),
        [
            ("deletion-centre-gaussian", &of),
            ("deletion-edge-detector", &of)
        ]
    );
    // The network has learnt: what it rests on goes faster than what lies in the middle.
    let own = value(&findings, "deletion", &Under::Clean);
    let centre = value(&findings, "deletion-centre-gaussian", &Under::Clean);
    assert!(own < centre - 0.05, "{own} beside {centre}");
    assert!(doubts(&findings).is_empty(), "{:?}", doubts(&findings));
    assert!(
        findings
            .curves
            .iter()
            .all(|curve| curve.gauge == "deletion"),
        "floors have no curves of their own"
    );
    let told = plan.remarks().join(" ");
    assert!(told.contains("4 of 6 cells are for floors"), "{told}");
}

#[test]
fn what_is_not_shown_beyond_its_floor_is_doubted() {
    let (_, findings) = found(&format!("{DELETION}items = 3\n"));
    let doubts = doubts(&findings);
    let [
        Doubt::NotBeyondFloor { floor, places, .. },
        Doubt::NotBeyondFloor { .. },
    ] = &doubts[..]
    else {
        panic!("three items show nothing: {doubts:?}")
    };
    assert_eq!(floor, "deletion-centre-gaussian");
    assert!(
        places[0].starts_with("linear at 1 of 2 places (clean: −0.0"),
        "{places:?}"
    );
}

#[test]
fn a_floor_that_the_study_names_is_one_and_a_floor_may_serve_two_gauges() {
    let own = "[gauge.middle]\nuse = \"deletion\"\nsteps = 4\nattribution = \"centre-gaussian\"\nitems = 9\n";
    let other = "[gauge.other]\nuse = \"deletion\"\nsteps = 4\nattribution = \"input-gradient\"\nitems = 9\n";
    let (_, findings) = found(&format!("{DELETION}items = 9\n{own}{other}"));
    let floors = floors(&findings);
    let names: Vec<&str> = floors.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["middle", "deletion-edge-detector"]);
    for (_, floor) in floors {
        assert_eq!(floor.of, ["deletion", "other"]);
    }
}

#[test]
fn nothing_is_read_beside_where_the_study_says_so() {
    let none = "[analysis]\ngauges = [\"deletion\"]\nfloors = false\n";
    let (plan, findings) = found(&format!("{none}{DELETION}items = 9\n"));
    assert!(floors(&findings).is_empty());
    assert_eq!(plan.count().cells, 2);
    let told = wrong_with(&study(&format!(
        "[analysis]\ngauges = [\"deletion\"]\nfloors = \"no\"\n{DELETION}"
    )));
    assert!(told[0].contains("`floors` is"), "{told:?}");
}

#[test]
fn what_stress_does_is_told_from_what_other_draws_do() {
    // A linear network has the same slopes everywhere: neither noise in the image nor in the
    // method moves its map, so nothing that stress does is shown.
    let (plan, findings) = found(&format!("{STABLE}items = 40\n"));
    let [(name, floor)] = floors(&findings)[..] else {
        panic!("{:?}", floors(&findings))
    };
    assert_eq!(
        (name, floor.kind),
        ("stable-other-draws", FloorKind::OtherDraws)
    );
    assert_eq!(value(&findings, "stable-other-draws", &Under::Clean), 1.0);
    assert_eq!(value(&findings, "stable", &under("noise", 0.2)), 1.0);
    let doubts = doubts(&findings);
    assert!(
        matches!(doubts[..], [Doubt::WithinOtherDraws { .. }]),
        "{doubts:?}"
    );
    let asks_draws = |cell: &Cell| cell.question.to_string().contains("other draws");
    assert_eq!(
        plan.cells().filter(asks_draws).count(),
        1,
        "without stress alone"
    );
    let told = wrong_with(&study(
        "[gauge.a]\nuse = \"explanation-stability\"\nattribution = \"input-gradient\"\nredrawn = true\n",
    ));
    assert!(told[0].contains("draws nothing by chance"), "{told:?}");
}

#[test]
fn explanations_are_asked_where_gauges_are_read_and_nowhere_else() {
    let explained = |at: &str| {
        let plan = planned(&study(&format!("{DELETION}items = 9\n{at}\n")));
        let asks = |cell: &Cell| matches!(cell.question, Question::Explanation(_));
        assert_eq!(plan.count().cells, plan.cells().count());
        plan.cells().filter(asks).count()
    };
    assert_eq!(explained(""), 6, "three maps, clean and pressed");
    assert_eq!(explained("at = \"clean\""), 3);
    assert_eq!(explained("at = [\"clean\", \"noise\"]"), 6);
    assert_eq!(explained("at = { ladder = \"noise\", severity = 0.2 }"), 3);
    assert_eq!(explained("datasets = [\"digits\"]"), 6);
    let pair = "[gauge.ranks]\nuse = \"explanation-stability\"\nattribution = \"input-gradient\"\nitems = 9\nat = [{ ladder = \"noise\", severity = 0.2 }]\n";
    let plan = planned(&study(pair));
    assert_eq!(plan.cells().count(), 2, "a pair needs its clean twin");
}

#[test]
fn wrong_places_of_gauges_are_told() {
    let told = |at: &str, more: &str| {
        let told = wrong_with(&study(&format!("{DELETION}{at}\n{more}")));
        assert!(!told.is_empty(), "{at}");
        told.join(" ")
    };
    let nowhere = told("at = \"moon\"", "");
    assert!(nowhere.contains("there is no ladder `moon`"), "{nowhere}");
    assert!(told("at = 3", "").contains("`at` is no place"));
    assert!(told("at = [\"clean\", 3]", "").contains("`at` is no place"));
    assert!(told("datasets = [\"letters\"]", "").contains("there is no dataset `letters`"));
    let rung = "at = { ladder = \"noise\", severity = 0.9 }";
    assert!(told(rung, "").contains("has no rung at 0.9"));
    let claim = "[[claim]]\nname = \"c\"\ngauge = \"deletion\"\nof = \"linear\"\nat = { ladder = \"noise\", severity = 0.2 }\nside = \"less\"\nmargin = 0.5\n";
    let unread = told("at = \"clean\"", claim);
    assert!(
        unread.contains("is not read on digits under noise 0.2"),
        "{unread}"
    );
    let area = "[gauge.area]\nuse = \"area\"\nof = \"accuracy\"\nat = \"clean\"\n";
    assert!(told("", area).contains("reads all rungs"));
    let pair = "[gauge.ranks]\nuse = \"explanation-stability\"\nattribution = \"input-gradient\"\nat = \"clean\"\n";
    assert!(told("", pair).contains("compares rungs with clean"));
}
