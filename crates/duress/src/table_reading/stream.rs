//! A table that is gone through and not kept: what was said, how sure, and what is true, from a
//! Parquet file of any length.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use duress_core::part::{Build, Params, Part, PartKind};
use duress_core::problem::Problem;
use duress_parts::registry::Registry;
use duress_stats::interval::wilson;
use duress_stats::statistic::{Counts, Gap, SelectiveMeasure};
use duress_stats::streamed::{Bounded, Streamed};
use duress_tables::formats::{self, parquet};
use duress_tables::labels::{classes_of, in_order, no_class_twice, positions};
use duress_tables::layout::guess::{Reason, about_the_first, with_other_of_pair};
use duress_tables::layout::named_or_usual;
use duress_tables::layout::score_column::{Meaning, ScoreColumn};
use duress_tables::layout::words::{
    CONFIDENCE_COLUMNS, ColumnWords, LABEL_COLUMNS, PREDICTION_COLUMNS, SECOND_CLASS,
};
use duress_tables::table::{Head, Table, by_name, find_column};

use super::classes::unlikely;
use super::reasons::in_words;
use super::{GaugeOptions, Gauged, Gauging};
use duress_findings::{AbsenceReason, IntervalMethod, Method, Quantity, Range, Reading, Resampled};

/// A value or why there is none, and how exact it is.
type ReadChunk = (Result<f64, AbsenceReason>, AbsenceReason);

/// Where things are.
struct StreamedColumns {
    label: String,
    answer: Answer,
}

enum Answer {
    /// A class, and how sure.
    Said {
        prediction: String,
        confidence: String,
    },
    /// A class, and a number that is how sure or about the second of two classes.
    Beside { prediction: String, column: String },
    /// The probability of the second of two classes.
    Second(String),
}

/// Reads the gauges that need no more than one pass.
pub fn stream(file: &Path, options: &GaugeOptions, registry: &Registry) -> Result<Gauged, Problem> {
    let in_file = |problem: Problem| problem.in_file(file);
    let columns = StreamedColumns::of(&formats::heads(file)?, options).map_err(in_file)?;
    let (columns, classes, reason) = columns
        .settled(file, &options.hints.classes)
        .map_err(in_file)?;
    let mut seen = StreamedCounts::new(classes.len(), registry)?;
    columns
        .visit(file, true, &mut |table| {
            seen.take(&table, &columns, &classes)
        })
        .map_err(in_file)?;
    if seen.items == 0 {
        return Err(in_file(formats::no_row()));
    }
    let mut found = vec![format!(
        "{} classes: {} · streamed",
        classes.len(),
        classes.join(", ")
    )];
    found.extend(columns.in_words(&classes));
    found.extend(reason.iter().flat_map(in_words));
    found.extend(unlikely(
        seen.below_chance as usize,
        seen.items as usize,
        classes.len(),
    ));
    found.push(format!("true classes in `{}`", columns.label));
    Ok(Gauged {
        file: file.display().to_string(),
        found,
        items: seen.items as usize,
        gauges: seen.readings(options.level, registry)?,
        with_intervals: true,
    })
}

impl StreamedColumns {
    fn of(heads: &[Head], options: &GaugeOptions) -> Result<StreamedColumns, Problem> {
        let missing = |what: &str, words: ColumnWords| {
            Problem::new(format!("no column is called as {what} are"))
                .expected(format!("one of {}", words.all().join(", ")))
        };
        let label = named_or_usual(heads, options.hints.label.as_deref(), LABEL_COLUMNS)?;
        let label = label.ok_or_else(|| missing("true classes", LABEL_COLUMNS))?;
        let confidence = CONFIDENCE_COLUMNS.find(heads);
        let prediction = PREDICTION_COLUMNS.find(heads).filter(|name| *name != label);
        let second = SECOND_CLASS.find(heads).filter(|name| *name != label);
        let named = find_column(heads, options.hints.score.as_deref(), &[])?;
        let answer = match (prediction, confidence, second) {
            _ if named.is_some() => Answer::Second(named.unwrap_or_default()),
            (Some(prediction), Some(confidence), _) => Answer::Said {
                prediction,
                confidence,
            },
            (Some(prediction), None, Some(column)) => Answer::Beside { prediction, column },
            (None, _, Some(second)) => Answer::Second(second),
            (_, _, None) => {
                return Err(missing("confidences", CONFIDENCE_COLUMNS)
                    .hint("a stream reads `prediction` and `confidence`, or the `probability` of the second of two classes"));
            }
        };
        Ok(StreamedColumns { label, answer })
    }

    fn visit(
        &self,
        file: &Path,
        numbers: bool,
        visit: &mut dyn FnMut(Table) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let input = File::open(file)
            .map_err(|error| Problem::new(format!("it cannot be opened: {error}")))?;
        let (texts, number) = match &self.answer {
            Answer::Said {
                prediction,
                confidence: column,
            }
            | Answer::Beside { prediction, column } => {
                (vec![self.label.as_str(), prediction], column)
            }
            Answer::Second(second) => (vec![self.label.as_str()], second),
        };
        let numbers: &[&str] = if numbers { &[number] } else { &[] };
        parquet::in_groups(
            input,
            file,
            &mut |heads| Ok(by_name(heads, numbers, &texts)),
            visit,
        )
    }

    /// Where things are once a pass of its own has told what a number beside predictions is, the
    /// classes, and how that was told.
    fn settled(
        self,
        file: &Path,
        told: &[String],
    ) -> Result<(StreamedColumns, Vec<String>, Option<Reason>), Problem> {
        no_class_twice(told)?;
        let unsettled = matches!(self.answer, Answer::Beside { .. });
        let mut all = BTreeSet::new();
        let mut scores = ScoreColumn::default();
        if unsettled || told.is_empty() {
            self.visit(file, unsettled, &mut |table| {
                all.extend(classes_of(table.texts(&self.label)));
                match &self.answer {
                    Answer::Said { prediction, .. } => {
                        all.extend(classes_of(table.texts(prediction)))
                    }
                    Answer::Beside { prediction, column } => {
                        let said = table.texts(prediction);
                        all.extend(classes_of(said));
                        said.iter()
                            .zip(table.numbers(column).1)
                            .for_each(|(said, x)| scores.add(said, *x));
                    }
                    Answer::Second(_) => {}
                }
                Ok(())
            })?;
        }
        if all.is_empty() && told.is_empty() {
            return Err(formats::no_row());
        }
        let mut classes = match (told.is_empty(), &self.answer) {
            (false, _) => told.to_vec(),
            (true, Answer::Said { .. }) => in_order(all.iter().map(String::as_str)),
            (true, _) => with_other_of_pair(in_order(all.iter().map(String::as_str))),
        };
        let Answer::Beside { prediction, column } = self.answer else {
            return Ok((self, classes, None));
        };
        let meaning = scores.meaning(&column, &classes);
        if let Some(problem) = meaning.problem(&column, &prediction, &classes) {
            return Err(problem);
        }
        let reason = meaning.reason(&column, &prediction, &classes);
        let answer = match meaning {
            Meaning::FirstClass(_) if !told.is_empty() => {
                return Err(about_the_first(&column, &prediction, &classes));
            }
            Meaning::Neither | Meaning::NoProbability(_) => {
                unreachable!("what cannot be read is a problem")
            }
            Meaning::Confidence => Answer::Said {
                prediction,
                confidence: column,
            },
            Meaning::SecondClass(_) => Answer::Second(column),
            Meaning::FirstClass(_) => {
                classes.reverse();
                Answer::Second(column)
            }
        };
        Ok((
            StreamedColumns {
                label: self.label,
                answer,
            },
            classes,
            reason,
        ))
    }

    /// What is read, in words.
    fn in_words(&self, classes: &[String]) -> Option<String> {
        match (&self.answer, classes) {
            (Answer::Second(column), [_, second]) => Some(format!(
                "`{column}` is about `{second}`, the second of the two"
            )),
            (
                Answer::Said {
                    prediction,
                    confidence,
                },
                _,
            ) => Some(format!(
                "said in `{prediction}`, how sure in `{confidence}`"
            )),
            _ => None,
        }
    }
}

/// What has been seen so far.
struct StreamedCounts {
    items: u64,
    /// How many confidences are lower than the largest of as many probabilities can be.
    below_chance: u64,
    streamed: Streamed,
    /// Sums of the Brier score and the log-likelihood, where probabilities are known; and whether
    /// the second is infinite.
    scores: Option<(f64, f64)>,
}

impl StreamedCounts {
    fn new(classes: usize, registry: &Registry) -> Result<StreamedCounts, Problem> {
        // As the gauges have them when nobody says otherwise.
        let bins = as_left_out("ece", registry)?.1.count("bins");
        let threshold = as_left_out("coverage", registry)?.1.number("threshold");
        let streamed =
            Streamed::new(classes, bins, threshold).map_err(|why| Problem::new(why.to_string()))?;
        Ok(StreamedCounts {
            items: 0,
            below_chance: 0,
            streamed,
            scores: None,
        })
    }

    fn take(
        &mut self,
        table: &Table,
        columns: &StreamedColumns,
        classes: &[String],
    ) -> Result<(), Problem> {
        let (truth, _) = positions(table, &columns.label, classes)?;
        match &columns.answer {
            Answer::Said {
                prediction,
                confidence,
            } => {
                let (said, _) = positions(table, prediction, classes)?;
                let (_, sure) = table.numbers(confidence);
                let least = (1.0 - 1e-9) / classes.len().max(1) as f64;
                self.below_chance += sure.iter().filter(|sure| **sure < least).count() as u64;
                for (row, &truth) in truth.iter().enumerate() {
                    self.add(table, row, truth, said[row], sure[row])?;
                }
            }
            Answer::Beside { .. } => unreachable!("what a number is was settled before it is read"),
            Answer::Second(second) => {
                if classes.len() != 2 {
                    return Err(Problem::new(format!(
                        "`{second}` is one column for {} classes",
                        classes.len()
                    ))
                    .expected("two classes, or a column `prediction` beside a confidence"));
                }
                let (_, probability) = table.numbers(second);
                let (mut brier, mut nll) = self.scores.unwrap_or_default();
                for (row, (&truth, &p)) in truth.iter().zip(probability).enumerate() {
                    self.add(table, row, truth, u32::from(p > 1.0 - p), p.max(1.0 - p))?;
                    let own = if truth == 1 { p } else { 1.0 - p };
                    brier += 2.0 * (1.0 - own) * (1.0 - own);
                    nll -= own.ln();
                }
                self.scores = Some((brier, nll));
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        table: &Table,
        row: usize,
        truth: u32,
        said: u32,
        sure: f64,
    ) -> Result<(), Problem> {
        self.items += 1;
        let added = self.streamed.add(truth, said, sure);
        added.map_err(|why| table.at(row, Problem::new(why.in_words())))
    }

    fn readings(&self, level: f64, registry: &Registry) -> Result<Vec<Gauging>, Problem> {
        let counts = self.streamed.counts();
        let selected = self.streamed.selected();
        let said = |why: duress_stats::UndefinedReason| AbsenceReason::gauge(why.in_words());
        let exact = |value: Result<f64, AbsenceReason>| (value, AbsenceReason::Streamed);
        let selecting = |what| exact(selected.measure(what).map_err(said));
        let bins = |gap| exact(self.streamed.calibration(gap).map_err(said));
        let there: Vec<usize> = (0..counts.classes())
            .filter(|class| counts.support(*class) > 0)
            .collect();
        let either: Vec<usize> = (0..counts.classes())
            .filter(|class| counts.support(*class) + counts.predicted(*class) > 0)
            .collect();
        let mean = |classes: &[usize], rate: &dyn Fn(usize) -> f64| {
            exact(Ok(
                classes.iter().map(|class| rate(*class)).sum::<f64>() / classes.len() as f64
            ))
        };
        let aurc = self.streamed.aurc().map_err(said);
        let excess = aurc.clone().and_then(|area| {
            let oracle = self.streamed.oracle().map_err(said)?;
            Ok(Bounded {
                value: area.value - oracle,
                low: area.low - oracle,
                high: area.high - oracle,
            })
        });
        let n = self.items as f64;
        let mut all: Vec<(&str, ReadChunk)> = vec![
            (
                "accuracy",
                exact(Ok((0..counts.classes())
                    .map(|class| counts.hits(class))
                    .sum::<u64>() as f64
                    / n)),
            ),
            (
                "balanced-accuracy",
                mean(&there, &|class| counts.recall(class).unwrap_or(0.0)),
            ),
            (
                "precision",
                mean(&either, &|class| counts.precision(class).unwrap_or(0.0)),
            ),
            (
                "recall",
                mean(&there, &|class| counts.recall(class).unwrap_or(0.0)),
            ),
            (
                "f1",
                mean(&either, &|class| counts.f1(class).unwrap_or(0.0)),
            ),
            ("f1-weighted", exact(Ok(weighted_f1(&counts)))),
            (
                "mcc",
                exact(counts.mcc().ok_or_else(|| {
                    AbsenceReason::gauge("all are of one class, or one was said of all")
                })),
            ),
            ("ece", bins(Gap::Mean)),
            ("ece-debiased", bins(Gap::Debiased)),
            ("mce", bins(Gap::Largest)),
            ("aurc", within(aurc)),
            ("e-aurc", within(excess)),
            ("augrc", within(self.streamed.augrc().map_err(said))),
            ("coverage", selecting(SelectiveMeasure::Coverage)),
            ("selective-accuracy", selecting(SelectiveMeasure::Accuracy)),
            (
                "selective-improvement",
                selecting(SelectiveMeasure::Improvement),
            ),
            ("risk-accepted", selecting(SelectiveMeasure::RiskAccepted)),
            ("risk-rejected", selecting(SelectiveMeasure::RiskRejected)),
            (
                "rejection-quality",
                selecting(SelectiveMeasure::RejectionQuality),
            ),
        ];
        if let Some((brier, nll)) = self.scores {
            let nll = if nll.is_finite() {
                Ok(nll / n)
            } else {
                Err(AbsenceReason::gauge(
                    "an item gave its class the probability 0",
                ))
            };
            all.push(("brier", exact(Ok(brier / n))));
            all.push(("nll", exact(nll)));
        }
        all.into_iter()
            .map(|(name, (value, why))| self.gauging(name, value, why, level, registry))
            .collect()
    }

    fn gauging(
        &self,
        name: &str,
        value: Result<f64, AbsenceReason>,
        no_interval: AbsenceReason,
        level: f64,
        registry: &Registry,
    ) -> Result<Gauging, Problem> {
        let (part, params) = as_left_out(name, registry)?;
        let Build::Gauge(build) = part.build else {
            return Err(Problem::new(format!("`{name}` is no gauge")));
        };
        let gauge = build(&params)?;
        let scale = gauge
            .scale(None)
            .ok_or_else(|| Problem::new(format!("`{name}` reads through another")))?;
        let counts = self.streamed.counts();
        let right: u64 = (0..counts.classes()).map(|class| counts.hits(class)).sum();
        let (interval, method): (_, Method) = match (name, wilson(right, self.items, level)) {
            ("accuracy", Ok(found)) => (
                Ok(Range {
                    low: found.low,
                    high: found.high,
                    level,
                }),
                IntervalMethod::Wilson.into(),
            ),
            _ => (Err(no_interval), IntervalMethod::None.into()),
        };
        let items = self.items as usize;
        Ok(Gauging {
            model: None,
            gauge: name.into(),
            dimension: None,
            ladder: None,
            scope: gauge.scope(),
            summary: part.summary(),
            scale,
            quantity: Quantity::new(
                value.map_or_else(Reading::Undefined, Reading::Value),
                interval,
            )
            .of(items, 1)
            .by(Resampled::Items { items }, method),
            detail: None,
        })
    }
}

/// A gauge, and its keys when all are left out.
fn as_left_out(name: &str, registry: &Registry) -> Result<(&'static Part, Params), Problem> {
    let part = registry.find(PartKind::Gauge, name)?;
    let params =
        Params::of(part, &[], Path::new("")).map_err(|mut problems| problems.swap_remove(0))?;
    Ok((part, params))
}

fn weighted_f1(counts: &Counts) -> f64 {
    let part = |class: usize| counts.support(class) as f64 * counts.f1(class).unwrap_or(0.0);
    (0..counts.classes()).map(part).sum::<f64>() / counts.total() as f64
}

/// A value with how far off it can be.
fn within(bounded: Result<Bounded, AbsenceReason>) -> ReadChunk {
    match bounded {
        Err(why) => (Err(why), AbsenceReason::StreamedUndefined),
        Ok(Bounded { value, low, high }) => {
            (Ok(value), AbsenceReason::StreamedWithin { low, high })
        }
    }
}
