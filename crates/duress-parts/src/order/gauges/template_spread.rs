//! How much of a score is the prompt's: the standard deviation that other words for the same
//! instruction give it.
//!
//! # What it does
//! Reads a gauge that is a mean over items at every rung of a ladder of paraphrases, the original
//! among them, and splits the variance of one answer into that of items, of templates and of the
//! rest by the two-way analysis of variance that intervals over seeds rest on. The reading is the
//! standard deviation of templates; the detail has the three shares.
//!
//! # Why it matters
//! Two models that differ by less than this differ by no more than two prompts of one model.
//!
//! # Promise
//! Lower is better, 0 where words do not matter. What sampling of items adds is taken out, so it may
//! be 0 where means differ a little. Items without an answer to some template are left out.
//!
//! # Example
//! ```toml
//! [gauge.template-spread]
//! use = "template-spread"
//! of = "s-acc"
//! ladder = "paraphrased"
//! ```
//!
//! # Reference
//! S. R. Searle, G. Casella and C. E. McCulloch, Variance Components, 1992, chapter 4.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Detail, Direction, Gauge, Group, Meter, Rung, Scale, SubjectGauge, Undefined,
};
use duress_core::name::Name;
use duress_core::part::{Build, Field, Part, Takes};
use duress_stats::components::Components;

use crate::shared::frame::chosen_ladder::chosen_ladder;

/// The part.
pub static PART: Part = Part {
    name: "template-spread",
    version: 1,
    // No gauge by default: in a table of arrangements it would call these templates.
    fields: &[
        Field {
            name: "of",
            takes: Takes::Text,
            doc: "the gauge of single cells, a mean over items, that is read with each template",
            default: None,
        },
        Field {
            name: "ladder",
            takes: Takes::Text,
            doc: "the ladder of paraphrases; may be left out when there is one only",
            default: Some(""),
        },
    ],
    source: include_str!("template_spread.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(TemplateSpread {
            of: params.text("of").into(),
            ladder: params.text_if("ladder").map(Into::into),
        })))
    }),
};

struct TemplateSpread {
    of: String,
    ladder: Option<String>,
}

impl SubjectGauge for TemplateSpread {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "standard deviation of {} over templates, from the two-way analysis of variance of items and templates, the clean one among them: {}",
            self.of, of.convention
        );
        Scale {
            direction: Direction::Lower,
            best: Some(0.0),
            ends: (Some(0.0), None),
            ..of.with_convention(convention)
        }
    }

    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        _columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let (_, rungs) = chosen_ladder(ladders, self.ladder.as_deref())?;
        TemplateScores::of(rungs).map(|scores| Arc::new(scores) as Arc<dyn Meter>)
    }

    fn detail(&self, ladders: &[(Name, Vec<Rung>)], _columns: &Columns) -> Option<Detail> {
        let (_, rungs) = chosen_ladder(ladders, self.ladder.as_deref()).ok()?;
        let scores = TemplateScores::of(rungs).ok()?;
        let variances = scores.variances(&vec![1; scores.units()]).ok()?;
        let all: f64 = variances.iter().sum();
        let share = |(name, variance): (&str, f64)| Group {
            name: name.into(),
            n: scores.counted(),
            value: match all > 0.0 {
                true => Ok(variance / all),
                false => Err(Undefined::new("nothing varies")),
            },
        };
        let names = ["item", "template", "rest"];
        Some(Detail::Groups(
            names.into_iter().zip(variances).map(share).collect(),
        ))
    }
}

/// The score of every item under every template; none of an item that lacks one.
struct TemplateScores {
    templates: usize,
    by_item: Vec<Option<Vec<f64>>>,
}

impl TemplateScores {
    fn of(rungs: &[Rung]) -> Result<TemplateScores, Undefined> {
        let values = rungs.iter().map(|rung| rung.meter.per_item());
        let values: Option<Vec<&[Option<f64>]>> = values.collect();
        let values = values.ok_or_else(|| {
            Undefined::new("needs a score per item, from a gauge that is a mean over items")
        })?;
        if values.len() < 2 {
            return Err(Undefined::new("one template has no spread"));
        }
        let items = values[0].len();
        if values.iter().any(|of| of.len() != items) {
            return Err(Undefined::new("the rungs are about different items"));
        }
        let of_item = |item: usize| values.iter().map(|of| of[item]).collect();
        Ok(TemplateScores {
            templates: values.len(),
            by_item: (0..items).map(of_item).collect(),
        })
    }

    fn counted(&self) -> usize {
        self.by_item.iter().flatten().count()
    }

    /// The variance of items, of templates and of the rest.
    fn variances(&self, weights: &[u32]) -> Result<[f64; 3], Undefined> {
        let counted = self.by_item.iter().zip(weights);
        let rows: Vec<&Vec<f64>> = counted
            .flat_map(|(row, &weight)| std::iter::repeat_n(row.as_ref(), weight as usize))
            .flatten()
            .collect();
        let items = rows.len();
        if items < 2 {
            return Err(Undefined::new(format!(
                "needs two items with a score under every template, and there are {items}"
            )));
        }
        let mean = |template: usize| {
            let sum: f64 = rows.iter().map(|row| row[template]).sum();
            sum / items as f64
        };
        let means: Vec<f64> = (0..self.templates).map(mean).collect();
        let added = |template: usize, item: usize| {
            Some((rows[item][template] - means[template]) / items as f64)
        };
        let found = Components::crossed(&means, items, added, None);
        let found = found.map_err(|why| Undefined::new(why.to_string()))?;
        Ok(found.variances().map(|variance| variance.max(0.0)))
    }
}

impl Meter for TemplateScores {
    fn units(&self) -> usize {
        self.by_item.len()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let [_, template, _] = self.variances(weights)?;
        Ok(libm::sqrt(template))
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.by_item[unit].is_some()
    }

    fn is_rough(&self) -> bool {
        true
    }
}
