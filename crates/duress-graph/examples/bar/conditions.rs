//! Conditions: windows under stress, from their name.

use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::{Draws, Seed};
use duress_core::word::Word;
use duress_graph::corruption;
use duress_graph::missing::{self, Chance};
use duress_graph::sem::{Intervention, MechanismFamily, Sem, SemRecipe, Wiring};

const STEPS: usize = 24;

/// The truth and the windows of a condition.
pub(crate) fn draw(condition: &str, seed: Seed) -> (Graph, Windows) {
    if let Some((condition, regime)) = condition.split_once('@') {
        let (truth, windows) = draw(condition, seed);
        let regime = regime.parse().expect("a regime");
        return (truth, without_regime(&windows, regime));
    }
    let (condition, settings) = condition.split_once('%').unwrap_or((condition, ""));
    let (family, rest) = condition.split_once(':').unwrap_or(("mix", condition));
    let (base, rate) = rest.split_once('+').unwrap_or((rest, "0"));
    let mut recipe = SemRecipe {
        regimes: if base == "compound_mnar_bias" { 1 } else { 3 },
        ..SemRecipe::default()
    };
    let windows = set(&mut recipe, settings);
    match MechanismFamily::from_word(family) {
        Some(family) => recipe.family = family,
        None => recipe.edges = 0,
    }
    let sem = Sem::draw_model(&recipe, seed.child("model"));
    let mut windows = simulate(&sem, windows, recipe.regimes, seed);
    let mut press = Press {
        windows: &mut windows,
        seed: seed.child("press"),
    };
    press.base(base);
    press.each(
        "mcar",
        rate.parse().expect("a rate"),
        missing::completely_at_random,
    );
    (sem.graph(), windows)
}

/// Changes a recipe by `KEY=VALUE%…`; how many windows there shall be.
fn set(recipe: &mut SemRecipe, settings: &str) -> usize {
    let mut windows = 500;
    for (key, value) in settings.split('%').filter_map(|one| one.split_once('=')) {
        let number = || value.parse::<usize>().expect("a number");
        match key {
            "variables" => {
                recipe.edges = number() * recipe.edges / recipe.variables;
                recipe.variables = number();
            }
            "windows" => windows = number(),
            "intervention" => {
                recipe.intervention = Intervention::from_word(value).expect("an intervention");
            }
            "wiring" => recipe.wiring = Wiring::from_word(value).expect("a wiring"),
            other => panic!("no setting is called {other}"),
        }
    }
    windows
}

fn without_regime(windows: &Windows, regime: u32) -> Windows {
    let d = windows.variables().len();
    let kept: Vec<usize> = (0..windows.len())
        .filter(|&w| windows.regimes()[w] != regime)
        .collect();
    let cells = || {
        let steps = kept.iter().enumerate();
        let steps = steps.flat_map(|(new, &w)| (0..windows.steps()).map(move |t| (new, w, t)));
        steps.flat_map(move |(new, w, t)| (0..d).map(move |v| (new, w, t, v)))
    };
    let value = |(_, w, t, v): (usize, usize, usize, usize)| windows.get(w, t, v).unwrap_or(0.0);
    let values = cells().map(value).collect();
    let regimes = kept.iter().map(|&w| windows.regimes()[w]).collect();
    let mut left = Windows::new(
        windows.variables().to_vec(),
        windows.steps(),
        regimes,
        values,
    )
    .expect("finite values");
    cells()
        .filter(|&(_, w, t, v)| windows.get(w, t, v).is_none())
        .for_each(|(new, _, t, v)| left.hide(new, t, v));
    left
}

/// Windows of mean 0 and variance 1, all regimes together.
fn simulate(sem: &Sem, windows: usize, regimes: usize, seed: Seed) -> Windows {
    let d = sem.variables();
    let window = |w: usize| sem.window(w % regimes, STEPS, seed.child(format!("window-{w}")));
    let mut values: Vec<f64> = (0..windows).flat_map(window).collect();
    let n = (values.len() / d) as f64;
    for variable in 0..d {
        let own = || values.iter().skip(variable).step_by(d);
        let mean = own().sum::<f64>() / n;
        let deviation = libm::sqrt(own().map(|x| (x - mean).powi(2)).sum::<f64>() / n);
        let own = values.iter_mut().skip(variable).step_by(d);
        own.for_each(|x| *x = (*x - mean) / deviation);
    }
    let regimes = (0..windows).map(|w| (w % regimes) as u32).collect();
    Windows::new(sem.graph().variables().to_vec(), STEPS, regimes, values).expect("finite values")
}

/// Stress on windows.
struct Press<'a> {
    windows: &'a mut Windows,
    seed: Seed,
}

impl Press<'_> {
    fn base(&mut self, name: &str) {
        let gains = corruption::multiplicative_bias;
        let loud = corruption::heteroscedastic_noise;
        match name {
            "clean" => {}
            "mnar" => self.hide(0.3),
            "bias" => self.each("bias", 0.5, gains),
            "mnar-and-bias" => {
                self.each("bias", 0.5, gains);
                self.hide(0.3);
            }
            "all-high" => {
                self.each("bias", 1.0, gains);
                self.each("noise", 1.0, corruption::noise);
                self.hide(0.4);
            }
            "compound_mnar_bias" => {
                self.each("bias", 0.2, gains);
                self.hide(0.25);
            }
            "compound_full" => {
                self.regimes(3);
                self.each("bias", 0.15, gains);
                self.each("drift", 0.01, corruption::drift);
                self.each("noise", 0.3, loud);
                self.outliers(0.03, 5.0);
                self.hide(0.25);
            }
            "extreme" => {
                self.regimes(5);
                self.each("bias", 0.2, corruption::cubic_bias);
                self.each("drift", 0.05, corruption::drift);
                self.each("noise", 0.5, loud);
                self.outliers(0.1, 10.0);
                self.hide(0.4);
            }
            noise => {
                let size = noise.strip_prefix("noise-").expect("a known condition");
                self.each("noise", size.parse().expect("a size"), corruption::noise);
            }
        }
    }

    fn each(&mut self, label: &str, size: f64, act: impl Fn(&mut Windows, usize, f64, Draws)) {
        for w in 0..self.windows.len() {
            act(self.windows, w, size, of_window(self.seed.child(label), w));
        }
    }

    fn outliers(&mut self, rate: f64, scale: f64) {
        self.each("outliers", rate, |windows, w, rate, draws| {
            corruption::outliers(windows, w, rate, scale, draws);
        });
    }

    fn regimes(&mut self, count: u32) {
        let seed = self.seed.child("regimes");
        corruption::split_regimes(self.windows, count, 0.5, seed, |w| of_window(seed, w));
    }

    fn hide(&mut self, rate: f64) {
        let seed = self.seed.child("structural");
        let chance = Chance {
            shared: seed,
            of_window: &|w| of_window(seed, w),
        };
        missing::structural(self.windows, rate, None, &chance).expect("thirteen variables");
    }
}

fn of_window(seed: Seed, window: usize) -> Draws {
    seed.child(format!("window-{window}")).draws()
}
