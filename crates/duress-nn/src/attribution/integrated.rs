//! Integrated gradients: the slope along the way from an image that says nothing.

use std::f64::consts::PI;

use duress_core::subject::{Failure, LogitSlopes};

use super::batch::{TargetBatch, target_slopes};
use super::channels::ChannelReduction;
use super::fill::Fill;

/// How gradients are integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegratedRecipe {
    /// At how many points of the way the slope is taken; 50 is usual.
    pub steps: usize,
    /// Where the way begins.
    pub baseline: Fill,
    pub channels: ChannelReduction,
}

/// Integrated gradients (Sundararajan et al., 2017): the mean slope of the target's logit along the
/// straight way from the baseline to the image, times the difference of the two. Summed over all
/// places and channels they are the difference of the logits at both ends.
///
/// The mean is taken by Gauss–Legendre quadrature, Captum's default.
pub fn integrated_gradients(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    recipe: IntegratedRecipe,
) -> Result<Vec<f32>, Failure> {
    let points = gauss_legendre(recipe.steps.max(1));
    let mut maps = Vec::with_capacity(batch.len() * batch.places());
    for items in batch.parts(points.len()) {
        let part = batch.part(items);
        let baselines: Vec<f32> = (0..part.len())
            .flat_map(|item| recipe.baseline.image_for(part.image(item), part.shape()))
            .collect();
        let mut slopes = mean_slopes(subject, part, &baselines, &points)?;
        let ends = part.pixels().iter().zip(&baselines);
        let all = slopes.iter_mut().zip(ends);
        all.for_each(|(slope, (pixel, baseline))| *slope *= pixel - baseline);
        let [channels, ..] = part.shape();
        recipe
            .channels
            .extend(&mut maps, &slopes, channels, part.places());
    }
    Ok(maps)
}

/// A point on the way from 0 to 1, and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct QuadraturePoint {
    at: f64,
    weight: f64,
}

/// The weighted mean of the slopes of some images along their ways.
fn mean_slopes(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    baselines: &[f32],
    points: &[QuadraturePoint],
) -> Result<Vec<f32>, Failure> {
    let size = batch.size();
    let mut sums = vec![0.0_f32; batch.pixels().len()];
    for stretch in points.chunks(batch.at_once()) {
        let mut on_the_way = Vec::with_capacity(stretch.len() * batch.pixels().len());
        let mut targets = Vec::with_capacity(stretch.len() * batch.len());
        for item in 0..batch.len() {
            let baseline = &baselines[item * size..][..size];
            for point in stretch {
                extend_between(&mut on_the_way, baseline, batch.image(item), point.at);
                targets.push(batch.targets()[item]);
            }
        }
        let asked = TargetBatch::new(batch.shape(), &on_the_way, &targets);
        // A weight that goes in with the slope of the logit need not be multiplied pixel by pixel.
        let weight = |asked: usize| stretch[asked % stretch.len()].weight as f32;
        let slopes = target_slopes(subject, asked, weight)?;
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

fn extend_between(out: &mut Vec<f32>, from: &[f32], to: &[f32], share: f64) {
    let share = share as f32;
    let between = |(from, to): (&f32, &f32)| from + share * (to - from);
    out.extend(from.iter().zip(to).map(between));
}

/// The points and weights of Gauss–Legendre quadrature over [0, 1]: the roots of a Legendre
/// polynomial, found by Newton's method from Chebyshev's.
fn gauss_legendre(points: usize) -> Vec<QuadraturePoint> {
    let point = |number: usize| {
        let mut root = -libm::cos(PI * (number as f64 + 0.75) / (points as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..100 {
            let (value, derivative) = legendre(points, root);
            slope = derivative;
            let step = value / derivative;
            root -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        QuadraturePoint {
            at: 0.5 * (1.0 + root),
            weight: 1.0 / ((1.0 - root * root) * slope * slope),
        }
    };
    (0..points).map(point).collect()
}

/// A Legendre polynomial at a point, and its derivative there.
fn legendre(degree: usize, at: f64) -> (f64, f64) {
    let (mut last, mut value) = (1.0, at);
    for n in 1..degree {
        let n = n as f64;
        let next = ((2.0 * n + 1.0) * at * value - n * last) / (n + 1.0);
        (last, value) = (value, next);
    }
    let degree = degree as f64;
    (value, degree * (at * value - last) / (at * at - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_points_integrate_polynomials_of_twice_the_degree() {
        for points in [1, 2, 5, 50] {
            let points = gauss_legendre(points);
            for power in 0..2 * points.len() as i32 {
                let mean: f64 = points.iter().map(|p| p.weight * p.at.powi(power)).sum();
                let expected = 1.0 / f64::from(power + 1);
                assert!((mean - expected).abs() < 1e-13, "{power}: {mean}");
            }
            assert!(points.windows(2).all(|pair| pair[0].at < pair[1].at));
        }
    }
}
