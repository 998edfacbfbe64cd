//! Selective prediction: `results/rq3_selective`.

use duress_core::gauge::{Accepted, Detail, Gated};

use super::{LayoutFiles, Piece, cell, detail_of, of_seeds, plain, summary, tested_by};
use crate::digest::Digest;
use crate::figures::{coverage_figure, gauge_bars, selective_figure, slug};
use crate::tables::format::csv::{File, number};
use duress_findings::Layout;
use duress_findings::Under;

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::Selective,
    folder: "results/rq3_selective",
    gauges: &[
        "accuracy",
        "aurc",
        "e-aurc",
        "threshold-90",
        "coverage-90",
        "selective-accuracy-90",
        "improvement-90",
        "rejection-quality-90",
    ],
    columns: plain,
    pieces,
};

/// The gauge whose detail is what is answered at each threshold.
const CURVES: &str = "selective-accuracy-90";

/// The columns, and the gauge each is read from.
const COLUMNS: [(&str, &str); 8] = [
    ("overall_accuracy", "accuracy"),
    ("aurc", "aurc"),
    ("e_aurc", "e-aurc"),
    ("threshold_90", "threshold-90"),
    ("coverage_90", "coverage-90"),
    ("selective_acc_90", "selective-accuracy-90"),
    ("improvement_90", "improvement-90"),
    ("rejection_quality_90", "rejection-quality-90"),
];

fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let path = |file: &str| format!("{}/{file}", LAYOUT.folder);
    let mut pieces = vec![
        Piece::text(path("selective_prediction_results.csv"), by_seed(digest)),
        Piece::text(path("selective_prediction_summary.csv"), over_seeds(digest)),
    ];
    pieces.extend(curves(digest));
    pieces.extend(gates(digest));
    let figures = [
        (
            "coverage_accuracy_curves.pdf",
            coverage_figure(digest, "aurc", 0.9),
        ),
        (
            "selective_comparison.pdf",
            selective_figure(digest, "accuracy", "selective-accuracy-90"),
        ),
        (
            "aurc_comparison.pdf",
            gauge_bars(digest, &["aurc", "e-aurc"]),
        ),
    ];
    let drawn = figures
        .into_iter()
        .filter_map(|(file, scene)| Some(Piece::figure(path(file), scene?)));
    pieces.extend(drawn);
    pieces
}

fn by_seed(digest: &Digest<'_>) -> String {
    let heads = ["model", "seed"]
        .into_iter()
        .chain(COLUMNS.map(|(column, _)| column));
    let mut file = File::new(&heads.collect::<Vec<_>>());
    for tested in tested_by(digest, "accuracy") {
        let place = tested.at(&Under::Clean);
        for &seed in &digest.findings.study.seeds {
            let values = COLUMNS.map(|(_, gauge)| cell(digest.of_seed(gauge, &place, seed)));
            file.row(
                &[tested.name(digest), seed.to_string()]
                    .into_iter()
                    .chain(values)
                    .collect::<Vec<_>>(),
            );
        }
    }
    file.text()
}

fn over_seeds(digest: &Digest<'_>) -> String {
    let rows: Vec<_> = tested_by(digest, "accuracy")
        .iter()
        .map(|tested| {
            let place = tested.at(&Under::Clean);
            let values = COLUMNS.map(|(_, gauge)| of_seeds(digest, gauge, &place));
            (tested.name(digest), values.to_vec())
        })
        .collect();
    summary(&rows, &COLUMNS.map(|(column, _)| column.to_owned()))
}

/// One file per model and seed for every gauge that asks for another score too: what is answered at
/// each pair of thresholds.
fn gates(digest: &Digest<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for gauge in &digest.findings.gauges {
        for tested in tested_by(digest, &gauge.name) {
            for &seed in &digest.findings.study.seeds {
                let detail = detail_of(digest, &gauge.name, &tested.at(&Under::Clean), seed);
                let Some(Detail::Gates { points, .. }) = detail else {
                    continue;
                };
                let heads = [
                    "confidence_threshold",
                    "stability_threshold",
                    "coverage",
                    "selective_accuracy",
                ];
                let mut file = File::new(&heads);
                for Gated { above, accepted } in points {
                    let Accepted {
                        threshold,
                        coverage,
                        accuracy,
                    } = accepted;
                    file.row(&[
                        number(*threshold),
                        number(*above),
                        number(*coverage),
                        cell(*accuracy),
                    ]);
                }
                let name = format!(
                    "{}_{}_seed{seed}.csv",
                    slug(&gauge.name),
                    slug(&tested.name(digest))
                );
                pieces.push(Piece::text(
                    format!("{}/{name}", LAYOUT.folder),
                    file.text(),
                ));
            }
        }
    }
    pieces
}

/// One file per model and seed: what is answered at each threshold.
fn curves(digest: &Digest<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for tested in tested_by(digest, CURVES) {
        for &seed in &digest.findings.study.seeds {
            let detail = detail_of(digest, CURVES, &tested.at(&Under::Clean), seed);
            let Some(Detail::Thresholds(points)) = detail else {
                continue;
            };
            let mut file = File::new(&["threshold", "coverage", "selective_accuracy"]);
            for point in points {
                file.row(&[
                    number(point.threshold),
                    number(point.coverage),
                    cell(point.accuracy),
                ]);
            }
            let name = format!("curve_{}_seed{seed}.csv", slug(&tested.name(digest)));
            pieces.push(Piece::text(
                format!("{}/{name}", LAYOUT.folder),
                file.text(),
            ));
        }
    }
    pieces
}
