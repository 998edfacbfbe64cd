//! Lorenz-96: variables on a circle, each driven by its neighbours, chaotic for a force of 8 and more
//! (Lorenz, "Predictability: a problem partly solved", ECMWF 1996).
//!
//! dx_i/dt = (x_{i+1} − x_{i−2}) x_{i−1} − x_i + force. Who acts on whom is known and closes cycles.

use duress_core::graph::Graph;
use duress_core::seed::Seed;

/// Time of one step of the Runge–Kutta method.
const TICK: f64 = 0.01;

/// Time before a window begins: by then it is on the attractor.
const WARM_UP: f64 = 10.0;

/// The system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lorenz96 {
    /// How many variables there are: at least four, so that a variable and its neighbours differ.
    pub variables: usize,
    pub force: f64,
    /// Time between two steps of a window.
    pub interval: f64,
}

impl Lorenz96 {
    /// Who acts on whom: the next one and the two before.
    pub fn graph(&self) -> Graph {
        let d = self.variables;
        let names = (0..d).map(|i| format!("x{i}")).collect();
        let into =
            |i: usize| [i + 1, i + d - 1, i + d - 2].map(|from| ((from % d) as u32, i as u32));
        Graph::new(names, (0..d).flat_map(into))
            .unwrap_or_else(|why| unreachable!("neighbours are other variables: {why}"))
    }

    /// A window of `steps` steps, step by step, from a start of its own.
    pub fn window(&self, steps: usize, seed: Seed) -> Vec<f64> {
        let mut draws = seed.draws();
        let mut x: Vec<f64> = (0..self.variables)
            .map(|_| self.force + draws.normal())
            .collect();
        self.go_on(&mut x, WARM_UP);
        let mut values = Vec::with_capacity(steps * self.variables);
        for _ in 0..steps {
            values.extend(&x);
            self.go_on(&mut x, self.interval);
        }
        values
    }

    fn go_on(&self, x: &mut [f64], time: f64) {
        let ticks = (time / TICK).ceil().max(1.0);
        let tick = time / ticks;
        for _ in 0..ticks as usize {
            let along = |by: &[f64], share: f64| -> Vec<f64> {
                x.iter()
                    .zip(by)
                    .map(|(x, k)| x + share * tick * k)
                    .collect()
            };
            let first = self.slope(x);
            let second = self.slope(&along(&first, 0.5));
            let third = self.slope(&along(&second, 0.5));
            let fourth = self.slope(&along(&third, 1.0));
            for i in 0..x.len() {
                let mean = (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]) / 6.0;
                x[i] += tick * mean;
            }
        }
    }

    fn slope(&self, x: &[f64]) -> Vec<f64> {
        let d = x.len();
        (0..d)
            .map(|i| (x[(i + 1) % d] - x[(i + d - 2) % d]) * x[(i + d - 1) % d] - x[i] + self.force)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weak_force_comes_to_rest_and_a_strong_one_does_not() {
        let system = |force: f64| Lorenz96 {
            variables: 8,
            force,
            interval: 1.0,
        };
        let rest = system(0.5).window(30, Seed::new(1));
        assert!(
            rest[8 * 29..].iter().all(|x| (x - 0.5).abs() < 1e-3),
            "{rest:?}"
        );
        let chaos = system(10.0).window(30, Seed::new(1));
        let mean = chaos.iter().sum::<f64>() / chaos.len() as f64;
        let square = chaos.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        assert!(square / chaos.len() as f64 > 5.0);
        assert!(chaos.iter().all(|x| x.abs() < 30.0));
    }

    #[test]
    fn every_variable_has_three_causes_and_both_ends_of_the_circle_meet() {
        let graph = Lorenz96 {
            variables: 5,
            force: 8.0,
            interval: 0.1,
        }
        .graph();
        assert_eq!(graph.edges().len(), 15);
        assert!(graph.has(1, 0) && graph.has(4, 0) && graph.has(3, 0) && !graph.has(2, 0));
    }
}
