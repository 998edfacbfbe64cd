//! The inner maximisation of adversarial training: images moved against the network as it is now.
//!
//! The network is asked as it answers, with what its batch norms remember: an attack on the
//! statistics of a batch would be one on its neighbours too (as in the code of Zhang et al., 2019).

use duress_core::objective::cross_entropy;
use duress_core::seed::Draws;

use super::terms::Divergence;
use crate::compiled::{Compiled, LogitGradient};

/// How images are attacked while a network is taught.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerAttack {
    /// How far each pixel may be moved.
    pub reach: f64,
    pub steps: usize,
    /// How long a step is, as a share of the reach.
    pub step: f64,
    pub start: AttackStart,
}

/// Where an inner attack begins. Not at the image itself: there the divergence is lowest, and its
/// gradient zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackStart {
    /// Anywhere within reach.
    Uniform,
    /// Very near the image: normal draws of deviation 0.001 (Zhang et al., 2019).
    Near,
}

/// What an inner attack climbs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Climbs<'a> {
    /// The loss at the label.
    CrossEntropy(&'a [u32]),
    /// KL(answer to the image ‖ answer to the attacked image).
    Divergence,
}

/// The deviation of a start very near the image.
const NEAR: f64 = 0.001;

impl InnerAttack {
    /// One long step from anywhere within reach: about as good as many small ones (Wong, Rice and
    /// Kolter, 2020).
    pub fn one_step(reach: f64) -> InnerAttack {
        InnerAttack {
            reach,
            steps: 1,
            step: 1.25,
            start: AttackStart::Uniform,
        }
    }

    /// Images moved up what is climbed, within reach and within [0, 1].
    pub(super) fn attacked(
        &self,
        asked: &Compiled,
        pixels: &[f32],
        climbs: Climbs<'_>,
        noise: &mut Draws,
    ) -> Vec<f32> {
        let reach = self.reach as f32;
        let step = self.step as f32 * reach;
        let clean = match climbs {
            Climbs::Divergence => asked.logits(pixels),
            Climbs::CrossEntropy(_) => Vec::new(),
        };
        let classes = asked.network().classes().len();
        let climb: Box<LogitGradient<'_>> = match climbs {
            Climbs::CrossEntropy(labels) => Box::new(move |item, logits, slope| {
                cross_entropy(logits, labels[item], 1.0, Some(slope));
            }),
            Climbs::Divergence => Box::new(|item, logits, slope| {
                let clean = &clean[item * classes..][..classes];
                let divergence = Divergence::new(&wide(clean), &wide(logits));
                let found = divergence.slope_of_second();
                let both = slope.iter_mut().zip(found);
                both.for_each(|(slope, found)| *slope = found as f32);
            }),
        };
        let mut at = self.starts(pixels, noise);
        let mut slope = vec![0.0; pixels.len()];
        for _ in 0..self.steps {
            slope.fill(0.0);
            asked.backward(&at, &*climb, &mut slope);
            for ((at, slope), x) in at.iter_mut().zip(&slope).zip(pixels) {
                let by = if *slope == 0.0 {
                    0.0
                } else {
                    step * slope.signum()
                };
                *at = (*at + by).clamp(x - reach, x + reach).clamp(0.0, 1.0);
            }
        }
        at
    }

    fn starts(&self, pixels: &[f32], noise: &mut Draws) -> Vec<f32> {
        let reach = self.reach as f32;
        let mut start = |x: &f32| match self.start {
            AttackStart::Uniform => x + reach * (2.0 * noise.uniform() as f32 - 1.0),
            AttackStart::Near => (x + (NEAR * noise.normal()) as f32).clamp(x - reach, x + reach),
        };
        pixels.iter().map(|x| start(x).clamp(0.0, 1.0)).collect()
    }
}

fn wide(logits: &[f32]) -> Vec<f64> {
    logits.iter().map(|&logit| f64::from(logit)).collect()
}
