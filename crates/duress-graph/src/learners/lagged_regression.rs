//! Lagged regression: each variable on the whole of the step before (VAR(1); Granger,
//! *Econometrica* 37 (1969) 424–438).

use duress_core::subject::Failure;

use crate::learners::regression::Regression;
use crate::matrix::Square;
use crate::panel::StandardisedPanel;
use crate::select::EdgeScores;

/// The coefficient of each variable one step ago (row) in each variable now (column), in standard
/// errors.
pub fn regress(panel: &StandardisedPanel) -> Result<EdgeScores, Failure> {
    let (before, now) = panel.before_and_now()?;
    let regression = Regression::new(&before, &now)?;
    let d = panel.variables().len();
    let mut z = Square::zeros(d);
    for to in 0..d {
        regression
            .z_scores(to)
            .into_iter()
            .enumerate()
            .for_each(|(from, score)| z[(from, to)] = score);
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::row_by_row;
    use crate::measure::Overlap;
    use crate::missing;
    use crate::select::{EdgeSelection, Null, Rule};
    use crate::sem::{MechanismFamily, Sem, SemRecipe};
    use duress_core::data::Windows;
    use duress_core::graph::Graph;
    use duress_core::seed::Seed;

    const SELECTION: EdgeSelection = EdgeSelection {
        rule: Rule::FalseShare {
            share: 0.05,
            null: Null::Empirical,
        },
        acyclic: true,
        stable: 0.0,
    };

    fn simulate(recipe: &SemRecipe, windows: usize, rate: f64, seed: u64) -> (Graph, Windows) {
        let seed = Seed::new(seed);
        let sem = Sem::draw_model(recipe, seed.child("model"));
        let regimes: Vec<u32> = (0..windows).map(|w| (w % recipe.regimes) as u32).collect();
        let values = (0..windows)
            .flat_map(|w| sem.window(regimes[w] as usize, 24, seed.child(format!("window-{w}"))))
            .collect();
        let truth = sem.graph();
        let mut windows = Windows::new(truth.variables().to_vec(), 24, regimes, values).unwrap();
        for w in 0..windows.len() {
            missing::completely_at_random(
                &mut windows,
                w,
                rate,
                seed.child(format!("hide-{w}")).draws(),
            );
        }
        (truth, windows)
    }

    fn f1(family: MechanismFamily, rate: f64, seed: u64) -> f64 {
        let (truth, windows) = simulate(
            &SemRecipe {
                family,
                ..SemRecipe::default()
            },
            300,
            rate,
            seed,
        );
        let scores = regress(&StandardisedPanel::new(&windows).unwrap()).unwrap();
        let answer = SELECTION.choose(&scores);
        Overlap::directed(&truth, &answer.graph)
            .unwrap()
            .f1()
            .unwrap()
    }

    #[test]
    fn a_linear_model_is_recovered_also_when_values_are_missing() {
        for seed in 1..4 {
            let (clean, masked) = (
                f1(MechanismFamily::Linear, 0.0, seed),
                f1(MechanismFamily::Linear, 0.3, seed),
            );
            assert!(clean > 0.9 && masked > 0.9, "seed {seed}: {clean} {masked}");
        }
    }

    #[test]
    fn the_mix_is_not_recovered_by_lines() {
        let mean = (1..5)
            .map(|seed| f1(MechanismFamily::Mix, 0.0, seed))
            .sum::<f64>()
            / 4.0;
        assert!((0.6..0.95).contains(&mean), "{mean}");
    }

    #[test]
    fn z_scores_without_an_edge_have_the_spread_they_claim() {
        for rate in [0.0, 0.5] {
            let recipe = SemRecipe {
                variables: 6,
                edges: 0,
                ..SemRecipe::default()
            };
            let mut squares = Vec::new();
            for seed in 0..12 {
                let (_, windows) = simulate(&recipe, 100, rate, seed);
                let scores = regress(&StandardisedPanel::new(&windows).unwrap()).unwrap();
                let pairs = row_by_row(6, 6).filter(|(i, k)| i != k);
                squares.extend(pairs.map(|(i, k)| scores.score(i, k).powi(2)));
            }
            let mean = squares.iter().sum::<f64>() / squares.len() as f64;
            assert!(
                (0.8..1.3).contains(&mean),
                "rate {rate}: variance of z is {mean}"
            );
        }
    }

    #[test]
    fn too_few_steps_are_refused_with_their_number() {
        let recipe = SemRecipe {
            variables: 30,
            edges: 10,
            ..SemRecipe::default()
        };
        let (_, windows) = simulate(&recipe, 2, 0.0, 1);
        let failure = regress(&StandardisedPanel::new(&windows).unwrap()).unwrap_err();
        assert!(
            failure.why.contains("46 steps") && failure.why.contains("30 variables"),
            "{failure}"
        );
    }
}
