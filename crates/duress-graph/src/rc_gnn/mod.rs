//! RC-GNN: messages between hidden states that are seen through noise, bias and gaps.
//!
//! Three pathways lead from a state to what is seen of it: the *signal*, a state of unit variance that
//! remembers itself and hears others; the *bias*, a median and a scale per variable and regime; the
//! *noise*, a mixture of widths. What is hidden is not seen, and that is all the model makes of it. The
//! graph is who hears whom: a message is a curve of the sender's state one step before, and states are
//! followed by a filter that keeps their covariances (`filter.rs`). From round to round, messages that
//! were heard on windows they were not learnt from (`evidence.rs`) are passed on, so that states are
//! known better, so that messages are heard better. How likely each is becomes a graph (`edges.rs`).

mod edges;
mod evidence;
mod filter;
mod gaps;
mod kept;
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
use duress_stats::parallel::map_list;
use serde::{Deserialize, Serialize};

use crate::matrix::{Square, add_times};
use crate::rc_gnn::edges::{probability, strongest, within_share};
use crate::rc_gnn::evidence::{
    Belief, Dealt, FOLDS, Loudness, MessagePrior, TargetSums, believe, quick_look,
};
use crate::rc_gnn::filter::{FilterPass, Readout, filter_windows};
use crate::rc_gnn::messages::{BASIS, BasisWeights, MessageGraph, StateMessage};
use crate::rc_gnn::regimes::{deltas, heard_in, invariant_odds};
use crate::rc_gnn::sensor::{NoiseShape, Sensor, learn_sensors};
use crate::rc_gnn::series::RobustSeries;
use crate::select::graph;

/// Beyond this many, only the most promising sources of a target are regressed on together.
const MOST_SOURCES: usize = 25;

/// Messages less likely than these log-odds are not passed on.
const PASSED_ON: f64 = -2.0;

/// How much of a new message replaces the old one: taken whole, they swing from round to round.
const DAMPING: f64 = 0.6;

/// The innovation variance stays between these: the state has unit variance.
const INNOVATION: (f64, f64) = (0.05, 1.5);

/// Log-odds of pairs that were not asked about.
const UNHEARD: f64 = -30.0;

/// Log-odds beyond these are as good as certain, and a number can hold their odds.
const LOUDEST: f64 = 700.0;

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
    /// How often messages are passed on and learnt again; 0 passes none.
    pub rounds: usize,
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
            rounds: 4,
            invariance: false,
            feedback: false,
            gaps: false,
            false_share: 0.05,
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
    /// Log-odds of a message, from × to, of each round.
    history: Vec<Square>,
    prior: MessagePrior,
    sensors: Vec<Sensor>,
}

/// A fitted model.
#[derive(Debug)]
pub struct RcGnnFit {
    /// The graph; the scores are log(1 + odds) of a message.
    pub answer: GraphAnswer,
    /// The probability that each ordered pair, from × to, is an edge.
    pub probabilities: Square,
    /// How strong each message is: the standard deviation of what it says, in that of the hearer.
    pub strengths: Square,
    /// The graph of each regime: the edges that are heard in it.
    pub by_regime: Vec<(u32, Graph)>,
    /// How much louder each edge, from × to, is in each regime than in all; 0 where as everywhere.
    pub deltas: Vec<Square>,
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
        simulate::simulate_windows(self, seed)
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
        let sensors = state.sensors.clone();
        let readout = Readout::new(&series, &sensors, self.gaps);
        let mut losses = Vec::new();
        for round in first..=self.rounds {
            let pass = filter_windows(&readout, self.covariance, |w| &state.graphs[dealt.fold[w]]);
            let heard = self.listen(&mut state, &pass, &dealt);
            state.history.push(heard.odds.clone());
            losses.push(pass.loss());
            if round == self.rounds {
                let reasons = gaps::reasons(&pass);
                return Ok(self.finish(state, &heard, reasons, losses, series));
            }
            self.speak(&mut state, &pass, &heard);
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
            graphs: vec![silent_graph(&sensors); FOLDS],
            candidates: Vec::new(),
            history: Vec::new(),
            prior: MessagePrior::default(),
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

    /// Which messages are heard, and how loudly.
    fn listen(&self, state: &mut FitState, pass: &FilterPass, dealt: &Dealt) -> Heard {
        let d = pass.width;
        let functions = self.functions();
        if state.candidates.is_empty() {
            state.candidates = (0..d).map(|to| candidates(pass, to, functions)).collect();
        }
        let targets: Vec<usize> = (0..d).collect();
        let sums: Vec<TargetSums> = map_list(&targets, |&to| {
            TargetSums::of(pass, to, state.candidates[to].clone(), functions, dealt)
        });
        let beliefs = believe(&sums, &mut state.prior);
        let without: Vec<Vec<Belief>> = map_list(&targets, |&to| {
            sums[to].without_folds(&state.prior, &beliefs[to])
        });
        let loudness: Vec<Vec<Loudness>> = map_list(&targets, |&to| {
            sums[to].loudness(&without[to], dealt.regimes)
        });
        let mut odds = Square::from_cells(d, vec![UNHEARD; d * d]);
        for (to, sums) in sums.iter().enumerate() {
            for (nth, &from) in sums
                .sources
                .iter()
                .enumerate()
                .filter(|(_, from)| **from != to)
            {
                let found = beliefs[to].odds[nth];
                odds[(from, to)] = match self.invariance {
                    true => invariant_odds(found, state.prior.odds(), &loudness[to][nth]),
                    false => found,
                };
            }
        }
        Heard {
            sums,
            without,
            loudness,
            odds,
        }
    }

    /// Takes over the messages that were heard, for the next round.
    fn speak(&self, state: &mut FitState, pass: &FilterPass, heard: &Heard) {
        let chosen = strongest(&heard.odds, PASSED_ON, self.feedback);
        for (to, sums) in heard.sums.iter().enumerate() {
            for fold in 0..FOLDS {
                let belief = &heard.without[to][fold];
                let sources = sums.sources.iter().copied().enumerate();
                let passed_on =
                    sources.filter(|&(_, from)| from == to || chosen.contains(&(from, to)));
                let new = passed_on
                    .map(|(nth, from)| StateMessage {
                        from,
                        weights: belief.said(sums, nth),
                    })
                    .collect();
                state.graphs[fold].move_towards(to, belief.base(), new, pass.innovation[to]);
            }
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
        let odds = state.scores();
        let likely = odds.cells().iter().map(|&odds| probability(odds));
        let probabilities = Square::from_cells(d, likely.collect());
        let chosen = within_share(&odds, self.false_share, self.feedback);
        let messages = mean_graph(&state.graphs);
        let in_regime = |(r, name): (usize, &u32)| {
            let there = |pair: &&(usize, usize)| heard_in(heard.loudness_of(**pair), r);
            let edges: Vec<(usize, usize)> = chosen.iter().filter(there).copied().collect();
            (*name, graph(&series.variables, &edges))
        };
        let score = |at: usize| libm::log1p(libm::exp(odds.cells()[at].min(LOUDEST)));
        RcGnnFit {
            answer: GraphAnswer {
                graph: graph(&series.variables, &chosen),
                scores: (0..d * d).map(score).collect(),
                rule: format!(
                    "at most {} expected to be false by the probability of each pair, none unlikely{}",
                    self.false_share,
                    if self.feedback {
                        ""
                    } else {
                        ", strongest first, none that closes a cycle"
                    }
                ),
            },
            probabilities,
            strengths: messages.strengths(),
            by_regime: series.regimes.iter().enumerate().map(in_regime).collect(),
            deltas: heard.deltas(&chosen, series.regimes.len()),
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

fn deal(series: &RobustSeries, seed: Seed) -> Dealt {
    let mut order: Vec<usize> = (0..series.windows()).collect();
    seed.child("folds").draws().shuffle(&mut order);
    Dealt::new(&series.regime, series.regimes.len(), &order)
}

/// What was heard in a round.
struct Heard {
    sums: Vec<TargetSums>,
    /// Per target, what is believed without each fold.
    without: Vec<Vec<Belief>>,
    /// Per target, of each of its sources.
    loudness: Vec<Vec<Loudness>>,
    odds: Square,
}

impl Heard {
    fn loudness_of(&self, (from, to): (usize, usize)) -> &Loudness {
        let at = self.sums[to]
            .sources
            .iter()
            .position(|source| *source == from);
        &self.loudness[to][at.unwrap_or_else(|| unreachable!("only candidates are heard"))]
    }

    /// How much louder each of these edges is in each regime.
    fn deltas(&self, edges: &[(usize, usize)], regimes: usize) -> Vec<Square> {
        let mut louder = vec![Square::zeros(self.sums.len()); regimes];
        let of: Vec<&Loudness> = edges.iter().map(|&pair| self.loudness_of(pair)).collect();
        for (&pair, by_regime) in edges.iter().zip(deltas(&of)) {
            let regimes = louder.iter_mut().zip(by_regime);
            regimes.for_each(|(louder, delta)| louder[pair] = delta);
        }
        louder
    }
}

impl FitState {
    /// Log-odds of a message for each pair: the mean over the settled rounds, since single ones swing.
    fn scores(&self) -> Square {
        let d = self.candidates.len();
        let settled = &self.history[SETTLED.min(self.history.len() - 1)..];
        let mut scores = Square::zeros(d);
        for round in settled {
            let share = 1.0 / settled.len() as f64;
            (0..d).for_each(|i| add_times(scores.row_mut(i), share, round.row(i)));
        }
        scores
    }
}

/// Every variable hears itself only.
fn silent_graph(sensors: &[Sensor]) -> MessageGraph {
    let own = |(v, sensor): (usize, &Sensor)| {
        let mut weights = [0.0; BASIS];
        weights[0] = sensor.memory;
        vec![StateMessage { from: v, weights }]
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
                    Some(known) => add_times(&mut known.weights, share, &message.weights),
                    None => into.push(StateMessage {
                        from: message.from,
                        weights: message.weights.map(|w| share * w),
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
            from: m.from,
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
