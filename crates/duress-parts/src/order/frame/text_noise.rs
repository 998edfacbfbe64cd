//! Dosed noise in texts: some of the places that can be changed are, the same ones first at every
//! severity, each in its own way.

use std::ops::Range;

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::seed::{Draws, Seed};
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;

/// A kind of noise.
pub(crate) struct TextNoise {
    /// What the severity is a share of, in words.
    pub(crate) unit: &'static str,
    /// The places of a text that it may change; they do not overlap.
    pub(crate) sites: fn(&str) -> Vec<Range<usize>>,
    /// What stands at a place afterwards; none where it cannot be changed.
    pub(crate) change: fn(&str, &mut Draws) -> Option<String>,
    /// Whether one place at least must stay as it was.
    pub(crate) leaves_one: bool,
}

impl TextNoise {
    /// The places that are changed at all, each with what stands there then, those that are changed
    /// first in front.
    fn edits(&self, text: &str, seed: Seed) -> Vec<(Range<usize>, String)> {
        let change = |(at, site): (usize, Range<usize>)| {
            let mut draws = seed.child(format!("site {at}")).draws();
            let before = &text[site.clone()];
            let after = (self.change)(before, &mut draws)?;
            (after != before).then_some((site, after))
        };
        let sites = (self.sites)(text).into_iter().enumerate();
        let mut edits: Vec<(Range<usize>, String)> = sites.filter_map(change).collect();
        seed.child("which sites").draws().shuffle(&mut edits);
        if self.leaves_one {
            edits.pop();
        }
        edits
    }

    fn pressed(&self, text: &str, severity: &Severity, seed: Seed) -> String {
        let mut edits = self.edits(text, seed);
        edits.truncate(counted(edits.len(), severity));
        edits.sort_by_key(|(site, _)| std::cmp::Reverse(site.start));
        let mut pressed = text.to_owned();
        for (site, after) in edits {
            pressed.replace_range(site, &after);
        }
        pressed
    }
}

/// How many of so many places a severity is: one at least, so that every rung changes something.
fn counted(sites: usize, severity: &Severity) -> usize {
    let share = severity.value().min(1.0) * sites as f64;
    // What rounding adds to a share must not add a place.
    libm::ceil(share - 1e-9) as usize
}

/// The stressor of a kind of noise.
pub(crate) struct NoiseStressor(&'static TextNoise);

impl NoiseStressor {
    /// How a part is built that takes no keys.
    pub(crate) fn boxed(noise: &'static TextNoise) -> Stressor {
        Stressor::Blind(Box::new(NoiseStressor(noise)))
    }
}

impl Blind for NoiseStressor {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: self.0.unit,
            most: 1.0,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    /// A text in which nothing can be changed does not take part. Which places there are does not
    /// depend on the draws, but for what a draw leaves as it was.
    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, _variant: usize) -> bool {
        match items.inputs() {
            Inputs::Texts(texts) => {
                let edits = || self.0.edits(&texts[item].text, Seed::new(0));
                severity.is_clean() || !edits().is_empty()
            }
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
        let noisy = |(i, text): (usize, &Text)| {
            let own = items.seed(i, seed);
            text.pressed(self.0.pressed(&text.text, severity, own))
        };
        let texts = items.texts()?.iter().enumerate().map(noisy).collect();
        Ok(items.with(Inputs::Texts(texts)))
    }
}

/// The build of a part that is a kind of noise.
macro_rules! noise_part {
    ($name:literal, $file:literal) => {
        /// The part.
        pub static PART: duress_core::part::Part = duress_core::part::Part {
            name: $name,
            version: 1,
            fields: &[],
            source: include_str!($file),
            build: duress_core::part::Build::Stressor(|_| {
                Ok(crate::order::frame::text_noise::NoiseStressor::boxed(
                    &NOISE,
                ))
            }),
        };
    };
}

pub(crate) use noise_part;

/// The places of the characters that are of some kind.
pub(crate) fn characters(text: &str, is: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let of = text.char_indices().filter(|(_, c)| is(*c));
    of.map(|(at, c)| at..at + c.len_utf8()).collect()
}

/// The character of a place that is one.
pub(crate) fn only(site: &str) -> Option<char> {
    let mut characters = site.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

/// One of several things.
pub(crate) fn one_of<T: Copy>(all: &[T], draws: &mut Draws) -> Option<T> {
    (!all.is_empty()).then(|| all[draws.below(all.len())])
}
