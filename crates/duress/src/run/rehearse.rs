//! Reads recorded answers as a run would, and keeps nothing: what is wrong with their files is
//! known before a run.

use std::path::Path;

use duress_core::answer::{AbsenceKind, Answers};
use duress_core::data::Split;
use duress_core::problem::Problem;
use duress_core::subject::{Recording, SubjectPart};
use duress_stats::parallel::map_list;

use crate::plan::{Cell, Plan, look_up};
use crate::study::Rejected;

/// How many ids a remark names.
const NAMED: usize = 5;

/// Reads every file of recorded answers, and says everything that is wrong with them; else what a
/// reader should know about how they were read, and which items have no row in which file.
pub fn rehearse(plan: &Plan) -> Result<Vec<String>, Rejected> {
    let recorded: Vec<(Cell, &dyn Recording)> = plan
        .cells()
        .filter(|cell| cell.rater.is_none())
        .filter_map(|cell| match &*plan.subjects[cell.subject].subject {
            SubjectPart::Recorded(recording) => Some((cell, recording.as_ref())),
            SubjectPart::Live(_) => None,
        })
        .collect();
    let (mut problems, mut remarks): (Vec<Problem>, Vec<String>) = Default::default();
    for read in map_list(&recorded, |(cell, recording)| {
        read_over(plan, *cell, *recording)
    }) {
        // A file that stands for several cells is wrong once, and remarked on once.
        match read {
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
            Ok(said) => {
                for remark in said {
                    if !remarks.contains(&remark) {
                        remarks.push(remark);
                    }
                }
            }
        }
    }
    match problems.is_empty() {
        true => Ok(remarks),
        false => Err(Rejected::new(&plan.study.path, &plan.study.text, problems)),
    }
}

/// What is wrong with the recorded answers of a cell, or what is to be said about them.
fn read_over(plan: &Plan, cell: Cell, recording: &dyn Recording) -> Result<Vec<String>, Problem> {
    let split = plan.dataset(cell.test, cell.replicate).dataset().test();
    let at = plan.circumstances(cell);
    let decl = &plan.study.subjects[cell.subject];
    let read = || {
        let (answers, remarks) = look_up(recording, &at, cell.question, split)?;
        let file = recording
            .sources(&at)
            .ok()
            .and_then(|files| files.into_iter().next());
        answers.validate(split.items().len()).map_err(|nonsense| {
            let wrong = Problem::new(nonsense);
            match &file {
                Some(file) => wrong.in_file(file),
                None => wrong,
            }
        })?;
        let about = remarks
            .into_iter()
            .map(|remark| format!("{}: {remark}", decl.name));
        let missing = file.and_then(|file| missing(&file, &answers, split));
        Ok(about.chain(missing).collect())
    };
    read().map_err(|problem: Problem| problem.at(decl.span.clone()))
}

/// Which items have no row in a file.
fn missing(file: &Path, answers: &Answers, split: &Split) -> Option<String> {
    let unrecorded = |item: &usize| answers.absence(*item) == Some(AbsenceKind::Unrecorded);
    let ids = split.items().ids();
    let left: Vec<&str> = (0..split.items().len())
        .filter(unrecorded)
        .map(|item| ids.get(item))
        .collect();
    let named = left[..left.len().min(NAMED)].join(", ");
    let rest = match left.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!left.is_empty()).then(|| {
        format!(
            "{}: {} of {} items have no row: {named}{rest}",
            file.display(),
            left.len(),
            split.items().len()
        )
    })
}
