//! Reads one section of a study key by key, and collects every problem on the way.

use std::ops::Range;

use duress_core::name::Name;
use duress_core::part::{Entry, Params, Part, Raw};
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_core::word::Word;
use std::path::Path;

use super::keys::Key;
use super::node::{Node, Tree};

/// A value with the place it stands at.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its bytes in the study file.
    pub span: Range<usize>,
}

/// One section under reading.
pub(super) struct Reader<'a> {
    what: String,
    span: Range<usize>,
    nodes: &'a [Node],
    keys: &'static [Key],
}

impl<'a> Reader<'a> {
    /// A section called `what` in messages; missing keys are problems at once.
    pub(super) fn new(
        what: impl Into<String>,
        span: Range<usize>,
        nodes: &'a [Node],
        keys: &'static [Key],
        problems: &mut Vec<Problem>,
    ) -> Reader<'a> {
        let reader = Reader {
            what: what.into(),
            span,
            nodes,
            keys,
        };
        for key in keys
            .iter()
            .filter(|key| key.required && reader.node(key.name).is_none())
        {
            let missing = Problem::new(format!("{} has no `{}`", reader.what, key.name));
            problems.push(
                missing
                    .expected(format!("`{} = …`: {}", key.name, key.doc))
                    .at(reader.span.clone()),
            );
        }
        reader
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub(super) fn node(&self, key: &str) -> Option<&'a Node> {
        self.nodes.iter().find(|node| node.key == key)
    }

    /// The keys this section does not know itself: a part's.
    pub(super) fn rest(&self) -> Vec<Entry> {
        let own = |node: &&Node| self.keys.iter().all(|key| key.name != node.key);
        self.nodes.iter().filter(own).map(Node::entry).collect()
    }

    /// Complains about every key that no table has.
    pub(super) fn no_rest(&self, problems: &mut Vec<Problem>) {
        problems.extend(self.rest().iter().map(|entry| {
            Problem::new(format!("unknown key `{}` in {}", entry.key, self.what))
                .at(entry.key_span.clone())
                .nearest(&entry.key, self.keys.iter().map(|key| key.name))
        }));
    }

    /// The keys of a part, checked; keys of the section itself count as near words too.
    pub(super) fn params(
        &self,
        part: &Part,
        folder: &Path,
        problems: &mut Vec<Problem>,
    ) -> Option<Params> {
        let has_key = |entry: &Entry| part.fields.iter().any(|field| field.name == entry.key);
        let (known, unknown): (Vec<Entry>, Vec<Entry>) = self.rest().into_iter().partition(has_key);
        problems.extend(unknown.iter().map(|entry| self.unknown_to(part, entry)));
        match Params::check(part.fields, &known, folder) {
            Ok(params) => unknown.is_empty().then_some(params),
            Err(wrong) => {
                let explained = format!("`duress explain {}` tells its keys", part.name);
                let placed = |problem: Problem| problem.hint(&explained).at(self.span.clone());
                problems.extend(wrong.into_iter().map(placed));
                None
            }
        }
    }

    /// A key that neither the section nor its part has.
    fn unknown_to(&self, part: &Part, entry: &Entry) -> Problem {
        let own = self.keys.iter().map(|key| key.name);
        let words = own.chain(part.fields.iter().map(|field| field.name));
        Problem::new(format!(
            "unknown key `{}` in {}: `{}` has no such key",
            entry.key, self.what, part.name
        ))
        .at(entry.key_span.clone())
        .nearest(&entry.key, words)
    }

    pub(super) fn raw(&self, key: &str) -> Option<Spanned<Raw>> {
        let node = self.node(key)?;
        Some(Spanned {
            value: node.entry().raw,
            span: node.span.clone(),
        })
    }

    /// The value behind `key` as `read` understands it.
    pub(super) fn value<T>(
        &self,
        key: &str,
        expected: &str,
        problems: &mut Vec<Problem>,
        read: impl Fn(&Raw) -> Option<T>,
    ) -> Option<Spanned<T>> {
        let raw = self.raw(key)?;
        match read(&raw.value) {
            Some(value) => Some(Spanned {
                value,
                span: raw.span,
            }),
            None => {
                let found = format!("`{key}` is {}", raw.value.in_words());
                problems.push(Problem::new(found).expected(expected).at(raw.span));
                None
            }
        }
    }

    pub(super) fn text(&self, key: &str, problems: &mut Vec<Problem>) -> Option<Spanned<String>> {
        self.value(key, "a text", problems, Raw::as_text)
    }

    pub(super) fn texts(
        &self,
        key: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<Vec<String>>> {
        self.value(key, "a list of texts", problems, |raw| match raw {
            Raw::List(list) => list.iter().map(Raw::as_text).collect(),
            _ => None,
        })
    }

    /// Some of the known words.
    pub(super) fn words<W: Word>(
        &self,
        key: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<Vec<W>>> {
        let list = self.texts(key, problems)?;
        let mut found = Vec::new();
        for text in &list.value {
            match W::from_word(text) {
                Some(word) => found.push(word),
                None => {
                    let wrong = Problem::new(format!("`{key}` has {text:?}"))
                        .expected(format!("of {}", W::spellings().join(", ")));
                    problems.push(wrong.nearest(text, W::spellings()).at(list.span.clone()));
                }
            }
        }
        Some(Spanned {
            value: found,
            span: list.span,
        })
    }

    pub(super) fn number(
        &self,
        key: &str,
        range: std::ops::RangeInclusive<f64>,
        problems: &mut Vec<Problem>,
    ) -> Option<f64> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        let read = |raw: &Raw| raw.as_number().filter(|x| range.contains(x));
        Some(self.value(key, &expected, problems, read)?.value)
    }

    pub(super) fn whole(
        &self,
        key: &str,
        range: std::ops::RangeInclusive<i64>,
        problems: &mut Vec<Problem>,
    ) -> Option<i64> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let read = |raw: &Raw| match raw {
            Raw::Whole(x) => Some(*x).filter(|x| range.contains(x)),
            _ => None,
        };
        Some(self.value(key, &expected, problems, read)?.value)
    }

    /// One of the words of a list.
    pub(super) fn word<W: Word>(&self, key: &str, problems: &mut Vec<Problem>) -> Option<W> {
        self.word_among(key, W::ALL, problems)
    }

    /// One of some words of a list.
    pub(super) fn word_among<W: Word>(
        &self,
        key: &str,
        words: &[W],
        problems: &mut Vec<Problem>,
    ) -> Option<W> {
        let text = self.text(key, problems)?;
        let found = W::from_word(&text.value).filter(|word| words.contains(word));
        if found.is_none() {
            let listed: Vec<&str> = words.iter().map(|word| word.word()).collect();
            let wrong = Problem::new(format!("`{key}` is {:?}", text.value));
            let wrong = wrong.expected(format!("one of {}", listed.join(", ")));
            problems.push(wrong.nearest(&text.value, listed).at(text.span));
        }
        found
    }

    /// A list of severities: rising, above zero, none twice.
    pub(super) fn severities(
        &self,
        key: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<Vec<Severity>>> {
        let raw = self.raw(key)?;
        let Raw::List(list) = &raw.value else {
            let found = format!("`{key}` is {}", raw.value.in_words());
            problems.push(
                Problem::new(found)
                    .expected("a list of severities")
                    .at(raw.span),
            );
            return None;
        };
        let mut rungs = Vec::new();
        let before = problems.len();
        for one in list {
            match severity(one) {
                Ok(severity) if severity.is_clean() => {}
                Ok(severity) => rungs.push(severity),
                Err(problem) => problems.push(problem.at(raw.span.clone())),
            }
        }
        if let Some(pair) = rungs.windows(2).find(|pair| pair[1] <= pair[0]) {
            let wrong = Problem::new(format!("severity {} comes after {}", pair[1], pair[0]));
            problems.push(
                wrong
                    .expected("rising severities, each once")
                    .at(raw.span.clone()),
            );
        }
        if rungs.is_empty() && problems.len() == before {
            let wrong = Problem::new("a ladder without a severity above 0");
            problems.push(
                wrong
                    .expected("at least one rung above the clean one")
                    .at(raw.span.clone()),
            );
        }
        Some(Spanned {
            value: rungs,
            span: raw.span,
        })
    }

    pub(super) fn severity(&self, key: &str, problems: &mut Vec<Problem>) -> Option<Severity> {
        let raw = self.raw(key)?;
        match severity(&raw.value) {
            Ok(severity) => Some(severity),
            Err(problem) => {
                problems.push(problem.at(raw.span));
                None
            }
        }
    }

    /// The tables behind `key`: one or several.
    pub(super) fn tables(
        &self,
        key: &str,
        problems: &mut Vec<Problem>,
    ) -> Vec<(Range<usize>, &'a [Node])> {
        match self.node(key) {
            None => Vec::new(),
            Some(node) => match &node.tree {
                Tree::Tables(tables) => tables
                    .iter()
                    .map(|(span, nodes)| (span.clone(), nodes.as_slice()))
                    .collect(),
                Tree::Table(nodes) => vec![(node.span.clone(), nodes.as_slice())],
                Tree::Leaf(Raw::List(list)) if list.is_empty() => Vec::new(),
                Tree::Leaf(raw) => {
                    let wrong = Problem::new(format!("`{key}` is {}", raw.in_words()));
                    problems.push(wrong.expected("a list of tables").at(node.span.clone()));
                    Vec::new()
                }
            },
        }
    }

    /// The named tables under `key`: `[key.NAME]`.
    pub(super) fn named(
        &self,
        key: &str,
        problems: &mut Vec<Problem>,
    ) -> Vec<(Spanned<Name>, &'a [Node])> {
        let Some(node) = self.node(key) else {
            return Vec::new();
        };
        let Tree::Table(children) = &node.tree else {
            let wrong = Problem::new(format!("`{key}` is not a table of named tables"));
            problems.push(
                wrong
                    .expected(format!("`[{key}.NAME]`"))
                    .at(node.span.clone()),
            );
            return Vec::new();
        };
        children
            .iter()
            .filter_map(|child| named_child(key, child, problems))
            .collect()
    }
}

fn named_child<'a>(
    key: &str,
    child: &'a Node,
    problems: &mut Vec<Problem>,
) -> Option<(Spanned<Name>, &'a [Node])> {
    let name = match Name::new(&child.key) {
        Ok(name) => name,
        Err(why) => {
            problems.push(Problem::new(why.to_string()).at(child.key_span.clone()));
            return None;
        }
    };
    match &child.tree {
        Tree::Table(nodes) => Some((
            Spanned {
                value: name,
                span: child.key_span.clone(),
            },
            nodes,
        )),
        _ => {
            let wrong = Problem::new(format!("`{}` in `[{key}]` is not a table", child.key));
            problems.push(
                wrong
                    .expected(format!("`[{key}.{}]`", child.key))
                    .at(child.key_span.clone()),
            );
            None
        }
    }
}

fn severity(raw: &Raw) -> Result<Severity, Problem> {
    let read = match raw {
        Raw::Number(x) => Severity::new(*x),
        Raw::Whole(x) => Severity::new(*x as f64),
        Raw::Text(text) => Severity::parse(text),
        other => Severity::parse(&other.in_words()),
    };
    read.map_err(|why| Problem::new(why.to_string()))
}
