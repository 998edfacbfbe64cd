//! Windows drawn from a fitted `rc-gnn`, held against those it was fitted on.

use duress_core::data::Windows;
use duress_core::seed::Seed;
use duress_graph::rc_gnn::RcGnn;

/// How often windows are drawn.
const DRAWS: u64 = 20;

/// Beyond so many standard deviations values count as these, so that outliers do not decide alone.
const DRAWN_IN: f64 = 3.0;

/// What is said of each variable, or of each pair of variables.
type Statistic = (&'static str, fn(&Scaled) -> Vec<f64>);

const STATISTICS: [Statistic; 4] = [
    ("spread", |values| values.each(Scaled::spread)),
    ("tails", |values| values.each(Scaled::tails)),
    ("own past", |values| {
        values.each(|values, v| values.across(v, v))
    }),
    ("others' past", |values| values.pairs()),
];

/// Prints every statistic of every variable or pair: of the data, and the middle and the 95 % of what
/// is drawn.
pub(crate) fn hold_against(condition: &str, seed: u64, model: &RcGnn, windows: &Windows) {
    let fit = model
        .fit(windows, Seed::new(1), &mut |_, _| {})
        .expect("windows that can be learnt from");
    let real = Scaled::by(windows, windows);
    let drawn: Vec<Scaled> = (0..DRAWS)
        .map(|nth| fit.simulate(Seed::new(seed).child(format!("drawn-{nth}"))))
        .map(|drawn| Scaled::by(&drawn.expect("finite values"), windows))
        .collect();
    for (name, of) in STATISTICS {
        let drawn: Vec<Vec<f64>> = drawn.iter().map(of).collect();
        for (nth, real) in of(&real).into_iter().enumerate() {
            let mut all: Vec<f64> = drawn.iter().map(|one| one[nth]).collect();
            all.sort_by(f64::total_cmp);
            let at = |share: f64| all[(share * (all.len() - 1) as f64).round() as usize];
            println!(
                "drawn\t{condition}\t{seed}\t{name}\t{nth}\t{real:.4}\t{:.4}\t{:.4}\t{:.4}",
                at(0.5),
                at(0.025),
                at(0.975)
            );
        }
    }
}

/// Values in robust standard deviations of the data, regime by regime; none where hidden.
struct Scaled {
    width: usize,
    steps: usize,
    values: Vec<Option<f64>>,
}

impl Scaled {
    /// Windows on the scale of others with the same regimes.
    fn by(windows: &Windows, scale: &Windows) -> Scaled {
        let d = windows.variables().len();
        let mut regimes = scale.regimes().to_vec();
        regimes.sort_unstable();
        regimes.dedup();
        let mut values = vec![None; windows.len() * windows.steps() * d];
        for &regime in &regimes {
            for v in 0..d {
                let (middle, wide) = quartiles(scale, regime, v);
                for (w, t) in places(windows, regime) {
                    let x = windows.get(w, t, v).map(|x| (x - middle) / wide);
                    values[(w * windows.steps() + t) * d + v] = x;
                }
            }
        }
        Scaled {
            width: d,
            steps: windows.steps(),
            values,
        }
    }

    fn each(&self, of: impl Fn(&Scaled, usize) -> f64) -> Vec<f64> {
        (0..self.width).map(|v| of(self, v)).collect()
    }

    /// Of all pairs of different variables.
    fn pairs(&self) -> Vec<f64> {
        let d = self.width;
        let pairs = (0..d * d).filter(|at| at / d != at % d);
        pairs.map(|at| self.across(at / d, at % d)).collect()
    }

    fn seen(&self, v: usize) -> impl Iterator<Item = f64> {
        self.values
            .iter()
            .skip(v)
            .step_by(self.width)
            .flatten()
            .copied()
    }

    /// Half the distance of the quartiles, 1 for a normal.
    fn spread(&self, v: usize) -> f64 {
        let mut sorted: Vec<f64> = self.seen(v).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[(share * sorted.len() as f64) as usize];
        (at(0.75) - at(0.25)) / 1.349
    }

    /// The share of values further out than three standard deviations.
    fn tails(&self, v: usize) -> f64 {
        let out = self.seen(v).filter(|x| x.abs() > DRAWN_IN).count();
        out as f64 / self.seen(v).count().max(1) as f64
    }

    /// The correlation of one variable with another one step before, values drawn in.
    fn across(&self, from: usize, to: usize) -> f64 {
        let tame = |x: f64| x.clamp(-DRAWN_IN, DRAWN_IN);
        let at = |row: usize, v: usize| self.values[row * self.width + v].map(tame);
        let rows = self.values.len() / self.width;
        let later = (0..rows).filter(|row| row % self.steps > 0);
        let pairs: Vec<(f64, f64)> = later
            .filter_map(|row| Some((at(row - 1, from)?, at(row, to)?)))
            .collect();
        let n = pairs.len().max(1) as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let a = mean(&|p| p.0);
        let b = mean(&|p| p.1);
        let both = mean(&|p| (p.0 - a) * (p.1 - b));
        let alone = mean(&|p| (p.0 - a).powi(2)) * mean(&|p| (p.1 - b).powi(2));
        both / libm::sqrt(alone.max(1e-12))
    }
}

fn places(windows: &Windows, regime: u32) -> impl Iterator<Item = (usize, usize)> {
    let own = (0..windows.len()).filter(move |&w| windows.regimes()[w] == regime);
    own.flat_map(|w| (0..windows.steps()).map(move |t| (w, t)))
}

/// The median of a variable in a regime, and its distance of quartiles as a standard deviation.
fn quartiles(windows: &Windows, regime: u32, v: usize) -> (f64, f64) {
    let mut sorted: Vec<f64> = places(windows, regime)
        .filter_map(|(w, t)| windows.get(w, t, v))
        .collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[(share * sorted.len() as f64) as usize];
    (at(0.5), ((at(0.75) - at(0.25)) / 1.349).max(1e-12))
}
