//! SmoothGrad: the mean slope over noisy copies of an image.

use duress_core::seed::Seed;
use duress_core::subject::{Failure, LogitSlopes};

use super::batch::{TargetBatch, target_slopes};
use super::channels::ChannelReduction;

/// How slopes are smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothRecipe {
    /// How many noisy copies; 50 is usual.
    pub draws: usize,
    /// The deviation of the noise, in units of pixels in [0, 1]; 0.15 is usual.
    pub sigma: f64,
    pub channels: ChannelReduction,
}

/// SmoothGrad (Smilkov et al., 2017): the mean slope of the target's logit over copies of the image
/// with normal noise on every value, which is not clipped to [0, 1], as published. Channels are joined
/// after the mean.
pub fn smooth_grad(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    recipe: SmoothRecipe,
    seeds: &[Seed],
) -> Result<Vec<f32>, Failure> {
    assert_eq!(seeds.len(), batch.len(), "one seed for each image");
    let copies = recipe.draws.max(1);
    let mut maps = Vec::with_capacity(batch.len() * batch.places());
    for items in batch.parts(copies) {
        let part = batch.part(items.clone());
        let slopes = mean_slopes(subject, part, recipe, &seeds[items])?;
        let [channels, ..] = part.shape();
        recipe
            .channels
            .extend(&mut maps, &slopes, channels, part.places());
    }
    Ok(maps)
}

fn mean_slopes(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    recipe: SmoothRecipe,
    seeds: &[Seed],
) -> Result<Vec<f32>, Failure> {
    let size = batch.size();
    let copies = recipe.draws.max(1);
    let mut sums = vec![0.0_f32; batch.pixels().len()];
    let numbers: Vec<usize> = (0..copies).collect();
    for stretch in numbers.chunks(batch.at_once()) {
        let mut noisy = Vec::with_capacity(stretch.len() * batch.pixels().len());
        let mut targets = Vec::with_capacity(stretch.len() * batch.len());
        for (item, seed) in seeds.iter().enumerate() {
            for copy in stretch {
                let mut draws = seed.child(format!("smooth-grad {copy}")).draws();
                let pixels = batch.image(item).iter();
                noisy.extend(pixels.map(|pixel| pixel + (recipe.sigma * draws.normal()) as f32));
                targets.push(batch.targets()[item]);
            }
        }
        let asked = TargetBatch::new(batch.shape(), &noisy, &targets);
        let slopes = target_slopes(subject, asked, |_| 1.0 / copies as f32)?;
        let of_items = slopes.chunks_exact(stretch.len() * size);
        for (sum, slopes) in sums.chunks_exact_mut(size).zip(of_items) {
            for slopes in slopes.chunks_exact(size) {
                let both = sum.iter_mut().zip(slopes);
                both.for_each(|(sum, slope)| *sum += slope);
            }
        }
    }
    Ok(sums)
}
