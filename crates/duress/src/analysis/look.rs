//! Looks: at which level a claim is judged when it was, or will be, judged more than once as seeds
//! are added.

use duress_stats::looks;

use crate::study::{ClaimDecl, Study};
use duress_findings::{EarlierLook, Look, Verdict};

/// What was done in a run's folder before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The hashes of other studies that were run there.
    pub studies: Vec<String>,
    /// The times at which claims were judged, oldest first.
    pub looks: Vec<PastLook>,
    /// Whether the log that tells of them was damaged or cut.
    pub is_damaged: bool,
}

/// A time at which claims were judged.
#[derive(Clone, Debug, PartialEq)]
pub struct PastLook {
    /// The seeds that were there.
    pub seeds: Vec<u64>,
    /// Each claim that had something to be judged by, and what became of it.
    pub claims: Vec<(String, Verdict)>,
}

/// The level of this look at a claim.
pub(super) struct LookLevel {
    /// What it may spend of the claim's level.
    pub(super) alpha: f64,
    /// What the next look may, which advice to get more seeds is about.
    pub(super) next: f64,
    /// What is said about it; nothing where it is the only one.
    pub(super) shown: Option<Look>,
}

/// What a claim is judged at now.
///
/// Declared looks share the claim's level by a spending function, in which what was spent before
/// counts; a look that nobody declared has half of what the one before it had. Looking again at the
/// same seeds is no look: it shows the same.
pub(super) fn level(study: &Study, claim: &ClaimDecl, history: &History) -> LookLevel {
    let seeds = study.seeds.len();
    let declared = &study.analysis.looks;
    let earlier = earlier_looks(study, claim, history);
    let before: Vec<usize> = earlier.iter().map(|look| look.seeds).collect();
    let (alpha, is_declared) = spend(claim.alpha, declared, &before, seeds);
    let later = [before.as_slice(), &[seeds]].concat();
    let more = declared.last().copied().unwrap_or(0).max(seeds + 1);
    let (next, _) = spend(claim.alpha, declared, &later, more);
    let only = declared.is_empty() && earlier.is_empty();
    let shown = (!only).then(|| {
        let mut look = Look::new(seeds, (alpha, claim.alpha), is_declared);
        look.earlier = earlier;
        look
    });
    LookLevel { alpha, next, shown }
}

/// What a look at so many seeds may spend, after looks at so many; and whether it was declared.
fn spend(alpha: f64, declared: &[usize], before: &[usize], seeds: usize) -> (f64, bool) {
    let Some(&last) = declared.last() else {
        return (
            looks::undeclared(alpha, before.len() as u32),
            before.is_empty(),
        );
    };
    // Beyond what was planned, or aside of it: with other seeds that are no more than before.
    let mut reached = 0;
    let mut aside = 0;
    for &seeds in before {
        match seeds <= last && seeds > reached {
            true => reached = seeds,
            false => aside += 1,
        }
    }
    let up_to = |seeds: usize| match seeds {
        0 => 0.0,
        seeds => looks::spent(alpha, seeds, last).unwrap_or(0.0),
    };
    match seeds <= last && seeds > reached {
        true => (up_to(seeds) - up_to(reached), true),
        false => (looks::undeclared(alpha, 1 + aside), false),
    }
}

/// The looks at a claim before the first with the seeds that are there now.
fn earlier_looks(study: &Study, claim: &ClaimDecl, history: &History) -> Vec<EarlierLook> {
    let sorted = |seeds: &[u64]| {
        let mut seeds = seeds.to_vec();
        seeds.sort_unstable();
        seeds
    };
    let now = sorted(study.seeds.as_slice());
    let mut met: Vec<Vec<u64>> = Vec::new();
    let mut found: Vec<EarlierLook> = Vec::new();
    for look in &history.looks {
        let seeds = sorted(&look.seeds);
        if seeds == now {
            break;
        }
        let verdict = look.claims.iter().find(|(name, _)| *name == claim.name);
        let Some((_, verdict)) = verdict else {
            continue;
        };
        let earlier = EarlierLook {
            seeds: seeds.len(),
            verdict: *verdict,
        };
        match met.iter().position(|one| *one == seeds) {
            // The same seeds again: what was found last stands.
            Some(at) => found[at] = earlier,
            None => {
                met.push(seeds);
                found.push(earlier);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(declared: &[usize], seen: &[usize]) -> Vec<(f64, bool)> {
        let at = |i: usize| spend(0.04, declared, &seen[..i], seen[i]);
        (0..seen.len()).map(at).collect()
    }

    #[test]
    fn declared_looks_spend_the_level_and_no_more() {
        let all = levels(&[3, 5, 10], &[3, 5, 10]);
        let planned = looks::declared(0.04, &[3, 5, 10]).unwrap();
        for ((alpha, declared), planned) in all.iter().zip(&planned) {
            assert!(*declared && (alpha - planned).abs() < 1e-12);
        }
        // A look that is left out leaves its share to the next.
        let skipped = levels(&[3, 5, 10], &[5, 10]);
        assert!((skipped[0].0 - planned[0] - planned[1]).abs() < 1e-12);
        assert!((skipped[0].0 + skipped[1].0 - 0.04).abs() < 1e-12);
    }

    #[test]
    fn looks_that_nobody_declared_have_half_of_the_one_before() {
        assert_eq!(
            levels(&[], &[3, 5, 10]),
            [(0.04, true), (0.02, false), (0.01, false)]
        );
        let beyond = levels(&[3, 5], &[3, 5, 8, 9]);
        assert_eq!(&beyond[2..], [(0.02, false), (0.01, false)]);
    }
}
