//! The columns of tests that are called after three ways to train: baseline, TRADES, tri-objective.

use super::{cell, of_seeds};
use crate::digest::Digest;
use crate::words::mean_and_sd;
use duress_findings::{ClaimFinding, ClaimSide, Place};

/// The columns.
pub(super) const HEADS: [&str; 13] = [
    "baseline_mean",
    "baseline_std",
    "trades_mean",
    "trades_std",
    "triobj_mean",
    "triobj_std",
    "improvement",
    "baseline_ece",
    "trades_ece",
    "triobj_ece",
    "vs_trades_t",
    "vs_trades_p",
    "vs_baseline_diff",
];

/// What the notes say about them.
pub(super) const MEANING: &str = "\nColumns that begin with `baseline`, `trades` and `triobj` are the means and sample standard deviations over seeds of the subjects \
     with these names (`tri-objective` is `triobj`) by the claim's gauge at the claim's place, whoever the claim compares; empty where the study has no such subject. \
     `improvement` is `difference` of claims that are not about equivalence; `…_ece` are the means where the gauge is `ece`; `vs_trades_t` and `vs_trades_p` are the \
     test of a claim of tri-objective against TRADES, `vs_baseline_diff` the difference of the two means.\n";

/// One of the three.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trained {
    Baseline,
    Trades,
    TriObjective,
}

/// Which of the three a subject is by its name, however it is hyphenated.
fn trained(subject: &str) -> Option<Trained> {
    let letters = subject.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    match name.as_str() {
        "baseline" => Some(Trained::Baseline),
        "trades" => Some(Trained::Trades),
        "triobj" | "triobjective" => Some(Trained::TriObjective),
        _ => None,
    }
}

/// The cells of a claim under [`HEADS`].
pub(super) fn cells(digest: &Digest<'_>, claim: &ClaimFinding) -> Vec<String> {
    let spread = |who: Trained| {
        let place = place_of(digest, claim, who);
        place.map_or((None, None), |place| {
            mean_and_sd(&of_seeds(digest, &claim.gauge, &place))
        })
    };
    let [baseline, trades, tri] =
        [Trained::Baseline, Trained::Trades, Trained::TriObjective].map(spread);
    let ece = |mean: Option<f64>| cell(mean.filter(|_| claim.gauge == "ece"));
    let value = claim.quantity.value.value();
    let improvement = value.filter(|_| claim.side != ClaimSide::Equivalent);
    let test = claim.test.as_ref().ok();
    let against_trades = test.filter(|_| {
        is(claim.of.as_ref(), Trained::TriObjective) && is(claim.against.as_ref(), Trained::Trades)
    });
    let t = against_trades.filter(|test| test.method.is_t());
    let above_baseline = tri.0.zip(baseline.0).map(|(tri, baseline)| tri - baseline);
    vec![
        cell(baseline.0),
        cell(baseline.1),
        cell(trades.0),
        cell(trades.1),
        cell(tri.0),
        cell(tri.1),
        cell(improvement),
        ece(baseline.0),
        ece(trades.0),
        ece(tri.0),
        cell(t.map(|test| test.statistic)),
        cell(against_trades.map(|test| test.p)),
        cell(above_baseline),
    ]
}

fn is(place: Option<&Place>, who: Trained) -> bool {
    place.is_some_and(|place| trained(place.subject.as_str()) == Some(who))
}

/// Where the claim looks, with another subject in it. Of a claim about a difference between
/// datasets no estimate has the mean of a side.
fn place_of(digest: &Digest<'_>, claim: &ClaimFinding, who: Trained) -> Option<Place> {
    let place = claim.of.as_ref().filter(|_| claim.minus_on.is_none())?;
    let mut subjects = digest.findings.subjects.iter();
    let subject = subjects.find(|one| trained(one.name.as_str()) == Some(who))?;
    Some(Place {
        subject: subject.name.clone(),
        ..place.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_known_by_its_name_however_it_is_written() {
        for name in ["tri-objective", "tri_objective", "TriObj", "triobj"] {
            assert!(trained(name) == Some(Trained::TriObjective), "{name}");
        }
        assert!(trained("TRADES") == Some(Trained::Trades));
        assert!(trained("trades-2").is_none());
    }
}
