//! Noise, pixel by pixel.

use duress_core::seed::Draws;
use duress_stats::dist::Normal;

use super::Picture;

/// Adds normal noise of standard deviation `sigma`.
pub fn gaussian(picture: &mut Picture<'_>, sigma: f64, draws: &mut Draws) {
    for pixel in picture.pixels.iter_mut() {
        *pixel = (f64::from(*pixel) + sigma * draws.normal()) as f32;
    }
}

/// Adds normal noise whose standard deviation is `sigma` times the pixel.
pub fn speckle(picture: &mut Picture<'_>, sigma: f64, draws: &mut Draws) {
    for pixel in picture.pixels.iter_mut() {
        let value = f64::from(*pixel);
        *pixel = (value + value * sigma * draws.normal()) as f32;
    }
}

/// Turns a share of the values black or white.
pub fn impulse(picture: &mut Picture<'_>, share: f64, draws: &mut Draws) {
    for pixel in picture.pixels.iter_mut() {
        let hit = draws.uniform() < share;
        let white = draws.bits32() & 1 == 1;
        if hit {
            *pixel = if white { 1.0 } else { 0.0 };
        }
    }
}

/// Counts photons: white is one photon per `grain` of light, and each pixel gets a Poisson number of
/// them. One draw a pixel says at which quantile of its law it stands, whatever the grain.
pub fn shot(picture: &mut Picture<'_>, grain: f64, draws: &mut Draws) {
    let reciprocals = Reciprocals::new();
    for pixel in picture.pixels.iter_mut() {
        let quantile = draws.uniform();
        if grain > 0.0 {
            let expected = f64::from(*pixel) / grain;
            *pixel = (poisson_quantile(expected, quantile, &reciprocals) * grain) as f32;
        }
    }
}

/// 1/k for small k: the search below would divide at every step.
struct Reciprocals([f64; 256]);

impl Reciprocals {
    fn new() -> Reciprocals {
        let mut all = [0.0; 256];
        for (k, value) in all.iter_mut().enumerate().skip(1) {
            *value = 1.0 / k as f64;
        }
        Reciprocals(all)
    }

    fn of(&self, k: usize) -> f64 {
        self.0.get(k).copied().unwrap_or_else(|| 1.0 / k as f64)
    }
}

/// Above this a Poisson law is taken as normal: e^−λ would soon be no number at all, and the search
/// long. Nobody sees a single photon of so many.
const MANY: f64 = 400.0;

/// The smallest count whose probability, with all below it, reaches `quantile`.
fn poisson_quantile(expected: f64, quantile: f64, reciprocals: &Reciprocals) -> f64 {
    if expected > MANY {
        return many_photons(expected, quantile);
    }
    let mut term = libm::exp(-expected);
    let mut below = term;
    let mut count = 0;
    while below < quantile && term > 0.0 {
        count += 1;
        term *= expected * reciprocals.of(count);
        let next = below + term;
        if next == below && count as f64 > expected {
            break;
        }
        below = next;
    }
    count as f64
}

fn many_photons(expected: f64, quantile: f64) -> f64 {
    // A uniform draw may be 0, where a normal law has no quantile.
    let inside = quantile.max(f64::EPSILON / 4.0);
    let spread = Normal.quantile(inside).unwrap_or(0.0);
    libm::rint(expected + libm::sqrt(expected) * spread).max(0.0)
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    #[test]
    fn counts_of_photons_have_mean_and_variance_of_their_law() {
        let reciprocals = Reciprocals::new();
        for expected in [0.3, 7.0, 60.0, 399.0, 401.0, 5000.0] {
            let mut draws = Seed::new(2).draws();
            let count = |_| poisson_quantile(expected, draws.uniform(), &reciprocals);
            let counts: Vec<f64> = (0..20_000).map(count).collect();
            let mean = counts.iter().sum::<f64>() / 2e4;
            let variance = counts.iter().map(|k| (k - mean).powi(2)).sum::<f64>() / 2e4;
            assert!((mean / expected - 1.0).abs() < 0.03, "{expected}: {mean}");
            assert!(
                (variance / expected - 1.0).abs() < 0.05,
                "{expected}: {variance}"
            );
        }
    }

    #[test]
    fn what_is_black_gets_no_photon_and_no_speckle() {
        let mut pixels = [0.0; 4];
        let mut draws = Seed::new(1).draws();
        shot(&mut Picture::new(&mut pixels, [1, 2, 2]), 0.3, &mut draws);
        speckle(&mut Picture::new(&mut pixels, [1, 2, 2]), 0.6, &mut draws);
        assert_eq!(pixels, [0.0; 4]);
    }

    #[test]
    fn more_impulses_are_those_there_were_and_some_more() {
        let hit = |share: f64| {
            let mut pixels = vec![0.5; 1000];
            let mut draws = Seed::new(4).draws();
            impulse(
                &mut Picture::new(&mut pixels, [1, 10, 100]),
                share,
                &mut draws,
            );
            pixels
        };
        let few = hit(0.1);
        let many = hit(0.3);
        let kept = few.iter().zip(&many).filter(|(few, _)| **few != 0.5);
        assert!(kept.clone().count() > 60 && kept.clone().all(|(few, many)| few == many));
        assert!(many.iter().filter(|pixel| **pixel != 0.5).count() > 240);
    }
}
