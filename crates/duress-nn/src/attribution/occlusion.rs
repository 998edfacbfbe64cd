//! Occlusion: how far a class's logit falls when a patch of the image is covered.

use duress_core::problem::Problem;
use duress_core::subject::{Failure, LogitSlopes};

use super::batch::{TargetBatch, target_logits};
use super::fill::Fill;

/// How an image is covered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OcclusionRecipe {
    patch: usize,
    stride: usize,
    fill: Fill,
}

impl OcclusionRecipe {
    /// Square patches of a side, so many pixels apart.
    pub fn new(patch: usize, stride: usize, fill: Fill) -> Result<OcclusionRecipe, Problem> {
        if patch == 0 || stride == 0 || stride > patch {
            return Err(
                Problem::new(format!("patches of {patch} pixels, {stride} pixels apart")).expected(
                    "a stride from 1 to the side of the patch, so that every place is covered",
                ),
            );
        }
        Ok(OcclusionRecipe {
            patch,
            stride,
            fill,
        })
    }

    /// Where patches begin along a side; the last one may reach beyond it.
    fn starts(&self, side: usize) -> Vec<usize> {
        let last = side.saturating_sub(self.patch).div_ceil(self.stride);
        (0..=last).map(|number| number * self.stride).collect()
    }
}

/// Occlusion (Zeiler and Fergus, 2014): the logit of the target less that with a patch covered in all
/// channels, at every place of the patch; the mean where patches overlap, as in Captum.
pub fn occlusion(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    recipe: OcclusionRecipe,
) -> Result<Vec<f32>, Failure> {
    let [_, height, width] = batch.shape();
    let corners: Vec<[usize; 2]> = recipe
        .starts(height)
        .into_iter()
        .flat_map(|down| {
            recipe
                .starts(width)
                .into_iter()
                .map(move |right| [down, right])
        })
        .collect();
    let mut maps = Vec::with_capacity(batch.len() * batch.places());
    for items in batch.parts(corners.len()) {
        let part = batch.part(items);
        let falls = falls(subject, part, recipe, &corners)?;
        for falls in falls.chunks_exact(corners.len()) {
            maps.extend(mean_falls(falls, &corners, recipe.patch, [height, width]));
        }
    }
    Ok(maps)
}

/// How far the logit of each image falls with each patch.
fn falls(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    recipe: OcclusionRecipe,
    corners: &[[usize; 2]],
) -> Result<Vec<f32>, Failure> {
    let open = target_logits(subject, batch)?;
    let mut falls = vec![0.0; batch.len() * corners.len()];
    let fills: Vec<Vec<f32>> = (0..batch.len())
        .map(|item| recipe.fill.image_for(batch.image(item), batch.shape()))
        .collect();
    let pairs: Vec<usize> = (0..falls.len()).collect();
    for stretch in pairs.chunks(batch.at_once()) {
        let mut covered = Vec::with_capacity(stretch.len() * batch.size());
        let mut targets = Vec::with_capacity(stretch.len());
        for pair in stretch {
            let item = pair / corners.len();
            let start = covered.len();
            covered.extend_from_slice(batch.image(item));
            let corner = corners[pair % corners.len()];
            cover(
                &mut covered[start..],
                &fills[item],
                batch.shape(),
                corner,
                recipe.patch,
            );
            targets.push(batch.targets()[item]);
        }
        let asked = TargetBatch::new(batch.shape(), &covered, &targets);
        for (pair, logit) in stretch.iter().zip(target_logits(subject, asked)?) {
            falls[*pair] = open[pair / corners.len()] - logit;
        }
    }
    Ok(falls)
}

fn cover(
    image: &mut [f32],
    fill: &[f32],
    [channels, height, width]: [usize; 3],
    [down, right]: [usize; 2],
    patch: usize,
) {
    let end = width.min(right + patch);
    for channel in 0..channels {
        for row in down..height.min(down + patch) {
            let start = (channel * height + row) * width;
            let covered = start + right..start + end;
            image[covered.clone()].copy_from_slice(&fill[covered]);
        }
    }
}

fn mean_falls(
    falls: &[f32],
    corners: &[[usize; 2]],
    patch: usize,
    [height, width]: [usize; 2],
) -> Vec<f32> {
    let mut sums = vec![0.0_f64; height * width];
    let mut counts = vec![0_u32; height * width];
    for (fall, [down, right]) in falls.iter().zip(corners) {
        for row in *down..height.min(down + patch) {
            for column in *right..width.min(right + patch) {
                sums[row * width + column] += f64::from(*fall);
                counts[row * width + column] += 1;
            }
        }
    }
    let both = sums.into_iter().zip(counts);
    both.map(|(sum, count)| (sum / f64::from(count.max(1))) as f32)
        .collect()
}
