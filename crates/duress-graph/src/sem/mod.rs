//! Temporal structural equation models: a random graph, a mechanism per edge, and regimes that
//! change gain and offset and may intervene.
//!
//! Each variable remembers itself and hears its parents one step later, or (lag 0) within the step,
//!
//! > x_j(t) = a_j x_j(t−1) + Σ_i w_ij (f_ij(x_i(t−lag)) − c_ij) + s_j ε_j(t),
//!
//! and is seen through the gain and the offset its regime has for it. The weights are set so that
//! the parents together carry a stated share of the innovation variance (half by default: as much
//! as the noise), each parent an equal part of it, and every x_j has unit variance. Everything is
//! drawn once per model: mechanisms drawn anew per window would leave nothing to learn.

mod dag;
pub(crate) use dag::causes_first;
mod mechanism;

use duress_core::graph::Graph;
use duress_core::seed::{Draws, Seed};

use crate::spread::mean_and_deviation;

pub use mechanism::{Mechanism, Mlp};

duress_core::words! {
    /// Which mechanisms a model is made of.
    pub enum MechanismFamily {
        /// Each edge for itself: tanh with probability 0.5, a random network with 0.2, an even one
        /// with 0.3.
        Mix = "mix",
        Tanh = "tanh",
        Linear = "linear",
        Mlp = "mlp",
        /// All linear, and within the step: with Gaussian noise the direction cannot be told from
        /// the data.
        Instantaneous = "instantaneous",
    }
}

impl MechanismFamily {
    fn draw_mechanism(self, draws: &mut Draws) -> Mechanism {
        match self {
            MechanismFamily::Linear | MechanismFamily::Instantaneous => Mechanism::Linear,
            MechanismFamily::Mlp => Mechanism::Mlp(Mlp::draw_random(draws)),
            MechanismFamily::Tanh => Mechanism::tanh(draws),
            MechanismFamily::Mix => match draws.uniform() {
                u if u < 0.5 => Mechanism::tanh(draws),
                u if u < 0.7 => Mechanism::Mlp(Mlp::draw_random(draws)),
                _ => Mechanism::EvenMlp(Mlp::draw_random(draws)),
            },
        }
    }
}

duress_core::words! {
    /// How edges are spread over the variables.
    pub enum Wiring {
        /// Every set of edges is as likely as any other.
        ErdosRenyi = "erdos-renyi",
        /// Causes that have many effects get more.
        ScaleFree = "scale-free",
    }
}

duress_core::words! {
    /// When a parent is heard.
    pub enum Lag {
        /// One step later.
        One = "one",
        /// Within the step.
        Zero = "zero",
        /// Each edge for itself, either with probability a half.
        Mixed = "mixed",
    }
}

duress_core::words! {
    /// What regimes do to the model, beside how they show it. The first regime is left alone; each
    /// other one picks one to three variables.
    pub enum Intervention {
        /// Nothing.
        None = "none",
        /// Halves what the parents say and adds a constant from [−1, 1]: the edges stay.
        Soft = "soft",
        /// Sets the variable to a constant from [−1, 1] with noise of 0.1: the edges into it are
        /// cut.
        Hard = "hard",
    }
}

/// What a model is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SemRecipe {
    pub family: MechanismFamily,
    /// How many variables; at least 1.
    pub variables: usize,
    /// How many edges; at most one per pair of variables.
    pub edges: usize,
    /// How they are spread.
    pub wiring: Wiring,
    /// When parents are heard; [`MechanismFamily::Instantaneous`] hears them within the step.
    pub lag: Lag,
    /// The share of the innovation variance that parents carry.
    pub signal: f64,
    /// What regimes do to the model.
    pub intervention: Intervention,
    /// How many regimes; at least 1.
    pub regimes: usize,
    /// A regime multiplies a variable by a number uniform within this much of 1.
    pub gain: f64,
    /// The standard deviation of what a regime adds to a variable.
    pub offset: f64,
}

impl Default for SemRecipe {
    /// The dataset the project's figures are quoted on.
    fn default() -> SemRecipe {
        SemRecipe {
            family: MechanismFamily::Mix,
            variables: 13,
            edges: 18,
            wiring: Wiring::ErdosRenyi,
            lag: Lag::One,
            signal: 0.5,
            intervention: Intervention::None,
            regimes: 3,
            gain: 0.3,
            offset: 0.5,
        }
    }
}

/// A model: a graph with mechanisms, and regimes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sem {
    names: Vec<String>,
    /// Causes before effects: what acts within a step is simulated in the same pass.
    order: Vec<usize>,
    nodes: Vec<SemVariable>,
    regimes: Vec<Regime>,
}

/// How a regime shows each variable, and the constants it puts on some of them.
#[derive(Clone, Debug, PartialEq)]
struct Regime {
    views: Vec<RegimeView>,
    constants: Vec<Option<f64>>,
    intervention: Intervention,
}

#[derive(Clone, Debug, PartialEq)]
struct SemVariable {
    memory: f64,
    noise: f64,
    links: Vec<Link>,
}

/// One edge into a node.
#[derive(Clone, Debug, PartialEq)]
struct Link {
    from: usize,
    within: bool,
    mechanism: Mechanism,
    centre: f64,
    weight: f64,
}

/// How a regime shows a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RegimeView {
    gain: f64,
    offset: f64,
}

/// Steps simulated and thrown away before a window: the slowest memory is 0.8, and 0.8^60 is about
/// 1e-6.
const WARM_UP: usize = 60;

/// The standard deviation of a variable that a hard intervention sets.
const SET_NOISE: f64 = 0.1;

/// Steps of the pilot series on which weights are set.
const PILOT: usize = 20_000;

impl Sem {
    /// Draws a model.
    ///
    /// # Panics
    /// When the recipe has more edges than pairs, or no variable, or no regime: the caller checks.
    pub fn draw_model(recipe: &SemRecipe, seed: Seed) -> Sem {
        assert!(
            recipe.variables > 0 && recipe.regimes > 0,
            "a model has variables and regimes"
        );
        let draw = match recipe.wiring {
            Wiring::ErdosRenyi => dag::erdos_renyi,
            Wiring::ScaleFree => dag::scale_free,
        };
        let (order, edges) = draw(
            recipe.variables,
            recipe.edges,
            &mut seed.child("graph").draws(),
        );
        let names = (0..recipe.variables).map(|i| format!("x{i}")).collect();
        Sem::along(names, order, edges, recipe, seed)
    }

    /// Draws a model of a graph that is given: its variables and its edges stand instead of the recipe's.
    /// `None` where it closes a cycle.
    pub fn draw_model_of(graph: &Graph, recipe: &SemRecipe, seed: Seed) -> Option<Sem> {
        let edges: Vec<(usize, usize)> = graph
            .edges()
            .iter()
            .map(|&(from, to)| (from as usize, to as usize))
            .collect();
        let order = dag::causes_first(graph.variables().len(), &edges)?;
        let recipe = SemRecipe {
            variables: graph.variables().len(),
            edges: edges.len(),
            ..*recipe
        };
        let names = graph.variables().to_vec();
        Some(Sem::along(names, order, edges, &recipe, seed))
    }

    fn along(
        names: Vec<String>,
        order: Vec<usize>,
        edges: Vec<(usize, usize)>,
        recipe: &SemRecipe,
        seed: Seed,
    ) -> Sem {
        let mut memory = seed.child("memory").draws();
        let mut nodes: Vec<SemVariable> = (0..recipe.variables)
            .map(|_| SemVariable {
                memory: memory.between(0.4, 0.8),
                noise: 1.0,
                links: Vec::new(),
            })
            .collect();
        let mut mechanisms = seed.child("mechanisms").draws();
        let mut lags = seed.child("lags").draws();
        for (from, to) in edges {
            let within = match (recipe.family, recipe.lag) {
                (MechanismFamily::Instantaneous, _) | (_, Lag::Zero) => true,
                (_, Lag::One) => false,
                (_, Lag::Mixed) => lags.chance(0.5),
            };
            let mechanism = recipe.family.draw_mechanism(&mut mechanisms);
            let weight = if mechanisms.chance(0.5) { 1.0 } else { -1.0 };
            nodes[to].links.push(Link {
                from,
                within,
                mechanism,
                centre: 0.0,
                weight,
            });
        }
        calibrate(&order, &mut nodes, recipe.signal, seed.child("pilot"));
        Sem {
            names,
            order,
            nodes,
            regimes: regimes(recipe, seed),
        }
    }

    /// The same model of variables with other names.
    ///
    /// # Panics
    /// When there are not as many names as variables: the caller checks.
    pub fn named(mut self, names: &[String]) -> Sem {
        assert_eq!(names.len(), self.nodes.len(), "a name for each variable");
        self.names = names.to_vec();
        self
    }

    /// Who acts on whom, over variables called `x0`, `x1`, … unless they have names; a variable's
    /// memory of itself is no edge.
    pub fn graph(&self) -> Graph {
        let edges = self
            .mechanisms()
            .map(|(from, to, _)| (from as u32, to as u32));
        Graph::new(self.names.clone(), edges)
            .unwrap_or_else(|why| unreachable!("an order allows no self-loop: {why}"))
    }

    /// Who acts on whom in a regime: what a hard intervention sets hears nobody.
    pub fn graph_in(&self, regime: usize) -> Graph {
        let regime = &self.regimes[regime];
        let cut = |to: u32| {
            regime.intervention == Intervention::Hard && regime.constants[to as usize].is_some()
        };
        let whole = self.graph();
        let left = whole.edges().iter().copied().filter(|&(_, to)| !cut(to));
        Graph::new(whole.variables().to_vec(), left)
            .unwrap_or_else(|why| unreachable!("edges of a sound graph: {why}"))
    }

    pub fn variables(&self) -> usize {
        self.nodes.len()
    }

    /// The mechanism of each edge, as `(from, to, mechanism)`.
    pub fn mechanisms(&self) -> impl Iterator<Item = (usize, usize, &Mechanism)> {
        self.nodes.iter().enumerate().flat_map(|(to, node)| {
            node.links
                .iter()
                .map(move |link| (link.from, to, &link.mechanism))
        })
    }

    /// A window as `regime` shows it, step after step, from its own stretch of time: windows are
    /// independent.
    pub fn window(&self, regime: usize, steps: usize, seed: Seed) -> Vec<f64> {
        let d = self.nodes.len();
        let mut draws = seed.draws();
        let mut now = vec![0.0; d];
        let mut seen = Vec::with_capacity(steps * d);
        for step in 0..WARM_UP + steps {
            now = self.next_values(&now, &self.regimes[regime], &mut draws);
            if step >= WARM_UP {
                let views = &self.regimes[regime].views;
                seen.extend(
                    now.iter()
                        .zip(views)
                        .map(|(x, view)| view.gain * x + view.offset),
                );
            }
        }
        seen
    }

    fn next_values(&self, before: &[f64], regime: &Regime, draws: &mut Draws) -> Vec<f64> {
        let mut now = vec![0.0; before.len()];
        for &j in &self.order {
            let node = &self.nodes[j];
            let says = |link: &Link| {
                link.contribution(if link.within {
                    now[link.from]
                } else {
                    before[link.from]
                })
            };
            let heard: f64 = node.links.iter().map(says).sum();
            let noise = draws.normal();
            now[j] = match (regime.intervention, regime.constants[j]) {
                (Intervention::Hard, Some(constant)) => constant + SET_NOISE * noise,
                (Intervention::Soft, Some(constant)) => {
                    node.memory * before[j] + 0.5 * heard + constant + node.noise * noise
                }
                _ => node.memory * before[j] + heard + node.noise * noise,
            };
        }
        now
    }
}

impl Link {
    fn contribution(&self, x: f64) -> f64 {
        self.weight * (self.mechanism.effect_of(x) - self.centre)
    }
}

/// Sets weights and noise, causes before effects, on one long series.
fn calibrate(order: &[usize], nodes: &mut [SemVariable], signal: f64, seed: Seed) {
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); nodes.len()];
    for &j in order {
        let mut draws = seed.child(j.to_string()).draws();
        series[j] = nodes[j].calibrate(&series, signal, &mut draws);
    }
}

impl SemVariable {
    fn calibrate(&mut self, series: &[Vec<f64>], signal: f64, draws: &mut Draws) -> Vec<f64> {
        // What is heard at t acts on t + 1, so a parent within the step is read one step on.
        let mut heard = vec![0.0; PILOT];
        for link in &mut self.links {
            let ahead = usize::from(link.within);
            let from = |t: usize| series[link.from][(t + ahead).min(PILOT - 1)];
            let said: Vec<f64> = (0..PILOT)
                .map(|t| link.mechanism.effect_of(from(t)))
                .collect();
            let (mean, deviation) = mean_and_deviation(&said);
            (link.centre, link.weight) = (mean, link.weight / deviation);
            heard
                .iter_mut()
                .zip(&said)
                .for_each(|(sum, y)| *sum += link.weight * (y - mean));
        }
        let share = if self.links.is_empty() { 0.0 } else { signal };
        let loudness = if share == 0.0 {
            0.0
        } else {
            libm::sqrt(share) / mean_and_deviation(&heard).1
        };
        let noise = libm::sqrt(1.0 - share);
        let mut x = draws.normal();
        let mut own = Vec::with_capacity(PILOT);
        for before in &heard {
            own.push(x);
            x = self.memory * x + loudness * before + noise * draws.normal();
        }
        let scale = 1.0 / mean_and_deviation(&own[WARM_UP..]).1;
        self.noise = noise * scale;
        self.links
            .iter_mut()
            .for_each(|link| link.weight *= loudness * scale);
        own.iter_mut().for_each(|x| *x *= scale);
        own
    }
}

fn regimes(recipe: &SemRecipe, seed: Seed) -> Vec<Regime> {
    let mut draws = seed.child("regimes").draws();
    let mut constants = seed.child("interventions").draws();
    let mut view = || RegimeView {
        gain: 1.0 + draws.between(-recipe.gain, recipe.gain),
        offset: recipe.offset * draws.normal(),
    };
    let regime = |nth: usize| Regime {
        views: (0..recipe.variables).map(|_| view()).collect(),
        constants: match nth {
            0 => vec![None; recipe.variables],
            _ => intervene(recipe.variables, &mut constants),
        },
        intervention: recipe.intervention,
    };
    (0..recipe.regimes).map(regime).collect()
}

/// Constants for one to three variables.
fn intervene(variables: usize, draws: &mut Draws) -> Vec<Option<f64>> {
    let mut order: Vec<usize> = (0..variables).collect();
    draws.shuffle(&mut order);
    let mut constants = vec![None; variables];
    for &variable in &order[..(1 + draws.below(3)).min(variables)] {
        constants[variable] = Some(draws.between(-1.0, 1.0));
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long_series(family: MechanismFamily, seed: u64) -> (Sem, Vec<Vec<f64>>) {
        let sem = Sem::draw_model(
            &SemRecipe {
                family,
                gain: 0.0,
                offset: 0.0,
                ..SemRecipe::default()
            },
            Seed::new(seed),
        );
        let flat = sem.window(0, 20_000, Seed::new(seed).child("long"));
        let of = |j: usize| {
            flat.iter()
                .skip(j)
                .step_by(sem.variables())
                .copied()
                .collect()
        };
        let series = (0..sem.variables()).map(of).collect();
        (sem, series)
    }

    #[test]
    fn every_variable_has_unit_variance_and_no_mean() {
        for family in [
            MechanismFamily::Mix,
            MechanismFamily::Tanh,
            MechanismFamily::Linear,
            MechanismFamily::Mlp,
            MechanismFamily::Instantaneous,
        ] {
            let (_, series) = long_series(family, 2);
            for (mean, deviation) in series.iter().map(|values| mean_and_deviation(values)) {
                assert!(
                    mean.abs() < 0.15 && (deviation - 1.0).abs() < 0.1,
                    "{family:?} {mean} {deviation}"
                );
            }
        }
    }

    #[test]
    fn parents_carry_half_of_the_innovation_variance() {
        let (sem, series) = long_series(MechanismFamily::Mix, 3);
        for node in sem.nodes.iter().filter(|node| !node.links.is_empty()) {
            let heard = |t: usize| {
                node.links
                    .iter()
                    .map(|link| link.contribution(series[link.from][t]))
                    .sum::<f64>()
            };
            let (_, deviation) = mean_and_deviation(&(0..20_000).map(heard).collect::<Vec<_>>());
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
                counts[match MechanismFamily::Mix.draw_mechanism(&mut draws) {
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
        let sem = Sem::draw_model(&SemRecipe::default(), Seed::new(1));
        let (one, two) = (
            sem.window(0, 5, Seed::new(9)),
            sem.window(1, 5, Seed::new(9)),
        );
        for (at, (a, b)) in one.iter().zip(&two).enumerate() {
            let from = sem.regimes[0].views[at % 13];
            let to = sem.regimes[1].views[at % 13];
            assert!(((a - from.offset) / from.gain - (b - to.offset) / to.gain).abs() < 1e-12);
            assert!((0.7..=1.3).contains(&from.gain));
        }
    }

    #[test]
    fn a_hard_intervention_cuts_the_edges_into_what_it_sets_and_a_soft_one_cuts_none() {
        let draw = |intervention| {
            Sem::draw_model(
                &SemRecipe {
                    intervention,
                    ..SemRecipe::default()
                },
                Seed::new(4),
            )
        };
        let hard = draw(Intervention::Hard);
        let soft = draw(Intervention::Soft);
        assert_eq!(
            hard.graph_in(0),
            hard.graph(),
            "the first regime is left alone"
        );
        for regime in 1..3 {
            let set: Vec<usize> = (0..13)
                .filter(|&j| hard.regimes[regime].constants[j].is_some())
                .collect();
            assert!((1..=3).contains(&set.len()));
            let left = hard.graph_in(regime);
            assert!(
                hard.graph()
                    .edges()
                    .iter()
                    .all(|&(from, to)| left.has(from, to) != set.contains(&(to as usize)))
            );
            assert_eq!(soft.graph_in(regime), soft.graph());
            let flat = hard.window(regime, 400, Seed::new(2));
            for &j in &set {
                let series: Vec<f64> = flat.iter().skip(j).step_by(13).copied().collect();
                assert!(
                    mean_and_deviation(&series).1 < 0.15,
                    "what is set does not move"
                );
            }
        }
    }

    #[test]
    fn what_acts_within_a_step_is_heard_in_it() {
        let recipe = SemRecipe {
            family: MechanismFamily::Instantaneous,
            gain: 0.0,
            offset: 0.0,
            ..SemRecipe::default()
        };
        let sem = Sem::draw_model(&recipe, Seed::new(6));
        let flat = sem.window(0, 4000, Seed::new(7));
        let at = |t: usize, j: usize| flat[t * 13 + j];
        for (j, node) in sem.nodes.iter().enumerate() {
            let heard = |t: usize| {
                node.links
                    .iter()
                    .map(|link| link.contribution(at(t, link.from)))
                    .sum::<f64>()
            };
            let rest: Vec<f64> = (1..4000)
                .map(|t| at(t, j) - node.memory * at(t - 1, j) - heard(t))
                .collect();
            assert!(
                (mean_and_deviation(&rest).1 / node.noise - 1.0).abs() < 0.05,
                "what is left is the noise"
            );
        }
        assert!(sem.mechanisms().count() == 18);
    }

    #[test]
    fn a_model_is_drawn_once_and_a_window_does_not_depend_on_the_others() {
        let sem = Sem::draw_model(&SemRecipe::default(), Seed::new(1));
        assert_eq!(sem, Sem::draw_model(&SemRecipe::default(), Seed::new(1)));
        assert_ne!(sem, Sem::draw_model(&SemRecipe::default(), Seed::new(2)));
        assert_eq!(sem.graph().edges().len(), 18);
        assert_eq!(
            sem.window(2, 24, Seed::new(5)),
            sem.window(2, 24, Seed::new(5))
        );
        assert_eq!(
            sem.window(2, 3, Seed::new(5))[..],
            sem.window(2, 24, Seed::new(5))[..39]
        );
    }
}
