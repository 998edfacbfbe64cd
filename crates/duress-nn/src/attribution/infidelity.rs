//! Infidelity: how badly a map foretells what noise does to an answer.

use duress_core::seed::Seed;
use duress_core::subject::{Failure, LogitSlopes};

use super::batch::{TargetBatch, target_logits};

duress_core::words! {
    /// In what units a map may speak.
    pub enum InfidelityForm {
        /// A map is taken at its word: so much of the logit for each unit of the pixel. As published.
        Plain = "plain",
        /// Maps are first multiplied by the factor that suits them best, since most have no unit
        /// (Yeh et al., 2019, section 2.3; Captum's `normalize`).
        Scaled = "optimally-scaled",
    }
}

/// How infidelity is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InfidelityRecipe {
    /// How many noisy copies of an image.
    pub draws: usize,
    /// The deviation of the noise.
    pub sigma: f64,
    pub form: InfidelityForm,
}

/// Infidelity (Yeh et al., 2019): the mean square of what a map foretells less what happens, when
/// normal noise is taken off an image; 0 is best.
///
/// A place has one draw for all its channels, so that a map whose channels were summed foretells as
/// much as one with all of them. The noisy image is not clipped.
pub fn infidelity(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    maps: &[f32],
    recipe: InfidelityRecipe,
    seeds: &[Seed],
) -> Result<Vec<f64>, Failure> {
    assert_eq!(seeds.len(), batch.len(), "one seed for each image");
    assert_eq!(maps.len(), batch.len() * batch.places(), "one map each");
    let draws = recipe.draws.max(1);
    let before = target_logits(subject, batch)?;
    let mut trials = Vec::with_capacity(batch.len() * draws);
    let pairs: Vec<usize> = (0..batch.len() * draws).collect();
    for stretch in pairs.chunks(batch.at_once()) {
        let mut noisy = Vec::with_capacity(stretch.len() * batch.size());
        let mut foretold = Vec::with_capacity(stretch.len());
        let targets: Vec<u32> = stretch
            .iter()
            .map(|pair| batch.targets()[pair / draws])
            .collect();
        for pair in stretch {
            let (item, draw) = (pair / draws, pair % draws);
            let noise = noise(batch.places(), recipe.sigma, draw, seeds[item]);
            let map = &maps[item * batch.places()..][..batch.places()];
            foretold.push(foretold_fall(map, &noise));
            for plane in batch.image(item).chunks_exact(batch.places()) {
                noisy.extend(plane.iter().zip(&noise).map(|(pixel, noise)| pixel - noise));
            }
        }
        let asked = TargetBatch::new(batch.shape(), &noisy, &targets);
        let after = target_logits(subject, asked)?;
        for ((pair, foretold), after) in stretch.iter().zip(foretold).zip(after) {
            let happened = f64::from(before[pair / draws]) - f64::from(after);
            trials.push(Trial { foretold, happened });
        }
    }
    let of_item = |trials: &[Trial]| mean_square(trials, recipe.form);
    Ok(trials.chunks_exact(draws).map(of_item).collect())
}

/// How far a logit fell, and how far it should have.
#[derive(Clone, Copy)]
struct Trial {
    foretold: f64,
    happened: f64,
}

fn noise(places: usize, sigma: f64, draw: usize, seed: Seed) -> Vec<f32> {
    let mut draws = seed.child(format!("infidelity {draw}")).draws();
    let one = |_| (sigma * draws.normal()) as f32;
    (0..places).map(one).collect()
}

fn foretold_fall(map: &[f32], noise: &[f32]) -> f64 {
    let both = map.iter().zip(noise);
    both.map(|(value, noise)| f64::from(*value) * f64::from(*noise))
        .sum()
}

fn mean_square(trials: &[Trial], form: InfidelityForm) -> f64 {
    let factor = match form {
        InfidelityForm::Plain => 1.0,
        InfidelityForm::Scaled => best_factor(trials),
    };
    let square = |trial: &Trial| {
        let off = factor * trial.foretold - trial.happened;
        off * off
    };
    trials.iter().map(square).sum::<f64>() / trials.len() as f64
}

/// The factor with the least mean square. A map of zeros has none, and any serves.
fn best_factor(trials: &[Trial]) -> f64 {
    let both: f64 = trials.iter().map(|t| t.foretold * t.happened).sum();
    let square: f64 = trials.iter().map(|t| t.foretold * t.foretold).sum();
    if square == 0.0 { 0.0 } else { both / square }
}
