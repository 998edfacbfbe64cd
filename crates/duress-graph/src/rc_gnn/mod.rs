//! RC-GNN: messages between hidden states that are seen through noise, bias and gaps.
//!
//! Three pathways lead from a state to what is seen of it: the *signal*, a state of unit variance that
//! remembers itself and hears others; the *bias*, a median and a scale per variable and regime; the
//! *noise*, a mixture of widths. What is hidden is not seen, and that is all the model makes of it. The
//! graph is who hears whom: a message is a curve of the sender's state one step before, and states are
//! followed by a filter that keeps their covariances (`filter.rs`). From round to round, messages that
//! were heard on windows they were not learnt from (`evidence.rs`) are passed on, so that states are
//! known better, so that messages are heard better. What was heard becomes probabilities, and those a
//! graph (`edges.rs`).

mod edges;
mod evidence;
mod filter;
mod gaps;
mod messages;
mod regimes;
mod sensor;
mod series;
mod simulate;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::Seed;
use duress_core::subject::Failure;
use serde::{Deserialize, Serialize};

use crate::matrix::{Square, add_times};
use crate::rc_gnn::edges::{null_spread, probabilities, strongest, within_share};
use crate::rc_gnn::evidence::{Dealt, FOLDS, Loudness, TargetSums, basis_weights, quick_look};
use crate::rc_gnn::filter::{FilterPass, Readout, filter_windows};
use crate::rc_gnn::messages::{BASIS, BasisWeights, MessageGraph, StateMessage};
use crate::rc_gnn::regimes::{deltas, heard_in, invariant_score};
use crate::rc_gnn::sensor::{NoiseShape, Sensor, improve_sensors, learn_sensors};
use crate::rc_gnn::series::RobustSeries;
use crate::select::graph;

/// Beyond this many, only the most promising sources of a target are regressed on together.
const MOST_SOURCES: usize = 25;

/// Messages heard less surely than this, in spreads of the null, are not passed on; from there to
/// the second number they are let in little by little.
const GATE: (f64, f64) = (1.5, 2.5);

/// How much of a new message replaces the old one: taken whole, they swing from round to round.
const DAMPING: f64 = 0.6;

/// The innovation variance stays between these: the state has unit variance.
const INNOVATION: (f64, f64) = (0.05, 1.5);

/// From this round on scores count: by then messages have come to stay.
const SETTLED: usize = 2;

duress_core::words! {
    /// What the noise of a sensor may look like.
    pub enum NoiseModel {
        /// A mixture of widths whose shares depend on how far out the signal is.
        Levels = "levels",
        /// A mixture of widths, the same everywhere.
        Mixed = "mixed",
        /// One width.
        Plain = "plain",
    }
}

duress_core::words! {
    /// What messages are made of.
    pub enum MessageShape {
        /// The first four Hermite polynomials.
        Quartic = "quartic",
        /// The first three.
        Cubic = "cubic",
        /// A line.
        Linear = "linear",
    }
}

/// The model's parts, each of which can be switched off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RcGnn {
    /// The noise pathway.
    pub noise: NoiseModel,
    /// The bias pathway: each regime on its own scale, or all on one.
    pub bias: bool,
    pub shape: MessageShape,
    /// Whether the filter keeps covariances between variables.
    pub covariance: bool,
    /// Whether sensors are learnt again in the light of messages: a variable that hears others does
    /// not forget as one alone does, and its noise looks smaller than it is.
    pub sensors_again: bool,
    /// How often messages are passed on and learnt again; 0 passes none.
    pub rounds: usize,
    /// Whether messages may be louder in one regime than in another.
    pub deltas: bool,
    /// Whether a message that is not the same in all regimes counts less.
    pub invariance: bool,
    /// Whether edges may close cycles.
    pub feedback: bool,
    /// Whether that a value is hidden says something about it, and so about edges.
    pub gaps: bool,
    /// The share of the chosen edges that may be false.
    pub false_share: f64,
}

impl Default for RcGnn {
    fn default() -> RcGnn {
        RcGnn {
            noise: NoiseModel::Levels,
            bias: true,
            shape: MessageShape::Cubic,
            covariance: true,
            sensors_again: true,
            rounds: 4,
            deltas: true,
            invariance: false,
            feedback: false,
            gaps: false,
            false_share: 0.1,
        }
    }
}

/// How far a fit has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitProgress {
    pub round: usize,
    pub rounds: usize,
    /// The mean negative log-likelihood of a reading given those before it, held out.
    pub loss: f64,
    /// What is left, if the rounds to come take as long as those since the start.
    pub left: Duration,
}

/// What a fit has come to between rounds: enough to go on from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitState {
    /// The messages learnt without each fold.
    graphs: Vec<MessageGraph>,
    /// Per target the sources that are regressed on.
    candidates: Vec<Vec<usize>>,
    history: Vec<RoundScores>,
    sensors: Vec<Sensor>,
}

/// What one round heard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RoundScores {
    z: Square,
    /// Per variable, the held-out log-likelihood of its readings.
    evidence: Vec<f64>,
}

/// A fitted model.
#[derive(Debug)]
pub struct RcGnnFit {
    /// The graph; the scores are in spreads of the null.
    pub answer: GraphAnswer,
    /// The probability that each ordered pair, from × to, is an edge.
    pub probabilities: Square,
    /// How strong each message is: the standard deviation of what it says, in that of the hearer.
    pub strengths: Square,
    /// The graph of each regime: the edges that are heard in it.
    pub by_regime: Vec<(u32, Graph)>,
    /// How each variable's expected state (row) goes with gaps of each variable (column), in standard
    /// errors: why values are missing. No edge is learnt from it.
    pub gap_reasons: Square,
    /// The held-out loss of each round.
    pub losses: Vec<f64>,
    series: RobustSeries,
    sensors: Vec<Sensor>,
    messages: MessageGraph,
}

impl RcGnnFit {
    /// Windows from the fitted model: as many, in the same regimes, with the same gaps.
    pub fn simulate(&self, seed: Seed) -> Result<Windows, Failure> {
        simulate::simulate_windows(&self.series, &self.sensors, &self.messages, seed)
    }
}

impl RcGnn {
    /// Learns a graph from windows.
    pub fn fit(
        &self,
        windows: &Windows,
        seed: Seed,
        progress: &mut dyn FnMut(FitProgress, &FitState),
    ) -> Result<RcGnnFit, Failure> {
        self.resume(windows, seed, None, progress)
    }

    /// Goes on from where a fit with the same windows, seed and settings had come to.
    pub fn resume(
        &self,
        windows: &Windows,
        seed: Seed,
        from: Option<FitState>,
        progress: &mut dyn FnMut(FitProgress, &FitState),
    ) -> Result<RcGnnFit, Failure> {
        let started = Instant::now();
        let series = RobustSeries::read(windows, self.bias)?;
        enough_transitions(windows)?;
        let dealt = deal(&series, seed);
        let mut state = from.unwrap_or_else(|| self.start(&series));
        let first = state.history.len().min(self.rounds);
        state.history.truncate(first);
        let mut losses = Vec::new();
        for round in first..=self.rounds {
            let readout = Readout::new(&series, &state.sensors, self.gaps);
            let pass = filter_windows(&readout, self.covariance, |w| &state.graphs[dealt.fold[w]]);
            let heard = self
                .listen(&mut state, &pass, &dealt)
                .ok_or_else(unlearnable)?;
            state.history.push(RoundScores {
                z: heard.z.clone(),
                evidence: pass.evidence.clone(),
            });
            losses.push(pass.loss());
            if round == self.rounds {
                let reasons = gaps::reasons(&pass);
                return Ok(self.finish(state, &heard, reasons, losses, series));
            }
            self.speak(&mut state, &pass, &heard)
                .ok_or_else(unlearnable)?;
            if self.sensors_again {
                improve_sensors(&mut state.sensors, &pass.sensors, self.noise_shape());
            }
            let ahead = (self.rounds - round) as f64 / (round + 1 - first) as f64;
            let told = FitProgress {
                round,
                rounds: self.rounds,
                loss: pass.loss(),
                left: started.elapsed().mul_f64(ahead),
            };
            progress(told, &state);
        }
        unreachable!("the last round returns")
    }

    /// Before anything is heard.
    fn start(&self, series: &RobustSeries) -> FitState {
        let sensors = learn_sensors(series, self.noise_shape());
        FitState {
            graphs: vec![silent_graph(&sensors, series.regimes.len()); FOLDS],
            candidates: Vec::new(),
            history: Vec::new(),
            sensors,
        }
    }

    fn noise_shape(&self) -> NoiseShape {
        NoiseShape {
            mixed: self.noise != NoiseModel::Plain,
            by_level: self.noise == NoiseModel::Levels,
        }
    }

    fn functions(&self) -> usize {
        match self.shape {
            MessageShape::Quartic => BASIS,
            MessageShape::Cubic => BASIS - 1,
            MessageShape::Linear => 1,
        }
    }

    /// How loudly every message is heard.
    fn listen(&self, state: &mut FitState, pass: &FilterPass, dealt: &Dealt) -> Option<Heard> {
        let d = pass.width;
        let functions = self.functions();
        if state.candidates.is_empty() {
            state.candidates = (0..d).map(|to| candidates(pass, to, functions)).collect();
        }
        let mut heard = Heard {
            sums: Vec::with_capacity(d),
            loudness: Vec::with_capacity(d),
            z: Square::zeros(d),
        };
        for to in 0..d {
            let sums = TargetSums::of(pass, to, state.candidates[to].clone(), functions, dealt);
            let loudness = sums.loudness(pass, to, dealt)?;
            for (&from, one) in sums.sources.iter().zip(&loudness) {
                heard.z[(from, to)] = if self.invariance {
                    invariant_score(one)
                } else {
                    one.z
                };
            }
            heard.sums.push(sums);
            heard.loudness.push(loudness);
        }
        Some(heard)
    }

    /// Learns the messages that were heard, for the next round.
    fn speak(&self, state: &mut FitState, pass: &FilterPass, heard: &Heard) -> Option<()> {
        let spread = null_spread(&state.pairs(&heard.z));
        let chosen = strongest(&heard.z, GATE.0 * spread, self.feedback);
        let louder = self.deltas_of(&chosen, heard);
        for (to, sums) in heard.sums.iter().enumerate() {
            let kept: Vec<usize> = (0..sums.sources.len())
                .filter(|&s| sums.sources[s] == to || chosen.contains(&(sums.sources[s], to)))
                .collect();
            let gate = |from: usize| match from == to {
                true => 1.0,
                false => {
                    let above = heard.z[(from, to)] / spread;
                    ((above - GATE.0) / (GATE.1 - GATE.0)).clamp(0.0, 1.0)
                }
            };
            for fold in 0..FOLDS {
                let fitted = sums.solve(Some(fold), &kept)?;
                let message = |(nth, &s): (usize, &usize)| {
                    let from = sums.sources[s];
                    let weights = basis_weights(&fitted, nth, sums.functions);
                    let at = chosen.iter().position(|pair| *pair == (from, to));
                    StateMessage {
                        from,
                        weights: weights.map(|w| gate(from) * w),
                        deltas: at
                            .map_or_else(|| vec![0.0; heard.regimes()], |at| louder[at].clone()),
                    }
                };
                let new: Vec<StateMessage> = kept.iter().enumerate().map(message).collect();
                state.graphs[fold].move_towards(to, fitted[0], new, pass.innovation[to]);
            }
        }
        Some(())
    }

    /// How much louder each chosen message is in each regime.
    fn deltas_of(&self, chosen: &[(usize, usize)], heard: &Heard) -> Vec<Vec<f64>> {
        let of: Vec<&Loudness> = chosen.iter().map(|&pair| heard.loudness_of(pair)).collect();
        match self.deltas {
            true => deltas(&of),
            false => of
                .iter()
                .map(|one| vec![0.0; one.by_regime.len()])
                .collect(),
        }
    }

    fn finish(
        &self,
        state: FitState,
        heard: &Heard,
        gap_reasons: Square,
        losses: Vec<f64>,
        series: RobustSeries,
    ) -> RcGnnFit {
        let d = series.width();
        let z = state.scores();
        let spread = null_spread(&state.pairs(&z));
        let mut probability = Square::zeros(d);
        let pairs = state.candidate_pairs();
        let found = probabilities(&pairs.iter().map(|&p| z[p] / spread).collect::<Vec<f64>>());
        pairs
            .iter()
            .zip(found)
            .for_each(|(&pair, p)| probability[pair] = p);
        let chosen = within_share(&probability, &z, self.false_share, self.feedback);
        let messages = mean_graph(&state.graphs);
        let in_regime = |(r, name): (usize, &u32)| {
            let there = |pair: &&(usize, usize)| heard_in(heard.loudness_of(**pair), r);
            let edges: Vec<(usize, usize)> = chosen.iter().filter(there).copied().collect();
            (*name, graph(&series.variables, &edges))
        };
        let off_diagonal = |at: usize| if at / d == at % d { 0.0 } else { 1.0 };
        let score = |at: usize| off_diagonal(at) * z.cells()[at].max(0.0) / spread;
        RcGnnFit {
            answer: GraphAnswer {
                graph: graph(&series.variables, &chosen),
                scores: (0..d * d).map(score).collect(),
                rule: format!(
                    "at most {} expected to be false by the probability of each pair, from messages \
                     heard on windows they were not learnt from, null spread {spread:.2}{}",
                    self.false_share,
                    if self.feedback {
                        ""
                    } else {
                        ", strongest first, none that closes a cycle"
                    }
                ),
            },
            probabilities: probability,
            strengths: messages.strengths(),
            by_regime: series.regimes.iter().enumerate().map(in_regime).collect(),
            gap_reasons,
            losses,
            series,
            sensors: state.sensors,
            messages,
        }
    }
}

/// Fewer transitions per variable than this fit anything.
const TRANSITIONS_PER_VARIABLE: usize = 2;

fn enough_transitions(windows: &Windows) -> Result<(), Failure> {
    let variables = windows.variables().len();
    let transitions = windows.len() * windows.steps().saturating_sub(1);
    match transitions < TRANSITIONS_PER_VARIABLE * variables {
        true => Err(Failure::unable(format!(
            "{transitions} transitions are too few to learn how {variables} variables move"
        ))),
        false => Ok(()),
    }
}

fn unlearnable() -> Failure {
    Failure::unable("the variables cannot be told apart: their moments have no inverse")
}

fn deal(series: &RobustSeries, seed: Seed) -> Dealt {
    let mut order: Vec<usize> = (0..series.windows()).collect();
    seed.child("folds").draws().shuffle(&mut order);
    Dealt::new(&series.regime, series.regimes.len(), &order)
}

/// What was heard in a round.
struct Heard {
    sums: Vec<TargetSums>,
    /// Per target, of each of its sources.
    loudness: Vec<Vec<Loudness>>,
    z: Square,
}

impl Heard {
    fn loudness_of(&self, (from, to): (usize, usize)) -> &Loudness {
        let at = self.sums[to]
            .sources
            .iter()
            .position(|source| *source == from);
        &self.loudness[to][at.unwrap_or_else(|| unreachable!("only candidates are heard"))]
    }

    fn regimes(&self) -> usize {
        self.loudness[0][0].by_regime.len()
    }
}

impl FitState {
    fn candidate_pairs(&self) -> Vec<(usize, usize)> {
        let of = |(to, sources): (usize, &Vec<usize>)| {
            let others = sources.iter().filter(move |from| **from != to);
            others.map(move |from| (*from, to)).collect::<Vec<_>>()
        };
        self.candidates.iter().enumerate().flat_map(of).collect()
    }

    /// The scores of all candidate pairs.
    fn pairs(&self, z: &Square) -> Vec<f64> {
        self.candidate_pairs()
            .into_iter()
            .map(|pair| z[pair])
            .collect()
    }

    /// Each target's scores: the mean over the settled rounds that foretell its readings better than
    /// silence does, or those of silence. Single rounds swing, and where little is seen messages can
    /// do harm.
    fn scores(&self) -> Square {
        let d = self.candidates.len();
        let mut scores = Square::zeros(d);
        for to in 0..d {
            let better = |round: &&RoundScores| round.evidence[to] > self.history[0].evidence[to];
            let mut counted: Vec<&RoundScores> =
                self.history.iter().skip(SETTLED).filter(better).collect();
            if counted.is_empty() {
                counted.push(&self.history[0]);
            }
            let share = 1.0 / counted.len() as f64;
            for (from, round) in (0..d).flat_map(|from| counted.iter().map(move |r| (from, r))) {
                scores[(from, to)] += share * round.z[(from, to)];
            }
        }
        scores
    }
}

/// Every variable hears itself only.
fn silent_graph(sensors: &[Sensor], regimes: usize) -> MessageGraph {
    let own = |(v, sensor): (usize, &Sensor)| {
        let mut weights = [0.0; BASIS];
        weights[0] = sensor.memory;
        vec![StateMessage {
            from: v,
            weights,
            deltas: vec![0.0; regimes],
        }]
    };
    MessageGraph {
        into: sensors.iter().enumerate().map(own).collect(),
        base: vec![0.0; sensors.len()],
        innovation: sensors.iter().map(|s| 1.0 - s.memory * s.memory).collect(),
    }
}

/// The mean of the messages learnt without each fold.
fn mean_graph(graphs: &[MessageGraph]) -> MessageGraph {
    let share = 1.0 / graphs.len() as f64;
    let d = graphs[0].base.len();
    let mut mean = MessageGraph {
        into: vec![Vec::new(); d],
        base: vec![0.0; d],
        innovation: vec![0.0; d],
    };
    for one in graphs {
        add_times(&mut mean.base, share, &one.base);
        add_times(&mut mean.innovation, share, &one.innovation);
        for (into, messages) in mean.into.iter_mut().zip(&one.into) {
            for message in messages {
                match into
                    .iter_mut()
                    .find(|m: &&mut StateMessage| m.from == message.from)
                {
                    Some(known) => {
                        add_times(&mut known.weights, share, &message.weights);
                        add_times(&mut known.deltas, share, &message.deltas);
                    }
                    None => into.push(StateMessage {
                        from: message.from,
                        weights: message.weights.map(|w| share * w),
                        deltas: message.deltas.iter().map(|delta| share * delta).collect(),
                    }),
                }
            }
        }
    }
    mean
}

impl MessageGraph {
    /// Moves what a variable hears towards what was learnt anew; what has faded is dropped.
    fn move_towards(&mut self, to: usize, base: f64, new: Vec<StateMessage>, innovation: f64) {
        const FADED: f64 = 0.01;
        let mix = |old: f64, new: f64| DAMPING * new + (1.0 - DAMPING) * old;
        self.base[to] = mix(self.base[to], base);
        let innovation = innovation.clamp(INNOVATION.0, INNOVATION.1);
        self.innovation[to] = mix(self.innovation[to], innovation);
        let old = std::mem::take(&mut self.into[to]);
        let gone = |m: &&StateMessage| !new.iter().any(|n| n.from == m.from);
        let fading = old.iter().filter(gone).map(|m| StateMessage {
            weights: m.weights.map(|w| mix(w, 0.0)),
            ..m.clone()
        });
        let fading: Vec<StateMessage> = fading.collect();
        let kept = new.into_iter().map(|n| {
            let before = old.iter().find(|m| m.from == n.from);
            let before = before.map_or([0.0; BASIS], |m| m.weights);
            let weights: BasisWeights = std::array::from_fn(|k| mix(before[k], n.weights[k]));
            StateMessage { weights, ..n }
        });
        let heard = |m: &StateMessage| m.weights.iter().map(|w| w * w).sum::<f64>() > FADED * FADED;
        self.into[to] = kept.chain(fading).filter(heard).collect();
    }

    /// The standard deviation of what each variable says to each, from × to.
    fn strengths(&self) -> Square {
        let mut strengths = Square::zeros(self.base.len());
        for (to, messages) in self.into.iter().enumerate() {
            for m in messages {
                let square: f64 = m.weights.iter().map(|w| w * w).sum();
                strengths[(m.from, to)] = libm::sqrt(square);
            }
        }
        strengths
    }
}

/// The sources worth regressing a target on, itself among them.
fn candidates(pass: &FilterPass, to: usize, functions: usize) -> Vec<usize> {
    let d = pass.width;
    if d <= MOST_SOURCES {
        return (0..d).collect();
    }
    let strength = quick_look(pass, to, functions);
    let mut order: Vec<usize> = (0..d).filter(|&from| from != to).collect();
    order.sort_by(|&a, &b| strength[b].total_cmp(&strength[a]).then(a.cmp(&b)));
    order.truncate(MOST_SOURCES - 1);
    order.push(to);
    order.sort_unstable();
    order
}
