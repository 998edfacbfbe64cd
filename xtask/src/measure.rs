//! `cargo xtask measure`: how dense the code is and how far its names carry, as numbers that can be
//! compared between commits. Proxies, not marks: they say where to look.
//!
//! Counted are the files under `crates/*/src` and `xtask/src`, each up to its inline tests; files
//! called `tests.rs` are nothing else.
//!
//! - *Tokens a line*: words, numbers, quoted texts and single punctuation marks of all functions
//!   (from `fn` to the closing brace), divided by their lines that hold code.
//! - *Types defined more than once*: names after `struct`, `enum`, `trait` or `type` that are
//!   defined in more than one place of the workspace.
//! - *Short function names*: at most four letters, those that std made usual left out.
//! - *Docs*: lines of `///` and `//!` among these and the lines that hold code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::step::{Done, root};

/// Names of at most four letters that every Rust programmer knows from std.
const USUAL: [&str; 22] = [
    "new", "len", "fmt", "from", "get", "main", "push", "pop", "next", "eq", "cmp", "drop", "iter",
    "map", "min", "max", "sum", "abs", "add", "mul", "hash", "with",
];

pub(crate) fn measure(of: Option<&String>) -> Done {
    let of = of.map_or_else(root, PathBuf::from);
    let mut counts = DensityCounts::default();
    for file in sources(&of)? {
        let text = std::fs::read_to_string(&file);
        counts.add(&text.map_err(|error| format!("{}: {error}", file.display()))?);
    }
    print!("{}", counts.said());
    Ok(())
}

fn sources(root: &Path) -> Result<Vec<PathBuf>, String> {
    let crates = root.join("crates");
    let entries =
        std::fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|one| one.path().join("src"))
        .collect();
    folders.push(root.join("xtask/src"));
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !path.ends_with("tests.rs")
            {
                found.push(path);
            }
        }
    }
    Ok(found)
}

#[derive(Default)]
struct DensityCounts {
    code: usize,
    docs: usize,
    functions: usize,
    function_lines: usize,
    function_tokens: usize,
    short: usize,
    types: BTreeMap<String, usize>,
}

impl DensityCounts {
    fn add(&mut self, text: &str) {
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines {
            let line = line.trim_start();
            self.docs += usize::from(line.starts_with("///") || line.starts_with("//!"));
            self.code += usize::from(is_code(line));
            if let Some(name) = defined_type(line) {
                *self.types.entry(name.into()).or_default() += 1;
            }
        }
        let mut at = 0;
        while at < lines.len() {
            let end = match function(lines[at]) {
                Some(name) => self.add_function(name, &lines[at..]),
                None => 1,
            };
            at += end;
        }
    }

    /// DensityCounts the function that begins on the first line; returns how many lines it has.
    fn add_function(&mut self, name: &str, lines: &[&str]) -> usize {
        let first = lines[0];
        if first.ends_with(';') {
            return 1;
        }
        let indent = &first[..first.len() - first.trim_start().len()];
        let closing = format!("{indent}}}");
        let in_one =
            first.ends_with('}') && first.matches('{').count() == first.matches('}').count();
        let more = lines[1..]
            .iter()
            .position(|line| line.starts_with(&closing));
        let length = if in_one {
            1
        } else {
            more.map_or(lines.len(), |more| more + 2)
        };
        let body: Vec<&str> = lines[..length]
            .iter()
            .copied()
            .filter(|line| is_code(line.trim_start()))
            .collect();
        self.functions += 1;
        self.short += usize::from(name.len() <= 4 && !USUAL.contains(&name));
        self.function_lines += body.len();
        self.function_tokens += tokens(&body.join("\n"));
        length
    }

    fn said(&self) -> String {
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        let twice = self.types.values().filter(|count| **count > 1).count();
        let density = self.function_tokens as f64 / self.function_lines.max(1) as f64;
        format!(
            "tokens a line of functions   {density:.2} ({} functions)\n\
             types defined more than once {twice} of {} ({:.1} %)\n\
             short function names         {} of {} ({:.1} %)\n\
             docs                         {:.1} % of {} lines\n",
            self.functions,
            self.types.len(),
            share(twice, self.types.len()),
            self.short,
            self.functions,
            share(self.short, self.functions),
            share(self.docs, self.docs + self.code),
            self.docs + self.code,
        )
    }
}

fn is_code(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("//")
}

/// What follows words such as `pub(crate)` and `const` at the beginning of a line.
fn after_qualifiers(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let word = rest.split(' ').next().unwrap_or_default();
        let qualifies = word == "pub" || word.starts_with("pub(");
        if !(qualifies || ["const", "async", "unsafe"].contains(&word)) || word == rest {
            return rest;
        }
        rest = rest[word.len()..].trim_start();
    }
}

fn function(line: &str) -> Option<&str> {
    word(after_qualifiers(line).strip_prefix("fn ")?)
}

fn defined_type(line: &str) -> Option<&str> {
    let rest = after_qualifiers(line);
    let kinds = ["struct ", "enum ", "trait ", "type "];
    word(kinds.iter().find_map(|kind| rest.strip_prefix(kind))?)
}

fn word(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&text[..end.unwrap_or(text.len())]).filter(|word| !word.is_empty())
}

/// How many words, numbers, quoted texts and single marks there are.
fn tokens(text: &str) -> usize {
    let mut rest = text;
    let mut count = 0;
    while let Some(first) = rest.chars().next() {
        let length = token(rest, first);
        count += usize::from(!first.is_whitespace() && !rest.starts_with("//"));
        rest = &rest[length..];
    }
    count
}

/// The length of the token, comment or blank that the text begins with.
fn token(rest: &str, first: char) -> usize {
    let line = || rest.find('\n').unwrap_or(rest.len());
    let named = |c: char| c.is_alphanumeric() || c == '_';
    match first {
        '/' if rest.starts_with("//") => line(),
        '"' => quoted(rest, '"'),
        '\'' if is_character(rest) => quoted(rest, '\''),
        '\'' => 1 + rest[1..].find(|c| !named(c)).unwrap_or(rest.len() - 1),
        c if c.is_ascii_digit() => rest.find(|c| !named(c) && c != '.').unwrap_or(rest.len()),
        c if named(c) => rest.find(|c| !named(c)).unwrap_or(rest.len()),
        c => c.len_utf8(),
    }
}

/// Whether a quotation mark begins a character rather than a lifetime.
fn is_character(rest: &str) -> bool {
    rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'')
}

fn quoted(rest: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if !escaped && c == mark {
            return at + mark.len_utf8();
        }
        escaped = !escaped && c == '\\';
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_numbers_texts_and_marks() {
        assert_eq!(tokens("let a = b(1.5, \"c d\");"), 10);
        assert_eq!(tokens("x::<'a>('\\n', 'b') // no\n+ 1"), 13);
    }

    #[test]
    fn functions_types_and_docs_are_found() {
        let mut counts = DensityCounts::default();
        counts.add("/// A.\npub struct A;\nstruct A;\npub(crate) const fn of(a: u8) -> u8 {\n    a\n}\nfn new() {}\n");
        assert_eq!((counts.functions, counts.short), (2, 1));
        assert_eq!(counts.function_tokens, 18 + 6);
        assert_eq!((counts.function_lines, counts.docs), (4, 1));
        assert_eq!(counts.types["A"], 2);
    }
}
