//! The key `classes` of the datasets whose labels name their classes.

use duress_core::part::{Field, Takes};

/// Its classes are the labels that occur, unless the study says them.
pub(crate) const CLASSES: Field = Field {
    name: "classes",
    takes: Takes::Texts,
    doc: "the names of the classes in order; when left out, the labels that occur",
    default: Some(""),
};
