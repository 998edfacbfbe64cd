//! Which items of a table belong together, and what is said about it.

use std::sync::Arc;

use duress_core::number;

use crate::analysis::clusters::Clusters;
use crate::plan::clusters::{ColumnValues, UnsaidGroups, WithoutCluster, groups, without};

/// The clusters by a column, where items share some.
pub(super) fn clusters_by(column: Option<&str>, columns: &ColumnValues) -> Option<Arc<Clusters>> {
    let (column, values) = (column?, columns.get(column?)?);
    Clusters::of(column, &[Some(values)], true).map(Arc::new)
}

/// What a reader should know about items that belong together: by which column, or that a column
/// says so and nobody asked.
pub(super) fn cluster_words(column: Option<&str>, columns: &ColumnValues) -> Vec<String> {
    let count = |n: usize| number::count(n as u64);
    let Some((column, values)) = column.and_then(|name| Some((name, columns.get(name)?))) else {
        let unsaid = groups(columns).into_iter();
        return unsaid
            .map(|UnsaidGroups { column, groups }| {
                format!(
                    "items come in {} groups by `{column}`, but count as independent, so intervals may be too narrow: `--cluster {column}` counts with the groups",
                    count(groups)
                )
            })
            .collect();
    };
    let found = clusters_by(Some(column), columns);
    let mut words = vec![match &found {
        Some(found) => format!("{} clusters by `{column}`", count(found.count())),
        None => format!("every item is a cluster of its own by `{column}`"),
    }];
    if let Some(WithoutCluster { items, of }) = without(values) {
        words.push(format!(
            "{} of {} items have no value in `{column}`: each is a cluster of its own",
            count(items),
            count(of)
        ));
    }
    words
}
