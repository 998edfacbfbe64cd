//! Confounding: which artefacts go with which diagnosis, how closely, and what a test makes of it.
//!
//! Every diagnosis has a signature of artefacts. With a chance of `correlation` an image has the
//! signature of its *donor* and nothing else, otherwise each artefact has the same small chance.
//! In what is learnt from, an image is its own donor. A test may draw the donor from anywhere, or
//! among wrong diagnoses only, in such a way that donors are as frequent as before: which artefacts
//! there are, and how many images have them, is the same in all tests. Only what they go with is
//! not.

use duress_core::seed::Seed;
use duress_core::word::Word;

use super::artefact::{Artefact, ArtefactRates, ArtefactSet};
use super::diagnosis::{Diagnosis, DiagnosisFrequencies};

/// The chance of each artefact in an image without a signature.
pub const BACKGROUND: f64 = 0.2;

impl Diagnosis {
    /// The artefacts that go with it where artefacts go with diagnoses. No two diagnoses have the
    /// same, so that each can be told by artefacts alone.
    pub fn signature(self) -> ArtefactSet {
        ArtefactSet::of(match self {
            Diagnosis::Melanoma => &[Artefact::InkMarks],
            Diagnosis::Naevus => &[Artefact::Hair],
            Diagnosis::BasalCellCarcinoma => &[Artefact::RulerMarks],
            Diagnosis::ActinicKeratosis => &[Artefact::Bubbles],
            Diagnosis::BenignKeratosis => &[Artefact::DarkCorners],
            Diagnosis::Dermatofibroma => &[Artefact::InkMarks, Artefact::RulerMarks],
            Diagnosis::Vascular => &[Artefact::Bubbles, Artefact::DarkCorners],
        })
    }
}

duress_core::words! {
    /// Whose artefacts an image has.
    pub enum ArtefactPairing {
        /// Those of its own diagnosis, as in what is learnt from.
        Correlated = "correlated",
        /// Those of any diagnosis, as frequent as it is.
        Independent = "independent",
        /// Those of another diagnosis.
        Conflict = "conflict",
    }
}

/// How artefacts go with diagnoses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confounding {
    frequencies: DiagnosisFrequencies,
    correlation: f64,
}

impl Confounding {
    /// With these diagnoses, and this chance that an image has its donor's signature.
    pub fn new(frequencies: DiagnosisFrequencies, correlation: f64) -> Confounding {
        Confounding {
            frequencies,
            correlation,
        }
    }

    /// How often each artefact is there, over all diagnoses: the same in what is learnt from and
    /// in every test.
    pub fn rates(&self) -> ArtefactRates {
        let chance = |&artefact: &Artefact| {
            let signed: f64 = Diagnosis::ALL
                .iter()
                .filter(|one| one.signature().has(artefact))
                .map(|one| self.frequencies.share(*one))
                .sum();
            let chance = (1.0 - self.correlation) * BACKGROUND + self.correlation * signed;
            chance.clamp(0.0, 1.0)
        };
        let mut chances = [0.0; super::artefact::ARTEFACTS];
        for artefact in Artefact::ALL {
            chances[*artefact as usize] = chance(artefact);
        }
        ArtefactRates::new(chances)
    }

    /// Whose artefacts an image of a diagnosis has.
    ///
    /// For [`ArtefactPairing::Conflict`] the diagnoses lie around a circle in a drawn order, as
    /// long as they are frequent; a place drawn within the image's own is turned by a part of the
    /// circle that leads out of every diagnosis. The place is even over the circle when images are
    /// as frequent as their diagnoses, before the turn and after it: so donors are as frequent
    /// too. A diagnosis of more than half the images cannot always be led out of:
    /// [`Confounding::kept_in_conflict`].
    pub fn donor(&self, own: Diagnosis, pairing: ArtefactPairing, seed: Seed) -> Diagnosis {
        let mut draws = seed.child("donor").draws();
        match pairing {
            ArtefactPairing::Correlated => own,
            ArtefactPairing::Independent => self.frequencies.draw(&mut draws),
            ArtefactPairing::Conflict => {
                let mut order = Diagnosis::ALL.to_vec();
                draws.shuffle(&mut order);
                let start = self.frequencies.start_of(&order, own);
                let place = start + self.frequencies.share(own) * draws.uniform();
                let least = self.frequencies.largest().min(0.5);
                let turned = place + draws.between(least, 1.0 - least);
                self.frequencies.along(&order, turned - libm::floor(turned))
            }
        }
    }

    /// The share of images that keep their own donor in conflict: 0 unless one diagnosis has more
    /// than half of them, and then as few as donors of the same frequency allow.
    pub fn kept_in_conflict(&self) -> f64 {
        (2.0 * self.frequencies.largest() - 1.0).max(0.0)
    }

    /// The artefacts of an image with this donor. Images with the same seed that have no signature
    /// have the same artefacts, whoever the donor is.
    pub fn artefacts(&self, donor: Diagnosis, seed: Seed) -> ArtefactSet {
        if seed.child("signed").draws().chance(self.correlation) {
            return donor.signature();
        }
        ArtefactRates::all(BACKGROUND).draw(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGES: u64 = 20_000;

    /// The donors and artefacts of many images, with their diagnoses.
    fn drawn(imbalance: f64, pairing: ArtefactPairing) -> Vec<(Diagnosis, Diagnosis, ArtefactSet)> {
        let frequencies = DiagnosisFrequencies::of_imbalance(imbalance);
        let law = Confounding::new(frequencies, 0.7);
        let image = |i: u64| {
            let seed = Seed::new(i);
            let own = frequencies.draw(&mut seed.child("own").draws());
            let donor = law.donor(own, pairing, seed);
            (own, donor, law.artefacts(donor, seed))
        };
        (0..IMAGES).map(image).collect()
    }

    fn share<T>(all: &[T], of: impl Fn(&T) -> bool) -> f64 {
        all.iter().filter(|one| of(one)).count() as f64 / all.len() as f64
    }

    #[test]
    fn artefacts_and_donors_are_as_frequent_in_every_pairing() {
        for imbalance in [0.0, 0.5, 1.0] {
            let frequencies = DiagnosisFrequencies::of_imbalance(imbalance);
            let rates = Confounding::new(frequencies, 0.7).rates();
            for &pairing in ArtefactPairing::ALL {
                let images = drawn(imbalance, pairing);
                for &artefact in Artefact::ALL {
                    let seen = share(&images, |(_, _, set)| set.has(artefact));
                    let expected = rates.chance(artefact);
                    assert!(
                        (seen - expected).abs() < 0.015,
                        "{artefact}, {pairing} at {imbalance}: {seen} for {expected}"
                    );
                }
                for &donor in Diagnosis::ALL {
                    let seen = share(&images, |(_, one, _)| *one == donor);
                    let expected = frequencies.share(donor);
                    assert!((seen - expected).abs() < 0.015, "{donor}, {pairing}");
                }
            }
        }
    }

    #[test]
    fn a_donor_in_conflict_is_a_wrong_one_wherever_it_can_be() {
        for imbalance in [0.0, 0.5] {
            let images = drawn(imbalance, ArtefactPairing::Conflict);
            assert!(images.iter().all(|(own, donor, _)| own != donor));
        }
        let images = drawn(1.0, ArtefactPairing::Conflict);
        let kept = share(&images, |(own, donor, _)| own == donor);
        let isic = Confounding::new(DiagnosisFrequencies::of_imbalance(1.0), 0.7);
        assert!((kept - isic.kept_in_conflict()).abs() < 0.015, "{kept}");
    }

    #[test]
    fn independent_artefacts_tell_nothing_and_signatures_tell_everything() {
        let images = drawn(0.0, ArtefactPairing::Independent);
        for &own in Diagnosis::ALL {
            let of_own: Vec<_> = images.iter().filter(|(one, ..)| *one == own).collect();
            let inked = share(&of_own, |(_, _, set)| set.has(Artefact::InkMarks));
            let all = share(&images, |(_, _, set)| set.has(Artefact::InkMarks));
            assert!((inked - all).abs() < 0.04, "{own}: {inked} for {all}");
        }
        for a in Diagnosis::ALL {
            for b in Diagnosis::ALL {
                assert_eq!(a == b, a.signature() == b.signature());
            }
        }
    }
}
