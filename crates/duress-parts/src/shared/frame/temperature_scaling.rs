//! Temperature scaling of recorded answers: fitted on a validation file, applied to others.

use duress_core::answer::{ClassAnswers, Said};
use duress_core::problem::Problem;

/// The temperature at which these answers say best what is true.
pub(crate) fn fit(answers: &ClassAnswers, truth: &[u32]) -> Result<f64, Problem> {
    let k = answers.classes().len();
    let zero = |rows: &[f64]| {
        let mut truth = truth.iter().enumerate();
        truth.position(|(i, &class)| rows[i * k + class as usize] == 0.0)
    };
    if let Said::Probabilities(rows) = answers.said()
        && let Some(at) = zero(rows)
    {
        return Err(
            Problem::new(format!("item {at} gave its true class the probability 0"))
                .expected("probabilities above 0, or logits: no temperature mends a 0"),
        );
    }
    let logits = answers.log_scores().ok_or_else(labels_only)?;
    duress_stats::temperature::fit_temperature(&logits, k, truth).map_err(|why| {
        Problem::new(format!(
            "no temperature fits: {}",
            why.to_string().trim_start_matches("undefined: ")
        ))
    })
}

/// The answers at a temperature.
pub(crate) fn scaled(answers: &ClassAnswers, temperature: f64) -> Result<ClassAnswers, Problem> {
    answers.at_temperature(temperature).ok_or_else(labels_only)
}

fn labels_only() -> Problem {
    Problem::new("a temperature needs probabilities or logits, and these are labels")
}
