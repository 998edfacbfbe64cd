//! PCMCI+: the past that matters to each variable first, then lines within a step given that past
//! (Runge, UAI 2020); with regimes as context, J-PCMCI+ (Günther, Ninad and Runge, UAI 2023).

use duress_core::answer::GraphAnswer;
use duress_core::subject::Failure;

use crate::learners::independence::{CorrelationTest, Independence};
use crate::learners::skeleton::{Skeleton, false_share_in_words, subsets};
use crate::panel::StandardisedPanel;

duress_core::words! {
    /// How a pair is tested.
    pub enum PairTest {
        /// Partial correlation.
        Lines = "lines",
        /// Partial correlation of normal scores: what a value is among those of its variable, so that
        /// no outlier weighs more than another (tigramite's RobustParCorr).
        Ranks = "ranks",
        /// Whether curves of one say something of the other.
        Curves = "curves",
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pcmci {
    /// A pair whose independence has at least this p is taken apart.
    pub alpha: f64,
    /// How many steps back a cause can be.
    pub lags: usize,
    /// The most variables of the same step that are conditioned on at once.
    pub depth: usize,
    pub test: PairTest,
    /// Whether which regime a window is from may be a cause of every variable, and is conditioned on
    /// where it is: for panels that have all regimes on one scale.
    pub context: bool,
    /// The share of the lines that may be false, if anything but `alpha` is to keep it.
    pub false_share: Option<f64>,
}

impl Default for Pcmci {
    fn default() -> Pcmci {
        Pcmci {
            alpha: 0.01,
            lags: 1,
            depth: 3,
            test: PairTest::Lines,
            context: false,
            false_share: None,
        }
    }
}

impl Pcmci {
    /// The summary graph of a panel.
    pub fn learn(&self, panel: &StandardisedPanel) -> Result<GraphAnswer, Failure> {
        let mut skeleton = self.skeleton(panel)?;
        if let Some(share) = self.false_share {
            skeleton.keep_false_share(share, panel.variables().len());
        }
        let name = if self.context { "J-PCMCI+" } else { "PCMCI+" };
        let test = match self.test {
            PairTest::Lines => "partial correlation",
            PairTest::Ranks => "partial correlation of normal scores",
            PairTest::Curves => "curves",
        };
        let share = false_share_in_words(self.false_share);
        let rule = format!("{name}, {test} at {}{share}", self.alpha);
        Ok(skeleton.summarise(panel.variables(), &rule))
    }

    fn skeleton(&self, panel: &StandardisedPanel) -> Result<Skeleton, Failure> {
        let d = panel.variables().len();
        let steps = panel.steps();
        // Conditions on the past of what is `lags` back reach twice as far.
        let reach = 2 * self.lags;
        if steps <= reach {
            return Err(Failure::unable(format!(
                "windows of {steps} steps are too short for {} lags; needs {} or more",
                self.lags,
                reach + 1
            )));
        }
        let mut rows = panel.rows(&(0..=reach).collect::<Vec<_>>(), reach);
        if self.test == PairTest::Ranks {
            rows = rows.normal_scores();
        }
        let first_context = rows.width();
        if self.context {
            rows = rows.beside_groups(panel.regimes());
        }
        let contexts: Vec<usize> = (first_context..rows.width()).collect();
        let test = match self.test {
            PairTest::Lines | PairTest::Ranks => CorrelationTest::StudentT,
            PairTest::Curves => CorrelationTest::Curves,
        };
        let tests = Independence::new(&rows, test)?;
        let past: Vec<Vec<usize>> = (0..d)
            .map(|j| self.relevant_past(&tests, d, j, &contexts))
            .collect();
        let lags = (0..d * (self.lags + 1)).map(|k| k / d).collect();
        let mut skeleton = Skeleton::fully_joined(lags, |a, b| match (a < d, b < d) {
            (true, true) => true,
            (true, false) => past[a].contains(&b),
            (false, true) => past[b].contains(&a),
            (false, false) => false,
        });
        self.separate(&mut skeleton, &tests, &past);
        Ok(skeleton)
    }

    /// What of the past variable `j` hears, strongest first: each is tested given the strongest
    /// others, ever more of them (PC1).
    fn relevant_past(
        &self,
        tests: &Independence,
        d: usize,
        j: usize,
        contexts: &[usize],
    ) -> Vec<usize> {
        let mut left: Vec<(f64, usize)> = (d..d * (self.lags + 1))
            .chain(contexts.iter().copied())
            .map(|k| (f64::INFINITY, k))
            .collect();
        let mut size = 0;
        while size < left.len() {
            let others = left.clone();
            left.retain_mut(|(strength, k)| {
                let strongest = others
                    .iter()
                    .map(|(_, other)| *other)
                    .filter(|other| other != k);
                let evidence = tests.test_pair(*k, j, &strongest.take(size).collect::<Vec<_>>());
                *strength = strength.min(evidence.strength);
                evidence.p <= self.alpha
            });
            left.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            size += 1;
        }
        left.into_iter().map(|(_, k)| k).collect()
    }

    /// Takes lines away given neighbours of the same step, and always the past of both (momentary
    /// conditional independence).
    fn separate(&self, skeleton: &mut Skeleton, tests: &Independence, past: &[Vec<usize>]) {
        let d = past.len();
        for size in 0..=self.depth {
            let near: Vec<Vec<usize>> = (0..d)
                .map(|j| (0..d).filter(|&i| skeleton.is_joined(i, j)).collect())
                .collect();
            let mut asked = false;
            for (a, b) in skeleton.joined_pairs() {
                // The later is first among the variables; within a step each is the later in turn.
                let sides: &[(usize, usize)] = if b < d && size > 0 {
                    &[(b, a), (a, b)]
                } else {
                    &[(b, a)]
                };
                let mut apart = None;
                for &(from, to) in sides {
                    let others: Vec<usize> =
                        near[to].iter().copied().filter(|&c| c != from).collect();
                    asked |= others.len() >= size;
                    let background = self.background(from, to, past);
                    subsets(&others, size, &mut |given| {
                        let conditions: Vec<usize> = given
                            .iter()
                            .copied()
                            .chain(background.iter().copied().filter(|c| !given.contains(c)))
                            .collect();
                        let evidence = tests.test_pair(from, to, &conditions);
                        skeleton.note_evidence((a, b), evidence);
                        if evidence.p > self.alpha {
                            apart = Some(given.to_vec());
                        }
                        apart.is_none()
                    });
                    if apart.is_some() {
                        break;
                    }
                }
                if let Some(by) = apart {
                    skeleton.separate((a, b), &by);
                }
            }
            if !asked {
                break;
            }
        }
    }

    /// The past of `to`, then that of `from` as many steps further back as `from` is, without the two
    /// themselves. A context is the same at all steps.
    fn background(&self, from: usize, to: usize, past: &[Vec<usize>]) -> Vec<usize> {
        let d = past.len();
        let contexts = d * (2 * self.lags + 1);
        let back = |&k: &usize| match k < contexts {
            true => k + from / d * d,
            false => k,
        };
        let mut all: Vec<usize> = past[to].iter().copied().filter(|&k| k != from).collect();
        for k in past[from % d].iter().map(back) {
            if k != from && !all.contains(&k) {
                all.push(k);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    /// a → b one step later, b → c within the step, all with memory; d for itself.
    fn windows(steps: usize) -> Windows {
        let mut draws = Seed::new(8).draws();
        let mut values = Vec::new();
        for _ in 0..150 {
            let mut x = [0.0; 4];
            for step in 0..steps + 20 {
                let mut noise = || draws.normal();
                let a = 0.6 * x[0] + noise();
                let b = 0.6 * x[1] + 0.6 * x[0] + noise();
                let c = 0.6 * x[2] + 0.6 * b + noise();
                x = [a, b, c, 0.6 * x[3] + noise()];
                if step >= 20 {
                    values.extend(x);
                }
            }
        }
        let names = ["a", "b", "c", "d"].map(String::from).to_vec();
        Windows::new(names, steps, vec![0; 150], values).unwrap()
    }

    #[test]
    fn lagged_and_immediate_effects_are_told_apart_from_memory() {
        let pcmci = Pcmci {
            alpha: 0.001,
            depth: 4,
            ..Pcmci::default()
        };
        let panel = StandardisedPanel::new(&windows(20)).unwrap();
        let skeleton = pcmci.skeleton(&panel).unwrap();
        let graph = skeleton.orient();
        // The past of b points to b; it is apart from c given b, so the line goes on to c.
        assert!(graph.is_arrow(4, 1) && graph.is_arrow(1, 2), "{graph:?}");
        let answer = pcmci.learn(&panel).unwrap();
        assert_eq!(answer.graph.edges(), [(0, 1), (1, 2)]);
        let two = Pcmci { lags: 2, ..pcmci }.learn(&panel).unwrap();
        assert_eq!(two.graph.edges(), [(0, 1), (1, 2)]);
    }

    #[test]
    fn windows_shorter_than_twice_the_lags_are_refused() {
        let panel = StandardisedPanel::new(&windows(4)).unwrap();
        let failure = Pcmci {
            lags: 2,
            ..Pcmci::default()
        }
        .learn(&panel)
        .unwrap_err();
        assert!(
            failure.why.contains("4 steps") && failure.why.contains("5 or more"),
            "{failure}"
        );
    }

    /// `a` and `b` have nothing to do with each other, but regimes move both; `c` follows the square of
    /// `a` one step later.
    fn moved_windows() -> Windows {
        let mut draws = Seed::new(4).draws();
        let mut values = Vec::new();
        for window in 0..150 {
            let offset = f64::from(window % 3);
            let mut x = [0.0; 3];
            for step in 0..30 {
                let mut noise = || draws.normal();
                let bend = 0.5 * (x[0] * x[0] - 1.0);
                x = [0.5 * x[0] + noise(), 0.5 * x[1] + noise(), bend + noise()];
                if step >= 10 {
                    values.extend([x[0] + offset, x[1] + 2.0 * offset, x[2]]);
                }
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let regimes = (0..150).map(|w| w % 3).collect();
        Windows::new(names, 20, regimes, values).unwrap()
    }

    #[test]
    fn regimes_as_context_take_away_what_they_bring_and_curves_see_bends() {
        let together =
            StandardisedPanel::pooled(&moved_windows(), crate::panel::Scaling::Moments).unwrap();
        let edges = |pcmci: Pcmci| pcmci.learn(&together).unwrap().graph.edges().to_vec();
        let plain = Pcmci {
            alpha: 0.001,
            ..Pcmci::default()
        };
        assert!(!edges(plain).is_empty(), "regimes pass for edges");
        let context = Pcmci {
            context: true,
            ..plain
        };
        assert!(edges(context).is_empty(), "{:?}", edges(context));
        let curves = Pcmci {
            test: PairTest::Curves,
            ..context
        };
        assert_eq!(edges(curves), [(0, 2)]);
        let ranks = Pcmci {
            test: PairTest::Ranks,
            ..context
        };
        assert!(edges(ranks).is_empty());
    }

    #[test]
    fn without_an_edge_a_false_share_leaves_hardly_any() {
        let mut draws = Seed::new(12).draws();
        let mut count = [0, 0];
        for _ in 0..10 {
            let values = (0..60 * 20 * 8).map(|_| draws.normal()).collect();
            let names = (0..8).map(|k| format!("x{k}")).collect();
            let windows = Windows::new(names, 20, vec![0; 60], values).unwrap();
            let panel = StandardisedPanel::new(&windows).unwrap();
            for (nth, false_share) in [None, Some(0.05)].into_iter().enumerate() {
                let found = Pcmci {
                    false_share,
                    ..Pcmci::default()
                };
                count[nth] += found.learn(&panel).unwrap().graph.edges().len();
            }
        }
        assert!(count[0] > 4 && count[1] <= 3, "{count:?}");
    }
}
