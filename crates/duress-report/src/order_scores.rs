//! What scrambling costs each model, in the columns that readers of it look for, with six decimals:
//! as a layout of a report, and for scores that were read from a table.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use duress_core::gauge::{Detail, Grid, GroupSpread};
use rust_xlsxwriter::{Format, Workbook, XlsxError};

use crate::tables::format::csv::File;
use duress_findings::{Gauged, Gauging, Quantity};

/// The gauges.
pub(crate) const GAUGES: [&str; 7] = [
    "mdr",
    "mda",
    "worst-per-item",
    "s-seq",
    "s-struct",
    "s-struct-net",
    "s-rob",
];
/// What their columns are called.
const COLUMNS: [&str; 7] = [
    "MDR",
    "MDA",
    "worst_per_item",
    "S_seq",
    "S_struct",
    "S_struct_net",
    "S_Rob",
];

/// One row: the model, and its gauges where they were read.
pub(crate) type ModelRow<'a> = (String, Vec<Option<&'a Quantity>>);

/// Writes what was read from a table of scores into `folder`, which is made if it is not there:
/// `robustness.csv` and `.xlsx` with a row per model, `arrangements.csv` with d(p), `groups.csv`
/// with the groups' means. Gives the files that were written.
pub fn write_order_scores(gauged: &Gauged, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let rows = model_rows(gauged);
    let mut files = vec![("robustness.csv", csv(&rows).into_bytes())];
    let book = workbook(&rows).map_err(io::Error::other)?;
    files.push(("robustness.xlsx", book));
    let details = || {
        gauged
            .gauges
            .iter()
            .filter_map(|one| Some((one, one.detail.as_ref()?)))
    };
    let grids: Vec<(&Gauging, &Grid)> = details()
        .filter_map(|(one, detail)| match detail {
            Detail::Grid(grid) => Some((one, grid)),
            _ => None,
        })
        .collect();
    let spreads: Vec<(&Gauging, &GroupSpread)> = details()
        .filter_map(|(one, detail)| match detail {
            Detail::Spread(spread) => Some((one, spread)),
            _ => None,
        })
        .collect();
    if !grids.is_empty() {
        files.push(("arrangements.csv", arrangements(&grids).into_bytes()));
    }
    if !spreads.is_empty() {
        files.push(("groups.csv", groups(&spreads).into_bytes()));
    }
    fs::create_dir_all(folder)?;
    let write = |(name, bytes): (&str, Vec<u8>)| {
        let path = folder.join(name);
        fs::write(&path, bytes).map(|()| path)
    };
    files.into_iter().map(write).collect()
}

/// A row per model; a table without models has one, called after the file.
fn model_rows(gauged: &Gauged) -> Vec<ModelRow<'_>> {
    let mut models: Vec<&Option<String>> = Vec::new();
    for one in &gauged.gauges {
        if !models.contains(&&one.model) {
            models.push(&one.model);
        }
    }
    let row = |model: &Option<String>| {
        let find = |gauge: &str| {
            let of = |one: &&Gauging| one.gauge == gauge && one.model == *model;
            gauged.gauges.iter().find(of).map(|one| &one.quantity)
        };
        (whose(model), GAUGES.map(find).to_vec())
    };
    models.into_iter().map(row).collect()
}

fn whose(model: &Option<String>) -> String {
    model.clone().unwrap_or_else(|| "model".into())
}

fn arrangements(grids: &[(&Gauging, &Grid)]) -> String {
    let mut file = File::new(&["model", "arrangement", "group", "items", "d"]);
    for (one, grid) in grids {
        let width = grid.columns.len();
        for (at, cell) in grid.cells.iter().enumerate() {
            file.row(&[
                whose(&one.model),
                grid.rows[at / width].clone(),
                grid.columns[at % width].clone(),
                cell.n.to_string(),
                six(cell.value.as_ref().ok().copied()),
            ]);
        }
    }
    file.text()
}

fn groups(spreads: &[(&Gauging, &GroupSpread)]) -> String {
    let mut file = File::new(&["model", "group", "items", "mean"]);
    for (one, spread) in spreads {
        for group in &spread.groups {
            file.row(&[
                whose(&one.model),
                group.name.clone(),
                group.n.to_string(),
                six(group.value.as_ref().ok().copied()),
            ]);
        }
        let summed_up = [
            ("(spread)", Some(spread.spread)),
            ("(net spread)", spread.net_spread),
            ("(floor)", Some(spread.floor)),
            ("(p)", Some(spread.p)),
        ];
        for (name, value) in summed_up {
            file.row(&[whose(&one.model), name.into(), String::new(), six(value)]);
        }
    }
    file.text()
}

/// Six decimals, or nothing.
fn six(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
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

pub(crate) fn csv(rows: &[ModelRow<'_>]) -> String {
    let mut file = File::new(&heads().collect::<Vec<_>>());
    for (model, values) in rows {
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

pub(crate) fn workbook(rows: &[ModelRow<'_>]) -> Result<Vec<u8>, XlsxError> {
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
