//! An ONNX graph becomes a network: what is known here, and what leads to the output, step by step.

use std::collections::{BTreeMap, HashSet};

use duress_core::problem::Problem;

use super::model::{OnnxModel, OnnxNode, Port};
use super::walk::GraphWalk;
use crate::file::network::{NetworkHints, ReadNetwork};

/// The versions of the operators that are known.
const OPSETS: std::ops::RangeInclusive<i64> = 9..=24;

/// The operators that are known, for messages.
const OPERATORS: &[&str] = &[
    "Add",
    "AveragePool",
    "BatchNormalization",
    "Cast",
    "Ceil",
    "Clip",
    "Concat",
    "Constant",
    "ConstantOfShape",
    "Conv",
    "Div",
    "Dropout",
    "Elu",
    "Erf",
    "Exp",
    "Flatten",
    "Floor",
    "Gather",
    "Gelu",
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
    "Mish",
    "Mul",
    "Neg",
    "Pad",
    "PRelu",
    "Reciprocal",
    "ReduceMean",
    "Relu",
    "Reshape",
    "Round",
    "Selu",
    "Shape",
    "Sigmoid",
    "Slice",
    "Softmax",
    "Softplus",
    "Split",
    "Sqrt",
    "Squeeze",
    "Sub",
    "Sum",
    "Tanh",
    "Transpose",
    "Unsqueeze",
];

/// The network that a model describes.
pub(super) fn network(model: &OnnxModel, wanted: &NetworkHints) -> Result<ReadNetwork, Problem> {
    no_trees(model)?;
    if !OPSETS.contains(&model.opset) {
        return Err(
            Problem::new(format!("its operators are of opset {}", model.opset)).expected(format!(
                "{} to {}",
                OPSETS.start(),
                OPSETS.end()
            )),
        );
    }
    let output = chosen_output(&model.outputs, wanted)?;
    let steps = steps_to(model, &output.name);
    no_unknown_operators(&steps)?;
    let mut course = GraphWalk::new(model, only_input(&model.inputs)?, wanted)?;
    let ending = ending(&steps, &output.name);
    for (at, step) in steps.iter().enumerate() {
        course.take_step(step, at >= ending)?;
    }
    course.into_network(&output.name, wanted)
}

/// From which step on nothing happens to the output any more, but for a last softmax or sigmoid.
fn ending(steps: &[&OnnxNode], output: &str) -> usize {
    let mut name = output;
    for (at, step) in steps.iter().enumerate().rev() {
        let gives = step.outputs.first().is_some_and(|given| given == name);
        match (gives, step.operator.as_str(), step.inputs.first()) {
            (true, "Identity" | "Dropout" | "Cast", Some(input)) => name = input,
            (true, _, _) => return at,
            (false, _, _) => {}
        }
    }
    steps.len()
}

/// The output that is meant: the one that is named, or the only one.
fn chosen_output<'a>(outputs: &'a [Port], wanted: &NetworkHints) -> Result<&'a Port, Problem> {
    let names = || {
        let names: Vec<&str> = outputs.iter().map(|port| port.name.as_str()).collect();
        names.join(", ")
    };
    match (outputs, &wanted.output) {
        (_, Some(name)) => outputs
            .iter()
            .find(|port| port.name == *name)
            .ok_or_else(|| {
                Problem::new(format!("it has no output `{name}`"))
                    .expected(format!("one of its outputs: {}", names()))
            }),
        ([port], None) => Ok(port),
        (_, None) => Err(
            Problem::new(format!("it has {} outputs: {}", outputs.len(), names()))
                .expected("one image in and one number per class out")
                .hint("say `output = \"…\"` in the study: the one with a number per class"),
        ),
    }
}

fn only_input(inputs: &[Port]) -> Result<&Port, Problem> {
    match inputs {
        [port] => Ok(port),
        _ => {
            let names: Vec<&str> = inputs.iter().map(|port| port.name.as_str()).collect();
            Err(Problem::new(format!(
                "it has {} inputs: {}",
                inputs.len(),
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

/// Refuses models of `ai.onnx.ml` that have no gradient: trees, tables, vectors that support.
fn no_trees(model: &OnnxModel) -> Result<(), Problem> {
    let of_ml = |step: &&OnnxNode| {
        step.domain == "ai.onnx.ml"
            && ["Tree", "SVM", "Label", "Dict", "Linear"]
                .iter()
                .any(|start| step.operator.starts_with(start))
    };
    match model.nodes.iter().find(of_ml) {
        Some(step) if step.operator.starts_with("Tree") => Err(Problem::new(format!(
            "it is made of decision trees: node {}",
            step.called()
        ))
        .expected("a network: trees have no gradient to follow")
        .hint(
            "ask it as a `command` subject with ONNX Runtime (docs/command.md): `square`, `rays` and \
             `attack-suite` need answers only",
        )),
        Some(step) => Err(Problem::new(format!(
            "node {} is of `ai.onnx.ml`, not of ONNX itself",
            step.called()
        ))
        .expected("operators of a network")
        .hint(
            "export without them (skl2onnx: `options={id(model): {\"zipmap\": False}}`, \
             `black_op={\"LinearClassifier\"}`) and say `output = \"probabilities\"`, or ask it as a \
             `command` subject",
        )),
        None => Ok(()),
    }
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
