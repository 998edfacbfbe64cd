//! Labelled images as a source of data: all that such a source has to say is how it is loaded.

use duress_core::data::{Dataset, InputKind, Source};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;

/// Whatever can load labelled images. They are the same for every seed.
pub(crate) trait Load {
    /// The dataset.
    fn load(&self) -> Result<Dataset, Problem>;
}

/// A source of labelled images.
pub(crate) struct LabelledImages<T>(pub(crate) T);

impl<T: Load + Send + Sync> Source for LabelledImages<T> {
    fn kind(&self) -> InputKind {
        InputKind::Images
    }

    fn offers(&self) -> Question {
        Question::Classes
    }

    fn varies(&self) -> bool {
        false
    }

    fn load(&self, _seed: Seed) -> Result<Dataset, Problem> {
        self.0.load()
    }
}
