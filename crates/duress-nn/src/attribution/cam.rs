//! Class activation maps: the channels of a layer, each weighed by how a class's logit changes with
//! it.

use duress_core::subject::Failure;

use super::batch::{TargetBatch, target_slopes};
use super::cut::CutNetwork;
use crate::network::ItemShape;

duress_core::words! {
    /// What becomes of the places that speak against the class.
    pub enum CamSign {
        /// They count nothing, as published.
        Positive = "positive",
        /// They stay negative.
        Signed = "signed",
    }
}

/// Grad-CAM (Selvaraju et al., 2017): each channel of the layer weighed by the mean over its places of
/// the slope of the target's logit, summed, and stretched to the size of the image.
///
/// Stretched bilinearly, with corners not aligned, as PyTorch's `interpolate` and so Captum's
/// `LayerAttribution.interpolate` do; negative places are cut off before that.
pub fn grad_cam(
    network: &CutNetwork,
    batch: TargetBatch<'_>,
    sign: CamSign,
) -> Result<Vec<f32>, Failure> {
    let weight = |_: &[f32], slopes: &[f32]| {
        let sum: f64 = slopes.iter().copied().map(f64::from).sum();
        sum / slopes.len() as f64
    };
    weighed_channels(network, batch, sign, weight)
}

/// Grad-CAM++ (Chattopadhay et al., 2018): the places of a channel count by how their slope curves,
/// and only where the slope is positive.
///
/// With the exponential of the logit as the score, as published, second and third derivatives are
/// powers of the first; the factor exp(logit), which all places share, is left out.
pub fn grad_cam_plus_plus(
    network: &CutNetwork,
    batch: TargetBatch<'_>,
    sign: CamSign,
) -> Result<Vec<f32>, Failure> {
    let weight = |values: &[f32], slopes: &[f32]| {
        let total: f64 = values.iter().copied().map(f64::from).sum();
        let place = |&slope: &f32| {
            let slope = f64::from(slope);
            let below = 2.0 * slope * slope + total * slope * slope * slope;
            let share = match below == 0.0 {
                true => slope * slope,
                false => slope * slope / below,
            };
            share * slope.max(0.0)
        };
        slopes.iter().map(place).sum()
    };
    weighed_channels(network, batch, sign, weight)
}

/// Maps made of a layer's channels, given the weight of a channel by its values and slopes.
fn weighed_channels(
    network: &CutNetwork,
    batch: TargetBatch<'_>,
    sign: CamSign,
    weight: impl Fn(&[f32], &[f32]) -> f64,
) -> Result<Vec<f32>, Failure> {
    let layer = network.layer().shape;
    let image = batch.shape();
    check_stretch(network, image)?;
    let mut maps = Vec::with_capacity(batch.len() * batch.places());
    for items in batch.parts(copies(layer, image)) {
        let part = batch.part(items);
        let values = network.below().logits(part.pixels());
        let above = TargetBatch::new(layer, &values, part.targets());
        let slopes = target_slopes(network.above(), above, |_| 1.0)?;
        let size = above.size();
        for (values, slopes) in values.chunks_exact(size).zip(slopes.chunks_exact(size)) {
            let map = weighed_sum(values, slopes, above.places(), sign, &weight);
            maps.extend(stretched(&map, [layer[1], layer[2]], [image[1], image[2]]));
        }
    }
    Ok(maps)
}

/// How many images a layer's value and slope are as large as.
fn copies(layer: ItemShape, image: ItemShape) -> usize {
    let values: usize = layer.iter().product();
    (2 * values).div_ceil(image.iter().product())
}

fn check_stretch(network: &CutNetwork, image: ItemShape) -> Result<(), Failure> {
    let layer = network.layer();
    match layer.shape[1] <= image[1] && layer.shape[2] <= image[2] {
        true => Ok(()),
        false => Err(Failure::unable(format!(
            "the layer `{}` has {} × {} places, more than the image's {} × {}: a map of it would have to be shrunk",
            layer.name, layer.shape[1], layer.shape[2], image[1], image[2]
        ))),
    }
}

fn weighed_sum(
    values: &[f32],
    slopes: &[f32],
    places: usize,
    sign: CamSign,
    weight: impl Fn(&[f32], &[f32]) -> f64,
) -> Vec<f32> {
    let mut map = vec![0.0_f64; places];
    for (values, slopes) in values.chunks_exact(places).zip(slopes.chunks_exact(places)) {
        let weight = weight(values, slopes);
        let both = map.iter_mut().zip(values);
        both.for_each(|(sum, &value)| *sum += weight * f64::from(value));
    }
    let signed = map.into_iter().map(|sum| sum as f32);
    match sign {
        CamSign::Positive => signed.map(|sum| sum.max(0.0)).collect(),
        CamSign::Signed => signed.collect(),
    }
}

/// A map stretched bilinearly to another size, corners not aligned.
fn stretched(map: &[f32], from: [usize; 2], to: [usize; 2]) -> Vec<f32> {
    let down = neighbours(from[0], to[0]);
    let across = neighbours(from[1], to[1]);
    let mut out = Vec::with_capacity(to[0] * to[1]);
    for row in &down {
        let upper = &map[row.first * from[1]..][..from[1]];
        let lower = &map[row.second * from[1]..][..from[1]];
        for column in &across {
            let above = column.between(upper[column.first], upper[column.second]);
            let below = column.between(lower[column.first], lower[column.second]);
            out.push(row.between(above, below));
        }
    }
    out
}

/// The two values that a stretched one lies between.
struct Neighbours {
    first: usize,
    second: usize,
    /// How far it is from the first to the second.
    share: f32,
}

impl Neighbours {
    fn between(&self, first: f32, second: f32) -> f32 {
        (1.0 - self.share) * first + self.share * second
    }
}

fn neighbours(from: usize, to: usize) -> Vec<Neighbours> {
    let scale = from as f32 / to as f32;
    let one = |at: usize| {
        let place = (scale * (at as f32 + 0.5) - 0.5).max(0.0);
        let first = (place as usize).min(from - 1);
        Neighbours {
            first,
            second: (first + 1).min(from - 1),
            share: place - first as f32,
        }
    };
    (0..to).map(one).collect()
}
