//! Structural similarity of two maps.

use duress_stats::UndefinedReason;

use super::{check_finite, check_pair};

/// The side of its windows, and so the smallest side a map may have.
pub const SSIM_SIDE: usize = 11;

const SIGMA: f64 = 1.5;
/// (0.01 · range)² and (0.03 · range)², with a range of 1.
const C1: f64 = 1e-4;
const C2: f64 = 9e-4;

/// Structural similarity (Wang et al., 2004): the mean over all windows of 11 × 11 places that lie
/// inside, weighed by a normal law of deviation 1.5, after each map was brought to [0, 1] by its own
/// least and largest value.
///
/// As scikit-image's `structural_similarity` with `gaussian_weights=True, sigma=1.5,
/// use_sample_covariance=False, data_range=1` on such maps.
pub fn ssim(map: &[f32], other: &[f32], size: [usize; 2]) -> Result<f64, UndefinedReason> {
    assert_eq!(map.len(), size[0] * size[1], "a map of {size:?}");
    if let Some(&side) = size.iter().find(|&&side| side < SSIM_SIDE) {
        check_finite(map, "the values of the first map")?;
        return Err(UndefinedReason::TooFew {
            what: "places on a side of the map",
            need: SSIM_SIDE,
            got: side,
        });
    }
    check_pair(map, other)?;
    let a = from_zero_to_one(map);
    let b = from_zero_to_one(other);
    let products = |a: &[f64], b: &[f64]| -> Vec<f64> {
        let both = a.iter().zip(b);
        let products: Vec<f64> = both.map(|(a, b)| a * b).collect();
        window_means(&products, size)
    };
    let mean_a = window_means(&a, size);
    let mean_b = window_means(&b, size);
    let square_a = products(&a, &a);
    let square_b = products(&b, &b);
    let product = products(&a, &b);
    let windows = mean_a.len();
    let similarity = |window: usize| {
        let (a, b) = (mean_a[window], mean_b[window]);
        let spread = square_a[window] - a * a + square_b[window] - b * b;
        let shared = product[window] - a * b;
        (2.0 * a * b + C1) * (2.0 * shared + C2) / ((a * a + b * b + C1) * (spread + C2))
    };
    Ok((0..windows).map(similarity).sum::<f64>() / windows as f64)
}

fn from_zero_to_one(map: &[f32]) -> Vec<f64> {
    let low = f64::from(map.iter().copied().fold(f32::INFINITY, f32::min));
    let high = f64::from(map.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let share = |&value: &f32| (f64::from(value) - low) / (high - low);
    map.iter().map(share).collect()
}

/// The weighted mean of every window that lies inside, down and then across.
fn window_means(values: &[f64], [height, width]: [usize; 2]) -> Vec<f64> {
    let weights = weights();
    let rows = height - SSIM_SIDE + 1;
    let columns = width - SSIM_SIDE + 1;
    let mut means = Vec::with_capacity(rows * columns);
    let mut down = vec![0.0; width];
    for row in 0..rows {
        down.fill(0.0);
        for (tap, weight) in weights.iter().enumerate() {
            let source = &values[(row + tap) * width..][..width];
            let both = down.iter_mut().zip(source);
            both.for_each(|(sum, value)| *sum += weight * value);
        }
        let start = means.len();
        means.resize(start + columns, 0.0);
        for (tap, weight) in weights.iter().enumerate() {
            let both = means[start..].iter_mut().zip(&down[tap..]);
            both.for_each(|(sum, value)| *sum += weight * value);
        }
    }
    means
}

fn weights() -> [f64; SSIM_SIDE] {
    let reach = (SSIM_SIDE / 2) as f64;
    let weight = |at: usize| {
        let away = (at as f64 - reach) / SIGMA;
        libm::exp(-0.5 * away * away)
    };
    let weights: [f64; SSIM_SIDE] = std::array::from_fn(weight);
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}
