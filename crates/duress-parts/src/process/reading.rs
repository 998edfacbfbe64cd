//! What a reply means: the answers about a batch, or what is wrong with them.

use std::collections::BTreeMap;

use duress_core::answer::{
    Absence, Answers, ClassAnswers, GraphAnswer, ItemAnswer, ItemForm, RatingAnswers, Said,
    TextAnswers,
};
use duress_core::graph::Graph;
use duress_core::question::Question;
use duress_core::subject::Loss;

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

/// In what form a classifier answered: it keeps to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassForm {
    /// A row of probabilities per item.
    Probabilities,
    /// A row of logits per item.
    Logits,
    /// A class per item.
    Labels,
    /// A class per item, and how sure it was.
    SureLabels,
}

impl ClassForm {
    /// The form of answers that name classes.
    pub fn of_answers(answers: &Answers) -> Option<ClassForm> {
        let Answers::Classes(classes) = answers else {
            return None;
        };
        Some(match classes.said() {
            Said::Probabilities(_) => ClassForm::Probabilities,
            Said::Logits(_) => ClassForm::Logits,
            Said::Labels {
                confidence: None, ..
            } => ClassForm::Labels,
            Said::Labels { .. } => ClassForm::SureLabels,
        })
    }
}

/// Why an item has no answer when the process did not say.
const NULL: &str = "the process wrote null";

impl Asked<'_> {
    /// The answers about `items` items in a reply.
    pub fn read(&self, reply: Reply, items: usize) -> Result<Answers, String> {
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
            Question::Classes => self.classes(head, frame, items, &keys),
            Question::Text => {
                let texts = head.texts.take().ok_or_else(|| missing("texts", &keys))?;
                let texts = several(texts, &head.absent, items)?;
                Ok(Answers::Texts(TextAnswers { texts }))
            }
            Question::Ratings => {
                let rows = head
                    .ratings
                    .take()
                    .ok_or_else(|| missing("ratings", &keys))?;
                wide(&rows, self.dimensions.len(), "dimensions")?;
                let rows = several(rows, &head.absent, items)?;
                let dimensions = self.dimensions.to_vec();
                Ok(Answers::Ratings(RatingAnswers::new(dimensions, rows)))
            }
            Question::Graph => self.graph(head, &keys).map(Answers::Graph),
            Question::Explanation(asked) => Err(format!("a reply to {asked} is read as maps")),
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
        let answer = match self.question {
            Question::Text => line.text.map(ItemAnswer::Text),
            Question::Ratings => {
                let row = line.rating.as_deref();
                row.map_or(Ok(()), |row| {
                    wide_row(row, self.dimensions.len(), "dimensions")
                })?;
                line.rating.map(ItemAnswer::Ratings)
            }
            Question::Classes => self.one_class(line, item)?,
            Question::Graph | Question::Explanation(_) => None,
        };
        let question = self.question;
        let none = || format!("a line about item {item} does not answer {question}");
        Ok((item, answer.ok_or_else(none)?))
    }

    /// The class of one item, in whatever form; none where the line has none, or several.
    fn one_class(&self, line: ReplyHead, item: usize) -> Result<Option<ItemAnswer>, String> {
        let answer = match (line.probability, line.logit, line.label) {
            (Some(row), None, None) => ItemAnswer::Probabilities(row),
            (None, Some(row), None) => ItemAnswer::Logits(row),
            (None, None, Some(label)) => {
                ItemAnswer::Label(self.class_number(&label, item)?, line.confidence)
            }
            _ => return Ok(None),
        };
        if let ItemAnswer::Probabilities(row) | ItemAnswer::Logits(row) = &answer {
            wide_row(row, self.classes.len(), "classes")?;
        }
        let form = ItemForm::Labels(self.classes.to_vec());
        form.answers(vec![answer.clone()]).validate(1)?;
        Ok(Some(answer))
    }

    fn classes(
        &self,
        head: ReplyHead,
        frame: Option<(Header, Numbers)>,
        items: usize,
        keys: &[String],
    ) -> Result<Answers, String> {
        let k = self.classes.len();
        let mut absent = head.absent;
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
        let all = ClassAnswers::new(self.classes.to_vec(), said);
        let absent = absent.into_iter();
        let answers = Answers::Classes(absent.fold(all, |all, (at, why)| all.without(at, why)));
        answers.validate(items)?;
        Ok(answers)
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
                Some(label) => self.class_number(label, at)?,
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

    fn class_number(&self, label: &Label, item: usize) -> Result<u32, String> {
        let name = match label {
            Label::Number(number) => return Ok(*number),
            Label::Name(name) => name,
        };
        let found = self.classes.iter().position(|class| class == name);
        let none = || format!("item {item} has label {name:?}, which is no class");
        found.map(|class| class as u32).ok_or_else(none)
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
    for (at, row) in rows.iter().enumerate() {
        let row = row
            .as_deref()
            .map_or(Ok(()), |row| wide_row(row, width, of));
        row.map_err(|why| format!("item {at}: {why}"))?;
    }
    Ok(())
}

fn wide_row(row: &[f64], width: usize, of: &str) -> Result<(), String> {
    match row.len() == width {
        true => Ok(()),
        false => Err(format!(
            "expected {width} numbers, one for each of the {of}, came {}",
            row.len()
        )),
    }
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
    let came = header.axes();
    let dtype = header.dtype;
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
