//! Diagnoses: the seven classes of ISIC 2018, how frequent they are, and what is typical of each.

use duress_core::seed::Draws;
use duress_core::word::Word;

use super::traits::{LesionTraits, TRAITS};

duress_core::words! {
    /// The diagnoses, in the order of the challenge.
    pub enum Diagnosis {
        /// Melanoma.
        Melanoma = "MEL",
        /// Melanocytic naevus.
        Naevus = "NV",
        /// Basal cell carcinoma.
        BasalCellCarcinoma = "BCC",
        /// Actinic keratosis, or Bowen's disease.
        ActinicKeratosis = "AKIEC",
        /// Benign keratosis.
        BenignKeratosis = "BKL",
        /// Dermatofibroma.
        Dermatofibroma = "DF",
        /// Vascular lesion.
        Vascular = "VASC",
    }
}

/// How many diagnoses there are.
pub const DIAGNOSES: usize = Diagnosis::ALL.len();

/// How many images of each the challenge has to train on (HAM10000).
const ISIC_IMAGES: [f64; DIAGNOSES] = [1113.0, 6705.0, 514.0, 327.0, 1099.0, 115.0, 142.0];

/// What is typical of each: our reading of textbook descriptions, not measured on images. In the
/// order of [`Trait`](super::traits::Trait): darkness, redness, blueness, colour variation,
/// asymmetry, border irregularity, network, globules, cysts, pale centre, extent.
const PROTOTYPES: [[f64; TRAITS]; DIAGNOSES] = [
    [
        0.80, 0.20, 0.60, 0.75, 0.80, 0.75, 0.40, 0.50, 0.10, 0.00, 0.70,
    ],
    [
        0.50, 0.20, 0.05, 0.20, 0.15, 0.20, 0.75, 0.25, 0.05, 0.00, 0.45,
    ],
    [
        0.25, 0.55, 0.50, 0.40, 0.45, 0.35, 0.00, 0.60, 0.15, 0.15, 0.45,
    ],
    [
        0.20, 0.75, 0.00, 0.45, 0.40, 0.60, 0.00, 0.10, 0.60, 0.10, 0.55,
    ],
    [
        0.55, 0.10, 0.10, 0.45, 0.35, 0.55, 0.15, 0.10, 0.85, 0.00, 0.65,
    ],
    [
        0.35, 0.35, 0.00, 0.15, 0.15, 0.20, 0.45, 0.05, 0.05, 0.85, 0.35,
    ],
    [
        0.55, 0.90, 0.35, 0.25, 0.20, 0.15, 0.00, 0.05, 0.05, 0.05, 0.35,
    ],
];

impl Diagnosis {
    /// What is typical of it.
    pub fn prototype(self) -> LesionTraits {
        LesionTraits::new(PROTOTYPES[self as usize])
    }
}

/// How frequent each diagnosis is.
///
/// ```
/// use duress_nn::lesion::diagnosis::{Diagnosis, DiagnosisFrequencies};
/// let balanced = DiagnosisFrequencies::of_imbalance(0.0);
/// assert_eq!(balanced.share(Diagnosis::Naevus), 1.0 / 7.0);
/// let isic = DiagnosisFrequencies::of_imbalance(1.0);
/// assert!((isic.share(Diagnosis::Naevus) - 6705.0 / 10015.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiagnosisFrequencies([f64; DIAGNOSES]);

impl DiagnosisFrequencies {
    /// In proportion to the challenge's counts to the power of `exponent`: 0 makes all equal, 1 is
    /// the challenge.
    pub fn of_imbalance(exponent: f64) -> DiagnosisFrequencies {
        let weights = ISIC_IMAGES.map(|images| libm::pow(images, exponent));
        let all: f64 = weights.iter().sum();
        DiagnosisFrequencies(weights.map(|weight| weight / all))
    }

    /// The share of one.
    pub fn share(&self, of: Diagnosis) -> f64 {
        self.0[of as usize]
    }

    /// The share of the most frequent one.
    pub fn largest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// One of them, as often as it is frequent.
    pub fn draw(&self, draws: &mut Draws) -> Diagnosis {
        let place = draws.uniform();
        self.along(Diagnosis::ALL, place)
    }

    /// Where on [0, 1) each of `order` begins when all lie side by side, as long as their shares.
    pub(super) fn start_of(&self, order: &[Diagnosis], which: Diagnosis) -> f64 {
        let before = order.iter().take_while(|one| **one != which);
        before.map(|one| self.share(*one)).sum()
    }

    /// The one at a place on [0, 1) when all lie side by side in this order.
    pub(super) fn along(&self, order: &[Diagnosis], place: f64) -> Diagnosis {
        let mut end = 0.0;
        for &one in order {
            end += self.share(one);
            if place < end {
                return one;
            }
        }
        // Shares may add up to a little less than 1.
        order[order.len() - 1]
    }
}
