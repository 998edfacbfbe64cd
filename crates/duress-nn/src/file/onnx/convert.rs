//! The image is followed through an ONNX graph, and a network is made of what happens to it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use duress_core::problem::Problem;

use super::constant::{BATCH, Constant, fold};
use super::model::{Model, Node as Step, Port};
use super::window::{pair, window};
use crate::file::network::Wanted;
use crate::network::{BatchNorm, Conv, Dense, Network, Node, Normalise, Operator, Shape, Window};

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
    "Squeeze",
    "Sub",
    "Sum",
    "Transpose",
    "Unsqueeze",
];

/// The network that a model describes.
pub(super) fn network(model: &Model, wanted: &Wanted) -> Result<Network, Problem> {
    if !OPSETS.contains(&model.opset) {
        return Err(Problem::new(format!("its operators are of opset {}", model.opset)).expected(format!(
            "{} to {}",
            OPSETS.start(),
            OPSETS.end()
        )));
    }
    let output = only(&model.outputs, "output")?;
    let steps = steps_to(model, &output.name);
    no_unknown_operators(&steps)?;
    let mut course = Course::new(model, only(&model.inputs, "input")?, wanted)?;
    for step in &steps {
        course.take(step, step.outputs.first().is_some_and(|name| *name == output.name))?;
    }
    let end = course.flow(&output.name).ok_or_else(|| {
        Problem::new(format!("its output `{}` does not depend on the image", output.name))
            .expected("a classifier of images")
    })?;
    course.flat(end).ok_or_else(|| {
        Problem::new(format!(
            "its output `{}` has the shape {:?} for an image",
            output.name,
            course.dims(end)
        ))
        .expected("one number per class")
    })?;
    // What comes after the last step that leads to the output would be taken for the output.
    course.nodes.truncate(end.at + 1);
    let outputs = course.shapes[end.at].iter().product();
    Network::new(course.shapes[0], wanted.classes(outputs)?, course.nodes)
        .map_err(|why| Problem::new(why.to_string()))
}

fn only<'a>(ports: &'a [Port], what: &str) -> Result<&'a Port, Problem> {
    match ports {
        [port] => Ok(port),
        _ => {
            let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            Err(Problem::new(format!("it has {} {what}s: {}", ports.len(), names.join(", ")))
                .expected("one image in and one number per class out"))
        }
    }
}

/// The steps that lead to a value, in their order.
fn steps_to<'a>(model: &'a Model, name: &'a str) -> Vec<&'a Step> {
    let mut needed = HashSet::from([name]);
    let mut steps = Vec::new();
    for step in model.nodes.iter().rev() {
        if step.outputs.iter().any(|output| needed.contains(output.as_str())) {
            needed.extend(step.inputs.iter().map(String::as_str));
            steps.push(step);
        }
    }
    steps.reverse();
    steps
}

/// Names every operator that is lacking at once, each with a node of its kind.
fn no_unknown_operators(steps: &[&Step]) -> Result<(), Problem> {
    let mut unknown: BTreeMap<&str, Vec<&Step>> = BTreeMap::new();
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
    Err(Problem::new(format!("it has operators that are not here: node {}", named.join(", node ")))
        .expected(OPERATORS.join(", "))
        .hint("a `command` subject can ask any model, with gradients too"))
}

/// A value that depends on the image: the node that gives it, and how its axes are seen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flow {
    at: usize,
    view: View,
    /// Zeros around it that the next window takes in: top, bottom, left, right.
    padding: [usize; 4],
}

/// How the axes of a value are seen, after the one for the images of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum View {
    /// Channels, height, width.
    Image,
    /// Height, width, channels.
    ChannelsLast,
    /// One axis.
    Flat,
}

#[derive(Clone)]
enum Known {
    Flow(Flow),
    Constant(Rc<Constant>),
}

/// What is known on the way through the graph.
struct Course<'a> {
    known: HashMap<&'a str, Known>,
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    /// How many steps take each value.
    uses: HashMap<&'a str, usize>,
    /// How many images the file says a batch has, if it does.
    batch: Option<usize>,
}

impl<'a> Course<'a> {
    fn new(model: &'a Model, input: &'a Port, wanted: &Wanted) -> Result<Course<'a>, Problem> {
        let (shape, view) = image(model, input, wanted)?;
        let normalise = wanted.normalise.clone().unwrap_or_else(|| Normalise::none(shape[0]));
        let mut course = Course {
            known: HashMap::new(),
            nodes: vec![Node::new("image", [], Operator::Normalise(normalise))],
            shapes: vec![shape],
            uses: HashMap::new(),
            batch: input.shape.first().copied().flatten(),
        };
        for name in model.nodes.iter().flat_map(|step| &step.inputs) {
            *course.uses.entry(name).or_default() += 1;
        }
        let constants = model.initializers.iter();
        course.known.extend(
            constants.map(|(name, held)| (name.as_str(), Known::Constant(Rc::new(Constant::of(held))))),
        );
        let at = if view == View::Flat { course.push("flatten", &[0], Operator::Flatten)? } else { 0 };
        course.known.insert(&input.name, Known::Flow(Flow { at, view, padding: [0; 4] }));
        Ok(course)
    }

    /// Takes a step; `last` if it gives the output.
    fn take(&mut self, step: &'a Step, last: bool) -> Result<(), Problem> {
        let given: Vec<Option<Known>> =
            step.inputs.iter().map(|name| self.known.get(name.as_str()).cloned()).collect();
        let missing =
            step.inputs.iter().zip(&given).find(|(name, known)| !name.is_empty() && known.is_none());
        if let Some((name, _)) = missing {
            return Err(step.problem(format!("nothing before it gives its input `{name}`")));
        }
        let constants: Vec<&Constant> = given
            .iter()
            .filter_map(|known| match known {
                Some(Known::Constant(constant)) => Some(&**constant),
                _ => None,
            })
            .collect();
        let flows = given.iter().any(|known| matches!(known, Some(Known::Flow(_))));
        let result = match flows {
            true => self.apply(step, &given, last)?,
            false => Known::Constant(Rc::new(fold(step, &constants).unwrap_or_else(|| {
                Err(step.problem("it computes a constant in a way that is not known here"))
            })?)),
        };
        let output = step.outputs.first().ok_or_else(|| step.problem("it gives nothing"))?;
        self.known.insert(output, result);
        Ok(())
    }

    fn apply(&mut self, step: &'a Step, given: &[Option<Known>], last: bool) -> Result<Known, Problem> {
        let operands = Operands { step, given };
        if step.operator == "Shape" {
            return self.shape_of(step, operands.flow(0)?).map(|shape| Known::Constant(Rc::new(shape)));
        }
        let flow = match step.operator.as_str() {
            "Relu" => self.each(step, &operands, Operator::Relu)?,
            "Sigmoid" => self.each(step, &operands, Operator::Sigmoid)?,
            "HardSwish" => self.each(step, &operands, Operator::HardSwish)?,
            "LeakyRelu" => self.each(step, &operands, Operator::LeakyRelu(step.float("alpha", 0.01)))?,
            "HardSigmoid" => {
                let is =
                    |name: &str, default: f32, wanted: f32| (step.float(name, default) - wanted).abs() < 1e-6;
                if !is("alpha", 0.2, 1.0 / 6.0) || !is("beta", 0.5, 0.5) {
                    return Err(step.problem("its slope is not 1/6 or its middle is not 1/2"));
                }
                self.each(step, &operands, Operator::HardSigmoid)?
            }
            "Clip" => {
                let low = operands.bound(1, "min", f32::MIN)?;
                let high = operands.bound(2, "max", f32::MAX)?;
                let relu = low == 0.0 && high == f32::MAX;
                self.each(step, &operands, if relu { Operator::Relu } else { Operator::Clip { low, high } })?
            }
            "Identity" | "Dropout" => operands.flow(0)?,
            "Cast" if matches!(step.whole("to", 1), 1 | 10 | 11 | 16) => operands.flow(0)?,
            "Softmax" | "LogSoftmax" => self.softmax(step, &operands, last)?,
            "Conv" => self.conv(step, &operands)?,
            "BatchNormalization" => self.batch_norm(step, &operands)?,
            "MaxPool" | "AveragePool" => self.pool(step, &operands)?,
            "GlobalAveragePool" | "GlobalMaxPool" | "ReduceMean" => self.global_pool(step, &operands)?,
            "Add" | "Sub" | "Mul" | "Div" => self.arithmetic(step, &operands)?,
            "Sum" => self.sum(step, &operands)?,
            "Concat" => self.concat(step, &operands)?,
            "Gemm" | "MatMul" => self.dense(step, &operands)?,
            "Pad" => self.pad(step, &operands)?,
            "Flatten" | "Reshape" | "Squeeze" | "Unsqueeze" => self.reshape(step, &operands)?,
            "Transpose" => self.transpose(step, &operands)?,
            _ => return Err(step.problem("it does this to a value that depends on the image")),
        };
        Ok(Known::Flow(flow))
    }

    fn flow(&self, name: &str) -> Option<Flow> {
        match self.known.get(name) {
            Some(Known::Flow(flow)) => Some(*flow),
            _ => None,
        }
    }

    /// Adds a node and says its place.
    fn push(&mut self, name: &str, inputs: &[usize], operator: Operator) -> Result<usize, Problem> {
        let given: Vec<Shape> = inputs.iter().map(|&at| self.shapes[at]).collect();
        let shape = operator
            .shape(&given)
            .map_err(|why| Problem::new(format!("node `{name}` ({}): {why}", operator.name())))?;
        self.nodes.push(Node::new(name, inputs, operator));
        self.shapes.push(shape);
        Ok(self.nodes.len() - 1)
    }

    /// Adds what a step does, and sees the result as `view`.
    fn add(&mut self, step: &Step, inputs: &[Flow], operator: Operator, view: View) -> Result<Flow, Problem> {
        if inputs.iter().any(|flow| flow.padding != [0; 4]) {
            return Err(step.problem("it comes after padding that only a convolution or a pool can take in"));
        }
        let name = match (step.name.as_str(), step.outputs.first()) {
            ("", Some(output)) => output,
            (name, _) => name,
        };
        let inputs: Vec<usize> = inputs.iter().map(|flow| flow.at).collect();
        Ok(Flow { at: self.push(name, &inputs, operator)?, view, padding: [0; 4] })
    }

    fn each(&mut self, step: &Step, operands: &Operands<'_>, operator: Operator) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        self.add(step, &[flow], operator, flow.view)
    }

    /// The size of a value along each axis but the first.
    fn dims(&self, flow: Flow) -> Vec<usize> {
        let [channels, height, width] = self.shapes[flow.at];
        let [top, bottom, left, right] = flow.padding;
        let (height, width) = (height + top + bottom, width + left + right);
        match flow.view {
            View::Image => vec![channels, height, width],
            View::ChannelsLast => vec![height, width, channels],
            View::Flat => vec![channels],
        }
    }

    fn shape_of(&self, step: &Step, flow: Flow) -> Result<Constant, Problem> {
        let mut shape = vec![BATCH];
        shape.extend(self.dims(flow).iter().map(|&size| size as i64));
        let rank = shape.len() as i64;
        let bound = |name: &str, default: i64| {
            let at = step.whole(name, default);
            (if at < 0 { at + rank } else { at }).clamp(0, rank) as usize
        };
        let (start, end) = (bound("start", 0), bound("end", rank));
        Ok(Constant::list(shape.get(start..end).unwrap_or_default().to_vec()))
    }

    /// Probabilities are made of logits again by whoever wants them; what is before the softmax is the answer.
    fn softmax(&mut self, step: &Step, operands: &Operands<'_>, last: bool) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        let over_classes = match (flow.view, step.whole("axis", 1)) {
            (View::Flat, 1 | -1) => true,
            (View::Image, 1) => self.flat(flow).is_some(),
            _ => false,
        };
        if !last || !over_classes {
            return Err(step.problem("it is not the last step over one number per class"));
        }
        Ok(flow)
    }

    fn conv(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let (flow, weights) = (operands.image(0)?, operands.constant(1)?);
        let &[outputs, per_group, height, width] = weights.shape.as_slice() else {
            return Err(step
                .problem(format!("its weights have the shape {:?}", weights.shape))
                .expected("a convolution over height and width"));
        };
        let groups = usize::try_from(step.whole("group", 1)).unwrap_or(0);
        let conv = Conv {
            inputs: per_group.saturating_mul(groups),
            outputs,
            groups,
            window: window(step, [height, width], self.shapes[flow.at], flow.padding)?,
            weights: operands.floats(1)?,
            bias: if operands.has(2) { operands.floats(2)? } else { Vec::new() },
        };
        self.add(step, &[Flow { padding: [0; 4], ..flow }], Operator::Conv(conv), View::Image)
    }

    fn batch_norm(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        if flow.view == View::ChannelsLast {
            return Err(step.problem("its channels come last"));
        }
        if step.whole("training_mode", 0) != 0 {
            return Err(step
                .problem("it is still in training mode")
                .hint("export the network after model.eval()"));
        }
        let norm = BatchNorm {
            scale: operands.floats(1)?,
            shift: operands.floats(2)?,
            mean: operands.floats(3)?,
            variance: operands.floats(4)?,
            epsilon: step.float("epsilon", 1e-5),
        };
        self.add(step, &[flow], Operator::BatchNorm(norm), flow.view)
    }

    fn pool(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flow = operands.image(0)?;
        let kernel = pair(step, "kernel_shape")?.ok_or_else(|| step.problem("it has no `kernel_shape`"))?;
        let window = window(step, kernel, self.shapes[flow.at], flow.padding)?;
        let padded = flow.padding != [0; 4];
        let operator = if step.operator == "MaxPool" {
            if padded && !self.is_positive(flow.at) {
                return Err(step.problem("zeros around negative values could be the largest"));
            }
            Operator::MaxPool(window)
        } else {
            let outside = step.whole("count_include_pad", 0) == 1;
            if padded && !outside && (step.has("pads") || window.ceil) {
                return Err(step.problem("it counts some of the padding and some not"));
            }
            Operator::AvgPool { window, count_outside: outside || padded }
        };
        self.add(step, &[Flow { padding: [0; 4], ..flow }], operator, View::Image)
    }

    /// Whether a node gives nothing negative.
    fn is_positive(&self, at: usize) -> bool {
        match &self.nodes[at].operator {
            Operator::Relu | Operator::Sigmoid | Operator::HardSigmoid => true,
            Operator::Clip { low, .. } => *low >= 0.0,
            Operator::MaxPool(_) | Operator::AvgPool { .. } | Operator::Concat => {
                self.nodes[at].inputs.iter().all(|&from| self.is_positive(from))
            }
            _ => false,
        }
    }

    fn global_pool(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        let reduces = step.operator == "ReduceMean";
        let wanted = if flow.view == View::ChannelsLast { [1, 2] } else { [2, 3] };
        let mut axes = if reduces { operands.axes(1, 4)? } else { vec![2, 3] };
        axes.sort_unstable();
        if flow.view == View::Flat || axes != wanted {
            return Err(step.problem("it does not go over height and width"));
        }
        let [_, height, width] = self.shapes[flow.at];
        let operator = if step.operator == "GlobalMaxPool" {
            Operator::MaxPool(Window { kernel: [height, width], ..Window::square(1, 1, 0) })
        } else {
            Operator::GlobalAvgPool
        };
        let keeps = !reduces || step.whole("keepdims", 1) == 1;
        self.add(step, &[flow], operator, if keeps { flow.view } else { View::Flat })
    }

    fn arithmetic(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        match (operands.given.first(), operands.given.get(1)) {
            (Some(Some(Known::Flow(left))), Some(Some(Known::Flow(right)))) => self.join(step, *left, *right),
            (Some(Some(Known::Flow(flow))), _) => self.affine(step, *flow, operands.constant(1)?, false),
            _ => self.affine(step, operands.flow(1)?, operands.constant(0)?, true),
        }
    }

    fn join(&mut self, step: &Step, left: Flow, right: Flow) -> Result<Flow, Problem> {
        let operator = match step.operator.as_str() {
            "Add" => Operator::Add,
            "Mul" => Operator::Mul,
            _ => return Err(step.problem("it does this to two values that both depend on the image")),
        };
        // A value per channel is multiplied into an image from either side.
        let small = |flow: Flow| self.shapes[flow.at][1..] == [1, 1];
        let (left, right) = if operator == Operator::Mul && small(left) && !small(right) {
            (right, left)
        } else {
            (left, right)
        };
        if left.view != right.view {
            return Err(step.problem("its two inputs have their axes in different orders"));
        }
        self.add(step, &[left, right], operator, left.view)
    }

    /// Arithmetic with a number per channel, or with one number.
    fn affine(&mut self, step: &Step, flow: Flow, by: &Constant, reversed: bool) -> Result<Flow, Problem> {
        let channels = self.shapes[flow.at][0];
        let by = self.per_channel(flow, by).ok_or_else(|| {
            step.problem(format!("it combines {:?} with a constant of {:?}", self.dims(flow), by.shape))
                .expected("one number, or one per channel")
        })?;
        let (ones, zeros) = (vec![1.0; channels], vec![0.0; channels]);
        let negative = || by.iter().map(|x| -x).collect();
        let (scale, shift) = match (step.operator.as_str(), reversed) {
            ("Add", _) => (ones, by),
            ("Sub", false) => (ones, negative()),
            ("Sub", true) => (vec![-1.0; channels], by),
            ("Mul", _) => (by, zeros),
            (_, false) => (by.iter().map(|x| 1.0 / x).collect(), zeros),
            (_, true) => return Err(step.problem("it divides by a value that depends on the image")),
        };
        if step.operator == "Add" && self.joins_bias(step, flow, &shift) {
            return Ok(flow);
        }
        let (mean, variance) = (vec![0.0; channels], vec![1.0; channels]);
        let norm = BatchNorm { scale, shift, mean, variance, epsilon: 0.0 };
        self.add(step, &[flow], Operator::BatchNorm(norm), flow.view)
    }

    /// Puts what is added after a product of matrices where a dense layer has its bias, if nobody else takes that product.
    fn joins_bias(&mut self, step: &Step, flow: Flow, shift: &[f32]) -> bool {
        let alone = step.inputs.iter().all(|name| match self.flow(name) {
            Some(_) => self.uses.get(name.as_str()) == Some(&1),
            None => true,
        });
        match &mut self.nodes[flow.at].operator {
            Operator::Dense(dense) if alone && dense.bias.is_empty() => {
                dense.bias = shift.to_vec();
                true
            }
            _ => false,
        }
    }

    /// A constant as one number per channel of a flow, if it is one number or one per channel.
    fn per_channel(&self, flow: Flow, constant: &Constant) -> Option<Vec<f32>> {
        let (dims, channels) = (self.dims(flow), self.shapes[flow.at][0]);
        let floats = constant.floats()?;
        if let [one] = floats.as_slice() {
            return Some(vec![*one; channels]);
        }
        // Axes are matched from the last one on.
        let from_the_end = if flow.view == View::Image { 2 } else { 0 };
        let rank = constant.shape.len();
        let axis = rank.checked_sub(1 + from_the_end)?;
        let fits = rank <= dims.len() + 1 && constant.shape[axis] == channels && floats.len() == channels;
        fits.then_some(floats)
    }

    fn sum(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let mut sum = operands.flow(0)?;
        for at in 1..operands.given.len() {
            let next = operands.flow(at)?;
            if next.view != sum.view {
                return Err(step.problem("its inputs have their axes in different orders"));
            }
            sum = self.add(step, &[sum, next], Operator::Add, sum.view)?;
        }
        Ok(sum)
    }

    fn concat(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flows = (0..operands.given.len()).map(|at| operands.flow(at)).collect::<Result<Vec<_>, _>>()?;
        let view = flows.first().map_or(View::Flat, |flow| flow.view);
        let (rank, channels) = match view {
            View::Image => (4, 1),
            View::ChannelsLast => (4, 3),
            View::Flat => (2, 1),
        };
        let axis = step.whole("axis", 1);
        let axis = if axis < 0 { axis + rank } else { axis };
        if axis != channels || flows.iter().any(|flow| flow.view != view) {
            return Err(step
                .problem(format!("it joins along axis {axis}"))
                .expected("the axis of the channels"));
        }
        self.add(step, &flows, Operator::Concat, view)
    }

    fn dense(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let (flow, weights) = (operands.flow(0)?, operands.constant(1)?);
        let gemm = step.operator == "Gemm";
        let &[rows, columns] = weights.shape.as_slice() else {
            return Err(step
                .problem(format!("its weights have the shape {:?}", weights.shape))
                .expected("two axes"));
        };
        if flow.view != View::Flat || (gemm && step.whole("transA", 0) != 0) {
            return Err(step
                .problem(format!("it takes a value of {:?}", self.dims(flow)))
                .expected("a flat one"));
        }
        let (alpha, beta) = (step.float("alpha", 1.0), step.float("beta", 1.0));
        let upright = gemm && step.whole("transB", 0) != 0;
        let (outputs, inputs) = if upright { (rows, columns) } else { (columns, rows) };
        let mut weights = operands.floats(1)?;
        if !upright {
            let places = (0..outputs).flat_map(|o| (0..inputs).map(move |i| i * outputs + o));
            weights = places.map(|at| weights[at]).collect();
        }
        if gemm {
            weights.iter_mut().for_each(|weight| *weight *= alpha);
        }
        let bias = match (gemm && operands.has(2)).then(|| operands.floats(2)).transpose()? {
            None => Vec::new(),
            Some(one) if one.len() == 1 => vec![beta * one[0]; outputs],
            Some(bias) => bias.iter().map(|x| beta * x).collect(),
        };
        self.add(step, &[flow], Operator::Dense(Dense { inputs, outputs, weights, bias }), View::Flat)
    }

    fn pad(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        let rank = self.dims(flow).len() + 1;
        let pads = match operands.has(1) {
            true => operands.constant(1)?.wholes().unwrap_or_default().to_vec(),
            false => step.wholes("pads").unwrap_or_default().to_vec(),
        };
        let value = operands.bound(2, "value", 0.0)?;
        let axes = if operands.has(3) { operands.axes(3, rank)? } else { (0..rank).collect() };
        if pads.len() != 2 * axes.len() || !matches!(step.text("mode"), "" | "constant") || value != 0.0 {
            return Err(step.problem("it does not pad with zeros").expected("zeros around the image"));
        }
        let mut by = vec![[0_usize; 2]; rank];
        for (at, &axis) in axes.iter().enumerate() {
            let size = |by: i64| usize::try_from(by).ok().filter(|&by| by < 1 << 16);
            match (size(pads[at]), size(pads[at + axes.len()])) {
                (Some(before), Some(after)) => by[axis] = [before, after],
                _ => return Err(step.problem(format!("it pads by {pads:?}"))),
            }
        }
        if by.iter().all(|by| *by == [0; 2]) {
            return Ok(flow);
        }
        match by.as_slice() {
            [[0, 0], [0, 0], rows, columns] if flow.view == View::Image => {
                let mut padding = flow.padding;
                let more = [rows[0], rows[1], columns[0], columns[1]];
                padding.iter_mut().zip(more).for_each(|(padding, more)| *padding += more);
                Ok(Flow { padding, ..flow })
            }
            _ => Err(step
                .problem(format!("it pads by {pads:?}"))
                .expected("zeros above, below and beside the image")),
        }
    }

    fn reshape(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        let dims = self.dims(flow);
        let wanted = match step.operator.as_str() {
            "Flatten" => match step.whole("axis", 1) {
                1 => vec![dims.iter().product()],
                axis => {
                    return Err(step.problem(format!("it flattens from axis {axis} on")).expected("axis 1"));
                }
            },
            "Reshape" => self.reshaped(step, &dims, operands.constant(1)?)?,
            "Squeeze" => {
                let all: Vec<usize> = (1..=dims.len()).filter(|&axis| dims[axis - 1] == 1).collect();
                let given = operands.has(1) || step.has("axes");
                let axes = if given { operands.axes(1, dims.len() + 1)? } else { all };
                let kept =
                    dims.iter().enumerate().filter(|(at, size)| **size != 1 || !axes.contains(&(at + 1)));
                kept.map(|(_, &size)| size).collect()
            }
            _ => {
                let mut wanted = dims.clone();
                let more = operands.constant(1).ok().and_then(Constant::wholes).or(step.wholes("axes"));
                let mut axes = operands.axes(1, dims.len() + 1 + more.map_or(0, <[i64]>::len))?;
                axes.sort_unstable();
                axes.iter().for_each(|&axis| wanted.insert(axis.saturating_sub(1).min(wanted.len()), 1));
                wanted
            }
        };
        if wanted == dims {
            return Ok(flow);
        }
        let seen = |view: View| Ok(Flow { view, ..flow });
        let shape = self.shapes[flow.at];
        let flat = shape[1..] == [1, 1] && flow.padding == [0; 4];
        match wanted.as_slice() {
            [n] if *n == shape[0] && flat => seen(View::Flat),
            [n] if *n == dims.iter().product::<usize>() && flow.view == View::Image => {
                self.add(step, &[flow], Operator::Flatten, View::Flat)
            }
            [n, 1, 1] if *n == shape[0] && flat => seen(View::Image),
            [1, 1, n] if *n == shape[0] && flat => seen(View::ChannelsLast),
            _ => Err(step
                .problem(format!("it brings {dims:?} into the shape {wanted:?}"))
                .expected("a reshape that flattens")),
        }
    }

    /// What a shape means for one image.
    fn reshaped(&self, step: &Step, dims: &[usize], shape: &Constant) -> Result<Vec<usize>, Problem> {
        let odd = || step.problem(format!("it reshapes {dims:?} in a way that is not known here"));
        let (&images, rest) = shape.wholes().and_then(<[i64]>::split_first).ok_or_else(odd)?;
        let total: usize = dims.iter().product();
        let batch = self.batch.unwrap_or(1) as i64;
        if !(images == BATCH || images == 0 || images == -1 || images == 1 || images == batch) {
            return Err(odd());
        }
        let size = |(at, &size): (usize, &i64)| match size {
            0 => dims.get(at).copied(),
            -1 => Some(0),
            size => usize::try_from(size).ok(),
        };
        let mut wanted: Vec<usize> =
            rest.iter().enumerate().map(size).collect::<Option<_>>().ok_or_else(odd)?;
        let product =
            |sizes: &[usize]| sizes.iter().fold(1_usize, |all, &size| all.saturating_mul(size.max(1)));
        let known = product(&wanted);
        if let Some(open) = wanted.iter().position(|&size| size == 0) {
            wanted[open] = total / known;
        }
        if product(&wanted) == total { Ok(wanted) } else { Err(odd()) }
    }

    fn transpose(&mut self, step: &Step, operands: &Operands<'_>) -> Result<Flow, Problem> {
        let flow = operands.flow(0)?;
        let view = match (flow.view, step.wholes("perm")) {
            (view, Some([0, 1, 2, 3] | [0, 1])) => view,
            (View::Image, Some([0, 2, 3, 1])) => View::ChannelsLast,
            (View::ChannelsLast, Some([0, 3, 1, 2])) => View::Image,
            (_, order) => {
                return Err(step
                    .problem(format!("it puts the axes of {:?} in the order {order:?}", self.dims(flow)))
                    .expected("channels first, or channels last"));
            }
        };
        Ok(Flow { view, ..flow })
    }

    /// The end of the network, if it is one number per class.
    fn flat(&self, flow: Flow) -> Option<()> {
        (self.shapes[flow.at][1..] == [1, 1] && flow.padding == [0; 4]).then_some(())
    }
}

/// The shape of the images a model takes, and how it sees them.
fn image(model: &Model, input: &Port, wanted: &Wanted) -> Result<(Shape, View), Problem> {
    let refused = || {
        let size = |size: &Option<usize>| size.map_or("?".to_string(), |size| size.to_string());
        let sizes: Vec<String> = input.shape.iter().map(size).collect();
        Problem::new(format!("its input `{}` has the shape [{}]", input.name, sizes.join(", ")))
    };
    let given = wanted.input;
    match *input.shape {
        [_, a, b, c] => {
            // Channels last if the last axis is as small as one for colours and a transposition follows.
            let first_step = model.nodes.iter().find(|step| step.inputs.contains(&input.name));
            let turned = first_step.is_some_and(|step| step.wholes("perm") == Some(&[0, 3, 1, 2]));
            let (shape, view) =
                if turned { ([c, a, b], View::ChannelsLast) } else { ([a, b, c], View::Image) };
            let mut sizes = [0; 3];
            for (at, size) in shape.iter().enumerate() {
                sizes[at] = match (size, given.map(|given| given[at])) {
                    (Some(size), Some(wanted)) if *size != wanted => {
                        return Err(refused().expected(format!(
                            "one for images of {:?} (channels, height, width), which is what it is asked about",
                            given.unwrap_or_default()
                        )));
                    }
                    (Some(size), _) => *size,
                    (None, Some(size)) => size,
                    (None, None) => {
                        return Err(refused().expected("a fixed size").hint("say `size = …` in the study"));
                    }
                };
            }
            Ok((sizes, view))
        }
        [_, values] => match given {
            Some(shape) if values.is_none_or(|values| values == shape.iter().product::<usize>()) => {
                Ok((shape, View::Flat))
            }
            Some(shape) => {
                Err(refused().expected(format!("one for images of {shape:?} (channels, height, width)")))
            }
            None => Err(refused().expected("images with channels, height and width")),
        },
        _ => Err(refused().expected("images, channels, height and width")),
    }
}

/// What a step is given.
struct Operands<'a> {
    step: &'a Step,
    given: &'a [Option<Known>],
}

impl Operands<'_> {
    fn has(&self, at: usize) -> bool {
        self.given.get(at).is_some_and(Option::is_some)
    }

    fn flow(&self, at: usize) -> Result<Flow, Problem> {
        match self.given.get(at) {
            Some(Some(Known::Flow(flow))) => Ok(*flow),
            _ => Err(self.step.problem(format!("its input {at} does not depend on the image"))),
        }
    }

    /// An image with its channels first.
    fn image(&self, at: usize) -> Result<Flow, Problem> {
        let flow = self.flow(at)?;
        match flow.view {
            View::Image => Ok(flow),
            _ => Err(self.step.problem("it takes no image with its channels first")),
        }
    }

    fn constant(&self, at: usize) -> Result<&Constant, Problem> {
        match self.given.get(at) {
            Some(Some(Known::Constant(constant))) => Ok(&**constant),
            Some(Some(Known::Flow(_))) => {
                Err(self.step.problem(format!("its input {at} depends on the image")).expected("weights"))
            }
            _ => Err(self.step.problem(format!("its input {at} is missing"))),
        }
    }

    fn floats(&self, at: usize) -> Result<Vec<f32>, Problem> {
        self.constant(at)?
            .floats()
            .ok_or_else(|| self.step.problem(format!("its input {at} holds no weights")))
    }

    /// A number that is an attribute in old files and an input in new ones.
    fn bound(&self, at: usize, name: &str, default: f32) -> Result<f32, Problem> {
        if !self.has(at) {
            return Ok(self.step.float(name, default));
        }
        let number = self.constant(at)?.number();
        number.ok_or_else(|| self.step.problem(format!("its input {at} is not one number")))
    }

    /// Axes, an attribute in old files and an input in new ones, counted from 0 and below `rank`.
    fn axes(&self, at: usize, rank: usize) -> Result<Vec<usize>, Problem> {
        let given = match self.has(at) {
            true => self.constant(at)?.wholes(),
            false => self.step.wholes("axes"),
        };
        let place = |&axis: &i64| usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok();
        let axes: Option<Vec<usize>> = given.unwrap_or_default().iter().map(place).collect();
        axes.filter(|axes| axes.iter().all(|&axis| axis < rank)).ok_or_else(|| {
            self.step
                .problem(format!("its axes are {given:?}"))
                .expected(format!("axes from 0 to {}", rank - 1))
        })
    }
}
