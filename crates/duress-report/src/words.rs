//! Places, quantities and verdicts in words.

use duress_core::gauge::Direction;
use duress_core::number::{self, NumberFormat};

use duress_findings::{
    ClaimFinding, ClaimFloor, ClaimSide, FailedCell, GaugeCard, JudgingMethod, Quantity, Range,
    Reading, Shape, StudyCard, Verdict,
};

/// What the mark of a doubted number means.
pub(crate) const DOUBTED: &str = "† The attack doubts its own numbers here: what it left standing may not be robust (see the caveats).";

/// Words with the mark of a doubted number, where there is reason for it.
pub(crate) fn marked(words: &str, doubted: bool) -> String {
    match doubted {
        true => format!("{words} †"),
        false => words.into(),
    }
}

/// The heading: the study's title, or its name where it has none.
pub(crate) fn title(study: &StudyCard) -> &str {
    if study.title.is_empty() {
        &study.name
    } else {
        &study.title
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
        (values
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum::<f64>()
            / (n - 1.0))
            .sqrt()
    });
    (mean, sd)
}

/// A p-value behind the letter p: `= 0.012` or `< 0.001`.
pub(crate) fn p(p: f64) -> String {
    let text = number::p_value(p);
    if text.starts_with('<') {
        text
    } else {
        format!("= {text}")
    }
}

/// The p-value that a verdict comes from, and of an undecided claim both: what it is of, and that
/// it is adjusted where it is. Where it is the one of the test beside it, it is not said twice.
pub(crate) fn p_of_verdict(claim: &ClaimFinding) -> String {
    let Some(nulls) = &claim.nulls else {
        return String::new();
    };
    let line = match claim.margins().as_slice() {
        [low, high] => format!("{} to {}", number::tidy(*low), number::tidy(*high)),
        lines => lines
            .first()
            .map_or_else(String::new, |line| number::tidy(*line)),
    };
    let (beyond, short) = match claim.side {
        ClaimSide::Greater => ("above", "below"),
        ClaimSide::Less => ("below", "above"),
        ClaimSide::Equivalent => ("within", "outside"),
    };
    let adjusted = nulls.adjusted_not_beyond != nulls.not_beyond
        || nulls.adjusted_not_short != nulls.not_short;
    let adjusted = if adjusted { ", adjusted" } else { "" };
    let up = || {
        format!(
            "p {} that it is {beyond} {line}",
            p(nulls.adjusted_not_beyond)
        )
    };
    let down = || format!("p {} that it is {short}", p(nulls.adjusted_not_short));
    match claim.verdict {
        Verdict::Upheld => format!(", {}{adjusted}", up()),
        Verdict::Refuted => format!(", {} {line}{adjusted}", down()),
        Verdict::Undecided => format!(", {} and {}{adjusted}", up(), down()),
    }
}

/// Why a claim is undecided though the interval beside it lies beyond the margin: the p-value is
/// adjusted, this look has a smaller level, or the claim has a test of its own.
pub(crate) fn interval_beyond(claim: &ClaimFinding) -> Option<String> {
    let nulls = claim.nulls.as_ref()?;
    let range = claim.judged_by.as_ref().ok()?;
    let smaller = nulls.adjusted_not_beyond.min(nulls.adjusted_not_short);
    let decides = claim.verdict == Verdict::Undecided && claim.interval_decides();
    if !decides || smaller <= nulls.alpha {
        return None;
    }
    let but = match nulls.not_beyond.min(nulls.not_short) {
        plain if plain < smaller => "it is not adjusted; the p-value is",
        _ if 1.0 - 2.0 * nulls.alpha > range.level + 1e-9 => {
            "it is not adjusted over looks; the level is"
        }
        _ => "the claim's own test decides",
    };
    Some(format!(
        "the interval lies beyond the margin, but {but}, and {} is above {}",
        number::p_value(smaller),
        number::level(nulls.alpha)
    ))
}

/// What a verdict holds for, where that is less than new items and new seeds.
pub(crate) fn narrower(claim: &ClaimFinding) -> String {
    let how = claim.judged_how.as_ref();
    let only = how.and_then(JudgingMethod::narrower);
    only.map_or_else(String::new, |only| format!(", {only}"))
}

/// Why a claim is refused, whatever its verdict would be.
pub(crate) fn refused(floor: &ClaimFloor, verdict: Verdict) -> String {
    format!(
        "its margin of {} is below the noise floor of {}, which two runs differ by when nothing changes; without that it would be {verdict}",
        number::tidy(floor.margin),
        reading(&floor.noise.floor)
    )
}

/// What a claim judged, with the interval beside its verdict: a difference with signs, a value as
/// it is.
pub(crate) fn judged(claim: &ClaimFinding) -> String {
    judged_in(claim, judged_digits(std::iter::once(claim)))
}

/// The same in digits that it shares with others.
pub(crate) fn judged_in(claim: &ClaimFinding, digits: NumberFormat) -> String {
    let write = if claim.is_difference() {
        NumberFormat::signed
    } else {
        NumberFormat::write
    };
    let judged = Quantity::new(claim.quantity.value.clone(), claim.judged_by.clone());
    match judged.value {
        Reading::Value(_) => with_interval(&judged, digits, write),
        Reading::Undefined(_) => "undefined".into(),
    }
}

/// How the interval that a claim is judged by was made.
pub(crate) fn judged_how(claim: &ClaimFinding) -> String {
    let how = claim.judged_how.as_ref();
    how.map_or_else(String::new, ToString::to_string)
}

/// The digits that these claims are read in beside each other.
pub(crate) fn judged_digits<'a>(claims: impl Iterator<Item = &'a ClaimFinding>) -> NumberFormat {
    let shown = claims.flat_map(|claim| {
        let range = claim.judged_by.as_ref().ok();
        [
            claim.quantity.value.value(),
            range.map(|range| range.low),
            range.map(|range| range.high),
        ]
    });
    NumberFormat::alike(&shown.flatten().collect::<Vec<f64>>())
}

/// Words as a sentence: a large letter first, a full stop at the end.
pub(crate) fn sentence(words: &str) -> String {
    stopped(&capital(words))
}

/// The words with a large letter first.
pub(crate) fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The words with a full stop at the end; what they begin with may be a name, which keeps its
/// letters.
pub(crate) fn stopped(words: &str) -> String {
    let end = if words.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{words}{end}")
}

/// A number with its interval, in the same digits.
pub(crate) fn quantity(quantity: &Quantity) -> String {
    with_interval(quantity, digits(&[quantity]), NumberFormat::write)
}

/// A difference with its interval, both with their signs.
pub(crate) fn signed(quantity: &Quantity) -> String {
    signed_in(quantity, digits(&[quantity]))
}

/// The same in digits that it shares with others.
pub(crate) fn signed_in(quantity: &Quantity, digits: NumberFormat) -> String {
    with_interval(quantity, digits, NumberFormat::signed)
}

/// The digits that these numbers and their intervals are read in beside each other.
pub(crate) fn digits(quantities: &[&Quantity]) -> NumberFormat {
    let shown = quantities
        .iter()
        .filter_map(|quantity| Some((quantity.value.value()?, &quantity.interval)));
    let shown = shown.flat_map(|(value, interval)| {
        let range = interval.as_ref().ok();
        [
            Some(value),
            range.map(|range| range.low),
            range.map(|range| range.high),
        ]
    });
    NumberFormat::alike(&shown.flatten().collect::<Vec<f64>>())
}

fn with_interval(
    quantity: &Quantity,
    digits: NumberFormat,
    show: fn(NumberFormat, f64) -> String,
) -> String {
    match (&quantity.value, &quantity.interval) {
        (Reading::Value(value), Ok(Range { low, high, .. })) => {
            format!(
                "{} [{}, {}]",
                show(digits, *value),
                show(digits, *low),
                show(digits, *high)
            )
        }
        (Reading::Value(value), Err(_)) => show(digits, *value),
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
    format!("{n}; {}", certainty(quantity, &quantity.unit.to_string()))
}

/// How an interval over these units was made, or why there is none.
pub(crate) fn certainty(quantity: &Quantity, unit: &str) -> String {
    match &quantity.interval {
        Ok(range) => {
            let level = number::tidy(range.level * 100.0);
            format!("{level}\u{a0}% interval over {unit}: {}", quantity.method)
        }
        Err(why) => format!("no interval: {why}"),
    }
}

/// How many of something.
pub fn counted(n: usize, what: &str) -> String {
    format!(
        "{} {what}{}",
        number::count(n as u64),
        if n == 1 { "" } else { "s" }
    )
}

/// What a gauge's axis says: its name and which way is better.
pub(crate) fn axis(gauge: &GaugeCard) -> String {
    format!("{} {}", gauge.name, direction(gauge))
        .trim_end()
        .into()
}

/// Which way is better.
pub(crate) fn direction(gauge: &GaugeCard) -> &'static str {
    match gauge.scale.direction {
        Direction::Higher => "↑ higher is better",
        Direction::Lower => "↓ lower is better",
        Direction::Neither => "",
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

/// Where a cell failed, with the way in which it was pressed where that has a name.
pub(crate) fn failed_at(failed: &FailedCell, several_datasets: bool) -> String {
    let place = failed.place.in_words(several_datasets);
    match &failed.variant {
        Some(variant) => format!("{place}, {variant}"),
        None => place,
    }
}

/// How much steeper than the rest together a cliff is where a study does not say.
const USUAL_CLIFF_FACTOR: f64 = 4.0;

/// How a curve falls; a cliff is a step that many times as steep as the rest together, which is said
/// where the study chose it.
pub(crate) fn shape(shape: &Shape, cliff_factor: f64) -> String {
    let factor = match cliff_factor == USUAL_CLIFF_FACTOR {
        true => String::new(),
        false => format!(" ({} times the rest)", number::tidy(cliff_factor)),
    };
    let percent = |share: f64| format!("{}\u{a0}%", number::fixed(share * 100.0, 0));
    match shape {
        Shape::Cliff {
            from,
            to,
            share,
            interval,
        } => {
            let interval = match interval {
                Ok(range) => format!(" [{}, {}]", percent(range.low), percent(range.high)),
                Err(_) => String::new(),
            };
            format!("cliff {from} → {to}{factor}, {}{interval}", percent(*share))
        }
        Shape::Graceful { largest_share } => {
            format!("graceful{factor}, largest step {}", percent(*largest_share))
        }
        Shape::NoDrop => "no drop".into(),
        Shape::DropNotShown { unit, .. } => format!("not shown ({unit})"),
        Shape::NotShown => "falls; neither cliff nor graceful is shown".into(),
        Shape::Undefined(why) => why.as_undefined(),
        // The contract may get other shapes; a page that cannot draw one says so.
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_factor_of_a_cliff_is_said() {
        let fall = Shape::Graceful { largest_share: 0.3 };
        assert_eq!(shape(&fall, 4.0), "graceful, largest step 30\u{a0}%");
        assert_eq!(
            shape(&fall, 6.0),
            "graceful (6 times the rest), largest step 30\u{a0}%"
        );
    }

    #[test]
    fn one_seed_has_a_mean_and_no_deviation() {
        assert_eq!(mean_and_sd(&[]), (None, None));
        assert_eq!(mean_and_sd(&[0.5]), (Some(0.5), None));
        assert_eq!(mean_and_sd(&[1.0, 3.0]), (Some(2.0), Some(2.0_f64.sqrt())));
    }
}
