//! Ratings: one dimension of them, for the gauges that are means over items.

use std::sync::Arc;

use duress_core::answer::{Answers, RatingAnswers};
use duress_core::gauge::{CellRead, Direction, Ends, Mean, Meter, Scale, Undefined, Unit};
use duress_core::part::{Field, Takes};
use duress_core::question::Question;

/// The ratings, or what was given instead.
pub(crate) fn ratings(answers: &Answers) -> Result<&RatingAnswers, Undefined> {
    match answers {
        Answers::Ratings(ratings) => Ok(ratings),
        other => Err(Undefined::new(format!(
            "needs ratings, was given answers to `{}`",
            other.question()
        ))),
    }
}

/// The ratings of all items in one dimension; `None` for an item without a rating.
pub(crate) fn dimension(
    ratings: &RatingAnswers,
    name: &str,
) -> Result<Vec<Option<f64>>, Undefined> {
    if ratings.dimensions().iter().all(|own| own != name) {
        return Err(Undefined::new(format!(
            "nobody rated in the dimension `{name}`; there is: {}",
            ratings.dimensions().join(", ")
        )));
    }
    Ok((0..ratings.rows().len())
        .map(|item| ratings.rating(item, name))
        .collect())
}

/// The key that says which dimension is read.
pub(crate) const fn dimension_key(doc: &'static str, default: &'static str) -> Field {
    Field {
        name: "dimension",
        takes: Takes::Text,
        doc,
        default: Some(default),
    }
}

/// The scale of a mean rating over items.
pub(crate) fn mean_scale(best: f64, ends: Ends, convention: String) -> Scale {
    Scale {
        reads: Question::Ratings,
        direction: Direction::Higher,
        best: Some(best),
        ends,
        unit: Unit::Items,
        convention,
        compat: false,
    }
}

/// The mean over rated items in one dimension.
pub(crate) fn mean_rating(read: CellRead<'_>, name: &str) -> Result<Arc<dyn Meter>, Undefined> {
    Ok(Arc::new(Mean::over(dimension(
        ratings(read.answers)?,
        name,
    )?)))
}
