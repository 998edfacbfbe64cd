//! Evenness over groups: how little the score under scrambling depends on an item's structure.
//!
//! # What it does
//! Averages the score over the items of each group and all their arrangements, the original left out, and takes the population standard
//! deviation σ of the groups' means. S_struct is 1 − σ/0.5: 0.5 is the largest σ that scores in [0, 1] can have. `normalize =
//! "range"` divides by the range of the means instead.
//!
//! # Why it matters
//! A reader may cope with scrambled pairs and break on scrambled sentences; the mean over all items hides it.
//!
//! # Promise
//! Higher is better, 1 when all groups score the same. The range form is there to compare with numbers made that way and says little: for six
//! unequal groups it lies between 0.5 and 0.7113 whatever their spread. Groups of different items differ in more than structure.
//!
//! # Example
//! ```toml
//! [gauge.s-struct]
//! use = "s-struct"
//! column = "structure"
//! except = ["unlabelled"]
//! ```
//!
//! # Reference
//! T. Popoviciu, Mathematica (Cluj) 9 (1935) 129, for the bound of σ by half the range.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Gauge, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Build, Part};

use crate::degradation::{Groups, LADDER, Normalize, OF, Scores, choose};

/// The part.
pub static PART: Part = Part {
    name: "s-struct",
    version: 1,
    fields: &[OF, LADDER, Groups::COLUMN, Groups::EXCEPT, Normalize::FIELD],
    source: include_str!("s_struct.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(SStruct {
            of: params.text("of").into(),
            ladder: params.text_if("ladder").map(Into::into),
            column: params.text("column").into(),
            except: params.texts("except").to_vec(),
            normalize: Normalize::new(params),
        })))
    }),
};

struct SStruct {
    of: String,
    ladder: Option<String>,
    column: String,
    except: Vec<String>,
    normalize: Normalize,
}

impl SubjectGauge for SStruct {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "{} of {} over groups by `{}`: {}",
            self.normalize.words(),
            self.of,
            self.column,
            of.convention
        );
        let best = (self.normalize == Normalize::Half).then_some(1.0);
        Scale { convention, direction: Direction::Higher, best, ..of.clone() }
    }

    fn open(&self, ladders: &[(Name, Vec<Rung>)], columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let scores = Scores::of(choose(ladders, self.ladder.as_deref())?)?;
        let groups = Groups::of(&scores, columns, &self.column, &self.except, self.normalize)?;
        Ok(Arc::new(Even { items: scores.items(), groups }))
    }
}

struct Even {
    items: usize,
    groups: Groups,
}

impl Meter for Even {
    fn units(&self) -> usize {
        self.items
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.groups.s_struct(weights)
    }
}
