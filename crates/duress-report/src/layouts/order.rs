//! What scrambling costs each model, with six decimals: `results/order`.

use super::{Content, LayoutFiles, Piece, tested};
use crate::digest::Digest;
use crate::figures::{detail_figure, panel_figure};
use crate::order_scores::{self, ModelRow};
use duress_findings::Layout;
use duress_findings::Under;

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::Order,
    folder: "results/order",
    gauges: &order_scores::GAUGES,
    columns: super::plain,
    pieces,
};

fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let rows = rows(digest);
    let path = |file: &str| format!("{}/{file}", LAYOUT.folder);
    let mut pieces = vec![Piece::text(
        path("order_scores.csv"),
        order_scores::csv(&rows),
    )];
    pieces.extend(order_scores::workbook(&rows).ok().map(|bytes| Piece {
        path: path("order_scores.xlsx"),
        content: Content::Bytes(bytes),
    }));
    let curves = digest
        .panels
        .iter()
        .filter(|panel| panel.gauge.name == "s-acc");
    pieces.extend(curves.map(|panel| {
        let file = format!("s_acc_over_{}.pdf", panel.ladder.name);
        Piece::figure(path(&file), panel_figure(digest, panel))
    }));
    let ladders = digest.findings.ladders.iter();
    pieces.extend(ladders.filter_map(|ladder| {
        let under = Under::Ladder(ladder.name.clone());
        let heat = detail_figure(digest, "mdr", &under)?;
        let file = format!("degradation_by_arrangement_{}.pdf", ladder.name);
        Some(Piece::figure(path(&file), heat))
    }));
    pieces
}

/// Ladder gauges stand at their ladder, subject gauges at everything.
fn rows<'a>(digest: &Digest<'a>) -> Vec<ModelRow<'a>> {
    let mut rows = Vec::new();
    for tested in tested(digest) {
        let find = |gauge: &str| {
            let at = |e: &&duress_findings::Estimate| {
                let place = &e.place;
                e.gauge == gauge
                    && place.subject == *tested.subject
                    && place.dataset == *tested.dataset
                    && matches!(place.under, Under::Ladder(_) | Under::Everything)
            };
            digest
                .findings
                .estimates
                .iter()
                .find(at)
                .map(|estimate| &estimate.quantity)
        };
        let values: Vec<_> = order_scores::GAUGES.map(find).to_vec();
        if values.iter().any(Option::is_some) {
            rows.push((tested.name(digest), values));
        }
    }
    rows
}
