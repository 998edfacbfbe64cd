//! Whether a judge changed, or what it judges: ratings of responses that are the same in both runs tell
//! the one from the other.

use std::collections::BTreeMap;

use duress_core::gauge::Scope;
use duress_core::place::Under;
use duress_core::question::Question;
use duress_findings::{Change, Drift, DriftVerdict, Moved, Range};

use crate::analysis::paired::Opened;

/// Whose responses a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JudgedSet {
    /// The same in both runs: an anchor.
    Frozen,
    /// Others than before.
    New,
}

/// What a gauge of a judge's own ratings, without stress, is about; none of other gauges.
pub(super) fn judged_set(earlier: &Opened<'_>, later: &Opened<'_>) -> Option<JudgedSet> {
    let scale = later.scale();
    let own = scale.reads == Question::Ratings && !later.is_of_rater();
    let plain = later.scope() == Scope::Cell && later.place().under == Under::Clean;
    if !(own && plain) {
        return None;
    }
    match earlier.fingerprints() == later.fingerprints() {
        true => Some(JudgedSet::Frozen),
        false => Some(JudgedSet::New),
    }
}

/// What is said of each judge and gauge that has an anchor.
pub(super) fn drifts(changes: &[Change], sets: &[Option<JudgedSet>]) -> Vec<Drift> {
    let mut by_judge: BTreeMap<(String, String), Vec<(&Change, JudgedSet)>> = BTreeMap::new();
    for (change, set) in changes.iter().zip(sets) {
        if let Some(set) = set {
            let key = (change.place.subject.to_string(), change.gauge.clone());
            by_judge.entry(key).or_default().push((change, *set));
        }
    }
    let all = by_judge.into_iter();
    all.filter_map(|((judge, gauge), judged)| {
        let of_set = |wanted: JudgedSet| -> Vec<&Change> {
            let own = judged.iter().filter(|(_, set)| *set == wanted);
            own.map(|(change, _)| *change).collect()
        };
        let (anchors, others) = (of_set(JudgedSet::Frozen), of_set(JudgedSet::New));
        let names = |changes: &[&Change]| -> Vec<String> {
            let datasets = changes.iter().map(|change| &change.place.dataset);
            datasets.map(ToString::to_string).collect()
        };
        // Without others, the changes say it all; without an anchor, nobody can.
        (!others.is_empty()).then(|| Drift {
            judge,
            gauge,
            anchors: names(&anchors),
            others: names(&others),
            verdict: verdict(&anchors, &others),
        })
    })
    .collect()
}

fn verdict(anchors: &[&Change], others: &[&Change]) -> DriftVerdict {
    let any_moved = |changes: &[&Change]| changes.iter().any(|change| has_moved(change.verdict));
    match (any_moved(anchors), any_moved(others)) {
        _ if anchors.is_empty() => DriftVerdict::NoAnchor,
        (true, _) => DriftVerdict::Judge,
        (false, false) => DriftVerdict::Neither,
        (false, true) => {
            let moved = others.iter().filter(|change| has_moved(change.verdict));
            let mut beyond =
                moved.map(|change| anchors.iter().all(|anchor| beyond(change, anchor)));
            match beyond.any(|beyond| beyond) {
                true => DriftVerdict::System,
                false => DriftVerdict::Either,
            }
        }
    }
}

fn has_moved(verdict: Moved) -> bool {
    matches!(verdict, Moved::Better | Moved::Worse | Moved::Changed)
}

/// Whether a change is more than the judge could have caused, as far as an anchor tells: their
/// intervals have nothing in common.
fn beyond(change: &Change, anchor: &Change) -> bool {
    if anchor.verdict == Moved::Same {
        return true;
    }
    let range =
        |change: &Change| -> Option<Range> { change.difference.interval.as_ref().ok().cloned() };
    match (range(change), range(anchor)) {
        (Some(own), Some(anchor)) => own.high < anchor.low || own.low > anchor.high,
        _ => false,
    }
}
