//! Temporal structural equation models: a random graph, a mechanism per edge, and regimes that change gain and offset.
//!
//! Each variable remembers itself and hears its parents one step later,
//!
//! > x_j(t) = a_j x_j(t−1) + Σ_i w_ij (f_ij(x_i(t−1)) − c_ij) + s_j ε_j(t),
//!
//! and is seen through the gain and the offset its regime has for it. The weights are set so that the parents together have as
//! much variance as the noise ("half of the innovation variance"), each parent an equal part of it, and every x_j has unit
//! variance. Everything is drawn once per model: mechanisms drawn anew per window would leave nothing to learn.

mod dag;
mod mechanism;

use duress_core::graph::Graph;
use duress_core::seed::{Draws, Seed};

pub use mechanism::{Mechanism, Mlp};

/// Which mechanisms a model is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Each edge for itself: tanh with probability 0.5, a random network with 0.2, an even one with 0.3.
    Mix,
    /// All tanh.
    Tanh,
    /// All linear.
    Linear,
}

impl Family {
    /// The names a study uses.
    pub const NAMES: &'static [&'static str] = &["mix", "tanh", "linear"];

    /// The family of this name.
    pub fn named(name: &str) -> Option<Family> {
        match name {
            "mix" => Some(Family::Mix),
            "tanh" => Some(Family::Tanh),
            "linear" => Some(Family::Linear),
            _ => None,
        }
    }

    fn draw(self, draws: &mut Draws) -> Mechanism {
        match self {
            Family::Linear => Mechanism::Linear,
            Family::Tanh => Mechanism::tanh(draws),
            Family::Mix => match draws.uniform() {
                u if u < 0.5 => Mechanism::tanh(draws),
                u if u < 0.7 => Mechanism::Mlp(Mlp::draw(draws)),
                _ => Mechanism::EvenMlp(Mlp::draw(draws)),
            },
        }
    }
}

/// What a model is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The mechanisms.
    pub family: Family,
    /// How many variables; at least 1.
    pub variables: usize,
    /// How many edges; at most one per pair of variables.
    pub edges: usize,
    /// How many regimes; at least 1.
    pub regimes: usize,
    /// A regime multiplies a variable by a number uniform within this much of 1.
    pub gain: f64,
    /// The standard deviation of what a regime adds to a variable.
    pub offset: f64,
}

impl Default for Recipe {
    /// The dataset the project's figures are quoted on.
    fn default() -> Recipe {
        Recipe { family: Family::Mix, variables: 13, edges: 18, regimes: 3, gain: 0.3, offset: 0.5 }
    }
}

/// A model: a graph with mechanisms, and regimes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sem {
    /// Causes before effects, so that a family with effects within a step could be simulated in the same pass.
    order: Vec<usize>,
    nodes: Vec<Node>,
    regimes: Vec<Vec<View>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    memory: f64,
    noise: f64,
    links: Vec<Link>,
}

/// One edge into a node.
#[derive(Clone, Debug, PartialEq)]
struct Link {
    from: usize,
    mechanism: Mechanism,
    centre: f64,
    weight: f64,
}

/// How a regime shows a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
struct View {
    gain: f64,
    offset: f64,
}

/// Steps simulated and thrown away before a window: the slowest memory is 0.8, and 0.8^60 is about 1e-6.
const WARM_UP: usize = 60;

/// Steps of the pilot series on which weights are set.
const PILOT: usize = 20_000;

impl Sem {
    /// Draws a model.
    ///
    /// # Panics
    /// When the recipe has more edges than pairs, or no variable, or no regime: the caller checks.
    pub fn draw(recipe: &Recipe, seed: Seed) -> Sem {
        assert!(recipe.variables > 0 && recipe.regimes > 0, "a model has variables and regimes");
        let (order, edges) =
            dag::erdos_renyi(recipe.variables, recipe.edges, &mut seed.child("graph").draws());
        let mut memory = seed.child("memory").draws();
        let mut nodes: Vec<Node> = (0..recipe.variables)
            .map(|_| Node { memory: memory.between(0.4, 0.8), noise: 1.0, links: Vec::new() })
            .collect();
        let mut mechanisms = seed.child("mechanisms").draws();
        for (from, to) in edges {
            let mechanism = recipe.family.draw(&mut mechanisms);
            let weight = if mechanisms.chance(0.5) { 1.0 } else { -1.0 };
            nodes[to].links.push(Link { from, mechanism, centre: 0.0, weight });
        }
        calibrate(&order, &mut nodes, seed.child("pilot"));
        Sem { order, nodes, regimes: regimes(recipe, seed.child("regimes")) }
    }

    /// Who acts on whom, over variables called `x0`, `x1`, …; a variable's memory of itself is no edge.
    pub fn graph(&self) -> Graph {
        let names = (0..self.nodes.len()).map(|i| format!("x{i}")).collect();
        let edges = self.mechanisms().map(|(from, to, _)| (from as u32, to as u32));
        Graph::new(names, edges).unwrap_or_else(|why| unreachable!("an order allows no self-loop: {why}"))
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.nodes.len()
    }

    /// The mechanism of each edge, as `(from, to, mechanism)`.
    pub fn mechanisms(&self) -> impl Iterator<Item = (usize, usize, &Mechanism)> {
        self.nodes
            .iter()
            .enumerate()
            .flat_map(|(to, node)| node.links.iter().map(move |link| (link.from, to, &link.mechanism)))
    }

    /// A window as `regime` shows it, step after step, from its own stretch of time: windows are independent.
    pub fn window(&self, regime: usize, steps: usize, seed: Seed) -> Vec<f64> {
        let d = self.nodes.len();
        let mut draws = seed.draws();
        let mut now = vec![0.0; d];
        let mut seen = Vec::with_capacity(steps * d);
        for step in 0..WARM_UP + steps {
            now = self.step(&now, &mut draws);
            if step >= WARM_UP {
                let views = &self.regimes[regime];
                seen.extend(now.iter().zip(views).map(|(x, view)| view.gain * x + view.offset));
            }
        }
        seen
    }

    fn step(&self, before: &[f64], draws: &mut Draws) -> Vec<f64> {
        let mut now = vec![0.0; before.len()];
        for &j in &self.order {
            let node = &self.nodes[j];
            let heard: f64 = node.links.iter().map(|link| link.says(before[link.from])).sum();
            now[j] = node.memory * before[j] + heard + node.noise * draws.normal();
        }
        now
    }
}

impl Link {
    fn says(&self, x: f64) -> f64 {
        self.weight * (self.mechanism.at(x) - self.centre)
    }
}

/// Sets weights and noise, causes before effects, on one long series.
fn calibrate(order: &[usize], nodes: &mut [Node], seed: Seed) {
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); nodes.len()];
    for &j in order {
        let mut draws = seed.child(j.to_string()).draws();
        series[j] = nodes[j].calibrate(&series, &mut draws);
    }
}

impl Node {
    fn calibrate(&mut self, series: &[Vec<f64>], draws: &mut Draws) -> Vec<f64> {
        let mut heard = vec![0.0; PILOT];
        for link in &mut self.links {
            let said: Vec<f64> = series[link.from].iter().map(|&x| link.mechanism.at(x)).collect();
            let (mean, deviation) = spread(&said);
            (link.centre, link.weight) = (mean, link.weight / deviation);
            heard.iter_mut().zip(&said).for_each(|(sum, y)| *sum += link.weight * (y - mean));
        }
        let half = if self.links.is_empty() { 0.0 } else { 0.5_f64 };
        let loudness = if self.links.is_empty() { 0.0 } else { libm::sqrt(half) / spread(&heard).1 };
        let noise = libm::sqrt(1.0 - half);
        let mut x = draws.normal();
        let mut own = Vec::with_capacity(PILOT);
        for before in &heard {
            own.push(x);
            x = self.memory * x + loudness * before + noise * draws.normal();
        }
        let scale = 1.0 / spread(&own[WARM_UP..]).1;
        self.noise = noise * scale;
        self.links.iter_mut().for_each(|link| link.weight *= loudness * scale);
        own.iter_mut().for_each(|x| *x *= scale);
        own
    }
}

fn regimes(recipe: &Recipe, seed: Seed) -> Vec<Vec<View>> {
    let mut draws = seed.draws();
    let mut view = || View {
        gain: 1.0 + draws.between(-recipe.gain, recipe.gain),
        offset: recipe.offset * draws.normal(),
    };
    (0..recipe.regimes).map(|_| (0..recipe.variables).map(|_| view()).collect()).collect()
}

/// Mean and standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, libm::sqrt(values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_series(family: Family, seed: u64) -> (Sem, Vec<Vec<f64>>) {
        let sem = Sem::draw(&Recipe { family, gain: 0.0, offset: 0.0, ..Recipe::default() }, Seed::new(seed));
        let flat = sem.window(0, 20_000, Seed::new(seed).child("long"));
        let of = |j: usize| flat.iter().skip(j).step_by(sem.variables()).copied().collect();
        let series = (0..sem.variables()).map(of).collect();
        (sem, series)
    }

    #[test]
    fn every_variable_has_unit_variance_and_no_mean() {
        for family in [Family::Mix, Family::Tanh, Family::Linear] {
            let (_, series) = long_series(family, 2);
            for (mean, deviation) in series.iter().map(|values| spread(values)) {
                assert!(mean.abs() < 0.15 && (deviation - 1.0).abs() < 0.1, "{family:?} {mean} {deviation}");
            }
        }
    }

    #[test]
    fn parents_carry_half_of_the_innovation_variance() {
        let (sem, series) = long_series(Family::Mix, 3);
        for node in sem.nodes.iter().filter(|node| !node.links.is_empty()) {
            let heard = |t: usize| node.links.iter().map(|link| link.says(series[link.from][t])).sum::<f64>();
            let (_, deviation) = spread(&(0..20_000).map(heard).collect::<Vec<_>>());
            let share = deviation.powi(2) / (deviation.powi(2) + node.noise.powi(2));
            assert!((share - 0.5).abs() < 0.05, "{share}");
        }
    }

    #[test]
    fn the_mix_has_its_mechanisms_in_the_stated_shares() {
        let mut counts = [0.0_f64; 3];
        for seed in 0..100 {
            let mut draws = Seed::new(seed).child("mechanisms").draws();
            for _ in 0..20 {
                counts[match Family::Mix.draw(&mut draws) {
                    Mechanism::Tanh { .. } => 0,
                    Mechanism::Mlp(_) => 1,
                    Mechanism::EvenMlp(_) => 2,
                    Mechanism::Linear => unreachable!("no edge of the mix is linear"),
                }] += 1.0 / 2000.0;
            }
        }
        for (count, share) in counts.iter().zip([0.5, 0.2, 0.3]) {
            assert!((count - share).abs() < 0.04, "{counts:?}");
        }
    }

    #[test]
    fn a_regime_changes_gain_and_offset_and_nothing_else() {
        let sem = Sem::draw(&Recipe::default(), Seed::new(1));
        let (one, two) = (sem.window(0, 5, Seed::new(9)), sem.window(1, 5, Seed::new(9)));
        for (at, (a, b)) in one.iter().zip(&two).enumerate() {
            let (from, to) = (sem.regimes[0][at % 13], sem.regimes[1][at % 13]);
            assert!(((a - from.offset) / from.gain - (b - to.offset) / to.gain).abs() < 1e-12);
            assert!((0.7..=1.3).contains(&from.gain));
        }
    }

    #[test]
    fn a_model_is_drawn_once_and_a_window_does_not_depend_on_the_others() {
        let sem = Sem::draw(&Recipe::default(), Seed::new(1));
        assert_eq!(sem, Sem::draw(&Recipe::default(), Seed::new(1)));
        assert_ne!(sem, Sem::draw(&Recipe::default(), Seed::new(2)));
        assert_eq!(sem.graph().edges().len(), 18);
        assert_eq!(sem.window(2, 24, Seed::new(5)), sem.window(2, 24, Seed::new(5)));
        assert_eq!(sem.window(2, 3, Seed::new(5))[..], sem.window(2, 24, Seed::new(5))[..39]);
    }
}
