//! Ratings: one dimension of them, for the gauges that are means over items.

use duress_core::answer::{Answers, RatingAnswers};
use duress_core::gauge::Undefined;

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
