//! Labels as codes, and what most people say.

use std::collections::BTreeSet;

use duress_core::problem::Problem;
use duress_tables::raters::{RaterKind, RaterTable};

/// Labels that pass, in tables that do not say which does.
const PASSES: [&str; 10] = [
    "pass", "passed", "yes", "true", "1", "correct", "good", "accept", "accepted", "ok",
];

/// More different labels are no categories.
const MOST_CATEGORIES: usize = 101;

/// What kind of labels there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelScale {
    /// Two, of which the second passes.
    Binary,
    /// Numbers: the order of categories means something.
    Ordered,
    /// Names.
    Named,
}

/// The labels of a table as positions in the list of categories.
pub(super) struct Coded {
    pub(super) scale: LabelScale,
    pub(super) categories: Vec<String>,
    /// By rater and item.
    pub(super) codes: Vec<Vec<Option<usize>>>,
}

impl Coded {
    pub(super) fn of_table(table: &RaterTable, positive: Option<&str>) -> Result<Coded, Problem> {
        let all = table.labels.iter().flatten().flatten();
        let distinct: BTreeSet<&String> = all.collect();
        let mut categories: Vec<String> =
            distinct.into_iter().map(|label| spelled(label)).collect();
        let numbers: Option<Vec<f64>> = categories.iter().map(|label| label.parse().ok()).collect();
        if let Some(numbers) = &numbers {
            let mut both: Vec<(f64, String)> = numbers.iter().copied().zip(categories).collect();
            both.sort_by(|one, other| one.0.total_cmp(&other.0));
            both.dedup_by(|one, other| one.0 == other.0);
            categories = both.into_iter().map(|(_, label)| label).collect();
        } else {
            categories.sort();
            categories.dedup();
        }
        if categories.len() > MOST_CATEGORIES {
            return Err(
                Problem::new(format!("{} different labels", categories.len()))
                    .expected(format!("at most {MOST_CATEGORIES}"))
                    .hint("scores with many digits can be rounded first"),
            );
        }
        let scale = match (categories.len(), &numbers) {
            (2, _) => LabelScale::Binary,
            (_, Some(_)) => LabelScale::Ordered,
            _ => LabelScale::Named,
        };
        if scale == LabelScale::Binary {
            put_last(&mut categories, positive)?;
        } else if let Some(positive) = positive {
            return Err(Problem::new(format!(
                "`{positive}` passes, but there are {} labels",
                categories.len()
            ))
            .expected("two"));
        }
        let code = |label: &Option<String>| position(&categories, label.as_deref()?);
        let codes = table.labels.iter();
        let codes = codes
            .map(|labels| labels.iter().map(code).collect())
            .collect();
        Ok(Coded {
            scale,
            categories,
            codes,
        })
    }

    /// What the labels are, in words.
    pub(super) fn in_words(&self) -> String {
        let list = self.categories.join(", ");
        match self.scale {
            LabelScale::Binary => format!("labels: {list}; `{}` passes", self.categories[1]),
            LabelScale::Ordered => format!("labels: {list}, in this order"),
            LabelScale::Named => format!("labels: {list}"),
        }
    }

    /// What a category counts as a number.
    pub(super) fn value(&self, code: usize) -> f64 {
        match self.scale {
            LabelScale::Ordered => self.categories[code].parse().unwrap_or(code as f64),
            LabelScale::Binary | LabelScale::Named => code as f64,
        }
    }
}

/// Labels that differ in case only are one.
fn spelled(label: &str) -> String {
    label.to_lowercase()
}

fn position(categories: &[String], label: &str) -> Option<usize> {
    let label = spelled(label);
    let same = |known: &String| match (known.parse::<f64>(), label.parse::<f64>()) {
        (Ok(known), Ok(label)) => known == label,
        _ => *known == label,
    };
    categories.iter().position(same)
}

/// The label that passes stands second.
fn put_last(categories: &mut [String], positive: Option<&str>) -> Result<(), Problem> {
    let passes = |label: &String| match positive {
        Some(positive) => *label == spelled(positive),
        None => PASSES.contains(&label.as_str()),
    };
    let at = categories.iter().position(passes);
    match at {
        Some(0) => categories.swap(0, 1),
        Some(_) => {}
        None if positive.is_some() => {
            return Err(
                Problem::new(format!("no label is `{}`", positive.unwrap_or_default()))
                    .expected(format!("one of {}", categories.join(", "))),
            );
        }
        // Of two numbers the larger passes; of two names nobody can tell.
        None if categories.iter().all(|label| label.parse::<f64>().is_ok()) => {}
        None => {
            return Err(
                Problem::new(format!("which of {} passes?", categories.join(" and ")))
                    .hint("`--positive LABEL` says it"),
            );
        }
    }
    Ok(())
}

/// What people say.
pub(super) struct PeopleSay {
    pub(super) codes: Vec<Option<usize>>,
    /// On how many items as many say one thing as another.
    pub(super) divided: usize,
}

/// What most people say of each item.
pub(super) fn consensus(table: &RaterTable, coded: &Coded) -> PeopleSay {
    let raters = table.raters.iter().zip(&coded.codes);
    let people = raters.filter(|(rater, _)| rater.kind == RaterKind::Human);
    let people: Vec<&Vec<Option<usize>>> = people.map(|(_, codes)| codes).collect();
    let mut divided = 0;
    let mut most = |item: usize| {
        let mut votes = vec![0; coded.categories.len()];
        for code in people.iter().filter_map(|codes| codes[item]) {
            votes[code] += 1;
        }
        let largest = votes.iter().copied().max().filter(|votes| *votes > 0)?;
        let mut first = votes
            .iter()
            .enumerate()
            .filter(|(_, votes)| **votes == largest);
        let winner = first.next().map(|(code, _)| code);
        match first.next() {
            None => winner,
            Some(_) => {
                divided += 1;
                None
            }
        }
    };
    let codes = (0..table.items.len()).map(&mut most).collect();
    PeopleSay { codes, divided }
}
