//! The frame of every stressor of windows: what it is like, and what it does to a copy of them.

use duress_core::data::{InputKind, Inputs, Items, Windows};
use duress_core::seed::{Draws, Seed};
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Monotone, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;
use duress_graph::missing::{self, Chance};

type WindowAct = dyn Fn(&mut Windows, Pressed<'_>, f64, Seed) -> Result<(), Failure> + Send + Sync;

/// A blind stressor of windows.
pub(crate) struct WindowCorruption {
    pressure: Pressure,
    monotone: Monotone,
    depends_on_other_items: bool,
    act: Box<WindowAct>,
}

impl WindowCorruption {
    /// One that changes each window for itself: windows, the position, the severity, the draws of
    /// that window. `monotone` says for what distortion rises with the severity.
    pub(crate) fn of_each(
        unit: &'static str,
        most: f64,
        monotone: Monotone,
        act: impl Fn(&mut Windows, usize, f64, Draws) + Send + Sync + 'static,
    ) -> Stressor {
        Stressor::Blind(Box::new(WindowCorruption {
            pressure: pressure(unit, most, Promise::KeepsShape),
            monotone,
            depends_on_other_items: false,
            act: Box::new(move |windows, pressed, severity, seed| {
                for i in 0..windows.len() {
                    act(windows, i, severity, pressed.items.seed(i, seed).draws());
                }
                Ok(())
            }),
        }))
    }

    /// One that changes windows in view of each other.
    pub(crate) fn of_all(
        unit: &'static str,
        most: f64,
        monotone: Monotone,
        act: impl Fn(&mut Windows, Pressed<'_>, f64, Seed) -> Result<(), Failure>
        + Send
        + Sync
        + 'static,
    ) -> Stressor {
        Stressor::Blind(Box::new(WindowCorruption {
            pressure: pressure(unit, most, Promise::KeepsShape),
            monotone,
            depends_on_other_items: true,
            act: Box::new(act),
        }))
    }

    /// One that hides each value with the same probability.
    pub(crate) fn hiding_evenly() -> Stressor {
        Stressor::Blind(Box::new(WindowCorruption {
            pressure: pressure(HIDDEN, 1.0, Promise::OnlyHides),
            monotone: Monotone::EachItem,
            depends_on_other_items: false,
            act: Box::new(|windows, pressed, rate, seed| {
                for i in 0..windows.len() {
                    let draws = pressed.items.seed(i, seed).draws();
                    missing::completely_at_random(windows, i, rate, draws);
                }
                Ok(())
            }),
        }))
    }

    /// One that hides values by what the values of all windows are.
    pub(crate) fn hiding(
        sees_truth: bool,
        act: impl Fn(&mut Windows, Pressed<'_>, f64, &Chance<'_>) -> Result<(), Failure>
        + Send
        + Sync
        + 'static,
    ) -> Stressor {
        Stressor::Blind(Box::new(WindowCorruption {
            pressure: Pressure {
                sees_truth,
                ..pressure(HIDDEN, 1.0, Promise::OnlyHides)
            },
            monotone: Monotone::EachItem,
            depends_on_other_items: true,
            act: Box::new(move |windows, pressed, rate, seed| {
                let of_window = |window: usize| pressed.items.seed(window, seed).draws();
                let chance = Chance {
                    shared: seed,
                    of_window: &of_window,
                };
                act(windows, pressed, rate, &chance)
            }),
        }))
    }
}

fn pressure(unit: &'static str, most: f64, promise: Promise) -> Pressure {
    Pressure {
        accepts: InputKind::Windows,
        unit,
        most,
        sees_truth: false,
        promise,
    }
}

const HIDDEN: &str = "share of values hidden";

impl Blind for WindowCorruption {
    fn pressure(&self) -> Pressure {
        self.pressure.clone()
    }

    fn monotone(&self) -> Monotone {
        self.monotone
    }

    fn depends_on_other_items(&self) -> bool {
        self.depends_on_other_items
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure> {
        let mut windows = pressed.items.windows()?.clone();
        (self.act)(&mut windows, pressed, severity.value(), seed)?;
        Ok(pressed.items.with(Inputs::Windows(windows)))
    }
}
