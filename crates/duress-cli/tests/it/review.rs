//! `duress review`: a sheet of what stressors do to texts, and what people said of it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use crate::harness::ended_at_width;

const STUDY: &str = r#"
name = "reviewed"
seeds = [1]

[dataset.responses]
use = "judged-responses"

[subject.rules]
use = "rules-judge"
on = "responses"

[ladder.spelling]
use = "inject-spelling"
severities = [1, 2]

[ladder.sycophancy]
use = "inject-sycophancy"
severities = [1]

[analysis]
units = "items"
gauges = ["quality"]
"#;

fn review(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let all: Vec<&str> = ["review", "study.toml"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    ended_at_width(folder, 100, &all)
}

/// The rows of a sheet: each id with its diff.
fn rows(sheet: &str) -> Vec<(String, String)> {
    let rows = sheet.lines().skip(1).filter_map(|line| {
        let (id, rest) = line.split_once(',')?;
        Some((id.to_string(), rest.to_string()))
    });
    rows.collect()
}

#[test]
fn a_blind_sheet_names_no_subtype_and_what_readers_say_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    let (code, said, wrong) = review(
        folder.path(),
        &["--out", "sheet", "--blind", "--most", "25"],
    );
    assert_eq!(code, 0, "{wrong}");
    assert!(said.contains("49 steps"), "{said}");
    let sheet = fs::read_to_string(folder.path().join("sheet/diffs.csv")).unwrap();
    assert!(
        !sheet.contains("spelling") && !sheet.contains("sycophancy"),
        "{sheet}"
    );
    let sources = fs::read_to_string(folder.path().join("sheet/sources.csv")).unwrap();
    assert_eq!(sources.lines().count(), 25);

    // A reader who takes what has no deletion for flattery, and errs once on purpose.
    let mut answers = String::from("id,subtype\n");
    for (at, (id, diff)) in rows(&sheet).iter().enumerate() {
        let flattery = !diff.contains("[-") || at == first_spelling(&sheet);
        let subtype = if flattery { "sycophancy" } else { "spelling" };
        answers += &format!("{id},{subtype}\n");
    }
    fs::write(folder.path().join("answers.csv"), &answers).unwrap();
    let bars = [
        "--answers",
        "answers.csv",
        "--overall",
        "0.9",
        "--each",
        "0.9",
    ];
    let (code, said, wrong) = review(folder.path(), &bars);
    assert_eq!(code, 0, "{said}{wrong}");
    assert!(
        said.contains("24 of 25 (96 %), taken for sycophancy 1"),
        "{said}"
    );
    assert!(said.contains("right in all: 98.0 %"), "{said}");
    let strict = ["--answers", "answers.csv", "--each", "0.97"];
    assert_eq!(review(folder.path(), &strict).0, 1);
}

fn first_spelling(sheet: &str) -> usize {
    let rows = rows(sheet);
    rows.iter()
        .position(|(_, diff)| diff.contains("[-"))
        .unwrap()
}

#[test]
fn verdicts_are_read_back_and_an_id_of_another_study_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    let (code, _, wrong) = review(folder.path(), &["--out", "sheet"]);
    assert_eq!(code, 0, "{wrong}");
    let sheet = fs::read_to_string(folder.path().join("sheet/review.csv")).unwrap();
    let page = fs::read_to_string(folder.path().join("sheet/review.html")).unwrap();
    assert!(page.contains("<ins>") && page.contains("<del>"));
    let ids: Vec<String> = rows(&sheet).into_iter().map(|(id, _)| id).collect();
    // A sheet that nobody wrote into says nothing, and is not written over.
    let (_, said, _) = review(folder.path(), &["--answers", "sheet/review.csv"]);
    assert!(said.contains("0 steps answered about"), "{said}");
    let (code, _, wrong) = review(folder.path(), &["--out", "sheet"]);
    assert!(code == 2 && wrong.contains("a sheet already"), "{wrong}");
    let said = format!(
        "id,verdict\n{},accepted\n{},rejected\n{},\n",
        ids[0], ids[1], ids[2]
    );
    fs::write(folder.path().join("back.csv"), said).unwrap();
    let (code, said, wrong) = review(folder.path(), &["--answers", "back.csv"]);
    assert_eq!(code, 0, "{wrong}");
    assert!(said.contains("2 steps answered about, 1 not"), "{said}");
    let count = |word: &str| said.matches(&format!("1 {word}")).count();
    assert!(count("accepted") == 1 && count("rejected") == 1, "{said}");

    fs::write(
        folder.path().join("back.csv"),
        "id,verdict\nffffffffffff,accepted\n",
    )
    .unwrap();
    let (code, _, wrong) = review(folder.path(), &["--answers", "back.csv"]);
    assert_eq!(code, 2);
    assert!(wrong.contains("no step of this study"), "{wrong}");
}

#[test]
fn the_answers_of_the_blind_reader_are_about_the_steps_of_the_shipped_study() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let args = [
        "review",
        "studies/judge/sensitivity.toml",
        "--answers",
        "studies/judge/blind/answers.csv",
        "--overall",
        "0.85",
        "--each",
        "0.7",
    ];
    let (code, said, wrong) = ended_at_width(&root, 100, &args);
    assert_eq!(code, 0, "{said}{wrong}");
    assert!(said.contains("386 steps answered about, 0 not"), "{said}");
    assert!(said.contains("right in all: 100.0 %"), "{said}");
}

/// A response with HTML, with marks of its own, and with what a spreadsheet takes for a formula.
#[test]
fn hostile_responses_are_shown_and_do_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let responses = r#"{"id": "<b>html</b>", "response": "The <script>alert(1)</script> tower {+was+} built [-long-] ago. It is 330 metres tall and many people visit it every year.", "source": "<img src=x onerror=alert(2)>"}
{"id": "=1+1", "response": "=HYPERLINK(0) was written about the tower. It has four levels and many people visit it every year.", "source": "@SUM(A1)"}
"#;
    fs::write(folder.path().join("responses.jsonl"), responses).unwrap();
    let named = "use = \"judged-responses\"\nfile = \"responses.jsonl\"";
    let study = STUDY.replace("use = \"judged-responses\"", named);
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let (code, _, wrong) = review(folder.path(), &["--out", "sheet"]);
    assert_eq!(code, 0, "{wrong}");
    let page = fs::read_to_string(folder.path().join("sheet/review.html")).unwrap();
    assert!(
        !page.contains("<script>") && !page.contains("<img"),
        "{page}"
    );
    // Marks that the response has itself are none of the sheet's: each step has one that is put in.
    let steps = page.matches("<section").count();
    assert_eq!(page.matches("<ins>").count(), steps, "{page}");
    assert!(!page.contains("<ins>was</ins>") && !page.contains("<del>long</del>"));
    let sheet = fs::read_to_string(folder.path().join("sheet/review.csv")).unwrap();
    for line in sheet.lines().skip(1) {
        let cells = line.split([',', '"']);
        let formula = |cell: &&str| cell.starts_with(['=', '@', '+']);
        assert_eq!(cells.filter(formula).count(), 0, "{line}");
        // A letter first: no spreadsheet takes an id for a number.
        assert!(line.starts_with('s'), "{line}");
    }
    fs::copy(
        folder.path().join("sheet/review.csv"),
        folder.path().join("back.csv"),
    )
    .unwrap();
    let (code, _, wrong) = review(folder.path(), &["--answers", "back.csv"]);
    assert_eq!(code, 0, "{wrong}");
    fs::write(
        folder.path().join("back.csv"),
        "id,verdict\nunknown,rejected\n",
    )
    .unwrap();
    let (code, _, wrong) = review(folder.path(), &["--answers", "back.csv"]);
    assert!(
        code == 2 && wrong.contains("no step of this study"),
        "{wrong}"
    );
}
