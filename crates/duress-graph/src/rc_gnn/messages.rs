//! Messages: what a variable says to another, one step later, as a sum of Hermite functions of its
//! state.

use serde::{Deserialize, Serialize};

/// How many functions a message is made of at most.
pub(super) const BASIS: usize = 4;

/// 1 / √k!, which gives the k-th Hermite polynomial of a standard normal unit variance.
const UNIT: [f64; BASIS] = [
    1.0,
    std::f64::consts::FRAC_1_SQRT_2,
    0.408_248_290_463_863,
    0.204_124_145_231_931_5,
];

/// Where a normal is looked at, and with which weights: exact for polynomials up to degree nine.
const NODES: [f64; 5] = [
    -2.856_970_013_872_805_8,
    -1.355_626_179_974_266,
    0.0,
    1.355_626_179_974_266,
    2.856_970_013_872_805_8,
];
const NODE_WEIGHTS: [f64; 5] = [
    0.011_257_411_327_720_69,
    0.222_075_922_005_612_63,
    0.533_333_333_333_333_3,
    0.222_075_922_005_612_63,
    0.011_257_411_327_720_69,
];

/// States further out than this say what a state there says: a polynomial knows nothing beyond the
/// data.
const REACH: f64 = 3.2;

/// The largest variance a state is taken to have: it is 1 before anything is known, and a filter whose
/// messages are a little wrong can make far more of it.
const LARGEST_VARIANCE: f64 = 2.5;

pub(super) type BasisWeights = [f64; BASIS];

/// What the functions are expected to be of a normal with this mean and variance.
pub(super) fn expected_basis(mean: f64, variance: f64) -> BasisWeights {
    let mean = mean.clamp(-REACH, REACH);
    let gap = 1.0 - variance.min(LARGEST_VARIANCE);
    let square = mean * mean;
    [
        UNIT[0] * mean,
        UNIT[1] * (square - gap),
        UNIT[2] * mean * (square - 3.0 * gap),
        UNIT[3] * (square * (square - 6.0 * gap) + 3.0 * gap * gap),
    ]
}

/// What one variable says to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StateMessage {
    pub(super) from: usize,
    pub(super) weights: BasisWeights,
}

/// A message from a state that is not known exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeardMessage {
    pub(super) mean: f64,
    /// How much it moves with the state.
    pub(super) slope: f64,
    /// The variance that no line through the state explains.
    pub(super) bend: f64,
}

impl StateMessage {
    /// What it says of a state.
    pub(super) fn says(&self, x: f64) -> f64 {
        let basis = expected_basis(x, 0.0);
        (0..BASIS).map(|k| self.weights[k] * basis[k]).sum()
    }

    /// What it says of a normal state with this mean and variance.
    pub(super) fn heard(&self, mean: f64, variance: f64) -> HeardMessage {
        let spread = libm::sqrt(variance);
        let mut first = 0.0;
        let mut along = 0.0;
        let mut square = 0.0;
        for (node, weight) in NODES.into_iter().zip(NODE_WEIGHTS) {
            let said = self.says(mean + spread * node);
            first += weight * said;
            along += weight * said * node;
            square += weight * said * said;
        }
        HeardMessage {
            mean: first,
            slope: if spread > 0.0 { along / spread } else { 0.0 },
            bend: (square - first * first - along * along).max(0.0),
        }
    }
}

/// All messages of a model: who hears whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MessageGraph {
    /// Per variable what it hears, of itself first.
    pub(super) into: Vec<Vec<StateMessage>>,
    /// Per variable what is added at every step.
    pub(super) base: Vec<f64>,
    /// Per variable the variance of what no message explains.
    pub(super) innovation: Vec<f64>,
}
