//! Items that leave: who cannot be pressed at every severity of a ladder.

use std::collections::{BTreeMap, BTreeSet};

use duress_core::answer::AbsenceKind;
use duress_core::severity::Severity;

use super::answers::Answered;
use crate::axis::{DatasetAt, StressAt, SubjectAt};
use crate::ledger::Kept;
use crate::plan::Plan;
use duress_findings::LeavingItem;

/// How many items findings list, over all ladders; caveats count all of them.
const LISTED: usize = 10_000;

/// A subject's answers about a dataset along a ladder that some items do not climb to its end.
pub(super) struct Leaving {
    pub(super) subject: SubjectAt,
    pub(super) test: DatasetAt,
    pub(super) stress: StressAt,
    /// The items, with the severities at which they take part in no way.
    pub(super) items: BTreeMap<String, Vec<Severity>>,
    /// How many items there are in all.
    pub(super) of: usize,
}

type LadderAt = (SubjectAt, DatasetAt, StressAt);

/// Every subject, dataset and ladder with items that leave.
pub(super) fn leaving(plan: &Plan, answered: &Answered) -> Vec<Leaving> {
    let under_ladder = || {
        plan.cells().filter_map(|cell| {
            let at = cell.stress?;
            let kept = answered.kept(cell).ok()?;
            let key: LadderAt = (cell.subject, cell.test, at.stress);
            plan.stresses[at.stress]
                .is_ladder
                .then_some((key, at.rung, kept))
        })
    };
    // Most ladders press everything, and need no list of items.
    let some_leave: BTreeSet<LadderAt> = under_ladder()
        .filter(|(_, _, kept)| kept.answers.absent().into_iter().any(|i| leaves(kept, i)))
        .map(|(key, ..)| key)
        .collect();
    let mut all: BTreeMap<LadderAt, Takers> = BTreeMap::new();
    for (key, rung, kept) in under_ladder().filter(|(key, ..)| some_leave.contains(key)) {
        let severity = &plan.stresses[key.2].rungs[rung].severity;
        all.entry(key).or_default().add(severity, kept);
    }
    let found = all.into_iter();
    let found = found.map(|((subject, test, stress), takers)| Leaving {
        subject,
        test,
        stress,
        of: takers.everybody.len(),
        items: takers.leaving(),
    });
    found.filter(|one| !one.items.is_empty()).collect()
}

/// The same item by item, once for all subjects: whether it can be pressed is not up to them.
pub(super) fn listed(plan: &Plan, leaving: &[Leaving]) -> Vec<LeavingItem> {
    let mut said = BTreeSet::new();
    let all = leaving.iter().flat_map(|one| {
        let items = one.items.iter();
        items.map(move |(item, severities)| (one, item, severities))
    });
    let once = all.filter(|(one, item, _)| said.insert((one.test, one.stress, *item)));
    once.take(LISTED)
        .map(|(one, item, severities)| LeavingItem {
            dataset: plan.study.datasets[one.test].name.clone(),
            ladder: plan.stresses[one.stress].name.clone(),
            item: item.clone(),
            severities: severities.clone(),
        })
        .collect()
}

fn leaves(kept: &Kept, item: usize) -> bool {
    kept.answers.absence(item) == Some(AbsenceKind::NotTakingPart)
}

/// Who takes part at which severity of a ladder, in one way at least.
#[derive(Default)]
struct Takers {
    everybody: BTreeSet<String>,
    at: Vec<(Severity, BTreeSet<String>)>,
}

impl Takers {
    fn add(&mut self, severity: &Severity, kept: &Kept) {
        let known = self.at.iter().position(|(at, _)| at == severity);
        let known = known.unwrap_or_else(|| {
            self.at.push((severity.clone(), BTreeSet::new()));
            self.at.len() - 1
        });
        for (item, id) in kept.ids.iter().enumerate() {
            self.everybody.insert(id.clone());
            if !leaves(kept, item) {
                self.at[known].1.insert(id.clone());
            }
        }
    }

    fn leaving(self) -> BTreeMap<String, Vec<Severity>> {
        let missing = |id: &String| -> Vec<Severity> {
            let without = self.at.iter().filter(|(_, takers)| !takers.contains(id));
            without.map(|(severity, _)| severity.clone()).collect()
        };
        let all = self.everybody.iter().map(|id| (id.clone(), missing(id)));
        all.filter(|(_, severities)| !severities.is_empty())
            .collect()
    }
}
