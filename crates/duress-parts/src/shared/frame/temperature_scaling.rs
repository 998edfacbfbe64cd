//! Temperature scaling of recorded answers: fitted on a validation file, applied to others.

use duress_core::answer::{ClassAnswers, Said};
use duress_core::problem::Problem;

/// What stands for the logarithm of a probability of 0: so far below that it has no share at any
/// temperature.
const IMPOSSIBLE: f64 = -1e8;

/// The temperature at which these answers say best what is true.
pub(crate) fn fit(answers: &ClassAnswers, truth: &[u32]) -> Result<f64, Problem> {
    let k = answers.classes().len();
    let logits = match answers.said() {
        Said::Logits(rows) => rows.clone(),
        Said::Probabilities(rows) => {
            if let Some(at) = truth
                .iter()
                .enumerate()
                .position(|(i, &class)| rows[i * k + class as usize] == 0.0)
            {
                return Err(Problem::new(format!(
                    "item {at} gave its true class the probability 0"
                ))
                .expected("probabilities above 0, or logits: no temperature mends a 0"));
            }
            rows.iter()
                .map(|&p| if p > 0.0 { libm::log(p) } else { IMPOSSIBLE })
                .collect()
        }
        Said::Labels { .. } => {
            return Err(Problem::new(
                "a temperature needs probabilities or logits, and these are labels",
            ));
        }
    };
    duress_stats::temperature::fit_temperature(&logits, k, truth).map_err(|why| {
        Problem::new(format!(
            "no temperature fits: {}",
            why.to_string().trim_start_matches("undefined: ")
        ))
    })
}

/// The answers at a temperature.
pub(crate) fn scaled(answers: &ClassAnswers, temperature: f64) -> Result<ClassAnswers, Problem> {
    let k = answers.classes().len();
    let said = match answers.said() {
        Said::Logits(rows) => Said::Logits(rows.iter().map(|x| x / temperature).collect()),
        Said::Probabilities(rows) => {
            let scale = |row: &[f64]| {
                let most = row.iter().copied().fold(0.0, f64::max);
                let raised: Vec<f64> = row
                    .iter()
                    .map(|p| libm::pow(p / most, 1.0 / temperature))
                    .collect();
                let sum: f64 = raised.iter().sum();
                raised.into_iter().map(move |p| p / sum)
            };
            // The place of an absent answer holds zeros, which nobody reads.
            let all = |row: &[f64]| {
                if row.iter().any(|p| *p > 0.0) {
                    scale(row).collect()
                } else {
                    row.to_vec()
                }
            };
            Said::Probabilities(rows.chunks(k).flat_map(all).collect())
        }
        Said::Labels { .. } => {
            return Err(Problem::new(
                "a temperature needs probabilities or logits, and these are labels",
            ));
        }
    };
    Ok(answers.saying(said))
}
