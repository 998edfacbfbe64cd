//! Sortability: how much of a graph the scale of the data gives away.
//!
//! Three ways to put variables in an order without any thought of cause: by variance, by how well
//! the others explain them (R²), by how well they remember themselves. Where one of them follows
//! the arrows, a benchmark can be won by sorting.

use duress_core::data::Windows;
use duress_core::graph::Graph;

use crate::matrix::{Square, row_by_row};
use crate::spread::shift_and_scale;

/// How far two values may be apart, relative to the larger, and still count as equal.
const EQUAL: f64 = 1e-9;

/// Products of pairs of variables that R² is worked out from at most; beyond it only every so
/// manieth step is read.
const MOST_PRODUCTS: usize = 200_000_000;

/// The share of directed paths, counted once per length, along which the variance (or another value
/// per variable) rises; equal ones count half.
///
/// At 1 sorting the variables by variance gives the causal order, at 0.5 the scale says nothing, so
/// data should be standardised (Reisach, Seiler and Weichwald, "Beware of the simulated DAG!",
/// NeurIPS 2021). `None` when the graph has no edge.
///
/// ```
/// use duress_core::graph::Graph;
/// use duress_graph::sortability::varsortability;
/// let chain = Graph::new(vec!["a".into(), "b".into(), "c".into()], [(0, 1), (1, 2)]).unwrap();
/// assert_eq!(varsortability(&chain, &[1.0, 2.0, 3.0]), Some(1.0));
/// assert_eq!(varsortability(&chain, &[1.0, 1.0, 1.0]), Some(0.5));
/// ```
pub fn varsortability(graph: &Graph, variances: &[f64]) -> Option<f64> {
    let d = variances.len();
    let mut reached: Vec<bool> = (0..d * d)
        .map(|at| graph.has((at / d) as u32, (at % d) as u32))
        .collect();
    let mut rising = 0.0;
    let mut paths = 0_u32;
    // A path of a graph without cycles has fewer than d edges; in one with cycles longer walks say
    // nothing new.
    for _ in 1..d {
        for at in (0..d * d).filter(|&at| reached[at]) {
            rising += rise(variances[at / d], variances[at % d]);
            paths += 1;
        }
        reached = one_step_further(graph, &reached, d);
    }
    (paths > 0).then(|| rising / f64::from(paths))
}

/// The variance of each variable over the values that can be seen; 0 where there are fewer than
/// two.
pub fn variances(windows: &Windows) -> Vec<f64> {
    let of = |variable: usize| {
        let places = row_by_row(windows.len(), windows.steps());
        let seen: Vec<f64> = places
            .filter_map(|(w, t)| windows.get(w, t, variable))
            .collect();
        let n = seen.len() as f64;
        let mean = seen.iter().sum::<f64>() / n;
        if seen.len() < 2 {
            0.0
        } else {
            seen.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)
        }
    };
    (0..windows.variables().len()).map(of).collect()
}

/// R² of each variable on all others of the same step, over the values that can be seen; a hidden
/// one counts as its mean (Reisach et al., "A scale-invariant sorting criterion to find a causal
/// order in additive noise models", NeurIPS 2023).
pub fn explained_shares(windows: &Windows) -> Vec<f64> {
    let d = windows.variables().len();
    let places: Vec<(usize, usize)> = every_step(windows).collect();
    let every = (places.len().saturating_mul(d * d) / MOST_PRODUCTS).max(1);
    let scales: Vec<(f64, f64)> = (0..d).map(|variable| scale(windows, variable)).collect();
    let mut products = Square::zeros(d);
    let mut count = 0.0;
    for &(w, t) in places.iter().step_by(every) {
        let row: Vec<f64> = (0..d)
            .map(|v| {
                windows
                    .get(w, t, v)
                    .map_or(0.0, |x| (x - scales[v].0) / scales[v].1)
            })
            .collect();
        for i in 0..d {
            (0..d).for_each(|k| products[(i, k)] += row[i] * row[k]);
        }
        count += 1.0;
    }
    let mut mean = Square::zeros(d);
    for (i, k) in row_by_row(d, d) {
        mean[(i, k)] = products[(i, k)] / f64::max(count, 1.0);
    }
    // A ridge too small to matter keeps copies and constants from having no inverse.
    match mean.plus_diagonal(1e-6).inverse() {
        Some(inverse) => (0..d)
            .map(|v| 1.0 - 1.0 / (inverse[(v, v)] * (mean[(v, v)] + 1e-6)))
            .collect(),
        None => vec![0.0; d],
    }
}

/// The correlation of each variable with itself one step before, over the pairs that can be seen; 0
/// where there is none.
pub fn autocorrelations(windows: &Windows) -> Vec<f64> {
    let of = |variable: usize| {
        let (mean, deviation) = scale(windows, variable);
        let at = |w: usize, t: usize| windows.get(w, t, variable).map(|x| (x - mean) / deviation);
        let mut sum = 0.0;
        let mut count = 0.0;
        for (w, t) in every_step(windows).filter(|(_, t)| *t > 0) {
            if let (Some(before), Some(now)) = (at(w, t - 1), at(w, t)) {
                sum += before * now;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    };
    (0..windows.variables().len()).map(of).collect()
}

/// The three sortabilities of data whose graph is known, as a sentence.
pub fn in_words(graph: &Graph, windows: &Windows) -> String {
    let sorted = [
        variances(windows),
        explained_shares(windows),
        autocorrelations(windows),
    ]
    .map(|values| varsortability(graph, &values));
    match sorted {
        [Some(variance), Some(explained), Some(memory)] => format!(
            "varsortability {variance:.2}, R²-sortability {explained:.2}, autocorrelation-sortability {memory:.2}: at 0.5 sorting \
             the variables so says nothing about the graph, at 1 (or 0) it gives the order away"
        ),
        _ => "no sortability: the graph has no edge, and every edge found is false".into(),
    }
}

fn every_step(windows: &Windows) -> impl Iterator<Item = (usize, usize)> + use<> {
    row_by_row(windows.len(), windows.steps())
}

/// Mean and standard deviation of what can be seen of a variable; a deviation of 0 counts as 1.
fn scale(windows: &Windows, variable: usize) -> (f64, f64) {
    let seen: Vec<f64> = every_step(windows)
        .filter_map(|(w, t)| windows.get(w, t, variable))
        .collect();
    shift_and_scale(&seen)
}

fn rise(from: f64, to: f64) -> f64 {
    if (from - to).abs() <= EQUAL * from.max(to) {
        0.5
    } else {
        f64::from(u8::from(to > from))
    }
}

fn one_step_further(graph: &Graph, reached: &[bool], d: usize) -> Vec<bool> {
    let mut next = vec![false; d * d];
    for at in (0..d * d).filter(|&at| reached[at]) {
        for &(from, to) in graph.edges() {
            if from as usize == at % d {
                next[at / d * d + to as usize] = true;
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `b` is `a` with noise, `c` is noise; `a` remembers itself.
    fn windows() -> Windows {
        let mut draws = duress_core::seed::Seed::new(4).draws();
        let mut values = Vec::new();
        let mut a = 0.0;
        for _ in 0..4000 {
            a = 0.8 * a + 0.6 * draws.normal();
            values.extend([a, 3.0 * (a + draws.normal()), draws.normal()]);
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        Windows::new(names, 40, vec![0; 100], values).unwrap()
    }

    #[test]
    fn what_is_explained_and_remembered_is_what_the_model_says() {
        let explained = explained_shares(&windows());
        let remembered = autocorrelations(&windows());
        for (found, expected) in explained.iter().zip([0.5, 0.5, 0.0]) {
            assert!((found - expected).abs() < 0.04, "{explained:?}");
        }
        for (found, expected) in remembered.iter().zip([0.8, 0.4, 0.0]) {
            assert!((found - expected).abs() < 0.05, "{remembered:?}");
        }
        let graph = Graph::new(windows().variables().to_vec(), [(0, 1)]).unwrap();
        let words = in_words(&graph, &windows());
        assert!(
            words.starts_with("varsortability 1.00")
                && words.contains("autocorrelation-sortability 0.00"),
            "{words}"
        );
    }

    #[test]
    fn constants_and_copies_are_explained_without_a_nan() {
        let flat = Windows::new(
            vec!["a".into(), "b".into(), "c".into()],
            1,
            vec![0; 4],
            [1.0, 1.0, 5.0, 2.0, 2.0, 5.0].repeat(2),
        )
        .unwrap();
        assert!(
            explained_shares(&flat)
                .iter()
                .chain(&autocorrelations(&flat))
                .all(|x| x.is_finite())
        );
    }

    #[test]
    fn paths_are_counted_once_per_length_as_the_authors_do() {
        let names = || (0..4).map(|i| format!("x{i}")).collect::<Vec<_>>();
        // 0→1→3, 0→2→3, 0→3: paths of one edge 0→1 0→2 0→3 1→3 2→3, of two 0→3.
        let graph = Graph::new(names(), [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]).unwrap();
        let share = varsortability(&graph, &[1.0, 0.5, 2.0, 1.5]).unwrap();
        // Rising: 0→2, 0→3, 1→3, and 0→3 again; falling: 0→1, 2→3.
        assert!((share - 4.0 / 6.0).abs() < 1e-15, "{share}");
        assert_eq!(
            varsortability(&Graph::new(names(), []).unwrap(), &[1.0; 4]),
            None
        );
    }
}
