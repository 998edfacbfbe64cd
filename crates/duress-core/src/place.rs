//! Places: where a number belongs. One shape from plan to page.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::Name;
use crate::severity::Severity;

/// Under which stress.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Under {
    /// None.
    Clean,
    /// A rung of a ladder above the clean one.
    Rung {
        /// The ladder.
        ladder: Name,
        /// How hard.
        severity: Severity,
    },
    /// A condition with a name of its own.
    Condition(Name),
    /// A whole ladder, for ladder gauges.
    Ladder(Name),
    /// All that was asked of the subject, for subject gauges.
    Everything,
}

impl Under {
    /// The ladder or condition, where one is named.
    pub fn stress(&self) -> Option<&Name> {
        match self {
            Under::Clean | Under::Everything => None,
            Under::Rung { ladder, .. } => Some(ladder),
            Under::Condition(name) | Under::Ladder(name) => Some(name),
        }
    }

    /// How hard one rung presses: 1 for a condition, which has none of its own, and nothing where
    /// several rungs or all are meant.
    pub fn severity(&self) -> Option<Severity> {
        match self {
            Under::Clean => Some(Severity::clean()),
            Under::Rung { severity, .. } => Some(severity.clone()),
            Under::Condition(_) => Some(Severity::whole()),
            Under::Ladder(_) | Under::Everything => None,
        }
    }
}

/// Where something was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The subject.
    pub subject: Name,
    /// The dataset it was tested on.
    pub dataset: Name,
    /// Under which stress.
    pub under: Under,
}

impl Place {
    /// The same on another dataset.
    pub fn on(&self, dataset: &Name) -> Place {
        Place {
            dataset: dataset.clone(),
            ..self.clone()
        }
    }

    /// In words; the dataset is named only where there are several.
    pub fn in_words(&self, several_datasets: bool) -> String {
        if several_datasets {
            format!("{}, {}, on {}", self.subject, self.under, self.dataset)
        } else {
            format!("{}, {}", self.subject, self.under)
        }
    }

    /// Two places as `self − against`, with what they share said once.
    pub fn minus(&self, against: &Place, several_datasets: bool) -> String {
        let on = if several_datasets {
            format!(", on {}", self.dataset)
        } else {
            String::new()
        };
        let same_dataset = self.dataset == against.dataset;
        if same_dataset && self.under == against.under {
            format!("{} − {}, {}{on}", self.subject, against.subject, self.under)
        } else if same_dataset && self.subject == against.subject {
            format!("{}: {} − {}{on}", self.subject, self.under, against.under)
        } else {
            format!(
                "{} − {}",
                self.in_words(several_datasets),
                against.in_words(several_datasets)
            )
        }
    }
}

impl fmt::Display for Under {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Under::Clean => f.write_str("clean"),
            Under::Rung { ladder, severity } => write!(f, "{ladder} {severity}"),
            Under::Condition(name) => write!(f, "{name}"),
            Under::Ladder(name) => write!(f, "all of {name}"),
            Under::Everything => f.write_str("everything"),
        }
    }
}
