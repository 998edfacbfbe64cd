//! The ball an image may move in: steps, projections and starts, in L∞, L2 and L1, always inside the
//! pixel box.

use duress_core::seed::Draws;

duress_core::words! {
    /// How far an image may move, in which sense.
    pub enum Norm {
        /// The largest change of a pixel.
        Linf = "linf",
        /// The Euclidean length of the change.
        L2 = "l2",
        /// The sum of the changes of all pixels.
        L1 = "l1",
    }
}

/// The share of pixels that a step in L1 moves: those that a loss depends on most. (One pixel would be
/// the steepest way, and as slow as there are pixels.)
const MOVED_IN_L1: f64 = 0.05;

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
        Norm::L1 => {
            sparse_step(step, slope, here);
            into_the_diamond(budget, image, here);
        }
    }
}

/// As far as a step goes in all, along the steepest of the pixels that the box lets move (Tramèr and
/// Boneh, 2019).
fn sparse_step(step: f64, slope: &[f32], here: &mut [f32]) {
    let moves = |&at: &usize| match slope[at] > 0.0 {
        true => here[at] < 1.0,
        false => slope[at] < 0.0 && here[at] > 0.0,
    };
    let mut free: Vec<usize> = (0..slope.len()).filter(moves).collect();
    let few = ((MOVED_IN_L1 * slope.len() as f64) as usize).clamp(1, free.len().max(1));
    free.sort_by(|a, b| slope[*b].abs().total_cmp(&slope[*a].abs()));
    free.truncate(few);
    let each = (step / few as f64) as f32;
    for at in free {
        here[at] += each.copysign(slope[at]);
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
        Norm::L1 => {
            for (x, &clean) in here.iter_mut().zip(image) {
                *x = clean + by as f32 * (*x - clean);
            }
            into_the_diamond(budget, image, here);
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
        Norm::L1 => into_the_diamond(budget, image, here),
    }
}

/// How far two images of so many pixels can be from one another.
pub(crate) fn widest(norm: Norm, pixels: usize) -> f64 {
    match norm {
        Norm::Linf => 1.0,
        Norm::L2 => libm::sqrt(pixels as f64),
        Norm::L1 => pixels as f64,
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
        Norm::L1 => by.map(f64::abs).sum(),
    }
}

/// The length of a slope in the norm that says how fast it rises per unit of the other.
pub(crate) fn dual_length(norm: Norm, slope: &[f32]) -> f64 {
    let slope = slope.iter().map(|&x| f64::from(x));
    match norm {
        Norm::Linf => slope.map(f64::abs).sum(),
        Norm::L2 => length(slope),
        Norm::L1 => slope.map(f64::abs).fold(0.0, f64::max),
    }
}

/// The nearest point of the box to `from` at which a linear function with this slope has risen by
/// `rise`, or as near to that as the box allows.
pub(crate) fn to_hyperplane(norm: Norm, from: &[f32], slope: &[f32], rise: f64) -> Vec<f32> {
    if norm == Norm::L1 {
        return steepest_first(from, slope, rise);
    }
    let up = rise.signum() as f32;
    // How fast a pixel moves per unit of reach.
    let speed = |slope: f32| match norm {
        Norm::Linf if slope == 0.0 => 0.0,
        Norm::Linf => 1.0_f32.copysign(up * slope),
        Norm::L2 | Norm::L1 => up * slope,
    };
    let pixels = from.iter().zip(slope).map(|(&x, &slope)| {
        let speed = speed(slope);
        let room = if speed > 0.0 { 1.0 - x } else { x };
        PixelRise {
            rate: f64::from(speed) * f64::from(slope) * f64::from(up),
            most: f64::from(slope.abs()) * f64::from(room),
        }
    });
    let reach = reach_of(rise.abs(), &pixels.collect::<Vec<_>>());
    let to = |(&x, &slope): (&f32, &f32)| {
        ((f64::from(x) + reach * f64::from(speed(slope))) as f32).clamp(0.0, 1.0)
    };
    from.iter().zip(slope).map(to).collect()
}

/// What one pixel adds to the rise of a linear function: so much per unit of reach, until the box
/// stops it.
#[derive(Clone, Copy)]
struct PixelRise {
    rate: f64,
    most: f64,
}

/// How far pixels have to go to rise by `rise` together; where that cannot be, until none can go on.
///
/// What they rise by is a sum of lines with a ceiling each: concave, so that Newton's steps from below
/// never go too far, and one that changes nothing has arrived. Each but the last stops a pixel more.
fn reach_of(rise: f64, pixels: &[PixelRise]) -> f64 {
    let mut reach = 0.0;
    loop {
        let mut rates = [0.0; 8];
        let mut stopped = [0.0; 8];
        for (at, pixel) in pixels.iter().enumerate() {
            let goes_on = pixel.rate * reach < pixel.most;
            rates[at % 8] += if goes_on { pixel.rate } else { 0.0 };
            stopped[at % 8] += if goes_on { 0.0 } else { pixel.most };
        }
        let rate: f64 = rates.iter().sum();
        if rate == 0.0 {
            return reach;
        }
        let next = (rise - stopped.iter().sum::<f64>()) / rate;
        if next <= reach {
            return reach;
        }
        reach = next;
    }
}

/// Each pixel as far as the box goes, the steepest first, until the rise is reached: in L1 nothing is
/// nearer.
fn steepest_first(from: &[f32], slope: &[f32], rise: f64) -> Vec<f32> {
    let mut order: Vec<usize> = (0..slope.len()).filter(|&at| slope[at] != 0.0).collect();
    order.sort_by(|a, b| slope[*b].abs().total_cmp(&slope[*a].abs()));
    let mut to = from.to_vec();
    let mut left = rise;
    for at in order {
        let x = f64::from(from[at]);
        let slope = f64::from(slope[at]);
        let wanted = x + left / slope;
        to[at] = wanted.clamp(0.0, 1.0) as f32;
        left -= slope * (f64::from(to[at]) - x);
        if (0.0..=1.0).contains(&wanted) {
            break;
        }
    }
    to
}

/// How often the way into a ball in L1 is halved.
const HALVINGS: usize = 48;

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

/// Brings `here` to the nearest point within `budget` of `image` in L1 and within the box, as APGD in
/// L1 does (Croce and Hein, 2021): every change is lessened by the same amount, none beyond zero, and
/// cut where the box ends. By how much is found by halving.
fn into_the_diamond(budget: f64, image: &[f32], here: &mut [f32]) {
    let lessened = |by: f64, (&x, &clean): (&f32, &f32)| {
        let change = f64::from(x) - f64::from(clean);
        let less = change.signum() * (change.abs() - by).max(0.0);
        (f64::from(clean) + less).clamp(0.0, 1.0) as f32
    };
    let far = |by: f64| -> f64 {
        let pairs = here.iter().zip(image);
        pairs
            .map(|pair| (f64::from(lessened(by, pair)) - f64::from(*pair.1)).abs())
            .sum()
    };
    let mut by = 0.0;
    if far(0.0) > budget {
        let changes = here.iter().zip(image).map(|(x, clean)| (x - clean).abs());
        let mut low = 0.0;
        let mut high = f64::from(changes.fold(0.0, f32::max));
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            match far(middle) > budget {
                true => low = middle,
                false => high = middle,
            }
        }
        by = high;
    }
    for (x, clean) in here.iter_mut().zip(image) {
        *x = lessened(by, (x, clean));
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
        // What normal draws have in common with a point of the ball in L1 is the direction only.
        Norm::L1 => {
            let way: Vec<f64> = (0..here.len()).map(|_| draws.normal()).collect();
            let far: f64 = way.iter().map(|by| by.abs()).sum();
            let reach = budget * draws.uniform() / far.max(f64::MIN_POSITIVE);
            for (x, by) in here.iter_mut().zip(way) {
                *x = (*x + (by * reach) as f32).clamp(0.0, 1.0);
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

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    fn risen(from: &[f32], to: &[f32], slope: &[f32]) -> f64 {
        let each = from.iter().zip(to).zip(slope);
        each.map(|((&from, &to), &slope)| f64::from(slope) * (f64::from(to) - f64::from(from)))
            .sum()
    }

    #[test]
    fn the_nearest_point_of_a_hyperplane_is_on_it_and_within_the_box() {
        let mut draws = Seed::new(1).draws();
        for case in 0..300 {
            let from: Vec<f32> = (0..50)
                .map(|_| draws.between(-0.2, 1.2).clamp(0.0, 1.0) as f32)
                .collect();
            let slope: Vec<f32> = (0..50)
                .map(|at| {
                    if at % 7 == 0 {
                        0.0
                    } else {
                        draws.normal() as f32
                    }
                })
                .collect();
            let rise = draws.between(-6.0, 6.0);
            for norm in [Norm::Linf, Norm::L2, Norm::L1] {
                let to = to_hyperplane(norm, &from, &slope, rise);
                assert!(to.iter().all(|x| (0.0..=1.0).contains(x)));
                let found = risen(&from, &to, &slope);
                assert!(
                    (found - rise).abs() < 1e-4,
                    "{case} {norm:?} {found} {rise}"
                );
                // A little nearer it is not reached: what is found is not too far.
                let nearer = to_hyperplane(norm, &from, &slope, 0.999 * rise);
                assert!(distance(norm, &from, &nearer) < distance(norm, &from, &to));
            }
        }
    }

    #[test]
    fn a_hyperplane_beyond_the_box_is_come_as_near_to_as_the_box_allows() {
        let from = [0.25, 0.5, 1.0, 0.0];
        let slope = [1.0, -2.0, 3.0, 0.0];
        for norm in [Norm::Linf, Norm::L2, Norm::L1] {
            assert_eq!(
                to_hyperplane(norm, &from, &slope, 10.0),
                [1.0, 0.0, 1.0, 0.0]
            );
            assert_eq!(to_hyperplane(norm, &from, &slope, 0.0), from);
        }
    }
}
