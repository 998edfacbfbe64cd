//! What would decide a statement that is undecided, with the chance it has.

use duress_core::number;
use duress_stats::components::{Components, Scope};
use duress_stats::power::{ExactTest, Reach};
use duress_stats::verdict::Outlook;

use super::power;
use super::sample::Known;
use super::statement::Statement;
use crate::study::ClaimSide;
use duress_findings::AbsenceReason;

/// The chance with which advice should decide a claim.
const CHANCE: f64 = 0.8;

/// How many times as many units as there are advice goes up to.
const MOST_TIMES: usize = 50;

/// From how many times as many units on advice says that there may be nothing to decide.
const MANY_TIMES: usize = 10;

/// What would decide it, with the chance it has: the truth is not taken to be the estimate.
pub(super) fn would_decide(
    statement: &Statement<'_>,
    is_judged: bool,
    why_not: Option<&AbsenceReason>,
    n: usize,
) -> String {
    let units = match statement.decl.by_items {
        true => "items",
        false => "seeds",
    };
    if let Some(why @ AbsenceReason::TooFewResamples { needed, .. }) = why_not {
        return format!("`resamples = {needed}`: {why}");
    }
    let why = match statement.known() {
        Ok(known) if is_judged => return in_numbers(statement, &known, units, n),
        Ok(_) => why_not.map(ToString::to_string).unwrap_or_default(),
        Err(why) => why.to_string(),
    };
    match n {
        0 => match statement.pairs() {
            Err(why) => format!("nothing as it stands: {why}"),
            Ok(_) => "answers: the cells this claim is about have none".into(),
        },
        1 => format!("at least three {units}: one has no spread"),
        2 => format!("at least three {units}: two decide nothing about others"),
        _ => format!("more {units}, or answers where there are none ({why})"),
    }
}

fn in_numbers(statement: &Statement<'_>, known: &Known, units: &str, n: usize) -> String {
    let setting = statement.setting_of_next_look();
    let then = format!(
        "; judged at {} then, as a further look",
        number::level(setting.alpha)
    );
    if let Some(reach) = power::exact_reach(&setting, statement.decl, n) {
        return at_the_least(&reach, units) + &then;
    }
    if let Some(said) = where_nothing_varies(statement, known, setting.threshold().ok(), units, n) {
        return said + &then;
    }
    // A share of one seed has Wilson's interval; what its items add is known all the same.
    let one_seed = known.components.filter(|found| found.replicates == 1);
    let of_items = |found: Components| (found.error(Scope::Items), found.freedom(Scope::Items));
    let error = known.evidence.error().or(one_seed.map(of_items));
    let Some((error, freedom)) = error else {
        return format!("more {units}; how many cannot be said of this interval");
    };
    let estimate = known.evidence.estimate();
    let border = match statement.decl.side {
        ClaimSide::Equivalent => statement.decl.margin.copysign(estimate),
        _ => statement.line(),
    };
    let outlook = Outlook {
        distance: estimate - border,
        error,
        alpha: setting.threshold().unwrap_or(setting.alpha),
    };
    // What seeds and items add is told apart only where there are more seeds to come.
    let by_both = known.components.filter(|_| !statement.decl.by_items);
    let with_more = |units: usize| match &by_both {
        Some(found) => found.error_with(found.units, units),
        None => {
            let shrunk = (n as f64 / units as f64).sqrt();
            (error * shrunk, (units as f64 - 1.0).max(freedom))
        }
    };
    let percent = number::tidy(100.0 * CHANCE);
    let most = MOST_TIMES * n.max(2);
    let needed = outlook.needed(n.max(2), most, CHANCE, with_more);
    let mut said = match &needed {
        Ok(needed) => format!("about {needed} {units} ({n} now), with a chance of {percent} %"),
        Err(_) => format!("no number of {units} up to {most}, with a chance of {percent} %"),
    };
    if let Some(found) = by_both {
        let what = if known.clustered { "clusters" } else { "items" };
        said += &in_items(&outlook, &found, what);
    }
    said += &then;
    let long_way = needed.is_ok_and(|seeds| seeds >= MANY_TIMES * n);
    if outlook.distance.abs() < error || long_way {
        said += "; the estimate lies so close to the margin that the truth may be on it, and then nothing decides";
    }
    said
}

/// How many units that do not differ from each other would decide it.
fn where_nothing_varies(
    statement: &Statement<'_>,
    known: &Known,
    threshold: Option<f64>,
    units: &str,
    n: usize,
) -> Option<String> {
    let border = match statement.decl.side {
        ClaimSide::Equivalent => statement.decl.margin,
        _ => statement.line(),
    };
    let alpha = threshold.unwrap_or(statement.claim.alpha);
    let needed = known.evidence.unvaried_units(border, alpha)?;
    Some(format!(
        "about {needed} {units} ({n} now), if none of them varies either"
    ))
}

/// What an exact test needs at the least; its p-values come in steps, so that no error of the
/// estimate tells how many would do.
fn at_the_least(reach: &Reach, units: &str) -> String {
    let differ = match reach.test {
        ExactTest::McNemar => " on which the two differ",
        _ => "",
    };
    match reach.enough {
        Some(enough) => format!(
            "more {units}: at the very least {enough}{differ}, all on one side; how many would do cannot be said of this test"
        ),
        None => format!("no number of {units} that could be asked for"),
    }
}

/// The same in items, or in clusters of items.
fn in_items(outlook: &Outlook, found: &Components, what: &str) -> String {
    let by_items = |items: usize| found.error_with(items, found.replicates);
    let most = MOST_TIMES * found.units;
    match outlook.needed(found.units, most, CHANCE, by_items) {
        Ok(items) => format!("; or about {items} {what} ({} now)", found.units),
        Err(_) => format!("; or no number of {what} up to {most}"),
    }
}
