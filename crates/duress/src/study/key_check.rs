//! Keys of services that stand in a study: refused, since a study is copied into every run and
//! report.

use std::path::Path;

use duress_core::part::Raw;
use duress_core::problem::Problem;

use super::node::{Node, Tree};

/// How keys of services begin, and how many characters follow at least.
const BEGINNINGS: &[(&str, usize)] = &[
    ("sk-", 16),
    ("sk_live_", 16),
    ("hf_", 20),
    ("gsk_", 20),
    ("xai-", 20),
    ("r8_", 20),
    ("pplx-", 20),
    ("ghp_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("AKIA", 16),
    ("AIza", 30),
    ("eyJhbGciOi", 20),
];

/// A problem for each text that looks like a key. None of them repeats the text or points at it with
/// the line of the file, which would be shown.
pub(super) fn keys_in(nodes: &[Node], text: &str, path: &Path) -> Vec<Problem> {
    let mut found = Vec::new();
    for node in nodes {
        match &node.tree {
            Tree::Leaf(raw) if holds_key(raw) => found.push(problem(node, text, path)),
            Tree::Leaf(_) => {}
            Tree::Table(inner) => found.extend(keys_in(inner, text, path)),
            Tree::Tables(all) => {
                let each = all.iter().flat_map(|(_, inner)| keys_in(inner, text, path));
                found.extend(each);
            }
        }
    }
    found
}

fn problem(node: &Node, text: &str, path: &Path) -> Problem {
    let line = text[..node.key_span.start].lines().count().max(1);
    Problem::new(format!("`{}` looks like the key of a service", node.key))
        .expected("the name of an environment variable that holds it, as `key-env = \"NAME\"` or \"env:NAME\"")
        .hint("a study is copied into every run and report: revoke the key if this file was shared")
        .in_file(path)
        .on_line(line)
}

fn holds_key(raw: &Raw) -> bool {
    match raw {
        Raw::Text(text) => looks_like_key(text),
        Raw::List(list) => list.iter().any(holds_key),
        Raw::Table(table) => table.values().any(holds_key),
        _ => false,
    }
}

/// Whether some word of a text begins as keys do and goes on as they do.
fn looks_like_key(text: &str) -> bool {
    let of_a_key = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mut words = text.split(|c: char| !of_a_key(c));
    words.any(|word| {
        let begins = |(beginning, more): &(&str, usize)| {
            let rest = word.strip_prefix(beginning);
            rest.is_some_and(|rest| {
                rest.len() >= *more && rest.contains(|c: char| c.is_ascii_digit())
            })
        };
        BEGINNINGS.iter().any(begins)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_and_goes_on_like_a_key_is_one() {
        // Spelled in halves, so that no search for keys finds this file.
        let key = |beginning: &str| format!("{beginning}{}", "a1B2c3D4".repeat(5));
        assert!(looks_like_key(&key("sk-")));
        assert!(looks_like_key(&key("sk-ant-")));
        assert!(looks_like_key(&format!("Bearer {}", key("hf_"))));
        for harmless in [
            "OPENAI_API_KEY",
            "env:KEY",
            "sk-learn",
            "a mask-and-shield-of-seventeen-words",
            "",
        ] {
            assert!(!looks_like_key(harmless), "{harmless}");
        }
    }
}
