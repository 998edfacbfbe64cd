//! Arithmetic of an ONNX graph: two values that depend on the image, or one of them with a
//! constant.

use duress_core::problem::Problem;

use super::constant::Constant;
use super::model::OnnxNode;
use super::operands::Operands;
use super::walk::{AxisLayout, Flow, GraphWalk, KnownValue};
use crate::network::{BatchNorm, Operator};

impl GraphWalk<'_> {
    pub(super) fn arithmetic(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        match (operands.given.first(), operands.given.get(1)) {
            (Some(Some(KnownValue::Flow(left))), Some(Some(KnownValue::Flow(right)))) => {
                self.join_flows(step, *left, *right)
            }
            (Some(Some(KnownValue::Flow(flow))), _) => {
                self.affine(step, *flow, operands.constant(1)?, false)
            }
            _ => self.affine(step, operands.flow_operand(1)?, operands.constant(0)?, true),
        }
    }

    fn join_flows(&mut self, step: &OnnxNode, left: Flow, right: Flow) -> Result<Flow, Problem> {
        let operator = match step.operator.as_str() {
            "Add" => Operator::Add,
            "Mul" => Operator::Mul,
            _ => {
                return Err(
                    step.problem("it does this to two values that both depend on the image")
                );
            }
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
    fn affine(
        &mut self,
        step: &OnnxNode,
        flow: Flow,
        by: &Constant,
        reversed: bool,
    ) -> Result<Flow, Problem> {
        let channels = self.shapes[flow.at][0];
        let by = self.per_channel(flow, by).ok_or_else(|| {
            step.problem(format!(
                "it combines {:?} with a constant of {:?}",
                self.dimensions(flow),
                by.shape
            ))
            .expected("one number, or one per channel")
        })?;
        let ones = vec![1.0; channels];
        let zeros = vec![0.0; channels];
        let negative = || by.iter().map(|x| -x).collect();
        let (scale, shift) = match (step.operator.as_str(), reversed) {
            ("Add", _) => (ones, by),
            ("Sub", false) => (ones, negative()),
            ("Sub", true) => (vec![-1.0; channels], by),
            ("Mul", _) => (by, zeros),
            (_, false) => (by.iter().map(|x| 1.0 / x).collect(), zeros),
            (_, true) => {
                return Err(step.problem("it divides by a value that depends on the image"));
            }
        };
        if step.operator == "Add" && self.joins_bias(step, flow, &shift) {
            return Ok(flow);
        }
        let mean = vec![0.0; channels];
        let variance = vec![1.0; channels];
        let norm = BatchNorm {
            scale,
            shift,
            mean,
            variance,
            epsilon: 0.0,
        };
        self.add(step, &[flow], Operator::BatchNorm(norm), flow.view)
    }

    /// Puts what is added after a product of matrices where a dense layer has its bias, if nobody
    /// else takes that product.
    fn joins_bias(&mut self, step: &OnnxNode, flow: Flow, shift: &[f32]) -> bool {
        let alone = step.inputs.iter().all(|name| match self.flow_named(name) {
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
        let dims = self.dimensions(flow);
        let channels = self.shapes[flow.at][0];
        let floats = constant.floats()?;
        if let [one] = floats.as_slice() {
            return Some(vec![*one; channels]);
        }
        // Axes are matched from the last one on.
        let from_the_end = match flow.view {
            AxisLayout::Image => 2,
            AxisLayout::ChannelsLast | AxisLayout::Flat => 0,
            AxisLayout::Groups(_) => return None,
        };
        let rank = constant.shape.len();
        let axis = rank.checked_sub(1 + from_the_end)?;
        let fits =
            rank <= dims.len() + 1 && constant.shape[axis] == channels && floats.len() == channels;
        fits.then_some(floats)
    }

    pub(super) fn sum_inputs(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let mut sum = operands.flow_operand(0)?;
        for at in 1..operands.given.len() {
            let next = operands.flow_operand(at)?;
            if next.view != sum.view {
                return Err(step.problem("its inputs have their axes in different orders"));
            }
            sum = self.add(step, &[sum, next], Operator::Add, sum.view)?;
        }
        Ok(sum)
    }
}
