//! Pairs what two runs have: places by name, seeds by number, items by id.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use duress_core::gauge::{Direction, Meter, Undefined, Unit};

use crate::analysis::derived::{Masked, Subset, difference};
use crate::analysis::paired::{Opened, Run, Sampling, Series};
use crate::ledger::{Ledger, Unreadable};
use crate::plan::Plan;
use duress_findings::{Change, Comparison, Moved};
use duress_findings::{Quantity, Reading};

/// Compares two runs: every gauge at every place both have, on the seeds and items both have.
pub fn compare(
    before: (&Plan, &Ledger),
    after: (&Plan, &Ledger),
) -> Result<Comparison, Unreadable> {
    let (first, second) = (Run::read(before.0, before.1)?, Run::read(after.0, after.1)?);
    let study = &after.0.study;
    let sampling = Sampling::of(study);
    let (old, new) = (first.opened(), second.opened());
    let mut changes = Vec::new();
    for later in &new {
        if let Some(earlier) = old.iter().find(|one| one.name() == later.name()) {
            changes.push(change(
                &first,
                &second,
                earlier,
                later,
                &sampling,
                study.analysis.level,
            ));
        }
    }
    let missing = |from: &[Opened<'_>], other: &[Opened<'_>], run: &str| -> Vec<String> {
        let alone = from
            .iter()
            .filter(|one| other.iter().all(|two| two.name() != one.name()));
        alone
            .map(|one| {
                format!(
                    "only in the {run} run: {} of {}",
                    one.gauge(),
                    one.place().in_words(true)
                )
            })
            .collect()
    };
    let mut unmatched = missing(&old, &new, "first");
    unmatched.extend(missing(&new, &old, "second"));
    Ok(Comparison {
        before: before.0.study.hash.clone(),
        after: study.hash.clone(),
        level: study.analysis.level,
        caveats: caveats(before.0, after.0, changes.len(), study.analysis.level),
        changes,
        unmatched,
    })
}

fn caveats(before: &Plan, after: &Plan, comparisons: usize, level: f64) -> Vec<String> {
    let mut said = Vec::new();
    if comparisons > 1 {
        let chance = comparisons as f64 * (1.0 - level);
        said.push(format!(
            "{comparisons} comparisons at {} %: about {chance:.1} would stand apart from zero by chance alone.",
            level * 100.0
        ));
    }
    let shared = after
        .study
        .seeds
        .iter()
        .filter(|seed| before.study.seeds.as_slice().contains(seed))
        .count();
    if shared < after.study.seeds.len().max(before.study.seeds.len()) {
        said.push(format!(
            "Only {shared} seeds are in both runs; the others are left out."
        ));
    }
    said
}

fn change(
    first: &Run<'_>,
    second: &Run<'_>,
    earlier: &Opened<'_>,
    later: &Opened<'_>,
    sampling: &Sampling,
    level: f64,
) -> Change {
    let pairs = paired(first, second, earlier, later);
    let read =
        |side: fn(&Pair) -> &Arc<dyn Meter>| mean(pairs.iter().map(|pair| pair.as_ref().map(side)));
    let (mut before, mut after) = (read(|pair| &pair.before), read(|pair| &pair.after));
    if after.value().is_none() {
        // Where nothing can be paired, what was lost or won should be seen beside what there is.
        (before, after) = (alone(first, earlier), alone(second, later));
    }
    let meters = pairs.iter().map(|pair| match pair {
        Ok(pair) => Ok(difference(&pair.after, &pair.before)),
        Err(why) => Err(Undefined::new(why.clone())),
    });
    let series = Series {
        meters: meters.collect(),
        unit: later.unit(),
        crossed: later.crossed(),
    };
    let difference = sampling.sample(&series).quantity(level);
    Change {
        place: later.place().clone(),
        gauge: later.gauge().to_string(),
        verdict: moved(&difference, &before, &after, later.direction()),
        before,
        after,
        difference,
    }
}

/// What a run has by itself.
fn alone(run: &Run<'_>, opened: &Opened<'_>) -> Reading {
    let meters: Vec<_> = run
        .seeds()
        .positions()
        .map(|seed| opened.meter(seed))
        .collect();
    mean(meters.iter().map(Result::as_ref))
}

fn moved(difference: &Quantity, before: &Reading, after: &Reading, direction: Direction) -> Moved {
    // Sums in another order may differ in their last digit.
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12;
    let (moved, both) = (difference.value.value(), before.value().zip(after.value()));
    if moved.is_some_and(|moved| close(moved, 0.0))
        && both.is_some_and(|(before, after)| close(before, after))
    {
        return Moved::Same;
    }
    match (&difference.interval, direction) {
        (Ok(range), Direction::Higher) if range.low > 0.0 => Moved::Better,
        (Ok(range), Direction::Higher) if range.high < 0.0 => Moved::Worse,
        (Ok(range), Direction::Lower) if range.high < 0.0 => Moved::Better,
        (Ok(range), Direction::Lower) if range.low > 0.0 => Moved::Worse,
        (Ok(range), Direction::Neither) if range.low > 0.0 || range.high < 0.0 => Moved::Changed,
        (Ok(_), _) => Moved::Unclear,
        (Err(_), _) => Moved::Undefined,
    }
}

/// One seed's meters on the items both runs have, in the same order.
struct Pair {
    before: Arc<dyn Meter>,
    after: Arc<dyn Meter>,
}

fn paired(
    first: &Run<'_>,
    second: &Run<'_>,
    earlier: &Opened<'_>,
    later: &Opened<'_>,
) -> Vec<Result<Pair, String>> {
    let seeds = second.seeds().at_each();
    let shared =
        seeds.filter_map(|(at, seed)| Some((first.seeds().position(|one| one == seed)?, at)));
    shared
        .map(|(old, new)| {
            let (before, after) = (earlier.meter(old)?, later.meter(new)?);
            if later.unit() == Unit::Replicates {
                return Ok(Pair { before, after });
            }
            let (left, right) = (first.ids(earlier, old)?, second.ids(later, new)?);
            // What only one of the runs answered says nothing about what changed between them.
            let (lost, won) = (
                first.unanswered(earlier, old)?,
                second.unanswered(later, new)?,
            );
            let out: HashSet<&str> = lost.into_iter().chain(won).collect();
            same_items(
                without(before, left, &out),
                without(after, right, &out),
                left,
                right,
            )
        })
        .collect()
}

/// The meter without these items, if it has any.
fn without(meter: Arc<dyn Meter>, ids: &[String], out: &HashSet<&str>) -> Arc<dyn Meter> {
    let out: BTreeSet<usize> = ids
        .iter()
        .enumerate()
        .filter(|(_, id)| out.contains(id.as_str()))
        .map(|(i, _)| i)
        .collect();
    if out.is_empty() {
        meter
    } else {
        Masked::of(&meter, &out)
    }
}

fn same_items(
    before: Arc<dyn Meter>,
    after: Arc<dyn Meter>,
    left: &[String],
    right: &[String],
) -> Result<Pair, String> {
    if left == right {
        return Ok(Pair { before, after });
    }
    let at: HashMap<&str, usize> = left
        .iter()
        .enumerate()
        .map(|(i, id)| (id.as_str(), i))
        .collect();
    let both = right
        .iter()
        .enumerate()
        .filter_map(|(new, id)| Some((*at.get(id.as_str())?, new)));
    let (old, new): (Vec<usize>, Vec<usize>) = both.unzip();
    if old.is_empty() {
        return Err("the two runs have no item in common".into());
    }
    Ok(Pair {
        before: Subset::of(&before, old),
        after: Subset::of(&after, new),
    })
}

fn mean<'a>(meters: impl Iterator<Item = Result<&'a Arc<dyn Meter>, &'a String>>) -> Reading {
    let mut values = Vec::new();
    let mut why = "the two runs have no seed in common".to_string();
    for meter in meters {
        match meter
            .map_err(String::clone)
            .and_then(|meter| meter.plain().map_err(|it| it.why))
        {
            Ok(value) => values.push(value),
            Err(reason) => why = reason,
        }
    }
    match values.len() {
        0 => Reading::Undefined(why),
        n => Reading::Value(values.iter().sum::<f64>() / n as f64),
    }
}
