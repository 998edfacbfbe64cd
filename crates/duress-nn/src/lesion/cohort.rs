//! Cohorts: patients with lesions, lesions with images, and the image of every case.

use duress_core::seed::Seed;

use super::artefact::{ArtefactRates, ArtefactSet};
use super::confounding::{ArtefactPairing, Confounding};
use super::diagnosis::{Diagnosis, DiagnosisFrequencies};
use super::faint::FaintCue;
use super::painting::{Painting, paint};
use super::specimen::{Skin, Specimen};
use super::view::LesionView;

/// What decides how images look and how hard they are to tell apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CohortRecipe {
    /// Height and width, in pixels.
    pub side: usize,
    /// The deviation of a lesion's traits from what is typical of its diagnosis.
    pub spread: f64,
    /// What lesion minus skin is multiplied by.
    pub contrast: f64,
    /// The amplitude of a pattern that tells the diagnosis, in [0, 1].
    pub faint: f64,
    /// The chance that an image has the artefacts of its donor.
    pub correlation: f64,
    /// The exponent of the challenge's counts: 0 for balanced.
    pub imbalance: f64,
}

impl CohortRecipe {
    /// How often diagnoses are met.
    pub fn frequencies(&self) -> DiagnosisFrequencies {
        DiagnosisFrequencies::of_imbalance(self.imbalance)
    }

    /// Which artefacts go with which diagnosis.
    pub fn confounding(&self) -> Confounding {
        Confounding::new(self.frequencies(), self.correlation)
    }

    /// How often each artefact is there, over all diagnoses: what to render when labels are not to
    /// be asked for.
    pub fn artefact_rates(&self) -> ArtefactRates {
        self.confounding().rates()
    }
}

/// The most lesions of a patient, and images of a lesion; each number up to it is as likely.
const LESIONS: usize = 3;
const IMAGES: usize = 3;

/// One image of one lesion of one patient, before it is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LesionCase {
    /// Which patient of the cohort.
    pub patient: usize,
    /// Which lesion of the patient.
    pub lesion: usize,
    /// Which image of the lesion.
    pub image: usize,
    /// What the lesion is.
    pub diagnosis: Diagnosis,
}

/// The image of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct LesionImage {
    /// Red, green and blue planes in [0, 1].
    pub pixels: Vec<f32>,
    /// Which pixels the lesion has at least half of, row by row.
    pub mask: Vec<bool>,
    /// The artefacts over it.
    pub artefacts: ArtefactSet,
    /// The diagnosis those artefacts were drawn for.
    pub donor: Diagnosis,
}

/// An endless row of patients.
///
/// ```
/// use duress_core::seed::Seed;
/// use duress_nn::lesion::cohort::{Cohort, CohortRecipe};
/// use duress_nn::lesion::confounding::ArtefactPairing;
/// let recipe = CohortRecipe {
///     side: 32, spread: 0.1, contrast: 1.0, faint: 0.0, correlation: 0.7, imbalance: 0.5,
/// };
/// let cohort = Cohort::new(recipe, Seed::new(1).child("fit"));
/// let case = cohort.cases().next().unwrap();
/// let image = cohort.image(&case, ArtefactPairing::Correlated);
/// assert_eq!(image.pixels.len(), 3 * 32 * 32);
/// assert_eq!(image.donor, case.diagnosis);
/// ```
#[derive(Clone, Debug)]
pub struct Cohort {
    recipe: CohortRecipe,
    confounding: Confounding,
    faint: FaintCue,
    seed: Seed,
}

impl Cohort {
    /// A cohort from a seed.
    pub fn new(recipe: CohortRecipe, seed: Seed) -> Cohort {
        Cohort {
            confounding: recipe.confounding(),
            faint: FaintCue::new(recipe.side, recipe.faint as f32),
            recipe,
            seed,
        }
    }

    /// All cases, patient after patient, without end.
    pub fn cases(&self) -> impl Iterator<Item = LesionCase> {
        (0..).flat_map(|patient| self.cases_of(patient))
    }

    fn cases_of(&self, patient: usize) -> Vec<LesionCase> {
        let mut draws = self.patient_seed(patient).child("counts").draws();
        let mut cases = Vec::new();
        for lesion in 0..1 + draws.below(LESIONS) {
            let seed = self.lesion_seed(patient, lesion).child("diagnosis");
            let diagnosis = self.recipe.frequencies().draw(&mut seed.draws());
            let images = 1 + draws.below(IMAGES);
            cases.extend((0..images).map(|image| LesionCase {
                patient,
                lesion,
                image,
                diagnosis,
            }));
        }
        cases
    }

    /// The image of a case, with the artefacts that a pairing gives it. Under all pairings it is the
    /// same lesion in the same light.
    pub fn image(&self, case: &LesionCase, pairing: ArtefactPairing) -> LesionImage {
        let seed = self.image_seed(case);
        let donor = self.confounding.donor(case.diagnosis, pairing, seed);
        let artefacts = self.confounding.artefacts(donor, seed);
        let Painting { mut pixels, mask } = self.painting(case);
        let shape = [3, self.recipe.side, self.recipe.side];
        artefacts.render(&mut pixels, shape, seed.child("artefacts"));
        // Last, so that the cue is never more than it says.
        self.faint.add(&mut pixels, case.diagnosis);
        LesionImage {
            pixels,
            mask,
            artefacts,
            donor,
        }
    }

    /// The image of a case without artefacts and without the faint cue.
    pub fn painting(&self, case: &LesionCase) -> Painting {
        let seed = self.lesion_seed(case.patient, case.lesion);
        let mut draws = seed.child("traits").draws();
        let traits = case.diagnosis.prototype();
        let traits = traits.scattered(self.recipe.spread, &mut draws);
        let specimen = Specimen::new(traits, seed.child("specimen"));
        let skin = Skin::new(self.patient_seed(case.patient).child("skin"));
        let view = LesionView::new(self.image_seed(case).child("view"));
        let contrast = self.recipe.contrast as f32;
        paint(&specimen, &skin, &view, self.recipe.side, contrast)
    }

    fn patient_seed(&self, patient: usize) -> Seed {
        self.seed.child(format!("patient {patient}"))
    }

    fn lesion_seed(&self, patient: usize, lesion: usize) -> Seed {
        self.patient_seed(patient).child(format!("lesion {lesion}"))
    }

    fn image_seed(&self, case: &LesionCase) -> Seed {
        let lesion = self.lesion_seed(case.patient, case.lesion);
        lesion.child(format!("image {}", case.image))
    }
}

#[cfg(test)]
mod tests {
    use duress_core::word::Word;

    use super::*;

    const RECIPE: CohortRecipe = CohortRecipe {
        side: 32,
        spread: 0.1,
        contrast: 1.0,
        faint: 0.0,
        correlation: 0.7,
        imbalance: 0.5,
    };

    fn cohort(recipe: CohortRecipe) -> Cohort {
        Cohort::new(recipe, Seed::new(11))
    }

    fn first(recipe: CohortRecipe, pairing: ArtefactPairing) -> Vec<LesionImage> {
        let cohort = cohort(recipe);
        let cases = cohort.cases().take(120);
        cases.map(|case| cohort.image(&case, pairing)).collect()
    }

    #[test]
    fn a_lesion_is_the_same_under_every_pairing_and_only_artefacts_differ() {
        let cohort = cohort(RECIPE);
        let mut differing = 0;
        for case in cohort.cases().take(200) {
            let own = cohort.image(&case, ArtefactPairing::Correlated);
            let wrong = cohort.image(&case, ArtefactPairing::Conflict);
            assert_eq!(own.mask, wrong.mask);
            assert_ne!(own.donor, wrong.donor);
            assert_eq!(own.artefacts == wrong.artefacts, own.pixels == wrong.pixels);
            differing += usize::from(own.pixels != wrong.pixels);
        }
        // Images without a signature, three in ten, are the same bit for bit.
        assert!((110..=170).contains(&differing), "{differing} of 200");
    }

    #[test]
    fn masks_are_as_large_as_images_and_lie_about_their_middle() {
        for image in first(RECIPE, ArtefactPairing::Correlated) {
            assert_eq!(image.mask.len(), 32 * 32);
            let area = image.mask.iter().filter(|inside| **inside).count();
            assert!((40..900).contains(&area), "a lesion of {area} pixels");
            let near_middle = (13..19).any(|row| (13..19).any(|c| image.mask[row * 32 + c]));
            assert!(near_middle);
        }
    }

    #[test]
    fn the_lesion_is_what_differs_from_skin_and_its_mask_says_where() {
        let flat = cohort(CohortRecipe {
            contrast: 0.0,
            ..RECIPE
        });
        let full = cohort(RECIPE);
        for case in full.cases().take(40) {
            let lesion = full.painting(&case);
            let skin = flat.painting(&case);
            let mut inside = (0.0, 0);
            let mut outside = (0.0, 0);
            for (at, masked) in lesion.mask.iter().enumerate() {
                let sum = if *masked { &mut inside } else { &mut outside };
                // The green plane: all lesions differ from skin there.
                sum.0 += (lesion.pixels[1024 + at] - skin.pixels[1024 + at]).abs();
                sum.1 += 1;
            }
            let mean = |(sum, count): (f32, usize)| sum / count as f32;
            assert!(mean(inside) > 5.0 * mean(outside));
        }
    }

    #[test]
    fn without_contrast_only_artefacts_tell_the_diagnosis() {
        let recipe = CohortRecipe {
            contrast: 0.0,
            ..RECIPE
        };
        let cohort = cohort(recipe);
        for case in cohort.cases().take(40) {
            for &diagnosis in Diagnosis::ALL {
                let other = LesionCase { diagnosis, ..case };
                assert_eq!(
                    cohort.painting(&case).pixels,
                    cohort.painting(&other).pixels
                );
            }
        }
    }

    #[test]
    fn a_faint_cue_moves_no_value_further_than_it_says() {
        for levels in [1.0, 3.0, 8.0] {
            let recipe = CohortRecipe {
                faint: levels / 255.0,
                ..RECIPE
            };
            let plain = first(RECIPE, ArtefactPairing::Independent);
            let cued = first(recipe, ArtefactPairing::Independent);
            let mut furthest: f32 = 0.0;
            for (plain, cued) in plain.iter().zip(&cued) {
                let moved = plain.pixels.iter().zip(&cued.pixels);
                let moved = moved.map(|(plain, cued)| (plain - cued).abs());
                furthest = moved.fold(furthest, f32::max);
            }
            let bound = levels as f32 / 255.0;
            assert!(furthest <= bound + 1e-6, "{furthest} for {bound}");
            assert!(furthest > 0.99 * bound, "the cue is not there");
        }
    }

    #[test]
    fn diagnoses_are_as_frequent_as_the_exponent_says() {
        for imbalance in [0.0, 0.5, 1.0] {
            let recipe = CohortRecipe {
                imbalance,
                ..RECIPE
            };
            let cases: Vec<LesionCase> = cohort(recipe).cases().take(20_000).collect();
            for &diagnosis in Diagnosis::ALL {
                let seen = cases.iter().filter(|case| case.diagnosis == diagnosis);
                let seen = seen.count() as f64 / cases.len() as f64;
                let expected = recipe.frequencies().share(diagnosis);
                assert!((seen - expected).abs() < 0.02, "{diagnosis}: {seen}");
            }
        }
    }

    #[test]
    fn images_of_one_lesion_share_its_diagnosis_and_no_two_are_equal() {
        let cohort = cohort(RECIPE);
        let cases: Vec<LesionCase> = cohort.cases().take(400).collect();
        let patients = cases.last().unwrap().patient + 1;
        assert!((80..130).contains(&patients), "{patients} patients");
        for pair in cases.windows(2) {
            let together = pair[0].patient == pair[1].patient && pair[0].lesion == pair[1].lesion;
            if together {
                assert_eq!(pair[0].diagnosis, pair[1].diagnosis);
                assert_ne!(cohort.painting(&pair[0]), cohort.painting(&pair[1]));
            }
        }
    }
}
