//! A network from a file: one of our own, an ONNX graph, or weights whose architecture is known.

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_tensors::{file_bytes, tensors_of};

use super::{onnx, own_weights, state_dict};
use crate::architecture::{Residual, Stem, StrideIn};
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
    /// Which output of an ONNX file is meant, where it has several.
    pub output: Option<String>,
    /// How its images are normalised.
    pub normalise: Option<Normalise>,
    /// Which channel of an image each of its own is; none when they are in the same order.
    pub order: Vec<usize>,
    /// What the weights of a residual network do not tell.
    pub residual: ResidualHints,
}

/// What the weights of a residual network do not tell; the usual is taken for what is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResidualHints {
    /// How an image comes to the first block.
    pub stem: Option<Stem>,
    /// Which convolution of a block has the stride.
    pub stride_in: Option<StrideIn>,
    /// What batch norms add to a variance.
    pub epsilon: Option<f32>,
}

impl ResidualHints {
    /// What was assumed for want of a hint, each with the key that would say it.
    pub(super) fn assumed(&self, plan: &Residual) -> Vec<String> {
        let mut assumed = Vec::new();
        if self.stem.is_none() {
            let side = plan.first_side;
            assumed.push(format!(
                "a first convolution of {side} × {side} with stride {} and {} (`stem`)",
                plan.stem.stride,
                if plan.stem.pool {
                    "a max-pool after it"
                } else {
                    "no pool"
                }
            ));
        }
        if self.stride_in.is_none() && plan.bottleneck {
            assumed.push("strides in the 3 × 3 convolutions of its blocks (`stride-in`)".into());
        }
        if self.epsilon.is_none() {
            assumed.push(format!(
                "ε = {:e} in its batch norms (`epsilon`)",
                plan.epsilon
            ));
        }
        assumed
    }

    /// Refuses hints for what a residual network does not have.
    pub(super) fn fit(&self, plan: &Residual) -> Result<(), Problem> {
        match self.stride_in.is_some() && !plan.bottleneck {
            true => Err(Problem::new(
                "`stride-in` is about blocks of three convolutions, and this network has blocks of two",
            )
            .expected("no `stride-in`: the stride of such a block is in its first convolution")),
            false => Ok(()),
        }
    }

    /// Refuses hints for what needs none.
    pub(super) fn none_needed(&self) -> Result<(), Problem> {
        match *self == ResidualHints::default() {
            true => Ok(()),
            false => Err(Problem::new(
                "`stem`, `stride-in` and `epsilon` are about weights of a residual network, and this is none",
            )
            .expected("none of them")),
        }
    }
}

/// A network as a file gave it.
#[derive(Clone, Debug)]
pub struct ReadNetwork {
    /// The network.
    pub network: Network,
    /// What the file does not say and was taken to be as usual; empty where it says everything.
    pub assumed: Vec<String>,
    /// What was read otherwise than the file has it, in whole sentences.
    pub read_as: Vec<String>,
}

impl ReadNetwork {
    /// A network whose file says everything.
    pub(super) fn told(network: Network) -> ReadNetwork {
        ReadNetwork {
            network,
            assumed: Vec::new(),
            read_as: Vec::new(),
        }
    }
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
    read(file, wanted).map(|read| read.network)
}

/// Reads a network from a file, with what had to be assumed about it. Nothing in it is executed.
pub fn read(file: &Path, wanted: &NetworkHints) -> Result<ReadNetwork, Problem> {
    let bytes = file_bytes(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let read = if is_onnx(file, &bytes) {
        let none_needed = wanted.residual.none_needed();
        none_needed.and_then(|()| onnx::read_onnx(&bytes, folder, wanted))
    } else if wanted.output.is_some() {
        Err(
            Problem::new("`output` names an output of an ONNX file, and this is none")
                .expected("no `output`"),
        )
    } else if bytes.starts_with(b"{") {
        let none_needed = wanted.residual.none_needed();
        none_needed
            .and_then(|()| read_own_format(&bytes, wanted))
            .map(ReadNetwork::told)
    } else if let Some(own) = own_weights::from_safetensors(&bytes) {
        let none_needed = wanted.residual.none_needed();
        none_needed
            .and_then(|()| suited(own?, wanted))
            .map(ReadNetwork::told)
    } else {
        tensors_of(&bytes).and_then(|tensors| state_dict::network(tensors, wanted))
    };
    read.and_then(|read| {
        Ok(ReadNetwork {
            network: ordered(read.network, &wanted.order)?,
            ..read
        })
    })
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
    let bytes = file_bytes(file)?;
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
    suited(network, wanted)
}

/// A network that says everything about itself, unless it is another than is wanted.
fn suited(network: Network, wanted: &NetworkHints) -> Result<Network, Problem> {
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
