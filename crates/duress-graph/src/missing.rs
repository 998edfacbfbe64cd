//! Missingness: which values of windows are hidden, and what that depends on.
//!
//! All but [`completely_at_random`] depend on values, so they are set against all windows together:
//! within each variable, the share of what can be seen that is hidden is the rate asked for. A
//! higher rate from the same draws hides the same values and more. Scores are taken before anything
//! is hidden.

use std::cmp::Ordering;

use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::{Draws, Seed};
use duress_core::subject::Failure;

use crate::matrix::row_by_row;
use crate::spread::mean_and_deviation;

/// Hides each value of `window` with probability `rate`, whatever it is (MCAR; Rubin, *Biometrika*
/// 63 (1976) 581–592).
///
/// Every value has its own draw, also one that is hidden already: a higher rate from the same draws
/// hides the same values and more, on any data.
pub fn completely_at_random(windows: &mut Windows, window: usize, rate: f64, mut draws: Draws) {
    for step in 0..windows.steps() {
        for variable in 0..windows.variables().len() {
            if draws.chance(rate) {
                windows.hide(window, step, variable);
            }
        }
    }
}

/// Where the chance in hiding comes from: one stream per window, and a seed for what all windows
/// share.
pub struct Chance<'a> {
    /// What all windows share: who depends on whom.
    pub shared: Seed,
    /// The draws of a window.
    pub of_window: &'a dyn Fn(usize) -> Draws,
}

/// MAR: a variable is hidden where a weighted sum of two others, drawn for it, is among its
/// highest.
pub fn at_random(windows: &mut Windows, rate: f64, chance: &Chance<'_>) -> Result<(), Failure> {
    let listens = decoy(windows.variables(), chance.shared)?;
    let scores =
        |before: &ObservedValues, variable: usize| listens[variable].score(before, variable);
    hide_highest(windows, rate, chance, scores);
    Ok(())
}

/// MNAR, self-masking: the higher a value, the likelier it is hidden, in proportion to the logistic
/// function of twice its distance from the variable's median.
pub fn self_masking(windows: &mut Windows, rate: f64, chance: &Chance<'_>) {
    hide_likely(windows, rate, chance, |before, variable| {
        let own = before.values_of(variable);
        let middle = median(&own);
        own.iter().map(|x| logistic(2.0 * (x - middle))).collect()
    });
}

/// MNAR, threshold: the highest values of a variable are hidden, as by a sensor that saturates.
pub fn above_threshold(windows: &mut Windows, rate: f64, chance: &Chance<'_>) {
    hide_highest(windows, rate, chance, ObservedValues::values_of);
}

/// MNAR, both tails: the values furthest from the middle of their variable by rank are hidden, as
/// many above as below.
pub fn in_tails(windows: &mut Windows, rate: f64, chance: &Chance<'_>) {
    hide_highest(windows, rate, chance, |before, variable| {
        let own = before.values_of(variable);
        let middle = 0.5 * (own.len() as f64 - 1.0);
        let mut distance = vec![0.0; own.len()];
        for (rank, at) in by_value(&own).into_iter().enumerate() {
            distance[at] = (rank as f64 - middle).abs();
        }
        distance
    });
}

/// Structural MNAR: the higher a weighted sum of other variables, the likelier a value is hidden.
///
/// Which others is drawn for each variable (a decoy), unless a graph is given: with the causal
/// parents, the mask itself gives the graph away. A variable that hears nobody in that graph is
/// hidden whatever else there is.
pub fn structural(
    windows: &mut Windows,
    rate: f64,
    graph: Option<&Graph>,
    chance: &Chance<'_>,
) -> Result<(), Failure> {
    let listens = match graph {
        None => decoy(windows.variables(), chance.shared)?,
        Some(graph) => parents(graph, chance.shared),
    };
    hide_likely(windows, rate, chance, |before, variable| {
        let scores = listens[variable].score(before, variable);
        let middle = median(&scores);
        let (_, spread) = mean_and_deviation(&scores);
        let scale = if spread > 0.0 { 2.0 / spread } else { 0.0 };
        scores
            .iter()
            .map(|score| logistic(scale * (score - middle)))
            .collect()
    });
    Ok(())
}

/// The variables another depends on, with their weights.
struct Listens(Vec<(usize, f64)>);

impl Listens {
    /// The weighted sum at each place where `variable` can be seen; a value that cannot be seen
    /// counts as its mean.
    fn score(&self, before: &ObservedValues, variable: usize) -> Vec<f64> {
        let centred = |place: usize, other: usize| {
            before.values[other][place].map_or(0.0, |x| x - before.means[other])
        };
        let at = |&place: &usize| {
            self.0
                .iter()
                .map(|&(other, weight)| weight * centred(place, other))
                .sum()
        };
        before.places(variable).iter().map(at).collect()
    }
}

/// Two other variables for each, with normal weights.
fn decoy(variables: &[String], seed: Seed) -> Result<Vec<Listens>, Failure> {
    let d = variables.len();
    if d < 2 {
        return Err(Failure::unable(
            "hiding depends on other variables, and there is only one",
        ));
    }
    let listen = |variable: usize| {
        let mut draws = seed.child("decoy").child(variable.to_string()).draws();
        let mut others: Vec<usize> = (0..d).filter(|&other| other != variable).collect();
        draws.shuffle(&mut others);
        others.truncate(2);
        Listens(
            others
                .into_iter()
                .map(|other| (other, draws.normal()))
                .collect(),
        )
    };
    Ok((0..d).map(listen).collect())
}

/// The parents in a graph, with normal weights.
fn parents(graph: &Graph, seed: Seed) -> Vec<Listens> {
    let d = graph.variables().len();
    let listen = |variable: usize| {
        let mut draws = seed.child("parents").child(variable.to_string()).draws();
        let own = (0..d).filter(|&other| graph.has(other as u32, variable as u32));
        Listens(own.map(|other| (other, draws.normal())).collect())
    };
    (0..d).map(listen).collect()
}

/// Windows as they were before anything was hidden: by variable, place after place.
struct ObservedValues {
    steps: usize,
    values: Vec<Vec<Option<f64>>>,
    means: Vec<f64>,
}

impl ObservedValues {
    fn new(windows: &Windows) -> ObservedValues {
        let places = || row_by_row(windows.len(), windows.steps());
        let of = |variable: usize| places().map(|(w, t)| windows.get(w, t, variable)).collect();
        let values: Vec<Vec<Option<f64>>> = (0..windows.variables().len()).map(of).collect();
        let mean = |all: &Vec<Option<f64>>| {
            let seen = all.iter().flatten();
            seen.clone().sum::<f64>() / seen.count().max(1) as f64
        };
        ObservedValues {
            steps: windows.steps(),
            means: values.iter().map(mean).collect(),
            values,
        }
    }

    /// Where a variable can be seen.
    fn places(&self, variable: usize) -> Vec<usize> {
        let all = self.values[variable].iter().enumerate();
        all.filter(|(_, value)| value.is_some())
            .map(|(place, _)| place)
            .collect()
    }

    /// The values of a variable that can be seen.
    fn values_of(&self, variable: usize) -> Vec<f64> {
        self.values[variable].iter().flatten().copied().collect()
    }

    fn window_and_step(&self, place: usize) -> (usize, usize) {
        (place / self.steps, place % self.steps)
    }
}

/// One uniform draw for every value, whether it can be seen or not.
fn uniforms(windows: &Windows, chance: &Chance<'_>) -> Vec<Vec<f64>> {
    let mut all =
        vec![Vec::with_capacity(windows.len() * windows.steps()); windows.variables().len()];
    for window in 0..windows.len() {
        let mut draws = (chance.of_window)(window);
        for _ in 0..windows.steps() {
            all.iter_mut().for_each(|own| own.push(draws.uniform()));
        }
    }
    all
}

/// Hides the share `rate` of each variable with the highest scores; ties by chance.
fn hide_highest(
    windows: &mut Windows,
    rate: f64,
    chance: &Chance<'_>,
    scores: impl Fn(&ObservedValues, usize) -> Vec<f64>,
) {
    let before = ObservedValues::new(windows);
    let ties = uniforms(windows, chance);
    for (variable, ties) in ties.iter().enumerate() {
        let places = before.places(variable);
        let scores = scores(&before, variable);
        let mut order: Vec<usize> = (0..places.len()).collect();
        let tie = |at: usize| ties[places[at]];
        order.sort_by(|&a, &b| {
            scores[b]
                .total_cmp(&scores[a])
                .then(tie(a).total_cmp(&tie(b)))
        });
        let count = (rate * places.len() as f64).round() as usize;
        for &at in &order[..count.min(order.len())] {
            let (window, step) = before.window_and_step(places[at]);
            windows.hide(window, step, variable);
        }
    }
}

/// Hides each value with a probability in proportion to its weight, at most 1, such that their mean
/// is `rate`.
fn hide_likely(
    windows: &mut Windows,
    rate: f64,
    chance: &Chance<'_>,
    weights: impl Fn(&ObservedValues, usize) -> Vec<f64>,
) {
    let before = ObservedValues::new(windows);
    let draws = uniforms(windows, chance);
    for (variable, draws) in draws.iter().enumerate() {
        let weights: Vec<f64> = weights(&before, variable)
            .into_iter()
            .map(|w| w.max(1e-9))
            .collect();
        let factor = factor_for(&weights, rate);
        for (place, weight) in before.places(variable).into_iter().zip(weights) {
            if draws[place] < factor * weight {
                let (window, step) = before.window_and_step(place);
                windows.hide(window, step, variable);
            }
        }
    }
}

/// The factor at which the mean of min(1, factor · weight) is `rate`, by bisection: the mean never
/// falls as the factor grows.
fn factor_for(weights: &[f64], rate: f64) -> f64 {
    let n = weights.len().max(1) as f64;
    let mean = |factor: f64| weights.iter().map(|w| (factor * w).min(1.0)).sum::<f64>() / n;
    let mut low = 0.0;
    let mut high = 1.0 / weights.iter().copied().fold(1.0, f64::min);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if mean(middle) < rate {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn median(values: &[f64]) -> f64 {
    let order = by_value(values);
    match order.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[order[n / 2]],
        n => 0.5 * (values[order[n / 2 - 1]] + values[order[n / 2]]),
    }
}

fn by_value(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| match values[a].total_cmp(&values[b]) {
        Ordering::Equal => a.cmp(&b),
        unlike => unlike,
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(rate: f64) -> Vec<bool> {
        let mut windows =
            Windows::new(vec!["a".into(), "b".into()], 500, vec![0], vec![1.0; 1000]).unwrap();
        completely_at_random(&mut windows, 0, rate, Seed::new(4).draws());
        (0..1000)
            .map(|at| windows.get(0, at / 2, at % 2).is_none())
            .collect()
    }

    #[test]
    fn a_higher_rate_hides_the_same_values_and_more() {
        assert!(hidden(0.0).iter().all(|hidden| !hidden));
        assert!(hidden(1.0).iter().all(|hidden| *hidden));
        let few = hidden(0.2);
        let many = hidden(0.6);
        assert!(few.iter().zip(&many).all(|(few, many)| *many || !*few));
        let count = few.iter().filter(|hidden| **hidden).count();
        assert!((150..250).contains(&count), "{count}");
    }

    /// Three variables of noise: 40 windows of 50 steps.
    fn noise() -> Windows {
        let mut draws = Seed::new(3).draws();
        let values = (0..6000).map(|_| draws.normal()).collect();
        Windows::new(
            ["a", "b", "c"].map(String::from).to_vec(),
            50,
            vec![0; 40],
            values,
        )
        .unwrap()
    }

    type Hide = fn(&mut Windows, f64, &Chance<'_>);

    const ALL: [(&str, Hide); 6] = [
        ("mar", |windows, rate, chance| {
            at_random(windows, rate, chance).unwrap()
        }),
        ("self", self_masking),
        ("threshold", above_threshold),
        ("tails", in_tails),
        ("decoy", |windows, rate, chance| {
            structural(windows, rate, None, chance).unwrap()
        }),
        ("parents", |windows, rate, chance| {
            let graph = Graph::new(windows.variables().to_vec(), [(0, 1), (0, 2)]).unwrap();
            structural(windows, rate, Some(&graph), chance).unwrap();
        }),
    ];

    fn hide(how: Hide, windows: &Windows, rate: f64) -> Windows {
        let mut after = windows.clone();
        let of_window = |window: usize| Seed::new(9).child(window.to_string()).draws();
        how(
            &mut after,
            rate,
            &Chance {
                shared: Seed::new(1),
                of_window: &of_window,
            },
        );
        after
    }

    fn places() -> impl Iterator<Item = (usize, usize)> {
        row_by_row(40, 50)
    }

    #[test]
    fn the_share_hidden_of_each_variable_is_the_rate_and_rates_nest() {
        for (name, how) in ALL {
            let mut before = noise();
            for rate in [0.1, 0.3, 0.6, 0.9, 1.0] {
                let after = hide(how, &noise(), rate);
                for variable in 0..3 {
                    let gone = places()
                        .filter(|&(w, t)| after.get(w, t, variable).is_none())
                        .count();
                    assert!(
                        (gone as f64 / 2000.0 - rate).abs() < 0.035,
                        "{name} {rate}: {gone} of 2000"
                    );
                    let back = |&(w, t): &(usize, usize)| {
                        before.get(w, t, variable).is_none() && after.get(w, t, variable).is_some()
                    };
                    assert_eq!(
                        places().filter(back).count(),
                        0,
                        "{name}: what was hidden stays hidden"
                    );
                }
                before = after;
            }
            assert_eq!(hide(how, &noise(), 0.0), noise(), "{name}");
        }
    }

    #[test]
    fn on_data_with_gaps_the_rate_is_that_of_what_is_left() {
        for (name, how) in ALL {
            let mut gaps = noise();
            places()
                .filter(|(w, _)| w % 2 == 0)
                .for_each(|(w, t)| gaps.hide(w, t, 1));
            let after = hide(how, &gaps, 0.5);
            let left = places()
                .filter(|&(w, t)| after.get(w, t, 1).is_some())
                .count();
            assert!(
                (left as f64 - 500.0).abs() < 80.0,
                "{name}: {left} of 1000 are left"
            );
        }
    }

    /// The mean of what is hidden of variable 1 less that of what stays, for `of`.
    fn shift(how: Hide, of: usize) -> f64 {
        let before = noise();
        let after = hide(how, &noise(), 0.3);
        let mean = |gone: bool| {
            let chosen = places().filter(|&(w, t)| after.get(w, t, 1).is_none() == gone);
            let values: Vec<f64> = chosen.filter_map(|(w, t)| before.get(w, t, of)).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        mean(true) - mean(false)
    }

    #[test]
    fn what_hiding_depends_on_is_what_it_says() {
        let [mar, own, threshold, tails, decoy, parents] = ALL.map(|(_, how)| how);
        assert!(
            shift(own, 1) > 0.4 && shift(threshold, 1) > 1.2,
            "high values of its own"
        );
        assert!(shift(tails, 1).abs() < 0.15, "both tails alike");
        assert!(
            shift(mar, 1).abs() < 0.15 && shift(decoy, 1).abs() < 0.15,
            "not its own value"
        );
        assert!(
            shift(mar, 0).abs().max(shift(mar, 2).abs()) > 0.5,
            "but another's"
        );
        assert!(shift(decoy, 0).abs().max(shift(decoy, 2).abs()) > 0.3);
        assert!(
            shift(parents, 0).abs() > 0.3 && shift(parents, 2).abs() < 0.15,
            "its parent's"
        );
        let far = |how: Hide| {
            let after = hide(how, &noise(), 0.3);
            let seen = places().filter_map(|(w, t)| after.get(w, t, 1));
            seen.map(f64::abs).fold(0.0, f64::max)
        };
        assert!(far(tails) < 1.2, "nothing from the tails is left");
    }

    #[test]
    fn a_constant_variable_is_hidden_at_the_rate_too_and_a_lone_one_has_no_others() {
        let flat = Windows::new(
            vec!["a".into(), "b".into()],
            50,
            vec![0; 40],
            vec![2.0; 4000],
        )
        .unwrap();
        for (name, how) in &ALL[..5] {
            let gone = hide(*how, &flat, 0.3).hidden_share();
            assert!((gone - 0.3).abs() < 0.04, "{name}: {gone}");
        }
        let mut lone = Windows::new(vec!["a".into()], 2, vec![0], vec![1.0, 2.0]).unwrap();
        let of_window = |_: usize| Seed::new(9).draws();
        let chance = Chance {
            shared: Seed::new(1),
            of_window: &of_window,
        };
        assert!(
            at_random(&mut lone, 0.5, &chance)
                .unwrap_err()
                .why
                .contains("only one")
        );
        assert!(
            structural(&mut lone, 0.5, None, &chance)
                .unwrap_err()
                .why
                .contains("only one")
        );
    }
}
