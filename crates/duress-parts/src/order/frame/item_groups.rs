//! Groups of items: those that have one value in a column.

use duress_core::gauge::Columns;
use duress_core::part::{Field, Params, Takes};

/// The column that makes the groups.
pub(crate) const COLUMN: Field = Field {
    name: "column",
    takes: Takes::Text,
    doc: "the column of the dataset whose values are the groups",
    default: Some("structure"),
};

/// What of it makes none.
pub(crate) const EXCEPT: Field = Field {
    name: "except",
    takes: Takes::Texts,
    doc: "values of that column that are no group",
    default: Some("unlabelled"),
};

/// Which groups are meant.
pub(crate) struct ItemGroups {
    pub(crate) column: String,
    except: Vec<String>,
}

impl ItemGroups {
    /// The groups that the keys [`COLUMN`] and [`EXCEPT`] say.
    pub(crate) fn new(params: &Params) -> ItemGroups {
        ItemGroups {
            column: params.text("column").into(),
            except: params.texts("except").to_vec(),
        }
    }

    /// The items of each group, by name; none where there is no such column.
    pub(crate) fn members(&self, columns: &Columns) -> Vec<(String, Vec<usize>)> {
        let values = columns.get(&self.column).map_or(&[][..], Vec::as_slice);
        let mut names: Vec<&String> = values
            .iter()
            .filter(|value| !self.except.contains(value))
            .collect();
        names.sort();
        names.dedup();
        let of = |name: &String| {
            (0..values.len())
                .filter(|&item| values[item] == *name)
                .collect()
        };
        names
            .into_iter()
            .map(|name| (name.clone(), of(name)))
            .collect()
    }
}
