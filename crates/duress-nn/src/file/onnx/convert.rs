//! An ONNX graph becomes a network: what is known here, and what leads to the output, step by step.

use std::collections::{BTreeMap, HashSet};

use duress_core::problem::Problem;

use super::model::{OnnxModel, OnnxNode, Port};
use super::walk::GraphWalk;
use crate::file::network::NetworkHints;
use crate::network::Network;

/// The versions of the operators that are known.
const OPSETS: std::ops::RangeInclusive<i64> = 9..=24;

/// The operators that are known, for messages.
const OPERATORS: &[&str] = &[
    "Add",
    "AveragePool",
    "BatchNormalization",
    "Cast",
    "Clip",
    "Concat",
    "Constant",
    "ConstantOfShape",
    "Conv",
    "Div",
    "Dropout",
    "Flatten",
    "Gather",
    "Gemm",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "LeakyRelu",
    "LogSoftmax",
    "MatMul",
    "MaxPool",
    "Mul",
    "Pad",
    "ReduceMean",
    "Relu",
    "Reshape",
    "Shape",
    "Sigmoid",
    "Slice",
    "Softmax",
    "Split",
    "Squeeze",
    "Sub",
    "Sum",
    "Transpose",
    "Unsqueeze",
];

/// The network that a model describes.
pub(super) fn network(model: &OnnxModel, wanted: &NetworkHints) -> Result<Network, Problem> {
    if !OPSETS.contains(&model.opset) {
        return Err(
            Problem::new(format!("its operators are of opset {}", model.opset)).expected(format!(
                "{} to {}",
                OPSETS.start(),
                OPSETS.end()
            )),
        );
    }
    let output = only_port(&model.outputs, "output")?;
    let steps = steps_to(model, &output.name);
    no_unknown_operators(&steps)?;
    let mut course = GraphWalk::new(model, only_port(&model.inputs, "input")?, wanted)?;
    for step in &steps {
        course.take_step(
            step,
            step.outputs
                .first()
                .is_some_and(|name| *name == output.name),
        )?;
    }
    course.into_network(&output.name, wanted)
}

fn only_port<'a>(ports: &'a [Port], what: &str) -> Result<&'a Port, Problem> {
    match ports {
        [port] => Ok(port),
        _ => {
            let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            Err(Problem::new(format!(
                "it has {} {what}s: {}",
                ports.len(),
                names.join(", ")
            ))
            .expected("one image in and one number per class out"))
        }
    }
}

/// The steps that lead to a value, in their order.
fn steps_to<'a>(model: &'a OnnxModel, name: &'a str) -> Vec<&'a OnnxNode> {
    let mut needed = HashSet::from([name]);
    let mut steps = Vec::new();
    for step in model.nodes.iter().rev() {
        if step
            .outputs
            .iter()
            .any(|output| needed.contains(output.as_str()))
        {
            needed.extend(step.inputs.iter().map(String::as_str));
            steps.push(step);
        }
    }
    steps.reverse();
    steps
}

/// Names every operator that is lacking at once, each with a node of its kind.
fn no_unknown_operators(steps: &[&OnnxNode]) -> Result<(), Problem> {
    let mut unknown: BTreeMap<&str, Vec<&OnnxNode>> = BTreeMap::new();
    for step in steps {
        let own = step.domain.is_empty() || step.domain == "ai.onnx";
        if !own || !OPERATORS.contains(&step.operator.as_str()) {
            unknown.entry(&step.operator).or_default().push(step);
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = unknown
        .values()
        .map(|steps| match steps.len() {
            1 => steps[0].called(),
            n => format!("{} and {} more", steps[0].called(), n - 1),
        })
        .collect();
    Err(Problem::new(format!(
        "it has operators that are not here: node {}",
        named.join(", node ")
    ))
    .expected(OPERATORS.join(", "))
    .hint("a `command` subject can ask any model, with gradients too"))
}
