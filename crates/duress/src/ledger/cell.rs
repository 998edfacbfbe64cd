//! The answers of one cell as a file.

use std::fs::File;
use std::io;
use std::path::Path;

use duress_core::answer::{
    Absence, AbsenceKind, Answers, ClassAnswers, GraphAnswer, RatingAnswers, Said, TextAnswers,
};
use duress_core::cost::Cost;
use duress_core::explanation::AskedExplanation;
use duress_core::graph::Graph;
use duress_core::question::Question;
use duress_core::stressor::{AttackDoubt, Realised, Spent};
use duress_core::word::Word;
use serde::{Deserialize, Serialize};

use super::columns::{self, LedgerColumn, LedgerTable, to_json};
use super::explanation;
use super::images::KeptImages;
use super::version::Unreadable;
use crate::plan::Id;

/// What is kept of a cell that has answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The ids of the items, in the order of the answers.
    pub ids: Vec<String>,
    /// The answers.
    pub answers: Answers,
    /// What a reader should know before trusting them.
    pub doubts: Vec<String>,
    /// What an attack doubts of itself.
    pub attack_doubts: Vec<AttackDoubt>,
    /// The worst items as they looked, for exhibits.
    pub items: Vec<KeptItem>,
    /// What an attack had asked about each item when it was done with this cell.
    pub spent: Option<Spent>,
    /// What the stress came to, where that can be counted: on the windows tested, or, where only
    /// those fitted are pressed, on them.
    pub realised: Option<Realised>,
    /// What the answers cost; nothing is known of cells kept before that was counted.
    pub cost: Option<Cost>,
    /// The images that the answers are about, where the study keeps them; in a file of their own.
    pub images: Option<KeptImages>,
    /// Whether a checksum vouches for all that; version 1 had none.
    pub checked: bool,
}

impl Kept {
    /// Answers with nothing else to be said of them.
    pub fn new(ids: Vec<String>, answers: Answers) -> Kept {
        Kept {
            ids,
            answers,
            doubts: Vec::new(),
            attack_doubts: Vec::new(),
            items: Vec::new(),
            spent: None,
            realised: None,
            cost: None,
            images: None,
            checked: true,
        }
    }
}

/// An item as it looked before and under stress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KeptItem {
    /// An image, each value 0–255.
    Image {
        /// Its position.
        at: usize,
        /// Channels, height, width.
        shape: [usize; 3],
        /// Before stress, as hexadecimal bytes.
        before: String,
        /// Under stress, as hexadecimal bytes.
        after: String,
    },
    /// A text.
    Text {
        /// Its position.
        at: usize,
        /// Before stress.
        was: String,
        /// Under stress.
        is: String,
    },
}

impl KeptItem {
    /// Its position.
    pub fn at(&self) -> usize {
        match self {
            KeptItem::Image { at, .. } | KeptItem::Text { at, .. } => *at,
        }
    }
}

pub(super) fn write(file: io::BufWriter<File>, owner: Id, kept: &Kept) -> io::Result<()> {
    let (mut columns, shape) = match &kept.answers {
        Answers::Classes(classes) => classes_out(&kept.ids, classes),
        Answers::Graph(graph) => graph_out(graph),
        Answers::Texts(texts) => texts_out(&kept.ids, texts),
        Answers::Ratings(ratings) => ratings_out(&kept.ids, ratings),
        Answers::Maps(maps) => explanation::maps_out(&kept.ids, maps),
        Answers::Curves(curves) => explanation::curves_out(&kept.ids, curves),
    };
    if let Some(Spent { queries, gradients }) = &kept.spent {
        let wholes = |counts: &[u32]| {
            LedgerColumn::Wholes(counts.iter().map(|&count| count as i32).collect())
        };
        columns.extend([
            ("queries".into(), wholes(queries)),
            ("gradients".into(), wholes(gradients)),
        ]);
    }
    let metadata = [
        ("duress.question", kept.answers.question().to_string()),
        ("duress.answers", to_json(&shape)),
        ("duress.doubts", to_json(&kept.doubts)),
        ("duress.attack-doubts", to_json(&kept.attack_doubts)),
        ("duress.items", to_json(&kept.items)),
        ("duress.realised", to_json(&kept.realised)),
        ("duress.cost", to_json(&kept.cost)),
        (
            "duress.ids",
            if kept.answers.question() == Question::Graph {
                to_json(&kept.ids)
            } else {
                String::new()
            },
        ),
    ];
    columns::write(file, owner, &columns, &metadata)
}

pub(super) fn read(path: &Path, owner: Id) -> Result<Kept, Unreadable> {
    let mut table = columns::read(path, owner)?;
    from_table(&mut table).map_err(|why| Unreadable::damaged(path, why))
}

/// The answers of a table of any version: what version 1 did not have is optional.
fn from_table(table: &mut LedgerTable) -> Result<Kept, String> {
    let question = table
        .metadata
        .get("duress.question")
        .cloned()
        .unwrap_or_default();
    let shape: KeptShape = table.json("duress.answers")?;
    // By the shape alone, so that the compiler asks for the reader of a new one.
    let (ids, answers) = match shape {
        KeptShape::Classes {
            classes,
            form,
            scores,
        } => {
            let (ids, answers) = classes_in(table, classes, form)?;
            let numbered = scores.into_iter().enumerate();
            let scored =
                numbered.map(|(at, name)| Ok((name, table.numbers(&format!("score {at}"))?)));
            let scored = scored.collect::<Result<Vec<_>, String>>()?;
            let answers = scored
                .into_iter()
                .fold(answers, |answers, (name, of)| answers.with_score(name, of));
            (ids, Answers::Classes(answers))
        }
        KeptShape::Graph { variables, rule } => {
            (table.json("duress.ids")?, graph_in(table, variables, rule)?)
        }
        KeptShape::Texts => texts_in(table)?,
        KeptShape::Ratings { dimensions } => ratings_in(table, dimensions)?,
        KeptShape::Maps {
            asked,
            height,
            width,
        } => explanation::maps_in(table, asked, (height, width))?,
        KeptShape::Curves { asked, points } => explanation::curves_in(table, asked, points)?,
    };
    if answers.question().to_string() != question {
        return Err(format!(
            "answers to `{question}`, which no ledger of this version has"
        ));
    }
    let spent = match table.columns.contains_key("queries") {
        true => Some(Spent {
            queries: table.counts("queries")?,
            gradients: table.counts("gradients")?,
        }),
        false => None,
    };
    let doubts = table.json("duress.doubts")?;
    let items = table.json("duress.items")?;
    let attack_doubts = table.json_if_there("duress.attack-doubts")?;
    let realised = table.json_if_there("duress.realised")?.flatten();
    let cost = table.json_if_there("duress.cost")?.flatten();
    Ok(Kept {
        ids,
        answers,
        doubts,
        attack_doubts: attack_doubts.unwrap_or_default(),
        items,
        spent,
        realised,
        cost,
        images: None,
        checked: table.checked,
    })
}

/// What the columns alone do not say.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeptShape {
    Classes {
        classes: Vec<String>,
        form: KeptForm,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        scores: Vec<String>,
    },
    Graph {
        variables: Vec<String>,
        rule: String,
    },
    Texts,
    Ratings {
        dimensions: Vec<String>,
    },
    Maps {
        asked: AskedExplanation,
        height: usize,
        width: usize,
    },
    Curves {
        asked: AskedExplanation,
        points: Vec<String>,
    },
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeptForm {
    Probabilities,
    Logits,
    Labels,
    LabelsWithConfidence,
}

pub(super) type Out = (Vec<(String, LedgerColumn)>, KeptShape);

/// Why items have no answer: the kind as a word, and what happened as a text.
pub(super) fn absences_out<'a>(
    absent: impl Iterator<Item = Option<&'a Absence>>,
) -> [(String, LedgerColumn); 2] {
    let (kinds, whys) = absent
        .map(|one| {
            let kind = one.map(|absence| absence.kind.to_string());
            (kind, one.map(|absence| absence.why.clone()))
        })
        .unzip();
    [
        ("absence".into(), LedgerColumn::MaybeTexts(kinds)),
        ("absent".into(), LedgerColumn::MaybeTexts(whys)),
    ]
}

/// Version 1 kept the text alone; the one text that was no failure is told by its words.
pub(super) fn absences_in(table: &mut LedgerTable) -> Result<Vec<Option<Absence>>, String> {
    let whys = table.maybe_texts("absent")?;
    if !table.columns.contains_key("absence") {
        return Ok(whys.into_iter().map(|why| why.map(from_v1)).collect());
    }
    let kinds = table.maybe_texts("absence")?;
    kinds.into_iter().zip(whys).map(both).collect()
}

fn from_v1(why: String) -> Absence {
    if why.contains(&Absence::not_taking_part().why) {
        Absence::new(AbsenceKind::NotTakingPart, why)
    } else {
        why.into()
    }
}

fn both((kind, why): (Option<String>, Option<String>)) -> Result<Option<Absence>, String> {
    match (kind, why) {
        (None, None) => Ok(None),
        (Some(kind), Some(why)) => match AbsenceKind::from_word(&kind) {
            Some(kind) => Ok(Some(Absence::new(kind, why))),
            None => Err(format!("an absence of the unknown kind `{kind}`")),
        },
        _ => Err("an absence without its kind or its reason".into()),
    }
}

fn classes_out(ids: &[String], said: &ClassAnswers) -> Out {
    let mut columns = vec![("id".into(), LedgerColumn::Texts(ids.to_vec()))];
    columns.extend(absences_out((0..ids.len()).map(|i| said.absent().get(&i))));
    let form = match said.said() {
        Said::Probabilities(rows) => {
            columns.extend(by_class(rows, said.classes()));
            KeptForm::Probabilities
        }
        Said::Logits(rows) => {
            columns.extend(by_class(rows, said.classes()));
            KeptForm::Logits
        }
        Said::Labels { label, confidence } => {
            columns.push((
                "label".into(),
                LedgerColumn::Wholes(label.iter().map(|x| *x as i32).collect()),
            ));
            columns.extend(
                confidence
                    .as_ref()
                    .map(|c| ("confidence".into(), LedgerColumn::Numbers(c.clone()))),
            );
            if confidence.is_some() {
                KeptForm::LabelsWithConfidence
            } else {
                KeptForm::Labels
            }
        }
    };
    let scores = said.scores().values().enumerate();
    columns
        .extend(scores.map(|(at, of)| (format!("score {at}"), LedgerColumn::Numbers(of.clone()))));
    let scores = said.scores().keys().cloned().collect();
    (
        columns,
        KeptShape::Classes {
            classes: said.classes().to_vec(),
            form,
            scores,
        },
    )
}

/// One column per class, numbered, so that no class name can clash with another column.
fn by_class<'a>(
    rows: &'a [f64],
    classes: &'a [String],
) -> impl Iterator<Item = (String, LedgerColumn)> + 'a {
    (0..classes.len()).map(move |class| {
        let column = rows
            .iter()
            .skip(class)
            .step_by(classes.len())
            .copied()
            .collect();
        (format!("class {class}"), LedgerColumn::Numbers(column))
    })
}

fn classes_in(
    table: &mut LedgerTable,
    classes: Vec<String>,
    form: KeptForm,
) -> Result<(Vec<String>, ClassAnswers), String> {
    let ids = table.texts("id")?;
    let absent = absences_in(table)?;
    let said = match form {
        KeptForm::Probabilities => Said::Probabilities(rows_in(table, ids.len(), classes.len())?),
        KeptForm::Logits => Said::Logits(rows_in(table, ids.len(), classes.len())?),
        KeptForm::Labels => Said::Labels {
            label: table.counts("label")?,
            confidence: None,
        },
        KeptForm::LabelsWithConfidence => Said::Labels {
            label: table.counts("label")?,
            confidence: Some(table.numbers("confidence")?),
        },
    };
    let mut answers = ClassAnswers::new(classes, said);
    for (i, why) in absent.into_iter().enumerate() {
        if let Some(why) = why {
            answers = answers.without(i, why);
        }
    }
    Ok((ids, answers))
}

fn rows_in(table: &mut LedgerTable, items: usize, classes: usize) -> Result<Vec<f64>, String> {
    let mut rows = vec![0.0; items * classes];
    for class in 0..classes {
        let column = table.numbers(&format!("class {class}"))?;
        rows.iter_mut()
            .skip(class)
            .step_by(classes)
            .zip(column)
            .for_each(|(to, from)| *to = from);
    }
    Ok(rows)
}

fn graph_out(said: &GraphAnswer) -> Out {
    let d = said.graph.variables().len();
    let pairs = || (0..d as u32).flat_map(move |from| (0..d as u32).map(move |to| (from, to)));
    let columns = vec![
        (
            "from".into(),
            LedgerColumn::Wholes(pairs().map(|(from, _)| from as i32).collect()),
        ),
        (
            "to".into(),
            LedgerColumn::Wholes(pairs().map(|(_, to)| to as i32).collect()),
        ),
        ("score".into(), LedgerColumn::Numbers(said.scores.clone())),
        (
            "chosen".into(),
            LedgerColumn::Flags(pairs().map(|(from, to)| said.graph.has(from, to)).collect()),
        ),
    ];
    (
        columns,
        KeptShape::Graph {
            variables: said.graph.variables().to_vec(),
            rule: said.rule.clone(),
        },
    )
}

fn graph_in(
    table: &mut LedgerTable,
    variables: Vec<String>,
    rule: String,
) -> Result<Answers, String> {
    let (from, to, chosen) = (
        table.counts("from")?,
        table.counts("to")?,
        table.flags("chosen")?,
    );
    let pairs = from.into_iter().zip(to).zip(chosen);
    let edges = pairs.filter_map(|(pair, chosen)| chosen.then_some(pair));
    let graph = Graph::new(variables, edges)?;
    Ok(Answers::Graph(GraphAnswer {
        graph,
        scores: table.numbers("score")?,
        rule,
    }))
}

fn texts_out(ids: &[String], said: &TextAnswers) -> Out {
    let texts = said.texts.iter().map(|one| one.as_ref().ok().cloned());
    let mut columns = vec![
        ("id".into(), LedgerColumn::Texts(ids.to_vec())),
        ("text".into(), LedgerColumn::MaybeTexts(texts.collect())),
    ];
    columns.extend(absences_out(
        said.texts.iter().map(|one| one.as_ref().err()),
    ));
    (columns, KeptShape::Texts)
}

fn texts_in(table: &mut LedgerTable) -> Result<(Vec<String>, Answers), String> {
    let ids = table.texts("id")?;
    let texts = table.maybe_texts("text")?;
    let absent = absences_in(table)?;
    let unknown = || Absence::from(String::new());
    let texts = texts
        .into_iter()
        .zip(absent)
        .map(|(text, why)| text.ok_or_else(|| why.unwrap_or_else(unknown)))
        .collect();
    Ok((ids, Answers::Texts(TextAnswers { texts })))
}

/// Numbered columns, as for classes; an absent row holds zeros that nobody reads.
fn ratings_out(ids: &[String], said: &RatingAnswers) -> Out {
    let mut columns = vec![("id".into(), LedgerColumn::Texts(ids.to_vec()))];
    columns.extend(absences_out(
        said.rows().iter().map(|row| row.as_ref().err()),
    ));
    for at in 0..said.dimensions().len() {
        let column = said
            .rows()
            .iter()
            .map(|row| row.as_ref().map_or(0.0, |row| row[at]))
            .collect();
        columns.push((format!("dimension {at}"), LedgerColumn::Numbers(column)));
    }
    (
        columns,
        KeptShape::Ratings {
            dimensions: said.dimensions().to_vec(),
        },
    )
}

fn ratings_in(
    table: &mut LedgerTable,
    dimensions: Vec<String>,
) -> Result<(Vec<String>, Answers), String> {
    let ids = table.texts("id")?;
    let absent = absences_in(table)?;
    let columns = (0..dimensions.len()).map(|at| table.numbers(&format!("dimension {at}")));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let row = |(i, why): (usize, Option<Absence>)| match why {
        Some(why) => Err(why),
        None => Ok(columns.iter().map(|column| column[i]).collect()),
    };
    let rows = absent.into_iter().enumerate().map(row).collect();
    Ok((ids, Answers::Ratings(RatingAnswers::new(dimensions, rows))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answers: Answers) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cell.parquet");
        let ids: Vec<String> = ["a", "b — ü", ""].map(String::from).to_vec();
        let item = KeptItem::Image {
            at: 1,
            shape: [1, 1, 2],
            before: "00ff".into(),
            after: "01fe".into(),
        };
        // Only images are attacked, and only classifiers answer about them.
        let attacked = matches!(answers, Answers::Classes(_));
        let spent = attacked.then(|| Spent {
            queries: vec![3; ids.len()],
            gradients: vec![2; ids.len()],
        });
        let realised = (!attacked).then_some(Realised {
            hidden: 0.1,
            changed: 0.2,
            moved: 1.0 / 3.0,
            edits: Some(2.5),
        });
        let doubts = vec!["zero gradient".into()];
        let kept = Kept {
            ids,
            answers,
            doubts,
            attack_doubts: vec![AttackDoubt::StillRising {
                rising: 1,
                ended: 2,
            }],
            items: vec![item],
            spent,
            realised,
            cost: Some(Cost {
                seconds: 1.0 / 3.0,
                requests: 3,
                output_tokens: Some(17),
                ..Cost::default()
            }),
            images: None,
            checked: true,
        };
        let owner = Id::joined("a cell", &[]);
        let file = io::BufWriter::new(File::create(&path).unwrap());
        write(file, owner, &kept).unwrap();
        assert_eq!(read(&path, owner).unwrap(), kept);
        let swapped = read(&path, Id::joined("another cell", &[])).unwrap_err();
        assert!(swapped.why.contains("another cell's file"), "{swapped}");
    }

    #[test]
    fn answers_come_back_as_they_were_kept() {
        let classes = || vec!["x".to_string(), "y".to_string()];
        let rows = vec![0.1, 0.9, 1.0 / 3.0, 2.0 / 3.0, 1.0, 0.0];
        check(Answers::Classes(ClassAnswers::new(
            classes(),
            Said::Probabilities(rows.clone()),
        )));
        check(Answers::Classes(
            ClassAnswers::new(classes(), Said::Logits(rows)).without(2, Absence::not_taking_part()),
        ));
        let said = Said::Labels {
            label: vec![1, 0, 1],
            confidence: Some(vec![0.5, 0.25, 1.0]),
        };
        check(Answers::Classes(ClassAnswers::new(classes(), said)));
        let said = Said::Labels {
            label: vec![1, 0, 1],
            confidence: None,
        };
        let scored =
            ClassAnswers::new(classes(), said).with_score("ssim", vec![0.5, -1.0, 1.0 / 3.0]);
        check(Answers::Classes(scored));
        let graph = Graph::new(classes(), [(0, 1)]).unwrap();
        check(Answers::Graph(GraphAnswer {
            graph,
            scores: vec![0.0, 2.5, -1e-300, 0.0],
            rule: "z > 3".into(),
        }));
        let texts = vec![
            Ok("hello \u{1b}[31m<script>".into()),
            Err(Absence::new(AbsenceKind::CutOff, "after 12 tokens")),
            Ok(String::new()),
        ];
        check(Answers::Texts(TextAnswers { texts }));
        let rows = vec![
            Ok(vec![1.0, 0.25]),
            Err("not parsed".into()),
            Ok(vec![0.0, -3.5]),
        ];
        check(Answers::Ratings(RatingAnswers::new(classes(), rows)));
    }
}
