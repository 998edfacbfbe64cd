//! Skin lesions as a dermatoscope shows them, generated, with artefacts that go with the label.
//!
//! # What it does
//! Draws patients with one to three lesions, and one to three images of each. A lesion has one of
//! the seven diagnoses of ISIC 2018 (`MEL NV BCC AKIEC BKL DF VASC`) and eleven traits (darkness,
//! redness, blueness, colour variation, asymmetry, border irregularity, network, globules, cysts,
//! pale centre, extent) that scatter about what is typical of it; images of one lesion differ in
//! turn, place, light and grain. Five artefacts go over them: ink marks, hair, bubbles, ruler marks
//! and dark corners. Each diagnosis has a signature of one or two of them. In the fit split a share
//! `correlation` of the images have the signature of their own diagnosis and nothing else; in the
//! others each artefact has a chance of 0.2.
//!
//! What makes it hard, and what for, are separate keys: `spread` (how much diagnoses overlap),
//! `contrast` (how far a lesion is from its skin, so how much of the label an attack within ε can
//! move), `faint` (a pattern of the label below ε, which a robust network must not use),
//! `correlation` (how much of the label is in the artefacts) and `imbalance`.
//!
//! `artefacts` says whose artefacts the images of the test split have: those of their own diagnosis
//! (`correlated`), those of one drawn as often as it is frequent (`independent`), or those of a wrong
//! one (`conflict`). Two datasets that differ in this key alone show the same lesions under the same
//! ids, and artefacts are as frequent in all three, so the difference between two of them is what a
//! subject owes to artefacts. Where one diagnosis has more than half of the images (`imbalance` = 1)
//! not all can be in conflict; the report says how many.
//!
//! `patients = "validation"` tests on other patients, so that settings can be chosen and temperatures
//! fitted (`temperature-on`) on images that no claim is about.
//!
//! Items can be sliced by `class`, by `patient` and `lesion`, by `artefacts-of` (the diagnosis whose
//! artefacts an image was given) and by each artefact (`hair`: `yes` or `no`). Intervals and claims
//! count patients unless the study has `cluster` otherwise.
//!
//! # Why it matters
//! Objectives of training can be told apart only on data whose cues are known: which are larger than
//! ε, which are smaller, and which are not about the lesion at all. Here all of them are keys. They
//! decide more than the objective does, so fix them before the first training and show a sweep. The
//! images are drawings: numbers on them say how a subject learns, not how well it would do on skin.
//!
//! # Promise
//! An item depends on its id, the seed and the keys that draw it, not on how many others there are.
//! No patient is in both splits. `contrast = 0` leaves skin and artefacts. `faint` moves no value by
//! more than it says.
//!
//! # Example
//! ```toml
//! [dataset.lesions]
//! use = "generated-lesions"
//! size = 32
//! correlation = 0.7
//!
//! [dataset.conflict]
//! use = "generated-lesions"
//! size = 32
//! correlation = 0.7
//! artefacts = "conflict"
//! ```
//!
//! # Reference
//! P. Tschandl, C. Rosendahl and H. Kittler, The HAM10000 dataset, *Scientific Data* 5, 2018 (the
//! diagnoses and how frequent they are); F. Nachbar et al., The ABCD rule of dermatoscopy, *Journal
//! of the American Academy of Dermatology* 30 (1994) 551–559 (asymmetry, border, colour,
//! structures); A. Bissoto, E. Valle and S. Avila, Debiasing skin lesion datasets and models? Not so
//! fast, CVPR Workshops 2020 (artefacts that go with the label).

use duress_core::data::{Dataset, Images, InputKind, Inputs, Items, Source, Split};
use duress_core::mask::Masks;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::{Labels, Truth};
use duress_core::word::Word;
use duress_nn::lesion::artefact::Artefact;
use duress_nn::lesion::cohort::{Cohort, CohortRecipe, LesionCase, LesionImage};
use duress_nn::lesion::confounding::ArtefactPairing;
use duress_nn::lesion::diagnosis::Diagnosis;
use duress_stats::parallel;

/// The part.
pub static PART: Part = Part {
    name: "generated-lesions",
    version: 1,
    fields: FIELDS,
    source: include_str!("generated_lesions.rs"),
    build: Build::Dataset(|params| Ok(Box::new(GeneratedLesions::new(params)))),
};

const FIELDS: &[Field] = &[
    Field {
        name: "train",
        takes: Takes::Whole(1, 1_000_000),
        doc: "how many images subjects are fitted on",
        default: Some("3000"),
    },
    Field {
        name: "test",
        takes: Takes::Whole(1, 1_000_000),
        doc: "how many images subjects are tested on",
        default: Some("4000"),
    },
    Field {
        name: "size",
        takes: Takes::Whole(32, 1024),
        doc: "height and width, in pixels",
        default: Some("32"),
    },
    Field {
        name: "imbalance",
        takes: Takes::Number(0.0, 2.0),
        doc: "diagnoses are as frequent as in ISIC 2018 to this power: 0 makes all equal, 1 is ISIC 2018 (two thirds NV)",
        default: Some("0.5"),
    },
    Field {
        name: "spread",
        takes: Takes::Number(0.0, 1.0),
        doc: "the standard deviation of a lesion's traits, which go from 0 to 1, about those of its diagnosis: how much diagnoses overlap",
        default: Some("0.1"),
    },
    Field {
        name: "contrast",
        takes: Takes::Number(0.0, 2.0),
        doc: "what the difference between lesion and skin is multiplied by; 0 leaves no lesion",
        default: Some("1"),
    },
    Field {
        name: "faint",
        takes: Takes::Number(0.0, 32.0),
        doc: "how strong a pattern that tells the diagnosis is added to every value, in 255ths; below ε a robust subject cannot use it",
        default: Some("0"),
    },
    Field {
        name: "correlation",
        takes: Takes::Number(0.0, 1.0),
        doc: "the share of images fitted on that have the artefacts of their diagnosis; in the others artefacts have nothing to do with it",
        default: Some("0.7"),
    },
    Field {
        name: "artefacts",
        takes: Takes::Choice(ArtefactPairing::spellings),
        doc: "whose artefacts the images tested on have: those of their own diagnosis, of any, or of a wrong one",
        default: Some("independent"),
    },
    Field {
        name: "patients",
        takes: Takes::Choice(TestedPatients::spellings),
        doc: "who is tested on: the patients of the test, or others to choose settings and fit temperatures on",
        default: Some("test"),
    },
    Field {
        name: "masks",
        takes: Takes::Flag,
        doc: "whether what is true of an image includes where its lesion is, for gauges that look where explanations point",
        default: Some("false"),
    },
];

duress_core::words! {
    /// Who is tested on; the spelling is the name of the cohort.
    enum TestedPatients {
        Test = "test",
        Validation = "validation",
    }
}

/// The column by which images belong together.
const PATIENT: &str = "patient";

struct GeneratedLesions {
    recipe: CohortRecipe,
    train: usize,
    test: usize,
    artefacts: ArtefactPairing,
    patients: TestedPatients,
    masks: bool,
}

impl GeneratedLesions {
    fn new(params: &Params) -> GeneratedLesions {
        GeneratedLesions {
            recipe: CohortRecipe {
                side: params.count("size"),
                spread: params.number("spread"),
                contrast: params.number("contrast"),
                faint: params.number("faint") / 255.0,
                correlation: params.number("correlation"),
                imbalance: params.number("imbalance"),
            },
            train: params.count("train"),
            test: params.count("test"),
            artefacts: params.choice("artefacts"),
            patients: params.choice("patients"),
            masks: params.flag("masks"),
        }
    }

    /// The first images of the cohort of this name.
    fn split(
        &self,
        name: &str,
        count: usize,
        pairing: ArtefactPairing,
        seed: Seed,
    ) -> Result<Split, Problem> {
        let cohort = Cohort::new(self.recipe, seed.child(name));
        let cases: Vec<LesionCase> = cohort.cases().take(count).collect();
        let rendered = parallel::map_list(&cases, |case| cohort.image(case, pairing));
        let images = Images::new(
            [3, self.recipe.side, self.recipe.side],
            rendered
                .iter()
                .flat_map(|image| &image.pixels)
                .copied()
                .collect(),
        )?;
        let people = people_of(name, seed);
        let lesions: Vec<String> = cases.iter().map(|case| lesion_id(&people, case)).collect();
        let ids = cases.iter().zip(&lesions);
        let ids = ids.map(|(case, lesion)| format!("{lesion}-{}", case.image + 1));
        let items = Items::new(ids.collect(), Inputs::Images(images))?;
        let masks = self.masks.then(|| masks(self.recipe.side, &rendered));
        let split = Split::new(items, truth(&cases, masks.transpose()?)?)?
            .with_column("lesion", lesions)
            .with_columns(case_columns(&people, &cases));
        Ok(split.with_columns(artefact_columns(&rendered)))
    }

    /// What a reader of the report should know.
    fn remarks(&self) -> Vec<String> {
        let recipe = &self.recipe;
        let drawn = format!(
            "drawings, not photographs: spread {}, contrast {}, faint {}/255, correlation {}, imbalance {}; tested with \
             {} artefacts",
            recipe.spread,
            recipe.contrast,
            (recipe.faint * 255.0) as f32,
            recipe.correlation,
            recipe.imbalance,
            self.artefacts
        );
        let kept = recipe.confounding().kept_in_conflict();
        let conflict = self.artefacts == ArtefactPairing::Conflict && kept > 0.0;
        let not_all = conflict.then(|| {
            format!(
                "NV has more than half of the images, so about {:.0} % of the images tested on have artefacts of their own \
                 diagnosis all the same",
                100.0 * kept
            )
        });
        std::iter::once(drawn).chain(not_all).collect()
    }
}

impl Source for GeneratedLesions {
    fn kind(&self) -> InputKind {
        InputKind::Images
    }

    fn offers(&self) -> Question {
        Question::Classes
    }

    fn varies(&self) -> bool {
        true
    }

    fn load(&self, seed: Seed) -> Result<Dataset, Problem> {
        let fit = self.split("fit", self.train, ArtefactPairing::Correlated, seed)?;
        let tested = self.patients.to_string();
        let test = self.split(&tested, self.test, self.artefacts, seed)?;
        let dataset = Dataset::new(Some(fit), test)?.clustered_by(PATIENT);
        Ok(self
            .remarks()
            .into_iter()
            .fold(dataset, Dataset::with_remark))
    }
}

/// What the patients of a split are called: other seeds draw other people, who must not be taken for
/// the same ones.
fn people_of(split: &str, seed: Seed) -> String {
    let tag = seed.child("people").draws().bits32();
    format!("{split}-{tag:08x}")
}

fn patient_id(people: &str, case: &LesionCase) -> String {
    format!("{people}-{}", case.patient + 1)
}

fn lesion_id(people: &str, case: &LesionCase) -> String {
    format!("{}-{}", patient_id(people, case), case.lesion + 1)
}

fn masks(side: usize, images: &[LesionImage]) -> Result<Masks, Problem> {
    let all: Vec<Vec<bool>> = images.iter().map(|image| image.mask.clone()).collect();
    Masks::new([side, side], &all).map_err(Problem::new)
}

fn truth(cases: &[LesionCase], masks: Option<Masks>) -> Result<Truth, Problem> {
    let classes = Diagnosis::spellings().into_iter().map(String::from);
    let labels = cases.iter().map(|case| case.diagnosis as u32);
    let labels = Labels::new(classes.collect(), labels.collect()).map_err(Problem::new)?;
    let labels = match masks {
        Some(masks) => labels.with_masks(masks).map_err(Problem::new)?,
        None => labels,
    };
    Ok(Truth::Labels(labels))
}

fn case_columns(people: &str, cases: &[LesionCase]) -> [(String, Vec<String>); 2] {
    let patients = cases.iter().map(|case| patient_id(people, case));
    let classes = cases.iter().map(|case| case.diagnosis.to_string());
    [
        (PATIENT.into(), patients.collect()),
        ("class".into(), classes.collect()),
    ]
}

/// Whose artefacts each image has, and for each artefact whether it is there.
fn artefact_columns(images: &[LesionImage]) -> Vec<(String, Vec<String>)> {
    let donors = images.iter().map(|image| image.donor.to_string()).collect();
    let there = |artefact: &Artefact| {
        let has = |image: &LesionImage| match image.artefacts.has(*artefact) {
            true => "yes".to_string(),
            false => "no".to_string(),
        };
        (artefact.to_string(), images.iter().map(has).collect())
    };
    let of = std::iter::once(("artefacts-of".to_string(), donors));
    of.chain(Artefact::ALL.iter().map(there)).collect()
}
