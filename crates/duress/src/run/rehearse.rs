//! Reads recorded answers as a run would, and keeps nothing: what is wrong with their files is
//! known before a run.

use std::path::Path;

use duress_core::answer::{AbsenceKind, Answers};
use duress_core::data::Split;
use duress_core::problem::Problem;
use duress_core::subject::{Recording, SubjectPart};
use duress_parts::registry::Registry;
use duress_stats::parallel::map_list;

use crate::plan::{Cell, Plan, look_up, make_partly};
use crate::study::{Rejected, Study};

/// How many ids a remark names.
const NAMED: usize = 5;

/// Everything that is wrong with a study, whatever layer it is in: its text, what does not go
/// together, its files. Else its plan, with what a reader should know about its recorded answers.
pub fn examine(path: &Path, registry: &Registry) -> Result<(Plan, Vec<String>), Rejected> {
    let (mut study, mut problems) = match Study::read(path, registry) {
        Ok(study) => (study, Vec::new()),
        Err(Rejected {
            rest: Some(study),
            problems,
            ..
        }) => (*study, problems),
        Err(rejected) => return Err(rejected),
    };
    let path = study.path.clone();
    let text = study.text.clone();
    loop {
        let (plan, mut found) = make_partly(study.clone(), registry, None);
        let rehearsed = plan.as_ref().map(rehearse);
        let remarks = rehearsed.unwrap_or(Ok(Vec::new())).unwrap_or_else(|wrong| {
            add_new(&mut found, wrong.problems);
            Vec::new()
        });
        add_new(&mut problems, found);
        if let (Some(plan), true) = (plan, problems.is_empty()) {
            return Ok((plan, remarks));
        }
        // What is wrong may hide what else is: it is taken out, and the rest looked at again.
        let wrong: Vec<_> = problems.iter().filter_map(|one| one.span.clone()).collect();
        let sections = study.sections();
        study = study.without(&wrong, registry);
        if study.sections() == sections {
            return Err(Rejected::new(&path, &text, problems));
        }
    }
}

/// Adds what is wrong with something of which nothing wrong is known: the rest may follow from that.
fn add_new(problems: &mut Vec<Problem>, found: Vec<Problem>) {
    let told: Vec<_> = problems.iter().filter_map(|one| one.span.clone()).collect();
    let new = |one: &Problem| one.span.as_ref().is_none_or(|span| !told.contains(span));
    problems.extend(found.into_iter().filter(new));
}

/// Reads every file of recorded answers, and says everything that is wrong with them; else what a
/// reader should know about how they were read, and which items have no row in which file.
fn rehearse(plan: &Plan) -> Result<Vec<String>, Rejected> {
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
        let file = recording.source_of(&at, cell.question).ok();
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
