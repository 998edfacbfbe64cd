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

/// Brings `here` back into the budget around `image`, and into the box.
pub(crate) fn into_the_budget(norm: Norm, budget: f64, image: &[f32], here: &mut [f32]) {
    match norm {
        Norm::Linf => {
            let budget = budget as f32;
            for (x, &clean) in here.iter_mut().zip(image) {
                *x = x
                    .max((clean - budget).max(0.0))
                    .min((clean + budget).min(1.0));
            }
        }
        Norm::L2 => into_the_ball(budget, image, here),
    }
}

/// How far `here` is from `image`.
pub(crate) fn distance(norm: Norm, image: &[f32], here: &[f32]) -> f64 {
    let by = here
        .iter()
        .zip(image)
        .map(|(&x, &clean)| f64::from(x) - f64::from(clean));
    match norm {
        Norm::Linf => by.fold(0.0, |most, by| most.max(by.abs())),
        Norm::L2 => length(by),
    }
}

/// The length of a slope in the norm that says how fast it rises per unit of the other.
pub(crate) fn dual_length(norm: Norm, slope: &[f32]) -> f64 {
    let slope = slope.iter().map(|&x| f64::from(x));
    match norm {
        Norm::Linf => slope.map(f64::abs).sum(),
        Norm::L2 => length(slope),
    }
}

/// The nearest point of the box to `from` at which a linear function with this slope has risen by
/// `rise`, or as near to that as the box allows.
pub(crate) fn to_hyperplane(norm: Norm, from: &[f32], slope: &[f32], rise: f64) -> Vec<f32> {
    let moved = |reach: f64| -> Vec<f32> {
        let to = |(&x, &slope): (&f32, &f32)| {
            let way = match norm {
                Norm::Linf if slope == 0.0 => 0.0,
                Norm::Linf => f64::from(slope.signum()),
                Norm::L2 => f64::from(slope),
            };
            ((f64::from(x) + reach * rise.signum() * way) as f32).clamp(0.0, 1.0)
        };
        from.iter().zip(slope).map(to).collect()
    };
    let risen = |to: &[f32]| -> f64 {
        let each = to.iter().zip(from).zip(slope);
        each.map(|((&to, &x), &slope)| f64::from(slope) * (f64::from(to) - f64::from(x)))
            .sum()
    };
    // How far along it is found by halving: what the box cuts off makes no formula of it.
    let (mut low, mut high) = (0.0, 1.0);
    let mut doubled = 0;
    while risen(&moved(high)).abs() < rise.abs() && norm == Norm::L2 && doubled < 64 {
        high *= 2.0;
        doubled += 1;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        match risen(&moved(middle)).abs() < rise.abs() {
            true => low = middle,
            false => high = middle,
        }
    }
    moved(high)
}

/// How often the way to a hyperplane is halved.
const HALVINGS: usize = 24;

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
pub(crate) fn length(values: impl Iterator<Item = f64>) -> f64 {
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
