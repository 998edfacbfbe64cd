//! Renamed keys: an old name is read for two minor versions more, and said once.
//!
//! The tree is brought up to date before anything reads it, so that readers and messages know the
//! new names only.

use super::keys::{self, Key};
use super::node::{Node, Tree};

/// The tables whose keys these are.
const SECTIONS: &[(&str, &[Key])] = &[
    ("dataset", keys::DATASET),
    ("subject", keys::SUBJECT),
    ("ladder", keys::LADDER),
    ("condition", keys::CONDITION),
    ("rater", keys::RATER),
    ("gauge", keys::GAUGE),
    ("analysis", keys::ANALYSIS),
    ("run", keys::RUN),
    ("report", keys::REPORT),
    ("expectation", keys::EXPECTATION),
    ("level", keys::LEVEL),
    ("contrast", keys::CONTRAST),
    ("claim", keys::CLAIM),
];

/// The sections that have a table for each name.
const NAMED: &[&str] = &[
    "dataset",
    "subject",
    "ladder",
    "condition",
    "rater",
    "gauge",
];

/// Gives every key of a study the name it has today, and says which were called otherwise.
pub(super) fn bring_up_to_date(nodes: &mut [Node]) -> Vec<String> {
    bring_up_to_date_by(nodes, keys::TOP, SECTIONS)
}

fn bring_up_to_date_by(
    nodes: &mut [Node],
    top: &[Key],
    sections: &[(&str, &[Key])],
) -> Vec<String> {
    let mut remarks = rename(nodes, top, "the study");
    for node in nodes {
        let section = sections.iter().find(|(name, _)| *name == node.key);
        let Some((name, keys)) = section else {
            continue;
        };
        for inside in tables(node, NAMED.contains(name)) {
            remarks.extend(rename(inside, keys, &format!("`{name}`")));
        }
    }
    let mut told = std::collections::HashSet::new();
    remarks.retain(|remark| told.insert(remark.clone()));
    remarks
}

/// The tables of a section.
fn tables(node: &mut Node, named: bool) -> Vec<&mut Vec<Node>> {
    match &mut node.tree {
        Tree::Table(nodes) => match named {
            true => nodes.iter_mut().filter_map(table).collect(),
            false => vec![nodes],
        },
        Tree::Tables(list) => list.iter_mut().map(|(_, nodes)| nodes).collect(),
        Tree::Leaf(_) => Vec::new(),
    }
}

fn table(node: &mut Node) -> Option<&mut Vec<Node>> {
    match &mut node.tree {
        Tree::Table(nodes) => Some(nodes),
        Tree::Tables(_) | Tree::Leaf(_) => None,
    }
}

/// An old name beside the new one stays, and is refused as a key that nobody knows.
fn rename(nodes: &mut [Node], keys: &[Key], section: &str) -> Vec<String> {
    let mut remarks = Vec::new();
    for key in keys {
        let Some((old, until)) = key.was else {
            continue;
        };
        if nodes.iter().any(|node| node.key == key.name) {
            continue;
        }
        if let Some(node) = nodes.iter_mut().find(|node| node.key == old) {
            node.key = key.name.into();
            remarks.push(format!(
                "`{old}` in {section} is now called `{}`; the old name is read until 0.{until}",
                key.name
            ));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::super::keys::Schema;
    use super::super::node::parse;
    use super::*;

    const fn renamed(name: &'static str, old: &'static str) -> Key {
        Key {
            name,
            schema: Schema::Json(""),
            doc: "",
            required: false,
            was: Some((old, 9)),
        }
    }

    const TOP: &[Key] = &[renamed("seeds", "replicates")];
    const CLAIM: &[Key] = &[renamed("margin", "by")];
    const LADDER: &[Key] = &[renamed("severities", "strengths")];
    const TEST_SECTIONS: &[(&str, &[Key])] = &[("claim", CLAIM), ("ladder", LADDER)];

    fn names(nodes: &[Node]) -> Vec<&str> {
        nodes.iter().map(|node| node.key.as_str()).collect()
    }

    #[test]
    fn an_old_name_is_read_and_said_once() {
        let text =
            "replicates = [1]\n[ladder.a]\nstrengths = [1]\n[[claim]]\nby = 1\n[[claim]]\nby = 2\n";
        let mut nodes = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
        let remarks = bring_up_to_date_by(&mut nodes, TOP, TEST_SECTIONS);
        assert_eq!(
            remarks,
            [
                "`replicates` in the study is now called `seeds`; the old name is read until 0.9",
                "`strengths` in `ladder` is now called `severities`; the old name is read until 0.9",
                "`by` in `claim` is now called `margin`; the old name is read until 0.9",
            ]
        );
        assert_eq!(names(&nodes), ["seeds", "ladder", "claim"]);
        let claims: Vec<Vec<&str>> = tables(&mut nodes[2], false)
            .into_iter()
            .map(|table| names(table))
            .collect();
        assert_eq!(claims, [["margin"], ["margin"]]);
    }

    #[test]
    fn an_old_name_beside_the_new_one_stays_a_mistake() {
        let mut nodes =
            parse("replicates = [1]\nseeds = [2]\n").unwrap_or_else(|wrong| panic!("{wrong:?}"));
        assert!(bring_up_to_date_by(&mut nodes, TOP, &[]).is_empty());
        assert_eq!(names(&nodes), ["replicates", "seeds"]);
    }

    #[test]
    fn no_old_name_is_read_for_longer_than_was_said() {
        let minor: u32 = env!("CARGO_PKG_VERSION_MINOR")
            .parse()
            .unwrap_or_else(|why| panic!("{why}"));
        let all = SECTIONS.iter().flat_map(|(_, keys)| *keys);
        for key in keys::TOP.iter().chain(all) {
            assert!(
                key.was.is_none_or(|(_, until)| minor < until),
                "{}",
                key.name
            );
        }
    }
}
