//! Injection: errors of one kind put into a text, one at a time, each written down.
//!
//! A text has *sites* where an error of a kind can be made. They are found in the text as it was,
//! do not overlap, and do not depend on chance; chance orders them and chooses what goes wrong at
//! each. So the text with k errors is the text with k − 1 errors and exactly one more, and a text
//! that has too few sites is known before anything is done.

mod fact;
mod spelling;

use std::collections::BTreeSet;
use std::ops::Range;

use duress_core::seed::Seed;

pub(crate) use fact::{MONTHS, NUMBERS};

/// A kind of error that can be injected by rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injector {
    /// A misspelt word: two letters swapped, one dropped, doubled or mistyped.
    Spelling,
    /// A false fact: another number, year, month or the opposite of a word.
    FactualError,
}

/// One injected error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedError {
    /// The subtype, as judges call it.
    pub subtype: &'static str,
    /// Which bytes of the text before this step were replaced.
    pub span: Range<usize>,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
    /// Who did it.
    pub by: &'static str,
}

/// A text with errors in it, and what was done to it, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    pub text: String,
    /// One step per error.
    pub steps: Vec<InjectedError>,
}

/// A place where an error can be made, and what can be made of it: by kind of mistake, so that each
/// kind is equally likely.
struct Site {
    span: Range<usize>,
    mistakes: Vec<Vec<String>>,
}

impl Injector {
    /// The subtype of the errors it makes.
    pub fn subtype(self) -> &'static str {
        match self {
            Injector::Spelling => "spelling",
            Injector::FactualError => "factual_error",
        }
    }

    /// How many errors it can make in a text; `beside` is what the text must not come to agree with
    /// by accident: its source.
    pub fn capacity(self, text: &str, beside: &str) -> usize {
        self.sites(text, beside).len()
    }

    /// The text with `count` errors, or `None` when it has not so many sites: a step that cannot be
    /// done is no error.
    ///
    /// ```
    /// use duress_core::seed::Seed;
    /// use duress_text::injection::Injector;
    /// let (text, source) = ("It was opened in 1889 and has three levels.", "Opened in 1889, three levels.");
    /// let inject = |count| Injector::FactualError.inject(text, source, count, Seed::new(1));
    /// assert_eq!(inject(0).unwrap().text, text);
    /// assert_eq!(inject(2).unwrap().steps[..1], inject(1).unwrap().steps);
    /// assert_eq!(inject(3), None);
    /// ```
    pub fn inject(self, text: &str, beside: &str, count: usize, seed: Seed) -> Option<Injected> {
        let mut sites = self.sites(text, beside);
        if sites.len() < count {
            return None;
        }
        seed.child("order").draws().shuffle(&mut sites);
        let mut injected = Injected {
            text: text.into(),
            steps: Vec::new(),
        };
        let mut done: Vec<(usize, isize)> = Vec::new();
        for site in sites.iter().take(count) {
            // What was replaced further left has moved this site.
            let moved: isize = done
                .iter()
                .filter(|(at, _)| *at < site.span.start)
                .map(|(_, by)| by)
                .sum();
            let after = site.choose(seed);
            let start = site.span.start.saturating_add_signed(moved);
            let span = start..start + site.span.len();
            done.push((
                site.span.start,
                after.len() as isize - site.span.len() as isize,
            ));
            let before = injected.text[span.clone()].to_string();
            injected.text.replace_range(span.clone(), &after);
            injected.steps.push(InjectedError {
                subtype: self.subtype(),
                span,
                before,
                after,
                by: "rules",
            });
        }
        Some(injected)
    }

    fn sites(self, text: &str, beside: &str) -> Vec<Site> {
        let taken: BTreeSet<String> = [text, beside]
            .iter()
            .flat_map(|text| words(text))
            .map(|(_, w)| w.to_lowercase())
            .collect();
        let mistakes = match self {
            Injector::Spelling => spelling::mistakes,
            Injector::FactualError => fact::mistakes,
        };
        let site = |(at, word): (usize, &str)| {
            let mut mistakes = mistakes(word, &taken);
            mistakes.retain(|kind| !kind.is_empty());
            (!mistakes.is_empty()).then_some(Site {
                span: at..at + word.len(),
                mistakes,
            })
        };
        words(text).filter_map(site).collect()
    }
}

impl Site {
    /// What goes wrong here: it depends on the site alone, never on how many errors there are.
    fn choose(&self, seed: Seed) -> String {
        let mut draws = seed.child(format!("site {}", self.span.start)).draws();
        let kind = &self.mistakes[draws.below(self.mistakes.len())];
        kind[draws.below(kind.len())].clone()
    }
}

/// The words and numbers of a text with their places; `12,500` and `3.5` are one, `it's` is one,
/// `well-known` is two.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(char::is_alphanumeric)?;
        let mut end = start;
        let mut characters = text[start..].char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            let inside = match c {
                ',' | '.' => is_digit(text[..start + at].chars().next_back()) && is_digit(next),
                '\'' | '’' => next.is_some_and(char::is_alphanumeric),
                _ => c.is_alphanumeric(),
            };
            if !inside {
                break;
            }
            end = start + at + c.len_utf8();
        }
        rest = end;
        Some((start, &text[start..end]))
    })
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The bridge, opened in May 1932, is 1,149 metres long and 134.5 metres high; it has eight lanes. The \
        northern end was finished before the southern one.";

    #[test]
    fn words_and_numbers_are_found_where_they_stand() {
        let found: Vec<&str> = words("It's 1,149.5 m, well-known; 3.")
            .map(|(_, word)| word)
            .collect();
        assert_eq!(found, ["It's", "1,149.5", "m", "well", "known", "3"]);
        assert!(words(TEXT).all(|(at, word)| TEXT[at..].starts_with(word)));
        assert_eq!(words("").count() + words(" ,.'").count(), 0);
    }

    #[test]
    fn each_error_is_the_text_before_with_exactly_one_span_replaced() {
        for injector in [Injector::Spelling, Injector::FactualError] {
            for seed in 0..50 {
                let mut before = TEXT.to_string();
                for count in 1..=5 {
                    let injected = injector.inject(TEXT, TEXT, count, Seed::new(seed)).unwrap();
                    let step = injected.steps.last().unwrap();
                    assert_eq!(before[step.span.clone()], step.before);
                    assert_ne!(step.before, step.after);
                    before.replace_range(step.span.clone(), &step.after);
                    assert_eq!(injected.text, before, "{injector:?} {seed} {count}");
                    assert_eq!(injected.steps.len(), count);
                }
            }
        }
    }

    #[test]
    fn a_text_with_too_few_sites_is_refused_for_every_seed() {
        let capacity = Injector::FactualError.capacity("In 1932 it was one.", "");
        assert_eq!(capacity, 1);
        assert!((0..20).all(|seed| {
            Injector::FactualError
                .inject("In 1932 it was one.", "", 2, Seed::new(seed))
                .is_none()
        }));
        assert_eq!(Injector::Spelling.capacity("A B c 12", ""), 0);
    }

    #[test]
    fn a_false_number_is_nowhere_in_the_text_or_the_source() {
        for seed in 0..200 {
            let injected = Injector::FactualError
                .inject(TEXT, "in 1930 and 1934", 5, Seed::new(seed))
                .unwrap();
            for step in injected
                .steps
                .iter()
                .filter(|step| step.after.starts_with(|c: char| c.is_ascii_digit()))
            {
                assert!(!TEXT.contains(&step.after), "{step:?}");
                assert!(!["1930", "1934"].contains(&step.after.as_str()), "{step:?}");
            }
        }
    }
}
