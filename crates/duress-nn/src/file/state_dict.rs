//! State dicts: named weights become a network whose architecture their names and shapes tell.

use std::collections::HashMap;

use duress_core::problem::Problem;
use duress_tensors::{FileTensor, NamedTensor};

use super::network::{Architecture, NetworkHints, ReadNetwork, ResidualHints};
use crate::architecture::{EPSILON, Residual, Stem, StrideIn};
use crate::network::{Dense, ItemShape, Network, Normalise, Operator};

/// The network that some weights are those of.
pub(super) fn network(
    tensors: Vec<NamedTensor>,
    wanted: &NetworkHints,
) -> Result<ReadNetwork, Problem> {
    let weights = unwrapped(tensors);
    let resnet = weights.iter().any(|(name, _)| name.ends_with(ANCHOR));
    match wanted.architecture {
        Architecture::Mlp => {
            wanted.residual.none_needed()?;
            read_mlp(&weights, wanted).map(ReadNetwork::told)
        }
        _ if resnet => residual(&weights, wanted),
        Architecture::Auto => Err(Problem::new(format!(
            "its weights ({}) do not tell what network they belong to",
            first_names(weights.iter().map(|(name, _)| name.as_str()))
        ))
        .expected("a ResNet with torchvision's names")
        .hint("for dense layers with ReLU between them say `architecture = \"mlp\"`; export anything else to ONNX")),
        _ => Err(Problem::new("it holds no residual network").expected(format!(
            "weights with torchvision's names, {ANCHOR} among them; there is {}",
            first_names(weights.iter().map(|(name, _)| name.as_str()))
        ))),
    }
}

/// The weight that every residual network has.
const ANCHOR: &str = "layer1.0.conv1.weight";

/// What training scripts put the weights under.
const WRAPPERS: [&str; 4] = ["state_dict.", "model_state_dict.", "model.", "net."];

/// What they put beside them.
const BESIDE: [&str; 5] = ["optim", "sched", "lr_sched", "ema", "scaler"];

/// The weights of a checkpoint without what is beside them, and without the `module.` that training
/// on several devices adds. `num_batches_tracked` counts steps of training and changes no answer.
fn unwrapped(tensors: Vec<NamedTensor>) -> Vec<NamedTensor> {
    let starts = |name: &str, words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let weights: Vec<NamedTensor> = tensors
        .into_iter()
        .filter(|(name, _)| !starts(name, &BESIDE) && !name.ends_with("num_batches_tracked"))
        .collect();
    let wrapper = WRAPPERS.iter().find(|wrapper| {
        let inside = weights
            .iter()
            .filter(|(name, _)| name.starts_with(**wrapper))
            .count();
        // A dictionary that is called after what it holds is one; any other name may be that of a
        // layer.
        inside == weights.len() || (inside > 0 && wrapper.ends_with("state_dict."))
    });
    let stripped = weights.into_iter().filter_map(|(name, tensor)| {
        let name = name.strip_prefix(wrapper.copied().unwrap_or_default())?;
        Some((
            name.strip_prefix("module.").unwrap_or(name).to_string(),
            tensor,
        ))
    });
    stripped.collect()
}

/// A residual network with torchvision's names, perhaps under a prefix such as `backbone.`.
fn residual(weights: &[NamedTensor], wanted: &NetworkHints) -> Result<ReadNetwork, Problem> {
    let prefixes: Vec<&str> = weights
        .iter()
        .filter_map(|(name, _)| name.strip_suffix(ANCHOR))
        .collect();
    let [prefix] = prefixes[..] else {
        return Err(
            Problem::new(format!("it holds {} residual networks", prefixes.len()))
                .expected("one")
                .hint(format!(
                    "they are under {}",
                    first_names(prefixes.iter().copied())
                )),
        );
    };
    let mut named: HashMap<String, &FileTensor> = HashMap::new();
    let mut beside = Vec::new();
    for (name, tensor) in weights {
        match name.strip_prefix(prefix) {
            Some(name) => drop(named.insert(head_prefix(name, weights), tensor)),
            None => beside.push(name.as_str()),
        }
    }
    let plan = residual_plan(&named, &wanted.residual)?;
    agrees(&plan, wanted.architecture)?;
    wanted.residual.fit(&plan)?;
    let shape = |name: &str| {
        named
            .get(name)
            .map(|tensor| tensor.shape().to_vec())
            .unwrap_or_default()
    };
    let stem = shape("conv1.weight");
    let end = shape("fc.weight");
    let (&[_, channels, _, _], &[outputs, _]) = (stem.as_slice(), end.as_slice()) else {
        return Err(Problem::new(format!(
            "`conv1.weight` is {stem:?} and `fc.weight` is {end:?}"
        ))
        .expected("a convolution at the beginning and a dense layer at the end"));
    };
    let input = input(wanted, Some(channels))?;
    let fresh = plan.blank(input, wanted.classes(outputs)?, normalise(wanted)?);
    let filled = fresh.and_then(|network| {
        network.filled(|name, shape| {
            let tensor = named.remove(name).ok_or("it is not in the file")?;
            floats(tensor, shape)
        })
    });
    let network = filled.map_err(|why| Problem::new(why.to_string()).expected(called(&plan)))?;
    beside.extend(named.keys().map(String::as_str));
    beside.sort_unstable();
    match beside.is_empty() {
        true => Ok(ReadNetwork {
            network,
            assumed: wanted.residual.assumed(&plan),
            read_as: Vec::new(),
        }),
        false => Err(Problem::new(format!(
            "it holds weights that {} has no place for: {}",
            called(&plan),
            first_names(beside)
        ))
        .expected("its weights and nothing else")
        .hint("export the network to ONNX")),
    }
}

/// The name of a weight, where the last layer stands behind a dropout: `fc.1.weight` is
/// `fc.weight`.
fn head_prefix(name: &str, weights: &[NamedTensor]) -> String {
    let number = |name: &str| Some(name.strip_prefix("fc.")?.split_once('.')?.0.to_string());
    let layers = weights.iter().filter(|(other, tensor)| {
        tensor.shape().len() == 2
            && other
                .rsplit_once("fc.")
                .is_some_and(|(_, rest)| rest.contains(".weight"))
    });
    match number(name) {
        Some(at) if layers.count() == 1 && at.parse::<u32>().is_ok() => {
            name.replacen(&format!("fc.{at}."), "fc.", 1)
        }
        _ => name.to_string(),
    }
}

/// How many blocks of which kind there are.
fn residual_plan(
    named: &HashMap<String, &FileTensor>,
    hints: &ResidualHints,
) -> Result<Residual, Problem> {
    let blocks = |stage: usize| {
        (0..)
            .take_while(|block| named.contains_key(&format!("layer{stage}.{block}.conv1.weight")))
            .count()
    };
    let stages: Vec<usize> = (1..).map(blocks).take_while(|&blocks| blocks > 0).collect();
    let stem = named
        .get("conv1.weight")
        .map(|tensor| tensor.shape())
        .unwrap_or_default();
    let (first_side, usual) = match stem {
        [_, _, 7, 7] => (7, Stem::LARGE),
        [_, _, 3, 3] => (3, Stem::SMALL),
        _ => {
            return Err(Problem::new(format!(
                "its first convolution `conv1.weight` has the shape {stem:?}"
            ))
            .expected("7 × 7 as torchvision has it, or 3 × 3 for small images"));
        }
    };
    let bottleneck = named.contains_key("layer1.0.conv3.weight");
    Ok(Residual {
        blocks: stages,
        width: stem[0],
        bottleneck,
        first_side,
        stem: hints.stem.unwrap_or(usual),
        stride_in: hints.stride_in.unwrap_or(StrideIn::Middle),
        epsilon: hints.epsilon.unwrap_or(EPSILON),
    })
}

/// The ResNets that have names.
const RESNETS: [(usize, [usize; 4], bool); 5] = [
    (18, [2, 2, 2, 2], false),
    (34, [3, 4, 6, 3], false),
    (50, [3, 4, 6, 3], true),
    (101, [3, 4, 23, 3], true),
    (152, [3, 8, 36, 3], true),
];

fn depth(plan: &Residual) -> Option<usize> {
    let same = |(_, blocks, bottleneck): &&(usize, [usize; 4], bool)| {
        plan.blocks == blocks && plan.bottleneck == *bottleneck && plan.width == 64
    };
    RESNETS.iter().find(same).map(|(depth, ..)| *depth)
}

fn called(plan: &Residual) -> String {
    match depth(plan) {
        Some(depth) => format!("a ResNet-{depth}"),
        None => format!(
            "a residual network of {:?} blocks from width {} on",
            plan.blocks, plan.width
        ),
    }
}

fn agrees(plan: &Residual, wanted: Architecture) -> Result<(), Problem> {
    match wanted.layers() {
        Some(layers) if depth(plan) != Some(layers) => {
            Err(Problem::new(format!("it holds {}", called(plan)))
                .expected(format!("a ResNet-{layers}")))
        }
        _ => Ok(()),
    }
}

/// Dense layers in the order of the file, with ReLU between them.
fn read_mlp(weights: &[NamedTensor], wanted: &NetworkHints) -> Result<Network, Problem> {
    let mut layers: Vec<Dense> = Vec::new();
    for (name, tensor) in weights {
        let odd = || {
            Problem::new(format!(
                "`{name}` of {:?} is no part of dense layers",
                tensor.shape()
            ))
            .expected("weights with two axes, each followed by its bias")
            .hint("export the network to ONNX")
        };
        let numbers = || {
            floats(tensor, tensor.shape()).map_err(|why| Problem::new(format!("`{name}`: {why}")))
        };
        match (tensor.shape(), layers.last_mut()) {
            (&[outputs, inputs], _) => {
                layers.push(Dense {
                    inputs,
                    outputs,
                    weights: numbers()?,
                    bias: Vec::new(),
                });
            }
            (&[n], Some(layer)) if n == layer.outputs && layer.bias.is_empty() => {
                layer.bias = numbers()?
            }
            _ => return Err(odd()),
        }
    }
    let outputs = layers.last().map_or(0, |layer| layer.outputs);
    let mut operators = vec![Operator::Normalise(normalise(wanted)?), Operator::Flatten];
    for (at, layer) in layers.into_iter().enumerate() {
        operators.extend((at > 0).then_some(Operator::Relu));
        operators.push(Operator::Dense(layer));
    }
    let network = Network::chain(input(wanted, None)?, wanted.classes(outputs)?, operators);
    network.map_err(|why| Problem::new(why.to_string()))
}

fn floats(tensor: &FileTensor, shape: &[usize]) -> Result<Vec<f32>, String> {
    if tensor.shape() != shape {
        return Err(format!(
            "it has the shape {:?} instead of {shape:?}",
            tensor.shape()
        ));
    }
    match tensor.element_type().is_floating() {
        true => Ok(tensor.to_f32()),
        false => Err(format!("it holds {}, not weights", tensor.element_type())),
    }
}

/// The shape of the images, with as many channels as the first layer takes.
fn input(wanted: &NetworkHints, channels: Option<usize>) -> Result<ItemShape, Problem> {
    let input = wanted.input.ok_or_else(|| {
        Problem::new("weights do not tell how large the images are")
            .expected("a size")
            .hint("say `size = …` in the study")
    })?;
    match channels {
        Some(channels) if channels != input[0] => Err(Problem::new(format!(
            "the network takes images with {channels} channels"
        ))
        .expected(format!(
            "one for images of {input:?} (channels, height, width), which is what it is asked about"
        ))),
        _ => Ok(input),
    }
}

/// Weights alone do not say what was done to the image first, and a guess would be wrong without
/// anyone noticing.
fn normalise(wanted: &NetworkHints) -> Result<Normalise, Problem> {
    wanted.normalise.clone().ok_or_else(|| {
        Problem::new("weights do not tell how the images are normalised")
            .expected("`mean` and `std` as the network was trained with")
            .hint("for torchvision's weights mean = [0.485, 0.456, 0.406] and std = [0.229, 0.224, 0.225]; for none mean = [0] and std = [1]")
    })
}

/// The first few of some names.
fn first_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let first: Vec<String> = names
        .iter()
        .take(5)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
