//! Asks where answers come from: which items are explained, and towards which class.

use duress_core::answer::{Absence, Answers, ClassAnswers};
use duress_core::data::Items;
use duress_core::explanation::{AskedExplanation, Towards};
use duress_core::question::Question;
use duress_core::subject::{Failure, Fitted};

/// The explanations of items as they are, `before` they were pressed and of those that take part;
/// of the others there is none.
pub(super) fn explained(
    asked: AskedExplanation,
    items: &Items,
    before: &Items,
    taking_part: Option<Vec<usize>>,
    fitted: &dyn Fitted,
) -> Result<Answers, Failure> {
    let explainer = fitted
        .explainer()
        .ok_or_else(|| Failure::unable("cannot tell where its answers come from"))?;
    let mut some = asked.positions(items.len());
    if let Some(taking_part) = taking_part {
        some.retain(|item| taking_part.binary_search(item).is_ok());
    }
    let looked_at = match asked.towards() {
        Towards::CleanAnswer => before,
        Towards::Answer | Towards::Class(_) => items,
    };
    let said = classes(fitted, &looked_at.select(&some))?;
    let (answered, towards) = classes_to_explain(asked.towards(), &said)?;
    let some: Vec<usize> = answered.into_iter().map(|nth| some[nth]).collect();
    let answers = explainer.explain(asked, &items.select(&some), &towards)?;
    Ok(answers.spread(&some, items.len(), &Absence::not_taking_part()))
}

fn classes(fitted: &dyn Fitted, items: &Items) -> Result<ClassAnswers, Failure> {
    match fitted.answer(Question::Classes, items)? {
        Answers::Classes(said) => Ok(said),
        other => Err(Failure::unable(format!(
            "explains classes, and answered {}",
            other.question()
        ))),
    }
}

/// The positions of items with a class to explain, and those classes.
fn classes_to_explain(
    towards: &Towards,
    said: &ClassAnswers,
) -> Result<(Vec<usize>, Vec<u32>), Failure> {
    if let Towards::Class(name) = towards {
        let named = said.classes().iter().position(|class| class == name);
        let class = named.ok_or_else(|| {
            let classes = said.classes().join(", ");
            Failure::unable(format!("has no class `{name}`; it has {classes}"))
        })?;
        return Ok(((0..said.len()).collect(), vec![class as u32; said.len()]));
    }
    let labelled = (0..said.len()).filter_map(|item| Some((item, said.label(item)?)));
    Ok(labelled.unzip())
}
