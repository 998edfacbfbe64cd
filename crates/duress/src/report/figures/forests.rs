//! Forest plots of claims and of paired differences.

use duress_core::gauge::Direction;
use duress_figure::curve::Origin;
use duress_figure::forest::{Forest, Row};
use duress_figure::frame::Titles;

use super::stands;
use crate::analysis::findings::{ClaimFinding, Contrast, GaugeCard, Verdict};
use crate::report::digest::Digest;
use crate::report::words;

/// Rows beyond which the eye gives up.
const ROWS: usize = 30;

/// Claims by family, in the order of the study.
pub(super) fn families(claims: &[ClaimFinding]) -> Vec<(String, Vec<&ClaimFinding>)> {
    let mut families: Vec<(String, Vec<&ClaimFinding>)> = Vec::new();
    for claim in claims {
        match families.iter_mut().find(|(family, _)| *family == claim.family) {
            Some((_, members)) => members.push(claim),
            None => families.push((claim.family.clone(), vec![claim])),
        }
    }
    families
}

/// The claims of one family, each beside its margin.
pub(super) fn claim_forest(family: &str, claims: &[&ClaimFinding]) -> Forest {
    let row = |claim: &&ClaimFinding| Row {
        name: format!("{}: {}", claim.name, words::verdict(claim.verdict)),
        value: claim.quantity.value.value(),
        interval: claim.judged_by.as_ref().ok().map(|range| (range.low, range.high)),
        margins: claim.margins(),
        stands: claim.verdict != Verdict::Undecided,
        origin: Origin::Measured,
        words: match (&claim.quantity.value.value(), &claim.judged_by) {
            (Some(value), Ok(range)) => format!("{} {}", words::judged(claim, *value), words::range(range)),
            (Some(value), Err(_)) => words::judged(claim, *value),
            (None, _) => "undefined".into(),
        },
        tip: claim.sentence.clone(),
    };
    Forest {
        titles: Titles {
            title: format!("Claims of family {family}"),
            remark: "Intervals are those the verdicts rest on, corrected over the family. Dashed: each claim's margin. \
                     Filled: decided; hollow: undecided."
                .into(),
            x: "what was judged, in the unit of each claim's gauge".into(),
            y: String::new(),
        },
        zero: 0.0,
        rows: claims.iter().take(ROWS).map(row).collect(),
    }
}

/// The differences between subjects at their hardest, those that stand first.
pub(super) fn contrast_forest(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Forest> {
    let mut contrasts: Vec<&Contrast> =
        digest.findings.contrasts.iter().filter(|c| c.gauge == gauge.name).collect();
    let total = contrasts.len();
    if total == 0 {
        return None;
    }
    if total > ROWS {
        contrasts.sort_by_key(|contrast| {
            (contrast.of.subject == contrast.against.subject, !stands(&contrast.quantity))
        });
        contrasts.truncate(ROWS);
    }
    // A dataset that all rows share is said once, above them.
    let dataset = &contrasts[0].of.dataset;
    let shared = contrasts.iter().all(|c| c.of.dataset == *dataset && c.against.dataset == *dataset);
    let on = if shared && digest.several_datasets() { format!(" on {dataset}") } else { String::new() };
    let better = match gauge.scale.direction {
        Direction::Higher => " (right: better)",
        Direction::Lower => " (left: better)",
        Direction::Neither => "",
    };
    let shown = if total > ROWS {
        format!(" Shown: {ROWS} of {total}; all are in the table.")
    } else {
        String::new()
    };
    Some(Forest {
        titles: Titles {
            title: format!("Paired differences in {}{on}", gauge.name),
            remark: format!("On the same units. Filled: the interval excludes zero.{shown}"),
            x: format!("difference in {}, in its own unit{better}", gauge.name),
            y: String::new(),
        },
        zero: 0.0,
        rows: contrasts
            .iter()
            .map(|contrast| contrast_row(contrast, digest.several_datasets() && !shared))
            .collect(),
    })
}

fn contrast_row(contrast: &Contrast, with_dataset: bool) -> Row {
    let name = words::difference(&contrast.of, &contrast.against, with_dataset);
    let words = match contrast.quantity.value.value() {
        Some(_) => words::signed(&contrast.quantity),
        None => "undefined".into(),
    };
    Row {
        tip: format!("{name}: {}; {}", words::signed(&contrast.quantity), words::basis(&contrast.quantity)),
        name,
        value: contrast.quantity.value.value(),
        interval: contrast.quantity.interval.as_ref().ok().map(|range| (range.low, range.high)),
        margins: Vec::new(),
        stands: stands(&contrast.quantity),
        origin: Origin::Measured,
        words,
    }
}
