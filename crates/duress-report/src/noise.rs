//! The noise floor in words: what changes when nothing does.

use duress_core::number;
use duress_findings::{Findings, Noise, NoiseFloor, Reading};

use crate::words;

/// What stands above the lines.
pub(crate) fn heading(floor: &NoiseFloor) -> String {
    format!(
        "What changes when nothing does: run again with {}",
        words::counted(floor.seeds.len(), "fresh seed")
    )
}

/// A line for every claim and every gauge at every place, claims first.
pub(crate) fn lines(findings: &Findings, several_datasets: bool) -> Vec<String> {
    let Some(floor) = &findings.noise_floor else {
        return Vec::new();
    };
    let claims = floor.claims.iter().map(|claim| {
        let refused = match claim.margin_below {
            true => format!(
                "; its margin of {} is below that",
                number::tidy(claim.margin)
            ),
            false => String::new(),
        };
        format!(
            "claim {}: {}{refused}",
            claim.claim,
            in_words(&claim.noise, floor.level)
        )
    });
    let places = floor.places.iter().map(|one| {
        let place = one.place.in_words(several_datasets);
        format!(
            "{} of {place}: {}",
            one.gauge,
            in_words(&one.noise, floor.level)
        )
    });
    claims.chain(places).collect()
}

fn in_words(noise: &Noise, level: f64) -> String {
    match (&noise.change, &noise.floor) {
        (Reading::Value(_), _) if !noise.varies => {
            "does not vary with the seed, so other seeds show no noise; other items might".into()
        }
        (Reading::Value(change), Reading::Value(floor)) => format!(
            "changed by {}; noise stays below {} in {} % of repeats",
            number::signed(*change),
            number::short(*floor),
            number::tidy(100.0 * level)
        ),
        (Reading::Undefined(why), _) | (_, Reading::Undefined(why)) => format!("not known: {why}"),
    }
}
