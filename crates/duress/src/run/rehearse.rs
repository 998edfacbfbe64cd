//! Reads recorded answers as a run would, and keeps nothing: what is wrong with their files is
//! known before a run.

use duress_core::problem::Problem;
use duress_core::subject::{Recording, SubjectPart};
use duress_stats::parallel::map_list;

use crate::plan::{Cell, Plan, look_up};
use crate::study::Rejected;

/// Reads every file of recorded answers, and says everything that is wrong with them.
pub fn rehearse(plan: &Plan) -> Result<(), Rejected> {
    let recorded: Vec<(Cell, &dyn Recording)> = plan
        .cells()
        .filter(|cell| cell.rater.is_none())
        .filter_map(|cell| match &*plan.subjects[cell.subject].subject {
            SubjectPart::Recorded(recording) => Some((cell, recording.as_ref())),
            SubjectPart::Live(_) => None,
        })
        .collect();
    let mut problems: Vec<Problem> = Vec::new();
    for problem in map_list(&recorded, |(cell, recording)| {
        wrong(plan, *cell, *recording)
    })
    .into_iter()
    .flatten()
    {
        // A file that stands for several cells is wrong once.
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Rejected::new(&plan.study.path, &plan.study.text, problems)),
    }
}

/// What is wrong with the recorded answers of a cell.
fn wrong(plan: &Plan, cell: Cell, recording: &dyn Recording) -> Option<Problem> {
    let split = plan.dataset(cell.test, cell.replicate).dataset().test();
    let at = plan.circumstances(cell);
    let problem = match look_up(recording, &at, cell.question, split) {
        Err(problem) => problem,
        Ok((answers, _)) => {
            let wrong = Problem::new(answers.validate(split.items().len()).err()?);
            match recording
                .sources(&at)
                .ok()
                .and_then(|files| files.into_iter().next())
            {
                Some(file) => wrong.in_file(file),
                None => wrong,
            }
        }
    };
    Some(problem.at(plan.study.subjects[cell.subject].span.clone()))
}
