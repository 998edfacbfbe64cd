//! Forest plots of claims and of paired differences.

use duress_core::gauge::Direction;
use duress_core::number::NumberFormat;
use duress_figure::curve::DataOrigin;
use duress_figure::forest::{Forest, ForestRow};
use duress_figure::frame::Titles;

use super::stands;
use crate::digest::Digest;
use crate::words;
use duress_findings::{ClaimFinding, Contrast, GaugeCard, Verdict};

/// The family of claims for which a study names none.
const ALL_CLAIMS: &str = "all claims";

/// Rows beyond which the eye gives up.
const ROWS: usize = 30;

/// What one row of a forest is about: a claim, or a part of one, under its whole name.
type NamedClaim<'a> = (String, &'a ClaimFinding);

/// Claims, or their parts, by family, in the order of the study.
pub(super) fn families(claims: &[ClaimFinding]) -> Vec<(String, Vec<NamedClaim<'_>>)> {
    let mut families: Vec<(String, Vec<NamedClaim<'_>>)> = Vec::new();
    for (name, claim) in claims.iter().flat_map(ClaimFinding::judged) {
        let row = (name, claim);
        match families
            .iter_mut()
            .find(|(family, _)| *family == claim.family)
        {
            Some((_, members)) => members.push(row),
            None => families.push((claim.family.clone(), vec![row])),
        }
    }
    families
}

/// Claims whose numbers differ more than this in size do not share an axis: one of them would be a
/// dot on its zero.
const SIZES: f64 = 12.0;

/// How far from zero a claim's row reaches.
fn reach(claim: &ClaimFinding) -> f64 {
    let range = claim.judged_by.as_ref().ok();
    let ends = [
        claim.quantity.value.value(),
        range.map(|range| range.low),
        range.map(|range| range.high),
    ];
    let margin = claim.margin.abs();
    ends.into_iter()
        .flatten()
        .fold(margin, |reach, end| reach.max(end.abs()))
}

/// Claims with others of about their size, in the order of the study as far as that allows.
fn by_size<'a>(claims: &'a [NamedClaim<'a>]) -> Vec<Vec<&'a NamedClaim<'a>>> {
    let mut groups: Vec<Vec<&NamedClaim<'_>>> = Vec::new();
    for row in claims.iter().take(ROWS) {
        let alike = |other: &&NamedClaim<'_>| {
            let claim = row.1;
            let other = other.1;
            let a = reach(claim);
            let b = reach(other);
            // Claims about one gauge are compared with each other, whatever they came to.
            claim.gauge == other.gauge || a.max(b) <= SIZES * a.min(b)
        };
        match groups.iter_mut().find(|group| group.iter().all(alike)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// The claims of one family, each beside its margin.
pub(super) fn claim_forest(digest: &Digest<'_>, family: &str, claims: &[NamedClaim<'_>]) -> Forest {
    let row = |(name, claim): &NamedClaim<'_>, digits: NumberFormat| ForestRow {
        name: format!("{name}: {}", digest.word_on(name, claim)),
        value: claim.quantity.value.value(),
        interval: claim
            .judged_by
            .as_ref()
            .ok()
            .map(|range| (range.low, range.high)),
        margins: claim.margins(),
        stands: claim.verdict != Verdict::Undecided && digest.refusal(name).is_none(),
        origin: DataOrigin::Measured,
        words: words::judged_in(claim, digits),
        tip: claim.sentence.clone(),
    };
    let mut rows = Vec::new();
    let mut breaks = Vec::new();
    for group in by_size(claims) {
        let digits = words::judged_digits(group.iter().map(|(_, claim)| *claim));
        breaks.push(rows.len());
        rows.extend(group.iter().map(|claim| row(claim, digits)));
    }
    let any_refused = claims
        .iter()
        .any(|(name, _)| digest.refusal(name).is_some());
    let hollow = match any_refused {
        true => "undecided or refused",
        false => "undecided",
    };
    Forest {
        titles: Titles {
            title: if family == ALL_CLAIMS {
                "Claims".into()
            } else {
                format!("Claims of family {family}")
            },
            remark: format!(
                "Verdicts are adjusted over the family, intervals are not. Dashed: each claim's margin. \
                 Filled: decided; hollow: {hollow}."
            ),
            x: "what was judged, in the unit of each claim's gauge".into(),
            y: String::new(),
        },
        zero: 0.0,
        rows,
        breaks,
    }
}

/// The differences between subjects, then those against clean; of many, those that stand first.
pub(super) fn contrast_forest(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Forest> {
    let mut contrasts: Vec<&Contrast> = digest
        .findings
        .contrasts
        .iter()
        .filter(|c| c.gauge == gauge.name)
        .collect();
    let total = contrasts.len();
    if total == 0 {
        return None;
    }
    let against_clean = |contrast: &&Contrast| contrast.of.subject == contrast.against.subject;
    if total > ROWS {
        contrasts.sort_by_key(|contrast| (against_clean(contrast), !stands(&contrast.quantity)));
        contrasts.truncate(ROWS);
    }
    contrasts.sort_by_key(against_clean);
    // A dataset that all rows share is said once, above them.
    let dataset = &contrasts[0].of.dataset;
    let shared = contrasts
        .iter()
        .all(|c| c.of.dataset == *dataset && c.against.dataset == *dataset);
    let on = if shared && digest.several_datasets() {
        format!(" on {dataset}")
    } else {
        String::new()
    };
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
    let digits = words::digits(
        &contrasts
            .iter()
            .map(|contrast| &contrast.quantity)
            .collect::<Vec<_>>(),
    );
    let several = digest.several_datasets() && !shared;
    Some(Forest {
        titles: Titles {
            title: format!("Paired differences in {}{on}", gauge.name),
            remark: format!("On the same units. Filled: the interval excludes zero.{shown}"),
            x: format!("difference in {}{better}", gauge.name),
            y: String::new(),
        },
        zero: 0.0,
        rows: contrasts
            .iter()
            .map(|contrast| contrast_row(contrast, several, digits))
            .collect(),
        breaks: Vec::new(),
    })
}

fn contrast_row(contrast: &Contrast, with_dataset: bool, digits: NumberFormat) -> ForestRow {
    let name = contrast.of.minus(&contrast.against, with_dataset);
    let words = match contrast.quantity.value.value() {
        Some(_) => words::signed_in(&contrast.quantity, digits),
        None => "undefined".into(),
    };
    ForestRow {
        tip: format!("{name}: {words}; {}", words::basis(&contrast.quantity)),
        name,
        value: contrast.quantity.value.value(),
        interval: contrast
            .quantity
            .interval
            .as_ref()
            .ok()
            .map(|range| (range.low, range.high)),
        margins: Vec::new(),
        stands: stands(&contrast.quantity),
        origin: DataOrigin::Measured,
        words,
    }
}
