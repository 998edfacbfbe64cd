//! A network from a file: one of our own, an ONNX graph, or weights whose architecture is known.

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;

use super::{bytes, onnx, state_dict, tensors_of};
use crate::network::{ItemShape, Network, Normalise, Operator};

/// What is known about a network before its file is opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkHints {
    /// What the weights belong to, where the file does not say.
    pub architecture: Architecture,
    /// The names of the classes, in the order of the outputs; numbers from 0 when there are none.
    pub classes: Vec<String>,
    /// Channels, height and width of the images it will be asked about.
    pub input: Option<ItemShape>,
    /// How its images are normalised.
    pub normalise: Option<Normalise>,
    /// Which channel of an image each of its own is; none when they are in the same order.
    pub order: Vec<usize>,
}

duress_core::words! {
    /// What weights belong to.
    #[derive(Default)]
    pub enum Architecture {
        /// Whatever the names of the weights tell.
        #[default]
        Auto = "auto",
        /// A ResNet as torchvision has it; the number is that of its layers.
        ResNet18 = "resnet18",
        ResNet34 = "resnet34",
        ResNet50 = "resnet50",
        ResNet101 = "resnet101",
        ResNet152 = "resnet152",
        /// Any other residual network whose weights have torchvision's names.
        Residual = "residual",
        /// Dense layers with ReLU between them.
        Mlp = "mlp",
    }
}

impl Architecture {
    /// How many layers a ResNet of torchvision has.
    pub(super) fn layers(self) -> Option<usize> {
        match self {
            Architecture::ResNet18 => Some(18),
            Architecture::ResNet34 => Some(34),
            Architecture::ResNet50 => Some(50),
            Architecture::ResNet101 => Some(101),
            Architecture::ResNet152 => Some(152),
            Architecture::Auto | Architecture::Residual | Architecture::Mlp => None,
        }
    }
}

impl NetworkHints {
    /// The names of the classes, as many as there are outputs.
    pub(super) fn classes(&self, outputs: usize) -> Result<Vec<String>, Problem> {
        match self.classes.len() {
            0 => Ok((0..outputs).map(|class| class.to_string()).collect()),
            n if n == outputs => Ok(self.classes.clone()),
            n => Err(Problem::new(format!("the network has {outputs} outputs"))
                .expected(format!("{n}, one per class: {}", self.classes.join(", ")))),
        }
    }
}

/// Reads a network from a file. Nothing in it is executed.
pub fn network(file: &Path, wanted: &NetworkHints) -> Result<Network, Problem> {
    let bytes = bytes(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let read = if is_onnx(file, &bytes) {
        onnx::read_onnx(&bytes, folder, wanted)
    } else if bytes.starts_with(b"{") {
        read_own_format(&bytes, wanted)
    } else {
        tensors_of(&bytes).and_then(|tensors| state_dict::network(tensors, wanted))
    };
    read.and_then(|network| ordered(network, &wanted.order))
        .map_err(|problem| problem.in_file(file))
}

/// The network with the channels of its images in this order.
fn ordered(network: Network, order: &[usize]) -> Result<Network, Problem> {
    let Operator::Normalise(normalise) = &network.nodes()[0].operator else {
        return Ok(network);
    };
    if order.is_empty() {
        return Ok(network);
    }
    let normalise = Normalise {
        order: order.to_vec(),
        ..normalise.clone()
    };
    network
        .with_normalise(normalise)
        .map_err(|why| Problem::new(why.to_string()))
}

/// The files that a network is read from: the file itself, and those in which an ONNX file keeps
/// its weights.
pub fn sources(file: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut sources = vec![file.to_path_buf()];
    let bytes = bytes(file)?;
    if is_onnx(file, &bytes) {
        let folder = file.parent().unwrap_or(Path::new(""));
        sources.extend(onnx::beside(&bytes, folder).map_err(|problem| problem.in_file(file))?);
    }
    Ok(sources)
}

fn is_onnx(file: &Path, bytes: &[u8]) -> bool {
    file.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("onnx"))
        || onnx::is_one(bytes)
}

/// A network that was written here, with its classes, its size and its normalisation.
fn read_own_format(bytes: &[u8], wanted: &NetworkHints) -> Result<Network, Problem> {
    let network: Network = serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(format!("it cannot be read as a network: {error}")).expected(
            "a network as this program writes it, an ONNX file, a .pth, .pt or .safetensors file",
        )
    })?;
    if !wanted.classes.is_empty() && wanted.classes != network.classes() {
        return Err(Problem::new(format!(
            "the network's classes are {}",
            network.classes().join(", ")
        ))
        .expected(wanted.classes.join(", ")));
    }
    if wanted.normalise.is_some() || !wanted.order.is_empty() {
        return Err(Problem::new("the network normalises its images itself")
            .expected("no `mean`, no `std` and no `order`"));
    }
    match wanted.input {
        Some(input) if input != network.input() => Err(Problem::new(format!(
            "the network takes images of {:?} (channels, height, width)",
            network.input()
        ))
        .expected(format!(
            "one for images of {input:?}, which is what it is asked about"
        ))),
        _ => Ok(network),
    }
}
