//! What a step of an ONNX graph is given: values that depend on the image, and constants.

use duress_core::problem::Problem;

use super::constant::Constant;
use super::model::OnnxNode;
use super::walk::{AxisLayout, Flow, KnownValue};

/// What a step is given.
pub(super) struct Operands<'a> {
    pub(super) step: &'a OnnxNode,
    pub(super) given: &'a [Option<KnownValue>],
}

impl Operands<'_> {
    pub(super) fn has_operand(&self, at: usize) -> bool {
        self.given.get(at).is_some_and(Option::is_some)
    }

    pub(super) fn flow_operand(&self, at: usize) -> Result<Flow, Problem> {
        match self.given.get(at) {
            Some(Some(KnownValue::Flow(flow))) => Ok(*flow),
            _ => Err(self
                .step
                .problem(format!("its input {at} does not depend on the image"))),
        }
    }

    /// An image with its channels first.
    pub(super) fn image(&self, at: usize) -> Result<Flow, Problem> {
        let flow = self.flow_operand(at)?;
        match flow.view {
            AxisLayout::Image => Ok(flow),
            _ => Err(self
                .step
                .problem("it takes no image with its channels first")),
        }
    }

    pub(super) fn constant(&self, at: usize) -> Result<&Constant, Problem> {
        match self.given.get(at) {
            Some(Some(KnownValue::Constant(constant))) => Ok(&**constant),
            Some(Some(KnownValue::Flow(_))) => Err(self
                .step
                .problem(format!("its input {at} depends on the image"))
                .expected("weights")),
            _ => Err(self.step.problem(format!("its input {at} is missing"))),
        }
    }

    pub(super) fn floats(&self, at: usize) -> Result<Vec<f32>, Problem> {
        self.constant(at)?.floats().ok_or_else(|| {
            self.step
                .problem(format!("its input {at} holds no weights"))
        })
    }

    /// A number that is an attribute in old files and an input in new ones.
    pub(super) fn bound(&self, at: usize, name: &str, default: f32) -> Result<f32, Problem> {
        if !self.has_operand(at) {
            return Ok(self.step.float(name, default));
        }
        let number = self.constant(at)?.number();
        number.ok_or_else(|| {
            self.step
                .problem(format!("its input {at} is not one number"))
        })
    }

    /// Start, end, axis and stride of a slice along one axis; they are attributes in old files and
    /// inputs in new ones.
    pub(super) fn slice(&self) -> Result<[i64; 4], Problem> {
        let one = |at: usize, name: &str, default: Option<i64>| {
            let given = match self.has_operand(at) {
                true => self.constant(at)?.wholes(),
                false => self.step.wholes(name),
            };
            match (given, default) {
                (Some([one]), _) => Ok(*one),
                (None, Some(default)) => Ok(default),
                _ => Err(self
                    .step
                    .problem(format!("its `{name}` are {given:?}"))
                    .expected("one axis")),
            }
        };
        Ok([
            one(1, "starts", None)?,
            one(2, "ends", None)?,
            one(3, "axes", Some(0))?,
            one(4, "steps", Some(1))?,
        ])
    }

    /// Axes, an attribute in old files and an input in new ones, counted from 0 and below `rank`.
    pub(super) fn axes_operand(&self, at: usize, rank: usize) -> Result<Vec<usize>, Problem> {
        let given = match self.has_operand(at) {
            true => self.constant(at)?.wholes(),
            false => self.step.wholes("axes"),
        };
        let place =
            |&axis: &i64| usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok();
        let axes: Option<Vec<usize>> = given.unwrap_or_default().iter().map(place).collect();
        axes.filter(|axes| axes.iter().all(|&axis| axis < rank))
            .ok_or_else(|| {
                self.step
                    .problem(format!("its axes are {given:?}"))
                    .expected(format!("axes from 0 to {}", rank - 1))
            })
    }
}
