//! A rating of each item, in each of some dimensions.

use super::Absence;

/// A rating of each item in each of some dimensions, or why there is none.
///
/// ```
/// use duress_core::answer::RatingAnswers;
/// let ratings = RatingAnswers::new(vec!["T".into(), "B".into()], vec![Ok(vec![90.0, 100.0]), Err("not parsed".into())]);
/// assert_eq!(ratings.rating(0, "T"), Some(90.0));
/// assert_eq!(ratings.rating(1, "T"), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RatingAnswers {
    pub(super) dimensions: Vec<String>,
    pub(super) rows: Vec<Result<Vec<f64>, Absence>>,
}

impl RatingAnswers {
    /// One row per item: a value per dimension, or why there is none.
    pub fn new(dimensions: Vec<String>, rows: Vec<Result<Vec<f64>, Absence>>) -> RatingAnswers {
        RatingAnswers { dimensions, rows }
    }

    /// The ratings of several raters of the same items in these dimensions, each from the first that
    /// has it. A rater that has none of them does not count; of an item that one of the others did
    /// not rate, there is no rating.
    ///
    /// ```
    /// use duress_core::answer::RatingAnswers;
    /// let one = |name: &str, rows| RatingAnswers::new(vec![name.into()], rows);
    /// let words = one("f2", vec![Ok(vec![0.5]), Ok(vec![0.7])]);
    /// let server = one("similarity", vec![Ok(vec![0.9]), Err("refused".into())]);
    /// let both = RatingAnswers::together(&[&words, &server], &["f2", "similarity"]);
    /// assert_eq!(both.rating(0, "similarity"), Some(0.9));
    /// assert_eq!(both.rating(1, "f2"), None);
    /// ```
    pub fn together(raters: &[&RatingAnswers], wanted: &[&str]) -> RatingAnswers {
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let mut dimensions: Vec<String> = Vec::new();
        for (rater, ratings) in raters.iter().enumerate() {
            for (at, name) in ratings.dimensions.iter().enumerate() {
                if wanted.contains(&name.as_str()) && !dimensions.contains(name) {
                    dimensions.push(name.clone());
                    taken.push((rater, at));
                }
            }
        }
        let items = raters.first().map_or(0, |ratings| ratings.rows.len());
        let value = |item: usize, (rater, at): &(usize, usize)| {
            let row = raters[*rater].rows.get(item);
            let row = row.map_or(Err(Absence::from("not rated")), Clone::clone)?;
            Ok(row[*at])
        };
        let row = |item: usize| taken.iter().map(|one| value(item, one)).collect();
        RatingAnswers::new(dimensions, (0..items).map(row).collect())
    }

    /// The names of the dimensions, in the order of the rows.
    pub fn dimensions(&self) -> &[String] {
        &self.dimensions
    }

    /// One row per item.
    pub fn rows(&self) -> &[Result<Vec<f64>, Absence>] {
        &self.rows
    }

    /// The rating of item `i` in a dimension.
    pub fn rating(&self, i: usize, dimension: &str) -> Option<f64> {
        let at = self.dimensions.iter().position(|name| name == dimension)?;
        self.rows[i].as_ref().ok().map(|row| row[at])
    }

    pub(super) fn validate(&self, items: usize) -> Result<(), String> {
        if self.rows.len() != items {
            return Err(format!("{} ratings for {items} items", self.rows.len()));
        }
        for (i, row) in self.rows.iter().enumerate() {
            let Ok(row) = row else { continue };
            if row.len() != self.dimensions.len() || row.iter().any(|x| !x.is_finite()) {
                let dimensions = self.dimensions.len();
                return Err(format!(
                    "item {i} has ratings {row:?} in {dimensions} dimensions"
                ));
            }
        }
        Ok(())
    }
}
