//! Mechanisms: how one variable acts on another.

use duress_core::seed::Draws;

/// How many hidden units a random network has: enough to bend several times, few enough to stay
/// smooth.
const HIDDEN: usize = 8;

/// A function of the value one step ago. Drawn once per dataset; its scale and sign are set by the
/// model around it.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// The value itself.
    Linear,
    /// tanh(slope · x), with a slope in which the bend is felt at one standard deviation.
    Tanh {
        /// The slope at zero.
        slope: f64,
    },
    /// A random network with one hidden layer of tanh units.
    Mlp(Mlp),
    /// g(x) + g(−x) for a random network g: on a parent spread evenly about zero its correlation
    /// with the parent is zero.
    EvenMlp(Mlp),
}

impl Mechanism {
    pub(crate) fn tanh(draws: &mut Draws) -> Mechanism {
        Mechanism::Tanh {
            slope: draws.between(1.0, 2.0),
        }
    }

    pub fn effect_of(&self, x: f64) -> f64 {
        match self {
            Mechanism::Linear => x,
            Mechanism::Tanh { slope } => libm::tanh(slope * x),
            Mechanism::Mlp(mlp) => mlp.output_at(x),
            Mechanism::EvenMlp(mlp) => mlp.output_at(x) + mlp.output_at(-x),
        }
    }
}

/// A network with one input, one hidden layer of tanh units and one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp {
    units: [HiddenUnit; HIDDEN],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct HiddenUnit {
    slope: f64,
    shift: f64,
    weight: f64,
}

impl Mlp {
    pub(crate) fn draw_random(draws: &mut Draws) -> Mlp {
        // Slopes of about 2 and shifts of about 1 put the bends of most units where a variable of
        // unit variance lives.
        let mut unit = || HiddenUnit {
            slope: 2.0 * draws.normal(),
            shift: draws.normal(),
            weight: draws.normal(),
        };
        Mlp {
            units: std::array::from_fn(|_| unit()),
        }
    }

    fn output_at(&self, x: f64) -> f64 {
        self.units
            .iter()
            .map(|unit| unit.weight * libm::tanh(unit.slope * x + unit.shift))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    #[test]
    fn an_even_mechanism_is_even_and_not_flat() {
        for seed in 0..50 {
            let even = Mechanism::EvenMlp(Mlp::draw_random(&mut Seed::new(seed).draws()));
            assert!((even.effect_of(0.7) - even.effect_of(-0.7)).abs() < 1e-12);
            let reach = (0..30).map(|i| even.effect_of(f64::from(i) * 0.1) - even.effect_of(0.0));
            assert!(
                reach.map(f64::abs).fold(0.0, f64::max) > 1e-3,
                "seed {seed}"
            );
        }
    }
}
