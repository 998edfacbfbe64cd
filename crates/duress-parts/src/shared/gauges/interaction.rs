//! Whether stresses together cost more than they do apart.
//!
//! # What it does
//! Reads the gauge `of` when clean, under the condition `both`, and under each of the conditions in
//! `apart`, and gives (clean − both) − Σ (clean − apart): what the stresses cost together beyond
//! the sum of what they cost alone.
//!
//! # Why it matters
//! "MNAR and bias together are worse" is nearly always true and says nothing. Whether they are
//! worse than their sum is the question, and it needs an interval: the difference of differences is
//! noisier than any of its terms.
//!
//! # Promise
//! 0 means that costs add up. For a gauge of which more is better a value above 0 means that the
//! stresses make each other worse, below 0 that they overlap; for one of which less is better it is
//! the other way round. Read over the same seeds throughout.
//!
//! # Example
//! ```toml
//! [gauge.mnar-with-bias]
//! use   = "interaction"
//! of    = "directed-f1"
//! both  = "mnar-and-bias"
//! apart = ["mnar", "bias"]
//! ```
//!
//! # Reference
//! Cox, Interaction, *International Statistical Review* 52 (1984) 1–24.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Gauge, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;

/// The part.
pub static PART: Part = Part {
    name: "interaction",
    version: 1,
    fields: &[
        Field {
            name: "of",
            takes: Takes::Text,
            doc: "the gauge of single cells that is read under each condition",
            default: Some("directed-f1"),
        },
        Field {
            name: "both",
            takes: Takes::Text,
            doc: "the condition in which the stresses press together",
            default: None,
        },
        Field {
            name: "apart",
            takes: Takes::Texts,
            doc: "the conditions in which they press alone, two or more",
            default: None,
        },
    ],
    source: include_str!("interaction.rs"),
    build: Build::Gauge(|params| {
        let apart = params.texts("apart").to_vec();
        if apart.len() < 2 {
            return Err(
                Problem::new(format!("`apart` has {} conditions", apart.len()))
                    .expected("two or more, each with one of the stresses of `both`"),
            );
        }
        let of = params.text("of").into();
        let both = params.text("both").into();
        Ok(Gauge::Subject(Box::new(Interaction { of, both, apart })))
    }),
};

struct Interaction {
    of: String,
    both: String,
    apart: Vec<String>,
}

impl SubjectGauge for Interaction {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let (direction, beyond) = match of.direction {
            Direction::Higher => (Direction::Lower, "above 0 they make each other worse"),
            Direction::Lower => (Direction::Higher, "below 0 they make each other worse"),
            Direction::Neither => (Direction::Neither, "neither way is worse"),
        };
        let convention = format!(
            "what `{}` costs in {} beyond the sum of what {} cost alone; {beyond}",
            self.both,
            self.of,
            self.apart.join(" and ")
        );
        Scale {
            direction,
            best: None,
            ends: (None, None),
            convention,
            ..of.clone()
        }
    }

    fn reads_conditions(&self) -> bool {
        true
    }

    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        _columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let under = |wanted: &str| match ladders.iter().find(|(name, _)| name.as_str() == wanted) {
            Some((_, rungs)) if rungs.len() == 2 => Ok(rungs),
            Some(_) => Err(Undefined::new(format!(
                "`{wanted}` is a ladder; needs a condition"
            ))),
            None => {
                let there: Vec<&str> = ladders.iter().map(|(name, _)| name.as_str()).collect();
                Err(Undefined::new(format!(
                    "no condition `{wanted}` presses it; there is {}",
                    there.join(", ")
                )))
            }
        };
        let both = under(&self.both)?;
        let apart = self
            .apart
            .iter()
            .map(|one| under(one).map(|rungs| Arc::clone(&rungs[1].meter)));
        let apart: Vec<Arc<dyn Meter>> = apart.collect::<Result<_, _>>()?;
        let clean = Arc::clone(&both[0].meter);
        let both = Arc::clone(&both[1].meter);
        if apart
            .iter()
            .chain([&both])
            .any(|meter| meter.units() != clean.units())
        {
            return Err(Undefined::new("the conditions are about different items"));
        }
        Ok(Arc::new(Beyond { clean, both, apart }))
    }
}

struct Beyond {
    clean: Arc<dyn Meter>,
    both: Arc<dyn Meter>,
    apart: Vec<Arc<dyn Meter>>,
}

impl Meter for Beyond {
    fn units(&self) -> usize {
        self.clean.units()
    }

    fn is_rough(&self) -> bool {
        self.clean.is_rough() || self.both.is_rough()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let clean = self.clean.read(weights)?;
        let apart = self
            .apart
            .iter()
            .map(|meter| Ok(clean - meter.read(weights)?));
        let apart: f64 = apart.sum::<Result<f64, Undefined>>()?;
        Ok(clean - self.both.read(weights)? - apart)
    }
}
