//! Long tables: a row per item and class, gathered into a row per item.

use std::collections::HashMap;

use duress_core::problem::Problem;

use crate::labels::{classes_of, positions};
use crate::table::{Column, Table};

/// The names of the columns of a long table.
pub struct Long<'a> {
    /// Which item.
    pub id: &'a str,
    /// Which class.
    pub class: &'a str,
    /// The number.
    pub value: &'a str,
}

/// A table with a row per item, in the order in which items first occur, a list of numbers called
/// as the column of numbers was, and the classes: those given, else those that occur, in order.
pub fn gather(
    table: &Table,
    long: &Long<'_>,
    classes: &[String],
) -> Result<(Table, Vec<String>), Problem> {
    let classes = if classes.is_empty() {
        classes_of(table.texts(long.class))
    } else {
        classes.to_vec()
    };
    let (class_of, _) = positions(table, long.class, &classes)?;
    let ids = table.texts(long.id);
    let numbers = table.numbers(long.value).1;
    let mut items = HashMap::new();
    let mut first = Vec::new();
    let mut values: Vec<Option<f64>> = Vec::new();
    for (row, id) in ids.iter().enumerate() {
        let item = *items.entry(id).or_insert_with(|| {
            first.push(row);
            values.resize(first.len() * classes.len(), None);
            first.len() - 1
        });
        let class = class_of[row] as usize;
        if values[item * classes.len() + class]
            .replace(numbers[row])
            .is_some()
        {
            let twice = Problem::new(format!(
                "{id:?} has two numbers for the class {:?}",
                classes[class]
            ));
            return Err(table.at(row, twice.expected("one row per item and class")));
        }
    }
    if let Some(gap) = values.iter().position(Option::is_none) {
        let item = gap / classes.len();
        let class = &classes[gap % classes.len()];
        let missing = Problem::new(format!(
            "{:?} has no number for the class {class:?}",
            ids.get(first[item])
        ));
        return Err(table.at(first[item], missing.expected("one row per item and class")));
    }
    let names = (
        long.id.to_string(),
        Column::Texts(first.iter().map(|&row| ids.get(row)).collect()),
    );
    let numbers = values.into_iter().flatten().collect();
    let wide = table.gathered(&first, names, long.value, classes.len(), numbers)?;
    Ok((wide, classes))
}
