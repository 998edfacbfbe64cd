//! A study run twice, with fresh seeds the second time: what changes when nothing changes.
//!
//! The second run has a folder inside the first one's. Its seeds are made of the study's, so that
//! whoever repeats this repeats the same; nothing else differs. Where numbers differ between the two
//! runs, that is noise, and a margin that asks for less than the noise asks for nothing.

use duress_core::place::Place;
use duress_findings::{
    AbsenceReason, ClaimFinding, ClaimFloor, Estimate, Findings, Noise, NoiseFloor, PlaceFloor,
    Reading,
};
use duress_stats::dist::StudentT;

use crate::analysis::reason;
use crate::plan;
use crate::run::{Event, RunPaths};
use crate::study::Study;
use crate::workflow::{self, Finished, RunError, RunOptions};

/// How often a change of noise alone stays below its floor.
const LEVEL: f64 = 0.95;

/// Runs a study, and again with fresh seeds in a folder inside its own, and says in the findings
/// what changed when nothing but the seeds did.
pub fn run_twice(
    study: &Study,
    options: &RunOptions<'_>,
    tell: &(dyn Fn(&Event) + Sync),
) -> Result<Finished, RunError> {
    let second = |error: RunError| RunError::SecondRun(Box::new(error));
    let seeds: Vec<u64> = study.seeds.iter().map(|seed| fresh_seed(*seed)).collect();
    let other = study.with_seeds(&seeds, &options.registry);
    // What has no second run, such as answers recorded for certain seeds, is told before the first.
    let other = other.and_then(|other| {
        plan::make(other.clone(), &options.registry)?;
        Ok(other)
    });
    let other = other.map_err(|rejected| second(RunError::Rejected(rejected)))?;
    let first = workflow::hold_for_second_run(study, options, tell)?;
    let again = RunOptions {
        folder: first.paths().twice(),
        jobs: options.jobs,
        // A second run is to show what differs: replies kept from the first would hide it.
        cache: None,
        batch: options.batch.clone(),
        retry: options.retry,
        registry: options.registry.clone(),
        stop: options.stop,
    };
    workflow::run(&other, &again, tell).map_err(second)?;
    first.with_noise_floor()
}

/// The seed that stands in for another in the second run: the first 63 bits of the BLAKE3 hash of
/// `duress run --twice` and the seed as eight bytes, the smallest first.
pub fn fresh_seed(seed: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"duress run --twice");
    hasher.update(&seed.to_le_bytes());
    let hash = hasher.finalize();
    let (first, _) = hash.as_bytes().split_at(8);
    let number = first
        .iter()
        .fold(0, |all, byte| all << 8 | u64::from(*byte));
    // A study file has whole numbers below 2⁶³.
    number >> 1
}

/// The noise floor of findings beside which a second run was made.
pub(crate) fn noise_floor(paths: &RunPaths, first: &Findings) -> Option<NoiseFloor> {
    let json = std::fs::read_to_string(RunPaths::new(paths.twice()).findings()).ok()?;
    let second = duress_findings::from_json(&json).ok()?;
    Some(between(first, &second))
}

fn between(first: &Findings, second: &Findings) -> NoiseFloor {
    let mut found = NoiseFloor::new(second.study.seeds.clone(), LEVEL);
    let places = first.estimates.iter().filter_map(|one| {
        let other = second.estimates.iter().find(|other| other.id == one.id)?;
        let noise = noise(&readings(one), &readings(other));
        Some(PlaceFloor::new(&one.gauge, one.place.clone(), noise))
    });
    found.places = places.collect();
    let claims = first.claims.iter().flat_map(ClaimFinding::judged);
    let claims = claims.filter(|(_, claim)| claim.is_difference());
    found.claims = claims
        .map(|(name, claim)| {
            let noise = noise(&differences(first, claim), &differences(second, claim));
            ClaimFloor::new(name, claim.margin, noise)
        })
        .collect();
    found
}

/// The readings of an estimate, seed by seed.
fn readings(estimate: &Estimate) -> Vec<f64> {
    let readings = estimate.by_seed.iter();
    readings
        .filter_map(|(_, reading)| reading.value())
        .collect()
}

/// What a claim is about in one of the runs, seed by seed.
fn differences(findings: &Findings, claim: &ClaimFinding) -> Vec<f64> {
    let at = |place: &Option<Place>| {
        let place = place.as_ref()?;
        let mut estimates = findings.estimates.iter();
        estimates.find(|one| one.gauge == claim.gauge && one.place == *place)
    };
    let readings = |place: &Option<Place>| -> Option<Vec<Option<f64>>> {
        let minus = match &claim.minus_on {
            Some(other) => Some(at(&Some(place.as_ref()?.on(other)))?),
            None => None,
        };
        let seeds = at(place)?.by_seed.iter().enumerate();
        let reading = |(nth, (_, reading)): (usize, &(u64, Reading))| {
            let off = minus.map_or(Some(0.0), |minus| minus.by_seed.get(nth)?.1.value());
            Some(reading.value()? - off?)
        };
        Some(seeds.map(reading).collect())
    };
    let (Some(of), Some(against)) = (readings(&claim.of), readings(&claim.against)) else {
        return Vec::new();
    };
    let both = of.into_iter().zip(against);
    both.filter_map(|(of, against)| Some(of? - against?))
        .collect()
}

/// The change between two means of readings, and what such a change stays below where only noise
/// moves it: Student's t on the spread within both runs.
fn noise(first: &[f64], second: &[f64]) -> Noise {
    if first.is_empty() || second.is_empty() {
        let nothing = || Reading::Undefined(AbsenceReason::NothingToCompareWith);
        return Noise::new(nothing(), nothing(), false);
    }
    let varies = first.iter().chain(second).any(|one| *one != first[0]);
    let change = mean(second) - mean(first);
    let spread = match first.len() + second.len() - 2 {
        // One seed each: what was seen once is all there is.
        0 => Ok(0.0),
        freedom => spread_of_change(first, second, freedom as f64),
    };
    let floor = match spread {
        Ok(spread) => Reading::Value(spread.max(change.abs())),
        Err(why) => Reading::Undefined(reason::statistic(why)),
    };
    Noise::new(Reading::Value(change), floor, varies)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn spread_of_change(
    first: &[f64],
    second: &[f64],
    freedom: f64,
) -> Result<f64, duress_stats::UndefinedReason> {
    let squares = |values: &[f64]| {
        let mean = mean(values);
        let each = values.iter().map(|value| (value - mean) * (value - mean));
        each.sum::<f64>()
    };
    let variance = (squares(first) + squares(second)) / freedom;
    let seeds = 1.0 / first.len() as f64 + 1.0 / second.len() as f64;
    let quantile = StudentT::new(freedom)?.upper_quantile(0.5 * (1.0 - LEVEL))?;
    Ok(quantile * (variance * seeds).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_what_noise_stays_below() {
        // Pooled variance (0.02 + 0.02)/4 = 0.01, times 2/3; t(4) at 0.975 is 2.776445.
        let found = noise(&[0.5, 0.6, 0.7], &[0.6, 0.7, 0.8]);
        let floor = 2.776_445_105_197_793 * (0.01_f64 * 2.0 / 3.0).sqrt();
        assert!((found.floor.value().unwrap() - floor).abs() < 1e-12);
        assert!((found.change.value().unwrap() - 0.1).abs() < 1e-12);
        // Never below what was seen.
        let far = noise(&[0.1, 0.1, 0.101], &[0.9, 0.9, 0.9]);
        assert_eq!(far.floor, Reading::Value(far.change.value().unwrap().abs()));
    }

    #[test]
    fn one_seed_each_knows_what_it_saw() {
        let found = noise(&[0.5], &[0.4]);
        assert!((found.floor.value().unwrap() - 0.1).abs() < 1e-12 && found.varies);
        let still = noise(&[0.5], &[0.5]);
        assert_eq!((still.floor.value(), still.varies), (Some(0.0), false));
    }

    #[test]
    fn fresh_seeds_are_other_numbers_that_a_study_can_hold() {
        let fresh: std::collections::BTreeSet<u64> = (0..1000).map(fresh_seed).collect();
        assert_eq!(fresh.len(), 1000);
        assert!(fresh.iter().all(|seed| *seed < 1 << 63));
        assert_eq!(fresh_seed(1), fresh_seed(1));
    }
}
