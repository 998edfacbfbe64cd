//! What scrambling costs each model, with six decimals: `results/order`.

use rust_xlsxwriter::{Format, Workbook, XlsxError};

use super::{Content, LayoutFiles, Piece, tested};
use crate::digest::Digest;
use crate::figures::panel_figure;
use crate::tables::format::csv::File;
use duress_findings::Layout;
use duress_findings::{Quantity, Under};

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::Order,
    folder: "results/order",
    gauges: &GAUGES,
    columns: super::plain,
    pieces,
};

/// The gauges, and what their columns are called.
const GAUGES: [&str; 6] = ["mdr", "mda", "worst-per-item", "s-seq", "s-struct", "s-rob"];
const COLUMNS: [&str; 6] = ["MDR", "MDA", "worst_per_item", "S_seq", "S_struct", "S_rob"];

/// One row: the model, and its gauges where they were read.
type Row<'a> = (String, Vec<Option<&'a Quantity>>);

fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let rows = rows(digest);
    let path = |file: &str| format!("{}/{file}", LAYOUT.folder);
    let mut pieces = vec![Piece::text(path("order_scores.csv"), csv(&rows))];
    pieces.extend(workbook(&rows).ok().map(|bytes| Piece {
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
    pieces
}

/// Ladder gauges stand at their ladder, subject gauges at everything.
fn rows<'a>(digest: &Digest<'a>) -> Vec<Row<'a>> {
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
        let values: Vec<_> = GAUGES.map(find).to_vec();
        if values.iter().any(Option::is_some) {
            rows.push((tested.name(digest), values));
        }
    }
    rows
}

/// Value, lower and upper end of one gauge.
fn numbers(quantity: Option<&Quantity>) -> [Option<f64>; 3] {
    let range = quantity.and_then(|quantity| quantity.interval.as_ref().ok());
    [
        quantity.and_then(|quantity| quantity.value.value()),
        range.map(|r| r.low),
        range.map(|r| r.high),
    ]
}

fn heads() -> impl Iterator<Item = String> {
    let of = |column: &str| {
        [
            column.to_owned(),
            format!("{column}_low"),
            format!("{column}_high"),
        ]
    };
    std::iter::once("model".to_owned()).chain(COLUMNS.into_iter().flat_map(of))
}

fn csv(rows: &[Row<'_>]) -> String {
    let mut file = File::new(&heads().collect::<Vec<_>>());
    for (model, values) in rows {
        let six =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        let cells = values
            .iter()
            .flat_map(|quantity| numbers(*quantity).map(six));
        file.row(
            &std::iter::once(model.clone())
                .chain(cells)
                .collect::<Vec<_>>(),
        );
    }
    file.text()
}

fn workbook(rows: &[Row<'_>]) -> Result<Vec<u8>, XlsxError> {
    let six = Format::new().set_num_format("0.000000");
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (at, head) in (0..).zip(heads()) {
        sheet.write_string(0, at, head)?;
    }
    for (row, (model, values)) in (1..).zip(rows) {
        sheet.write_string(row, 0, model)?;
        for (at, value) in (1..).zip(values.iter().flat_map(|quantity| numbers(*quantity))) {
            if let Some(value) = value {
                sheet.write_number_with_format(row, at, value, &six)?;
            }
        }
    }
    book.save_to_buffer()
}
