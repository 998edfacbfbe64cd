//! What people read: the page, the tables, the terminal.

#![expect(clippy::unwrap_used, reason = "what a test makes up is known to be right")]

mod made_up;

use std::fs;
use std::path::Path;

use calamine::{Data, Reader, Xlsx, open_workbook};
use duress::analysis::findings::{Findings, Under};
use duress::report;
use duress_parts::registry::Registry;
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
    let mut book: Xlsx<_> = open_workbook(folder.path().join("tables/tables.xlsx")).unwrap();
    let sheets = book.sheet_names();
    let name = sheets.iter().find(|name| name.contains("accuracy-pgd")).unwrap();
    let sheet = book.worksheet_range(name).unwrap();
    assert_eq!(sheet.get_value((2, 1)), Some(&Data::String("0".into())));
    assert_eq!(sheet.get_value((3, 0)), Some(&Data::String("baseline".into())));
    let findings = findings(QUICKSTART);
    let clean = findings.estimates.iter().find(|e| e.gauge == "accuracy").unwrap();
    let range = clean.quantity.interval.as_ref().unwrap();
    for (column, expected) in (1..).zip([clean.quantity.value.value().unwrap(), range.low, range.high]) {
        let Some(Data::Float(read)) = sheet.get_value((3, column)) else { panic!("no number at {column}") };
        assert!((read - expected).abs() < 1e-15, "{read} {expected}");
    }
}

#[test]
fn numbers_are_mean_and_deviation_where_a_study_asks_for_that() {
    let mut findings = findings(QUICKSTART);
    findings.study.numbers = "mean-sd".into();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let table = |name: &str| fs::read_to_string(folder.path().join("tables").join(name)).unwrap();
    // The three seeds are 0.02 apart, so that is their standard deviation.
    assert!(table("tables.md").contains("| baseline | 0.914 ± 0.020 (a) |"), "{}", table("tables.md"));
    assert!(table("tables.md").contains("Mean ± standard deviation (n − 1) over 3 seeds."));
    assert!(table("tables.tex").contains("0.914 $\\pm$ 0.020"));
}

#[test]
fn a_layout_has_its_own_names_and_columns_and_says_what_it_lacks() {
    let mut findings = findings(Size { gauges: 6, ..QUICKSTART });
    findings.study.layouts = ["selective", "attack-spectrum", "rq1", "order"].map(String::from).to_vec();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let read = |path: &str| fs::read_to_string(folder.path().join("results").join(path)).unwrap();
    let spectrum = read("rq1_attack_spectrum/attack_spectrum.csv");
    assert!(spectrum.starts_with("model,seed,epsilon,accuracy\nbaseline,42,0,0.89"), "{spectrum}");
    assert_eq!(spectrum.lines().count(), 1 + 3 * 3 * 5);
    assert!(spectrum.contains(&format!("baseline,44,{},", 8.0 / 255.0)));
    let complete = read("rq1_complete/rq1_complete_results.csv");
    let heads: Vec<&str> = complete.lines().next().unwrap().split(',').collect();
    assert_eq!(heads[..2], ["clean_accuracy", "clean_auroc_macro"]);
    assert!(heads.contains(&"clean_recall_classclass 0") && heads.contains(&"calib_ece"));
    assert_eq!(heads[heads.len() - 2..], ["model", "seed"]);
    // No study here reads the AUROC: an empty cell, and the notes say why.
    let row: Vec<&str> = complete.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((row[1], row[row.len() - 2]), ("", "baseline"));
    assert!(read("rq1_complete/notes.md").contains("`auroc-macro` is not read by the study"));
    let tests = read("rq1_complete/rq1_statistical_tests.csv");
    assert_eq!(tests.lines().count(), 1 + findings.claims.len());
    for figure in [
        "figures/rq1/figure1_clean_robust_scatter.pdf",
        "figures/rq1/figure3_calibration_reliability.pdf",
        "figures/rq1/figure4_perclass_comparison.pdf",
        "rq3_selective/coverage_accuracy_curves.pdf",
        "rq1_attack_spectrum/attack_spectrum.pdf",
    ] {
        let bytes = fs::read(folder.path().join("results").join(figure)).unwrap();
        assert!(bytes.starts_with(b"%PDF"), "{figure}");
    }
}

#[test]
fn every_layout_a_study_may_name_is_written() {
    let schema = duress::study::schema::schema(&Registry::standard()).to_string();
    let list = schema.split("\"layouts\":").nth(1).and_then(|rest| rest.split("\"enum\":[").nth(1)).unwrap();
    let names: Vec<String> =
        list.split(']').next().unwrap().split(',').map(|name| name.trim_matches('"').to_owned()).collect();
    assert!(names.len() > 3 && names.contains(&"rq1".to_owned()), "{names:?}");
    for name in names {
        let mut findings = findings(QUICKSTART);
        findings.study.layouts = vec![name.clone()];
        let folder = tempfile::tempdir().unwrap();
        report::write(&findings, folder.path()).unwrap();
        let written =
            ["results", "artifacts"].map(|top| folder.path().join(top)).into_iter().any(|top| top.is_dir());
        assert!(written, "{name}");
    }
}

/// What `inputenc` and `fontenc` set up without being asked: Latin letters and the marks of printed text.
fn latex_knows(c: char) -> bool {
    c.is_ascii() || ('\u{a0}'..='\u{17f}').contains(&c) || "–—‘’“”„…†‡•‰€™".contains(c)
}

#[test]
fn what_duress_says_itself_needs_no_latex_beyond_the_usual() {
    let mut findings = findings(QUICKSTART);
    let parts = Registry::standard();
    // Conventions and units are texts in a part's code; its comments are not in tables, and items may be in any script.
    let code = parts.parts().iter().flat_map(|part| part.source.lines());
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    findings.claims[0].sentence =
        code.flat_map(str::chars).filter(|c| !('\u{2e80}'..).contains(c) && !c.is_control()).collect();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let tables = fs::read_to_string(folder.path().join("tables/tables.tex")).unwrap();
    let strange: std::collections::BTreeSet<char> = tables.chars().filter(|c| !latex_knows(*c)).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn a_text_in_a_csv_table_is_neither_a_formula_nor_a_terminal_code() {
    let mut findings = findings(QUICKSTART);
    findings.claims[0].name = "=1+1\u{1b}[31m".into();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let claims = fs::read_to_string(folder.path().join("tables/claims.csv")).unwrap();
    assert!(claims.contains("'=1+1\u{241b}[31m"), "{claims}");
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
