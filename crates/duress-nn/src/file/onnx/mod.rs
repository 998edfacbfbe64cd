//! ONNX files: a graph of operators becomes a network.
//!
//! The image is followed through the graph. What does not depend on it is computed on the way; what
//! does becomes a node of the network. Only what leads to the output is looked at.

mod arithmetic;
mod axes;
mod constant;
mod convert;
mod layers;
mod model;
mod operands;
mod walk;
mod window;
mod wire;

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;

use super::network::{NetworkHints, ReadNetwork};

/// Whether a file looks like one of these: the version of the format comes first, as a small whole
/// number.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    matches!(bytes, [0x08, 1..=31, ..])
}

/// The network in the bytes of a file that lies in `folder`.
pub(super) fn read_onnx(
    bytes: &[u8],
    folder: &Path,
    wanted: &NetworkHints,
) -> Result<ReadNetwork, Problem> {
    convert::network(&model::OnnxModel::read_model(bytes, folder)?, wanted)
}

/// The files beside it that it keeps weights in.
pub(super) fn beside(bytes: &[u8], folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    Ok(model::OnnxModel::read_model(bytes, folder)?.beside)
}
