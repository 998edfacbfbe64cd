//! A TOML file as a tree in which every key and value remembers where it stands.

use std::collections::BTreeMap;
use std::ops::Range;

use duress_core::part::{Entry, Raw};
use duress_core::problem::Problem;
use toml::de::{DeArray, DeTable, DeValue};

/// A key and what stands behind it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) tree: Tree,
    pub(super) span: Range<usize>,
}

/// What can stand behind a key.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(Raw),
    Table(Vec<Node>),
    Tables(Vec<(Range<usize>, Vec<Node>)>),
}

impl Node {
    /// The node as a plain entry, which is how parts see their keys.
    pub(super) fn entry(&self) -> Entry {
        let raw = match &self.tree {
            Tree::Leaf(raw) => raw.clone(),
            Tree::Table(nodes) => Raw::Table(entries(nodes)),
            Tree::Tables(_) => Raw::Other,
        };
        Entry {
            key: self.key.clone(),
            key_span: self.key_span.clone(),
            raw,
            span: self.span.clone(),
        }
    }
}

/// A table as parts see it, by key.
fn entries(nodes: &[Node]) -> BTreeMap<String, Raw> {
    let raw = |node: &Node| (node.key.clone(), node.entry().raw);
    nodes.iter().map(raw).collect()
}

/// Parses the text of a study; every syntax error is reported, not only the first.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, Vec<Problem>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        Ok(table_nodes(table.get_ref()))
    } else {
        Err(errors.iter().map(|error| problem(text, error)).collect())
    }
}

fn problem(text: &str, error: &toml::de::Error) -> Problem {
    let problem = Problem::new(format!("not TOML: {}", error.message()));
    match error.span() {
        Some(span) if span.is_empty() => problem.at(before(text, span.start)),
        Some(span) => problem.at(span),
        None => problem,
    }
}

/// The last character before a place: what is missing has no place of its own.
fn before(text: &str, at: usize) -> Range<usize> {
    text[..at]
        .char_indices()
        .next_back()
        .map_or(0, |(start, _)| start)..at
}

/// The nodes in the order of the file, which is the order everything is planned, tested and
/// reported in.
fn table_nodes(table: &DeTable<'_>) -> Vec<Node> {
    let mut nodes: Vec<Node> = table
        .iter()
        .map(|(key, value)| Node {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            tree: tree(value.get_ref()),
            span: value.span(),
        })
        .collect();
    nodes.sort_by_key(|node| node.key_span.start);
    nodes
}

fn tree(value: &DeValue<'_>) -> Tree {
    match value {
        DeValue::Table(table) => Tree::Table(table_nodes(table)),
        DeValue::Array(array) if tables_only(array) => Tree::Tables(
            array
                .iter()
                .filter_map(|item| Some((item.span(), table_nodes(item.get_ref().as_table()?))))
                .collect(),
        ),
        other => Tree::Leaf(raw(other)),
    }
}

fn tables_only(array: &DeArray<'_>) -> bool {
    !array.is_empty() && array.iter().all(|item| item.get_ref().is_table())
}

fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(whole) => {
            let digits = whole.as_str();
            let radix = whole.radix();
            match (i64::from_str_radix(digits, radix), digits.parse()) {
                (Ok(whole), _) => Raw::Whole(whole),
                // Beyond all whole numbers here, but a number.
                (Err(_), Ok(number)) if radix == 10 => Raw::Number(number),
                _ => Raw::Other,
            }
        }
        DeValue::Float(number) => number.as_str().parse().map_or(Raw::Other, Raw::Number),
        DeValue::Boolean(flag) => Raw::Flag(*flag),
        DeValue::Array(array) => Raw::List(array.iter().map(|item| raw(item.get_ref())).collect()),
        DeValue::Table(table) => Raw::Table(entries(&table_nodes(table))),
        DeValue::Datetime(_) => Raw::Other,
    }
}
