//! Whether gauges of explanations rank subjects alike, as a table: a row for each gauge.

use std::collections::BTreeSet;

use crate::digest::Digest;
use crate::tables::format::{Table, TableCell, numbers, words as words_column};
use duress_core::name::Name;
use duress_core::number;
use duress_findings::{ExplanationAgreement, Reading};

/// The file of the table.
pub(crate) const EXPLANATION_AGREEMENT: &str = "explanation-agreement";

/// The ranks by each gauge, and below them how far they agree.
pub(super) fn agreement(digest: &Digest<'_>) -> Table {
    let agreements = &digest.findings.explanation_agreements;
    let gauges = agreements.iter().flat_map(|one| &one.gauges);
    let subjects: BTreeSet<&Name> = gauges
        .flat_map(|gauge| gauge.ranks.iter().map(|(subject, _)| subject))
        .collect();
    let ranks = subjects.iter().map(|subject| numbers(subject.to_string()));
    let columns = [words_column("gauge"), words_column("where")];
    let columns = columns.into_iter().chain(ranks).collect();
    let title = "Do gauges of explanations rank subjects alike?";
    let mut table = Table::new(EXPLANATION_AGREEMENT, title, columns);
    for one in agreements {
        for gauge in &one.gauges {
            let under = gauge.under.to_string();
            let place = match digest.several_datasets() {
                true => format!("{}, {under}", one.dataset),
                false => under,
            };
            let rank = |subject: &&Name| {
                let own = gauge.ranks.iter().find(|(name, _)| name == *subject);
                own.map_or(TableCell::Nothing, |(_, rank)| {
                    TableCell::Words(number::tidy(*rank))
                })
            };
            let mut row = vec![
                TableCell::Words(gauge.gauge.clone()),
                TableCell::Words(place),
            ];
            row.extend(subjects.iter().map(rank));
            table.rows.push(row);
        }
        table.notes.push(note(digest, one));
    }
    table
}

fn note(digest: &Digest<'_>, one: &ExplanationAgreement) -> String {
    let about = match digest.several_datasets() {
        true => format!("{}: ", one.dataset),
        false => String::new(),
    };
    match &one.tau {
        Reading::Value(tau) => format!(
            "{about}Rank 1 is best, whichever way a gauge points. Kendall's τ-b, the mean over pairs of gauges: {} (1: all rank alike; near 0 or below: which subject is best depends on who is asked).",
            number::fixed(*tau, 2)
        ),
        Reading::Undefined(why) => format!("{about}Whether they agree is not shown: {why}."),
    }
}
