//! Stressors: what makes life harder, and the promises they are held to.

use std::ops::Range;
use std::sync::OnceLock;

use crate::answer::{Answers, ClassAnswers, Said};
use crate::data::{Images, InputKind, Inputs, Items, Split};
use crate::objective::{Aim, Objective, rivals};
use crate::question::Question;
use crate::seed::Seed;
use crate::severity::Severity;
use crate::subject::{Differentiable, Failure, FailureKind, Fitted, LogitSlopes, Loss};
use crate::truth::{Labels, Truth};
use serde::{Deserialize, Serialize};

/// What a stressor is like, so that a plan can tell what fits together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// The inputs it can press.
    pub accepts: InputKind,
    /// What its severity counts, in words.
    pub unit: &'static str,
    /// The largest severity that makes sense.
    pub most: f64,
    /// Whether it looks at the truth; shown in the report.
    pub sees_truth: bool,
    /// What it will not do.
    pub promise: Promise,
}

/// For what it holds that distortion does not fall as severity rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotone {
    /// For every item by itself.
    EachItem,
    /// For the mean over items only: a change of contrast, a compression or a zoom may bring an
    /// item nearer to what it was at a harder rung.
    InTheMean,
}

/// A stressor part.
pub enum Stressor {
    /// Sees the item.
    Blind(Box<dyn Blind>),
    /// Asks the subject.
    Aware(Box<dyn Aware>),
    /// Was applied before the answers were recorded.
    Elsewhere {
        /// What its severity counts, in words.
        unit: String,
        /// The names of the ways to press, by severity, where there are several.
        variants: Vec<(Severity, Vec<String>)>,
        /// Whether a text takes part in the way of this name; all do where there is none.
        counts: Option<fn(text: &str, variant: &str) -> bool>,
    },
}

impl Stressor {
    /// What it is like; `None` for what happened elsewhere.
    pub fn pressure(&self) -> Option<Pressure> {
        match self {
            Stressor::Blind(blind) => Some(blind.pressure()),
            Stressor::Aware(aware) => Some(aware.pressure()),
            Stressor::Elsewhere { .. } => None,
        }
    }

    /// In how many ways it can press this hard.
    pub fn variants(&self, severity: &Severity) -> usize {
        match self {
            Stressor::Blind(blind) => blind.variants(severity),
            Stressor::Aware(_) => 1,
            Stressor::Elsewhere { .. } => self.named(severity).map_or(1, <[String]>::len),
        }
    }

    /// Whether an item takes part at this severity and variant; one that does not has no answer.
    pub fn takes_part(
        &self,
        items: &Items,
        item: usize,
        severity: &Severity,
        variant: usize,
    ) -> bool {
        match self {
            Stressor::Blind(blind) => blind.takes_part(items, item, severity, variant),
            Stressor::Aware(_) => true,
            Stressor::Elsewhere { counts, .. } => {
                let name = self.named(severity).and_then(|names| names.get(variant));
                match (counts, items.inputs(), name) {
                    (Some(counts), Inputs::Texts(texts), Some(name)) => {
                        counts(&texts[item].text, name)
                    }
                    _ => true,
                }
            }
        }
    }

    /// What one of several ways to press this hard is called, where they have names.
    pub fn variant_name(&self, severity: &Severity, variant: usize) -> Option<String> {
        match self {
            Stressor::Blind(blind) => blind.variant_name(severity, variant),
            Stressor::Aware(_) => None,
            Stressor::Elsewhere { .. } => self.named(severity)?.get(variant).cloned(),
        }
    }

    /// What the ways to press this hard are called, for what was applied elsewhere and can only be
    /// looked up by name.
    fn named(&self, severity: &Severity) -> Option<&[String]> {
        match self {
            Stressor::Elsewhere { variants, .. } => variants
                .iter()
                .find(|(at, _)| at == severity)
                .map(|(_, names)| names.as_slice()),
            Stressor::Blind(_) | Stressor::Aware(_) => None,
        }
    }
}

/// A corruption: it sees the item, not the subject.
pub trait Blind: Send + Sync {
    /// What it is like.
    fn pressure(&self) -> Pressure;

    /// In how many ways it can press this hard.
    fn variants(&self, _severity: &Severity) -> usize {
        1
    }

    /// What one of these ways is called, where there are several and they have names.
    fn variant_name(&self, _severity: &Severity, _variant: usize) -> Option<String> {
        None
    }

    /// Whether what happens to an item depends on the other items too, as for a threshold that is a
    /// quantile of them all.
    fn depends_on_other_items(&self) -> bool {
        false
    }

    /// For what it holds that it distorts no less as the severity rises.
    fn monotone(&self) -> Monotone {
        Monotone::EachItem
    }

    /// Whether an item takes part at this severity and variant; one that does not is not asked
    /// about, and has no answer.
    fn takes_part(
        &self,
        _items: &Items,
        _item: usize,
        _severity: &Severity,
        _variant: usize,
    ) -> bool {
        true
    }

    /// What pressing this hard does to an item, step by step, or why it cannot be done; `None` for
    /// a stressor that does not work in steps. They are kept in the run's folder.
    fn steps(
        &self,
        _items: &Items,
        _item: usize,
        _severity: &Severity,
        _seed: Seed,
    ) -> Option<Result<Vec<StressStep>, String>> {
        None
    }

    /// The items under stress. `seed` does not depend on the severity, so rungs of a ladder share
    /// their draws and nest; the draws of an item come from [`Items::seed`].
    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure>;
}

/// One step of a stressor that changes a text piece by piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StressStep {
    /// What kind of change it is.
    pub kind: String,
    /// Who made it.
    pub by: String,
    /// Which bytes of the text before this step were replaced.
    pub span: Range<usize>,
    /// What stood there.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// What a blind stressor is handed.
#[derive(Clone, Copy)]
pub struct Pressed<'a> {
    /// The items before stress.
    pub items: &'a Items,
    /// The truth, for a stressor that declared it.
    pub truth: Option<&'a Truth>,
    /// Which of the variants.
    pub variant: usize,
}

/// An attack: it asks the subject, through a loss that has the label inside.
pub trait Aware: Send + Sync {
    /// What it is like.
    fn pressure(&self) -> Pressure;

    /// What it asks of a subject.
    fn needs(&self) -> Needs {
        Needs::Gradients
    }

    /// The items at each severity, in the order given (rising). Draws of an item come from
    /// [`Items::seed`].
    fn climb(
        &self,
        items: &Items,
        target: &Target<'_>,
        severities: &[Severity],
        seed: Seed,
    ) -> Result<Climb, Failure>;
}

/// What an attack asks of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Answers only, so that anybody can be attacked.
    Answers,
    /// How a loss changes with the pixels.
    Gradients,
}

/// What came of an attack up a ladder.
#[derive(Clone, Debug)]
pub struct Climb {
    /// The items at each severity.
    pub rungs: Vec<Items>,
    /// What it had cost when each severity was done, from the beginning on.
    pub spent: Vec<Spent>,
    /// What a reader should know before trusting these numbers.
    pub doubts: Vec<AttackDoubt>,
}

/// Why what an attack left standing may not be robust, as the attack itself noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "doubt", rename_all = "kebab-case")]
pub enum AttackDoubt {
    /// Gradients were exactly zero: the attack could not move.
    ZeroGradients {
        /// For how many items.
        items: usize,
        /// Of how many that were right when clean.
        of: usize,
        /// How many of them have a saturated softmax.
        saturated: usize,
    },
    /// Small steps along gradients did not raise the loss: gradients lead nowhere.
    ShatteredGradients {
        /// For how many items.
        misled: usize,
        /// Of how many that were probed.
        probed: usize,
    },
    /// The same question got two answers.
    Randomised {
        /// For how many clean items.
        differ: usize,
        /// Of how many that were asked about twice.
        asked: usize,
    },
    /// Items that fell to a smaller severity withstood a larger one.
    LargerIsWeaker {
        /// How many looks.
        withstood: usize,
        /// Of how many.
        looked: usize,
    },
    /// The loss still rose when the steps were used up.
    StillRising {
        /// How many ascents.
        rising: usize,
        /// Of how many that broke nothing.
        ended: usize,
    },
    /// The last of several starts still broke items.
    RestartsStillBreak {
        /// How many.
        broken: usize,
        /// Of how many it was tried on.
        tried: usize,
    },
    /// Items fell to an attack that sees answers only, after gradients had failed.
    AnswersBeatGradients {
        /// How many.
        broken: usize,
        /// Of how many.
        tried: usize,
    },
    /// What the subject tells as logits are probabilities.
    ProbabilityOutputs,
    /// Of several losses only the cross-entropy could be climbed.
    OneLoss,
    /// There were no gradients to climb, only answers.
    AnswersOnly,
}

impl std::fmt::Display for AttackDoubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AttackDoubt::ZeroGradients {
                items,
                of,
                saturated,
            } => write!(
                f,
                "the gradient was exactly zero somewhere on the way for {items} of {of} items ({saturated} with a saturated \
                 softmax): the attack could not move there, and what it did not break says little"
            ),
            AttackDoubt::ShatteredGradients { misled, probed } => write!(
                f,
                "a small step along the gradient did not raise the loss of {misled} of {probed} items: gradients lead \
                 nowhere, and what was not broken says little"
            ),
            AttackDoubt::Randomised { differ, asked } => write!(
                f,
                "{differ} of {asked} clean items asked about twice gave two different losses: the subject is randomised; \
                 gradients were averaged and breaks confirmed"
            ),
            AttackDoubt::LargerIsWeaker { withstood, looked } => write!(
                f,
                "a larger severity looks weaker: {withstood} of {looked} looks again at items broken lower down did not \
                 break them"
            ),
            AttackDoubt::StillRising { rising, ended } => write!(
                f,
                "the loss still rose at the last step of {rising} of {ended} ascents that broke nothing"
            ),
            AttackDoubt::RestartsStillBreak { broken, tried } => write!(
                f,
                "the last restart still broke {broken} of {tried} items"
            ),
            AttackDoubt::AnswersBeatGradients { broken, tried } => write!(
                f,
                "{broken} of {tried} items that gradients had not broken fell to answers alone: gradients are masked"
            ),
            AttackDoubt::ProbabilityOutputs => f.write_str(
                "what the subject tells as logits are probabilities: losses of them are flat where it is sure",
            ),
            AttackDoubt::OneLoss => f.write_str(
                "the subject tells the gradient of its cross-entropy only, so that no other loss could be climbed",
            ),
            AttackDoubt::AnswersOnly => f.write_str(
                "the subject gives answers only: an attack with gradients would be stronger",
            ),
        }?;
        write!(f, "; {}", self.remedy())
    }
}

impl AttackDoubt {
    /// What would settle it.
    pub fn remedy(&self) -> &'static str {
        match self {
            AttackDoubt::ZeroGradients { .. } => {
                "climb `loss = \"dlr\"` or `\"margin\"`, or run `attack-suite`"
            }
            AttackDoubt::ShatteredGradients { .. } | AttackDoubt::AnswersBeatGradients { .. } => {
                "run `square` or `attack-suite`, which need no gradients"
            }
            AttackDoubt::Randomised { .. } => "more `repeats` make it surer",
            AttackDoubt::LargerIsWeaker { .. } => {
                "more `steps`, `restarts` or `apgd` should find them"
            }
            AttackDoubt::StillRising { .. } => "more `steps`, or `apgd`, would go on",
            AttackDoubt::RestartsStillBreak { .. } => "more `restarts` would find more",
            AttackDoubt::ProbabilityOutputs => "tell logits instead",
            AttackDoubt::AnswersOnly => {
                "a process offers them with `gradients = true` (docs/command.md)"
            }
            AttackDoubt::OneLoss => {
                "say `slopes` in its hello and answer `logits` and `gradient` (docs/command.md)"
            }
        }
    }

    /// Whether what was left standing cannot be taken for robust.
    pub fn is_grave(&self) -> bool {
        match self {
            AttackDoubt::Randomised { .. }
            | AttackDoubt::ProbabilityOutputs
            | AttackDoubt::OneLoss
            | AttackDoubt::AnswersOnly => false,
            AttackDoubt::ZeroGradients { .. }
            | AttackDoubt::ShatteredGradients { .. }
            | AttackDoubt::LargerIsWeaker { .. }
            | AttackDoubt::StillRising { .. }
            | AttackDoubt::RestartsStillBreak { .. }
            | AttackDoubt::AnswersBeatGradients { .. } => true,
        }
    }
}

/// How often a subject was asked about each item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// For its loss, with or without a gradient.
    pub queries: Vec<u32>,
    /// For a gradient as well.
    pub gradients: Vec<u32>,
}

/// What a press came to, beside what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Realised {
    /// The share hidden of the values that could be seen.
    pub hidden: f64,
    /// The share changed of the values that can still be seen.
    pub changed: f64,
    /// By how much those that can still be seen changed: the root of the mean square, in the data's
    /// own units.
    pub moved: f64,
}

/// What was done to windows between `before` and `after`; `None` for other inputs, and where
/// nothing could be seen.
pub fn realised(before: &Items, after: &Items) -> Option<Realised> {
    let (Inputs::Windows(a), Inputs::Windows(b)) = (before.inputs(), after.inputs()) else {
        return None;
    };
    let (mut seen, mut left, mut changed, mut squares) = (0.0, 0.0, 0.0, 0.0);
    for (window, (step, variable)) in (0..a.len()).flat_map(|w| places(a).map(move |at| (w, at))) {
        let Some(was) = a.get(window, step, variable) else {
            continue;
        };
        seen += 1.0;
        if let Some(is) = b.get(window, step, variable) {
            left += 1.0;
            changed += f64::from(u8::from(is != was));
            squares += (is - was) * (is - was);
        }
    }
    let share = |part: f64| if left > 0.0 { part / left } else { 0.0 };
    (seen > 0.0).then(|| Realised {
        hidden: 1.0 - left / seen,
        changed: share(changed),
        moved: libm::sqrt(share(squares)),
    })
}

/// What an attack may ask about. The label is inside and cannot be got out.
pub struct Target<'a> {
    subject: &'a dyn Fitted,
    slopes: Option<&'a dyn Differentiable>,
    items: &'a Items,
    labels: &'a Labels,
}

/// What a subject tells whoever attacks it, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tells {
    /// Its answers only.
    Answers,
    /// Also its cross-entropy, with a gradient.
    Loss,
    /// Also its logits, with any slope back to the pixels.
    Logits,
}

impl Target<'_> {
    /// What can be asked for.
    pub fn tells(&self) -> Tells {
        match self.slopes {
            None => Tells::Answers,
            Some(slopes) if slopes.logit_slopes().is_none() => Tells::Loss,
            Some(_) => Tells::Logits,
        }
    }

    /// An objective at `images` of the items at positions `which`, towards the class that each aims
    /// at (`aims` is empty where none does), and its gradient where one is asked for.
    pub fn loss(
        &self,
        which: &[usize],
        images: &[f32],
        objective: Objective,
        aims: &[Aim],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let labels = self.labels_of(which);
        let slopes = self.slopes()?;
        if objective == Objective::CrossEntropy && aims.is_empty() {
            return slopes.loss(images, &labels, gradient);
        }
        let network = self.logit_slopes()?;
        let aim = |at: usize| aims.get(at).copied();
        let Some(gradient) = gradient else {
            let logits = network.logits(images)?;
            let rows = logits.chunks_exact(slopes.classes().len()).enumerate();
            return Ok(rows
                .map(|(at, row)| objective.evaluate(row, labels[at], aim(at), None))
                .collect());
        };
        let losses: Vec<OnceLock<Loss>> = which.iter().map(|_| OnceLock::new()).collect();
        let slope = |at: usize, logits: &[f32], slope: &mut [f32]| {
            let found = objective.evaluate(logits, labels[at], aim(at), Some(slope));
            losses[at].get_or_init(|| found);
        };
        network.backward(images, &slope, gradient)?;
        let each = losses.into_iter().map(OnceLock::into_inner);
        each.collect::<Option<Vec<Loss>>>().ok_or_else(|| {
            Failure::new(FailureKind::Nonsense, "logits of some images were not told")
        })
    }

    /// What can be known of `images` of the items at positions `which` from the answers about them:
    /// the largest other logit (or logarithm of a probability) minus the label's; where only labels
    /// are answered, 1 for a wrong one and 0 for a right one.
    pub fn answers(&self, which: &[usize], images: &[f32]) -> Result<Vec<Loss>, Failure> {
        let said = self.class_answers(which, images)?;
        if said.classes() != self.labels.classes() {
            return Err(other_classes(said.classes(), self.labels.classes()));
        }
        let labels = self.labels_of(which);
        (0..which.len())
            .map(|at| answered_loss(&said, at, labels[at]))
            .collect()
    }

    /// For each of the items at positions `which`, the `most` likely classes other than its label,
    /// as answered about `images`.
    pub fn aims(
        &self,
        which: &[usize],
        images: &[f32],
        most: usize,
    ) -> Result<Vec<Vec<Aim>>, Failure> {
        let network = self.logit_slopes()?;
        let logits = network.logits(images)?;
        let rows = logits.chunks_exact(self.labels.classes().len());
        let likely = |(row, label): (&[f32], u32)| {
            let scores: Vec<f64> = row.iter().map(|&logit| f64::from(logit)).collect();
            let mut aims = rivals(&scores, label);
            aims.truncate(most);
            aims
        };
        Ok(rows.zip(self.labels_of(which)).map(likely).collect())
    }

    /// Whether what the subject tells as logits about `images` are probabilities: none below 0, and
    /// all of an image sum to 1.
    pub fn tells_probabilities(&self, images: &[f32]) -> Result<bool, Failure> {
        let logits = self.logit_slopes()?.logits(images)?;
        let is_distribution = |row: &[f32]| {
            let sum: f64 = row.iter().map(|&logit| f64::from(logit)).sum();
            row.iter().all(|logit| *logit >= 0.0) && (sum - 1.0).abs() < 1e-3
        };
        let mut rows = logits.chunks_exact(self.labels.classes().len());
        Ok(rows.all(is_distribution))
    }

    fn labels_of(&self, which: &[usize]) -> Vec<u32> {
        which.iter().map(|&i| self.labels.of()[i]).collect()
    }

    fn slopes(&self) -> Result<&dyn Differentiable, Failure> {
        self.slopes
            .ok_or_else(|| Failure::unable("the attack needs gradients, the subject gives none"))
    }

    fn logit_slopes(&self) -> Result<&dyn LogitSlopes, Failure> {
        self.slopes()?.logit_slopes().ok_or_else(|| {
            Failure::unable(
                "the subject tells the gradient of its cross-entropy only: other losses need its logits and \
                 slopes back to the pixels (a process says `slopes` in its hello, see docs/command.md)",
            )
        })
    }

    fn class_answers(&self, which: &[usize], images: &[f32]) -> Result<ClassAnswers, Failure> {
        let shape = self.items.images()?.shape();
        let images = Images::new(shape, images.to_vec())
            .map_err(|why| Failure::new(FailureKind::OverBudget, why.to_string()))?;
        // An item may be asked about several times in a batch, so ids are of places in it.
        let ids = (0..which.len()).map(|at| at.to_string()).collect();
        let asked = Items::new(ids, Inputs::Images(images))
            .map_err(|why| Failure::unable(why.to_string()))?;
        match self.subject.answer(Question::Classes, &asked)? {
            Answers::Classes(said) if said.len() == which.len() => Ok(said),
            other => Err(Failure::new(
                FailureKind::Nonsense,
                format!("asked for classes, answered {}", other.question()),
            )),
        }
    }
}

/// What one answer says about the label.
fn answered_loss(said: &ClassAnswers, at: usize, label: u32) -> Result<Loss, Failure> {
    let Some(answer) = said.label(at) else {
        return Err(Failure::new(
            FailureKind::Nonsense,
            "there is no answer about an attacked image",
        ));
    };
    let width = said.classes().len();
    let margin = |scores: &[f64]| {
        let row = &scores[at * width..(at + 1) * width];
        let others = row
            .iter()
            .enumerate()
            .filter(|(class, _)| *class != label as usize)
            .map(|(_, score)| *score);
        others.fold(f64::NEG_INFINITY, f64::max) - row[label as usize]
    };
    let loss = match said.said() {
        Said::Logits(logits) => margin(logits),
        Said::Probabilities(probabilities) => {
            let logarithms: Vec<f64> = probabilities
                .iter()
                .map(|p| libm::log(p.max(f64::MIN_POSITIVE)))
                .collect();
            margin(&logarithms)
        }
        Said::Labels { .. } => f64::from(u8::from(answer != label)),
    };
    Ok(Loss {
        loss,
        right: answer == label,
    })
}

fn other_classes(subject: &[String], dataset: &[String]) -> Failure {
    Failure::unable(format!(
        "the subject's classes are {subject:?}, the dataset's are {dataset:?}"
    ))
}

/// Runs an attack up a ladder against a subject, on the split it is tested on.
pub fn climb(
    attack: &dyn Aware,
    subject: &dyn Fitted,
    split: &Split,
    severities: &[Severity],
    seed: Seed,
) -> Result<Climb, Failure> {
    let Truth::Labels(labels) = split.truth().open() else {
        return Err(Failure::unable(format!(
            "an attack needs labels, not {}",
            split.truth().open().kind()
        )));
    };
    let slopes = subject.differentiable();
    if attack.needs() == Needs::Gradients && slopes.is_none() {
        return Err(Failure::unable(
            "it said it offers gradients, but gave none",
        ));
    }
    if let Some(other) = slopes.filter(|slopes| slopes.classes() != labels.classes()) {
        return Err(other_classes(other.classes(), labels.classes()));
    }
    let target = Target {
        subject,
        slopes,
        items: split.items(),
        labels,
    };
    let climb = attack.climb(split.items(), &target, severities, seed)?;
    let promise = attack.pressure().promise;
    for (rung, severity) in climb.rungs.iter().zip(severities) {
        promise.check(split.items(), rung, severity)?;
    }
    Ok(climb)
}

/// Presses a split with a blind stressor, and checks its promise. Severity 0 does not even call it.
pub fn press(
    stressor: &dyn Blind,
    split: &Split,
    severity: &Severity,
    variant: usize,
    seed: Seed,
) -> Result<Split, Failure> {
    if severity.is_clean() {
        return Ok(split.clone());
    }
    let pressure = stressor.pressure();
    let truth = pressure.sees_truth.then(|| split.truth().open());
    let pressed = stressor.press(
        Pressed {
            items: split.items(),
            truth,
            variant,
        },
        severity,
        seed,
    )?;
    pressure.promise.check(split.items(), &pressed, severity)?;
    Ok(split.with_items(pressed))
}

/// What a stressor will not do. It is checked by the caller: the stressor is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// No pixel moves by more than the severity, and none leaves [0, 1].
    Linf,
    /// No image moves by more than the severity in the Euclidean norm, and no pixel leaves [0, 1].
    L2,
    /// Nothing leaves [0, 1].
    InTheBox,
    /// Values are hidden, none is changed, and the share of what could be seen that is hidden is
    /// the severity.
    OnlyHides,
    /// Anything may happen, as long as the shape stays.
    KeepsShape,
}

/// What rounding to single precision may add to a budget.
const BUDGET_TOLERANCE: f64 = 1e-6;

impl Promise {
    /// Whether the promise was kept between `before` and `after`.
    pub fn check(self, before: &Items, after: &Items, severity: &Severity) -> Result<(), Failure> {
        let broken = |why: String| Err(Failure::new(FailureKind::OverBudget, why));
        if before.ids() != after.ids() || !same_shape(before.inputs(), after.inputs()) {
            return broken("the stressor returned other items, or items of another shape".into());
        }
        let allowed = severity.value() + BUDGET_TOLERANCE;
        for i in 0..before.len() {
            let used = match (self, before.inputs(), after.inputs()) {
                (Promise::Linf, Inputs::Images(a), Inputs::Images(b)) => {
                    linf(a.image(i), b.image(i))
                }
                (Promise::L2, Inputs::Images(a), Inputs::Images(b)) => l2(a.image(i), b.image(i)),
                (Promise::OnlyHides, Inputs::Windows(a), Inputs::Windows(b)) => {
                    if changes_what_it_shows(a, b, i) {
                        return broken(format!(
                            "item `{}`: a value was changed, not hidden",
                            &before.ids()[i]
                        ));
                    }
                    continue;
                }
                _ => continue,
            };
            if used.is_nan() || used > allowed {
                return broken(format!(
                    "item `{}` moved by {used}, allowed is {severity}",
                    &before.ids()[i]
                ));
            }
        }
        if let (Promise::OnlyHides, Inputs::Windows(a), Inputs::Windows(b)) =
            (self, before.inputs(), after.inputs())
        {
            hides_its_share(a, b, severity.value())?;
        }
        in_the_box(after)
    }
}

/// Whether the share hidden of what could be seen is the share asked for, up to five standard
/// errors and one value per variable, which a quantile may be off by.
fn hides_its_share(
    a: &crate::data::Windows,
    b: &crate::data::Windows,
    share: f64,
) -> Result<(), Failure> {
    let seen = |windows: &crate::data::Windows| {
        let at = |w: usize| {
            places(windows)
                .filter(|&(t, v)| windows.get(w, t, v).is_some())
                .count()
        };
        (0..windows.len()).map(at).sum::<usize>() as f64
    };
    let (before, after) = (seen(a), seen(b));
    if before == 0.0 {
        return Ok(());
    }
    let realised = 1.0 - after / before;
    let share = share.min(1.0);
    let off = 5.0 * libm::sqrt(share * (1.0 - share) / before)
        + a.variables().len() as f64 / before
        + 1e-9;
    if (realised - share).abs() <= off {
        return Ok(());
    }
    let why = format!(
        "{realised:.4} of the values that could be seen were hidden, {share} was asked for"
    );
    Err(Failure::new(FailureKind::OverBudget, why))
}

fn same_shape(a: &Inputs, b: &Inputs) -> bool {
    match (a, b) {
        (Inputs::Images(a), Inputs::Images(b)) => a.shape() == b.shape(),
        (Inputs::Windows(a), Inputs::Windows(b)) => {
            a.steps() == b.steps() && a.variables() == b.variables()
        }
        _ => a.kind() == b.kind(),
    }
}

fn in_the_box(items: &Items) -> Result<(), Failure> {
    let Inputs::Images(images) = items.inputs() else {
        return Ok(());
    };
    match images
        .pixels()
        .iter()
        .position(|p| !(0.0..=1.0).contains(p))
    {
        Some(at) => {
            let (id, pixel) = (&items.ids()[at / images.size()], images.pixels()[at]);
            Err(Failure::new(
                FailureKind::OverBudget,
                format!("item `{id}` has a pixel of {pixel}, outside [0, 1]"),
            ))
        }
        None => Ok(()),
    }
}

fn linf(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs())
        .fold(0.0, f64::max)
}

fn l2(a: &[f32], b: &[f32]) -> f64 {
    libm::sqrt(
        a.iter()
            .zip(b)
            .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
            .sum(),
    )
}

fn changes_what_it_shows(
    a: &crate::data::Windows,
    b: &crate::data::Windows,
    window: usize,
) -> bool {
    places(a).any(|(step, variable)| {
        let now = b.get(window, step, variable);
        now.is_some() && now != a.get(window, step, variable)
    })
}

fn places(windows: &crate::data::Windows) -> impl Iterator<Item = (usize, usize)> {
    let (steps, variables) = (windows.steps(), windows.variables().len());
    (0..steps).flat_map(move |step| (0..variables).map(move |variable| (step, variable)))
}

/// How far each item has moved: the Euclidean distance of images; for windows, that of what both
/// show, plus one for each value hidden; for texts, whether they differ.
pub fn distortion(before: &Items, after: &Items) -> Vec<f64> {
    let of = |i: usize| match (before.inputs(), after.inputs()) {
        (Inputs::Images(a), Inputs::Images(b)) => l2(a.image(i), b.image(i)),
        (Inputs::Windows(a), Inputs::Windows(b)) => {
            let moved = places(a).map(|(t, v)| match (a.get(i, t, v), b.get(i, t, v)) {
                (Some(x), Some(y)) => (x - y).powi(2),
                (Some(_), None) => 1.0,
                _ => 0.0,
            });
            moved.sum()
        }
        (Inputs::Texts(a), Inputs::Texts(b)) => f64::from(u8::from(a[i] != b[i])),
        _ => 0.0,
    };
    (0..before.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Images, Windows};

    fn image(pixel: f32) -> Items {
        let images = Images::new([1, 1, 2], vec![pixel, 0.5]).unwrap();
        Items::new(vec!["x".into()], Inputs::Images(images)).unwrap()
    }

    #[test]
    fn a_broken_budget_is_found_whoever_broke_it() {
        let eps = Severity::parse("8/255").unwrap();
        let check = |promise: Promise, pixel: f32, kept: bool| {
            assert_eq!(
                promise.check(&image(0.5), &image(pixel), &eps).is_ok(),
                kept,
                "{promise:?} {pixel}"
            );
        };
        check(Promise::Linf, 0.5 + 8.0 / 255.0, true);
        check(Promise::Linf, 0.5 + 9.0 / 255.0, false);
        check(Promise::L2, 0.5 - 8.0 / 255.0, true);
        check(Promise::L2, 0.5 - 8.1 / 255.0, false);
        check(Promise::InTheBox, 1.0, true);
    }

    #[test]
    fn a_stressor_that_may_only_hide_may_not_change() {
        let make = |value| {
            let windows = Windows::new(vec!["a".into()], 1, vec![0], vec![value]).unwrap();
            Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap()
        };
        let rate = Severity::new(0.5).unwrap();
        assert!(
            Promise::OnlyHides
                .check(&make(1.0), &make(2.0), &rate)
                .is_err()
        );
        let mut hidden = make(1.0).windows().unwrap().clone();
        hidden.hide(0, 0, 0);
        let hidden = make(1.0).with(Inputs::Windows(hidden));
        assert!(Promise::OnlyHides.check(&make(1.0), &hidden, &rate).is_ok());
    }

    #[test]
    fn what_a_press_came_to_counts_what_could_be_seen() {
        let mut before = Windows::new(vec!["a".into()], 5, vec![0], vec![1.0; 5]).unwrap();
        before.hide(0, 0, 0);
        let mut after = before.clone();
        after.hide(0, 1, 0);
        after.set(0, 2, 0, 4.0);
        let items =
            |windows: Windows| Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap();
        let found = realised(&items(before), &items(after)).unwrap();
        assert_eq!((found.hidden, found.changed), (0.25, 1.0 / 3.0));
        assert!((found.moved - libm::sqrt(3.0)).abs() < 1e-12, "{found:?}");
        assert_eq!(realised(&image(0.1), &image(0.2)), None);
    }

    #[test]
    fn a_stressor_that_hides_another_share_than_asked_is_found_out() {
        let windows = Windows::new(vec!["a".into()], 1000, vec![0], vec![1.0; 1000]).unwrap();
        let mut half = windows.clone();
        (0..500).for_each(|step| half.hide(0, step, 0));
        let items =
            |windows: Windows| Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap();
        let check = |share: f64| {
            let asked = Severity::new(share).unwrap();
            Promise::OnlyHides.check(&items(windows.clone()), &items(half.clone()), &asked)
        };
        assert!(check(0.5).is_ok() && check(0.45).is_ok());
        assert!(check(0.2).unwrap_err().why.contains("0.5000 of the values"));
    }
}
