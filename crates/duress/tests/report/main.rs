//! What people read: the page, the tables, the terminal.

#![expect(clippy::unwrap_used, reason = "what a test makes up is known to be right")]

mod made_up;

use std::fs;
use std::path::Path;

use duress::analysis::findings::{Findings, Under};
use duress::report;
use made_up::{HOSTILE, QUICKSTART, Size, findings};

const AWKWARD: Size = Size { subjects: 4, ladders: 2, rungs: 5, gauges: 6, awkward: true };

fn written(size: Size) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings(size), folder.path()).unwrap();
    folder
}

#[test]
fn a_hostile_text_stays_text_on_the_page() {
    let folder = written(AWKWARD);
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("&lt;script&gt;document.title"));
    assert!(!page.contains("<script>document"));
    assert!(!page.contains("<img src=x"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
}

#[test]
fn a_hostile_text_stays_text_in_the_terminal() {
    for colour in [false, true] {
        let text = report::terminal::summary(&findings(AWKWARD), 80, colour);
        assert!(!text.contains('\u{7}') && !text.contains('\u{202e}'));
        assert!(!text.contains("\u{1b}[31m"));
        assert_eq!(text.contains('\u{1b}'), colour);
        assert!(HOSTILE.contains('\u{1b}'));
    }
}

#[test]
fn a_terminal_line_is_never_longer_than_asked() {
    for width in [60, 80, 120] {
        for size in [QUICKSTART, AWKWARD, Size { subjects: 100, ..QUICKSTART }] {
            let text = report::terminal::summary(&findings(size), width, false);
            for line in text.lines() {
                let columns: usize =
                    line.chars().map(|c| if duress_figure::label::is_wide(c) { 2 } else { 1 }).sum();
                assert!(columns <= width, "{columns} > {width}: {line}");
            }
        }
    }
}

#[test]
fn small_and_large_studies_give_a_page() {
    for (subjects, ladders, gauges) in [(1, 0, 1), (1, 1, 1), (0, 0, 0), (100, 1, 1), (2, 3, 0)] {
        let folder = written(Size { subjects, ladders, gauges, ..QUICKSTART });
        let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
        assert!(page.contains("id=\"verdicts\"") && page.ends_with("</html>\n"));
    }
}

/// Compares with what is kept; `UPDATE_GOLDEN=1 cargo test -p duress --test report` keeps it anew.
fn check_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let first = kept.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(kept == text, "{name} differs; look, then UPDATE_GOLDEN=1. First: {first:#?}");
}

#[test]
fn tables_and_terminal_read_as_they_did() {
    let small = Size { subjects: 3, ladders: 2, rungs: 4, gauges: 2, awkward: true };
    let folder = written(small);
    for name in ["tables.md", "tables.tex", "summary.csv", "estimates.csv", "claims.csv"] {
        check_golden(name, &fs::read_to_string(folder.path().join("tables").join(name)).unwrap());
    }
    check_golden("terminal.txt", &report::terminal::summary(&findings(small), 80, false));
}

#[test]
fn bold_stands_only_where_every_difference_does() {
    let mut findings = findings(Size { subjects: 2, ladders: 1, rungs: 3, gauges: 1, awkward: false });
    let markdown = |findings: &Findings| {
        let folder = tempfile::tempdir().unwrap();
        report::write(findings, folder.path()).unwrap();
        fs::read_to_string(folder.path().join("tables/tables.md")).unwrap()
    };
    // The second subject minus the first, at the clean rung: the first is better, and stands out once the interval says so.
    let clean = findings.contrasts.iter().position(|contrast| contrast.of.under == Under::Clean).unwrap();
    findings.contrasts[clean].quantity = made_up::quantity(-0.03, 0.05);
    assert!(!markdown(&findings).contains("| baseline | **"));
    findings.contrasts[clean].quantity = made_up::quantity(-0.03, 0.01);
    assert!(markdown(&findings).contains("| baseline | **0.914"));
    findings.contrasts.remove(clean);
    assert!(!markdown(&findings).contains("| baseline | **"));
}

#[test]
fn an_expectation_is_never_shown_as_a_measurement() {
    let folder = written(AWKWARD);
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("(not measured)") && page.contains("expected, not measured here"));
    let tables = fs::read_to_string(folder.path().join("tables/tables.md")).unwrap();
    assert!(
        tables.contains("| beyond |") || tables.contains("| within |") || tables.contains("reaches in |")
    );
}

#[test]
fn a_workbook_opens_and_numbers_stay_numbers() {
    let folder = written(QUICKSTART);
    let bytes = fs::read(folder.path().join("tables/tables.xlsx")).unwrap();
    assert!(bytes.starts_with(b"PK"));
}

#[test]
fn every_figure_is_there_in_three_forms() {
    let folder = written(QUICKSTART);
    let names: Vec<String> = fs::read_dir(folder.path().join("figures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let stems: std::collections::BTreeSet<&str> =
        names.iter().filter_map(|name| name.rsplit_once('.')).map(|n| n.0).collect();
    for kind in [
        "claims-",
        "curve-",
        "heat-",
        "ladders-",
        "tradeoff-",
        "contrasts-",
        "reliability-",
        "classes-",
        "risk-coverage-",
        "coverage-accuracy-",
    ] {
        assert!(stems.iter().any(|stem| stem.starts_with(kind)), "{kind}");
    }
    for stem in stems {
        for form in ["svg", "png", "pdf"] {
            assert!(names.contains(&format!("{stem}.{form}")), "{stem}.{form}");
        }
    }
}

#[test]
fn findings_of_another_shape_say_so() {
    let folder = tempfile::tempdir().unwrap();
    report::write(&Findings { version: 99, ..findings(QUICKSTART) }, folder.path()).unwrap();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("written in shape 99"));
}
