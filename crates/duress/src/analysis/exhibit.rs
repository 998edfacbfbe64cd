//! Exhibits: the worst items before and after, and graphs learned beside true.

use std::collections::BTreeMap;
use std::sync::Arc;

use duress_core::answer::{Answers, ClassAnswers, GraphAnswer, MapAnswers};
use duress_core::exhibit::{true_graph, truth_in_words};
use duress_core::explanation::Explanation;
use duress_core::question::Question;

use super::answers::Answered;
use crate::axis::ReplicateAt;
use crate::ledger::{Kept, KeptDataset, KeptItem};
use crate::plan::{Cell, Plan};
use crate::study::TextsShown;
use duress_findings::{EdgeShares, Exhibit, MapPair, Sight};

/// The column of a dataset that says in English what an item means.
const TRANSLATION: &str = "translation";

/// For each subject and ladder, the highest rung of the first seed.
pub(super) fn exhibits(plan: &Plan, answered: &Answered) -> Vec<Exhibit> {
    let mut all = Vec::new();
    for (subject, planned) in plan.subjects.at_each() {
        let Some(&question) = planned.asked.first() else {
            continue;
        };
        for &test in &planned.test_on {
            for (at, stress) in plan.pressing_on(subject, test) {
                let cell = Cell {
                    subject,
                    replicate: ReplicateAt::FIRST,
                    test,
                    stress: stress.rungs_at(at).last(),
                    question,
                    rater: None,
                };
                all.extend(of_cell(plan, answered, cell));
            }
        }
    }
    all
}

fn of_cell(plan: &Plan, answered: &Answered, cell: Cell) -> Vec<Exhibit> {
    let pressed = answered.kept(cell).ok();
    let clean = answered.kept(plan.clean_twin(cell)).ok();
    let (Some(pressed), Some(clean), Some(dataset)) =
        (pressed, clean, answered.dataset(plan, cell))
    else {
        return Vec::new();
    };
    let shown = Shown {
        plan,
        answered,
        cell,
        clean,
        pressed,
        dataset,
    };
    match (&clean.answers, &pressed.answers) {
        (Answers::Graph(before), Answers::Graph(after)) => {
            shown.graph(before, after).into_iter().collect()
        }
        (before, after) => shown.items(before, after),
    }
}

struct Shown<'a> {
    plan: &'a Plan,
    answered: &'a Answered,
    cell: Cell,
    clean: &'a Arc<Kept>,
    pressed: &'a Arc<Kept>,
    dataset: &'a Arc<KeptDataset>,
}

impl Shown<'_> {
    /// Items that were right when clean come first: they show what the stress did.
    fn items(&self, before: &Answers, after: &Answers) -> Vec<Exhibit> {
        let truth =
            |item: &KeptItem| truth_in_words(&self.dataset.truth, item.at()).unwrap_or_default();
        let wrong = |item: &KeptItem| match before {
            Answers::Classes(said) => class(said, item.at()) != truth(item),
            _ => false,
        };
        let hides = self.plan.study.report.texts == TextsShown::Hide;
        let is_shown = |item: &&KeptItem| !(hides && matches!(item, KeptItem::Text { .. }));
        let mut items: Vec<&KeptItem> = self.pressed.items.iter().filter(is_shown).collect();
        items.sort_by_key(|item| wrong(item));
        let exhibit = |item: &KeptItem| Exhibit {
            place: self.plan.place(self.cell),
            seed: self.plan.study.seeds[self.cell.replicate],
            item: self.clean.ids[item.at()].clone(),
            truth: self.with_translation(truth(item), item.at()),
            said_clean: in_words(before, item.at()),
            said_pressed: in_words(after, item.at()),
            sight: sight(item, self.maps(item.at())),
        };
        items
            .into_iter()
            .take(self.plan.study.report.exhibits)
            .map(exhibit)
            .collect()
    }

    /// The maps of an item before and under stress, where both were made: of the first methods that
    /// ask the subject, the same for all items.
    fn maps(&self, item: usize) -> Vec<MapPair> {
        let asked = self.plan.subjects[self.cell.subject].asked.iter();
        let methods = asked.filter(|question| is_shown_as_map(**question));
        let pair = |question: &Question| {
            let cell = Cell {
                question: *question,
                ..self.cell
            };
            let before = self.answered.kept(self.plan.clean_twin(cell)).ok()?;
            let after = self.answered.kept(cell).ok()?;
            map_pair(&before.answers, &after.answers, item)
        };
        methods.take(METHODS_SHOWN).filter_map(pair).collect()
    }

    /// What is true of an item, with what that means in English where a column of the dataset says
    /// it: a reader of the report need not know the language.
    fn with_translation(&self, truth: String, item: usize) -> String {
        let translations = self.dataset.columns.get(TRANSLATION);
        let own = translations.and_then(|all| all.get(item));
        match own.filter(|text| !text.is_empty()) {
            Some(text) => format!("{truth} (in English: {text})"),
            None => truth,
        }
    }

    /// Over the seeds that answered; none where the truth differs between them, or there is only
    /// one.
    fn shares(&self) -> Option<EdgeShares> {
        let mut clean = Vec::new();
        let mut pressed = Vec::new();
        for cell in self.plan.for_each_seed(self.cell) {
            if self.answered.dataset(self.plan, cell)?.truth != self.dataset.truth {
                return None;
            }
            let twin = self.answered.kept(self.plan.clean_twin(cell)).ok();
            if let (Some(before), Some(after)) = (twin, self.answered.kept(cell).ok())
                && let (Answers::Graph(before), Answers::Graph(after)) =
                    (&before.answers, &after.answers)
            {
                clean.push(before.graph.edges().to_vec());
                pressed.push(after.graph.edges().to_vec());
            }
        }
        (clean.len() > 1).then(|| EdgeShares {
            seeds: clean.len(),
            clean: counted(&clean),
            pressed: counted(&pressed),
        })
    }

    fn graph(&self, before: &GraphAnswer, after: &GraphAnswer) -> Option<Exhibit> {
        let truth = true_graph(&self.dataset.truth)?;
        let edges = |graph: &duress_core::graph::Graph| format!("{} edges", graph.edges().len());
        (self.plan.study.report.exhibits > 0).then(|| Exhibit {
            place: self.plan.place(self.cell),
            seed: self.plan.study.seeds[self.cell.replicate],
            item: "the whole dataset".into(),
            truth: edges(truth),
            said_clean: edges(&before.graph),
            said_pressed: edges(&after.graph),
            sight: Sight::Graph {
                variables: truth.variables().to_vec(),
                truth: truth.edges().to_vec(),
                clean: before.graph.edges().to_vec(),
                pressed: after.graph.edges().to_vec(),
                shares: self.shares(),
            },
        })
    }
}

/// How often each edge is among these lists.
fn counted(lists: &[Vec<(u32, u32)>]) -> Vec<((u32, u32), f64)> {
    let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    lists
        .iter()
        .flatten()
        .for_each(|edge| *counts.entry(*edge).or_default() += 1);
    counts
        .into_iter()
        .map(|(edge, count)| (edge, count as f64 / lists.len() as f64))
        .collect()
}

/// How many methods an exhibit has maps by: findings stay small, and so does what a reader compares.
const METHODS_SHOWN: usize = 2;

/// Whether a question is for maps of the subject itself: a floor looks alike for all, and another
/// draw of the same noise is there to be measured.
fn is_shown_as_map(question: Question) -> bool {
    let Question::Explanation(asked) = question else {
        return false;
    };
    matches!(asked.explanation(), Explanation::Map(of) if of.draw == 0 && !of.method.is_floor())
}

fn map_pair(before: &Answers, after: &Answers, item: usize) -> Option<MapPair> {
    let (Answers::Maps(before), Answers::Maps(after)) = (before, after) else {
        return None;
    };
    let shares = |maps: &MapAnswers| {
        let map = maps.maps().get(item)?.as_ref().ok()?;
        let largest = map.largest().max(f32::MIN_POSITIVE);
        let share = |value: f32| (127.0 * value / largest).round() as i8;
        Some(map.values().into_iter().map(share).collect())
    };
    Some(MapPair {
        asked: before.asked().to_string(),
        height: before.height(),
        width: before.width(),
        before: shares(before)?,
        after: shares(after)?,
    })
}

fn sight(item: &KeptItem, maps: Vec<MapPair>) -> Sight {
    match item {
        KeptItem::Image {
            shape,
            before,
            after,
            ..
        } => Sight::Image {
            shape: *shape,
            before: bytes(before),
            after: bytes(after),
            maps,
        },
        KeptItem::Text { was, is, .. } => Sight::Text {
            before: was.clone(),
            after: is.clone(),
        },
    }
}

/// What was said of an item.
fn in_words(answers: &Answers, at: usize) -> String {
    match answers {
        Answers::Classes(said) => {
            let sure = said
                .confidence(at)
                .map_or(String::new(), |sure| format!(" ({:.0} %)", 100.0 * sure));
            format!("{}{sure}", class(said, at))
        }
        Answers::Texts(said) => said.texts[at]
            .clone()
            .unwrap_or_else(|why| format!("no answer: {why}")),
        Answers::Ratings(said) => match &said.rows()[at] {
            Err(why) => format!("no rating: {why}"),
            Ok(row) => {
                let rated = said
                    .dimensions()
                    .iter()
                    .zip(row)
                    .map(|(name, value)| format!("{name} {value:.1}"));
                rated.collect::<Vec<_>>().join(", ")
            }
        },
        Answers::Maps(said) => match &said.maps()[at] {
            Err(why) => format!("no map: {why}"),
            Ok(_) => format!("a map of {} × {}", said.height(), said.width()),
        },
        Answers::Curves(said) => match &said.rows()[at] {
            Err(why) => format!("no numbers: {why}"),
            Ok(row) => format!("{} numbers", row.len()),
        },
        Answers::Graph(said) => format!("{} edges", said.graph.edges().len()),
    }
}

fn class(said: &ClassAnswers, at: usize) -> String {
    said.label(at).map_or_else(
        || "no answer".into(),
        |label| said.classes()[label as usize].clone(),
    )
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        std::str::from_utf8(pair)
            .ok()
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
    };
    digits.filter_map(byte).collect()
}
