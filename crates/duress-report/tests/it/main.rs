//! What people read: the page, the tables, the terminal.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

mod made_up;

use std::fs;
use std::path::Path;

use calamine::{Data, Reader, Xlsx, open_workbook};
use duress_core::gauge::{Accepted, Detail, Gated, Scope};
use duress_core::stressor::AttackDoubt;
use duress_core::word::Word;
use duress_findings::{
    About, AbsenceReason, Caveat, ClaimFloor, Doubt, ExplanationAgreement, Findings,
    IntervalMethod, JudgingMethod, Layout, Noise, NoiseFloor, NullCard, NumberForm, Range,
    RankedSubjects, Reading, Resampled, Under, Verdict,
};
use duress_parts::registry::Registry;
use duress_report as report;
use made_up::{HOSTILE, QUICKSTART, Size, findings};

const AWKWARD: Size = Size {
    subjects: 4,
    ladders: 2,
    rungs: 5,
    gauges: 6,
    awkward: true,
};

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
        for size in [
            QUICKSTART,
            AWKWARD,
            Size {
                subjects: 100,
                ..QUICKSTART
            },
        ] {
            let text = report::terminal::summary(&findings(size), width, false);
            for line in text.lines() {
                let columns: usize = line
                    .chars()
                    .map(|c| {
                        if duress_figure::label::is_wide(c) {
                            2
                        } else {
                            1
                        }
                    })
                    .sum();
                assert!(columns <= width, "{columns} > {width}: {line}");
            }
        }
    }
}

#[test]
fn a_number_over_a_whole_ladder_names_it_where_there_are_several() {
    let said = |ladders: usize| {
        let mut made_up = findings(Size {
            ladders,
            ..QUICKSTART
        });
        let ladder = made_up.ladders[0].name.clone();
        made_up.estimates[0].place.under = Under::Ladder(ladder.clone());
        let said = report::terminal::summary(&made_up, 120, false);
        let whole = said.split("over whole ladders").nth(1).unwrap().to_owned();
        (whole, format!(" under {ladder}"))
    };
    let (of_two, named) = said(2);
    assert!(of_two.contains(&named), "{of_two}");
    let (of_one, named) = said(1);
    assert!(!of_one.contains(&named), "{of_one}");
}

/// The terminal, in one line, of a study of which only the first claim is left, changed so.
fn said_of_claim(change: impl FnOnce(&mut Findings)) -> String {
    let mut findings = findings(QUICKSTART);
    findings.claims.truncate(1);
    change(&mut findings);
    let said = report::terminal::summary(&findings, 120, false);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_narrower_scope_stands_at_the_number_of_a_claim() {
    let said = said_of_claim(|findings| {
        findings.claims[0].judged_how = Some(JudgingMethod::TOverSeeds { seeds: 3 });
    });
    assert!(said.contains("], for these items only, margin"), "{said}");
    let both = Resampled::Crossed { items: 9, seeds: 3 };
    let said = said_of_claim(|findings| {
        findings.claims[0].judged_how = Some(JudgingMethod::AsEstimated {
            method: IntervalMethod::Crossed.into(),
            unit: both,
        });
    });
    assert!(!said.contains(" only, margin"), "{said}");
}

#[test]
fn an_undecided_claim_beside_an_interval_beyond_says_what_decides() {
    let undecided = |nulls: NullCard, level: f64| {
        said_of_claim(|findings| {
            let claim = &mut findings.claims[0];
            claim.verdict = Verdict::Undecided;
            let (low, high) = (claim.margin + 0.1, claim.margin + 0.2);
            claim.judged_by = Ok(Range { low, high, level });
            claim.nulls = Some(nulls);
        })
    };
    let family = undecided(NullCard::new((0.03, 0.9), (0.09, 0.9), 0.05), 0.9);
    assert!(
        family.contains("it is not adjusted; the p-value is, and 0.09"),
        "{family}"
    );
    let alone = undecided(NullCard::new((0.06, 0.9), (0.06, 0.9), 0.05), 0.9);
    assert!(
        alone.contains("but the claim's own test decides, and 0.06"),
        "{alone}"
    );
    let looked = undecided(NullCard::new((0.03, 0.9), (0.03, 0.9), 0.025), 0.9);
    assert!(
        looked.contains("not adjusted over looks; the level is, and 0.03"),
        "{looked}"
    );
    // Whatever else leaves it undecided, its p-value is not called above what it is below.
    let doubted = undecided(NullCard::new((0.01, 0.9), (0.01, 0.9), 0.05), 0.9);
    assert!(!doubted.contains("lies beyond the margin"), "{doubted}");
}

#[test]
fn a_claim_that_noise_refuses_is_not_shown_as_upheld() {
    let refuse = |findings: &mut Findings| {
        let claim = &mut findings.claims[0];
        claim.verdict = Verdict::Upheld;
        let noise = Noise::new(Reading::Value(0.4), Reading::Value(0.5), true);
        let mut floor = NoiseFloor::new(vec![4, 5, 6], 0.95);
        floor.claims = vec![ClaimFloor::new(claim.name.clone(), claim.margin, noise)];
        findings.noise_floor = Some(floor);
    };
    let said = said_of_claim(refuse);
    assert!(said.contains("⊘ refused") && !said.contains('✓'), "{said}");
    assert!(said.contains("below the noise floor of 0.5"), "{said}");
    let mut refused = findings(QUICKSTART);
    refused.claims.truncate(1);
    refuse(&mut refused);
    let folder = tempfile::tempdir().unwrap();
    report::write(&refused, folder.path()).unwrap();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("1 refused.</p>") && !page.contains("1 upheld"));
}

/// A study with a claim of two parts and a plain claim of its first part's name; noise refuses the
/// second part.
fn refused_by_its_second_part() -> Findings {
    let mut findings = findings(QUICKSTART);
    findings.claims.truncate(2);
    findings.study.layouts = vec![Layout::Rq1];
    let [whole, alone] = &mut findings.claims[..] else {
        panic!("two claims")
    };
    let part = |name: &str| {
        let mut part = alone.clone();
        (part.name, part.verdict) = (name.into(), Verdict::Upheld);
        part
    };
    whole.parts = vec![part("first"), part("second")];
    (whole.name, whole.verdict) = ("whole".into(), Verdict::Upheld);
    (alone.name, alone.verdict) = ("second".into(), Verdict::Upheld);
    let noise = Noise::new(Reading::Value(0.4), Reading::Value(0.5), true);
    let mut floor = NoiseFloor::new(vec![4, 5, 6], 0.95);
    floor.claims = vec![ClaimFloor::new("whole: second".into(), 0.1, noise)];
    findings.noise_floor = Some(floor);
    findings
}

#[test]
fn every_table_says_refused_where_noise_refuses_a_claim() {
    let findings = refused_by_its_second_part();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let expected = [
        ("whole", "refused"),
        ("whole: first", "upheld"),
        ("whole: second", "refused"),
        ("second", "upheld"),
    ];
    let long = read("tables/claims.csv");
    for ((name, word), row) in expected.iter().zip(long.lines().skip(1)) {
        let mut cells = row.split(',');
        assert_eq!((cells.next(), cells.nth(1)), (Some(*name), Some(*word)));
        let says_why = row.contains("below the noise floor of 0.5");
        assert_eq!(says_why, *word == "refused", "{row}");
    }
    let markdown = read("tables/tables.md");
    for (name, word) in expected {
        let start = format!("| {name} | {word} |");
        assert!(markdown.contains(&start), "{start} in {markdown}");
    }
    assert!(markdown.contains("whole is refused: its margin of 0.1"));
    let layout = read("results/rq1_complete/rq1_statistical_tests.csv");
    let ends: Vec<&str> = layout
        .lines()
        .skip(1)
        .map(|row| row.rsplit(',').next().unwrap())
        .collect();
    assert_eq!(ends, ["upheld", "refused", "upheld"], "{layout}");
    let said = report::terminal::summary(&findings, 120, false);
    assert!(
        said.contains("refused: second") && said.contains("upheld: first"),
        "{said}"
    );
    let page = read("index.html");
    assert!(page.contains("<h4>second: refused</h4>") && page.contains("<h4>first: upheld</h4>"));
    let figure = words_of(folder.path(), "claims-H1.svg").replace('\n', " ");
    assert!(figure.contains("second: refused") && figure.contains("undecided or refused"));
}

#[test]
fn small_and_large_studies_give_a_page() {
    for (subjects, ladders, gauges) in [(1, 0, 1), (1, 1, 1), (0, 0, 0), (100, 1, 1), (2, 3, 0)] {
        let folder = written(Size {
            subjects,
            ladders,
            gauges,
            ..QUICKSTART
        });
        let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
        assert!(page.contains("id=\"verdicts\"") && page.ends_with("</html>\n"));
    }
}

#[test]
fn remarks_on_a_dataset_stand_one_under_the_other() {
    let mut told = findings(QUICKSTART);
    told.datasets[0].remarks = vec!["there is no header".into(), "3 rows repeat".into()];
    let folder = tempfile::tempdir().unwrap();
    report::write(&told, folder.path()).unwrap();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("<li>there is no header</li><li>3 rows repeat</li>"));
}

#[test]
fn parts_of_a_number_over_a_whole_ladder_are_no_numbers_of_classes() {
    let page = |scope: Scope| {
        let mut made_up = findings(AWKWARD);
        for gauge in &mut made_up.gauges {
            gauge.scope = scope;
        }
        let folder = tempfile::tempdir().unwrap();
        report::write(&made_up, folder.path()).unwrap();
        fs::read_to_string(folder.path().join("index.html")).unwrap()
    };
    assert!(page(Scope::Cell).contains(" by class, "));
    let over_ladders = page(Scope::Ladder);
    assert!(!over_ladders.contains(" by class, "));
    assert!(over_ladders.contains(" is made of, "));
}

/// Compares with what is kept; `UPDATE_GOLDEN=1 cargo test -p duress-report --test it` keeps it anew.
fn check_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let first = kept.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(
        kept == text,
        "{name} differs; look, then UPDATE_GOLDEN=1. First: {first:#?}"
    );
}

#[test]
fn tables_and_terminal_read_as_they_did() {
    let small = Size {
        subjects: 3,
        ladders: 2,
        rungs: 4,
        gauges: 2,
        awkward: true,
    };
    let folder = written(small);
    for name in [
        "tables.md",
        "tables.tex",
        "summary.csv",
        "estimates.csv",
        "claims.csv",
    ] {
        check_golden(
            name,
            &fs::read_to_string(folder.path().join("tables").join(name)).unwrap(),
        );
    }
    check_golden(
        "terminal.txt",
        &report::terminal::summary(&findings(small), 80, false),
    );
}

#[test]
fn bold_stands_only_where_every_difference_does() {
    let mut findings = findings(Size {
        subjects: 2,
        ladders: 1,
        rungs: 3,
        gauges: 1,
        awkward: false,
    });
    let markdown = |findings: &Findings| {
        let folder = tempfile::tempdir().unwrap();
        report::write(findings, folder.path()).unwrap();
        fs::read_to_string(folder.path().join("tables/tables.md")).unwrap()
    };
    // The second subject minus the first, at the clean rung: the first is better, and stands out
    // once the interval says so.
    let clean = findings
        .contrasts
        .iter()
        .position(|contrast| contrast.of.under == Under::Clean)
        .unwrap();
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
        tables.contains("| beyond |")
            || tables.contains("| within |")
            || tables.contains("reaches in |")
    );
}

#[test]
fn a_workbook_opens_and_numbers_stay_numbers() {
    let folder = written(QUICKSTART);
    let mut book: Xlsx<_> = open_workbook(folder.path().join("tables/tables.xlsx")).unwrap();
    let sheets = book.sheet_names();
    let name = sheets
        .iter()
        .find(|name| name.contains("accuracy-pgd"))
        .unwrap();
    let sheet = book.worksheet_range(name).unwrap();
    assert_eq!(sheet.get_value((2, 1)), Some(&Data::String("0".into())));
    assert_eq!(
        sheet.get_value((3, 0)),
        Some(&Data::String("baseline".into()))
    );
    let findings = findings(QUICKSTART);
    let clean = findings
        .estimates
        .iter()
        .find(|e| e.gauge == "accuracy")
        .unwrap();
    let range = clean.quantity.interval.as_ref().unwrap();
    for (column, expected) in
        (1..).zip([clean.quantity.value.value().unwrap(), range.low, range.high])
    {
        let Some(Data::Float(read)) = sheet.get_value((3, column)) else {
            panic!("no number at {column}")
        };
        assert!((read - expected).abs() < 1e-15, "{read} {expected}");
    }
}

#[test]
fn numbers_are_mean_and_deviation_where_a_study_asks_for_that() {
    let mut findings = findings(QUICKSTART);
    findings.study.numbers = NumberForm::MeanAndSd;
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let table = |name: &str| fs::read_to_string(folder.path().join("tables").join(name)).unwrap();
    // The three seeds are 0.02 apart, so that is their standard deviation.
    assert!(
        table("tables.md").contains("| baseline | 0.914 ± 0.020 (a) |"),
        "{}",
        table("tables.md")
    );
    assert!(table("tables.md").contains("Mean ± standard deviation (n − 1) over 3 seeds."));
    assert!(table("tables.tex").contains("0.914 $\\pm$ 0.020"));
}

/// What readers of section 7 of the field look for: every file with its columns, in order; figures
/// have none.
const LOOKED_FOR: [(&str, &str); 15] = [
    (
        "rq3_selective/selective_prediction_results.csv",
        "model,seed,overall_accuracy,aurc,e_aurc,threshold_90,coverage_90,selective_acc_90,improvement_90,rejection_quality_90",
    ),
    (
        "rq3_selective/selective_prediction_summary.csv",
        "model,n_seeds,overall_accuracy_mean,overall_accuracy_std,aurc_mean,aurc_std,e_aurc_mean,e_aurc_std,threshold_90_mean,\
         threshold_90_std,coverage_90_mean,coverage_90_std,selective_acc_90_mean,selective_acc_90_std,improvement_90_mean,\
         improvement_90_std,rejection_quality_90_mean,rejection_quality_90_std",
    ),
    (
        "rq3_selective/curve_baseline_seed42.csv",
        "threshold,coverage,selective_accuracy",
    ),
    (
        "rq3_selective/curve_tri-objective_seed42.csv",
        "threshold,coverage,selective_accuracy",
    ),
    ("rq3_selective/coverage_accuracy_curves.pdf", ""),
    ("rq3_selective/selective_comparison.pdf", ""),
    ("rq3_selective/aurc_comparison.pdf", ""),
    (
        "rq1_attack_spectrum/attack_spectrum.csv",
        "model,seed,epsilon,accuracy",
    ),
    (
        "rq1_attack_spectrum/attack_spectrum_summary.csv",
        "model,epsilon,mean,std,n_seeds,ci_lower,ci_upper",
    ),
    ("rq1_attack_spectrum/attack_spectrum.pdf", ""),
    (
        "rq1_complete/rq1_complete_results.csv",
        "clean_accuracy,clean_auroc_macro,clean_f1_weighted,clean_mcc,clean_recall_class0,clean_recall_class1,clean_recall_class2,\
         clean_recall_class3,clean_recall_class4,clean_recall_class5,robust_robust_accuracy,robust_attack_success_rate,\
         robust_robust_acc_class0,robust_robust_acc_class1,robust_robust_acc_class2,robust_robust_acc_class3,robust_robust_acc_class4,\
         robust_robust_acc_class5,robust_accuracy_gap,calib_ece,calib_mce,calib_brier_score,model,seed",
    ),
    (
        "rq1_complete/rq1_statistical_tests.csv",
        "hypothesis,metric,mean_of,sd_of,mean_against,sd_against,difference,t_statistic,p_value,equivalence_p,cohens_d,ci_lower,\
         ci_upper,significant,target_met,baseline_mean,baseline_std,trades_mean,trades_std,triobj_mean,triobj_std,improvement,baseline_ece,\
         trades_ece,triobj_ece,vs_trades_t,vs_trades_p,vs_baseline_diff,of,against,margin,side,test,p_adjusted,cohens_dz,ci_level,verdict",
    ),
    ("figures/rq1/figure1_clean_robust_scatter.pdf", ""),
    ("figures/rq1/figure3_calibration_reliability.pdf", ""),
    ("figures/rq1/figure4_perclass_comparison.pdf", ""),
];

/// Findings in which one gauge is called and detailed as selective accuracy at 90 % coverage is.
fn selective_findings() -> Findings {
    let mut findings = findings(Size {
        gauges: 6,
        ..QUICKSTART
    });
    let renamed = |gauge: &mut String| {
        if gauge == "confusion" {
            *gauge = "selective-accuracy-90".into();
        }
    };
    findings
        .gauges
        .iter_mut()
        .for_each(|card| renamed(&mut card.name));
    findings
        .curves
        .iter_mut()
        .for_each(|curve| renamed(&mut curve.gauge));
    for estimate in &mut findings.estimates {
        renamed(&mut estimate.gauge);
        if estimate.gauge == "selective-accuracy-90" {
            let at = |threshold: f64| Accepted {
                threshold,
                coverage: 1.0 - threshold,
                accuracy: Some(0.9),
            };
            estimate.details = vec![(42, Detail::Thresholds(vec![at(0.5), at(0.8)]))];
        }
    }
    findings.study.layouts = vec![
        Layout::Selective,
        Layout::AttackSpectrum,
        Layout::Rq1,
        Layout::Order,
    ];
    findings
}

#[test]
fn a_layout_has_its_own_names_and_columns_and_says_what_it_lacks() {
    let findings = selective_findings();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let results = folder.path().join("results");
    let read = |path: &str| fs::read_to_string(results.join(path)).unwrap();
    for (file, columns) in LOOKED_FOR {
        match file.ends_with(".pdf") {
            true => assert!(
                fs::read(results.join(file)).unwrap().starts_with(b"%PDF"),
                "{file}"
            ),
            false => assert_eq!(read(file).lines().next().unwrap(), columns, "{file}"),
        }
    }
    assert!(
        read("rq1_complete/rq1_summary.csv")
            .starts_with("model,n_seeds,clean_accuracy_mean,clean_accuracy_std,")
    );
    let spectrum = read("rq1_attack_spectrum/attack_spectrum.csv");
    assert!(
        spectrum.starts_with("model,seed,epsilon,accuracy\nbaseline,42,0,0.89"),
        "{spectrum}"
    );
    assert_eq!(spectrum.lines().count(), 1 + 3 * 3 * 5);
    assert!(spectrum.contains(&format!("baseline,44,{},", 8.0 / 255.0)));
    // No study here reads the AUROC: an empty cell, and the notes say why.
    let complete = read("rq1_complete/rq1_complete_results.csv");
    let row: Vec<&str> = complete.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((row[1], row[row.len() - 2]), ("", "baseline"));
    let notes = read("rq1_complete/notes.md");
    assert!(
        notes.contains("`auroc-macro` is not read by the study") && notes.contains("- 3: 黑色素瘤"),
        "{notes}"
    );
    let tests = read("rq1_complete/rq1_statistical_tests.csv");
    assert_eq!(tests.lines().count(), 1 + findings.claims.len());
    let heads: Vec<&str> = tests.lines().next().unwrap().split(',').collect();
    let row: Vec<&str> = tests.lines().nth(1).unwrap().split(',').collect();
    let under = |head: &str| row[heads.iter().position(|one| *one == head).unwrap()];
    assert_eq!(
        (under("of"), under("against")),
        ("tri-objective", "baseline")
    );
    assert_eq!(under("triobj_mean"), under("mean_of"));
    assert_eq!(under("triobj_std"), under("sd_of"));
    assert_eq!(under("baseline_mean"), under("mean_against"));
    assert_eq!(under("improvement"), under("difference"));
    assert!(!under("vs_baseline_diff").is_empty());
    assert_eq!(under("trades_mean"), "", "no subject is called so");
    // It is no claim against TRADES, and not about the ECE.
    assert_eq!(
        (
            under("vs_trades_t"),
            under("vs_trades_p"),
            under("triobj_ece")
        ),
        ("", "", "")
    );
}

#[test]
fn maps_stand_below_the_images_they_are_about() {
    let folder = written(QUICKSTART);
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    let after = page.find("alt=\"after\"").unwrap();
    let map = page.find("alt=\"map before\"").unwrap();
    assert!(after < map && page.contains("alt=\"map after\""));
    assert!(page.contains("orange: for the class; blue: against it"));
}

#[test]
fn gauges_of_explanations_stand_beside_each_other_with_how_far_they_agree() {
    let ranked = |gauge: &str, ranks: [f64; 3]| RankedSubjects {
        gauge: gauge.into(),
        under: Under::Clean,
        ranks: ["baseline", "trades", "tri-objective"]
            .map(made_up::name)
            .into_iter()
            .zip(ranks)
            .collect(),
    };
    let with = |tau: Reading| {
        let mut findings = findings(QUICKSTART);
        findings.explanation_agreements = vec![ExplanationAgreement {
            dataset: made_up::name("digits"),
            tau,
            gauges: vec![
                ranked("ssim", [1.0, 2.5, 2.5]),
                ranked("deletion", [3.0, 2.0, 1.0]),
            ],
        }];
        let folder = tempfile::tempdir().unwrap();
        report::write(&findings, folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        (read("index.html"), read("tables/tables.md"))
    };
    let (page, tables) = with(Reading::Value(-0.82));
    assert!(page.contains("Do gauges of explanations rank subjects alike?"));
    assert!(
        page.contains("the mean over pairs of gauges: −0.82") || page.contains("gauges: -0.82")
    );
    assert!(
        tables.contains("ssim") && tables.contains("2.5"),
        "{tables}"
    );
    let few = AbsenceReason::TooFewToRank {
        subjects: 2,
        gauges: 1,
    };
    let (page, _) = with(Reading::Undefined(few));
    assert!(page.contains("is not shown: 2 subjects by 1 gauge of explanations"));
}

/// All words of a figure of the page, in the order of painting.
fn words_of(folder: &Path, figure: &str) -> String {
    let drawn = fs::read_to_string(folder.join("figures").join(figure)).unwrap();
    let texts = drawn
        .split("<text")
        .skip(1)
        .filter_map(|text| text.split_once('>')?.1.split('<').next());
    texts.collect::<Vec<_>>().join("\n")
}

/// Every form in which the attack's ladder of a subject is marked: the terminal, all tables, below the
/// figures of the page, and in every figure that shows its numbers.
fn marked_places(findings: &Findings) -> [usize; 5] {
    let folder = tempfile::tempdir().unwrap();
    report::write(findings, folder.path()).unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let marks = |text: String, mark: &str| text.matches(mark).count();
    let [subject, ..] = &findings.subjects[..] else {
        panic!("a subject")
    };
    let marked = format!("{} †", subject.name);
    let gauge = &findings.gauges[0].name;
    let drawn =
        ["heat", "ladders"].map(|kind| words_of(folder.path(), &format!("{kind}-{gauge}.svg")));
    let figures = drawn.concat();
    [
        marks(report::terminal::summary(findings, 100, false), "†"),
        marks(read("tables/tables.md"), &marked),
        marks(read("tables/tables.tex"), "†"),
        marks(read("index.html"), "Doubted by the attack itself (†)"),
        marks(figures, "†"),
    ]
}

#[test]
fn what_its_own_attack_doubts_is_marked_in_terminal_table_and_figure_and_nothing_else_is() {
    let small = Size {
        subjects: 2,
        ladders: 2,
        rungs: 3,
        gauges: 1,
        awkward: false,
    };
    let mut doubted = findings(small);
    assert_eq!(marked_places(&doubted), [0; 5]);
    let curve = doubted.curves[0].clone();
    let place = |ladder: &duress_core::name::Name| duress_findings::Place {
        subject: curve.subject.clone(),
        dataset: curve.dataset.clone(),
        under: Under::Ladder(ladder.clone()),
    };
    let told = |ladder, by| Caveat::new(About::Place(place(ladder)), Doubt::Attack { by });
    doubted
        .caveats
        .push(told(&curve.ladder, AttackDoubt::AnswersOnly));
    assert_eq!(marked_places(&doubted), [0; 5], "that is no grave doubt");
    let grave = AttackDoubt::StillRising {
        rising: 9,
        ended: 10,
    };
    doubted.caveats.push(told(&curve.ladder, grave.clone()));
    let one = marked_places(&doubted);
    assert!(one.iter().all(|marks| *marks > 0), "{one:?}");
    let other = doubted
        .curves
        .iter()
        .find(|other| other.ladder != curve.ladder)
        .unwrap();
    let other = other.ladder.clone();
    doubted.caveats.push(told(&other, grave));
    let two = marked_places(&doubted);
    assert!(
        one.iter().zip(two).all(|(one, two)| *one < two),
        "the other ladder was not marked before: {one:?} {two:?}"
    );
}

#[test]
fn the_gate_of_two_thresholds_is_the_mean_over_seeds() {
    let mut findings = findings(QUICKSTART);
    let gate = |coverage: f64, accuracy: Option<f64>| {
        let at = |above: f64, threshold: f64| Gated {
            above,
            accepted: Accepted {
                threshold,
                coverage,
                accuracy,
            },
        };
        Detail::Gates {
            score: "ssim".into(),
            points: vec![at(0.5, 0.5), at(0.5, 0.9), at(0.75, 0.5), at(0.75, 0.9)],
        }
    };
    for estimate in findings
        .estimates
        .iter_mut()
        .filter(|e| e.gauge == "accuracy" && e.place.under == Under::Clean)
    {
        estimate.details = vec![
            (42, gate(0.5, Some(0.7))),
            (43, gate(0.7, Some(0.8))),
            (44, gate(0.0, None)),
        ];
    }
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let right = words_of(folder.path(), "gates-baseline-accuracy-clean.svg");
    assert!(
        right.contains("Mean of 3 seeds") && right.matches("0.750").count() == 4,
        "{right}"
    );
    let answered = words_of(folder.path(), "gates-coverage-baseline-accuracy-clean.svg");
    assert!(
        answered.contains("Share answered, baseline, clean")
            && answered.matches("40 %").count() == 4,
        "{answered}"
    );
}

#[test]
fn the_curves_of_the_selective_layout_have_a_line_at_ninety_per_cent() {
    let folder = tempfile::tempdir().unwrap();
    report::write(&selective_findings(), folder.path()).unwrap();
    let file = fs::read(
        folder
            .path()
            .join("results/rq3_selective/coverage_accuracy_curves.pdf"),
    )
    .unwrap();
    let said: String = "beside 90 % coverage"
        .encode_utf16()
        .map(|unit| format!("{unit:04x}"))
        .collect();
    assert!(
        String::from_utf8_lossy(&file).contains(&said),
        "its title names the line"
    );
}

#[test]
fn every_layout_a_study_may_name_is_written() {
    for layout in Layout::ALL {
        let mut findings = findings(QUICKSTART);
        findings.study.layouts = vec![*layout];
        let folder = tempfile::tempdir().unwrap();
        report::write(&findings, folder.path()).unwrap();
        let written = ["results", "artifacts"]
            .map(|top| folder.path().join(top))
            .into_iter()
            .any(|top| top.is_dir());
        assert!(written, "{layout}");
    }
}

/// What `inputenc` and `fontenc` set up without being asked: Latin letters and the marks of printed
/// text.
fn latex_knows(c: char) -> bool {
    c.is_ascii() || ('\u{a0}'..='\u{17f}').contains(&c) || "–—‘’“”„…†‡•‰€™".contains(c)
}

#[test]
fn what_duress_says_itself_needs_no_latex_beyond_the_usual() {
    let mut findings = findings(QUICKSTART);
    let parts = Registry::standard();
    // Conventions and units are texts in a part's code; its comments are not in tables, and items
    // may be in any script.
    let code = parts.parts().iter().flat_map(|part| part.source.lines());
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    findings.claims[0].sentence = code
        .flat_map(str::chars)
        .filter(|c| !('\u{2e80}'..).contains(c) && !c.is_control())
        .collect();
    let folder = tempfile::tempdir().unwrap();
    report::write(&findings, folder.path()).unwrap();
    let tables = fs::read_to_string(folder.path().join("tables/tables.tex")).unwrap();
    let strange: std::collections::BTreeSet<char> =
        tables.chars().filter(|c| !latex_knows(*c)).collect();
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
    let stems: std::collections::BTreeSet<&str> = names
        .iter()
        .filter_map(|name| name.rsplit_once('.'))
        .map(|n| n.0)
        .collect();
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
    let mut newer = findings(QUICKSTART);
    newer.version = 99;
    report::write(&newer, folder.path()).unwrap();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("written in shape 99"));
}
