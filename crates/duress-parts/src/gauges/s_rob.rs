//! Robustness to scrambling in one number: the harmonic mean of S_seq and S_struct.
//!
//! # What it does
//! Reads S_seq = 1 − (0.5 MDR + 0.5 MDA) and S_struct on the same ladder (see `s-seq` and `s-struct`) and gives 2ab/(a + b).
//!
//! # Why it matters
//! A subject is robust to order when it loses little and loses it evenly; the harmonic mean is high only when both hold.
//!
//! # Promise
//! Higher is better, 1 is perfect. Undefined when either of the two is below 0, or either is undefined, with its reason.
//!
//! # Example
//! ```toml
//! [gauge.s-rob]
//! use = "s-rob"
//! normalize = "half"
//! ```
//!
//! # Reference
//! C. J. van Rijsbergen, Information Retrieval, 1979, chapter 7, for why a harmonic mean where both must be high.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Gauge, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Build, Part};

use crate::degradation::{Degradation, Groups, LADDER, Normalize, OF, Ratio, Scores, choose};

/// The part.
pub static PART: Part = Part {
    name: "s-rob",
    version: 1,
    fields: &[OF, LADDER, Ratio::MIN_S_ORIG, Ratio::RATIO, Groups::COLUMN, Groups::EXCEPT, Normalize::FIELD],
    source: include_str!("s_rob.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Subject(Box::new(SRob {
            of: params.text("of").into(),
            ladder: params.text_if("ladder").map(Into::into),
            ratio: Ratio::new(params),
            column: params.text("column").into(),
            except: params.texts("except").to_vec(),
            normalize: Normalize::new(params),
        })))
    }),
};

struct SRob {
    of: String,
    ladder: Option<String>,
    ratio: Ratio,
    column: String,
    except: Vec<String>,
    normalize: Normalize,
}

impl SubjectGauge for SRob {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "harmonic mean of S_seq = 1 − (0.5 MDR + 0.5 MDA) and S_struct; {}; {} over groups by `{}`; S is {}: {}",
            self.ratio.words(),
            self.normalize.words(),
            self.column,
            self.of,
            of.convention
        );
        let best = (self.normalize == Normalize::Half).then_some(1.0);
        Scale { convention, direction: Direction::Higher, best, ..of.clone() }
    }

    fn open(&self, ladders: &[(Name, Vec<Rung>)], columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let scores = Scores::of(choose(ladders, self.ladder.as_deref())?)?;
        let groups = Groups::of(&scores, columns, &self.column, &self.except, self.normalize)?;
        Ok(Arc::new(Robust { degradation: Degradation::of(&scores, self.ratio)?, groups }))
    }
}

struct Robust {
    degradation: Degradation,
    groups: Groups,
}

impl Meter for Robust {
    fn units(&self) -> usize {
        self.degradation.items()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let (seq, even) = (self.degradation.s_seq(weights)?, self.groups.s_struct(weights)?);
        if seq < 0.0 || even < 0.0 {
            return Err(Undefined::new(format!(
                "a harmonic mean of S_seq = {seq} and S_struct = {even}: one is negative"
            )));
        }
        Ok(if seq + even == 0.0 { 0.0 } else { 2.0 * seq * even / (seq + even) })
    }
}
