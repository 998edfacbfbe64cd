//! Says the instruction of a prompt in other words.
//!
//! # What it does
//! Puts each of `instructions` beside every text, under the name `instruction`, one for each variant
//! of its only severity, 1: paraphrases press equally hard. A template asks with it, and with its own
//! words when clean: `{{ instruction | default("Explain this expression.") }}`.
//!
//! # Why it matters
//! One prompt is one draw of many that say the same. How much of a number is the prompt's is seen by
//! asking with several: the table of where variance comes from has a column for templates at this
//! rung, and `template-spread` reads their standard deviation.
//!
//! # Severity
//! Paraphrases: 1, with as many variants as there are instructions.
//!
//! # Promise
//! Blind. The text itself is not touched.
//!
//! # Example
//! ```toml
//! [ladder.paraphrased]
//! use = "instruction"
//! severities = [1]
//! instructions = ["What does this expression mean?", "Say what it means in one sentence."]
//! ```
//!
//! # Reference
//! M. Sclar and others, Quantifying Language Models' Sensitivity to Spurious Features in Prompt
//! Design, ICLR 2024; M. Mizrahi and others, State of What Art? A Call for Multi-Prompt LLM
//! Evaluation, TACL 2024.

use duress_core::data::{InputKind, Inputs, Items};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Pressure, Promise, Stressor};
use duress_core::subject::Failure;

/// The part.
pub static PART: Part = Part {
    name: "instruction",
    version: 1,
    fields: &[Field {
        name: "instructions",
        takes: Takes::Texts,
        doc: "the instruction in other words, once for each variant",
        default: None,
    }],
    source: include_str!("instruction.rs"),
    build: Build::Stressor(|params| {
        let instructions = params.texts("instructions").to_vec();
        match instructions.is_empty() {
            true => Err(Problem::new("`instructions` is empty").expected("one or more")),
            false => Ok(Stressor::Blind(Box::new(Instruction { instructions }))),
        }
    }),
};

/// What stands beside a text that is asked about in other words.
const BESIDE: &str = "instruction";

struct Instruction {
    instructions: Vec<String>,
}

impl Blind for Instruction {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "paraphrases",
            most: 1.0,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    fn variants(&self, severity: &Severity) -> usize {
        match severity.is_clean() {
            true => 1,
            false => self.instructions.len(),
        }
    }

    fn variant_name(&self, _severity: &Severity, variant: usize) -> Option<String> {
        Some(format!("paraphrase {}", variant + 1))
    }

    fn varies_templates(&self) -> bool {
        true
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        _seed: Seed,
    ) -> Result<Items, Failure> {
        if severity.is_clean() {
            return Ok(pressed.items.clone());
        }
        if severity.value() != 1.0 {
            return Err(Failure::unable(format!(
                "severity {severity}: paraphrases press equally hard, at 1"
            )));
        }
        let instruction = &self.instructions[pressed.variant];
        let texts = pressed.items.texts()?.iter();
        let texts = texts.map(|text| text.clone().with(BESIDE, instruction.as_str()));
        Ok(pressed.items.with(Inputs::Texts(texts.collect())))
    }
}
