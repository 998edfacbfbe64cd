//! PCMCI+: the past that matters to each variable first, then lines within a step given that past
//! (Runge, UAI 2020).

use duress_core::answer::GraphAnswer;
use duress_core::subject::Failure;

use crate::learners::independence::{CorrelationTest, Independence};
use crate::learners::skeleton::{Skeleton, subsets};
use crate::panel::StandardisedPanel;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pcmci {
    /// A pair whose independence has at least this p is taken apart.
    pub alpha: f64,
    /// How many steps back a cause can be.
    pub lags: usize,
    /// The most variables of the same step that are conditioned on at once.
    pub depth: usize,
}

impl Pcmci {
    /// The summary graph of a panel.
    pub fn learn(&self, panel: &StandardisedPanel) -> Result<GraphAnswer, Failure> {
        let skeleton = self.skeleton(panel)?;
        Ok(skeleton.summarise(
            panel.variables(),
            &format!("PCMCI+, partial correlation at {}", self.alpha),
        ))
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
        let tests = Independence::new(
            &panel.rows(&(0..=reach).collect::<Vec<_>>(), reach),
            CorrelationTest::StudentT,
        )?;
        let past: Vec<Vec<usize>> = (0..d).map(|j| self.relevant_past(&tests, d, j)).collect();
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
    fn relevant_past(&self, tests: &Independence, d: usize, j: usize) -> Vec<usize> {
        let mut left: Vec<(f64, usize)> = (d..d * (self.lags + 1))
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
                    let background = background(from, to, past);
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
}

/// The past of `to`, then that of `from` as many steps further back as `from` is, without the two
/// themselves.
fn background(from: usize, to: usize, past: &[Vec<usize>]) -> Vec<usize> {
    let d = past.len();
    let mut all: Vec<usize> = past[to].iter().copied().filter(|&k| k != from).collect();
    for k in past[from % d].iter().map(|k| k + from / d * d) {
        if k != from && !all.contains(&k) {
            all.push(k);
        }
    }
    all
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
            lags: 1,
            depth: 4,
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
            alpha: 0.01,
            lags: 2,
            depth: 2,
        }
        .learn(&panel)
        .unwrap_err();
        assert!(
            failure.why.contains("4 steps") && failure.why.contains("5 or more"),
            "{failure}"
        );
    }
}
