//! The norm that bounds an attack, as a key of a study.

use duress_core::part::{Field, Params, Takes};
use duress_nn::attack::Norm;

/// The key `norm`.
pub(crate) const NORM: Field = Field {
    name: "norm",
    takes: Takes::Choice(&["linf", "l2"]),
    doc: "what the severity bounds: the change of every pixel, or the Euclidean length of the change",
    default: Some("linf"),
};

/// The norm that the key says.
pub(crate) fn chosen_norm(params: &Params) -> Norm {
    if params.text("norm") == "l2" {
        Norm::L2
    } else {
        Norm::Linf
    }
}
