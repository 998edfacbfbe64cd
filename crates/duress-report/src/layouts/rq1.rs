//! Clean, robust and calibrated, with the tests: `results/rq1_complete` and `results/figures/rq1`.

use super::{
    LayoutFiles, Piece, Tested, cell, classes, first_attack, hardest, of_class, of_seeds, rq1_trio,
    summary, tested_by,
};
use crate::digest::{Digest, REFUSED};
use crate::figures::{detail_figure, tradeoff_figure};
use crate::tables::format::csv::{File, number};
use crate::words::mean_and_sd;
use duress_findings::{ClaimFinding, Reading, Under, Verdict};
use duress_findings::{ClaimSide, Layout};

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::Rq1,
    folder: "results/rq1_complete",
    gauges: &[
        "accuracy",
        "auroc-macro",
        "f1-weighted",
        "mcc",
        "precision",
        "recall",
        "f1",
        "attack-success-rate",
        "accuracy-gap",
        "ece",
        "mce",
        "brier",
    ],
    columns: meanings,
    pieces,
};

/// Under what `robust` was read, which class each number in a column's name stands for, and what
/// the columns of the tests are.
fn meanings(digest: &Digest<'_>) -> String {
    let mut text = match attack(digest) {
        Some(Under::Rung { ladder, severity }) => format!(
            "\n`robust_…` is read at {ladder} {severity}: the hardest rung of the first attack, or of the first ladder where none is one.\n"
        ),
        _ => "\n`robust_…` is empty: the study has no ladder.\n".into(),
    };
    text.push_str("\nA number behind `class` counts the classes from 0 in their order:\n\n");
    for (number, class) in classes(digest, "recall").iter().enumerate() {
        text += &format!("- {number}: {}\n", duress_figure::label::tame(class));
    }
    text + "\nIn rq1_statistical_tests.csv a difference is `of` minus `against`; `cohens_d` is d_av, the difference over the root of the mean of both \
            variances, and `cohens_dz` the difference over its own standard deviation. `ci_lower` and `ci_upper` are the interval at `ci_level` \
            beside the verdict, not adjusted over the family. `significant` is against zero, after the correction; `target_met` is against the margin.\n"
        + rq1_trio::MEANING
}

/// Where the figures are.
const FIGURES: &str = "results/figures/rq1";

/// A column: its name, the gauge, whether it is read under attack, and the class where it is about
/// one.
struct Rq1Column {
    name: String,
    gauge: &'static str,
    attacked: bool,
    class: Option<String>,
}

fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let columns = columns(digest);
    let path = |name: &str| format!("{}/{name}.csv", LAYOUT.folder);
    let mut pieces = vec![
        Piece::text(path("rq1_complete_results"), by_seed(digest, &columns)),
        Piece::text(path("rq1_summary"), over_seeds(digest, &columns)),
        Piece::text(path("rq1_statistical_tests"), tests(digest)),
    ];
    let figures = [
        (
            "figure1_clean_robust_scatter",
            first_attack(digest, "accuracy").and_then(|p| tradeoff_figure(digest, p)),
        ),
        (
            "figure3_calibration_reliability",
            detail_figure(digest, "ece", &Under::Clean),
        ),
        (
            "figure4_perclass_comparison",
            detail_figure(digest, "recall", &Under::Clean),
        ),
    ];
    let drawn = figures
        .into_iter()
        .filter_map(|(name, scene)| Some((name, scene?)));
    pieces.extend(drawn.map(|(name, scene)| Piece::figure(format!("{FIGURES}/{name}.pdf"), scene)));
    pieces
}

fn columns(digest: &Digest<'_>) -> Vec<Rq1Column> {
    let whole = |name: &str, gauge, attacked| Rq1Column {
        name: name.into(),
        gauge,
        attacked,
        class: None,
    };
    let by_class = |name: &str, gauge: &'static str, attacked| {
        let column = |(number, class): (usize, &str)| Rq1Column {
            name: format!("{name}_class{number}"),
            gauge,
            attacked,
            class: Some(class.into()),
        };
        classes(digest, gauge)
            .into_iter()
            .enumerate()
            .map(column)
            .collect::<Vec<_>>()
    };
    let mut columns = vec![
        whole("clean_accuracy", "accuracy", false),
        whole("clean_auroc_macro", "auroc-macro", false),
    ];
    columns.extend(by_class("clean_auroc", "auroc-macro", false));
    columns.extend([
        whole("clean_f1_weighted", "f1-weighted", false),
        whole("clean_mcc", "mcc", false),
    ]);
    columns.extend(by_class("clean_precision", "precision", false));
    columns.extend(by_class("clean_recall", "recall", false));
    columns.extend(by_class("clean_f1", "f1", false));
    columns.extend([
        whole("robust_robust_accuracy", "accuracy", true),
        whole("robust_attack_success_rate", "attack-success-rate", true),
    ]);
    // The accuracy within a class is its recall.
    columns.extend(by_class("robust_robust_acc", "recall", true));
    columns.push(whole("robust_accuracy_gap", "accuracy-gap", true));
    columns.extend([
        whole("calib_ece", "ece", false),
        whole("calib_mce", "mce", false),
        whole("calib_brier_score", "brier", false),
    ]);
    columns
}

impl Rq1Column {
    fn value(
        &self,
        digest: &Digest<'_>,
        tested: &Tested<'_>,
        attack: Option<&Under>,
        seed: u64,
    ) -> Option<f64> {
        let place = tested.at(if self.attacked {
            attack?
        } else {
            &Under::Clean
        });
        match &self.class {
            Some(class) => of_class(digest, self.gauge, &place, seed, class),
            None => digest.of_seed(self.gauge, &place, seed),
        }
    }
}

/// The attack: the highest rung of the first attack, or of the first ladder where none is one.
fn attack(digest: &Digest<'_>) -> Option<Under> {
    first_attack(digest, "accuracy").and_then(hardest)
}

fn by_seed(digest: &Digest<'_>, columns: &[Rq1Column]) -> String {
    let attack = attack(digest);
    let heads = columns
        .iter()
        .map(|column| column.name.as_str())
        .chain(["model", "seed"]);
    let mut file = File::new(&heads.collect::<Vec<_>>());
    for tested in tested_by(digest, "accuracy") {
        for &seed in &digest.findings.study.seeds {
            let values = columns
                .iter()
                .map(|column| cell(column.value(digest, &tested, attack.as_ref(), seed)));
            file.row(
                &values
                    .chain([tested.name(digest), seed.to_string()])
                    .collect::<Vec<_>>(),
            );
        }
    }
    file.text()
}

fn over_seeds(digest: &Digest<'_>, columns: &[Rq1Column]) -> String {
    let attack = attack(digest);
    let seeds = &digest.findings.study.seeds;
    let row = |tested: &Tested<'_>| {
        let values = |column: &Rq1Column| {
            seeds
                .iter()
                .filter_map(|&seed| column.value(digest, tested, attack.as_ref(), seed))
                .collect()
        };
        (tested.name(digest), columns.iter().map(values).collect())
    };
    let rows: Vec<_> = tested_by(digest, "accuracy").iter().map(row).collect();
    summary(
        &rows,
        &columns
            .iter()
            .map(|column| column.name.clone())
            .collect::<Vec<_>>(),
    )
}

/// Every claim of the study, one row each: significance and target are two answers.
fn tests(digest: &Digest<'_>) -> String {
    let ours = [
        "hypothesis",
        "metric",
        "mean_of",
        "sd_of",
        "mean_against",
        "sd_against",
        "difference",
        "t_statistic",
        "p_value",
        "equivalence_p",
        "cohens_d",
        "ci_lower",
        "ci_upper",
        "significant",
        "target_met",
    ];
    let more = [
        "of",
        "against",
        "margin",
        "side",
        "test",
        "p_adjusted",
        "cohens_dz",
        "ci_level",
        "verdict",
    ];
    let heads: Vec<&str> = ours
        .into_iter()
        .chain(rq1_trio::HEADS)
        .chain(more)
        .collect();
    let mut file = File::new(&heads);
    for claim in &digest.findings.claims {
        for (name, one) in claim.judged() {
            file.row(&test_row(digest, name, one));
        }
    }
    file.text()
}

fn test_row(digest: &Digest<'_>, name_of_claim: String, claim: &ClaimFinding) -> Vec<String> {
    // Of a claim about a difference between datasets no estimate has the mean of a side.
    let spread = |place: &Option<_>| {
        let place = place.as_ref().filter(|_| claim.minus_on.is_none());
        place.map_or((None, None), |place| {
            mean_and_sd(&of_seeds(digest, &claim.gauge, place))
        })
    };
    let name = |place: &Option<duress_findings::Place>| {
        place
            .as_ref()
            .map_or_else(String::new, |place| place.subject.to_string())
    };
    let effect = |name: &str| {
        let found = claim.effects.iter().find(|(known, _)| known == name);
        cell(found.and_then(|(_, reading)| reading.value()))
    };
    let of = spread(&claim.of);
    let against = spread(&claim.against);
    let test = claim.test.as_ref().ok();
    let equivalence = claim.side == ClaimSide::Equivalent;
    let statistic = test
        .filter(|test| test.method.is_t())
        .map(|test| test.statistic);
    let p = test.map(|test| test.p);
    let range = claim.judged_by.as_ref().ok();
    let word = digest.word_on(&name_of_claim, claim);
    let met = match claim.verdict {
        _ if word == REFUSED => REFUSED,
        Verdict::Upheld => "true",
        Verdict::Refuted => "false",
        Verdict::Undecided => "undecided",
    };
    let value = match &claim.quantity.value {
        Reading::Value(value) => Some(*value),
        Reading::Undefined(_) => None,
    };
    let mut row = vec![
        name_of_claim,
        claim.gauge.clone(),
        cell(of.0),
        cell(of.1),
        cell(against.0),
        cell(against.1),
        cell(value),
        cell(statistic),
        cell(p.filter(|_| !equivalence)),
        cell(p.filter(|_| equivalence)),
        effect("d_av"),
        cell(range.map(|range| range.low)),
        cell(range.map(|range| range.high)),
        test.map_or_else(String::new, |test| test.significant.to_string()),
        met.into(),
    ];
    row.extend(rq1_trio::cells(digest, claim));
    row.extend([
        name(&claim.of),
        name(&claim.against),
        number(claim.margin),
        claim.side.to_string(),
        test.map_or_else(String::new, |test| test.method.to_string()),
        cell(test.map(|test| test.p_adjusted)),
        effect("d_z"),
        cell(range.map(|range| range.level)),
        word,
    ]);
    row
}
