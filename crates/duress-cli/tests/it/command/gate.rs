//! Exit codes: what scripts and CI go by.

use std::fs;

use super::toy::{claim, recorded};
use super::{duress, findings, run, said};
use crate::harness::duress_in;

#[test]
fn a_gate_closes_on_claims_that_are_not_upheld() {
    // The interval of the difference is about [0.32, 0.48].
    let (upheld, refuted, undecided) = (
        claim("upheld", 0.3),
        claim("refuted", 0.5),
        claim("undecided", 0.4),
    );
    let check = |claims: &[&str], none: i32, gate: i32, only_refuted: i32| {
        let folder = recorded(&claims.concat());
        let code = |more: &[&str]| run(folder.path(), more).code;
        assert_eq!(code(&[]), Some(none), "{claims:?}");
        assert_eq!(code(&["--gate"]), Some(gate), "{claims:?}");
        assert_eq!(code(&["--gate=refuted"]), Some(only_refuted), "{claims:?}");
        let path = folder.path().join("run");
        let report = |more: &str| {
            said(
                duress(&["report", path.to_str().unwrap(), more])
                    .output()
                    .unwrap(),
            )
            .code
        };
        assert_eq!(report("--gate"), Some(gate), "{claims:?}");
    };
    // A gate with nothing to judge is no open gate.
    check(&[], 0, 2, 2);
    check(&[&upheld], 0, 0, 0);
    check(&[&upheld, &undecided], 0, 1, 0);
    check(&[&upheld, &refuted], 0, 1, 1);
}

#[test]
fn cells_that_failed_are_an_exit_code_of_their_own() {
    let folder = recorded(&claim("upheld", 0.3));
    fs::write(
        folder.path().join("one_2_storm_1.csv"),
        "id,prediction\n0,a,b\n",
    )
    .unwrap();
    let ended = run(folder.path(), &["--gate"]);
    assert_eq!(ended.code, Some(3), "{}", ended.complaint);
    let kept = String::from_utf8(findings(folder.path())).unwrap();
    assert!(
        kept.contains("one_2_storm_1.csv:2: ") && kept.contains("1 cell has no answers;"),
        "{kept}"
    );
    // Mended, it is asked again only when that is wanted; the file is another one, so it is.
    fs::copy(
        folder.path().join("one_2_clean_0.csv"),
        folder.path().join("one_2_storm_1.csv"),
    )
    .unwrap();
    assert_eq!(run(folder.path(), &[]).code, Some(0));
}

#[test]
fn the_gate_comes_before_failed_cells() {
    let folder = recorded(&claim("refuted", 0.5));
    fs::write(
        folder.path().join("one_2_storm_1.csv"),
        "id,prediction\n0,a,b\n",
    )
    .unwrap();
    assert_eq!(run(folder.path(), &["--gate"]).code, Some(1));
}

#[test]
fn what_the_command_does_not_understand_is_bad_input() {
    for args in [
        &["dance"][..],
        &["run"],
        &["run", "x.toml", "--jobs", "many"],
        &["run", "x.toml", "--instructions", "sse9"],
        &["explain", "gausian-noise"],
    ] {
        assert_eq!(
            said(duress(args).output().unwrap()).code,
            Some(2),
            "{args:?}"
        );
    }
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["--version"],
        &["list"],
        &["schema"],
        &["schema", "study"],
        &["schema", "findings"],
        &["explain", "pgd"],
    ] {
        assert_eq!(
            said(duress(args).output().unwrap()).code,
            Some(0),
            "{args:?}"
        );
    }
}

#[test]
fn check_and_plan_ask_nothing() {
    let folder = recorded(&claim("upheld", 0.3));
    let study = folder.path().join("study.toml");
    let study = study.to_str().unwrap();
    let check = said(duress(&["check", study, "--timing", "0"]).output().unwrap());
    assert_eq!(check.code, Some(0), "{}", check.complaint);
    assert!(
        check.out.contains("3 seeds, 12 cells, 0 preparations"),
        "{}",
        check.out
    );
    assert!(
        check
            .out
            .contains("upheld: With 3 pairs, one claim at 0.05 (greater), t(2) must exceed 2.92"),
        "{}",
        check.out
    );
    let cells = said(duress(&["plan", study, "--cells"]).output().unwrap());
    assert_eq!(cells.out.lines().count(), 12);
    assert!(!folder.path().join("run").exists());
}

#[test]
fn a_list_of_cells_names_a_condition_without_a_severity() {
    let folder = recorded("");
    let study = r#"
name = "weather"
seeds = [1]

[dataset.digits]
use = "digits"

[subject.linear]
use = "trained"
network = "linear"

[ladder.noise]
use = "gaussian-noise"
severities = [0.4]

[condition.fog]
press = [{ use = "gaussian-noise", severity = 0.2 }]

[analysis]
gauges = ["accuracy"]
"#;
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let study = folder.path().join("study.toml");
    let cells = said(
        duress(&["plan", study.to_str().unwrap(), "--cells"])
            .output()
            .unwrap(),
    );
    let asked: Vec<&str> = cells
        .out
        .lines()
        .filter_map(|line| line.split("seed 1  ").nth(1))
        .collect();
    let expected = ["clean  classes", "noise 0.4  classes", "fog  classes"];
    assert_eq!(asked, expected, "{}", cells.complaint);
}

#[test]
fn a_report_needs_neither_data_nor_subject() {
    let folder = recorded(&claim("upheld", 0.3));
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    let before = findings(folder.path());
    let (run, elsewhere) = (folder.path().join("run"), tempfile::tempdir().unwrap());
    let moved = elsewhere.path().join("moved");
    fs::rename(&run, &moved).unwrap();
    drop(folder);
    fs::remove_file(moved.join("5-findings.json")).unwrap();
    fs::remove_dir_all(moved.join("6-report")).unwrap();
    let answers = elsewhere.path().join("answers.csv");
    let args = [
        "report",
        moved.to_str().unwrap(),
        "--answers",
        answers.to_str().unwrap(),
    ];
    let report = said(duress(&args).output().unwrap());
    assert_eq!(report.code, Some(0), "{}", report.complaint);
    assert_eq!(fs::read(moved.join("5-findings.json")).unwrap(), before);
    assert!(moved.join("6-report/index.html").exists());
    assert_eq!(
        fs::read_to_string(answers).unwrap().lines().count(),
        1 + 12 * 20
    );
}

#[test]
fn a_margin_below_what_changes_by_itself_is_refused_with_the_figure() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"learners\"\nseeds = [1, 2, 3]\n\
         dataset.sensors = { use = \"temporal-sem\", variables = 5, edges = 5, windows = 20 }\n\
         subject.lagged = { use = \"lagged-regression\" }\n\
         subject.pairs = { use = \"correlation\" }\n\
         analysis.gauges = [\"directed-f1\"]\n\
         [[claim]]\nname = \"same\"\ngauge = \"directed-f1\"\nof = \"lagged\"\nagainst = \"pairs\"\nside = \"equivalent\"\nmargin = 0.001\n";
    fs::write(folder.path().join("study.toml"), text).unwrap();
    let checked = said(
        duress_in(folder.path(), &["check", "study.toml", "--timing", "0"])
            .output()
            .unwrap(),
    );
    assert!(
        checked.out.contains(
            "same: chance to be upheld (p ≤ 0.05) if nothing differs and seeds alone varied"
        ),
        "{}",
        checked.out
    );
    let ended = run(folder.path(), &["--twice"]);
    assert_eq!(ended.code, Some(2), "{}", ended.out);
    assert!(
        ended
            .complaint
            .contains("claim `same`: a margin of 0.001 is below the noise floor of 0."),
        "{}",
        ended.complaint
    );
    assert!(
        ended
            .out
            .contains("What changes when nothing does: run again with 3 fresh seeds")
            && ended.out.contains("in 95 % of repeats"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("⊘ refused"), "{}", ended.out);
    // Whoever comes later is refused too, and nothing was written elsewhere.
    assert_eq!(run(folder.path(), &["--gate"]).code, Some(2));
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["run", "study.toml"]);
}
