//! Windows of convolutions and pools, as ONNX describes them.

use duress_core::problem::Problem;

use super::model::OnnxNode;
use crate::network::{ItemShape, Window};

/// The window of a node over an image, which was padded by `already` before: top, bottom, left,
/// right.
pub(super) fn window(
    node: &OnnxNode,
    kernel: [usize; 2],
    image: ItemShape,
    already: [usize; 4],
) -> Result<Window, Problem> {
    let stride = size_pair(node, "strides")?.unwrap_or([1; 2]);
    let dilation = size_pair(node, "dilations")?.unwrap_or([1; 2]);
    let mut padding = match node.text_attribute("auto_pad") {
        "" | "NOTSET" => explicit_padding(node)?,
        "VALID" => [0; 4],
        same @ ("SAME_UPPER" | "SAME_LOWER") => {
            let sides = [
                image[1] + already[0] + already[1],
                image[2] + already[2] + already[3],
            ];
            let at =
                |side: usize| same_padding(sides[side], kernel[side], stride[side], dilation[side]);
            let ([a, b], [c, d]) = (at(0), at(1));
            if same == "SAME_UPPER" {
                [a, b, c, d]
            } else {
                [b, a, d, c]
            }
        }
        other => return Err(node.problem(format!("pads by `{other}`"))),
    };
    padding
        .iter_mut()
        .zip(already)
        .for_each(|(by, already)| *by += already);
    Ok(Window {
        kernel,
        stride,
        padding,
        dilation,
        ceil: node.whole("ceil_mode", 0) == 1,
    })
}

/// A pair of sizes, height and width.
pub(super) fn size_pair(node: &OnnxNode, name: &str) -> Result<Option<[usize; 2]>, Problem> {
    let Some(given) = node.wholes(name) else {
        return Ok(None);
    };
    match given {
        [height, width] => match (small(*height), small(*width)) {
            (Some(height), Some(width)) => Ok(Some([height, width])),
            _ => Err(node.problem(format!("`{name}` is {given:?}"))),
        },
        _ => Err(node
            .problem(format!("`{name}` is {given:?}"))
            .expected("a height and a width")),
    }
}

/// Padding at the beginnings, then at the ends, as ONNX has it; top, bottom, left, right as it is
/// here.
fn explicit_padding(node: &OnnxNode) -> Result<[usize; 4], Problem> {
    let Some(given) = node.wholes("pads") else {
        return Ok([0; 4]);
    };
    let sizes: Option<Vec<usize>> = given.iter().map(|&by| small(by)).collect();
    match sizes.as_deref() {
        Some(&[top, left, bottom, right]) => Ok([top, bottom, left, right]),
        _ => Err(node
            .problem(format!("`pads` is {given:?}"))
            .expected("four sizes that are not negative")),
    }
}

/// A size of an image; more is a mistake in the file.
fn small(size: i64) -> Option<usize> {
    usize::try_from(size).ok().filter(|&size| size < 1 << 16)
}

/// Before and after, so that as many windows fit as there are steps, the odd one at the end.
fn same_padding(side: usize, kernel: usize, stride: usize, dilation: usize) -> [usize; 2] {
    let places = side.div_ceil(stride.max(1));
    let reach = kernel.saturating_sub(1) * dilation + 1;
    let total = (places.saturating_sub(1) * stride + reach).saturating_sub(side);
    [total / 2, total - total / 2]
}
