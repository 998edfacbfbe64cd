//! Layers of an ONNX graph: what has weights, a window, or the last word.

use duress_core::problem::Problem;

use super::model::OnnxNode;
use super::operands::Operands;
use super::walk::{AxisLayout, Flow, GraphWalk};
use super::window::{size_pair, window};
use crate::network::{BatchNorm, Bend, Conv, Dense, Operator, Window};

impl GraphWalk<'_> {
    /// Probabilities are made of logits again by whoever wants them; what is before the softmax is
    /// the answer.
    pub(super) fn softmax(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
        last: bool,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let over_classes = match (flow.view, step.whole("axis", 1)) {
            (AxisLayout::Flat, 1 | -1) => true,
            (AxisLayout::Image, 1) => self.is_flat(flow),
            _ => false,
        };
        if !last || !over_classes {
            return Err(step.problem("it is not the last step over one number per class"));
        }
        self.read_as.push(format!(
            "Its last step, {}, is left out: what it is given are its logits.",
            step.called()
        ));
        Ok(flow)
    }

    /// A sigmoid at the very end is left out like a softmax: it keeps the order of the classes, and
    /// hides how sure an answer is from whoever climbs.
    pub(super) fn last_sigmoid(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        self.read_as.push(format!(
            "Its last step, {}, is left out: what it is given are its logits{}.",
            step.called(),
            match self.shapes[flow.at] {
                [1, 1, 1] => "",
                _ => ", whose softmax, not whose sigmoid, is taken for its probabilities",
            }
        ));
        Ok(flow)
    }

    /// What is negative times a number of its channel: max(x, 0) − a · max(−x, 0).
    pub(super) fn prelu(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let slopes = operands.floats(1)?;
        if let [one] = slopes[..] {
            return self.elementwise(step, operands, Operator::LeakyRelu(one));
        }
        let channels = self.shapes[flow.at][0];
        if slopes.len() != channels || !matches!(flow.view, AxisLayout::Image | AxisLayout::Flat) {
            return Err(step
                .problem(format!("it has {} slopes", slopes.len()))
                .expected(format!("one, or one for each of {channels} channels")));
        }
        let times = |by: Vec<f32>| {
            let norm = BatchNorm {
                scale: by,
                epsilon: 0.0,
                ..BatchNorm::fresh(channels)
            };
            Operator::BatchNorm(norm)
        };
        let view = flow.view;
        let above = self.add(step, &[flow], Operator::Relu, view)?;
        let turned = self.add(step, &[flow], times(vec![-1.0; channels]), view)?;
        let below = self.add(step, &[turned], Operator::Relu, view)?;
        let negative = slopes.iter().map(|slope| -slope).collect();
        let below = self.add(step, &[below], times(negative), view)?;
        self.add(step, &[above, below], Operator::Add, view)
    }

    pub(super) fn round(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let said = "It rounds values on the way: gradients go straight through, as if it did not \
                    (straight-through)."
            .to_string();
        if !self.read_as.contains(&said) {
            self.read_as.push(said);
        }
        self.elementwise(step, operands, Operator::Bend(Bend::Round))
    }

    pub(super) fn convolution(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.image(0)?;
        let weights = operands.constant(1)?;
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
            bias: if operands.has_operand(2) {
                operands.floats(2)?
            } else {
                Vec::new()
            },
        };
        self.add(
            step,
            &[Flow {
                padding: [0; 4],
                ..flow
            }],
            Operator::Conv(conv),
            AxisLayout::Image,
        )
    }

    pub(super) fn batch_norm(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        if !matches!(flow.view, AxisLayout::Image | AxisLayout::Flat) {
            return Err(step.problem("its channels do not come first"));
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

    pub(super) fn pooling(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.image(0)?;
        let kernel = size_pair(step, "kernel_shape")?
            .ok_or_else(|| step.problem("it has no `kernel_shape`"))?;
        let window = window(step, kernel, self.shapes[flow.at], flow.padding)?;
        let padded = flow.padding != [0; 4];
        let operator = if step.operator == "MaxPool" {
            if padded && !self.is_positive(flow.at) {
                return Err(step.problem("zeros around negative values could be the largest"));
            }
            Operator::MaxPool(window)
        } else {
            let outside = step.whole("count_include_pad", 0) == 1;
            if padded && !outside && (step.has_attribute("pads") || window.ceil) {
                return Err(step.problem("it counts some of the padding and some not"));
            }
            Operator::AvgPool {
                window,
                count_outside: outside || padded,
            }
        };
        self.add(
            step,
            &[Flow {
                padding: [0; 4],
                ..flow
            }],
            operator,
            AxisLayout::Image,
        )
    }

    /// Whether a node gives nothing negative. Nodes before it are looked at only as far as pools
    /// and joins lead back.
    fn is_positive(&self, at: usize) -> bool {
        let mut open = vec![at];
        let mut seen = vec![false; at + 1];
        while let Some(at) = open.pop() {
            match &self.nodes[at].operator {
                Operator::Relu | Operator::Sigmoid | Operator::HardSigmoid => {}
                Operator::Clip { low, .. } if *low >= 0.0 => {}
                Operator::MaxPool(_)
                | Operator::AvgPool { .. }
                | Operator::Concat
                | Operator::Pick(_) => {
                    let inputs = self.nodes[at].inputs.iter().copied();
                    open.extend(inputs.filter(|&from| !std::mem::replace(&mut seen[from], true)));
                }
                _ => return false,
            }
        }
        true
    }

    pub(super) fn global_pool(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let reduces = step.operator == "ReduceMean";
        let wanted = if flow.view == AxisLayout::ChannelsLast {
            [1, 2]
        } else {
            [2, 3]
        };
        let mut axes = if reduces {
            operands.axes_operand(1, 4)?
        } else {
            vec![2, 3]
        };
        axes.sort_unstable();
        if matches!(flow.view, AxisLayout::Flat | AxisLayout::Groups(_)) || axes != wanted {
            return Err(step.problem("it does not go over height and width"));
        }
        let [_, height, width] = self.shapes[flow.at];
        let operator = if step.operator == "GlobalMaxPool" {
            Operator::MaxPool(Window {
                kernel: [height, width],
                ..Window::square(1, 1, 0)
            })
        } else {
            Operator::GlobalAvgPool
        };
        let keeps = !reduces || step.whole("keepdims", 1) == 1;
        self.add(
            step,
            &[flow],
            operator,
            if keeps { flow.view } else { AxisLayout::Flat },
        )
    }

    pub(super) fn dense(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let weights = operands.constant(1)?;
        let gemm = step.operator == "Gemm";
        let &[rows, columns] = weights.shape.as_slice() else {
            return Err(step
                .problem(format!("its weights have the shape {:?}", weights.shape))
                .expected("two axes"));
        };
        if flow.view != AxisLayout::Flat || (gemm && step.whole("transA", 0) != 0) {
            return Err(step
                .problem(format!("it takes a value of {:?}", self.dimensions(flow)))
                .expected("a flat one"));
        }
        let alpha = step.float("alpha", 1.0);
        let beta = step.float("beta", 1.0);
        let upright = gemm && step.whole("transB", 0) != 0;
        let (outputs, inputs) = if upright {
            (rows, columns)
        } else {
            (columns, rows)
        };
        let mut weights = operands.floats(1)?;
        if !upright {
            let places = (0..outputs).flat_map(|o| (0..inputs).map(move |i| i * outputs + o));
            weights = places.map(|at| weights[at]).collect();
        }
        if gemm {
            weights.iter_mut().for_each(|weight| *weight *= alpha);
        }
        let bias = match (gemm && operands.has_operand(2))
            .then(|| operands.floats(2))
            .transpose()?
        {
            None => Vec::new(),
            Some(one) if one.len() == 1 => vec![beta * one[0]; outputs],
            Some(bias) => bias.iter().map(|x| beta * x).collect(),
        };
        self.add(
            step,
            &[flow],
            Operator::Dense(Dense {
                inputs,
                outputs,
                weights,
                bias,
            }),
            AxisLayout::Flat,
        )
    }
}
