//! The ball an image may move in: steps, projections and starts, in L∞ and L2, always inside the
//! pixel box.

use duress_core::seed::Draws;

duress_core::words! {
    /// How far an image may move, in which sense.
    pub enum Norm {
        /// The largest change of a pixel.
        Linf = "linf",
        /// The Euclidean length of the change.
        L2 = "l2",
    }
}

/// One step up, then back into the budget and the box, in place.
pub(crate) fn step_up(
    norm: Norm,
    step: f64,
    budget: f64,
    image: &[f32],
    slope: &[f32],
    here: &mut [f32],
) {
    match norm {
        Norm::Linf => {
            let step = step as f32;
            let budget = budget as f32;
            for ((x, &clean), &slope) in here.iter_mut().zip(image).zip(slope) {
                let way = if slope == 0.0 {
                    0.0
                } else {
                    step.copysign(slope)
                };
                *x = (*x + way)
                    .max((clean - budget).max(0.0))
                    .min((clean + budget).min(1.0));
            }
        }
        Norm::L2 => {
            let stride = step / length(slope.iter().map(|&x| f64::from(x))).max(f64::MIN_POSITIVE);
            for (x, &slope) in here.iter_mut().zip(slope) {
                *x = (f64::from(*x) + stride * f64::from(slope)) as f32;
            }
            into_the_ball(budget, image, here);
        }
    }
}

/// Takes `here` further from `image`, `by` times as far, and back into the budget and the box.
pub(crate) fn stretch(norm: Norm, by: f64, budget: f64, image: &[f32], here: &mut [f32]) {
    match norm {
        Norm::Linf => {
            let by = by as f32;
            let budget = budget as f32;
            for (x, &clean) in here.iter_mut().zip(image) {
                *x = (clean + by * (*x - clean))
                    .max((clean - budget).max(0.0))
                    .min((clean + budget).min(1.0));
            }
        }
        Norm::L2 => {
            for (x, &clean) in here.iter_mut().zip(image) {
                *x = (f64::from(clean) + by * (f64::from(*x) - f64::from(clean))) as f32;
            }
            into_the_ball(budget, image, here);
        }
    }
}

/// Brings `here` back to `budget` of `image` in L2. Clipping to the box moves towards the image, so
/// it cannot leave the ball again.
fn into_the_ball(budget: f64, image: &[f32], here: &mut [f32]) {
    let far = length(
        here.iter()
            .zip(image)
            .map(|(&x, &clean)| f64::from(x) - f64::from(clean)),
    );
    let shrink = if far > budget { budget / far } else { 1.0 };
    for (x, &clean) in here.iter_mut().zip(image) {
        let by = shrink * (f64::from(*x) - f64::from(clean));
        *x = ((f64::from(clean) + by) as f32).clamp(0.0, 1.0);
    }
}

/// The Euclidean length, in eight partial sums that are always the same ones.
fn length(values: impl Iterator<Item = f64>) -> f64 {
    let mut sums = [0.0; 8];
    for (at, x) in values.enumerate() {
        sums[at % 8] += x * x;
    }
    libm::sqrt(sums.iter().sum())
}

/// Moves `here`, which is the clean image, to a random point of the budget and into the box. The
/// draws do not depend on the budget, so starts are the same on every rung but for their distance.
pub(crate) fn random_start(norm: Norm, budget: f64, mut draws: Draws, here: &mut [f32]) {
    match norm {
        Norm::Linf => {
            for x in here {
                *x = (*x + draws.between(-budget, budget) as f32).clamp(0.0, 1.0);
            }
        }
        Norm::L2 => {
            let offset = somewhere(here.len(), budget, &mut draws);
            for (x, by) in here.iter_mut().zip(offset) {
                *x = (*x + by as f32).clamp(0.0, 1.0);
            }
        }
    }
}

/// A uniform direction, at a uniform distance. (A uniform point of a ball with that many dimensions
/// is always next to its surface, from where the first steps go into getting back.)
fn somewhere(size: usize, radius: f64, draws: &mut Draws) -> Vec<f64> {
    let way: Vec<f64> = (0..size).map(|_| draws.normal()).collect();
    let far = length(way.iter().copied()).max(f64::MIN_POSITIVE);
    let reach = radius * draws.uniform();
    way.into_iter().map(|x| x * reach / far).collect()
}
