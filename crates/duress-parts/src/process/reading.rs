//! What a reply means: the answers about a batch, or what is wrong with them.

use std::collections::BTreeMap;

use duress_core::answer::{
    Absence, Answers, ClassAnswers, GraphAnswer, ItemAnswer, RatingAnswers, Said, TextAnswers,
};
use duress_core::graph::Graph;
use duress_core::question::Question;
use duress_core::subject::{Failure, FailureKind, Loss};

use super::frame::{Header, NumberKind, Numbers};
use super::message::{Label, Reply, ReplyHead, Rows};

/// What was asked.
pub struct Asked<'a> {
    /// The question.
    pub question: Question,
    /// The names of the classes, for a classifier.
    pub classes: &'a [String],
    /// The names of the dimensions, for a judge.
    pub dimensions: &'a [String],
    /// The names of the variables, for a structure learner.
    pub variables: &'a [String],
}

/// The answers about one batch.
#[derive(Debug)]
pub enum AnswerPiece {
    /// Of a classifier.
    Classes(ClassPiece),
    /// Of a writer.
    Texts(Vec<Result<String, Absence>>),
    /// Of a judge.
    Ratings(Vec<Result<Vec<f64>, Absence>>),
    /// Of a structure learner.
    Graph(GraphAnswer),
}

/// A classifier's answers about one batch.
#[derive(Debug)]
pub struct ClassPiece {
    said: Said,
    absent: BTreeMap<usize, String>,
}

/// Why an item has no answer when the process did not say.
const NULL: &str = "the process wrote null";

impl Asked<'_> {
    /// The answers about `items` items in a reply.
    pub fn read(&self, reply: Reply, items: usize) -> Result<AnswerPiece, String> {
        let Reply {
            mut head,
            frame,
            keys,
            ..
        } = reply;
        if let Some(at) = head.absent.keys().find(|at| **at >= items) {
            return Err(format!(
                "item {at} is said to be absent, but there are {items} items (from 0)"
            ));
        }
        match self.question {
            Question::Classes => self
                .classes(head, frame, items, &keys)
                .map(AnswerPiece::Classes),
            Question::Text => {
                let texts = head.texts.take().ok_or_else(|| missing("texts", &keys))?;
                Ok(AnswerPiece::Texts(several(texts, &head.absent, items)?))
            }
            Question::Ratings => {
                let rows = head
                    .ratings
                    .take()
                    .ok_or_else(|| missing("ratings", &keys))?;
                wide(&rows, self.dimensions.len(), "dimensions")?;
                Ok(AnswerPiece::Ratings(several(rows, &head.absent, items)?))
            }
            Question::Graph => self.graph(head, &keys).map(AnswerPiece::Graph),
        }
    }

    /// The answer about one item that a line before the reply tells, and which item that is.
    pub fn read_one(
        &self,
        line: ReplyHead,
        id: u64,
        items: usize,
    ) -> Result<(usize, ItemAnswer), String> {
        let item = line.item.filter(|item| *item < items);
        let item =
            item.ok_or_else(|| format!("a line is about an item beyond the {items} asked"))?;
        if line.id != Some(id) {
            return Err(format!(
                "a line about item {item} is not about question {id}"
            ));
        }
        match (self.question, line.text, line.rating) {
            (Question::Text, Some(text), None) => Ok((item, ItemAnswer::Text(text))),
            (Question::Ratings, None, Some(row)) => {
                wide(
                    std::slice::from_ref(&Some(row.clone())),
                    self.dimensions.len(),
                    "dimensions",
                )?;
                Ok((item, ItemAnswer::Ratings(row)))
            }
            (question, ..) => Err(format!(
                "a line about item {item} does not answer {question}"
            )),
        }
    }

    fn classes(
        &self,
        head: ReplyHead,
        frame: Option<(Header, Numbers)>,
        items: usize,
        keys: &[String],
    ) -> Result<ClassPiece, String> {
        let (k, mut absent) = (self.classes.len(), head.absent);
        let said = match (frame, head.probabilities, head.logits, head.labels) {
            (Some(frame), None, None, None) => framed(frame, items, k)?,
            (None, Some(rows), None, None) => {
                Said::Probabilities(flat(rows, items, k, &mut absent)?)
            }
            (None, None, Some(rows), None) => Said::Logits(flat(rows, items, k, &mut absent)?),
            (None, None, None, Some(labels)) => {
                self.labels(&labels, head.confidences.as_deref(), items, &mut absent)?
            }
            _ => {
                return Err(missing(
                    "one of probabilities, logits, labels or a frame",
                    keys,
                ));
            }
        };
        let piece = ClassPiece { said, absent };
        match Answers::Classes(piece.answers(self.classes.to_vec())).validate(items) {
            Err(why) => Err(why),
            Ok(()) => Ok(piece),
        }
    }

    fn labels(
        &self,
        labels: &[Option<Label>],
        confidences: Option<&[Option<f64>]>,
        items: usize,
        absent: &mut BTreeMap<usize, String>,
    ) -> Result<Said, String> {
        counted(labels.len(), items)?;
        let mut label = Vec::with_capacity(items);
        for (at, said) in labels.iter().enumerate() {
            label.push(match said {
                None => {
                    absent.entry(at).or_insert_with(|| NULL.into());
                    0
                }
                Some(Label::Number(number)) => *number,
                Some(Label::Name(name)) => {
                    let found = self.classes.iter().position(|class| class == name);
                    found
                        .ok_or_else(|| format!("item {at} has label {name:?}, which is no class"))?
                        as u32
                }
            });
        }
        let confidence = confidences.map(|all| {
            let known =
                |at: usize, sure: &Option<f64>| sure.or(absent.contains_key(&at).then_some(0.0));
            let all = all
                .iter()
                .enumerate()
                .map(|(at, sure)| known(at, sure).ok_or(at));
            all.collect::<Result<Vec<f64>, usize>>()
                .map_err(|at| format!("item {at} has no confidence"))
        });
        Ok(Said::Labels {
            label,
            confidence: confidence.transpose()?,
        })
    }

    fn graph(&self, head: ReplyHead, keys: &[String]) -> Result<GraphAnswer, String> {
        let (said, d) = (
            head.graph.ok_or_else(|| missing("graph", keys))?,
            self.variables.len(),
        );
        if said.scores.len() != d || said.scores.iter().any(|row| row.len() != d) {
            return Err(format!(
                "expected {d} rows of {d} scores, came {} rows",
                said.scores.len()
            ));
        }
        let graph = Graph::new(self.variables.to_vec(), said.edges)?;
        let rule = if said.rule.is_empty() {
            "by the process".into()
        } else {
            said.rule
        };
        let answer = GraphAnswer {
            graph,
            scores: said.scores.concat(),
            rule,
        };
        match Answers::Graph(answer.clone()).validate(0) {
            Err(why) => Err(why),
            Ok(()) => Ok(answer),
        }
    }
}

impl ClassPiece {
    fn answers(&self, classes: Vec<String>) -> ClassAnswers {
        let all = ClassAnswers::new(classes, self.said.clone());
        self.absent
            .iter()
            .fold(all, |all, (at, why)| all.without(*at, why.as_str()))
    }
}

fn missing(wanted: &str, keys: &[String]) -> String {
    format!("expected {wanted}, came an object with {}", keys.join(", "))
}

fn counted(came: usize, items: usize) -> Result<(), String> {
    if came == items {
        Ok(())
    } else {
        Err(format!("expected answers about {items} items, came {came}"))
    }
}

fn wide(rows: &[Option<Vec<f64>>], width: usize, of: &str) -> Result<(), String> {
    let wrong = rows.iter().enumerate().find_map(|(at, row)| {
        let came = row.as_ref()?.len();
        (came != width).then(|| {
            format!("item {at}: expected {width} numbers, one for each of the {of}, came {came}")
        })
    });
    wrong.map_or(Ok(()), Err)
}

fn several<T>(
    all: Vec<Option<T>>,
    absent: &BTreeMap<usize, String>,
    items: usize,
) -> Result<Vec<Result<T, Absence>>, String> {
    counted(all.len(), items)?;
    let why = |at: usize| absent.get(&at).cloned();
    let each = all
        .into_iter()
        .enumerate()
        .map(|(at, one)| match (why(at), one) {
            (Some(why), _) => Err(why.into()),
            (None, Some(one)) => Ok(one),
            (None, None) => Err(NULL.into()),
        });
    Ok(each.collect())
}

fn flat(
    rows: Rows,
    items: usize,
    width: usize,
    absent: &mut BTreeMap<usize, String>,
) -> Result<Vec<f64>, String> {
    counted(rows.len(), items)?;
    wide(&rows, width, "classes")?;
    let mut numbers = Vec::with_capacity(items * width);
    for (at, row) in rows.into_iter().enumerate() {
        match row {
            Some(row) => numbers.extend(row),
            None => {
                absent.entry(at).or_insert_with(|| NULL.into());
                numbers.resize(numbers.len() + width, 0.0);
            }
        }
    }
    Ok(numbers)
}

fn framed(
    (header, numbers): (Header, Numbers),
    items: usize,
    width: usize,
) -> Result<Said, String> {
    shaped(&header, &[items, width])?;
    match header.kind {
        NumberKind::Probabilities => Ok(Said::Probabilities(numbers.doubles())),
        NumberKind::Logits => Ok(Said::Logits(numbers.doubles())),
        other => Err(format!(
            "expected a frame of probabilities or logits, came {}",
            other.word()
        )),
    }
}

fn shaped(header: &Header, axes: &[usize]) -> Result<(), String> {
    let same = header
        .axes()
        .iter()
        .copied()
        .eq(axes.iter().map(|size| *size as u64));
    let numbers = header.dtype.size() > 1;
    if same && numbers {
        return Ok(());
    }
    let (came, dtype) = (header.axes(), header.dtype);
    Err(format!(
        "expected a frame of numbers of shape {axes:?}, came {dtype:?} of shape {came:?}"
    ))
}

/// The losses in a reply and, where it was asked for, the gradient.
pub fn losses(
    reply: Reply,
    axes: &[usize],
    wants_gradient: bool,
) -> Result<(Vec<Loss>, Vec<f32>), String> {
    let Reply {
        head, frame, keys, ..
    } = reply;
    let (Some(losses), Some(right)) = (head.losses, head.right) else {
        return Err(missing("losses and right", &keys));
    };
    counted(losses.len(), axes[0])?;
    counted(right.len(), axes[0])?;
    if let Some(at) = losses.iter().position(|loss| !loss.is_finite()) {
        return Err(format!("item {at} has a loss of {}", losses[at]));
    }
    let each = losses
        .into_iter()
        .zip(right)
        .map(|(loss, right)| Loss { loss, right })
        .collect();
    if !wants_gradient {
        return Ok((each, Vec::new()));
    }
    let gradient = slopes_of_pixels(frame, head.gradient, axes, &keys)?;
    Ok((each, gradient))
}

/// The gradient in a reply.
pub fn gradient(reply: Reply, axes: &[usize]) -> Result<Vec<f32>, String> {
    slopes_of_pixels(reply.frame, reply.head.gradient, axes, &reply.keys)
}

fn slopes_of_pixels(
    frame: Option<(Header, Numbers)>,
    rows: Option<Vec<Vec<f32>>>,
    axes: &[usize],
    keys: &[String],
) -> Result<Vec<f32>, String> {
    let gradient = match (frame, rows) {
        (Some((header, _)), _) if header.kind != NumberKind::Gradient => {
            return Err(format!(
                "expected a frame of gradient, came {}",
                header.kind.word()
            ));
        }
        (Some((header, numbers)), None) => {
            shaped(&header, axes)?;
            singles(numbers)
        }
        (None, Some(rows)) => rows.concat(),
        _ => return Err(missing("gradient", keys)),
    };
    finite(gradient, axes)
}

/// The logits in a reply.
pub fn logits(reply: Reply, items: usize, width: usize) -> Result<Vec<f32>, String> {
    let Reply {
        head, frame, keys, ..
    } = reply;
    let logits = match (frame, head.logits) {
        (Some((header, _)), _) if header.kind != NumberKind::Logits => {
            return Err(format!(
                "expected a frame of logits, came {}",
                header.kind.word()
            ));
        }
        (Some((header, numbers)), None) => {
            shaped(&header, &[items, width])?;
            singles(numbers)
        }
        (None, Some(rows)) => {
            counted(rows.len(), items)?;
            let rows: Option<Vec<Vec<f64>>> = rows.into_iter().collect();
            let rows = rows.ok_or("expected logits of every image, came null")?;
            if let Some(row) = rows.iter().find(|row| row.len() != width) {
                return Err(format!("expected {width} logits, came {}", row.len()));
            }
            rows.concat()
                .into_iter()
                .map(|logit| logit as f32)
                .collect()
        }
        _ => return Err(missing("logits", &keys)),
    };
    match logits.iter().find(|logit| !logit.is_finite()) {
        Some(odd) => Err(format!("a logit is {odd}")),
        None => Ok(logits),
    }
}

fn singles(numbers: Numbers) -> Vec<f32> {
    match numbers {
        Numbers::F32(all) => all,
        other => other
            .doubles()
            .into_iter()
            .map(|number| number as f32)
            .collect(),
    }
}

fn finite(gradient: Vec<f32>, axes: &[usize]) -> Result<Vec<f32>, String> {
    let size: usize = axes[1..].iter().product();
    if gradient.len() != axes[0] * size {
        return Err(format!(
            "expected a gradient of {} × {size} numbers, came {}",
            axes[0],
            gradient.len()
        ));
    }
    // In blocks without a way out of them, which the compiler makes wide.
    let odd = |block: &[f32]| {
        block
            .iter()
            .fold(false, |odd, slope| odd | !slope.is_finite())
    };
    if !gradient.chunks(1024).any(odd) {
        return Ok(gradient);
    }
    match gradient.iter().position(|slope| !slope.is_finite()) {
        Some(at) => Err(format!(
            "item {} has a gradient of {} at pixel {}",
            at / size,
            gradient[at],
            at % size
        )),
        None => Ok(gradient),
    }
}

/// The answers about all batches so far.
#[derive(Default)]
pub struct GatheredAnswers {
    pieces: Vec<AnswerPiece>,
}

impl GatheredAnswers {
    /// Adds the next batch.
    pub fn add(&mut self, piece: AnswerPiece) {
        self.pieces.push(piece);
    }

    /// The answers about all items.
    pub fn finish(self, asked: &Asked<'_>) -> Result<Answers, Failure> {
        let (mut texts, mut ratings, mut classes) = (Vec::new(), Vec::new(), Vec::new());
        for piece in self.pieces {
            match piece {
                AnswerPiece::Graph(graph) => return Ok(Answers::Graph(graph)),
                AnswerPiece::Texts(some) => texts.extend(some),
                AnswerPiece::Ratings(some) => ratings.extend(some),
                AnswerPiece::Classes(some) => classes.push(some),
            }
        }
        match asked.question {
            Question::Graph => Err(Failure::unable("there is no window to learn from")),
            Question::Text => Ok(Answers::Texts(TextAnswers { texts })),
            Question::Ratings => Ok(Answers::Ratings(RatingAnswers::new(
                asked.dimensions.to_vec(),
                ratings,
            ))),
            Question::Classes => joined(classes, asked.classes).map(Answers::Classes),
        }
    }
}

fn joined(pieces: Vec<ClassPiece>, classes: &[String]) -> Result<ClassAnswers, Failure> {
    let (mut all, mut absent, mut items) = (None, BTreeMap::new(), 0);
    for piece in pieces {
        let count = match &piece.said {
            Said::Probabilities(rows) | Said::Logits(rows) => rows.len() / classes.len(),
            Said::Labels { label, .. } => label.len(),
        };
        absent.extend(piece.absent.into_iter().map(|(at, why)| (items + at, why)));
        items += count;
        all = Some(match all {
            None => piece.said,
            Some(before) => append(before, piece.said)?,
        });
    }
    let said = all.unwrap_or(Said::Probabilities(Vec::new()));
    let answers = ClassAnswers::new(classes.to_vec(), said);
    Ok(absent
        .into_iter()
        .fold(answers, |all, (at, why)| all.without(at, why)))
}

fn append(before: Said, after: Said) -> Result<Said, Failure> {
    match (before, after) {
        (Said::Probabilities(mut all), Said::Probabilities(more)) => {
            all.extend(more);
            Ok(Said::Probabilities(all))
        }
        (Said::Logits(mut all), Said::Logits(more)) => {
            all.extend(more);
            Ok(Said::Logits(all))
        }
        (
            Said::Labels {
                mut label,
                confidence,
            },
            Said::Labels {
                label: more,
                confidence: sure,
            },
        ) if confidence.is_some() == sure.is_some() => {
            label.extend(more);
            let confidence = confidence.map(|mut all| {
                all.extend(sure.unwrap_or_default());
                all
            });
            Ok(Said::Labels { label, confidence })
        }
        _ => {
            let why = "one batch was answered in another form (probabilities, logits, labels with or without confidences) than the one before";
            Err(Failure::new(FailureKind::Nonsense, why))
        }
    }
}
