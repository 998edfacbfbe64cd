//! Axes of an ONNX graph: padding, joining, taking apart and looking at the same values in another
//! order.

use duress_core::problem::Problem;

use super::constant::{BATCH, Constant};
use super::model::OnnxNode;
use super::operands::Operands;
use super::walk::{AxisLayout, Flow, GraphWalk};
use crate::network::Operator;

impl GraphWalk<'_> {
    pub(super) fn concat(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flows = (0..operands.given.len())
            .map(|at| operands.flow_operand(at))
            .collect::<Result<Vec<_>, _>>()?;
        let view = flows.first().map_or(AxisLayout::Flat, |flow| flow.view);
        if !self.is_along_channels(view, step.whole("axis", 1))
            || flows.iter().any(|flow| flow.view != view)
        {
            return Err(step
                .problem(format!("it joins along axis {}", step.whole("axis", 1)))
                .expected("the axis of the channels"));
        }
        self.add(step, &flows, Operator::Concat, view)
    }

    fn is_along_channels(&self, view: AxisLayout, axis: i64) -> bool {
        let (rank, channels) = match view {
            AxisLayout::Image => (4, 1),
            AxisLayout::ChannelsLast => (4, 3),
            AxisLayout::Flat => (2, 1),
            AxisLayout::Groups(_) => return false,
        };
        axis == channels || axis + rank == channels
    }

    /// Some of the channels, output by output.
    pub(super) fn split(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Vec<Flow>, Problem> {
        let flow = operands.flow_operand(0)?;
        let channels = self.shapes[flow.at][0];
        let parts = step.outputs.len().max(1);
        let given = match operands.has_operand(1) {
            true => operands.constant(1)?.wholes(),
            false => step.wholes("split"),
        };
        let even = channels.div_ceil(parts);
        let sizes: Vec<usize> = match given {
            Some(sizes) => sizes
                .iter()
                .map(|&size| usize::try_from(size).unwrap_or(usize::MAX))
                .collect(),
            None => (0..parts)
                .map(|part| even.min(channels.saturating_sub(part * even)))
                .collect(),
        };
        let whole = sizes
            .iter()
            .try_fold(0_usize, |whole, &size| whole.checked_add(size));
        if !self.is_along_channels(flow.view, step.whole("axis", 0)) || whole != Some(channels) {
            return Err(step
                .problem(format!(
                    "it takes {:?} apart into {sizes:?} along axis {}",
                    self.dimensions(flow),
                    step.whole("axis", 0)
                ))
                .expected("the axis of the channels, all of them"));
        }
        let mut first = 0;
        let mut part = |size: usize| {
            first += size;
            self.picked(step, flow, (first - size..first).collect())
        };
        sizes.into_iter().map(&mut part).collect()
    }

    /// Channels by their numbers (Gather), or from one to another (Slice).
    pub(super) fn pick_channels(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let channels = self.shapes[flow.at][0];
        let (axis, places) = if step.operator == "Gather" {
            let places = operands.constant(1)?;
            let listed = places.wholes().filter(|_| places.shape.len() == 1);
            (
                step.whole("axis", 0),
                listed.and_then(|places| numbered(places, channels)),
            )
        } else {
            let [start, end, axis, stride] = operands.slice()?;
            (axis, Some(sliced(start, end, stride, channels)))
        };
        let places =
            places.filter(|places| !places.is_empty() && self.is_along_channels(flow.view, axis));
        let places = places.ok_or_else(|| {
            step.problem(format!(
                "it takes a part of {:?} along axis {axis}",
                self.dimensions(flow)
            ))
            .expected("some of the channels")
        })?;
        self.picked(step, flow, places)
    }

    fn picked(
        &mut self,
        step: &OnnxNode,
        flow: Flow,
        channels: Vec<usize>,
    ) -> Result<Flow, Problem> {
        match channels.iter().copied().eq(0..self.shapes[flow.at][0]) {
            true => Ok(flow),
            false => self.add(step, &[flow], Operator::Pick(channels), flow.view),
        }
    }

    pub(super) fn pad_image(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let rank = self.dimensions(flow).len() + 1;
        let pads = match operands.has_operand(1) {
            true => operands.constant(1)?.wholes().unwrap_or_default().to_vec(),
            false => step.wholes("pads").unwrap_or_default().to_vec(),
        };
        let value = operands.bound(2, "value", 0.0)?;
        let axes = if operands.has_operand(3) {
            operands.axes_operand(3, rank)?
        } else {
            (0..rank).collect()
        };
        if pads.len() != 2 * axes.len()
            || !matches!(step.text_attribute("mode"), "" | "constant")
            || value != 0.0
        {
            return Err(step
                .problem("it does not pad with zeros")
                .expected("zeros around the image"));
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
            [[0, 0], [0, 0], rows, columns] if flow.view == AxisLayout::Image => {
                let mut padding = flow.padding;
                let more = [rows[0], rows[1], columns[0], columns[1]];
                padding
                    .iter_mut()
                    .zip(more)
                    .for_each(|(padding, more)| *padding += more);
                match padding.iter().all(|&by| by < 1 << 16) {
                    true => Ok(Flow { padding, ..flow }),
                    false => {
                        Err(step.problem(format!("together with others it pads by {padding:?}")))
                    }
                }
            }
            _ => Err(step
                .problem(format!("it pads by {pads:?}"))
                .expected("zeros above, below and beside the image")),
        }
    }

    pub(super) fn reshape(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let dims = self.dimensions(flow);
        let wanted = match step.operator.as_str() {
            "Flatten" => match step.whole("axis", 1) {
                1 => vec![dims.iter().product()],
                axis => {
                    return Err(step
                        .problem(format!("it flattens from axis {axis} on"))
                        .expected("axis 1"));
                }
            },
            "Reshape" => self.reshaped(step, &dims, operands.constant(1)?)?,
            "Squeeze" => {
                let all: Vec<usize> = (1..=dims.len())
                    .filter(|&axis| dims[axis - 1] == 1)
                    .collect();
                let given = operands.has_operand(1) || step.has_attribute("axes");
                let axes = if given {
                    operands.axes_operand(1, dims.len() + 1)?
                } else {
                    all
                };
                let kept = dims
                    .iter()
                    .enumerate()
                    .filter(|(at, size)| **size != 1 || !axes.contains(&(at + 1)));
                kept.map(|(_, &size)| size).collect()
            }
            _ => {
                let mut wanted = dims.clone();
                let more = operands
                    .constant(1)
                    .ok()
                    .and_then(Constant::wholes)
                    .or(step.wholes("axes"));
                let mut axes =
                    operands.axes_operand(1, dims.len() + 1 + more.map_or(0, <[i64]>::len))?;
                axes.sort_unstable();
                axes.iter()
                    .for_each(|&axis| wanted.insert(axis.saturating_sub(1).min(wanted.len()), 1));
                wanted
            }
        };
        if wanted == dims {
            return Ok(flow);
        }
        let seen = |view: AxisLayout| Ok(Flow { view, ..flow });
        let shape = self.shapes[flow.at];
        let flat = self.is_flat(flow);
        match wanted.as_slice() {
            [n] if *n == shape[0] && flat => seen(AxisLayout::Flat),
            [n] if *n == dims.iter().product::<usize>() && flow.view == AxisLayout::Image => {
                self.add(step, &[flow], Operator::Flatten, AxisLayout::Flat)
            }
            [n, 1, 1] if *n == shape[0] && flat => seen(AxisLayout::Image),
            [1, 1, n] if *n == shape[0] && flat => seen(AxisLayout::ChannelsLast),
            [groups, each, rest @ ..]
                if flow.view == AxisLayout::Image
                    && groups * each == shape[0]
                    && *rest == dims[1..] =>
            {
                seen(AxisLayout::Groups(*groups))
            }
            [n, rest @ ..]
                if matches!(flow.view, AxisLayout::Groups(_))
                    && *n == shape[0]
                    && *rest == dims[2..] =>
            {
                seen(AxisLayout::Image)
            }
            _ => Err(step
                .problem(format!("it brings {dims:?} into the shape {wanted:?}"))
                .expected("a reshape that flattens, or that groups channels")),
        }
    }

    /// What a shape means for one image.
    fn reshaped(
        &self,
        step: &OnnxNode,
        dims: &[usize],
        shape: &Constant,
    ) -> Result<Vec<usize>, Problem> {
        let odd = || {
            step.problem(format!(
                "it reshapes {dims:?} in a way that is not known here"
            ))
        };
        let (&images, rest) = shape
            .wholes()
            .and_then(<[i64]>::split_first)
            .ok_or_else(odd)?;
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
        let mut wanted: Vec<usize> = rest
            .iter()
            .enumerate()
            .map(size)
            .collect::<Option<_>>()
            .ok_or_else(odd)?;
        let product = |sizes: &[usize]| {
            sizes
                .iter()
                .fold(1_usize, |all, &size| all.saturating_mul(size.max(1)))
        };
        let known = product(&wanted);
        if let Some(open) = wanted.iter().position(|&size| size == 0) {
            wanted[open] = total / known;
        }
        if product(&wanted) == total {
            Ok(wanted)
        } else {
            Err(odd())
        }
    }

    pub(super) fn transpose(
        &mut self,
        step: &OnnxNode,
        operands: &Operands<'_>,
    ) -> Result<Flow, Problem> {
        let flow = operands.flow_operand(0)?;
        let view = match (flow.view, step.wholes("perm")) {
            (view, Some([0, 1, 2, 3] | [0, 1] | [0, 1, 2, 3, 4])) => view,
            (AxisLayout::Groups(groups), Some([0, 2, 1, 3, 4])) => {
                // The first channel of every group, then the second of every group, and so on.
                let each = self.shapes[flow.at][0] / groups;
                let order = (0..each)
                    .flat_map(|of| (0..groups).map(move |group| group * each + of))
                    .collect();
                let shuffled = self.picked(step, flow, order)?;
                return Ok(Flow {
                    view: AxisLayout::Groups(each),
                    ..shuffled
                });
            }
            (AxisLayout::Image, Some([0, 2, 3, 1])) => AxisLayout::ChannelsLast,
            (AxisLayout::ChannelsLast, Some([0, 3, 1, 2])) => AxisLayout::Image,
            (_, order) => {
                return Err(step
                    .problem(format!(
                        "it puts the axes of {:?} in the order {order:?}",
                        self.dimensions(flow)
                    ))
                    .expected("channels first, or channels last"));
            }
        };
        Ok(Flow { view, ..flow })
    }
}

/// Numbers of channels, those below zero counted from the end.
fn numbered(places: &[i64], channels: usize) -> Option<Vec<usize>> {
    let place = |&at: &i64| usize::try_from(if at < 0 { at + channels as i64 } else { at }).ok();
    places
        .iter()
        .map(|at| place(at).filter(|&at| at < channels))
        .collect()
}

/// The places of a slice along an axis, as ONNX counts them: bounds below zero count from the end,
/// and those beyond are brought back.
pub(super) fn sliced(start: i64, end: i64, stride: i64, channels: usize) -> Vec<usize> {
    let n = channels as i64;
    let from_the_end = |at: i64| if at < 0 { at.saturating_add(n) } else { at };
    let start = from_the_end(start);
    let end = from_the_end(end);
    match stride {
        1.. => (start.clamp(0, n)..end.clamp(0, n))
            .step_by(stride as usize)
            .map(|at| at as usize)
            .collect(),
        0 => Vec::new(),
        _ => {
            let last = start.clamp(-1, n - 1);
            let first = end.clamp(-1, n - 1);
            let back = usize::try_from(stride.unsigned_abs()).unwrap_or(usize::MAX);
            (first + 1..=last)
                .rev()
                .step_by(back)
                .map(|at| at as usize)
                .collect()
        }
    }
}
