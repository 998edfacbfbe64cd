//! Exhibits: the worst items before and after, and graphs learned beside true.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::exhibit::{true_graph, truth_in_words};

use super::answers::Answered;
use super::findings::{Exhibit, Sight};
use crate::ledger::{Kept, KeptDataset, KeptItem};
use crate::plan::{Cell, Plan};

/// For each subject and ladder, the highest rung of the first seed.
pub(super) fn exhibits(plan: &Plan, answered: &Answered) -> Vec<Exhibit> {
    let mut all = Vec::new();
    for (subject, planned) in plan.subjects.iter().enumerate().filter(|(_, planned)| planned.read) {
        for &test in &planned.test_on {
            for (at, stress) in plan.stresses.iter().enumerate().filter(|(_, one)| one.applies_to[subject]) {
                let last = stress.rungs.len() - 1;
                let cell = Cell { subject, replicate: 0, test, stress: Some((at, last)) };
                all.extend(of_cell(plan, answered, cell));
            }
        }
    }
    all
}

fn of_cell(plan: &Plan, answered: &Answered, cell: Cell) -> Vec<Exhibit> {
    let pressed = answered.kept(cell).ok();
    let clean = answered.kept(plan.clean_twin(cell)).ok();
    let (Some(pressed), Some(clean), Some(dataset)) = (pressed, clean, answered.dataset(plan, cell)) else {
        return Vec::new();
    };
    let shown = Shown { plan, cell, clean, pressed, dataset };
    match (&clean.answers, &pressed.answers) {
        (Answers::Classes(before), Answers::Classes(after)) => shown.images(before, after),
        (Answers::Graph(before), Answers::Graph(after)) => shown.graph(before, after).into_iter().collect(),
        _ => Vec::new(),
    }
}

struct Shown<'a> {
    plan: &'a Plan,
    cell: Cell,
    clean: &'a Arc<Kept>,
    pressed: &'a Arc<Kept>,
    dataset: &'a Arc<KeptDataset>,
}

impl Shown<'_> {
    /// Items that were right when clean come first: they show what the stress did.
    fn images(
        &self,
        before: &duress_core::answer::ClassAnswers,
        after: &duress_core::answer::ClassAnswers,
    ) -> Vec<Exhibit> {
        let truth = |item: &KeptItem| truth_in_words(&self.dataset.truth, item.at).unwrap_or_default();
        let said = |answers: &duress_core::answer::ClassAnswers, at: usize| match answers.label(at) {
            None => "no answer".to_string(),
            Some(label) => answers.classes()[label as usize].clone(),
        };
        let mut items: Vec<&KeptItem> =
            self.pressed.items.iter().filter(|item| item.at < before.len()).collect();
        items.sort_by_key(|item| said(before, item.at) != truth(item));
        let with_confidence = |answers: &duress_core::answer::ClassAnswers, at: usize| {
            let sure =
                answers.confidence(at).map_or(String::new(), |sure| format!(" ({:.0} %)", 100.0 * sure));
            format!("{}{sure}", said(answers, at))
        };
        let exhibit = |item: &KeptItem| Exhibit {
            place: self.plan.place(self.cell),
            seed: self.plan.study.seeds[self.cell.replicate],
            item: self.clean.ids[item.at].clone(),
            truth: truth(item),
            said_clean: with_confidence(before, item.at),
            said_pressed: with_confidence(after, item.at),
            sight: Sight::Image { shape: item.shape, before: bytes(&item.before), after: bytes(&item.after) },
        };
        items.into_iter().take(self.plan.study.report.exhibits).map(exhibit).collect()
    }

    fn graph(
        &self,
        before: &duress_core::answer::GraphAnswer,
        after: &duress_core::answer::GraphAnswer,
    ) -> Option<Exhibit> {
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
            },
        })
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte =
        |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    digits.filter_map(byte).collect()
}
