//! A classifier of images from a file: PyTorch weights, an ONNX graph, or a network of our own.
//!
//! # What it does
//! Reads a network and runs it frozen, here, with exact gradients for attacks. `file` is a path in
//! which `{seed}` and `{model}` are filled in; when it is a folder, `{model}_seed{seed}_best.pth`
//! is looked for in it (or `.pt`, `.safetensors`, `.onnx`, `.json`), and `model` may be left out
//! when there is only one. Weights with torchvision's names for ResNets (`conv1.weight`,
//! `layer1.0.conv1.weight`, …, `fc.weight`) tell their architecture themselves, also inside a
//! checkpoint (`state_dict`, `model_state_dict`) and behind `module.`; dense layers with ReLU
//! between them need `architecture = "mlp"`. An ONNX file (opset 9 to 24; checked 11 to 21) holds
//! everything but the names of the classes.
//!
//! Pixels are in [0, 1] and `(pixel − mean) / std` is what the network is given, so an attack works
//! on pixels. Weights alone do not say how images were normalised, so `mean` and `std` must be said
//! for them; for an ONNX file they are left out when the graph does that itself. One number stands
//! for all channels. `order = "bgr"` gives it blue first, as Caffe and OpenCV have it; `mean` and
//! `std` are then in that order too.
//!
//! Weights do not say strides, pools and the ε of batch norms either. What is usual for their shapes
//! is taken, and `check` and the report say what that was; `stem`, `stride-in` and `epsilon` say
//! what it is. A `probe`, images and the logits that your framework gives for them, settles it: the
//! network is held against it before anything runs.
//!
//! # Why it matters
//! A model that was trained elsewhere is what most people want to know about. Its classes in
//! another order, or its images normalised in another way, give numbers that look like a bad model.
//!
//! # Promise
//! Nothing in a file is executed: a pickle that asks for more than tensors is refused by name. The
//! content of the file is part of a cell's identity. Before anything runs, the classes are compared
//! with the dataset's, name by name and in order, and a difference is an error that shows both; so
//! are another number of outputs, another shape of images, weights that are no numbers, operators
//! that are not here, with their nodes, and logits other than the probe's.
//!
//! # Example
//! ```toml
//! [subject.baseline]
//! use = "network"
//! file = "checkpoints"                # checkpoints/baseline_seed42_best.pth for seed 42
//! model = "baseline"
//! classes = ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"]
//! mean = [0.485, 0.456, 0.406]
//! std = [0.229, 0.224, 0.225]
//! ```
//!
//! # Reference
//! K. He et al., Deep residual learning for image recognition, CVPR 2016; the ONNX operator
//! schemas; the names torchvision gives the weights of its ResNets.

use std::path::{Path, PathBuf};

use duress_core::data::{InputKind, Items};
use duress_core::explanation::Explanation;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, Failure, Fitted, Learns, Lesson, Subject, SubjectPart,
};
use duress_core::word::Word;
use duress_nn::architecture::{Stem, StrideIn};
use duress_nn::file::network::{self, Architecture, NetworkHints, ReadNetwork, ResidualHints};
use duress_nn::network::{ItemShape, Normalise};
use duress_tables::template::Template;
use serde::{Deserialize, Serialize};

use crate::classify::frame::network_classifier::Classifier;
use crate::classify::frame::network_probe;
use crate::classify::frame::smoothing::{self, Smoothing};
use crate::shared::frame::explaining::can_explain;

/// The part.
pub static PART: Part = Part {
    name: "network",
    version: 1,
    fields: &[
        Field {
            name: "file",
            takes: Takes::Text,
            doc: "the file, with {seed} and {model} to be filled in, or a folder with {model}_seed{seed}_best.pth",
            default: None,
        },
        Field {
            name: "model",
            takes: Takes::Text,
            doc: "what {model} is filled in with",
            default: Some(""),
        },
        Field {
            name: "architecture",
            takes: Takes::Choice(Architecture::spellings),
            doc: "what weights belong to; auto goes by their names",
            default: Some("auto"),
        },
        Field {
            name: "classes",
            takes: Takes::Texts,
            doc: "the names of the classes, in the order of the outputs; when left out, the file's, else the numbers from 0",
            default: Some(""),
        },
        Field {
            name: "output",
            takes: Takes::Text,
            doc: "which output of an ONNX file is meant, where it has several: the one with a number per class",
            default: Some(""),
        },
        Field {
            name: "size",
            takes: Takes::Wholes(1, 65_536),
            doc: "the height and the width of its images, or one number for both; when left out, the dataset's",
            default: Some(""),
        },
        Field {
            name: "mean",
            takes: Takes::Numbers(-1e6, 1e6),
            doc: "what is subtracted from the pixels of each channel, in [0, 1]",
            default: Some(""),
        },
        Field {
            name: "std",
            takes: Takes::Numbers(1e-6, 1e6),
            doc: "what they are then divided by",
            default: Some(""),
        },
        Field {
            name: "stem",
            takes: Takes::Choice(StatedStem::spellings),
            doc: "the stride of a ResNet's first convolution, and whether a max-pool follows, which weights do not say; auto takes stride-2-pool for 7 × 7 and stride-1 for 3 × 3",
            default: Some("auto"),
        },
        Field {
            name: "stride-in",
            takes: Takes::Choice(StatedStride::spellings),
            doc: "which convolution of a ResNet-50's blocks has the stride, which weights do not say: auto takes 3x3 as torchvision has it, Caffe's have 1x1",
            default: Some("auto"),
        },
        Field {
            name: "epsilon",
            takes: Takes::Number(1e-12, 1.0),
            doc: "what a ResNet's batch norms add to a variance, which weights do not say; when left out, 1e-5 as in PyTorch (Keras has 1e-3)",
            default: Some(""),
        },
        Field {
            name: "probe",
            takes: Takes::File,
            doc: "an npz file with images (`inputs`, pixels from 0 to 1) and the `logits` that the framework gave for them; checked before anything runs",
            default: Some(""),
        },
        Field {
            name: "order",
            takes: Takes::Choice(ColourOrder::spellings),
            doc: "the order of the colours it takes, and in which `mean` and `std` are",
            default: Some("rgb"),
        },
        smoothing::SMOOTHING,
        smoothing::DRAWS,
    ],
    source: include_str!("network.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(FromFile::new(params)?)))),
};

/// The endings that are looked for in a folder, the first that is there being taken.
const ENDINGS: [&str; 5] = ["pth", "pt", "safetensors", "onnx", "json"];

duress_core::words! {
    /// The order of the colours a network takes.
    enum ColourOrder {
        Rgb = "rgb",
        Bgr = "bgr",
    }
}

duress_core::words! {
    /// What a study says of the first convolution of a residual network.
    enum StatedStem {
        Auto = "auto",
        Stride1 = "stride-1",
        Stride1Pool = "stride-1-pool",
        Stride2 = "stride-2",
        Stride2Pool = "stride-2-pool",
    }
}

impl StatedStem {
    /// The stem, where it is stated.
    fn stem(self) -> Option<Stem> {
        let stem = |stride, pool| Some(Stem { stride, pool });
        match self {
            StatedStem::Auto => None,
            StatedStem::Stride1 => stem(1, false),
            StatedStem::Stride1Pool => stem(1, true),
            StatedStem::Stride2 => stem(2, false),
            StatedStem::Stride2Pool => stem(2, true),
        }
    }
}

duress_core::words! {
    /// What a study says of where the strides of a residual network are.
    enum StatedStride {
        Auto = "auto",
        Narrowing = "1x1",
        Middle = "3x3",
    }
}

impl StatedStride {
    /// Where they are, where it is stated.
    fn stride_in(self) -> Option<StrideIn> {
        match self {
            StatedStride::Auto => None,
            StatedStride::Narrowing => Some(StrideIn::Narrowing),
            StatedStride::Middle => Some(StrideIn::Middle),
        }
    }
}

/// Where a network is, and what is known about it.
struct FromFile {
    folder: PathBuf,
    file: Template,
    written: String,
    model: Option<String>,
    architecture: Architecture,
    classes: Vec<String>,
    /// Which output of an ONNX file is meant.
    output: Option<String>,
    size: Option<[usize; 2]>,
    /// Mean and deviation, one per channel or one for all.
    normalise: Option<(Vec<f64>, Vec<f64>)>,
    /// Which colour of an image each of its channels is.
    order: Vec<usize>,
    /// What weights of a ResNet do not say.
    residual: ResidualHints,
    /// Images with the logits they should give.
    probe: Option<PathBuf>,
    smoothing: Option<Smoothing>,
}

/// What a network can be taken up from: its file is read again, and it is the same, since its
/// content is part of the identity.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    replicate: u64,
    input: ItemShape,
}

impl FromFile {
    fn new(params: &Params) -> Result<FromFile, Problem> {
        let written = params.text("file");
        let file = Template::parse(written, &["seed", "model"])?;
        let model = params.text_if("model").map(String::from);
        if file.has("model") && model.is_none() {
            return Err(Problem::new(format!(
                "`file = {written:?}` has a place for a model, and there is no `model`"
            ))
            .expected("`model = …`"));
        }
        let size = match params.wholes("size") {
            None => None,
            Some([side]) => Some([*side as usize; 2]),
            Some([height, width]) => Some([*height as usize, *width as usize]),
            Some(sizes) => {
                return Err(
                    Problem::new(format!("`size = {sizes:?}`")).expected("a height and a width")
                );
            }
        };
        Ok(FromFile {
            folder: params.folder().into(),
            file,
            written: written.into(),
            model,
            architecture: params.choice("architecture"),
            classes: params.texts("classes").to_vec(),
            output: params.text_if("output").map(String::from),
            size,
            normalise: normalise(params)?,
            order: match params.choice("order") {
                ColourOrder::Rgb => Vec::new(),
                ColourOrder::Bgr => vec![2, 1, 0],
            },
            residual: ResidualHints {
                stem: params.choice::<StatedStem>("stem").stem(),
                stride_in: params.choice::<StatedStride>("stride-in").stride_in(),
                epsilon: params.number_if("epsilon").map(|epsilon| epsilon as f32),
            },
            probe: params.file_if("probe"),
            smoothing: Smoothing::new(params),
        })
    }

    /// The file of one of the study's seeds.
    fn find(&self, replicate: u64) -> Result<PathBuf, Problem> {
        let mut values = vec![("seed", replicate.to_string())];
        values.extend(self.model.clone().map(|model| ("model", model)));
        let found = self.file.find(&self.folder, "file", &values)?;
        if found.is_dir() {
            self.find_in(&found, replicate)
        } else {
            Ok(found)
        }
    }

    /// The best checkpoint of a seed in a folder.
    fn find_in(&self, folder: &Path, replicate: u64) -> Result<PathBuf, Problem> {
        let entries = std::fs::read_dir(folder).map_err(|error| {
            Problem::new(format!("the folder cannot be read: {error}")).in_file(folder)
        })?;
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let tail = format!("_seed{replicate}_best.");
        let of_seed = |name: &&String| {
            name.rsplit_once(&tail)
                .is_some_and(|(_, ending)| ENDINGS.contains(&ending))
        };
        let mut models: Vec<&str> = names
            .iter()
            .filter(of_seed)
            .filter_map(|name| Some(name.rsplit_once(&tail)?.0))
            .collect();
        models.dedup();
        let wanted = match (self.model.as_deref(), models.as_slice()) {
            (Some(model), _) => model,
            (None, [model]) => model,
            (None, []) => "{model}",
            (None, several) => {
                return Err(Problem::new(format!(
                    "the folder holds {} models for seed {replicate}: {}",
                    several.len(),
                    several.join(", ")
                ))
                .expected("`model = …`, one of them")
                .in_file(folder));
            }
        };
        let found = ENDINGS
            .iter()
            .map(|ending| format!("{wanted}{tail}{ending}"))
            .find(|name| names.contains(name));
        found.map(|name| folder.join(name)).ok_or_else(|| {
            let there: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
            let problem = Problem::new(format!(
                "the folder has no {wanted}_seed{replicate}_best.pth"
            ))
            .expected(format!(
                "a file of that name where `file = {:?}` leads",
                self.written
            ))
            .in_file(folder);
            if there.is_empty() {
                problem.hint("it is empty")
            } else {
                problem.hint(format!("there is: {}", there.join(", ")))
            }
        })
    }

    /// The network of one of the study's seeds, for images of a shape.
    fn network(&self, replicate: u64, input: ItemShape) -> Result<ReadNetwork, Problem> {
        let file = self.find(replicate)?;
        let said = |what: String| Problem::new(what).in_file(&file);
        if let Some([height, width]) = self.size
            && input[1..] != [height, width]
        {
            return Err(said(format!(
                "`size` says that the network takes images of {height} × {width}"
            ))
            .expected(format!(
                "one for images of {} × {}, which is what it is asked about",
                input[1], input[2]
            )));
        }
        if !self.order.is_empty() && input[0] != self.order.len() {
            return Err(
                said("`order = \"bgr\"` is for images with three colours".into())
                    .expected(format!("no `order`: the images have {} channels", input[0])),
            );
        }
        let normalise = self
            .normalise
            .as_ref()
            .map(|(mean, std)| scaled(mean, std, input[0]))
            .transpose();
        let wanted = NetworkHints {
            architecture: self.architecture,
            classes: self.classes.clone(),
            input: Some(input),
            output: self.output.clone(),
            normalise: normalise.map_err(|why| why.in_file(&file))?,
            order: self.order.clone(),
            residual: self.residual,
        };
        network::read(&file, &wanted)
    }

    /// What a reader should know about how it was read.
    fn remarks_on(&self, read: &ReadNetwork) -> Vec<String> {
        let mut remarks = read.read_as.clone();
        remarks.extend(self.remark_on_assumed(&read.assumed));
        remarks
    }

    fn remark_on_assumed(&self, assumed: &[String]) -> Option<String> {
        let what = match assumed {
            [] => return None,
            assumed => assumed.join(", "),
        };
        let shown = match self.probe {
            Some(_) => "its logits are those of `probe`",
            None => "a `probe` would show whether they are right",
        };
        Some(format!(
            "Its weights do not say everything; taken to be as usual: {what}; {shown}."
        ))
    }

    fn ready(&self, at: Checkpoint) -> Result<Box<dyn Fitted>, Failure> {
        let read = self
            .network(at.replicate, at.input)
            .map_err(|why| Failure::unable(why.to_string()))?;
        let checkpoint = serde_json::to_vec(&at).expect("numbers can be written");
        let remarks = self.remarks_on(&read);
        let classifier = Classifier::new(read.network, checkpoint).with_remarks(remarks);
        Ok(Smoothing::applied(self.smoothing, Box::new(classifier)))
    }
}

impl Subject for FromFile {
    fn abilities(&self) -> Abilities {
        Abilities {
            accepts: InputKind::Images,
            answers: vec![Question::Classes],
            learns: Learns::Nothing,
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
        network::sources(&self.find(replicate)?)
    }

    fn suits(
        &self,
        replicate: u64,
        items: &Items,
        classes: Option<&[String]>,
    ) -> Result<(), Problem> {
        let images = items
            .images()
            .map_err(|why| Problem::new(why.to_string()))?;
        let read = self.network(replicate, images.shape())?;
        let network = &read.network;
        match classes {
            Some(classes) if classes != network.classes() => {
                let outputs = network.classes().len();
                let hint = if outputs > classes.len() {
                    format!(
                        "the dataset shows {} of the network's {outputs} classes: name all {outputs} in the \
                         order of its outputs as `classes` of the dataset, whose items need not use them all",
                        classes.len()
                    )
                } else if self.classes.is_empty() {
                    "say `classes = […]` in the order of the network's outputs".into()
                } else {
                    "`classes` must name the dataset's classes in the order of the network's outputs, which must be the dataset's".into()
                };
                Err(Problem::new(format!(
                    "the network's classes are {}",
                    some_names(network.classes())
                ))
                .expected(format!(
                    "the dataset's, in their order: {}",
                    some_names(classes)
                ))
                .hint(hint)
                .in_file(self.find(replicate)?))
            }
            _ => match &self.probe {
                Some(probe) => network_probe::check(&read, probe),
                None => Ok(()),
            },
        }
    }

    fn remarks(&self, replicate: u64, items: &Items) -> Vec<String> {
        let read = items
            .images()
            .ok()
            .and_then(|images| self.network(replicate, images.shape()).ok());
        read.map_or_else(Vec::new, |read| self.remarks_on(&read))
    }

    fn fit(&self, lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        let input = lesson.items().images()?.shape();
        self.ready(Checkpoint {
            replicate: lesson.study_seed(),
            input,
        })
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let at = serde_json::from_slice(checkpoint)
            .map_err(|why| Failure::unable(format!("the checkpoint cannot be read: {why}")))?;
        self.ready(at)
    }
}

/// Names for a message; of many, the first and the last.
fn some_names(names: &[String]) -> String {
    match names {
        [first, second, .., last] if names.len() > 20 => {
            format!("{first}, {second}, …, {last} ({} of them)", names.len())
        }
        names => names.join(", "),
    }
}

/// What is subtracted from each channel, and what it is then divided by.
type PixelScale = (Vec<f64>, Vec<f64>);

fn normalise(params: &Params) -> Result<Option<PixelScale>, Problem> {
    match (params.numbers("mean"), params.numbers("std")) {
        (None, None) => Ok(None),
        (Some(mean), Some(std)) if mean.len() == std.len() && !mean.is_empty() => {
            Ok(Some((mean.to_vec(), std.to_vec())))
        }
        (Some(mean), Some(std)) => Err(Problem::new(format!(
            "`mean` has {} numbers and `std` {}",
            mean.len(),
            std.len()
        ))
        .expected("one of each per channel, or one for all")),
        (mean, _) => {
            let (there, missing) = if mean.is_some() {
                ("mean", "std")
            } else {
                ("std", "mean")
            };
            Err(
                Problem::new(format!("there is `{there}` without `{missing}`"))
                    .expected("both, or neither"),
            )
        }
    }
}

fn scaled(mean: &[f64], std: &[f64], channels: usize) -> Result<Normalise, Problem> {
    let each = |numbers: &[f64]| match numbers {
        [one] => vec![*one; channels],
        numbers => numbers.to_vec(),
    };
    if mean.len() > 1 && mean.len() != channels {
        return Err(
            Problem::new(format!("`mean` and `std` have {} numbers each", mean.len())).expected(
                format!("one per channel of the images, which have {channels}, or one for all"),
            ),
        );
    }
    let mean = each(mean).iter().map(|&x| x as f32).collect();
    // Divided before it is rounded, so that an f32 holds the nearest there is.
    let scale = each(std).iter().map(|&x| (1.0 / x) as f32).collect();
    Ok(Normalise {
        mean,
        scale,
        order: Vec::new(),
    })
}
