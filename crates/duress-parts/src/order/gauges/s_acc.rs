//! How good explanations are: the mean over items of what a rater says, from 0 to 1.
//!
//! # What it does
//! Puts S_acc together from its five components, whichever raters of the study give them: a
//! cross-encoder (`cross-encoder`, or `relevance` of an endpoint's rerank), a greedy matching of
//! token embeddings (`token-match`, or `bertscore`), the cosine of embeddings (`embedding-cosine`, or
//! `similarity` of an endpoint's embeddings), `lexical-cosine` and `f2` of the rater `lexical`. An
//! endpoint, a process or recorded ratings may give any of them. Where ratings have no such
//! component, the dimension `dimension` is read as it is. Its detail lists the five components, each
//! with its mean, or with the reason why it is missing.
//!
//! # Why it matters
//! S_acc is what all gauges of scrambled order are made of. Without scrambling it is S_orig, which
//! is measured here and never assumed.
//!
//! # Promise
//! Higher is better, 1 is perfect. A component that no rater gives is named as missing and not
//! counted as 0: the others are divided by the weight that is left, for all items alike. An item that
//! one of the raters did not rate does not take part. Ratings outside [0, 1] are read as they are,
//! with a caveat that says how many there are.
//!
//! # Example
//! ```toml
//! [rater.words]
//! use = "lexical"
//!
//! [rater.meaning]
//! use = "endpoint"
//! base-url = "http://127.0.0.1:8081/v1"
//! model = "embedder"
//! answers = "similarity"
//!
//! [analysis]
//! gauges = ["s-acc"]
//! ```
//!
//! # Reference
//! S_acc = 0.5 · cross-encoder + 0.3 · mean(token match, embedding cosine, lexical cosine) + 0.2 ·
//! F2; `duress explain lexical` says what becomes of it where only the last two are there.

use std::sync::Arc;

use duress_core::answer::RatingAnswers;
use duress_core::gauge::{
    CellGauge, CellRead, Detail, Ends, Gauge, Group, Mean, Meter, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Part};
use duress_text::lexical::{COMPONENTS, s_acc};

use crate::shared::frame::ratings::{dimension, dimension_key, mean_scale, ratings};

/// The part.
pub static PART: Part = Part {
    name: "s-acc",
    version: 2,
    fields: &[dimension_key(
        "the dimension of the ratings that is read",
        "s-acc",
    )],
    source: include_str!("s_acc.rs"),
    build: Build::Gauge(|params| {
        Ok(Gauge::Cell(Box::new(SAcc {
            dimension: params.text("dimension").into(),
        })))
    }),
};

struct SAcc {
    dimension: String,
}

impl SAcc {
    /// S_acc of every item; none where a component that others have is lacking.
    fn per_item(&self, ratings: &RatingAnswers) -> Result<Vec<Option<f64>>, Undefined> {
        let found = COMPONENTS.map(|(name, others)| component(ratings, name, others));
        // Who names another dimension wants that.
        if self.dimension != OWN || found.iter().all(Option::is_none) {
            return dimension(ratings, &self.dimension);
        }
        let combined = |item: usize| {
            let value = |values: &Option<Vec<Option<f64>>>| values.as_ref().map(|all| all[item]);
            let parts = [0, 1, 2, 3, 4].map(|at| value(&found[at]));
            match parts.contains(&Some(None)) {
                true => None,
                false => s_acc(parts.map(Option::flatten)),
            }
        };
        Ok((0..ratings.rows().len()).map(combined).collect())
    }
}

/// The dimension that is put together from components.
const OWN: &str = "s-acc";

/// The names of components, and that of the whole.
const DIMENSIONS: [&str; 9] = [
    "cross-encoder",
    "relevance",
    "token-match",
    "bertscore",
    "embedding-cosine",
    "similarity",
    "lexical-cosine",
    "f2",
    OWN,
];

impl CellGauge for SAcc {
    fn scale(&self) -> Scale {
        let convention = format!(
            "mean over rated items of S_acc from the components that raters give, else of the dimension `{}`; components that are lacking are left out, not counted as 0",
            self.dimension
        );
        mean_scale(1.0, (None, None), convention)
    }

    /// What the other gauges of scrambled order make of it supposes as much.
    fn meant_within(&self) -> Ends {
        SHARE
    }

    fn joint_dimensions(&self) -> &[&'static str] {
        match self.dimension == OWN {
            true => &DIMENSIONS,
            false => &[],
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let values = self.per_item(ratings(read.answers)?)?;
        Ok(Arc::new(Mean::over(values)))
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let ratings = ratings(read.answers).ok()?;
        let group = |(name, others): &(&str, &[&str])| group(ratings, name, others);
        Some(Detail::Groups(COMPONENTS.iter().map(group).collect()))
    }
}

/// A component by its name or one of the others it goes by.
fn component(ratings: &RatingAnswers, name: &str, others: &[&str]) -> Option<Vec<Option<f64>>> {
    let mut names = std::iter::once(&name).chain(others);
    names.find_map(|name| dimension(ratings, name).ok())
}

fn group(ratings: &RatingAnswers, name: &str, others: &[&str]) -> Group {
    match component(ratings, name, others) {
        Some(values) => {
            let n = values.iter().flatten().count();
            Group {
                name: name.into(),
                n,
                value: Mean::over(values).plain(),
            }
        }
        None => {
            let value = Err(Undefined::new(
                "missing: no rater gives it; left out of S_acc, not counted as 0",
            ));
            Group {
                name: name.into(),
                n: 0,
                value,
            }
        }
    }
}
