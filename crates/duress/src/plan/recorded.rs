//! Recorded answers beside a dataset: the same classes, in the dataset's order.

use duress_core::answer::Answers;
use duress_core::data::{Dataset, Split};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording};

/// Refuses recorded answers about other classes than the dataset has, or in another order that
/// nobody stated, before anything is run.
pub(super) fn same_classes(
    recording: &dyn Recording,
    at: &Circumstances,
    dataset: &Dataset,
) -> Result<(), Problem> {
    let (Some(classes), Some(said)) = (dataset.test().classes(), recording.classes(at)?) else {
        return Ok(());
    };
    match alike(classes, &said, recording.orders_classes()) {
        true => Ok(()),
        false => Err(other_classes(recording, at, classes, &said)),
    }
}

/// Whether two lists name the same classes, in the same order where that counts.
fn alike(classes: &[String], said: &[String], any_order: bool) -> bool {
    let same = || said.len() == classes.len() && said.iter().all(|class| classes.contains(class));
    classes == said || (any_order && same())
}

fn other_classes(
    recording: &dyn Recording,
    at: &Circumstances,
    classes: &[String],
    said: &[String],
) -> Problem {
    let wrong = Problem::new(format!("the answers are about the classes {}", said.join(", ")))
        .expected(format!("those of the dataset, in its order: {}", classes.join(", ")))
        .hint(
            "`classes = […]` of the subject says which columns are classes, by name, or in which order those of an array stand; `scores` and `ignore` name columns that are none",
        );
    match recording
        .sources(at)
        .ok()
        .and_then(|files| files.into_iter().next())
    {
        Some(file) => wrong.in_file(file),
        None => wrong,
    }
}

/// Recorded answers with their classes in the dataset's order, and what a reader should know about
/// how they were read.
pub(crate) fn look_up(
    recording: &dyn Recording,
    at: &Circumstances,
    question: Question,
    split: &Split,
) -> Result<(Answers, Vec<String>), Problem> {
    let answers = recording.look_up(at, question, split.items())?;
    let mut remarks = recording.remarks(at, &answers);
    remarks.extend(recording.compare_labels(at, split)?);
    let (Some(classes), Answers::Classes(said)) = (split.classes(), &answers) else {
        return Ok((answers, remarks));
    };
    if said.classes() == classes {
        return Ok((answers, remarks));
    }
    match said.ordered(classes).filter(|_| recording.orders_classes()) {
        Some(ordered) => {
            remarks.push(format!(
                "Its classes stand in the order {} and are put into the dataset's.",
                said.classes().join(", ")
            ));
            Ok((Answers::Classes(ordered), remarks))
        }
        None => Err(other_classes(recording, at, classes, said.classes())),
    }
}
