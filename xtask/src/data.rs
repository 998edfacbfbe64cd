//! `cargo xtask data`: every data file that is shipped stands in `docs/data.md` with its source, its
//! licence and its hash, and nothing stands there that is not shipped.
//!
//! A row of the document's table is a file or a folder (its path ends with `/`). The hash of a file
//! is its BLAKE3, as `b3sum` gives it; that of a folder is the BLAKE3 of a line `HASH  PATH` for
//! each file that is covered, in the order of their paths from the root.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use crate::step::{Done, root};

const DOCUMENT: &str = "docs/data.md";

/// Endings of what is written by hand for this project: code, documents, settings.
const WRITTEN: [&str; 11] = [
    ".rs",
    ".md",
    ".toml",
    ".py",
    ".sh",
    ".mjs",
    ".js",
    ".css",
    ".lock",
    ".gitignore",
    "requirements.txt",
];

/// Beginnings of paths that are neither data nor recognised by their ending.
const NOT_DATA: [&str; 6] = [
    ".ci/",
    ".git-blame-ignore-revs",
    "LICENSE-",
    "crates/duress-findings/src/schema.json",
    "docs/images/",
    "e2e/package",
];

/// Folders of what duress itself has written and a test compares with.
const GOLDEN: &str = "/tests/golden/";

pub(crate) fn data() -> Done {
    let wrong = problems()?;
    if wrong.is_empty() {
        println!("{DOCUMENT} is right");
        return Ok(());
    }
    Err(format!("{DOCUMENT}:\n{}", wrong.join("\n")))
}

/// What is wrong with the document, each in a sentence.
fn problems() -> Result<Vec<String>, String> {
    let rows = rows(&text_of(DOCUMENT)?);
    let mut covered: BTreeMap<&str, Vec<String>> =
        rows.keys().map(|row| (row.as_str(), Vec::new())).collect();
    let mut wrong = Vec::new();
    for file in shipped()?.into_iter().filter(|file| is_data(file)) {
        let covers = |row: &&str| file == **row || row.ends_with('/') && file.starts_with(*row);
        // The most particular row stands for a file.
        let row = covered
            .keys()
            .copied()
            .filter(covers)
            .max_by_key(|row| row.len());
        match row.and_then(|row| covered.get_mut(row)) {
            Some(files) => files.push(file),
            None => wrong.push(format!("{file} has no row")),
        }
    }
    for (row, files) in &covered {
        if files.is_empty() {
            wrong.push(format!("{row} is not shipped"));
            continue;
        }
        let hash = hash(row, files)?;
        if rows[*row] != hash {
            wrong.push(format!("the hash of {row} is {hash}"));
        }
    }
    Ok(wrong)
}

/// The hashes of the table, by path: rows whose first cell is a path in backticks.
fn rows(document: &str) -> BTreeMap<String, String> {
    let cells = |line: &str| -> Option<(String, String)> {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').map(str::trim).collect();
        let bare = |cell: &str| Some(cell.strip_prefix('`')?.strip_suffix('`')?.to_string());
        Some((bare(cells.first()?)?, bare(cells.get(3)?)?))
    };
    document.lines().filter_map(cells).collect()
}

fn is_data(file: &str) -> bool {
    let written = WRITTEN.iter().any(|ending| file.ends_with(ending));
    let licence = file.contains("LICENCE") || file.contains("LICENSE");
    let golden = file.contains(GOLDEN);
    !written && !licence && !golden && !NOT_DATA.iter().any(|start| file.starts_with(start))
}

/// What is shipped is what git keeps.
fn shipped() -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    let output = git.current_dir(root()).args(["ls-files", "-z"]).output();
    let output = output.map_err(|error| format!("git ls-files: {error}"))?;
    let all = String::from_utf8_lossy(&output.stdout);
    let mut files: Vec<String> = all.split('\0').map(str::to_string).collect();
    files.retain(|file| !file.is_empty() && root().join(file).exists());
    files.sort();
    if files.is_empty() {
        return Err("git ls-files knows no file".into());
    }
    Ok(files)
}

fn hash(row: &str, files: &[String]) -> Result<String, String> {
    let mut list = String::new();
    for file in files {
        let bytes = std::fs::read(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
        let hash = blake3::hash(&bytes).to_hex();
        if file == row {
            return Ok(hash.to_string());
        }
        let _ = writeln!(list, "{hash}  {file}");
    }
    Ok(blake3::hash(list.as_bytes()).to_hex().to_string())
}

fn text_of(file: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_data_file_has_its_source_licence_and_hash() {
        assert_eq!(problems().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn every_row_of_the_table_is_whole() {
        let document = text_of(DOCUMENT).unwrap();
        let table = document.lines().filter(|line| line.starts_with("| `"));
        for line in table {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(cells.len(), 4, "{line}");
            assert!(cells.iter().all(|cell| !cell.is_empty()), "{line}");
        }
    }

    #[test]
    fn code_and_licences_are_no_data() {
        for file in [
            "xtask/src/data.rs",
            "a/b.LICENCE.txt",
            "peers/x/requirements.txt",
            "LICENSE-MIT",
        ] {
            assert!(!is_data(file), "{file}");
        }
        assert!(is_data("studies/classify/census/answers.csv"));
    }
}
