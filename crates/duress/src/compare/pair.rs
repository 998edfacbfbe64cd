//! Pairs what two runs have: places by name, seeds by number, items by id.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use duress_core::gauge::{Direction, Meter, Unit};
use duress_stats::correct::holm;

use super::drift::{drifts, judged_set};
use crate::analysis::derived::Derived;
use crate::analysis::paired::{Clusters, Opened, Run, Sampling, Series, TwoSides};
use crate::axis::{Position, ReplicateAt};
use crate::ledger::{Ledger, Unreadable};
use crate::plan::Plan;
use duress_findings::{
    AbsenceReason, Change, Comparison, ComparisonDoubt, Id, Moved, Quantity, Reading, Unmatched,
    WhichRun,
};

/// Compares two runs: every gauge at every place both have, on the seeds and items both have.
pub fn compare(
    before: (&Plan, &Ledger),
    after: (&Plan, &Ledger),
) -> Result<Comparison, Unreadable> {
    let first = Run::read(before.0, before.1)?;
    let second = Run::read(after.0, after.1)?;
    let study = &after.0.study;
    let sampling = Sampling::of(study);
    let old = first.opened();
    let new = second.opened();
    let mut found = Vec::new();
    let mut judged = Vec::new();
    for later in &new {
        if let Some(earlier) = old.iter().find(|one| one.name() == later.name()) {
            let level = study.analysis.level;
            let sides = change(&first, &second, earlier, later, &sampling, level);
            found.push((later.direction(), sides));
            judged.push(judged_set(earlier, later));
        }
    }
    let changes = decide(found, 1.0 - study.analysis.level);
    let missing = |from: &[Opened<'_>], other: &[Opened<'_>], run: WhichRun| -> Vec<Unmatched> {
        let alone = from
            .iter()
            .filter(|one| other.iter().all(|two| two.name() != one.name()));
        alone
            .map(|one| Unmatched {
                run,
                gauge: one.gauge().into(),
                place: one.place().clone(),
            })
            .collect()
    };
    let mut unmatched = missing(&old, &new, WhichRun::First);
    unmatched.extend(missing(&new, &old, WhichRun::Second));
    let mut caveats = caveats(before.0, after.0, changes.len(), study.analysis.level);
    for (run, which) in [(&first, WhichRun::First), (&second, WhichRun::Second)] {
        let files = run.unchecked_files();
        let unchecked = ComparisonDoubt::UncheckedFiles { run: which, files };
        caveats.extend((files > 0).then_some(unchecked));
    }
    Ok(Comparison {
        before: before.0.study.hash.clone(),
        after: study.hash.clone(),
        level: study.analysis.level,
        caveats,
        drifts: drifts(&changes, &judged),
        changes,
        unmatched,
    })
}

fn caveats(before: &Plan, after: &Plan, comparisons: usize, level: f64) -> Vec<ComparisonDoubt> {
    let mut said = Vec::new();
    if comparisons > 1 {
        said.push(ComparisonDoubt::Adjusted { comparisons, level });
    }
    let shared = after
        .study
        .seeds
        .iter()
        .filter(|seed| before.study.seeds.as_slice().contains(seed))
        .count();
    if shared < after.study.seeds.len().max(before.study.seeds.len()) {
        said.push(ComparisonDoubt::SharedSeeds { shared });
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
) -> (Change, Option<TwoSides>) {
    let pairs = paired(first, second, earlier, later);
    let read =
        |side: fn(&Pair) -> &Arc<dyn Meter>| mean(pairs.iter().map(|pair| pair.as_ref().map(side)));
    let (mut before, mut after) = (read(|pair| &pair.before), read(|pair| &pair.after));
    if after.value().is_none() {
        // Where nothing can be paired, what was lost or won should be seen beside what there is.
        (before, after) = (alone(first, earlier), alone(second, later));
    }
    let clusters = clusters_of(later, &pairs);
    let series = |side: fn(&Pair) -> &Arc<dyn Meter>| {
        let meters = pairs.iter().map(|pair| match pair {
            Ok(pair) => Ok(Arc::clone(side(pair))),
            Err(why) => Err(why.clone()),
        });
        sampling.sample(&Series {
            meters: meters.collect(),
            unit: later.unit(),
            crossed: later.crossed(),
            clusters: clusters.clone(),
            ends: later.ends(),
        })
    };
    let moved = series(|pair| &pair.after).minus(&series(|pair| &pair.before));
    let difference = moved.quantity(level).within(moved.ends());
    let same = is_same(&difference, &before, &after);
    let sides = moved.two_sides().filter(|_| !same);
    let change = Change {
        id: Id::estimate(later.gauge(), later.place()),
        place: later.place().clone(),
        gauge: later.gauge().to_string(),
        verdict: match &difference.interval {
            _ if same => Moved::Same,
            Ok(_) => Moved::Unclear,
            Err(_) => Moved::Undefined,
        },
        before,
        after,
        difference,
    };
    (change, sides)
}

/// Which changes stand: each direction is adjusted (Holm) over all gauges and places, so that two
/// runs of one truth show a false one with chance α at most.
fn decide(found: Vec<(Direction, (Change, Option<TwoSides>))>, alpha: f64) -> Vec<Change> {
    let shown = |p: fn(&TwoSides, Direction) -> f64| {
        let tested = found.iter().map(|(direction, (_, sides))| {
            let sides = sides.as_ref()?;
            Some(p(sides, *direction))
        });
        stand_adjusted(&tested.collect::<Vec<_>>(), alpha)
    };
    let worse = shown(|sides, direction| match direction {
        Direction::Higher => sides.below,
        Direction::Lower => sides.above,
        Direction::Neither => (2.0 * sides.above.min(sides.below)).min(1.0),
    });
    let better = shown(|sides, direction| match direction {
        Direction::Higher => sides.above,
        Direction::Lower => sides.below,
        Direction::Neither => 1.0,
    });
    let stands = worse.into_iter().zip(better);
    let changes = found.into_iter().zip(stands);
    changes
        .map(|((direction, (mut change, _)), stands)| {
            change.verdict = match (direction, stands) {
                (Direction::Neither, (true, _)) => Moved::Changed,
                (_, (true, _)) => Moved::Worse,
                (_, (_, true)) => Moved::Better,
                _ => change.verdict,
            };
            change
        })
        .collect()
}

/// Which p-values stand after Holm's adjustment over those that are there.
fn stand_adjusted(tested: &[Option<f64>], alpha: f64) -> Vec<bool> {
    let there: Vec<f64> = tested.iter().flatten().copied().collect();
    let adjusted = holm(&there).unwrap_or_else(|_| vec![1.0; there.len()]);
    let mut adjusted = adjusted.into_iter();
    let stands = |p: &Option<f64>| {
        let adjusted = p.and_then(|_| adjusted.next());
        adjusted.is_some_and(|p| p <= alpha)
    };
    tested.iter().map(stands).collect()
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

/// Whether nothing changed at all; sums in another order may differ in their last digit.
fn is_same(difference: &Quantity, before: &Reading, after: &Reading) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12;
    let both = before.value().zip(after.value());
    difference
        .value
        .value()
        .is_some_and(|moved| close(moved, 0.0))
        && both.is_some_and(|(before, after)| close(before, after))
}

/// One seed's meters on the items both runs have, in the same order.
struct Pair {
    before: Arc<dyn Meter>,
    after: Arc<dyn Meter>,
    /// Where those items stand in the later run, and the position of its seed.
    items: Vec<usize>,
    replicate: ReplicateAt,
}

/// Which of the items that both runs have belong together, as the later run says.
fn clusters_of(later: &Opened<'_>, pairs: &[Result<Pair, AbsenceReason>]) -> Option<Arc<Clusters>> {
    let all = later.clusters()?;
    let paired = pairs.iter().map(|pair| match pair {
        Ok(pair) => (pair.replicate, pair.items.clone()),
        Err(_) => (ReplicateAt::FIRST, Vec::new()),
    });
    let (replicates, items): (Vec<ReplicateAt>, Vec<Vec<usize>>) = paired.unzip();
    let numbers: Vec<usize> = replicates.iter().map(|at| at.number()).collect();
    let same_items = later.crossed();
    all.of_replicates(&numbers)
        .subset(&items, same_items)
        .map(Arc::new)
}

fn paired(
    first: &Run<'_>,
    second: &Run<'_>,
    earlier: &Opened<'_>,
    later: &Opened<'_>,
) -> Vec<Result<Pair, AbsenceReason>> {
    let seeds = second.seeds().at_each();
    let shared =
        seeds.filter_map(|(at, seed)| Some((first.seeds().position(|one| one == seed)?, at)));
    shared
        .map(|(old, new)| {
            let before = earlier.meter(old)?;
            let after = later.meter(new)?;
            let pair = |before: Arc<dyn Meter>, after: Arc<dyn Meter>, items| Pair {
                before,
                after,
                items,
                replicate: new,
            };
            if later.unit() == Unit::Replicates {
                return Ok(pair(before, after, Vec::new()));
            }
            let left = first.ids(earlier, old)?;
            let right = second.ids(later, new)?;
            // What only one of the runs answered says nothing about what changed between them.
            let (lost, won) = (
                first.unanswered(earlier, old)?,
                second.unanswered(later, new)?,
            );
            let out: HashSet<&str> = lost.into_iter().chain(won).collect();
            let before = without(before, left, &out);
            let after = without(after, right, &out);
            if left == right {
                return Ok(pair(before, after, (0..right.len()).collect()));
            }
            let (old, new) = shared_items(left, right)?;
            let before = Derived::only(&before, old);
            Ok(pair(before, Derived::only(&after, new.clone()), new))
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
        Derived::without(&meter, &out)
    }
}

/// Where the items that both runs have stand in the one and in the other.
fn shared_items(
    left: &[String],
    right: &[String],
) -> Result<(Vec<usize>, Vec<usize>), AbsenceReason> {
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
    match old.is_empty() {
        true => Err(AbsenceReason::NoCommonItem),
        false => Ok((old, new)),
    }
}

fn mean<'a>(
    meters: impl Iterator<Item = Result<&'a Arc<dyn Meter>, &'a AbsenceReason>>,
) -> Reading {
    let mut values = Vec::new();
    let mut why = AbsenceReason::NoCommonSeed;
    for meter in meters {
        match meter
            .map_err(AbsenceReason::clone)
            .and_then(|meter| Ok(meter.plain()?))
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
