//! Which items belong together: what a study says, what a dataset knows of itself, and what nobody
//! says though a column tells it.

use std::collections::{BTreeMap, HashSet};

use duress_core::gauge::Unit;
use duress_core::part::Params;
use duress_core::problem::Problem;
use duress_core::subject::SubjectPart;
use duress_tables::layout::words::says_group;

use super::{DatasetOf, Loaded, Plan};
use crate::axis::{Axis, DatasetAt, LoadedAt, ReplicateAt, SubjectAt};
use crate::study::{
    Chosen, ClaimTest, ClusterDecl, DatasetDecl, NO_CLUSTER, Origin, Spanned, Study, Units,
};

/// The key by which parts are told which columns to keep.
const COLUMNS: &str = "columns";

/// The values of every column, item by item.
pub(crate) type ColumnValues = BTreeMap<String, Vec<String>>;

/// Items that a column says belong together, while nobody else does.
pub(crate) struct UnsaidGroups {
    pub(crate) column: String,
    pub(crate) groups: usize,
}

/// Items that have no value in the column that says their cluster.
pub(crate) struct WithoutCluster {
    pub(crate) items: usize,
    pub(crate) of: usize,
}

impl Plan {
    /// The column by which the items of a dataset belong together; none where they count as
    /// independent.
    pub fn cluster_of(&self, at: DatasetAt) -> Option<&str> {
        match self.study.cluster_of(at) {
            Some(ClusterDecl::Independent) => None,
            Some(ClusterDecl::By(column)) => Some(&column.value),
            None => self.dataset(at, ReplicateAt::FIRST).cluster.as_deref(),
        }
    }

    /// The column that says what belongs together in what a subject is fitted on, where it does not
    /// tear that apart.
    pub(crate) fn fitted_by_cluster(&self, subject: SubjectAt) -> Option<&str> {
        let planned = &self.subjects[subject];
        match &*planned.subject {
            SubjectPart::Live(live) if live.keeps_clusters_together() => {
                self.cluster_of(planned.on)
            }
            _ => None,
        }
    }

    /// The datasets that some subject is tested on, in the order of the study.
    pub fn tested_on(&self) -> impl Iterator<Item = DatasetAt> + '_ {
        self.study.tested_on()
    }

    /// Columns that say which items of a dataset belong together, where neither study nor dataset
    /// does and a number depends on it.
    pub(crate) fn unsaid_groups(&self, at: DatasetAt, columns: &ColumnValues) -> Vec<UnsaidGroups> {
        let over_items = self.study.analysis.units != Units::Seeds
            && self
                .gauges
                .iter()
                .any(|gauge| gauge.scale.unit == Unit::Items);
        let said = self.study.cluster_of(at).is_some() || self.cluster_of(at).is_some();
        match over_items && !said {
            true => groups(columns),
            false => Vec::new(),
        }
    }
}

/// The columns that are called as groups are and whose values repeat.
pub(crate) fn groups(columns: &ColumnValues) -> Vec<UnsaidGroups> {
    let named = columns.iter().filter(|(name, _)| says_group(name));
    let repeated = named.filter_map(|(column, values)| {
        let known = || values.iter().filter(|value| !is_absent(value));
        let groups = known()
            .map(|value| value.trim())
            .collect::<HashSet<_>>()
            .len();
        (groups < known().count()).then(|| UnsaidGroups {
            column: column.clone(),
            groups,
        })
    });
    repeated.collect()
}

/// The items without a value, if there are such.
pub(crate) fn without(values: &[String]) -> Option<WithoutCluster> {
    let items = values.iter().filter(|value| is_absent(value)).count();
    let of = values.len();
    (items > 0).then_some(WithoutCluster { items, of })
}

/// Whether a value says that there is none: empty, or as tables write it.
pub(crate) fn is_absent(value: &str) -> bool {
    const ABSENT: [&str; 6] = ["", "na", "n/a", "nan", "null", "none"];
    ABSENT.contains(&value.trim().to_ascii_lowercase().as_str())
}

impl Study {
    /// What the study says about which items of a dataset belong together: the dataset itself, what
    /// it is derived from, or `[analysis]`.
    pub fn cluster_of(&self, at: DatasetAt) -> Option<&ClusterDecl> {
        let decl = &self.datasets[at];
        let own = std::iter::successors(Some(decl), |decl| self.base_of(decl));
        own.filter_map(|decl| decl.cluster.as_ref())
            .next()
            .or(self.analysis.cluster.as_ref())
    }

    fn base_of(&self, decl: &DatasetDecl) -> Option<&DatasetDecl> {
        match &decl.from {
            Origin::Part(_) => None,
            Origin::Derived { base, .. } => self.datasets.iter().find(|one| one.name == *base),
        }
    }

    /// The datasets that some subject is tested on.
    fn tested_on(&self) -> impl Iterator<Item = DatasetAt> + '_ {
        let tested = |decl: &DatasetDecl| {
            let mut subjects = self.subjects.iter();
            subjects.any(|subject| subject.test_on.contains(&decl.name))
        };
        let all = self.datasets.at_each();
        all.filter(move |(_, decl)| tested(decl)).map(|(at, _)| at)
    }
}

/// The keys of a dataset's part, with the columns by which its items, or those of what is derived
/// from it, belong together: parts keep the columns they are told to.
pub(super) fn with_columns(study: &Study, decl: &DatasetDecl, chosen: &Chosen) -> Params {
    let params = chosen.params.clone();
    if chosen.part.fields.iter().all(|field| field.name != COLUMNS) {
        return params;
    }
    let comes_from = |at: &DatasetAt| {
        let first = Some(&study.datasets[*at]);
        let mut chain = std::iter::successors(first, |one| study.base_of(one));
        chain.any(|one| one.name == decl.name)
    };
    let wanted = study.tested_on().filter(comes_from);
    let wanted = wanted.filter_map(|at| match study.cluster_of(at) {
        Some(ClusterDecl::By(column)) => Some(column.value.as_str()),
        _ => None,
    });
    wanted.fold(params, |params, column| params.with_text(COLUMNS, column))
}

/// Clusters by columns that datasets do not have, and claims that pair items that belong together.
pub(super) fn problems(
    study: &Study,
    loaded: &Axis<LoadedAt, Loaded>,
    dataset_of: &DatasetOf,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for at in study.tested_on() {
        let loaded = &loaded[dataset_of[at][ReplicateAt::FIRST]];
        let columns = loaded.dataset().test().columns();
        let column = match study.cluster_of(at) {
            Some(ClusterDecl::Independent) => None,
            Some(ClusterDecl::By(column)) if !columns.contains_key(&column.value) => {
                problems.push(no_such_column(study, at, column, columns));
                None
            }
            Some(ClusterDecl::By(column)) => Some(&column.value),
            None => loaded.cluster.as_ref(),
        };
        let values = column.and_then(|column| columns.get(column));
        if values.is_some_and(|values| distinct(values) < values.len()) {
            problems.extend(claims_by_item(study, at));
        }
    }
    problems
}

fn no_such_column(
    study: &Study,
    at: DatasetAt,
    column: &Spanned<String>,
    columns: &ColumnValues,
) -> Problem {
    let dataset = &study.datasets[at].name;
    let wrong = Problem::new(format!(
        "dataset `{dataset}` has no column `{}` to cluster by",
        column.value
    ));
    wrong
        .nearest(&column.value, columns.keys().map(String::as_str))
        .hint_if_none(format!(
            "`cluster = \"{NO_CLUSTER}\"` in `[dataset.{dataset}]` says that its items are independent"
        ))
        .at(column.span.clone())
}

/// How many clusters these are the values of.
fn distinct(values: &[String]) -> usize {
    let known = values.iter().filter(|value| !is_absent(value));
    let known: HashSet<&str> = known.map(|value| value.trim()).collect();
    known.len() + without(values).map_or(0, |without| without.items)
}

/// Tests that take items to be independent, where items belong together.
fn claims_by_item(study: &Study, at: DatasetAt) -> Vec<Problem> {
    let dataset = &study.datasets[at].name;
    let all = study.claims.iter().flat_map(|claim| {
        let statements = claim.statements.iter();
        statements.map(move |statement| (claim, statement))
    });
    let by_item = all.filter(|(_, statement)| {
        statement.by_items
            && !matches!(statement.test, ClaimTest::Design | ClaimTest::Bootstrap)
            && statement.place.dataset == *dataset
    });
    by_item
        .map(|(claim, statement)| {
            Problem::new(format!(
                "claim `{}` counts items as independent (`test = \"{}\"` over items), but those of `{dataset}` are clustered",
                claim.quoted(statement), statement.test
            ))
            .hint(format!(
                "leave `test` and `unit` out: the test of the design counts with clusters; or `cluster = \"{NO_CLUSTER}\"`"
            ))
            .at(statement.span.clone())
        })
        .collect()
}

/// What a reader should know about items that belong together, before a run.
pub(super) fn remarks(plan: &Plan) -> Vec<String> {
    let mut remarks = Vec::new();
    for at in plan.study.tested_on() {
        let split = plan.dataset(at, ReplicateAt::FIRST).dataset();
        let columns = split.test().columns();
        let items = split.test().items().len();
        let name = &plan.study.datasets[at].name;
        for UnsaidGroups { column, groups } in plan.unsaid_groups(at, columns) {
            remarks.push(format!(
                "{name}: {items} items in {groups} groups by `{column}` count as independent; `cluster = \"{column}\"` counts with the groups, `cluster = \"{NO_CLUSTER}\"` says that there are none"
            ));
        }
        let values = plan.cluster_of(at).and_then(|column| columns.get(column));
        let Some((column, values)) = plan.cluster_of(at).zip(values) else {
            continue;
        };
        if let Some(WithoutCluster { items, of }) = without(values) {
            remarks.push(format!(
                "{name}: {items} of {of} items have no value in `{column}`: each counts as a cluster of its own"
            ));
        }
        if distinct(values) == 1 {
            remarks.push(format!(
                "{name}: all items are of one cluster by `{column}`; no interval over items can be made"
            ));
        }
    }
    remarks.extend(held_out_item_by_item(plan));
    remarks
}

/// Subjects that hold some of their lesson out, where nothing says what belongs together in it.
fn held_out_item_by_item(plan: &Plan) -> Vec<String> {
    let remark = |subject: SubjectAt| {
        let column = plan.fitted_by_cluster(subject)?;
        let on = plan.subjects[subject].on;
        let dataset = plan.dataset(on, ReplicateAt::FIRST).dataset();
        let fit = dataset.fit().unwrap_or(dataset.test());
        let name = &plan.study.subjects[subject].name;
        (!fit.columns().contains_key(column)).then(|| {
            format!(
                "{name}: what it is fitted on has no `{column}`; it holds out item by item, whatever belongs together"
            )
        })
    };
    plan.subjects.positions().filter_map(remark).collect()
}
