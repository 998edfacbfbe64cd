//! A dose as a stressor: k changes of one kind in every text.

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, StressStep, Stressor};
use duress_core::subject::Failure;
use duress_text::dose::{Dosed, MOST_CHANGES, NoRoom, Recipe};

/// A stressor that makes as many changes as the severity says.
pub(crate) fn dosing(recipe: Recipe, unit: &'static str) -> Stressor {
    Stressor::Blind(Box::new(TextDose { recipe, unit }))
}

struct TextDose {
    recipe: Recipe,
    /// What is counted.
    unit: &'static str,
}

impl TextDose {
    fn count(&self, severity: &Severity) -> Result<usize, Failure> {
        let value = severity.value();
        match value.fract() == 0.0 && value <= MOST_CHANGES as f64 {
            true => Ok(value as usize),
            false => Err(Failure::unable(format!(
                "severity {severity}: {} are whole numbers up to {MOST_CHANGES}",
                self.unit
            ))),
        }
    }

    fn dose(&self, text: &Text, count: usize, seed: Seed) -> Result<Dosed, NoRoom> {
        self.recipe.dose(&text.text, &beside(text), count, seed)
    }
}

/// What a change must not agree with by accident.
fn beside(text: &Text) -> String {
    ["prompt", "source"]
        .iter()
        .filter_map(|name| text.beside(name))
        .collect::<Vec<_>>()
        .join(" ")
}

impl Blind for TextDose {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: self.unit,
            most: MOST_CHANGES as f64,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    fn counts_steps(&self) -> bool {
        true
    }

    /// A text with too few places for so many changes is not asked about: a step that cannot be
    /// done is no change.
    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, _variant: usize) -> bool {
        match (items.inputs(), self.count(severity)) {
            (Inputs::Texts(texts), Ok(count)) => {
                let text = &texts[item];
                self.recipe.capacity(&text.text, &beside(text)) >= count
            }
            // Who cannot be pressed is told so when it is pressed.
            _ => true,
        }
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure> {
        let items = pressed.items;
        let count = self.count(severity)?;
        let press = |(i, text): (usize, &Text)| {
            let dosed = self.dose(text, count, items.seed(i, seed));
            dosed.map_or_else(|_| text.clone(), |dosed| text.pressed(dosed.text))
        };
        Ok(items.with(Inputs::Texts(
            items.texts()?.iter().enumerate().map(press).collect(),
        )))
    }

    fn steps(
        &self,
        items: &Items,
        item: usize,
        severity: &Severity,
        seed: Seed,
    ) -> Option<Result<Vec<StressStep>, String>> {
        let (Inputs::Texts(texts), Ok(count)) = (items.inputs(), self.count(severity)) else {
            return None;
        };
        let dosed = self.dose(&texts[item], count, items.seed(item, seed));
        let dosed = dosed.map_err(|why| why.to_string());
        Some(dosed.map(|dosed| {
            let steps = dosed.steps.into_iter();
            steps
                .map(|step| StressStep {
                    kind: step.subtype.into(),
                    by: step.by.into(),
                    span: step.span,
                    before: step.before,
                    after: step.after,
                })
                .collect()
        }))
    }
}
