//! A small classifier of images, trained here from nothing: linear, with hidden layers, or
//! residual.
//!
//! # What it does
//! Learns from the items of the dataset's fit split and answers with a logit per class. `linear` is
//! multinomial logistic regression, `mlp` puts dense layers with ReLU before it, `residual` three
//! stages of convolutional blocks. Pixels are normalised inside the network by mean and deviation
//! of what it was taught, so whoever attacks it works on pixels in [0, 1]. The loss is
//! cross-entropy, the step size falls along half a cosine, and with `validation` above 0 that share
//! of the fit split is held out and the epoch that was best on it is kept. The test split is never
//! looked at. With `adversarial` above 0 every image is moved against the network, within that
//! reach of each pixel, before it is taught.
//!
//! # Why it matters
//! It makes a study run from nothing on one machine, gives attacks exact gradients, and is a
//! baseline that anything larger should beat.
//!
//! # Promise
//! The same seed gives the same bits, whatever the batch, the number of threads and the platform.
//!
//! # Example
//! ```toml
//! [subject.mlp]
//! use = "trained"
//! on = "digits"
//! network = "mlp"
//! hidden = [64, 32]
//! epochs = 40
//! learning-rate = 0.003
//! ```
//!
//! # Reference
//! I. Loshchilov and F. Hutter, Decoupled weight decay regularization, ICLR 2019 (Adam with weight
//! decay, and the cosine); K. He et al., Delving deep into rectifiers, ICCV 2015 (first weights),
//! and Deep residual learning, CVPR 2016; E. Wong, L. Rice and J. Z. Kolter, Fast is better than
//! free: revisiting adversarial training, ICLR 2020.

use duress_core::data::InputKind;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, Failure, Fitted, Learns, Lesson, Subject, SubjectPart,
};
use duress_core::word::Word;
use duress_nn::architecture::Residual;
use duress_nn::train::{ClassWeights, EarlyStopping, Layers, Optimiser, TrainingRecipe, train};

use crate::classify::frame::network_classifier::Classifier;
use crate::classify::frame::smoothing::{self, Smoothing};

/// The part.
pub static PART: Part = Part {
    name: "trained",
    version: 2,
    fields: FIELDS,
    source: include_str!("trained.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(Trained::new(params)?)))),
};

const FIELDS: &[Field] = &[
    Field {
        name: "network",
        takes: Takes::Choice(NetworkShape::spellings),
        doc: "whether there are hidden layers, dense or residual",
        default: Some("mlp"),
    },
    Field {
        name: "hidden",
        takes: Takes::Wholes(1, 8192),
        doc: "the widths of the hidden layers of an mlp; [64] when left out",
        default: Some(""),
    },
    Field {
        name: "width",
        takes: Takes::Whole(1, 512),
        doc: "the channels of the first stage of a residual network; each stage doubles them",
        default: Some("8"),
    },
    Field {
        name: "blocks",
        takes: Takes::Whole(1, 64),
        doc: "the blocks of each of its three stages",
        default: Some("1"),
    },
    Field {
        name: "epochs",
        takes: Takes::Whole(1, 100_000),
        doc: "how often it sees every item it is taught",
        default: Some("40"),
    },
    Field {
        name: "batch",
        takes: Takes::Whole(1, 65_536),
        doc: "how many items go into a step",
        default: Some("32"),
    },
    Field {
        name: "optimiser",
        takes: Takes::Choice(OptimiserWord::spellings),
        doc: "how a step is made of a gradient",
        default: Some("adam"),
    },
    Field {
        name: "learning-rate",
        takes: Takes::Number(1e-9, 10.0),
        doc: "the first step size",
        default: Some("0.003"),
    },
    Field {
        name: "momentum",
        takes: Takes::Number(0.0, 0.9999),
        doc: "the share of the last step that sgd keeps; adam has its own",
        default: Some("0.9"),
    },
    Field {
        name: "weight-decay",
        takes: Takes::Number(0.0, 10.0),
        doc: "how strongly weights are drawn to zero",
        default: Some("0.0001"),
    },
    Field {
        name: "class-weights",
        takes: Takes::Choice(ClassWeights::spellings),
        doc: "whether every class counts alike, or every item",
        default: Some("balanced"),
    },
    Field {
        name: "adversarial",
        takes: Takes::Number(0.0, 1.0),
        doc: "how far each pixel of what it is taught is moved against it; 0 for not at all",
        default: Some("0"),
    },
    Field {
        name: "validation",
        takes: Takes::Number(0.0, 0.5),
        doc: "the share of the fit split that is held out to stop by; 0 trains for all epochs",
        default: Some("0"),
    },
    Field {
        name: "patience",
        takes: Takes::Whole(1, 100_000),
        doc: "after how many epochs without a better one to stop, with validation",
        default: Some("10"),
    },
    smoothing::SMOOTHING,
    smoothing::DRAWS,
];

duress_core::words! {
    /// What is between pixels and classes.
    enum NetworkShape {
        /// Nothing.
        Linear = "linear",
        /// Dense layers.
        Mlp = "mlp",
        /// Residual blocks.
        Residual = "residual",
    }
}

duress_core::words! {
    /// How a step is made of a gradient; the momentum is another key.
    enum OptimiserWord {
        Adam = "adam",
        Sgd = "sgd",
    }
}

struct Trained {
    recipe: TrainingRecipe,
    smoothing: Option<Smoothing>,
}

impl Trained {
    fn new(params: &Params) -> Result<Trained, Problem> {
        let share = params.number("validation");
        Ok(Trained {
            smoothing: Smoothing::new(params),
            recipe: TrainingRecipe {
                layers: layers(params)?,
                epochs: params.count("epochs"),
                batch: params.count("batch"),
                optimiser: match params.choice("optimiser") {
                    OptimiserWord::Adam => Optimiser::Adam,
                    OptimiserWord::Sgd => Optimiser::Sgd {
                        momentum: params.number("momentum"),
                    },
                },
                rate: params.number("learning-rate"),
                weight_decay: params.number("weight-decay"),
                class_weights: params.choice("class-weights"),
                early_stopping: (share > 0.0).then(|| EarlyStopping {
                    share,
                    patience: params.count("patience"),
                }),
                adversarial: params.number("adversarial"),
            },
        })
    }
}

fn layers(params: &Params) -> Result<Layers, Problem> {
    match params.choice("network") {
        NetworkShape::Residual if params.wholes("hidden").is_none() => Ok(Layers::Residual(
            Residual::small(params.count("width"), params.count("blocks")),
        )),
        _ => hidden(params).map(Layers::Dense),
    }
}

fn hidden(params: &Params) -> Result<Vec<usize>, Problem> {
    match (params.choice("network"), params.wholes("hidden")) {
        (NetworkShape::Linear, None) => Ok(Vec::new()),
        (network @ (NetworkShape::Linear | NetworkShape::Residual), Some(widths)) => Err(
            Problem::new(format!("`hidden = {widths:?}` in a {network} network"))
                .expected("no hidden layers")
                .hint("write `network = \"mlp\"`, or leave `hidden` out"),
        ),
        (_, None) => Ok(vec![64]),
        (_, Some([])) => Err(Problem::new("`hidden = []` in an mlp")
            .expected("the width of at least one hidden layer")
            .hint("write `network = \"linear\"` for none")),
        (_, Some(widths)) => Ok(widths.iter().map(|&width| width as usize).collect()),
    }
}

impl Subject for Trained {
    fn abilities(&self) -> Abilities {
        Abilities {
            accepts: InputKind::Images,
            answers: vec![Question::Classes],
            learns: Learns::Labels,
            gradients: true,
            reproducible: true,
            batch_tolerance: 0.0,
            at_once: AtOnce::Any,
        }
    }

    fn fit(&self, lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        let network = train(
            lesson.items().images()?,
            lesson.labels()?,
            &self.recipe,
            seed,
        );
        let network = network.map_err(|why| Failure::unable(why.to_string()))?;
        let checkpoint =
            serde_json::to_vec(&network).expect("a network holds only finite numbers and texts");
        let classifier = Box::new(Classifier::new(network, checkpoint));
        Ok(Smoothing::applied(self.smoothing, classifier))
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let network = serde_json::from_slice(checkpoint)
            .map_err(|why| Failure::unable(format!("the checkpoint cannot be read: {why}")))?;
        let classifier = Box::new(Classifier::new(network, checkpoint.to_vec()));
        Ok(Smoothing::applied(self.smoothing, classifier))
    }
}
