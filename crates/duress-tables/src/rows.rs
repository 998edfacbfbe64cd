//! Rows and items: which row of a file is about which item.

use std::collections::HashMap;

use duress_core::data::Items;
use duress_core::problem::Problem;

use crate::table::Table;

/// The row of each item; `None` where it has none. Rows are matched by the ids in column `id`;
/// where there is no such column, by position, and then they must be as many as the items.
pub fn rows_of(
    table: &Table,
    id: Option<&str>,
    items: &Items,
) -> Result<Vec<Option<usize>>, Problem> {
    let in_order = || Ok((0..table.rows()).map(Some).collect());
    let Some(id) = id else {
        return match table.rows() == items.len() {
            true => in_order(),
            false => Err(Problem::new(format!(
                "there are {} rows for {} items",
                table.rows(),
                items.len()
            ))
            .expected("as many rows as items, or a column with ids")),
        };
    };
    let ids = table.texts(id);
    if ids.iter().eq(items.ids().iter()) {
        return in_order();
    }
    let places: HashMap<&str, usize> = items.ids().iter().zip(0..).collect();
    let mut rows: Vec<Option<usize>> = vec![None; items.len()];
    for (row, text) in ids.iter().enumerate() {
        let Some(&item) = places.get(text) else {
            let problem =
                Problem::new(format!("the id {text:?} is not in the dataset")).expected(format!(
                    "an id such as {:?}",
                    items.ids().first().unwrap_or_default()
                ));
            return Err(table.at(row, problem));
        };
        if let Some(before) = rows[item].replace(row) {
            return Err(table.twice(text, before, row));
        }
    }
    Ok(rows)
}
