//! Asks one subject about one set of items: fits it, presses the items, gets the answers, checks
//! them; and asks raters about answers that are kept.

use crate::study::ActsOn;
use duress_core::answer::{Absence, Answers, ClassAnswers, RatingAnswers};
use duress_core::cost::Cost;
use duress_core::data::{Items, Split};
use duress_core::fitting::{FitKeeper, FitTerms, Unkept};
use duress_core::question::Question;
use duress_core::rater::{self, AnyRater, TextsToRate};
use duress_core::severity::Severity;
use duress_core::stressor::{self, Blind, Realised, Stressor};
use duress_core::subject::{self, Failure, FailureKind, Fitted, Subject, SubjectPart};

use super::explain::explained;
use super::intake::{IntakeTerms, Unanswered, item_by_item};
use super::work::JobNeeds;
use super::worst_items::keep_worst_items;
use crate::axis::{ReplicateAt, RungAt};
use crate::ledger::{Kept, KeptImages, KeptItem, Ledger};
use crate::plan::{Cell, Plan, Preparation, RaterPreparation, look_up};

/// A subject that is ready, and its checkpoint when there is a new one to keep.
type Prepared = (Box<dyn Fitted>, Option<Vec<u8>>);

/// Fits a subject or a rater, or takes up its checkpoint; nothing where nothing is needed.
pub(super) fn prepare(
    plan: &Plan,
    needs: JobNeeds,
    checkpoint: Option<Vec<u8>>,
    keeper: &dyn FitKeeper,
) -> Result<Option<Prepared>, Failure> {
    let subject = match needs {
        JobNeeds::Nothing | JobNeeds::ReadyRater(_) => return Ok(None),
        JobNeeds::Subject(one) => match &*plan.subjects[one.subject].subject {
            SubjectPart::Live(subject) => subject,
            SubjectPart::Recorded(_) => unreachable!("recorded answers need no preparation"),
        },
        JobNeeds::Rater(one) => match &*plan.raters[one.rater].rater {
            AnyRater::Subject(subject) => subject,
            AnyRater::Ready(_) => unreachable!("what comes ready needs no preparation"),
        },
    };
    if let Some(bytes) = checkpoint
        && let Ok(fitted) = subject.restore(&bytes)
    {
        return Ok(Some((fitted, None)));
    }
    let fitted = match needs {
        JobNeeds::Subject(one) => fit(plan, one, subject.as_ref(), keeper)?,
        JobNeeds::Rater(one) => fit_rater(plan, one, subject.as_ref(), keeper)?,
        JobNeeds::Nothing | JobNeeds::ReadyRater(_) => return Ok(None),
    };
    let checkpoint = fitted.checkpoint();
    Ok(Some((fitted, Some(checkpoint))))
}

fn fit_rater(
    plan: &Plan,
    preparation: RaterPreparation,
    subject: &dyn Subject,
    keeper: &dyn FitKeeper,
) -> Result<Box<dyn Fitted>, Failure> {
    let terms = FitTerms {
        replicate: plan.replicate_number(preparation.replicate),
        clusters: None,
        keeper,
    };
    rater::fit(
        subject,
        plan.rater_fit_split(preparation),
        terms,
        plan.subject_seed(preparation.replicate),
    )
}

fn fit(
    plan: &Plan,
    preparation: Preparation,
    subject: &dyn Subject,
    keeper: &dyn FitKeeper,
) -> Result<Box<dyn Fitted>, Failure> {
    let split = plan.fit_split(preparation);
    let column = plan.fitted_by_cluster(preparation.subject);
    let clusters = column.and_then(|column| split.columns().get(column));
    let terms = FitTerms {
        replicate: plan.replicate_number(preparation.replicate),
        clusters: clusters.map(Vec::as_slice),
        keeper,
    };
    let pressed = press(plan, split, preparation.replicate, preparation.stress)?;
    let seed = plan.subject_seed(preparation.replicate);
    subject::fit_under(subject, pressed.as_ref().unwrap_or(split), terms, seed)
}

/// The split under the blind stressors of a rung; `None` when nothing presses.
fn press(
    plan: &Plan,
    split: &Split,
    replicate: ReplicateAt,
    at: Option<RungAt>,
) -> Result<Option<Split>, Failure> {
    let Some(at) = at else {
        return Ok(None);
    };
    let (stress, rung) = plan.rung(at);
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

/// A prepared subject or rater that is asked, and where its answers go as they come; none where
/// answers were recorded, or the rater comes ready.
pub(super) struct Asking<'a> {
    pub(super) plan: &'a Plan,
    /// None for a rehearsal, which keeps nothing.
    pub(super) ledger: Option<&'a Ledger>,
    pub(super) fitted: Option<&'a dyn Fitted>,
    pub(super) terms: IntakeTerms<'a>,
}

impl Asking<'_> {
    /// What a rater makes of kept answers.
    pub(super) fn rate(&self, cell: Cell, rated: &Kept) -> Result<Kept, Unanswered> {
        let Some(rater) = cell.rater else {
            unreachable!("only a rater rates");
        };
        let split = self
            .plan
            .dataset(cell.test, cell.replicate)
            .dataset()
            .test();
        let items = split.items();
        let truth = split.truth();
        let (answers, cost) = match (&*self.plan.raters[rater].rater, self.fitted) {
            (AnyRater::Ready(ready), _) => {
                let answers = rater::rate(ready.as_ref(), items, truth, &rated.answers)?;
                (answers, None)
            }
            (AnyRater::Subject(_), Some(fitted)) => {
                let texts = TextsToRate::new(items, truth, &rated.answers)?;
                let (answers, cost) = match texts.items().is_empty() {
                    true => {
                        let none = RatingAnswers::new(Vec::new(), Vec::new());
                        (Answers::Ratings(none), None)
                    }
                    false => self.answer(cell, texts.items(), fitted)?,
                };
                (texts.ratings(answers)?, cost)
            }
            (AnyRater::Subject(_), None) => unreachable!("a subject is readied before it rates"),
        };
        let kept = checked(cell, split, answers, Vec::new())?;
        Ok(Kept { cost, ..kept })
    }

    /// The answers of cells that are about one set of stressed items, or about one attack's ladder,
    /// in order; an `Err` stands for all of them.
    pub(super) fn ask(&self, cells: &[Cell]) -> Result<Vec<Result<Kept, Unanswered>>, Failure> {
        let plan = self.plan;
        let cell = cells[0];
        let split = plan.dataset(cell.test, cell.replicate).dataset().test();
        let Some(fitted) = self.fitted else {
            return Ok(cells
                .iter()
                .map(|cell| recorded(plan, *cell, split).map_err(Unanswered::from))
                .collect());
        };
        match cell.stress {
            Some(at) if plan.stresses[at.stress].aware => self.climb(cells, split, fitted),
            stress => {
                let pressing = stress.filter(|at| plan.stresses[at.stress].presses_test());
                let pressed = press(plan, split, cell.replicate, pressing)?;
                let answers = |cell: &Cell| self.answers(*cell, split, pressed.as_ref(), fitted);
                Ok(cells.iter().map(answers).collect())
            }
        }
    }

    fn climb(
        &self,
        cells: &[Cell],
        split: &Split,
        fitted: &dyn Fitted,
    ) -> Result<Vec<Result<Kept, Unanswered>>, Failure> {
        let plan = self.plan;
        let cell = cells[0];
        let Some(first) = cell.stress else {
            unreachable!("an attack is always under stress")
        };
        let stress = &plan.stresses[first.stress];
        let planned = &stress.stressors[0];
        let Stressor::Aware(attack) = &*planned.stressor else {
            unreachable!("an aware stress is an attack")
        };
        let severities: Vec<Severity> = stress
            .rungs
            .iter()
            .map(|rung| rung.severity.clone())
            .collect();
        let seed = plan.stress_seed(cell.replicate, planned.part, 0);
        let source = planned.source;
        let source = source.map(|source| self.source(Preparation::clean(source, cell.replicate)));
        let climb = stressor::climb_from(
            attack.as_ref(),
            fitted,
            source.transpose()?.as_deref(),
            split,
            &severities,
            seed,
        )?;
        if climb.rungs.len() != severities.len() || climb.spent.len() != severities.len() {
            return Err(Failure::new(
                FailureKind::Nonsense,
                "the attack did not return every rung",
            ));
        }
        let rungs: Vec<Split> = climb
            .rungs
            .into_iter()
            .map(|items| split.with_items(items))
            .collect();
        let answers = |cell: &Cell| {
            let rung = cell.stress.unwrap_or(first).rung;
            let mut kept = self.answers(*cell, split, Some(&rungs[rung]), fitted)?;
            kept.attack_doubts.clone_from(&climb.doubts);
            kept.spent = Some(climb.spent[rung].clone());
            if stress.keeps_images {
                let attacked = rungs[rung].items();
                kept.images = Some(KeptImages::new(split.items(), attacked, &kept, fitted)?);
            }
            Ok(kept)
        };
        Ok(cells.iter().map(answers).collect())
    }

    /// Another subject, ready, for an attack that climbs its slopes: by its checkpoint where one is
    /// kept, and else fitted, which it will then not be again.
    fn source(&self, preparation: Preparation) -> Result<Box<dyn Fitted>, Failure> {
        let id = self.plan.preparation_id(preparation);
        let kept = self.ledger.and_then(|ledger| ledger.checkpoint(id).ok()?);
        let name = &self.plan.study.subjects[preparation.subject].name;
        let failed =
            |why: String| Failure::unable(format!("`{name}`, whose slopes it climbs: {why}"));
        let needs = JobNeeds::Subject(preparation);
        let prepared = prepare(self.plan, needs, kept.map(|kept| kept.bytes), &Unkept);
        let Some((fitted, checkpoint)) = prepared.map_err(|why| failed(why.to_string()))? else {
            unreachable!("a subject that is asked here is prepared")
        };
        if let (Some(ledger), Some(bytes)) = (self.ledger, checkpoint) {
            let kept = ledger.keep_checkpoint(id, &bytes);
            kept.map_err(|error| failed(format!("it cannot be kept: {error}")))?;
        }
        Ok(fitted)
    }

    /// The answer to one cell's question about items that are pressed already.
    fn answers(
        &self,
        cell: Cell,
        split: &Split,
        pressed: Option<&Split>,
        fitted: &dyn Fitted,
    ) -> Result<Kept, Unanswered> {
        let plan = self.plan;
        let items = pressed.unwrap_or(split).items();
        let taking_part = taking_part(plan, cell, split);
        let (answers, cost) = match (cell.question, taking_part) {
            (Question::Explanation(asked), some) => {
                let before = split.items();
                (explained(asked, items, before, some, fitted)?, None)
            }
            (_, None) => self.answer(cell, items, fitted)?,
            (_, Some(some)) => {
                let (answers, cost) = self.answer(cell, &items.select(&some), fitted)?;
                let absent = Absence::not_taking_part();
                (answers.spread(&some, items.len(), &absent), cost)
            }
        };
        let answers = meant(plan, cell, answers, pressed);
        let shown = pressed.map_or_else(Vec::new, |pressed| {
            keep_worst_items(split, pressed, &answers)
        });
        let realised = realised(plan, cell, split, pressed)?;
        let kept = checked(cell, split, answers, shown)?;
        Ok(Kept {
            realised,
            cost,
            doubts: fitted.remarks(),
            ..kept
        })
    }

    /// All at once, or item by item where the subject offers that.
    fn answer(
        &self,
        cell: Cell,
        items: &Items,
        fitted: &dyn Fitted,
    ) -> Result<(Answers, Option<Cost>), Unanswered> {
        match (fitted.item_by_item(), self.ledger) {
            (None, _) | (_, None) => Ok((fitted.answer(cell.question, items)?, None)),
            (Some(each), Some(ledger)) => {
                let partial = ledger
                    .partial(self.plan.id(cell))
                    .map_err(|error| Failure::unable(format!("answers cannot be kept: {error}")))?;
                let told = item_by_item(each, cell.question, items, &partial, &self.terms);
                told.map(|(answers, cost)| (answers, Some(cost)))
            }
        }
    }
}

/// Answers in the terms of the items as they were: where options were shown in another order, what
/// was said of one is what stands there.
fn meant(plan: &Plan, cell: Cell, answers: Answers, pressed: Option<&Split>) -> Answers {
    let (Answers::Classes(said), Some(pressed), Some(at)) = (&answers, pressed, cell.stress) else {
        return answers;
    };
    let (stress, _) = plan.rung(at);
    let blind = stress
        .stressors
        .iter()
        .filter_map(|one| match &*one.stressor {
            Stressor::Blind(blind) => Some(blind.as_ref()),
            _ => None,
        });
    // What was done last is undone first.
    let back = |said: ClassAnswers, blind: &dyn Blind| {
        said.standing_for(|item| blind.stands_for(pressed.items(), item))
    };
    Answers::Classes(blind.rev().fold(said.clone(), back))
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
        .filter(|at| plan.stresses[at.stress].presses_fit());
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
    let (stress, rung) = plan.rung(cell.stress?);
    let stressors = || stress.stressors.iter().zip(&rung.severities);
    let takes_part = |item: &usize| {
        stressors().all(|(planned, severity)| {
            planned
                .stressor
                .takes_part(split.items(), *item, severity, rung.variant)
        })
    };
    let some: Vec<usize> = (0..split.items().len()).filter(takes_part).collect();
    let shown = stress.presses_test() || stress.acts_on == ActsOn::Elsewhere;
    (shown && some.len() < split.items().len()).then_some(some)
}

fn recorded(plan: &Plan, cell: Cell, split: &Split) -> Result<Kept, Failure> {
    let SubjectPart::Recorded(recording) = &*plan.subjects[cell.subject].subject else {
        unreachable!("only recorded answers need no preparation");
    };
    let found = look_up(
        recording.as_ref(),
        &plan.circumstances(cell),
        cell.question,
        split,
    );
    let (answers, remarks) = found.map_err(|problem| Failure::unable(problem.to_string()))?;
    let answers = match taking_part(plan, cell, split) {
        None => answers,
        Some(some) => answers.only(&some, &Absence::not_taking_part()),
    };
    checked(cell, split, answers, Vec::new()).map(|kept| Kept {
        doubts: remarks,
        ..kept
    })
}

fn checked(
    cell: Cell,
    split: &Split,
    answers: Answers,
    items: Vec<KeptItem>,
) -> Result<Kept, Failure> {
    let asked = cell.question;
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
