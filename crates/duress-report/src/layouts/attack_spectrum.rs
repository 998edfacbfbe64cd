//! Accuracy over the budget of an attack: `results/rq1_attack_spectrum`.

use super::{Content, LayoutFiles, Piece, Tested, attacks_first, cell, of_seeds};
use crate::digest::{Digest, Panel};
use crate::figures::panel_figure;
use crate::tables::format::csv::{File, number};
use crate::words::mean_and_sd;
use duress_findings::Layout;
use duress_findings::Under;

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::AttackSpectrum,
    folder: "results/rq1_attack_spectrum",
    gauges: &["accuracy"],
    columns: ladders,
    pieces,
};

/// Along which ladder each set of files is.
fn ladders(digest: &Digest<'_>) -> String {
    let panels = attacks_first(digest, "accuracy").into_iter().enumerate();
    let named = panels.map(|(i, panel)| {
        format!(
            "- `attack_spectrum{}.csv`: along {} on {}\n",
            tail(panel, i == 0),
            panel.ladder.name,
            panel.dataset
        )
    });
    format!(
        "\n`epsilon` is the severity of a ladder:\n\n{}",
        named.collect::<String>()
    )
}

/// What the names of a panel's files end in.
fn tail(panel: &Panel<'_>, first: bool) -> String {
    if first {
        String::new()
    } else {
        format!("_{}_{}", panel.ladder.name, panel.dataset)
    }
}

/// One set of files for the first attack; further ladders have their name in the files' names.
fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let panels = attacks_first(digest, "accuracy").into_iter().enumerate();
    panels
        .flat_map(|(i, panel)| of_panel(digest, panel, i == 0))
        .collect()
}

fn of_panel(digest: &Digest<'_>, panel: &Panel<'_>, first: bool) -> Vec<Piece> {
    let tail = tail(panel, first);
    let path = |middle: &str, format: &str| {
        format!("{}/attack_spectrum{middle}{tail}.{format}", LAYOUT.folder)
    };
    let figure = Content::Figure(panel_figure(digest, panel));
    vec![
        Piece::text(path("", "csv"), by_seed(digest, panel)),
        Piece::text(path("_summary", "csv"), over_seeds(digest, panel)),
        Piece {
            path: path("", "pdf"),
            content: figure,
        },
    ]
}

/// Subject, rung and place, for every point of every curve.
fn points<'a>(
    digest: &'a Digest<'_>,
    panel: &'a Panel<'_>,
) -> impl Iterator<Item = (String, f64, duress_findings::Place)> + 'a {
    panel.curves.iter().flat_map(move |curve| {
        let tested = Tested {
            subject: &curve.subject,
            dataset: panel.dataset,
        };
        panel.ladder.severities.iter().map(move |severity| {
            let under = match severity.is_clean() {
                true => Under::Clean,
                false => Under::Rung {
                    ladder: panel.ladder.name.clone(),
                    severity: severity.clone(),
                },
            };
            (tested.name(digest), severity.value(), tested.at(&under))
        })
    })
}

fn by_seed(digest: &Digest<'_>, panel: &Panel<'_>) -> String {
    let mut file = File::new(&["model", "seed", "epsilon", "accuracy"]);
    for (model, epsilon, place) in points(digest, panel) {
        for &seed in &digest.findings.study.seeds {
            let accuracy = digest.of_seed("accuracy", &place, seed);
            file.row(&[
                model.clone(),
                seed.to_string(),
                number(epsilon),
                cell(accuracy),
            ]);
        }
    }
    file.text()
}

fn over_seeds(digest: &Digest<'_>, panel: &Panel<'_>) -> String {
    let mut file = File::new(&[
        "model", "epsilon", "mean", "std", "n_seeds", "ci_lower", "ci_upper",
    ]);
    for (model, epsilon, place) in points(digest, panel) {
        let values = of_seeds(digest, "accuracy", &place);
        let (mean, sd) = mean_and_sd(&values);
        let range = digest
            .estimate("accuracy", &place)
            .and_then(|e| e.quantity.interval.as_ref().ok());
        let (low, high) = (cell(range.map(|r| r.low)), cell(range.map(|r| r.high)));
        file.row(&[
            model,
            number(epsilon),
            cell(mean),
            cell(sd),
            values.len().to_string(),
            low,
            high,
        ]);
    }
    file.text()
}
