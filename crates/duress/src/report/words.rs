//! Places, quantities and verdicts in words.

use duress_core::gauge::Direction;
use duress_figure::number::{self, Digits};

use crate::analysis::findings::{
    ClaimFinding, GaugeCard, Place, Quantity, Range, Reading, Shape, StudyCard, Under, Verdict,
};

/// The heading: the study's title, or its name where it has none.
pub(crate) fn title(study: &StudyCard) -> &str {
    if study.title.is_empty() { &study.name } else { &study.title }
}

/// Under which stress.
pub(crate) fn under(under: &Under) -> String {
    match under {
        Under::Clean => "clean".into(),
        Under::Rung { ladder, severity } => format!("{ladder} {severity}"),
        Under::Condition(name) => name.to_string(),
        Under::Ladder(name) => format!("all of {name}"),
        Under::Everything => "everything".into(),
    }
}

/// Where; the dataset only where there are several.
pub(crate) fn place(place: &Place, several_datasets: bool) -> String {
    let under = under(&place.under);
    if several_datasets {
        format!("{}, {under}, on {}", place.subject, place.dataset)
    } else {
        format!("{}, {under}", place.subject)
    }
}

/// Two places as `of − against`, with what they share said once.
pub(crate) fn difference(of: &Place, against: &Place, several_datasets: bool) -> String {
    let on = if several_datasets { format!(", on {}", of.dataset) } else { String::new() };
    if of.under == against.under && of.dataset == against.dataset {
        format!("{} − {}, {}{on}", of.subject, against.subject, under(&of.under))
    } else if of.subject == against.subject && of.dataset == against.dataset {
        format!("{}: {} − {}{on}", of.subject, under(&of.under), under(&against.under))
    } else {
        format!("{} − {}", place(of, several_datasets), place(against, several_datasets))
    }
}

/// The number, or that there is none.
pub(crate) fn reading(reading: &Reading) -> String {
    match reading {
        Reading::Value(value) => number::short(*value),
        Reading::Undefined(why) => format!("undefined: {why}"),
    }
}

/// Mean and standard deviation over seeds; the latter needs two.
pub(crate) fn mean_and_sd(values: &[f64]) -> (Option<f64>, Option<f64>) {
    let n = values.len() as f64;
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / n);
    let sd = mean.filter(|_| values.len() > 1).map(|mean| {
        (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0)).sqrt()
    });
    (mean, sd)
}

/// A p-value behind the letter p: `= 0.012` or `< 0.001`.
pub(crate) fn p(p: f64) -> String {
    let text = number::p_value(p);
    if text.starts_with('<') { text } else { format!("= {text}") }
}

/// What a claim judged: a difference with its sign, a value as it is.
pub(crate) fn judged(claim: &ClaimFinding, value: f64) -> String {
    if claim.is_difference() { number::signed(value) } else { number::short(value) }
}

/// Words as a sentence: a large letter first, a full stop at the end.
pub(crate) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase);
    let end = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    first.into_iter().flatten().chain(letters).collect::<String>() + end
}

/// An interval in brackets.
pub(crate) fn range(range: &Range) -> String {
    let digits = Digits::alike(&[range.low, range.high]);
    format!("[{}, {}]", digits.write(range.low), digits.write(range.high))
}

/// A number with its interval, in the same digits.
pub(crate) fn quantity(quantity: &Quantity) -> String {
    with_interval(quantity, Digits::write)
}

/// A difference with its interval, both with their signs.
pub(crate) fn signed(quantity: &Quantity) -> String {
    with_interval(quantity, Digits::signed)
}

fn with_interval(quantity: &Quantity, show: fn(Digits, f64) -> String) -> String {
    match (&quantity.value, &quantity.interval) {
        (Reading::Value(value), Ok(Range { low, high, .. })) => {
            let digits = Digits::alike(&[*value, *low, *high]);
            format!("{} [{}, {}]", show(digits, *value), show(digits, *low), show(digits, *high))
        }
        (Reading::Value(value), Err(_)) => show(Digits::alike(&[*value]), *value),
        (value, _) => reading(value),
    }
}

/// What a number rests on: n, unit, level and method.
pub(crate) fn basis(quantity: &Quantity) -> String {
    let seeds = counted(quantity.replicates, "seed");
    // A graph is learned from the whole dataset: nothing is answered item by item.
    let n = match quantity.items {
        0 => format!("n = {seeds}"),
        items => format!("n = {}, {seeds}", counted(items, "item")),
    };
    match &quantity.interval {
        Ok(range) => {
            let level = number::tidy(range.level * 100.0);
            format!("{n}; {level}\u{a0}% interval over {}: {}", quantity.unit, quantity.method)
        }
        Err(why) => format!("{n}; no interval: {why}"),
    }
}

/// How many of something.
pub fn counted(n: usize, what: &str) -> String {
    format!("{} {what}{}", number::count(n as u64), if n == 1 { "" } else { "s" })
}

/// What a gauge's axis says: its name and which way is better.
pub(crate) fn axis(gauge: &GaugeCard) -> String {
    match gauge.scale.direction {
        Direction::Higher => format!("{} ↑ higher is better", gauge.name),
        Direction::Lower => format!("{} ↓ lower is better", gauge.name),
        Direction::Neither => gauge.name.clone(),
    }
}

/// Which way is better, as one sign.
pub(crate) fn arrow(direction: Direction) -> char {
    match direction {
        Direction::Higher => '↑',
        Direction::Lower => '↓',
        Direction::Neither => ' ',
    }
}

/// How a curve falls.
pub(crate) fn shape(shape: &Shape) -> String {
    let percent = |share: f64| format!("{}\u{a0}%", number::fixed(share * 100.0, 0));
    match shape {
        Shape::Cliff { from, to, share, interval } => {
            let interval = match interval {
                Ok(range) => format!(" [{}, {}]", percent(range.low), percent(range.high)),
                Err(_) => String::new(),
            };
            format!("cliff {from} → {to}, {}{interval}", percent(*share))
        }
        Shape::Graceful { largest_share } => format!("graceful, largest step {}", percent(*largest_share)),
        Shape::NoDrop => "no drop".into(),
        Shape::Undefined(why) => format!("undefined: {}", why.trim_start_matches("undefined: ")),
    }
}

/// What became of a claim.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Upheld => "upheld",
        Verdict::Refuted => "refuted",
        Verdict::Undecided => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_has_a_mean_and_no_deviation() {
        assert_eq!(mean_and_sd(&[]), (None, None));
        assert_eq!(mean_and_sd(&[0.5]), (Some(0.5), None));
        assert_eq!(mean_and_sd(&[1.0, 3.0]), (Some(2.0), Some(2.0_f64.sqrt())));
    }
}
