//! Injection as a stressor: k errors of one kind in every text.

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise};
use duress_core::subject::Failure;
use duress_text::injection::Injector;

/// The largest dose.
pub(crate) const MOST: usize = 5;

/// Injects as many errors as the severity says.
pub(crate) struct Injection(pub(crate) Injector);

impl Injection {
    fn count(severity: &Severity) -> Result<usize, Failure> {
        let value = severity.value();
        match value.fract() == 0.0 && value <= MOST as f64 {
            true => Ok(value as usize),
            false => Err(Failure::unable(format!(
                "severity {severity}: errors are whole numbers up to {MOST}"
            ))),
        }
    }
}

/// What an injected error must not agree with by accident.
fn beside(text: &Text) -> String {
    ["prompt", "source"]
        .iter()
        .filter_map(|name| text.beside(name))
        .collect::<Vec<_>>()
        .join(" ")
}

impl Blind for Injection {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "errors",
            most: MOST as f64,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    /// A text with too few places for so many errors is not asked about: a step that cannot be done
    /// is no error.
    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, _variant: usize) -> bool {
        match (items.inputs(), Injection::count(severity)) {
            (Inputs::Texts(texts), Ok(count)) => {
                self.0.capacity(&texts[item].text, &beside(&texts[item])) >= count
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
        let (items, count) = (pressed.items, Injection::count(severity)?);
        let press = |(i, text): (usize, &Text)| {
            let injected = self
                .0
                .inject(&text.text, &beside(text), count, items.seed(i, seed));
            injected.map_or_else(|| text.clone(), |injected| text.pressed(injected.text))
        };
        Ok(items.with(Inputs::Texts(
            items.texts()?.iter().enumerate().map(press).collect(),
        )))
    }
}
