//! The image is followed through an ONNX graph, and nodes are made of what happens to it.

use std::collections::HashMap;
use std::rc::Rc;

use duress_core::problem::Problem;

use super::constant::{BATCH, Constant, fold_constants};
use super::model::{OnnxModel, OnnxNode, Port};
use super::operands::Operands;
use crate::file::network::{NetworkHints, ReadNetwork};
use crate::network::{Bend, Dense, ItemShape, Network, NetworkNode, Normalise, Operator};
use duress_tensors::FileTensor;

/// A value that depends on the image: the node that gives it, and how its axes are seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flow {
    pub(super) at: usize,
    pub(super) view: AxisLayout,
    /// Zeros around it that the next window takes in: top, bottom, left, right.
    pub(super) padding: [usize; 4],
}

/// How the axes of a value are seen, after the one for the images of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AxisLayout {
    /// Channels, height, width.
    Image,
    /// Height, width, channels.
    ChannelsLast,
    /// Groups, channels of a group, height, width.
    Groups(usize),
    /// One axis.
    Flat,
}

#[derive(Clone)]
pub(super) enum KnownValue {
    Flow(Flow),
    Constant(Rc<Constant>),
}

/// What is known on the way through the graph.
pub(super) struct GraphWalk<'a> {
    known: HashMap<&'a str, KnownValue>,
    pub(super) nodes: Vec<NetworkNode>,
    pub(super) shapes: Vec<ItemShape>,
    /// How many steps take each value.
    pub(super) uses: HashMap<&'a str, usize>,
    /// How many images the file says a batch has, if it does.
    pub(super) batch: Option<usize>,
    /// How many more numbers may be computed from constants, or held by layers.
    room: usize,
    /// What is read otherwise than the file has it, in whole sentences.
    pub(super) read_as: Vec<String>,
}

/// As many numbers as a graph may compute beyond some for each that it holds: a few steps can
/// double a list again and again.
const ROOM: usize = 1 << 24;

impl<'a> GraphWalk<'a> {
    pub(super) fn new(
        model: &'a OnnxModel,
        input: &'a Port,
        wanted: &NetworkHints,
    ) -> Result<GraphWalk<'a>, Problem> {
        let (shape, view) = image(model, input, wanted)?;
        let normalise = wanted
            .normalise
            .clone()
            .unwrap_or_else(|| Normalise::identity(shape[0]));
        let mut course = GraphWalk {
            known: HashMap::new(),
            nodes: vec![NetworkNode::new(
                "image",
                [],
                Operator::Normalise(normalise),
            )],
            shapes: vec![shape],
            uses: HashMap::new(),
            batch: input.shape.first().copied().flatten(),
            room: 4 * count_numbers(model) + ROOM,
            read_as: Vec::new(),
        };
        for name in model.nodes.iter().flat_map(|step| &step.inputs) {
            *course.uses.entry(name).or_default() += 1;
        }
        let constants = model.initializers.iter();
        course.known.extend(constants.map(|(name, held)| {
            (
                name.as_str(),
                KnownValue::Constant(Rc::new(Constant::from_tensor(held))),
            )
        }));
        let at = if view == AxisLayout::Flat {
            course.push("flatten", &[0], Operator::Flatten)?
        } else {
            0
        };
        course.known.insert(
            &input.name,
            KnownValue::Flow(Flow {
                at,
                view,
                padding: [0; 4],
            }),
        );
        Ok(course)
    }

    /// Takes a step; `last` if nothing happens to the output after it.
    pub(super) fn take_step(&mut self, step: &'a OnnxNode, last: bool) -> Result<(), Problem> {
        let given: Vec<Option<KnownValue>> = step
            .inputs
            .iter()
            .map(|name| self.known.get(name.as_str()).cloned())
            .collect();
        let missing = step
            .inputs
            .iter()
            .zip(&given)
            .find(|(name, known)| !name.is_empty() && known.is_none());
        if let Some((name, _)) = missing {
            return Err(step.problem(format!("nothing before it gives its input `{name}`")));
        }
        let results = match given
            .iter()
            .any(|known| matches!(known, Some(KnownValue::Flow(_))))
        {
            true => self.apply(
                step,
                &Operands {
                    step,
                    given: &given,
                },
                last,
            )?,
            false => vec![KnownValue::Constant(Rc::new(self.computed(step, &given)?))],
        };
        if step.outputs.is_empty() {
            return Err(step.problem("it gives nothing"));
        }
        self.known
            .extend(step.outputs.iter().map(String::as_str).zip(results));
        Ok(())
    }

    /// What a step makes of constants alone.
    fn computed(
        &mut self,
        step: &OnnxNode,
        given: &[Option<KnownValue>],
    ) -> Result<Constant, Problem> {
        let constants: Vec<&Constant> = given
            .iter()
            .filter_map(|known| match known {
                Some(KnownValue::Constant(constant)) => Some(&**constant),
                _ => None,
            })
            .collect();
        let computed = fold_constants(step, &constants, self.room)?;
        self.room = self.room.saturating_sub(computed.len());
        Ok(computed)
    }

    /// What a step makes of a value that depends on the image, output by output.
    fn apply(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
        last: bool,
    ) -> Result<Vec<KnownValue>, Problem> {
        if step.operator == "Shape" {
            let shape = self.shape_of(step, operands.flow_operand(0)?)?;
            return Ok(vec![KnownValue::Constant(Rc::new(shape))]);
        }
        if step.operator == "Split" {
            return Ok(self
                .split(step, operands)?
                .into_iter()
                .map(KnownValue::Flow)
                .collect());
        }
        let flow = match step.operator.as_str() {
            "Relu" => self.elementwise(step, operands, Operator::Relu)?,
            "Sigmoid" if last => self.last_sigmoid(step, operands)?,
            "Sigmoid" => self.elementwise(step, operands, Operator::Sigmoid)?,
            "PRelu" => self.prelu(step, operands)?,
            "Round" => self.round(step, operands)?,
            "HardSwish" => self.elementwise(step, operands, Operator::HardSwish)?,
            "Tanh" | "Erf" | "Gelu" | "Elu" | "Selu" | "Softplus" | "Mish" => {
                self.elementwise(step, operands, Operator::Bend(bend(step)))?
            }
            "LeakyRelu" => self.elementwise(
                step,
                operands,
                Operator::LeakyRelu(step.float("alpha", 0.01)),
            )?,
            "HardSigmoid" => {
                let is = |name: &str, default: f32, wanted: f32| {
                    (step.float(name, default) - wanted).abs() < 1e-6
                };
                if !is("alpha", 0.2, 1.0 / 6.0) || !is("beta", 0.5, 0.5) {
                    return Err(step.problem("its slope is not 1/6 or its middle is not 1/2"));
                }
                self.elementwise(step, operands, Operator::HardSigmoid)?
            }
            "Clip" => {
                let low = operands.bound(1, "min", f32::MIN)?;
                let high = operands.bound(2, "max", f32::MAX)?;
                let relu = low == 0.0 && high == f32::MAX;
                self.elementwise(
                    step,
                    operands,
                    if relu {
                        Operator::Relu
                    } else {
                        Operator::Clip { low, high }
                    },
                )?
            }
            "Identity" | "Dropout" => operands.flow_operand(0)?,
            "Cast" if matches!(step.whole("to", 1), 1 | 10 | 11 | 16) => {
                operands.flow_operand(0)?
            }
            "Softmax" | "LogSoftmax" => self.softmax(step, operands, last)?,
            "Conv" => self.convolution(step, operands)?,
            "BatchNormalization" => self.batch_norm(step, operands)?,
            "MaxPool" | "AveragePool" => self.pooling(step, operands)?,
            "GlobalAveragePool" | "GlobalMaxPool" | "ReduceMean" => {
                self.global_pool(step, operands)?
            }
            "Add" | "Sub" | "Mul" | "Div" => self.arithmetic(step, operands)?,
            "Sum" => self.sum_inputs(step, operands)?,
            "Concat" => self.concat(step, operands)?,
            "Gemm" | "MatMul" => self.dense(step, operands)?,
            "Pad" => self.pad_image(step, operands)?,
            "Flatten" | "Reshape" | "Squeeze" | "Unsqueeze" => self.reshape(step, operands)?,
            "Transpose" => self.transpose(step, operands)?,
            "Gather" | "Slice" => self.pick_channels(step, operands)?,
            _ => return Err(step.problem("it does this to a value that depends on the image")),
        };
        Ok(vec![KnownValue::Flow(flow)])
    }

    pub(super) fn flow_named(&self, name: &str) -> Option<Flow> {
        match self.known.get(name) {
            Some(KnownValue::Flow(flow)) => Some(*flow),
            _ => None,
        }
    }

    /// Adds a node and says its place.
    pub(super) fn push(
        &mut self,
        name: &str,
        inputs: &[usize],
        mut operator: Operator,
    ) -> Result<usize, Problem> {
        let given: Vec<ItemShape> = inputs.iter().map(|&at| self.shapes[at]).collect();
        let wrong = |why: &str, operator: &Operator| {
            Problem::new(format!("node `{name}` ({}): {why}", operator.name()))
        };
        let shape = operator
            .shape(&given)
            .map_err(|why| wrong(&why, &operator))?;
        let held: usize = operator
            .held_mut()
            .iter()
            .map(|held| held.values.len())
            .sum();
        self.room = self.room.checked_sub(held).ok_or_else(|| {
            wrong("it holds weights that many others hold as well", &operator)
                .expected("weights of its own")
        })?;
        self.nodes.push(NetworkNode::new(name, inputs, operator));
        self.shapes.push(shape);
        Ok(self.nodes.len() - 1)
    }

    /// Adds what a step does, and sees the result as `view`.
    pub(super) fn add(
        &mut self,
        step: &OnnxNode,
        inputs: &[Flow],
        operator: Operator,
        view: AxisLayout,
    ) -> Result<Flow, Problem> {
        if inputs.iter().any(|flow| flow.padding != [0; 4]) {
            return Err(step
                .problem("it comes after padding that only a convolution or a pool can take in"));
        }
        let name = match (step.name.as_str(), step.outputs.first()) {
            ("", Some(output)) => output,
            (name, _) => name,
        };
        let inputs: Vec<usize> = inputs.iter().map(|flow| flow.at).collect();
        Ok(Flow {
            at: self.push(name, &inputs, operator)?,
            view,
            padding: [0; 4],
        })
    }

    pub(super) fn elementwise(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
        operator: Operator,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        self.add(step, &[flow], operator, flow.view)
    }

    /// The size of a value along each axis but the first.
    pub(super) fn dimensions(&self, flow: Flow) -> Vec<usize> {
        let [channels, height, width] = self.shapes[flow.at];
        let [top, bottom, left, right] = flow.padding;
        let height = height + top + bottom;
        let width = width + left + right;
        match flow.view {
            AxisLayout::Image => vec![channels, height, width],
            AxisLayout::ChannelsLast => vec![height, width, channels],
            AxisLayout::Groups(groups) => vec![groups, channels / groups, height, width],
            AxisLayout::Flat => vec![channels],
        }
    }

    fn shape_of(&self, step: &OnnxNode, flow: Flow) -> Result<Constant, Problem> {
        let mut shape = vec![BATCH];
        shape.extend(self.dimensions(flow).iter().map(|&size| size as i64));
        let rank = shape.len() as i64;
        let bound = |name: &str, default: i64| {
            let at = step.whole(name, default);
            (if at < 0 { at + rank } else { at }).clamp(0, rank) as usize
        };
        let start = bound("start", 0);
        let end = bound("end", rank);
        Ok(Constant::from_integers(
            shape.get(start..end).unwrap_or_default().to_vec(),
        ))
    }

    /// The network, when everything that leads to its output has been taken.
    pub(super) fn into_network(
        mut self,
        output: &str,
        wanted: &NetworkHints,
    ) -> Result<ReadNetwork, Problem> {
        let mut end = self.flow_named(output).ok_or_else(|| {
            Problem::new(format!(
                "its output `{output}` does not depend on the image"
            ))
            .expected("a classifier of images")
        })?;
        if !self.is_flat(end) {
            return Err(Problem::new(format!(
                "its output `{output}` has the shape {:?} for an image",
                self.dimensions(end)
            ))
            .expected("one number per class"));
        }
        // What comes after the last step that leads to the output would be taken for the output.
        self.nodes.truncate(end.at + 1);
        self.shapes.truncate(end.at + 1);
        if self.shapes[end.at] == [1, 1, 1] {
            end.at = self.two_of_one(end.at)?;
        }
        let classes = wanted.classes(self.shapes[end.at].iter().product())?;
        let network = Network::new(self.shapes[0], classes, self.nodes)
            .map_err(|why| Problem::new(why.to_string()))?;
        Ok(ReadNetwork {
            read_as: self.read_as,
            ..ReadNetwork::told(network)
        })
    }

    /// One logit z of a network with two classes as two, 0 and z, whose softmax is the sigmoid of z.
    fn two_of_one(&mut self, at: usize) -> Result<usize, Problem> {
        self.read_as.push(
            "Its one logit z is read as two classes with the logits 0 and z: the second is the one \
             that a sigmoid of z speaks of."
                .into(),
        );
        let both = Dense {
            inputs: 1,
            outputs: 2,
            weights: vec![0.0, 1.0],
            bias: Vec::new(),
        };
        self.push("two classes", &[at], Operator::Dense(both))
    }

    /// Whether a value is one number per channel.
    pub(super) fn is_flat(&self, flow: Flow) -> bool {
        self.shapes[flow.at][1..] == [1, 1] && flow.padding == [0; 4]
    }
}

/// How many numbers a model holds.
fn count_numbers(model: &OnnxModel) -> usize {
    let within = model.nodes.iter().filter_map(|step| step.tensor("value"));
    model
        .initializers
        .values()
        .chain(within)
        .map(FileTensor::count)
        .sum()
}

/// The shape of the images a model takes, and how it sees them.
fn image(
    model: &OnnxModel,
    input: &Port,
    wanted: &NetworkHints,
) -> Result<(ItemShape, AxisLayout), Problem> {
    let refused = || {
        let size = |size: &Option<usize>| size.map_or("?".to_string(), |size| size.to_string());
        let sizes: Vec<String> = input.shape.iter().map(size).collect();
        Problem::new(format!(
            "its input `{}` has the shape [{}]",
            input.name,
            sizes.join(", ")
        ))
    };
    let given = wanted.input;
    match *input.shape {
        [_, a, b, c] => {
            // Channels last if the last axis is as small as one for colours and a transposition
            // follows.
            let first_step = model
                .nodes
                .iter()
                .find(|step| step.inputs.contains(&input.name));
            let turned = first_step.is_some_and(|step| step.wholes("perm") == Some(&[0, 3, 1, 2]));
            let (shape, view) = if turned {
                ([c, a, b], AxisLayout::ChannelsLast)
            } else {
                ([a, b, c], AxisLayout::Image)
            };
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
                        return Err(refused()
                            .expected("a fixed size")
                            .hint("say `size = …` in the study"));
                    }
                };
            }
            Ok((sizes, view))
        }
        [_, values] => match given {
            Some(shape)
                if values.is_none_or(|values| values == shape.iter().product::<usize>()) =>
            {
                Ok((shape, AxisLayout::Flat))
            }
            Some(shape) => Err(refused().expected(format!(
                "one for images of {shape:?} (channels, height, width)"
            ))),
            None => Err(refused().expected("images with channels, height and width")),
        },
        _ => Err(refused().expected("images, channels, height and width")),
    }
}

/// The function of each value that a step is.
fn bend(step: &OnnxNode) -> Bend {
    match step.operator.as_str() {
        "Tanh" => Bend::Tanh,
        "Erf" => Bend::Erf,
        "Gelu" if step.text_attribute("approximate") == "tanh" => Bend::GeluTanh,
        "Gelu" => Bend::Gelu,
        "Elu" => Bend::Elu(step.float("alpha", 1.0)),
        "Selu" => Bend::Selu {
            alpha: step.float("alpha", 1.673_263_2),
            scale: step.float("gamma", 1.050_701),
        },
        "Softplus" => Bend::Softplus,
        _ => Bend::Mish,
    }
}
