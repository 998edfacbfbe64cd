//! Scores per arrangement: one file or one sheet per arrangement, or one row per item and
//! arrangement.

mod files;
mod gathered;
mod score_table;
mod unit_order;

use duress_core::problem::Problem;

use super::cluster_words::{cluster_words, clusters_by};
use super::scored_ladder::ScoredLadder;

pub(super) use files::{ModelScores, read};

/// The dimension that scores of explanations are ratings in.
const DIMENSION: &str = "s-acc";

/// Scores of items under every arrangement.
#[derive(Clone)]
pub(super) struct ArrangementScores {
    pub(super) scores: ScoredLadder,
    pub(super) items: usize,
    pub(super) found: Vec<String>,
}

impl ArrangementScores {
    /// The same with the clusters of a column, if one is named.
    fn clustered_by(mut self, column: Option<&str>) -> Result<ArrangementScores, Problem> {
        let columns = &self.scores.columns;
        if let Some(column) = column.filter(|column| !columns.contains_key(*column)) {
            let wrong = format!("no column `{column}` has one value for every item");
            return Err(Problem::new(wrong).nearest(column, columns.keys().map(String::as_str)));
        }
        self.found.extend(cluster_words(column, columns));
        self.scores.clusters = clusters_by(column, columns);
        Ok(self)
    }
}
