//! The noise floor: what changes between two runs when nothing but the seeds does.

use duress_core::place::Place;
use serde::{Deserialize, Serialize};

use crate::claim::ClaimFinding;
use crate::id::Id;
use crate::quantity::Reading;

/// What a second run of the same study with fresh seeds came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NoiseFloor {
    /// The seeds of the second run.
    pub seeds: Vec<u64>,
    /// How often a change of noise alone stays below its floor.
    pub level: f64,
    /// Every gauge at every place that both runs have.
    pub places: Vec<PlaceFloor>,
    /// Every claim about a difference, or part of one.
    pub claims: Vec<ClaimFloor>,
}

/// What changed of a gauge at a place when nothing changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlaceFloor {
    /// How it is quoted: as the estimate it is about.
    pub id: Id,
    /// The gauge.
    pub gauge: String,
    /// Where.
    pub place: Place,
    /// What changed, and what changes of this size are.
    pub noise: Noise,
}

/// What changed of the difference that a claim is about when nothing changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClaimFloor {
    /// The claim, with its part where it has several.
    pub claim: String,
    /// Its margin.
    pub margin: f64,
    /// What changed, and what changes of this size are.
    pub noise: Noise,
    /// Whether the margin is one, and smaller than the floor: then it asks for less than what
    /// changes by itself.
    pub margin_below: bool,
}

/// A change when nothing changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Noise {
    /// The second run minus the first.
    pub change: Reading,
    /// What a change of noise alone stays below: from how seeds scatter in both runs, and at least
    /// what was seen.
    pub floor: Reading,
    /// Whether readings differ from seed to seed at all.
    pub varies: bool,
}

impl NoiseFloor {
    /// What two runs have, to be filled.
    pub fn new(seeds: Vec<u64>, level: f64) -> NoiseFloor {
        NoiseFloor {
            seeds,
            level,
            places: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// The claims whose margin is below what changes by itself.
    pub fn refused(&self) -> impl Iterator<Item = &ClaimFloor> {
        self.claims.iter().filter(|claim| claim.margin_below)
    }

    /// Why a claim is refused: the first of its parts whose margin is below what changes by itself.
    pub fn refuses(&self, claim: &ClaimFinding) -> Option<&ClaimFloor> {
        let mut parts = claim.judged();
        parts.find_map(|(name, _)| self.refused().find(|floor| floor.claim == name))
    }
}

impl PlaceFloor {
    /// Of a gauge at a place.
    pub fn new(gauge: &str, place: Place, noise: Noise) -> PlaceFloor {
        PlaceFloor {
            id: Id::estimate(gauge, &place),
            gauge: gauge.into(),
            place,
            noise,
        }
    }
}

impl ClaimFloor {
    /// Of a claim with a margin; none is stated where it is 0.
    pub fn new(claim: String, margin: f64, noise: Noise) -> ClaimFloor {
        let floor = noise.floor.value();
        let below = floor.is_some_and(|floor| margin != 0.0 && margin.abs() < floor);
        ClaimFloor {
            claim,
            margin,
            noise,
            margin_below: below,
        }
    }
}

impl Noise {
    /// A change, what noise stays below, and whether anything varies.
    pub fn new(change: Reading, floor: Reading, varies: bool) -> Noise {
        Noise {
            change,
            floor,
            varies,
        }
    }
}
