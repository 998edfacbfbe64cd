//! Outlines: how far a lesion reaches in every direction.

use duress_core::seed::Seed;

use super::traits::{LesionTraits, Trait};

/// How many waves an outline is made of: the n-th goes round n times.
const WAVES: usize = 9;

/// How far a lesion reaches in every direction from its middle: a circle with waves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    radius: f32,
    /// Cosine and sine of each wave, as a share of the radius.
    waves: [(f32, f32); WAVES],
}

impl Outline {
    /// The outline of a lesion with these traits. The waves are drawn whole and then scaled:
    /// asymmetry makes it lopsided (once and three times round), irregularity of the border
    /// ragged (five times and more).
    pub(super) fn new(traits: &LesionTraits, seed: Seed) -> Outline {
        let mut draws = seed.draws();
        let asymmetry = traits.get(Trait::Asymmetry) as f32;
        let ragged = traits.get(Trait::BorderIrregularity) as f32;
        let mut waves = [(0.0, 0.0); WAVES];
        for (n, wave) in waves.iter_mut().enumerate() {
            let reach = match n + 1 {
                1 => 0.26 * asymmetry,
                2 => 0.10,
                3 => 0.02 + 0.16 * asymmetry,
                4 => 0.02,
                _ => 0.01 + 0.06 * ragged,
            };
            let turn = draws.between(0.0, std::f64::consts::TAU);
            let size = reach * draws.between(0.7, 1.0) as f32;
            *wave = (size * libm::cos(turn) as f32, size * libm::sin(turn) as f32);
        }
        Outline {
            radius: 0.36 + 0.32 * traits.get(Trait::Extent) as f32,
            waves,
        }
    }

    /// How far it reaches without its waves.
    pub(super) fn radius(&self) -> f32 {
        self.radius
    }

    /// How far it reaches towards a direction of length 1.
    pub(super) fn reach(&self, cosine: f32, sine: f32) -> f32 {
        let mut share = 1.0;
        let mut turned = (1.0, 0.0);
        for (along, across) in self.waves {
            // The direction once more round.
            turned = (
                turned.0 * cosine - turned.1 * sine,
                turned.1 * cosine + turned.0 * sine,
            );
            share += along * turned.0 + across * turned.1;
        }
        self.radius * share.max(0.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roughness(traits: LesionTraits) -> f32 {
        let outline = Outline::new(&traits, Seed::new(9));
        let reach = |step: usize| {
            let angle = step as f32 * std::f32::consts::TAU / 720.0;
            outline.reach(libm::cosf(angle), libm::sinf(angle))
        };
        let steps = (0..720).map(|step| (reach(step + 1) - reach(step)).abs());
        steps.sum::<f32>() / outline.radius()
    }

    #[test]
    fn traits_make_an_outline_rougher() {
        let smooth = LesionTraits::new([0.0; super::super::traits::TRAITS]);
        let plain = roughness(smooth);
        assert!(roughness(smooth.with(Trait::BorderIrregularity, 1.0)) > 1.5 * plain);
        assert!(roughness(smooth.with(Trait::Asymmetry, 1.0)) > 1.5 * plain);
    }
}
