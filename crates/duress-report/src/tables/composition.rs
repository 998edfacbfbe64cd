//! What the numbers of a ladder or a subject are made of: a value per arrangement and group, and the
//! groups' means beside what chance gives.

use duress_core::gauge::{Detail, Grid, GroupSpread, Undefined};
use duress_core::number;

use super::composition_file;
use super::format::{Number, Table, TableCell, numbers, words as words_column};
use crate::digest::Digest;
use duress_findings::{Estimate, GaugeCard};

/// One table for all places at which a gauge's numbers are made of such things.
pub(super) fn composition(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Table> {
    let of_gauge: Vec<&Estimate> = digest
        .findings
        .estimates
        .iter()
        .filter(|one| one.gauge == gauge.name)
        .collect();
    let place = |one: &Estimate| one.place.in_words(digest.several_datasets());
    let grids: Vec<(String, &Grid)> = of_gauge
        .iter()
        .filter_map(|one| match one.detail() {
            Some(Detail::Grid(grid)) => Some((place(one), grid)),
            _ => None,
        })
        .collect();
    let spreads: Vec<(String, &GroupSpread)> = of_gauge
        .iter()
        .filter_map(|one| match one.detail() {
            Some(Detail::Spread(spread)) => Some((place(one), spread)),
            _ => None,
        })
        .collect();
    if !grids.is_empty() {
        return Some(of_grids(gauge, &grids));
    }
    (!spreads.is_empty()).then(|| of_spreads(gauge, &spreads))
}

/// One row per place and arrangement, one column per group.
fn of_grids(gauge: &GaugeCard, grids: &[(String, &Grid)]) -> Table {
    let mut groups: Vec<&String> = Vec::new();
    for name in grids.iter().flat_map(|(_, grid)| &grid.columns) {
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    let axis = grids.first().map_or("", |(_, grid)| grid.row_axis.as_str());
    let heads = groups.iter().map(|name| numbers(name.as_str()));
    let columns = [words_column("where"), words_column(axis)];
    let columns = columns.into_iter().chain([numbers("items")]).chain(heads);
    let title = format!("What {} is made of, by {axis} and group", gauge.name);
    let mut table = Table::new(composition_file(&gauge.name), title, columns.collect());
    for (place, grid) in grids {
        for (name, cells) in grid.rows.iter().zip(grid.cells.chunks(grid.columns.len())) {
            let all = cells.first().map_or(0, |cell| cell.n);
            let mut row = vec![
                TableCell::Words(place.clone()),
                TableCell::Words(name.clone()),
                TableCell::Estimate(Number::plain(all as f64, 0)),
            ];
            for group in &groups {
                let at = grid.columns.iter().position(|column| column == *group);
                let value = at.map(|at| &cells[at].value);
                row.push(value.map_or(TableCell::Nothing, |value| read(&mut table, value)));
            }
            table.rows.push(row);
        }
    }
    let several = "The first column of numbers counts the items that take part; of several seeds, the first is shown.";
    table.notes.push(several.into());
    table
}

/// One row per place and group, and below the groups what their spread is.
fn of_spreads(gauge: &GaugeCard, spreads: &[(String, &GroupSpread)]) -> Table {
    let columns = ["where", "group"].map(words_column).into_iter();
    let columns = columns.chain(["items", "mean"].map(numbers));
    let title = format!("What {} is made of, by group", gauge.name);
    let mut table = Table::new(composition_file(&gauge.name), title, columns.collect());
    for (place, spread) in spreads {
        for group in &spread.groups {
            let value = read(&mut table, &group.value);
            table.rows.push(vec![
                TableCell::Words(place.clone()),
                TableCell::Words(group.name.clone()),
                TableCell::Estimate(Number::plain(group.n as f64, 0)),
                value,
            ]);
        }
        table.notes.push(format!("{place}: {}.", in_words(spread)));
    }
    table
}

/// The spread of groups in one sentence.
pub(crate) fn in_words(spread: &GroupSpread) -> String {
    let net = match spread.net_spread {
        Some(net) => format!("{} without sampling variance", number::fixed(net, 4)),
        None => "of which an unknown part is sampling variance: a group has one item".into(),
    };
    format!(
        "σ of the means is {}, {net}; shuffled over the groups, items give {} in the mean (p {} of {} shuffles)",
        number::fixed(spread.spread, 4),
        number::fixed(spread.floor, 3),
        number::p_value(spread.p),
        number::count(spread.shuffles as u64),
    )
}

fn read(table: &mut Table, value: &Result<f64, Undefined>) -> TableCell {
    match value {
        Ok(value) => TableCell::Estimate(Number::plain(*value, 6)),
        Err(why) => TableCell::Undefined(table.note(&format!("Undefined: {}.", why.why))),
    }
}
