//! Asks one subject one thing: fits it, presses the items, gets the answers, checks them.

use duress_core::answer::{Absence, Answers};
use duress_core::data::Split;
use duress_core::rater;
use duress_core::severity::Severity;
use duress_core::stressor::{self, Realised, Stressor};
use duress_core::subject::{self, Failure, FailureKind, Fitted, Subjected};

use super::exhibit::kept_items;
use crate::ledger::{Kept, KeptItem};
use crate::plan::{Cell, Id, Plan, Preparation, look_up};

/// A subject that is ready, and its checkpoint when there is a new one to keep.
type Prepared = (Box<dyn Fitted>, Option<Vec<u8>>);

/// Fits a subject, or takes up its checkpoint.
pub(super) fn prepare(
    plan: &Plan,
    preparation: Preparation,
    checkpoint: Option<Vec<u8>>,
) -> Result<Prepared, Failure> {
    let Subjected::Live(subject) = &*plan.subjects[preparation.subject].subject else {
        unreachable!("recorded answers need no preparation");
    };
    if let Some(bytes) = checkpoint
        && let Ok(fitted) = subject.restore(&bytes)
    {
        return Ok((fitted, None));
    }
    let split = plan.fit_split(preparation);
    let pressed = press(plan, split, preparation.replicate, preparation.stress)?;
    let seed = plan.subject_seed(preparation.replicate);
    let fitted = subject::fit_replicate(
        subject.as_ref(),
        pressed.as_ref().unwrap_or(split),
        plan.replicate_number(preparation.replicate),
        seed,
    )?;
    let checkpoint = fitted.checkpoint();
    Ok((fitted, Some(checkpoint)))
}

/// The split under the blind stressors of a rung; `None` when nothing presses.
fn press(
    plan: &Plan,
    split: &Split,
    replicate: usize,
    at: Option<(usize, usize)>,
) -> Result<Option<Split>, Failure> {
    let Some((stress, rung)) = at else {
        return Ok(None);
    };
    let stress = &plan.stresses[stress];
    let rung = &stress.rungs[rung];
    let mut pressed = split.clone();
    for (at, (planned, severity)) in stress.stressors.iter().zip(&rung.severities).enumerate() {
        let Stressor::Blind(blind) = &*planned.stressor else {
            continue;
        };
        // The nth of its part: a stressor draws in company what it draws alone, so what they cost
        // together and apart is paired.
        let nth = stress.stressors[..at]
            .iter()
            .filter(|one| one.part == planned.part)
            .count();
        let seed = plan.stress_seed(replicate, planned.part, nth);
        pressed = stressor::press(blind.as_ref(), &pressed, severity, rung.variant, seed)?;
    }
    Ok(Some(pressed))
}

/// What a job's cells come to, in order; a failure to answer stands for all of them. `known` are
/// the answers that an earlier run has kept and that only await their ratings: nothing is asked
/// twice.
pub(super) fn job(
    plan: &Plan,
    cells: &[Cell],
    known: Vec<Kept>,
    fitted: Option<&dyn Fitted>,
) -> Result<Vec<Result<Kept, Failure>>, Failure> {
    let asked: Vec<Cell> = cells
        .iter()
        .copied()
        .filter(|cell| cell.rater.is_none())
        .collect();
    let said = if known.is_empty() {
        ask(plan, &asked, fitted)?
    } else {
        known
    };
    if asked.len() == cells.len() {
        return Ok(said.into_iter().map(Ok).collect());
    }
    // By identity: what is rated may be asked under another name.
    let ids: Vec<Id> = asked.iter().map(|cell| plan.id(*cell)).collect();
    let of = |cell: &Cell| {
        let rated = plan.id(cell.unrated());
        ids.iter().position(|id| *id == rated).map(|at| &said[at])
    };
    let come = cells.iter().filter_map(|cell| Some((cell, of(cell)?)));
    Ok(come
        .map(|(cell, kept)| {
            cell.rater
                .map_or_else(|| Ok(kept.clone()), |it| rate(plan, *cell, it, kept))
        })
        .collect())
}

/// What a rater makes of kept answers.
fn rate(plan: &Plan, cell: Cell, rater: usize, kept: &Kept) -> Result<Kept, Failure> {
    let split = plan.dataset(cell.test, cell.replicate).dataset().test();
    let answers = rater::rate(
        plan.raters[rater].rater.as_ref(),
        split.items(),
        split.truth(),
        &kept.answers,
    )?;
    answers
        .validate(split.items().len())
        .map_err(|why| Failure::new(FailureKind::Nonsense, why))?;
    Ok(Kept::new(kept.ids.clone(), answers))
}

fn ask(plan: &Plan, cells: &[Cell], fitted: Option<&dyn Fitted>) -> Result<Vec<Kept>, Failure> {
    let cell = cells[0];
    let split = plan.dataset(cell.test, cell.replicate).dataset().test();
    let Some(fitted) = fitted else {
        return recorded(plan, cell, split).map(|kept| vec![kept]);
    };
    match cell.stress {
        Some((stress, _)) if plan.stresses[stress].aware => climb(plan, cells, split, fitted),
        stress => {
            let pressing = stress.filter(|(stress, _)| plan.stresses[*stress].presses_test());
            let pressed = press(plan, split, cell.replicate, pressing)?;
            answers(plan, cell, split, pressed.as_ref(), fitted).map(|kept| vec![kept])
        }
    }
}

fn climb(
    plan: &Plan,
    cells: &[Cell],
    split: &Split,
    fitted: &dyn Fitted,
) -> Result<Vec<Kept>, Failure> {
    let (cell, Some((at, _))) = (cells[0], cells[0].stress) else {
        unreachable!("an attack is always under stress")
    };
    let stress = &plan.stresses[at];
    let (planned, Some(slope)) = (&stress.stressors[0], fitted.slope()) else {
        return Err(Failure::unable(
            "it said it offers gradients, but gave none",
        ));
    };
    let Stressor::Aware(attack) = &*planned.stressor else {
        unreachable!("an aware stress is an attack")
    };
    let severities: Vec<Severity> = stress
        .rungs
        .iter()
        .map(|rung| rung.severity.clone())
        .collect();
    let seed = plan.stress_seed(cell.replicate, planned.part, 0);
    let climb = stressor::climb(attack.as_ref(), slope, split, &severities, seed)?;
    if climb.rungs.len() != cells.len() || climb.spent.len() != cells.len() {
        return Err(Failure::new(
            FailureKind::Nonsense,
            "the attack did not return every rung",
        ));
    }
    let mut all = Vec::new();
    for ((cell, items), spent) in cells.iter().zip(climb.rungs).zip(climb.spent) {
        let mut kept = answers(plan, *cell, split, Some(&split.with_items(items)), fitted)?;
        kept.doubts.extend(climb.doubts.iter().cloned());
        kept.spent = Some(spent);
        all.push(kept);
    }
    Ok(all)
}

fn answers(
    plan: &Plan,
    cell: Cell,
    split: &Split,
    pressed: Option<&Split>,
    fitted: &dyn Fitted,
) -> Result<Kept, Failure> {
    let items = pressed.unwrap_or(split).items();
    let question = plan.subjects[cell.subject].question;
    let answers = match taking_part(plan, cell, split) {
        None => fitted.answer(question, items)?,
        Some(some) => fitted.answer(question, &items.select(&some))?.spread(
            &some,
            items.len(),
            &Absence::not_taking_part(),
        ),
    };
    let shown = pressed.map_or_else(Vec::new, |pressed| kept_items(split, pressed, &answers));
    let realised = realised(plan, cell, split, pressed)?;
    checked(plan, cell, split, answers, shown).map(|kept| Kept { realised, ..kept })
}

/// What the stress of a cell came to. Where only what is fitted is pressed, it is pressed once more
/// to be counted: the preparation may be long over, and other cells have shared it.
fn realised(
    plan: &Plan,
    cell: Cell,
    split: &Split,
    pressed: Option<&Split>,
) -> Result<Option<Realised>, Failure> {
    if let Some(pressed) = pressed {
        return Ok(stressor::realised(split.items(), pressed.items()));
    }
    let fits = cell
        .stress
        .filter(|(stress, _)| plan.stresses[*stress].presses_fit());
    let Some(preparation) = plan.preparation(cell).filter(|_| fits.is_some()) else {
        return Ok(None);
    };
    let fit = plan.fit_split(preparation);
    if fit.items().windows().is_err() {
        return Ok(None);
    }
    let pressed = press(plan, fit, cell.replicate, fits)?;
    Ok(pressed.and_then(|pressed| stressor::realised(fit.items(), pressed.items())))
}

/// The items that take part in a rung; `None` when all do.
fn taking_part(plan: &Plan, cell: Cell, split: &Split) -> Option<Vec<usize>> {
    let (stress, rung) = cell
        .stress
        .map(|(at, rung)| (&plan.stresses[at], &plan.stresses[at].rungs[rung]))?;
    let stressors = || stress.stressors.iter().zip(&rung.severities);
    let takes_part = |item: &usize| {
        stressors().all(|(planned, severity)| match &*planned.stressor {
            Stressor::Blind(blind) => {
                blind.takes_part(split.items(), *item, severity, rung.variant)
            }
            _ => true,
        })
    };
    let some: Vec<usize> = (0..split.items().len()).filter(takes_part).collect();
    (stress.presses_test() && some.len() < split.items().len()).then_some(some)
}

fn recorded(plan: &Plan, cell: Cell, split: &Split) -> Result<Kept, Failure> {
    let Subjected::Recorded(recording) = &*plan.subjects[cell.subject].subject else {
        unreachable!("only recorded answers need no preparation");
    };
    let found = look_up(recording.as_ref(), &plan.circumstances(cell), split);
    let (answers, remarks) = found.map_err(|problem| Failure::unable(problem.to_string()))?;
    checked(plan, cell, split, answers, Vec::new()).map(|kept| Kept {
        doubts: remarks,
        ..kept
    })
}

fn checked(
    plan: &Plan,
    cell: Cell,
    split: &Split,
    answers: Answers,
    items: Vec<KeptItem>,
) -> Result<Kept, Failure> {
    let asked = plan.subjects[cell.subject].question;
    let valid = match answers.question() {
        question if question != asked => Err(format!("answered {question} when asked for {asked}")),
        _ => answers.validate(split.items().len()),
    };
    valid.map_err(|why| Failure::new(FailureKind::Nonsense, why))?;
    let ids = split.items().ids().to_vec();
    Ok(Kept {
        items,
        ..Kept::new(ids, answers)
    })
}
