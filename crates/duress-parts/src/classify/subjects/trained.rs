//! A small classifier of images, trained here from nothing: linear, with hidden layers, or
//! residual.
//!
//! # What it does
//! Learns from the items of the dataset's fit split and answers with a logit per class. `linear` is
//! multinomial logistic regression, `mlp` puts dense layers with ReLU before it, `residual` three
//! stages of convolutional blocks, `resnet-18` and `resnet-50` are those of torchvision (with a first
//! convolution of stride 1 and no pool for images below 96 pixels), and `from-file` goes on from a
//! network in `file`, normalised as that file says (a state dict says nothing: pixels as they are).
//! Pixels of fresh networks are normalised inside the network by mean and deviation
//! of what it was taught, so whoever attacks it works on pixels in [0, 1]. With `validation` above 0
//! that share of the fit split is held out, by the study's clusters where there are some (a patient
//! is held out whole), and the epoch whose objective was best on it is kept. The test split is never
//! looked at. A run that is killed goes on where training was, and comes to the same bits.
//!
//! The `objective` is what is lowered. `baseline`: cross-entropy, weighted by class. `adversarial`:
//! the same of images that were moved against the network first, each pixel by at most
//! `adversarial`. `trades`: cross-entropy + β · KL(clean ‖ attacked), the attack climbing that KL from
//! a start near the image. `tri-objective`: cross-entropy + λ_robust · KL(clean ‖ attacked) +
//! λ_explanation · (stability + consistency + concept), where stability is one minus the similarity
//! of the class activation maps of clean and attacked image (contrast and structure of SSIM, one
//! window as large as the map), consistency is KL(clean ‖ the same image with artefacts drawn in,
//! whatever its label), and concept is how far answers move with a layer along concept activation
//! vectors: not along artefacts, and somewhat along what physicians look at. Attacks see batch norms
//! as they answer. For networks that end in global pooling and
//! one dense layer the class activation map is Grad-CAM, and first derivatives suffice; elsewhere
//! stability is refused.
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
//!
//! [subject.trades]
//! use = "trained"
//! on = "digits"
//! network = "residual"
//! objective = "trades"
//! adversarial = 0.1
//! ```
//!
//! # Reference
//! I. Loshchilov and F. Hutter, Decoupled weight decay regularization, ICLR 2019 (Adam with weight
//! decay, and the cosine); K. He et al., Delving deep into rectifiers, ICCV 2015 (first weights),
//! and Deep residual learning, CVPR 2016; E. Wong, L. Rice and J. Z. Kolter, Fast is better than
//! free: revisiting adversarial training, ICLR 2020 (one long step); A. Madry et al., Towards deep
//! learning models resistant to adversarial attacks, ICLR 2018; H. Zhang et al., Theoretically
//! principled trade-off between robustness and accuracy, ICML 2019 (TRADES); R. Selvaraju et al.,
//! Grad-CAM, ICCV 2017; B. Kim et al., Interpretability beyond feature attribution, ICML 2018 (concept
//! activation vectors).

use std::path::{Path, PathBuf};

use duress_core::data::InputKind;
use duress_core::explanation::Explanation;
use duress_core::fitting::{LearningCurve, WatchedSeries};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, ExportedWeights, Failure, Fitted, Learns, Lesson, Subject, SubjectPart,
};
use duress_core::word::Word;
use duress_nn::architecture::{Residual, Stem};
use duress_nn::file::network::{self, NetworkHints};
use duress_nn::file::own_weights::to_safetensors;
use duress_nn::network::Network;
use duress_nn::train::{
    ClassWeights, EarlyStopping, EpochRecord, LabelledImages, Layers, Optimiser, RateSchedule,
    Sampling, TrainedNetwork, TrainingRecipe, Untrained, train_kept,
};
use serde::{Deserialize, Serialize};

use crate::classify::frame::network_classifier::Classifier;
use crate::classify::frame::smoothing::{self, Smoothing};
use crate::classify::frame::training_keys;
use crate::shared::frame::explaining::can_explain;

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
        doc: "whether there are hidden layers, dense or residual, or which network it is",
        default: Some("mlp"),
    },
    Field {
        name: "file",
        takes: Takes::File,
        doc: "the network that training goes on from, with `network = \"from-file\"`: .pth, .safetensors or ONNX",
        default: Some(""),
    },
    Field {
        name: "checkpoints",
        takes: Takes::File,
        doc: "a folder with networks that were taught before, which are taken instead of teaching any: {objective}_seed{seed}_best.safetensors, .pth or .onnx",
        default: Some(""),
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
    training_keys::OBJECTIVE,
    training_keys::ADVERSARIAL,
    training_keys::ATTACK_STEPS,
    training_keys::BETA,
    training_keys::ROBUST_WEIGHT,
    training_keys::EXPLANATION_WEIGHT,
    training_keys::STABILITY_WEIGHT,
    training_keys::CONSISTENCY_WEIGHT,
    training_keys::CONSISTENCY_ARTEFACTS,
    training_keys::CONCEPT_WEIGHT,
    training_keys::CONCEPTS,
    training_keys::CONCEPT_LAYER,
    training_keys::CONCEPT_FORM,
    training_keys::CONCEPT_REFRESH,
    training_keys::PLAIN_EPOCHS,
    training_keys::SCHEDULE,
    training_keys::WARM_UP,
    training_keys::SAMPLING,
    training_keys::AVERAGING,
    training_keys::FLIP,
    training_keys::SHIFT,
    training_keys::ROTATION,
    training_keys::COLOUR,
    training_keys::ARTEFACT_AUGMENTATION,
    training_keys::DROPOUT,
    Field {
        name: "validation",
        takes: Takes::Number(0.0, 0.5),
        doc: "the share of the fit split that is held out to stop by, whole clusters where the study or the dataset has them; 0 trains for all epochs",
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
        Resnet18 = "resnet-18",
        Resnet50 = "resnet-50",
        /// A network that was trained before.
        FromFile = "from-file",
    }
}

duress_core::words! {
    /// How a step is made of a gradient; the momentum is another key.
    enum OptimiserWord {
        Adam = "adam",
        Sgd = "sgd",
    }
}

/// What is taught: layers that can be made without asking, or a file that is read when the lesson's
/// shape and classes are known.
enum FirstNetwork {
    Fresh(Layers),
    File(PathBuf),
}

struct Trained {
    first: FirstNetwork,
    /// Where networks lie that were taught before, and what they are called there.
    taught: Option<(PathBuf, String)>,
    recipe: TrainingRecipe,
    smoothing: Option<Smoothing>,
}

impl Trained {
    fn new(params: &Params) -> Result<Trained, Problem> {
        let share = params.number("validation");
        let objective = training_keys::objective(params)?;
        Ok(Trained {
            first: first_network(params)?,
            taught: params.file_if("checkpoints").map(|folder| {
                let objective = params.text_if("objective").unwrap_or("baseline");
                (folder, objective.to_string())
            }),
            smoothing: Smoothing::new(params),
            recipe: TrainingRecipe {
                objective,
                epochs: params.count("epochs"),
                plain_epochs: params.count_if("plain-epochs").unwrap_or(0),
                batch: params.count("batch"),
                optimiser: match params.choice("optimiser") {
                    OptimiserWord::Adam => Optimiser::Adam,
                    OptimiserWord::Sgd => Optimiser::Sgd {
                        momentum: params.number("momentum"),
                    },
                },
                rate: params.number("learning-rate"),
                schedule: params.choice_if("schedule").unwrap_or(RateSchedule::Cosine),
                warm_up: params.count_if("warm-up").unwrap_or(0),
                weight_decay: params.number("weight-decay"),
                class_weights: params.choice("class-weights"),
                sampling: params.choice_if("sampling").unwrap_or(Sampling::Shuffled),
                augmentation: training_keys::augmentation(params),
                artefact_augmentation: params.number_if("artefact-augmentation").unwrap_or(0.0),
                dropout: params.number_if("dropout").unwrap_or(0.0),
                averaging: params.number_if("averaging").filter(|kept| *kept > 0.0),
                early_stopping: (share > 0.0).then(|| EarlyStopping {
                    share,
                    patience: params.count("patience"),
                }),
                ..TrainingRecipe::new(Layers::Dense(Vec::new()))
            },
        })
    }

    /// The recipe for a lesson, and what a reader should know of the file it begins with.
    fn recipe_for(&self, lesson: &Lesson<'_>) -> Result<(TrainingRecipe, Vec<String>), Failure> {
        let mut remarks = Vec::new();
        let layers = match &self.first {
            FirstNetwork::Fresh(Layers::Residual(residual)) => {
                Layers::Residual(fitting_stem(residual, lesson.items().images()?.shape()))
            }
            FirstNetwork::Fresh(layers) => layers.clone(),
            FirstNetwork::File(file) => {
                let (network, read_as) = read_network(file, lesson)?;
                remarks.extend(read_as);
                Layers::Given(Box::new(network))
            }
        };
        let recipe = TrainingRecipe {
            layers,
            ..self.recipe.clone()
        };
        Ok((recipe, remarks))
    }

    /// The file of a network that was taught before, where such are taken.
    fn taught_file(&self, replicate: u64) -> Result<Option<PathBuf>, Problem> {
        let Some((folder, objective)) = &self.taught else {
            return Ok(None);
        };
        let name = format!("{objective}_seed{replicate}_best");
        let files = ["safetensors", "pth", "onnx"];
        let mut files = files
            .map(|ending| folder.join(format!("{name}.{ending}")))
            .into_iter();
        match files.find(|file| file.is_file()) {
            Some(file) => Ok(Some(file)),
            None => Err(Problem::new(format!(
                "the folder has no {name}.safetensors, .pth or .onnx"
            ))
            .expected("a network for every seed of the study, named by its objective")
            .in_file(folder)),
        }
    }

    /// A network that was taught before, as if it had been taught now.
    fn taught_before(&self, file: &Path, lesson: &Lesson<'_>) -> Result<Box<dyn Fitted>, Failure> {
        let (network, remarks) = read_network(file, lesson)?;
        let kept = TrainedCheckpoint {
            learning_curve: LearningCurve {
                step: "epoch".into(),
                kept: None,
                series: Vec::new(),
            },
            network,
        };
        Ok(self.classifier(kept, remarks))
    }

    fn classifier(&self, kept: TrainedCheckpoint, remarks: Vec<String>) -> Box<dyn Fitted> {
        let checkpoint =
            serde_json::to_vec(&kept).expect("a network holds only finite numbers and texts");
        let classifier = Classifier::new(kept.network, checkpoint).with_remarks(remarks);
        Smoothing::applied(self.smoothing, Box::new(classifier))
    }
}

/// The network in a file, for what a lesson is about, and what a reader should know of how it was
/// read.
fn read_network(file: &Path, lesson: &Lesson<'_>) -> Result<(Network, Vec<String>), Failure> {
    let hints = NetworkHints {
        input: Some(lesson.items().images()?.shape()),
        classes: lesson.labels()?.classes().to_vec(),
        ..NetworkHints::default()
    };
    let read = network::read(file, &hints);
    let read = read.map_err(|problem| Failure::unable(problem.to_string()))?;
    let mut remarks = read.read_as;
    if !read.assumed.is_empty() {
        remarks.push(format!(
            "The weights it began with do not say everything; taken to be as usual: {}.",
            read.assumed.join(", ")
        ));
    }
    Ok((read.network, remarks))
}

/// Images below this side are too small for a first convolution of stride 2 and a pool.
const LARGE_SIDE: usize = 96;

/// A ResNet by name has the first convolution that suits the images.
fn fitting_stem(residual: &Residual, [_, height, width]: [usize; 3]) -> Residual {
    let mut residual = residual.clone();
    if residual.stem == Stem::LARGE && height.min(width) < LARGE_SIDE {
        residual.stem = Stem::SMALL;
        residual.first_side = 3;
    }
    residual
}

fn first_network(params: &Params) -> Result<FirstNetwork, Problem> {
    let shape = params.choice("network");
    match (shape, params.file_if("file")) {
        (NetworkShape::FromFile, Some(file)) => return Ok(FirstNetwork::File(file)),
        (NetworkShape::FromFile, None) => {
            return Err(Problem::new("`network = \"from-file\"` without `file`")
                .expected("the file of a network to go on from"));
        }
        (shape, Some(_)) => {
            return Err(
                Problem::new(format!("`file` beside `network = \"{shape}\"`"))
                    .expected("`network = \"from-file\"`, or no `file`"),
            );
        }
        (_, None) => {}
    }
    if params.wholes("hidden").is_some() {
        return hidden(params).map(|widths| FirstNetwork::Fresh(Layers::Dense(widths)));
    }
    Ok(FirstNetwork::Fresh(match shape {
        NetworkShape::Residual => Layers::Residual(Residual::small(
            params.count("width"),
            params.count("blocks"),
        )),
        NetworkShape::Resnet18 => Layers::Residual(Residual::large(&[2, 2, 2, 2], false)),
        NetworkShape::Resnet50 => Layers::Residual(Residual::large(&[3, 4, 6, 3], true)),
        _ => Layers::Dense(hidden(params)?),
    }))
}

fn hidden(params: &Params) -> Result<Vec<usize>, Problem> {
    match (params.choice("network"), params.wholes("hidden")) {
        (NetworkShape::Linear, None) => Ok(Vec::new()),
        (NetworkShape::Mlp, None) => Ok(vec![64]),
        (NetworkShape::Mlp, Some([])) => Err(Problem::new("`hidden = []` in an mlp")
            .expected("the width of at least one hidden layer")
            .hint("write `network = \"linear\"` for none")),
        (NetworkShape::Mlp, Some(widths)) => {
            Ok(widths.iter().map(|&width| width as usize).collect())
        }
        (network, widths) => Err(Problem::new(format!(
            "`hidden = {:?}` in a {network} network",
            widths.unwrap_or_default()
        ))
        .expected("no hidden layers")
        .hint("write `network = \"mlp\"`, or leave `hidden` out")),
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

    fn explains(&self, asked: &Explanation) -> bool {
        self.smoothing.is_none() && can_explain(asked, true, true)
    }

    fn sources(&self, replicate: u64) -> Result<Vec<PathBuf>, Problem> {
        let begun_with = match &self.first {
            FirstNetwork::Fresh(_) => None,
            FirstNetwork::File(file) => Some(file.clone()),
        };
        let taught = self.taught_file(replicate)?;
        Ok(taught.or(begun_with).into_iter().collect())
    }

    fn keeps_clusters_together(&self) -> bool {
        self.recipe.early_stopping.is_some()
    }

    fn fit(&self, lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        let taught = self.taught_file(lesson.study_seed());
        let taught = taught.map_err(|problem| Failure::unable(problem.to_string()))?;
        if let Some(file) = taught {
            return self.taught_before(&file, lesson);
        }
        let (recipe, remarks) = self.recipe_for(lesson)?;
        let images = LabelledImages {
            images: lesson.items().images()?,
            labels: lesson.labels()?,
            clusters: lesson.clusters(),
        };
        let trained = train_kept(images, &recipe, seed, lesson.keeper());
        let trained = trained.map_err(|why| match why {
            Untrained::NotKept(failure) => failure,
            why => Failure::unable(why.to_string()),
        })?;
        let kept = TrainedCheckpoint {
            learning_curve: learning_curve(&trained),
            network: trained.network,
        };
        Ok(self.classifier(kept, remarks))
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let network = taught_network(checkpoint)
            .map_err(|why| Failure::unable(format!("the checkpoint cannot be read: {why}")))?;
        let classifier = Box::new(Classifier::new(network, checkpoint.to_vec()));
        Ok(Smoothing::applied(self.smoothing, classifier))
    }

    fn learning_curve(&self, checkpoint: &[u8]) -> Option<LearningCurve> {
        let kept: KeptCurve = serde_json::from_slice(checkpoint).ok()?;
        // A network that was taken from a file has none.
        let curve = kept.learning_curve;
        (!curve.series.is_empty()).then_some(curve)
    }

    fn exported(&self, checkpoint: &[u8]) -> Option<ExportedWeights> {
        let network = taught_network(checkpoint).ok()?;
        Some(ExportedWeights {
            ending: "safetensors",
            bytes: to_safetensors(&network),
        })
    }
}

/// What is kept of a training.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TrainedCheckpoint {
    learning_curve: LearningCurve,
    network: Network,
}

/// The network of a checkpoint; one of before there were learning curves is nothing else.
fn taught_network(checkpoint: &[u8]) -> serde_json::Result<Network> {
    match serde_json::from_slice::<TrainedCheckpoint>(checkpoint) {
        Ok(kept) => Ok(kept.network),
        Err(why) => serde_json::from_slice(checkpoint).map_err(|_| why),
    }
}

/// The same without its network, which is long to read.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct KeptCurve {
    learning_curve: LearningCurve,
}

/// What was watched, epoch by epoch.
fn learning_curve(trained: &TrainedNetwork) -> LearningCurve {
    let series = |name: &str, value: &dyn Fn(&EpochRecord) -> Option<f64>| {
        let values: Vec<f64> = trained.epochs.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| WatchedSeries {
            name: name.into(),
            values,
        })
    };
    let watched = [
        series("loss", &|record| Some(record.loss)),
        series("validation", &|record| record.held_out),
        series("learning rate", &|record| Some(record.rate)),
    ];
    LearningCurve {
        step: "epoch".into(),
        kept: trained.kept,
        series: watched.into_iter().flatten().collect(),
    }
}
