//! A dataset that is the same for every seed: all that it has to say is how it is loaded.

use duress_core::data::{Dataset, InputKind, Source, TableUse};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;

/// Whatever can load a dataset. It is the same for every seed.
pub(crate) trait Load {
    /// The dataset.
    fn load(&self) -> Result<Dataset, Problem>;

    /// What it reads of tables, where it does not remark on the rest itself.
    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        Ok(Vec::new())
    }
}

/// The source of a dataset that is the same for every seed.
pub(crate) struct FixedSource<T> {
    kind: InputKind,
    offers: Question,
    from: T,
}

impl<T: Load + Send + Sync + 'static> FixedSource<T> {
    /// Items of this kind, with the truth that this question is held against.
    pub(crate) fn boxed(kind: InputKind, offers: Question, from: T) -> Box<dyn Source> {
        Box::new(FixedSource { kind, offers, from })
    }

    /// Images with labels.
    pub(crate) fn labelled_images(from: T) -> Box<dyn Source> {
        FixedSource::boxed(InputKind::Images, Question::Classes, from)
    }

    /// Windows with a graph.
    pub(crate) fn windows_with_graph(from: T) -> Box<dyn Source> {
        FixedSource::boxed(InputKind::Windows, Question::Graph, from)
    }
}

impl<T: Load + Send + Sync> Source for FixedSource<T> {
    fn kind(&self) -> InputKind {
        self.kind
    }

    fn offers(&self) -> Question {
        self.offers
    }

    fn varies(&self) -> bool {
        false
    }

    fn load(&self, _seed: Seed) -> Result<Dataset, Problem> {
        self.from.load()
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        self.from.tables()
    }
}
