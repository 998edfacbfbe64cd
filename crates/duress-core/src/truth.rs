//! Truth: what gauges compare answers with, sealed so that nobody else can.
//!
//! Who opens it, and all of it is in this crate: a gauge's reading ([`crate::gauge`]), the labels
//! of the split a subject is taught on ([`crate::subject::fit`]), the loss an attack climbs
//! ([`crate::stressor::climb`]), a stressor that declares it ([`crate::stressor::press`]), a rater
//! that compares answers with references ([`crate::rater::rate`], and
//! [`crate::rater::TextsToRate`] for a subject that rates), the choice of exhibits
//! ([`crate::exhibit`]), the comparison with labels that stand elsewhere ([`label_conflict`]), and,
//! for the names of the classes alone, [`crate::data::Split::classes`].

use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::mask::Masks;

/// What is true of the items of a split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// One class per item.
    Labels(Labels),
    /// One graph for all items.
    Graph(Graph),
    /// One graph for all items, and what is left of it in each regime, where regimes are
    /// interventions that cut edges.
    Regimes {
        /// The graph without interventions.
        whole: Graph,
        /// The graph of each regime, in their order.
        by_regime: Vec<Graph>,
    },
    /// Reference texts per item.
    References(Vec<Vec<String>>),
    /// Nothing is known to be true of the items: gauges read how answers move.
    Nothing,
}

impl Truth {
    /// What kind of truth it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Truth::Labels(_) => "labels",
            Truth::Graph(_) => "a graph",
            Truth::Regimes { .. } => "a graph for each regime",
            Truth::References(_) => "reference texts",
            Truth::Nothing => "nothing",
        }
    }

    /// The graph that holds for all items, where there is one.
    pub fn graph(&self) -> Option<&Graph> {
        match self {
            Truth::Graph(graph) | Truth::Regimes { whole: graph, .. } => Some(graph),
            Truth::Labels(_) | Truth::References(_) | Truth::Nothing => None,
        }
    }

    /// What is true of the items at these positions; where all of them are in one regime, its own
    /// graph.
    pub(crate) fn select(&self, which: &[usize], regime: Option<u32>) -> Truth {
        match self {
            Truth::Labels(labels) => Truth::Labels(Labels {
                classes: labels.classes.clone(),
                of: which.iter().map(|&i| labels.of[i]).collect(),
                masks: labels.masks.as_ref().map(|masks| masks.select(which)),
            }),
            Truth::References(all) => {
                Truth::References(which.iter().map(|&i| all[i].clone()).collect())
            }
            Truth::Regimes { by_regime, .. } => {
                // A regime that stress has split off keeps the graph of where it came from: their
                // number is a remainder.
                let own = |regime: u32| by_regime.get(regime as usize % by_regime.len().max(1));
                match regime.and_then(own) {
                    Some(own) => Truth::Graph(own.clone()),
                    None => self.clone(),
                }
            }
            Truth::Graph(_) | Truth::Nothing => self.clone(),
        }
    }
}

/// The class of every item, with the names of the classes in order: the order is part of the data.
///
/// ```
/// use duress_core::truth::Labels;
/// let labels = Labels::new(vec!["cat".into(), "dog".into()], vec![0, 1, 1]).unwrap();
/// assert_eq!(labels.of()[2], 1);
/// assert!(Labels::new(vec!["cat".into()], vec![1]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    classes: Vec<String>,
    of: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    masks: Option<Masks>,
}

impl Labels {
    /// Labels as indices into `classes`.
    pub fn new(classes: Vec<String>, of: Vec<u32>) -> Result<Labels, String> {
        match of.iter().position(|&label| label as usize >= classes.len()) {
            Some(at) => Err(format!(
                "item {at} has label {}, but there are {} classes",
                of[at],
                classes.len()
            )),
            None => Ok(Labels {
                classes,
                of,
                masks: None,
            }),
        }
    }

    /// The same, with where in each image the thing is that its label is about.
    pub fn with_masks(self, masks: Masks) -> Result<Labels, String> {
        match masks.len() == self.of.len() {
            true => Ok(Labels {
                masks: Some(masks),
                ..self
            }),
            false => Err(format!(
                "{} masks for {} labels",
                masks.len(),
                self.of.len()
            )),
        }
    }

    /// Where in each image the thing is that its label is about, where that is known.
    pub fn masks(&self) -> Option<&Masks> {
        self.masks.as_ref()
    }

    /// The names of the classes, in order.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The class of each item, as an index into [`Labels::classes`].
    pub fn of(&self) -> &[u32] {
        &self.of
    }
}

/// That labels which stand elsewhere are not the true ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelConflict {
    /// How many differ.
    pub differing: usize,
    /// The first of them, by its place among those that were compared.
    pub first: usize,
    /// The true class of its item.
    pub truth: String,
}

/// Compares labels that stand elsewhere, each an item and its class there, with the true ones;
/// `None` where all agree, or where the truth is no labels.
///
/// ```
/// use duress_core::truth::{Labels, Sealed, Truth, label_conflict};
/// let labels = Labels::new(vec!["cat".into(), "dog".into()], vec![0, 1, 1]).unwrap();
/// let truth = Sealed::new(Truth::Labels(labels));
/// assert_eq!(label_conflict(&truth, [(0, 0), (2, 1)]), None);
/// let conflict = label_conflict(&truth, [(0, 0), (2, 0), (1, 0)]).unwrap();
/// assert_eq!((conflict.differing, conflict.first, conflict.truth.as_str()), (2, 1, "dog"));
/// ```
pub fn label_conflict(
    truth: &Sealed<Truth>,
    stated: impl IntoIterator<Item = (usize, u32)>,
) -> Option<LabelConflict> {
    let Truth::Labels(labels) = truth.open() else {
        return None;
    };
    let mut differing = stated
        .into_iter()
        .enumerate()
        .filter(|(_, (item, class))| labels.of[*item] != *class);
    let (first, (item, _)) = differing.next()?;
    Some(LabelConflict {
        differing: 1 + differing.count(),
        first,
        truth: labels.classes[labels.of[item] as usize].clone(),
    })
}

/// Something that only this crate can open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sealed<T>(T);

impl<T> Sealed<T> {
    /// Seals `thing`; datasets do this as they are read.
    pub fn new(thing: T) -> Sealed<T> {
        Sealed(thing)
    }

    pub(crate) fn open(&self) -> &T {
        &self.0
    }

    /// The thing, to be written into the ledger beside the answers and read back sealed. A test
    /// sees to it that only the ledger calls this.
    pub fn for_the_ledger(&self) -> &T {
        &self.0
    }
}
