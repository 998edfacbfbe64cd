//! The keys that say what training lowers, and how images are changed while it does.

use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::word::Word;
use duress_nn::lesion::concept::Concept;
use duress_nn::train::{
    AttackStart, Augmentation, ConceptForm, ConceptTerm, InnerAttack, RateSchedule, Sampling,
    TrainingObjective, TriObjective,
};

duress_core::words! {
    /// What training lowers.
    pub(crate) enum ObjectiveWord {
        Baseline = "baseline",
        Adversarial = "adversarial",
        Trades = "trades",
        TriObjective = "tri-objective",
    }
}

// Keys without a default do not change the identity of what was trained before there were these
// keys; what is taken where one is left out is said in its text.

pub(crate) const OBJECTIVE: Field = Field {
    name: "objective",
    takes: Takes::Choice(ObjectiveWord::spellings),
    doc: "what is lowered: the cross-entropy of images as they are or of attacked ones, trades, or tri-objective; when left out, baseline, and with `adversarial` the cross-entropy after one long step",
    default: Some(""),
};
pub(crate) const ADVERSARIAL: Field = Field {
    name: "adversarial",
    takes: Takes::Number(0.0, 1.0),
    doc: "how far each pixel of what it is taught is moved against it; 0 for not at all",
    default: Some("0"),
};
pub(crate) const ATTACK_STEPS: Field = Field {
    name: "attack-steps",
    takes: Takes::Whole(1, 1000),
    doc: "the steps of that attack, each 2.5 times the reach divided by their number; 10 when left out",
    default: Some(""),
};
pub(crate) const BETA: Field = Field {
    name: "beta",
    takes: Takes::Number(0.0, 1e6),
    doc: "what the divergence between answers to clean and attacked images counts in trades; 6 when left out",
    default: Some(""),
};
pub(crate) const ROBUST_WEIGHT: Field = Field {
    name: "robust-weight",
    takes: Takes::Number(0.0, 1e6),
    doc: "what that divergence counts in a tri-objective; 1 when left out, 0 switches it off",
    default: Some(""),
};
pub(crate) const EXPLANATION_WEIGHT: Field = Field {
    name: "explanation-weight",
    takes: Takes::Number(0.0, 1e6),
    doc: "what the terms of explanations count together in a tri-objective; 1 when left out, 0 switches them off",
    default: Some(""),
};
pub(crate) const STABILITY_WEIGHT: Field = Field {
    name: "stability-weight",
    takes: Takes::Number(0.0, 1e6),
    doc: "among them, the stability of the class activation map between clean and attacked images; 0.5 when left out; needs a network that ends in global pooling and one dense layer",
    default: Some(""),
};
pub(crate) const CONSISTENCY_WEIGHT: Field = Field {
    name: "consistency-weight",
    takes: Takes::Number(0.0, 1e6),
    doc: "among them, the label-blind concept term: the divergence between answers to an image and to the same image with artefacts drawn in whatever its label; 1 when left out; needs colour images",
    default: Some(""),
};
pub(crate) const CONSISTENCY_ARTEFACTS: Field = Field {
    name: "consistency-artefacts",
    takes: Takes::Number(0.0, 1.0),
    doc: "how often each artefact of dermatoscopy is drawn into the image that is compared for that; 0.3 when left out",
    default: Some(""),
};
pub(crate) const CONCEPT_WEIGHT: Field = Field {
    name: "concept-weight",
    takes: Takes::Number(0.0, 1e6),
    doc: "among them, the concept term along concept activation vectors: how far answers move with a layer along them; 0 when left out; needs square colour images and a network with batch norms",
    default: Some(""),
};
pub(crate) const CONCEPTS: Field = Field {
    name: "concepts",
    takes: Takes::Texts,
    doc: "the concepts of that term: ink-marks, hair, bubbles, ruler-marks, dark-corners, along which answers should stay, and asymmetry, border-irregularity, colour-variation, along which they should move; all when left out",
    default: Some(""),
};
pub(crate) const CONCEPT_LAYER: Field = Field {
    name: "concept-layer",
    takes: Takes::Text,
    doc: "the batch norm at which the vectors are taken, such as layer2.0.bn2; the last one of the last stage but one when left out",
    default: Some(""),
};
pub(crate) const CONCEPT_FORM: Field = Field {
    name: "concept-form",
    takes: Takes::Choice(ConceptForm::spellings),
    doc: "whether the square of how far an answer moves with an artefact is lowered, or what it has beyond a small one; squared when left out",
    default: Some(""),
};
pub(crate) const CONCEPT_REFRESH: Field = Field {
    name: "concept-refresh",
    takes: Takes::Whole(1, 1_000_000),
    doc: "after how many steps the vectors are taken anew; 8 when left out",
    default: Some(""),
};
pub(crate) const ARTEFACT_AUGMENTATION: Field = Field {
    name: "artefact-augmentation",
    takes: Takes::Number(0.0, 1.0),
    doc: "how often each artefact of dermatoscopy is drawn into an image that is taught, whatever its label and whatever the objective; never when left out",
    default: Some(""),
};
pub(crate) const DROPOUT: Field = Field {
    name: "dropout",
    takes: Takes::Number(0.0, 0.95),
    doc: "the chance with which a channel that the last layer weighs is forgotten in a step; none when left out",
    default: Some(""),
};
pub(crate) const PLAIN_EPOCHS: Field = Field {
    name: "plain-epochs",
    takes: Takes::Whole(0, 100_000),
    doc: "how many of the first epochs lower the cross-entropy alone; none when left out",
    default: Some(""),
};
pub(crate) const SCHEDULE: Field = Field {
    name: "schedule",
    takes: Takes::Choice(RateSchedule::spellings),
    doc: "how the step size falls; cosine when left out",
    default: Some(""),
};
pub(crate) const WARM_UP: Field = Field {
    name: "warm-up",
    takes: Takes::Whole(0, 100_000),
    doc: "over how many epochs the step size rises to the learning rate; none when left out",
    default: Some(""),
};
pub(crate) const SAMPLING: Field = Field {
    name: "sampling",
    takes: Takes::Choice(Sampling::spellings),
    doc: "whether an epoch shows every item once, or classes alike often; shuffled when left out",
    default: Some(""),
};
pub(crate) const AVERAGING: Field = Field {
    name: "averaging",
    takes: Takes::Number(0.0, 0.999_999),
    doc: "the share of the averaged weights that a step keeps, where the average is to be the result; none when left out",
    default: Some(""),
};
pub(crate) const FLIP: Field = Field {
    name: "flip",
    takes: Takes::Flag,
    doc: "whether half of the images are mirrored each time they are taught",
    default: Some(""),
};
pub(crate) const SHIFT: Field = Field {
    name: "shift",
    takes: Takes::Whole(0, 1024),
    doc: "by how many pixels at most they are shifted; not when left out",
    default: Some(""),
};
pub(crate) const ROTATION: Field = Field {
    name: "rotation",
    takes: Takes::Number(0.0, 180.0),
    doc: "by how many degrees at most they are turned; not when left out",
    default: Some(""),
};
pub(crate) const COLOUR: Field = Field {
    name: "colour",
    takes: Takes::Number(0.0, 1.0),
    doc: "by which share at most brightness, contrast and saturation change; not when left out",
    default: Some(""),
};

/// What the keys say of how images are changed.
pub(crate) fn augmentation(params: &Params) -> Augmentation {
    Augmentation {
        flip: params.flag("flip"),
        shift: params.count_if("shift").unwrap_or(0),
        rotation: params.number_if("rotation").unwrap_or(0.0),
        colour: params.number_if("colour").unwrap_or(0.0),
    }
}

/// What the keys say of what is lowered.
pub(crate) fn objective(params: &Params) -> Result<TrainingObjective, Problem> {
    let reach = params.number("adversarial");
    let word = params.choice_if::<ObjectiveWord>("objective");
    refuse_keys_of_others(params, word)?;
    let attack = || inner_attack(params, reach);
    match word {
        None if reach > 0.0 => Ok(TrainingObjective::Adversarial(InnerAttack::one_step(reach))),
        None => Ok(TrainingObjective::Baseline),
        Some(ObjectiveWord::Baseline) if reach > 0.0 => Err(Problem::new(format!(
            "`adversarial = {reach}` beside `objective = \"baseline\"`"
        ))
        .expected("one or the other: a baseline is taught images as they are")),
        Some(ObjectiveWord::Baseline) => Ok(TrainingObjective::Baseline),
        Some(word) if reach == 0.0 => Err(Problem::new(format!(
            "`objective = \"{word}\"` without `adversarial`"
        ))
        .expected("how far each pixel may be moved, such as `adversarial = \"4/255\"`")),
        Some(ObjectiveWord::Adversarial) => Ok(TrainingObjective::Adversarial(InnerAttack {
            start: AttackStart::Uniform,
            ..attack()
        })),
        Some(ObjectiveWord::Trades) => Ok(TrainingObjective::Trades {
            beta: params.number_if("beta").unwrap_or(6.0),
            attack: attack(),
        }),
        Some(ObjectiveWord::TriObjective) => {
            let weight = |key: &str, usual: f64| params.number_if(key).unwrap_or(usual);
            Ok(TrainingObjective::TriObjective(TriObjective {
                attack: attack(),
                robust: weight("robust-weight", 1.0),
                explanation: weight("explanation-weight", 1.0),
                stability: weight("stability-weight", 0.5),
                consistency: weight("consistency-weight", 1.0),
                consistency_artefacts: weight("consistency-artefacts", USUAL_ARTEFACTS),
                concept: weight("concept-weight", 0.0),
                concepts: concept_term(params)?,
            }))
        }
    }
}

/// How often each artefact is drawn to compare where nobody says otherwise.
const USUAL_ARTEFACTS: f64 = 0.3;

fn concept_term(params: &Params) -> Result<ConceptTerm, Problem> {
    let usual = ConceptTerm::usual();
    let mut concepts = Vec::new();
    for word in params.texts("concepts") {
        let concept = Concept::ALL.iter().find(|concept| concept.word() == word);
        concepts.push(*concept.ok_or_else(|| {
            Problem::new(format!("`{word}` among `concepts`"))
                .expected(format!("some of {}", Concept::spellings().join(", ")))
        })?);
    }
    Ok(ConceptTerm {
        concepts: match concepts.is_empty() {
            true => usual.concepts,
            false => concepts,
        },
        layer: params.text_if("concept-layer").map(String::from),
        form: params.choice_if("concept-form").unwrap_or(usual.form),
        refresh: params.count_if("concept-refresh").unwrap_or(usual.refresh),
        pairs: usual.pairs,
    })
}

fn inner_attack(params: &Params, reach: f64) -> InnerAttack {
    let steps = params.count_if("attack-steps").unwrap_or(10);
    InnerAttack {
        reach,
        steps,
        step: 2.5 / steps as f64,
        start: AttackStart::Near,
    }
}

/// A key that the objective does not look at would be ignored in silence.
fn refuse_keys_of_others(params: &Params, word: Option<ObjectiveWord>) -> Result<(), Problem> {
    const TRI: &[ObjectiveWord] = &[ObjectiveWord::TriObjective];
    const ATTACKED: &[ObjectiveWord] = &[
        ObjectiveWord::Adversarial,
        ObjectiveWord::Trades,
        ObjectiveWord::TriObjective,
    ];
    let keys: [(&str, &[ObjectiveWord]); 12] = [
        ("beta", &[ObjectiveWord::Trades]),
        ("robust-weight", TRI),
        ("explanation-weight", TRI),
        ("stability-weight", TRI),
        ("consistency-weight", TRI),
        ("consistency-artefacts", TRI),
        ("concept-weight", TRI),
        ("concepts", TRI),
        ("concept-layer", TRI),
        ("concept-form", TRI),
        ("concept-refresh", TRI),
        ("attack-steps", ATTACKED),
    ];
    for (key, belongs) in keys {
        if params.has(key) && !word.is_some_and(|word| belongs.contains(&word)) {
            let words: Vec<String> = belongs.iter().map(|word| format!("\"{word}\"")).collect();
            return Err(
                Problem::new(format!("`{key}` belongs to another objective")).expected(format!(
                    "`objective = {}`, or no `{key}`",
                    words.join(" or ")
                )),
            );
        }
    }
    Ok(())
}
