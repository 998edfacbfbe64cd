//! Stressors at a severity: the entries of `press`, and presets.

use std::ops::Range;

use duress_core::part::{Params, PartKind, Raw};
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_parts::causal::presets;

use super::StudyReader;
use crate::study::keys;
use crate::study::node::Node;
use crate::study::reader::Reader;
use crate::study::{Chosen, Press};

impl StudyReader<'_> {
    pub(super) fn presses(&mut self, reader: &Reader<'_>) -> Vec<Press> {
        let tables = reader.tables("press", &mut self.problems);
        tables
            .into_iter()
            .filter_map(|(span, nodes)| self.press(span, nodes))
            .collect()
    }

    /// The stressors of the preset that is named, if one is.
    pub(super) fn preset(&mut self, reader: &Reader<'_>) -> Vec<Press> {
        let Some(named) = reader.text("preset", &mut self.problems) else {
            return Vec::new();
        };
        let Some(preset) = presets::find(&named.value) else {
            let wrong = Problem::new(format!("there is no preset `{}`", named.value));
            let words = presets::PRESETS.iter().map(|preset| preset.name);
            self.problems
                .push(wrong.nearest(&named.value, words).at(named.span));
            return Vec::new();
        };
        let press = |one: &presets::PresetPress| {
            let part = self.registry.find(PartKind::Stressor, one.stressor).ok()?;
            let keys: Vec<(&str, Raw)> = one
                .keys
                .iter()
                .map(|(key, x)| (*key, Raw::Whole(*x)))
                .collect();
            let params = Params::of(part, &keys, self.folder).ok()?;
            let severity = Severity::new(one.severity).ok()?;
            Some(Press {
                chosen: Chosen { part, params },
                severity,
                span: named.span.clone(),
            })
        };
        preset.press.iter().filter_map(press).collect()
    }

    fn press(&mut self, span: Range<usize>, nodes: &[Node]) -> Option<Press> {
        let reader = Reader::new(
            "a press",
            span.clone(),
            nodes,
            keys::PRESSED,
            &mut self.problems,
        );
        let chosen = self.chosen(PartKind::Stressor, &reader);
        let severity = reader.severity("severity", &mut self.problems);
        Some(Press {
            chosen: chosen?,
            severity: severity?,
            span,
        })
    }
}
