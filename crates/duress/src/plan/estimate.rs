//! What asking others will come to, before anyone is asked: calls, tokens and their price.

use std::collections::HashMap;

use duress_core::cost::CostEstimate;
use duress_core::subject::SubjectPart;

use super::Plan;

/// A sentence for each subject that is asked elsewhere: what its cells come to, if nothing of them
/// is kept and nothing has to be repeated.
pub(super) fn remarks(plan: &Plan) -> Vec<String> {
    let named = plan.study.subjects.at_each();
    let sentences = named.filter_map(|(subject, decl)| {
        let SubjectPart::Live(live) = &*plan.subjects[subject].subject else {
            return None;
        };
        let cells = plan.cells();
        let own = cells.filter(|cell| cell.subject == subject && cell.rater.is_none());
        // What stress does to the length of a text is little beside what is guessed here.
        let mut known = HashMap::new();
        let costs = own.filter_map(|cell| {
            let estimate = || {
                let split = plan.dataset(cell.test, cell.replicate).dataset().test();
                live.estimate(split.items())
            };
            *known
                .entry((cell.test, cell.replicate))
                .or_insert_with(estimate)
        });
        let all = costs.reduce(|sum, one| sum + one)?;
        Some(format!("{}: {}", decl.name, in_words(&all)))
    });
    sentences.collect()
}

fn in_words(all: &CostEstimate) -> String {
    let CostEstimate {
        requests,
        input_tokens,
        output_tokens,
        price,
    } = all;
    let written = match output_tokens {
        Some(most) => format!("at most {most} written"),
        None => "nothing bounds how many are written".into(),
    };
    let price = price.map_or(String::new(), |price| {
        format!(", at most {price:.2} at the study's prices")
    });
    format!("{requests} calls, about {input_tokens} tokens read, {written}{price}")
}
