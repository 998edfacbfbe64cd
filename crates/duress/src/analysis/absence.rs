//! Absent answers, counted at every place by what kept them away.

use std::collections::BTreeMap;

use duress_core::answer::AbsenceKind;
use duress_core::name::Name;

use super::answers::Answered;
use crate::plan::{Cell, Plan};
use duress_findings::{About, AbsentAnswers, Caveat, Doubt, Place, Under};

/// Every place at which answers are absent that were asked for.
pub(super) fn absences(plan: &Plan, answered: &Answered) -> Vec<AbsentAnswers> {
    let mut counted: BTreeMap<(Place, Option<Name>), AbsentAnswers> = BTreeMap::new();
    for cell in plan.cells() {
        let Some((asked, kinds)) = count(plan, answered, cell) else {
            continue;
        };
        let rater = cell
            .rater
            .map(|rater| plan.study.raters[rater].name.clone());
        let key = (plan.place(cell), rater);
        let none = || AbsentAnswers::none(key.0.clone(), key.1.clone());
        let place = counted.entry(key.clone()).or_insert_with(none);
        place.asked += asked;
        for (kind, count) in kinds {
            *place.kinds.entry(kind).or_default() += count;
        }
    }
    let all = counted.into_values();
    all.filter(|place| place.absent() > 0).collect()
}

/// How many answers a cell was asked for, and which of them are absent. What a stress leaves out was
/// not asked, and a rater has nothing to say where nothing was said.
fn count(
    plan: &Plan,
    answered: &Answered,
    cell: Cell,
) -> Option<(usize, BTreeMap<AbsenceKind, usize>)> {
    let kept = answered.kept(cell).ok()?;
    let rated = plan.rated(cell);
    let rated = rated.and_then(|rated| answered.kept(rated).ok());
    let mut kinds = BTreeMap::new();
    let mut asked = kept.ids.len();
    for item in kept.answers.absent() {
        let unsaid = rated.is_some_and(|rated| rated.answers.absence(item).is_some());
        match kept.answers.absence(item) {
            Some(AbsenceKind::NotTakingPart) => asked -= 1,
            _ if unsaid => asked -= 1,
            Some(kind) => *kinds.entry(kind).or_default() += 1,
            None => {}
        }
    }
    Some((asked, kinds))
}

/// A caveat for each subject on a dataset of which a model, or its server, says why answers are
/// absent.
pub(super) fn caveats(absences: &[AbsentAnswers]) -> Vec<Caveat> {
    let mut of_subject: BTreeMap<(&Name, &Name), Vec<&AbsentAnswers>> = BTreeMap::new();
    for one in absences {
        let key = (&one.place.subject, &one.place.dataset);
        of_subject.entry(key).or_default().push(one);
    }
    let told = |kind: &AbsenceKind| !matches!(kind, AbsenceKind::Failed | AbsenceKind::Unrecorded);
    let caveat = |((subject, dataset), places): ((&Name, &Name), Vec<&AbsentAnswers>)| {
        if !places.iter().any(|place| place.kinds.keys().any(told)) {
            return None;
        }
        let place = Place {
            subject: subject.clone(),
            dataset: dataset.clone(),
            under: Under::Everything,
        };
        let counted = places.iter().map(|place| place.in_words());
        let doubt = Doubt::AnswersAbsent {
            counted: counted.collect(),
        };
        Some(Caveat::new(About::Place(place), doubt))
    };
    of_subject.into_iter().filter_map(caveat).collect()
}
