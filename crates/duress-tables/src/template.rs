//! Path templates: `preds/{subject}_seed{seed}.csv` and what becomes of it.

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;

use crate::formats::folder_around;

/// A path in which some places are still to be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<TemplatePiece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    Place(String),
}

impl Template {
    /// Reads a template; what stands in braces must be one of `places`.
    pub fn parse(text: &str, places: &[&str]) -> Result<Template, Problem> {
        let unclosed = || Problem::new(format!("`{text}` has a brace without its twin"));
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (place, behind) = after.split_once('}').ok_or_else(unclosed)?;
            if !places.contains(&place) {
                return Err(Problem::new(format!("`{text}` has a place `{{{place}}}`"))
                    .expected(format!("one of {{{}}}", places.join("}, {")))
                    .nearest(place, places.iter().copied()));
            }
            pieces.push(TemplatePiece::Text(before.into()));
            pieces.push(TemplatePiece::Place(place.into()));
            rest = behind;
        }
        pieces.push(TemplatePiece::Text(rest.into()));
        if pieces
            .iter()
            .any(|piece| matches!(piece, TemplatePiece::Text(text) if text.contains('}')))
        {
            return Err(unclosed());
        }
        Ok(Template {
            text: text.into(),
            pieces,
        })
    }

    /// Whether `{place}` stands in it.
    pub fn has(&self, place: &str) -> bool {
        self.pieces.contains(&TemplatePiece::Place(place.into()))
    }

    /// The path, with every place filled by the value of that name. A `/` in a value is written as
    /// `-`, so that `8/255` is not two folders.
    pub fn fill(&self, values: &[(&str, String)]) -> String {
        let fill = |piece: &TemplatePiece| match piece {
            TemplatePiece::Text(text) => text.clone(),
            TemplatePiece::Place(place) => {
                let value = values
                    .iter()
                    .find(|(name, _)| name == place)
                    .map(|(_, value)| value.as_str());
                value.unwrap_or_default().replace('/', "-")
            }
        };
        self.pieces.iter().map(fill).collect()
    }

    /// The file it makes under `folder`, or the problem that it is not there: what made its name,
    /// and which files are nearly called that.
    pub fn find(
        &self,
        folder: &Path,
        key: &str,
        values: &[(&str, String)],
    ) -> Result<PathBuf, Problem> {
        let path = folder.join(self.fill(values));
        if path.exists() {
            return Ok(path);
        }
        let used: Vec<String> = values
            .iter()
            .filter(|(name, _)| self.has(name))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let with = if used.is_empty() {
            String::new()
        } else {
            format!(" with {}", used.join(", "))
        };
        let problem = Problem::new("there is no such file")
            .expected(format!(
                "a file where `{key} = {:?}`{with} leads",
                self.text
            ))
            .in_file(&path);
        Err(match neighbours(&path) {
            Some(hint) => problem.hint(hint),
            None => problem,
        })
    }
}

/// How many neighbours are named.
const NAMED: usize = 5;

/// The files beside a missing one, the most alike first; or how far the way there exists.
fn neighbours(path: &Path) -> Option<String> {
    let folder = folder_around(path)?;
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return Some(format!("there is no folder {}", folder.display()));
    };
    let wanted = path.file_name()?.to_string_lossy();
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into())
        .collect();
    names.sort_by_key(|name| (std::cmp::Reverse(alike(name, &wanted)), name.clone()));
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    match (names.is_empty(), more) {
        (true, _) => Some(format!("the folder {} is empty", folder.display())),
        (_, 0) => Some(format!("there is: {}", names.join(", "))),
        _ => Some(format!("there is: {}, and {more} more", names.join(", "))),
    }
}

/// How many characters two names share at their beginning and their end.
fn alike(a: &str, b: &str) -> usize {
    let start = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let end = a
        .chars()
        .rev()
        .zip(b.chars().rev())
        .take_while(|(a, b)| a == b)
        .count();
    start + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_and_a_slash_does_not_make_a_folder() {
        let template = Template::parse("p/{a}_{b}_{a}.csv", &["a", "b"]).unwrap();
        assert_eq!(
            template.fill(&[("a", "x".into()), ("b", "8/255".into())]),
            "p/x_8-255_x.csv"
        );
        assert!(template.has("a") && !template.has("c"));
    }

    #[test]
    fn a_place_that_does_not_exist_is_refused_with_the_nearest() {
        let check = |text: &str, expected: &str| {
            let problem = Template::parse(text, &["seed", "subject"])
                .unwrap_err()
                .to_string();
            assert!(problem.contains(expected), "{problem}");
        };
        check("{sead}.csv", "did you mean `seed`?");
        check("{seed.csv", "without its twin");
        check("seed}.csv", "without its twin");
    }
}
