//! A process of yours that reads questions and writes answers: any language, any framework, any
//! device.
//!
//! # What it does
//! Starts `command` in the study's folder and talks to it through its standard input and output: a
//! line of JSON per message, and with `protocol = "binary"` a frame of raw numbers after it, so
//! that large images do not drown in digits. Items go in batches of `batch`; each reply has
//! `timeout` seconds (`fit-timeout` for learning). A process that ends is started again, at most
//! `restarts` times for a batch; one that writes anything but the reply is ended, and what it
//! wrote, with its line, is the reason in the report, with the end of its standard error. Messages
//! and frames are in `docs/command.md`.
//!
//! With `learns = "items"` or `"labels"` it is first taught, and what it returns as its checkpoint
//! is given back to it whenever it is started anew. With `gradients = true` it also tells its loss
//! and the loss's gradient, so that attacks can climb it.
//!
//! # Why it matters
//! The model under test stays where it is: a PyTorch network on a GPU, a script, a vendor's binary.
//! Nothing is exported, and what breaks in it cannot break the study.
//!
//! # Promise
//! The process is told neither ids nor truth of what it is tested on, nor how hard it is pressed;
//! only where it offers gradients is it told labels, inside the question for the loss: an attack
//! from within cannot do without, and the process must not use them otherwise. As a rater
//! (`[rater.NAME]`) it is not under test, and is told the references. It inherits the
//! environment, of which nothing is kept: values of variables that sound secret are struck from
//! what it says and from what is shown of its standard error. Put secrets there, not into `command`,
//! which is kept with the study. Its process group is ended with it. The content of files named in `command`, and of
//! those in `watch`, is part of a cell's identity: after an edit the cells are asked anew. How it is
//! asked (`batch`, `timeout`, `fit-timeout`, `restarts`) is not. A program found on the search path is
//! not looked into. Answers about items are kept batch by
//! batch, and those that the process tells one by one as they come: when a batch breaks, what was
//! answered is not asked again, and with `run --retry` neither are the items of other cells that
//! were. A graph is about all items, and is kept when it is there.
//!
//! # Example
//! ```toml
//! [subject.mine]
//! use = "command"
//! on = "digits"
//! command = ["python3", "nearest_mean.py"]
//! accepts = "images"
//! answers = "classes"
//! learns = "labels"
//! ```
//!
//! # Reference
//! `docs/command.md`; JSON Lines, jsonlines.org.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duress_core::answer::{Absence, Answers, ClassAnswers, ItemAnswer, ItemForm, Said};
use duress_core::cost::Cost;
use duress_core::data::{Images, InputKind, Inputs, Items};
use duress_core::explanation::{AskedExplanation, Explanation};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::{PlainQuestion, Question};
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, Differentiable, Explainer, Failure, FailureKind, Fitted, Intake, ItemByItem,
    Learns, Lesson, LogitSlope, LogitSlopes, Loss, Subject, SubjectPart,
};
use duress_core::truth::Labels;
use duress_core::word::Word;
use duress_nn::attribution::OnlyLogits;
use duress_tables::labels::no_class_twice;
use serde::{Deserialize, Serialize};

use crate::process::child::Program;
use crate::process::early::EarlyAnswers;
use crate::process::reading::{Asked, ClassForm};
use crate::process::talk::Allowance;
use crate::process::visit::{Protocol, Terms, Visit};
use crate::shared::frame::explaining::{Explaining, can_explain};
use crate::shared::frame::gathering_intake::gathered;

/// The part.
pub static PART: Part = Part {
    name: "command",
    version: 1,
    fields: FIELDS,
    source: include_str!("command.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(Command::new(params)?)))),
};

const FIELDS: &[Field] = &[
    Field {
        name: "command",
        takes: Takes::Texts,
        doc: "the program and its arguments; a program with a folder in its path is found from the study's folder",
        default: None,
    },
    Field {
        name: "watch",
        takes: Takes::Texts,
        doc: "further files whose content decides the answers, such as weights or a module the script imports",
        default: Some(""),
    },
    Field {
        name: "accepts",
        takes: Takes::Choice(CommandInputs::spellings),
        doc: "what it is given",
        default: None,
    },
    Field {
        name: "answers",
        takes: Takes::Choice(PlainQuestion::spellings),
        doc: "what it says about it",
        default: None,
    },
    Field {
        name: "classes",
        takes: Takes::Texts,
        doc: "the names of the classes in its order; when left out, it says them in its hello, or is taught them",
        default: Some(""),
    },
    Field {
        name: "protocol",
        takes: Takes::Choice(Protocol::spellings),
        doc: "whether arrays of numbers are JSON, or frames behind a line of JSON",
        default: Some("json"),
    },
    Field {
        name: "batch",
        takes: Takes::Whole(1, 1_000_000),
        doc: "how many items it is asked about at a time; a graph is always learnt from all",
        default: Some("64"),
    },
    Field {
        name: "timeout",
        takes: Takes::Number(0.001, 1e7),
        doc: "seconds until a reply must be there: to the hello, to a checkpoint, to a batch",
        default: Some("60"),
    },
    Field {
        name: "fit-timeout",
        takes: Takes::Number(0.001, 1e7),
        doc: "seconds learning may take",
        default: Some("3600"),
    },
    Field {
        name: "restarts",
        takes: Takes::Whole(0, 1000),
        doc: "how often a process that ended is started again to be asked the same",
        default: Some("1"),
    },
    Field {
        name: "learns",
        takes: Takes::Choice(Learns::spellings),
        doc: "what it is taught before it is asked",
        default: Some("nothing"),
    },
    Field {
        name: "gradients",
        takes: Takes::Flag,
        doc: "whether it tells its loss and the gradient, so that attacks can climb it; it is then told labels",
        default: Some("false"),
    },
    Field {
        name: "reproducible",
        takes: Takes::Flag,
        doc: "whether the same seed gives the same answers; the seed is in the hello",
        default: Some("true"),
    },
    Field {
        name: "batch-tolerance",
        takes: Takes::Number(0.0, 1.0),
        doc: "how far a probability may depend on what else is in the batch",
        default: Some("1e-5"),
    },
];

duress_core::words! {
    /// What a process can be given.
    enum CommandInputs {
        Images = "images",
        Windows = "windows",
        Texts = "texts",
    }
}

struct Command {
    terms: Terms,
    abilities: Abilities,
    watch: Vec<PathBuf>,
}

impl Command {
    fn new(params: &Params) -> Result<Command, Problem> {
        let abilities = abilities(params);
        fit_together(&abilities, plain_question(params))?;
        no_class_twice(params.texts("classes"))?;
        let program = Program::new(params.texts("command"), params.folder()).ok_or_else(|| {
            Problem::new("`command = []`")
                .expected("the program and its arguments, as a list of texts")
        })?;
        let seconds = |key| Duration::from_secs_f64(params.number(key));
        let terms = Terms {
            program,
            protocol: params.choice("protocol"),
            accepts: abilities.accepts,
            answers: plain_question(params),
            learns: abilities.learns,
            gradients: abilities.gradients,
            classes: params.texts("classes").to_vec(),
            batch: params.count("batch"),
            timeout: seconds("timeout"),
            fit_timeout: seconds("fit-timeout"),
            restarts: params.count("restarts"),
        };
        let watch = params
            .texts("watch")
            .iter()
            .map(|file| params.folder().join(file))
            .collect();
        Ok(Command {
            terms,
            abilities,
            watch,
        })
    }
}

fn abilities(params: &Params) -> Abilities {
    Abilities {
        accepts: match params.choice("accepts") {
            CommandInputs::Images => InputKind::Images,
            CommandInputs::Windows => InputKind::Windows,
            CommandInputs::Texts => InputKind::Texts,
        },
        answers: vec![plain_question(params)],
        learns: params.choice("learns"),
        gradients: params.flag("gradients"),
        reproducible: params.flag("reproducible"),
        batch_tolerance: params.number("batch-tolerance"),
        at_once: AtOnce::ONE,
    }
}

/// What it answers, whatever else it explains.
fn plain_question(params: &Params) -> Question {
    params.choice::<PlainQuestion>("answers").into()
}

fn fit_together(abilities: &Abilities, answers: Question) -> Result<(), Problem> {
    let accepts = abilities.accepts;
    if abilities.gradients && (accepts, answers) != (InputKind::Images, Question::Classes) {
        return Err(Problem::new(format!("`gradients = true` with {accepts} and {answers}")).expected(
            "`accepts = \"images\"` and `answers = \"classes\"`: attacks climb a classifier of images",
        ));
    }
    if answers == Question::Graph && accepts != InputKind::Windows {
        return Err(
            Problem::new(format!("a graph from {accepts}")).expected("`accepts = \"windows\"`")
        );
    }
    Ok(())
}

impl Subject for Command {
    fn abilities(&self) -> Abilities {
        self.abilities.clone()
    }

    /// Its layers are its own affair.
    fn explains(&self, asked: &Explanation) -> bool {
        let images = self.abilities.accepts == InputKind::Images;
        let classes = self.terms.answers == Question::Classes;
        images && classes && can_explain(asked, self.abilities.gradients, false)
    }

    /// How patiently it is asked, and about how many items at a time.
    fn keys_without_effect(&self) -> &'static [&'static str] {
        &["batch", "timeout", "fit-timeout", "restarts"]
    }

    fn sources(&self, _replicate: u64) -> Result<Vec<PathBuf>, Problem> {
        if let Some(gone) = self.watch.iter().find(|file| !file.is_file()) {
            return Err(Problem::new("`watch` names it, but there is no such file").in_file(gone));
        }
        Ok(self
            .terms
            .program
            .files()
            .chain(self.watch.iter().cloned())
            .collect())
    }

    fn fit(&self, lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        let labels = match self.terms.learns {
            Learns::Labels => Some(lesson.labels()?),
            Learns::Items | Learns::Nothing => None,
        };
        let seed = seed.draws().bits32();
        let mut visit = Visit::begin(&self.terms, seed)?;
        let taught = match self.terms.learns {
            Learns::Nothing => None,
            Learns::Items | Learns::Labels => {
                Some(visit.teach(&self.terms, lesson.items(), labels)?)
            }
        };
        let known = KnownClasses {
            seed,
            classes: classes(&self.terms, visit.classes(), labels)?,
            dimensions: visit.dimensions().to_vec(),
            shape: lesson.items().images().ok().map(|images| images.shape()),
            slopes: visit.slopes(),
        };
        Ok(Box::new(AskedProcess {
            terms: self.terms.clone(),
            known,
            taught,
            visit: Mutex::new(Some(visit)),
        }))
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let unreadable =
            |why: &str| Failure::unable(format!("the checkpoint cannot be read: {why}"));
        let end = checkpoint
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(|| unreadable("no first line"))?;
        let known: KnownClasses = serde_json::from_slice(&checkpoint[..end])
            .map_err(|why| unreadable(&why.to_string()))?;
        let taught = (self.terms.learns != Learns::Nothing).then(|| checkpoint[end + 1..].to_vec());
        let asking = AskedProcess {
            terms: self.terms.clone(),
            known,
            taught,
            visit: Mutex::new(None),
        };
        let visit = asking.visit()?;
        *asking.seat() = Some(visit);
        Ok(Box::new(asking))
    }
}

/// The names of the classes: what the process says (and the study may not contradict), the study
/// says, or the process was taught, in this order of trust.
fn classes(
    terms: &Terms,
    said: Option<&[String]>,
    labels: Option<&Labels>,
) -> Result<Vec<String>, Failure> {
    let taught = labels.map(Labels::classes);
    match said
        .or(Some(terms.classes.as_slice()).filter(|named| !named.is_empty()))
        .or(taught)
    {
        _ if terms.answers != Question::Classes => Ok(Vec::new()),
        Some(classes) if !classes.is_empty() => Ok(classes.to_vec()),
        _ => Err(Failure::unable(
            "expected the names of the classes, in the process's hello or as `classes` in the study; neither has them",
        )),
    }
}

/// What is known of a process that is ready to answer.
#[derive(Serialize, Deserialize)]
struct KnownClasses {
    seed: u32,
    classes: Vec<String>,
    dimensions: Vec<String>,
    /// The shape of the images it was readied on: an attack hands over pixels without one.
    shape: Option<[usize; 3]>,
    /// Whether it tells logits and takes slopes of them back to the pixels.
    #[serde(default)]
    slopes: bool,
}

/// A process that is ready to answer; while it is not there, it is started when it is next asked.
struct AskedProcess {
    terms: Terms,
    known: KnownClasses,
    taught: Option<Vec<u8>>,
    visit: Mutex<Option<Visit>>,
}

impl AskedProcess {
    fn seat(&self) -> MutexGuard<'_, Option<Visit>> {
        self.visit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process that knows what it was taught.
    fn visit(&self) -> Result<Visit, Failure> {
        let mut visit = Visit::begin(&self.terms, self.known.seed)?;
        if let Some(said) = visit.classes().filter(|said| *said != self.known.classes) {
            let known = &self.known.classes;
            let why =
                format!("its hello says classes {said:?}; when it was readied they were {known:?}");
            return Err(Failure::new(FailureKind::Nonsense, why));
        }
        if let Some(taught) = &self.taught {
            visit.remind(&self.terms, taught)?;
        }
        Ok(visit)
    }

    /// Asks one thing, of a new process where the last one ended. Who has lost the thread is not
    /// asked again.
    fn ask<T>(&self, mut ask: impl FnMut(&mut Visit) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut seat = self.seat();
        let mut left = self.terms.restarts;
        loop {
            let asked = match seat.take() {
                Some(visit) => Ok(visit),
                None => self.visit(),
            };
            let asked = asked.and_then(|mut visit| match ask(&mut visit) {
                Err(failure) if failure.kind != FailureKind::Unable => Err(failure),
                answered => {
                    *seat = Some(visit);
                    answered
                }
            });
            match asked {
                Err(failure) if failure.kind == FailureKind::Crashed && left > 0 => left -= 1,
                Err(failure) if failure.kind == FailureKind::Crashed => {
                    let why = format!(
                        "{} (started {} times)",
                        failure.why,
                        self.terms.restarts + 1
                    );
                    return Err(Failure::new(failure.kind, why));
                }
                other => return other,
            }
        }
    }

    fn logits_of(
        &self,
        visit: &mut Visit,
        images: &[f32],
        shape: [usize; 3],
    ) -> Result<Vec<f32>, Failure> {
        let items = images.len() / shape.iter().product::<usize>();
        let classes = self.known.classes.len();
        let axes = [items, shape[0], shape[1], shape[2]];
        let allowed = self.allowance(items, classes);
        visit.logits(&self.terms, images, axes, classes, allowed)
    }

    /// The shape of images that are given as pixels, of so many where that is known.
    fn shape_of(&self, pixels: &[f32], images: Option<usize>) -> Result<[usize; 3], Failure> {
        let shape = self
            .known
            .shape
            .ok_or_else(|| Failure::unable("was not readied on images"))?;
        let size: usize = shape.iter().product();
        let images = images.unwrap_or(pixels.len() / size);
        if pixels.len() != images * size {
            let pixels = pixels.len();
            return Err(Failure::unable(format!(
                "{pixels} pixels are not {images} images of {shape:?}"
            )));
        }
        Ok(shape)
    }

    fn allowance(&self, items: usize, size: usize) -> Allowance {
        // A frame of doubles for what is expected; a page more, so that one too many is told by its
        // shape.
        Allowance {
            time: self.terms.timeout,
            frame: (items * size * 8 + 4096) as u64,
        }
    }
}

impl AskedProcess {
    /// Whether it can be asked such a question about such items at all.
    fn check(&self, question: Question, items: &Items) -> Result<(), Failure> {
        let answers = self.terms.answers;
        let wants = self.terms.accepts;
        let given = items.inputs().kind();
        if question != answers {
            let why = format!("answers {answers}, was asked for {question}");
            return Err(Failure::unable(why));
        }
        match given == wants {
            true => Ok(()),
            false => Err(Failure::unable(format!("wants {wants}, was given {given}"))),
        }
    }
}

/// What it is asked.
impl AskedProcess {
    fn asked<'a>(&'a self, question: Question, items: &'a Items) -> Asked<'a> {
        let windows = items.windows();
        Asked {
            question,
            classes: &self.known.classes,
            dimensions: &self.known.dimensions,
            variables: windows.map_or(&[][..], |windows| windows.variables()),
        }
    }

    fn ask_batch(
        &self,
        asked: &Asked<'_>,
        items: &Items,
        which: Range<usize>,
        mut early: Option<&mut EarlyAnswers<'_>>,
    ) -> Result<Answers, Failure> {
        let allowed = self.allowance(which.len(), asked.classes.len());
        self.ask(|visit| {
            if let Some(early) = &mut early {
                early.begin();
            }
            let mut hear = |at: usize, answer: ItemAnswer| match &mut early {
                Some(early) => early.hear(at, answer),
                None => Err(Failure::unable("a graph is answered all at once")),
            };
            let which = which.clone();
            let said = visit.ask(&self.terms, asked, items, which, allowed, &mut hear)?;
            if let Some(early) = &early {
                early.agree(&each_answer(&said))?;
            }
            Ok(said)
        })
    }
}

impl Fitted for AskedProcess {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        if let Some(each) = self.item_by_item() {
            return gathered(each, question, items);
        }
        self.check(question, items)?;
        if items.is_empty() {
            return Err(Failure::unable("there is no window to learn from"));
        }
        self.ask_batch(&self.asked(question, items), items, 0..items.len(), None)
    }

    fn checkpoint(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&self.known).expect("names and numbers are always JSON");
        bytes.push(b'\n');
        bytes.extend_from_slice(self.taught.as_deref().unwrap_or_default());
        bytes
    }

    fn differentiable(&self) -> Option<&dyn Differentiable> {
        self.terms.gradients.then_some(self)
    }

    fn explainer(&self) -> Option<&dyn Explainer> {
        let classifies_images = (InputKind::Images, Question::Classes);
        ((self.terms.accepts, self.terms.answers) == classifies_images).then_some(self)
    }

    /// Whatever has an answer of its own: only a graph is about all items.
    fn item_by_item(&self) -> Option<&dyn ItemByItem> {
        (self.terms.answers != Question::Graph).then_some(self)
    }
}

/// Where its answers come from is found by asking it: by slopes where it tells them, else by what it
/// says of images with something covered.
impl Explainer for AskedProcess {
    fn explain(
        &self,
        asked: AskedExplanation,
        items: &Items,
        towards: &[u32],
    ) -> Result<Answers, Failure> {
        let shape = items.images()?.shape();
        let told = OnlyLogits(|pixels: &[f32]| self.log_scores(pixels, shape));
        let slopes = self.differentiable().and_then(Differentiable::logit_slopes);
        let explaining = Explaining {
            slopes: slopes.unwrap_or(&told),
            network: None,
        };
        explaining.explain(asked, items, towards)
    }
}

impl AskedProcess {
    /// A logit of each image and class, or the logarithm of a probability.
    fn log_scores(&self, pixels: &[f32], shape: [usize; 3]) -> Result<Vec<f32>, Failure> {
        let images = Images::new(shape, pixels.to_vec())
            .map_err(|problem| Failure::unable(problem.to_string()))?;
        let ids = (0..images.len()).map(|at| at.to_string()).collect();
        let items = Items::new(ids, Inputs::Images(images))
            .map_err(|problem| Failure::unable(problem.to_string()))?;
        let scores = match self.answer(Question::Classes, &items)? {
            Answers::Classes(said) => said.log_scores(),
            _ => None,
        };
        let scores = scores
            .ok_or_else(|| Failure::unable("labels do not tell how sure it is of a class"))?;
        Ok(scores.into_iter().map(|score| score as f32).collect())
    }
}

impl ItemByItem for AskedProcess {
    fn form(&self, question: Question) -> ItemForm {
        match question {
            Question::Ratings => ItemForm::Ratings(self.known.dimensions.clone()),
            Question::Classes => ItemForm::Labels(self.known.classes.clone()),
            Question::Text | Question::Graph | Question::Explanation(_) => ItemForm::Texts,
        }
    }

    /// Batch by batch: when one breaks, the answers of those before it are kept, and what it told of
    /// single items.
    fn answer_items(
        &self,
        question: Question,
        items: &Items,
        intake: &dyn Intake,
    ) -> Result<(), Failure> {
        self.check(question, items)?;
        let mut form = None;
        for which in batches(items.len(), self.terms.batch) {
            if intake.stopping() {
                return Ok(());
            }
            self.keep_batch(question, items, which, intake, &mut form)?;
        }
        Ok(())
    }
}

impl AskedProcess {
    /// Asks about a batch, and keeps what is said of single items before the reply as it comes: when
    /// the batch breaks, these are there. A classifier keeps to the form of its first batch.
    fn keep_batch(
        &self,
        question: Question,
        items: &Items,
        which: Range<usize>,
        intake: &dyn Intake,
        form: &mut Option<ClassForm>,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let first = which.start;
        let count = which.len();
        let asked = self.asked(question, items);
        let mut early = EarlyAnswers::new(intake, first);
        let said = self.ask_batch(&asked, items, which, Some(&mut early))?;
        same_form(form, &said)?;
        let cost = Cost {
            seconds: begun.elapsed().as_secs_f64() / count as f64,
            ..Cost::default()
        };
        let rest = each_answer(&said).into_iter().enumerate();
        let rest = rest.filter(|(at, _)| !early.is_kept(*at));
        let rest = rest.map(|(at, answer)| (first + at, answer)).collect();
        intake.keep_together(rest, cost)
    }
}

fn same_form(before: &mut Option<ClassForm>, said: &Answers) -> Result<(), Failure> {
    let form = ClassForm::of_answers(said);
    if before.is_some() && *before != form {
        let why = "one batch was answered in another form (probabilities, logits, labels with or without confidences) than the one before";
        return Err(Failure::new(FailureKind::Nonsense, why));
    }
    *before = form;
    Ok(())
}

/// Answers, one by one.
fn each_answer(said: &Answers) -> Vec<ItemAnswer> {
    let of_text = |one: &Result<String, Absence>| match one {
        Ok(text) => ItemAnswer::Text(text.clone()),
        Err(why) => ItemAnswer::Absent(why.clone()),
    };
    let of_row = |one: &Result<Vec<f64>, Absence>| match one {
        Ok(row) => ItemAnswer::Ratings(row.clone()),
        Err(why) => ItemAnswer::Absent(why.clone()),
    };
    match said {
        Answers::Texts(said) => said.texts.iter().map(of_text).collect(),
        Answers::Ratings(said) => said.rows().iter().map(of_row).collect(),
        Answers::Classes(said) => (0..said.len()).map(|item| class_of(said, item)).collect(),
        Answers::Graph(_) | Answers::Maps(_) | Answers::Curves(_) => Vec::new(),
    }
}

fn class_of(answers: &ClassAnswers, item: usize) -> ItemAnswer {
    if let Some(why) = answers.absent().get(&item) {
        return ItemAnswer::Absent(why.clone());
    }
    let width = answers.classes().len();
    let row = |rows: &[f64]| rows[item * width..][..width].to_vec();
    match answers.said() {
        Said::Probabilities(rows) => ItemAnswer::Probabilities(row(rows)),
        Said::Logits(rows) => ItemAnswer::Logits(row(rows)),
        Said::Labels { label, confidence } => {
            ItemAnswer::Label(label[item], confidence.as_ref().map(|all| all[item]))
        }
    }
}

impl Differentiable for AskedProcess {
    fn classes(&self) -> &[String] {
        &self.known.classes
    }

    fn loss(
        &self,
        images: &[f32],
        labels: &[u32],
        mut gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let shape = self.shape_of(images, Some(labels.len()))?;
        let size: usize = shape.iter().product();
        let mut losses = Vec::with_capacity(labels.len());
        for which in batches(labels.len(), self.terms.batch) {
            let pixels = which.start * size..which.end * size;
            let some = (&images[pixels.clone()], shape);
            let of = &labels[which];
            let allowed = self.allowance(of.len(), size);
            let wants = gradient.is_some();
            losses.extend(self.ask(|visit| {
                let (part, slope) = visit.loss(&self.terms, some, of, wants, allowed)?;
                if let Some(gradient) = gradient.as_deref_mut() {
                    add(&slope, &mut gradient[pixels.clone()]);
                }
                visit.done_with(slope);
                Ok(part)
            })?);
        }
        Ok(losses)
    }

    fn logit_slopes(&self) -> Option<&dyn LogitSlopes> {
        self.known.slopes.then_some(self)
    }
}

impl LogitSlopes for AskedProcess {
    fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure> {
        let shape = self.shape_of(images, None)?;
        let size: usize = shape.iter().product();
        let mut logits = Vec::new();
        for which in batches(images.len() / size, self.terms.batch) {
            let some = &images[which.start * size..which.end * size];
            logits.extend(self.ask(|visit| self.logits_of(visit, some, shape))?);
        }
        Ok(logits)
    }

    fn backward(
        &self,
        images: &[f32],
        slope: &LogitSlope<'_>,
        gradient: &mut [f32],
    ) -> Result<Vec<f32>, Failure> {
        let shape = self.shape_of(images, None)?;
        let size: usize = shape.iter().product();
        let classes = self.known.classes.len();
        let mut logits = Vec::new();
        for which in batches(images.len() / size, self.terms.batch) {
            let pixels = which.start * size..which.end * size;
            let some = &images[pixels.clone()];
            // Both questions of one batch go to one process, so that it may keep what it needs of
            // the first for the second.
            let (row, back) = self.ask(|visit| {
                let row = self.logits_of(visit, some, shape)?;
                let mut slopes = vec![0.0; row.len()];
                let each = row.chunks(classes).zip(slopes.chunks_mut(classes));
                for (at, (logits, slopes)) in each.enumerate() {
                    slope(which.start + at, logits, slopes);
                }
                let slopes: Vec<&[f32]> = slopes.chunks(classes).collect();
                let allowed = self.allowance(which.len(), size);
                let axes = [which.len(), shape[0], shape[1], shape[2]];
                let back = visit.gradient(&self.terms, some, axes, &slopes, allowed)?;
                Ok((row, back))
            })?;
            logits.extend(row);
            add(&back, &mut gradient[pixels]);
        }
        Ok(logits)
    }
}

fn add(slope: &[f32], gradient: &mut [f32]) {
    for (sum, one) in gradient.iter_mut().zip(slope) {
        *sum += one;
    }
}

fn batches(items: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..items)
        .step_by(size.max(1))
        .map(move |from| from..(from + size).min(items))
}
