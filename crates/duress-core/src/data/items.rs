//! Items: ids and inputs, as a subject or a stressor meets them.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::sync::Arc;

use super::images::Images;
use super::inputs::{InputKind, Inputs};
use super::text::Text;
use super::windows::Windows;
use crate::problem::Problem;
use crate::seed::Seed;
use crate::subject::Failure;
use crate::texts::Texts;

/// Items as a subject or a stressor meets them: ids and inputs, no truth.
///
/// ```
/// use duress_core::data::{Inputs, Items};
/// let items = Items::new(vec!["a".into(), "b".into()], Inputs::Unseen(2)).unwrap();
/// assert_eq!(items.select(&[1]).ids(), ["b"]);
/// assert!(Items::new(vec!["a".into(), "a".into()], Inputs::Unseen(2)).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    ids: Arc<Texts>,
    inputs: Inputs,
}

impl Items {
    /// Items whose ids are unique and as many as the inputs.
    pub fn new(ids: Vec<String>, inputs: Inputs) -> Result<Items, Problem> {
        Items::of(ids.into(), inputs)
    }

    /// The same, for ids that are kept together already.
    pub fn of(ids: Texts, inputs: Inputs) -> Result<Items, Problem> {
        if ids.len() != inputs.len() {
            return Err(Problem::new(format!(
                "{} ids for {} items",
                ids.len(),
                inputs.len()
            )));
        }
        match ids.twice() {
            Some((_, at)) => Err(
                Problem::new(format!("the id `{}` is there twice", &ids[at]))
                    .expected("one item per id"),
            ),
            None => Ok(Items {
                ids: Arc::new(ids),
                inputs,
            }),
        }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no item at all.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, in order.
    pub fn ids(&self) -> &Texts {
        &self.ids
    }

    /// What a subject sees.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The images, or a failure that says what is there instead.
    pub fn images(&self) -> Result<&Images, Failure> {
        match &self.inputs {
            Inputs::Images(images) => Ok(images),
            other => Err(Failure::mismatch(InputKind::Images, other.kind())),
        }
    }

    /// The windows, or a failure that says what is there instead.
    pub fn windows(&self) -> Result<&Windows, Failure> {
        match &self.inputs {
            Inputs::Windows(windows) => Ok(windows),
            other => Err(Failure::mismatch(InputKind::Windows, other.kind())),
        }
    }

    /// The texts, or a failure that says what is there instead.
    pub fn texts(&self) -> Result<&[Text], Failure> {
        match &self.inputs {
            Inputs::Texts(texts) => Ok(texts),
            other => Err(Failure::mismatch(InputKind::Texts, other.kind())),
        }
    }

    /// The same items with other inputs.
    ///
    /// # Panics
    /// When the number of inputs is another one: that is a stressor's bug.
    #[must_use]
    pub fn with(&self, inputs: Inputs) -> Items {
        assert_eq!(
            inputs.len(),
            self.len(),
            "a stressor must return as many items as it was given"
        );
        Items {
            ids: Arc::clone(&self.ids),
            inputs,
        }
    }

    /// The items at these positions, in this order.
    #[must_use]
    pub fn select(&self, which: &[usize]) -> Items {
        let ids: Texts = which.iter().map(|&i| &self.ids[i]).collect();
        Items {
            ids: Arc::new(ids),
            inputs: self.inputs.select(which),
        }
    }

    /// The seed of item `i`: it depends on the id, not on the position.
    pub fn seed(&self, i: usize, seed: Seed) -> Seed {
        seed.child(&self.ids[i])
    }

    /// Gives everything to `sink`: what a fingerprint is made of.
    pub fn feed(&self, sink: &mut dyn FnMut(&[u8])) {
        self.inputs.feed_shape(sink);
        for (i, id) in self.ids.iter().enumerate() {
            sink(&(id.len() as u64).to_le_bytes());
            sink(id.as_bytes());
            self.inputs.feed_item(i, sink);
        }
    }

    pub(super) fn content_hash(&self, i: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inputs.feed_item(i, &mut |bytes| hasher.write(bytes));
        hasher.finish()
    }
}
