//! Problems: what is wrong with what the user gave, said once and so that it can be mended.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One mistake in the input: where it is, what was found, what was expected, and the nearest right
/// word.
///
/// ```
/// use duress_core::problem::Problem;
/// let problem = Problem::new("unknown gauge `acuracy`").expected("a gauge").nearest("acuracy", ["accuracy", "ece"]);
/// assert_eq!(problem.hint.as_deref(), Some("did you mean `accuracy`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What was found, as a sentence without a full stop.
    pub message: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// The way out.
    pub hint: Option<String>,
    /// The file it is in, where that is not the study file.
    pub file: Option<PathBuf>,
    /// The line in that file, from 1.
    pub line: Option<usize>,
    /// The bytes of the study file it is about.
    pub span: Option<Range<usize>>,
    /// What is behind it, where a caller has to know.
    pub cause: Option<ProblemCause>,
}

/// What is behind a problem: what callers branch on, since a message is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemCause {
    /// A cell that holds no number, in a column of numbers.
    NotANumber,
}

impl Problem {
    /// A problem that is not yet anywhere.
    pub fn new(message: impl Into<String>) -> Problem {
        Problem {
            message: message.into(),
            expected: None,
            hint: None,
            file: None,
            line: None,
            span: None,
            cause: None,
        }
    }

    /// Says what would have been right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Problem {
        self.expected = Some(expected.into());
        self
    }

    /// Says the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Says the way out, unless one was said already.
    #[must_use]
    pub fn hint_if_none(mut self, hint: impl Into<String>) -> Problem {
        self.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// Says what is behind it.
    #[must_use]
    pub fn because(mut self, cause: ProblemCause) -> Problem {
        self.cause = Some(cause);
        self
    }

    /// Says which file it is in.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Problem {
        self.file = Some(file.as_ref().into());
        self
    }

    /// Says which line it is on, from 1.
    #[must_use]
    pub fn on_line(mut self, line: usize) -> Problem {
        self.line = Some(line);
        self
    }

    /// Says which bytes of the study file it is about, unless that was said already.
    #[must_use]
    pub fn at(mut self, span: Range<usize>) -> Problem {
        self.span.get_or_insert(span);
        self
    }

    /// Offers the word among `words` that is nearest to `found`, or all of them when none is near.
    #[must_use]
    pub fn nearest<'a>(self, found: &str, words: impl IntoIterator<Item = &'a str>) -> Problem {
        let mut words: Vec<&str> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        // A word that has to be written anew altogether is not near, however short it is.
        let alike =
            |word: &&str| distance(found, word) < found.chars().count().max(word.chars().count());
        let near = words
            .iter()
            .filter(|word| alike(word))
            .map(|word| (distance(found, word), *word))
            .min();
        match near {
            Some((steps, word)) if steps <= 1 + found.chars().count() / 3 => {
                self.hint(format!("did you mean `{word}`?"))
            }
            _ if words.is_empty() => self,
            _ => self.hint(format!("there is: {}", words.join(", "))),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}: ", file.display())?,
            (Some(file), None) => write!(f, "{}: ", file.display())?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        write!(f, "{}", self.message)?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// Optimal string alignment distance: insertions, deletions, substitutions, and swaps of
/// neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_when_it_is_near() {
        let check = |found: &str, hint: &str| {
            let problem = Problem::new("x").nearest(found, ["gaussian-noise", "pgd", "fgsm"]);
            assert_eq!(problem.hint.as_deref(), Some(hint), "{found}");
        };
        check("gausian-noise", "did you mean `gaussian-noise`?");
        check("pdg", "did you mean `pgd`?");
        check("2", "there is: fgsm, gaussian-noise, pgd");
        check("thunderstorm", "there is: fgsm, gaussian-noise, pgd");
    }
}
