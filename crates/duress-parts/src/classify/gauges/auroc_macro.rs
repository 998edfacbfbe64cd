//! The area under the ROC curve of each class against the rest, averaged.
//!
//! # What it does
//! For every class, the probability that an item of it was given a higher probability of the class
//! than an item of another, ties counting half; then the mean over the classes, each counting the
//! same. Logits become probabilities first. Its detail is every class.
//!
//! # Why it matters
//! It judges how well probabilities separate classes, without a threshold and whatever the sizes of
//! the classes.
//!
//! # Promise
//! Higher is better, 1 is perfect, 0.5 is chance. A class that no item has, or all have, takes no
//! part and its own area is undefined. Answers without a probability of every class leave it
//! undefined. A resample that misses a class which is there has no value.
//!
//! # Example
//! ```toml
//! [analysis]
//! gauges = ["accuracy", "auroc-macro"]
//! ```
//!
//! # Reference
//! scikit-learn, `sklearn.metrics.roc_auc_score` with `multi_class="ovr"` and `average="macro"`,
//! gives the same numbers where every class is there. F. Provost and P. Domingos, 2000.

use std::sync::Arc;

use duress_core::gauge::{CellGauge, CellRead, Detail, Gauge, Group, Meter, Scale, Undefined};
use duress_core::part::{Build, Part};
use duress_stats::statistic::{self, auroc_macro};

use crate::classify::frame::answered_items::{AnsweredItems, in_words};
use crate::classify::frame::confusion;

/// The part.
pub static PART: Part = Part {
    name: "auroc-macro",
    version: 1,
    fields: &[],
    source: include_str!("auroc_macro.rs"),
    build: Build::Gauge(|_| Ok(Gauge::Cell(Box::new(AurocMacro)))),
};

struct AurocMacro;

impl CellGauge for AurocMacro {
    fn scale(&self) -> Scale {
        confusion::scale(
            "one class against the rest, ties half, mean over the classes that are there".into(),
        )
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let answered = AnsweredItems::new(read)?;
        let areas = areas(&answered)?;
        answered.meter(areas)
    }

    fn once(&self, read: CellRead<'_>) -> Result<(f64, usize), Undefined> {
        let answered = AnsweredItems::new(read)?;
        let scores = answered.probabilities()?;
        let area = auroc_macro(answered.truth(), answered.classes().len(), |item, class| {
            scores.row(item)[class]
        });
        Ok((area.map_err(in_words)?, answered.truth().len()))
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let answered = AnsweredItems::new(read).ok()?;
        let areas = areas(&answered).ok()?.ok()?;
        let weights = vec![1; answered.truth().len()];
        let group = |(class, name): (usize, &String)| {
            let n = answered
                .truth()
                .iter()
                .filter(|one| **one as usize == class)
                .count();
            let reason = |_| Undefined::new(format!("`{name}` is the class of no item, or of all"));
            Group {
                name: name.clone(),
                n,
                value: areas.of_class(class, &weights).map_err(reason),
            }
        };
        Some(Detail::Groups(
            answered.classes().iter().enumerate().map(group).collect(),
        ))
    }
}

type Areas = Result<statistic::MacroAuroc, duress_stats::UndefinedReason>;

fn areas(answered: &AnsweredItems<'_>) -> Result<Areas, Undefined> {
    let scores = answered.probabilities()?;
    Ok(statistic::MacroAuroc::new(
        answered.truth(),
        answered.classes().len(),
        |item, class| scores.row(item)[class],
    ))
}
