//! The user's own windows, or rows in time to be cut into windows, with or without a graph.
//!
//! # What it does
//! A table (CSV, Parquet, JSON lines, xlsx) has a row per step in the order of time and a column
//! per variable; it is cut into windows of `steps` steps, `stride` apart: by default one ends where
//! the next begins. Where a column of regimes is named, windows stay within a stretch of one
//! regime. A column of times, called `time`, `timestamp`, `date` … or named by `time`, holds no
//! variable: rows must be in its order, and where more time passes between two rows than usual, a
//! window ends. An npy or npz file has windows already: an array `X` (or the only one) of windows ×
//! steps × variables, and optionally `mask` or `M` (1 where a value was observed), `regimes` or `e`
//! (a whole number per window) and `variables` (their names). An empty cell, `NA`, `n/a`, `null`,
//! `None` or NaN, and the number `missing` if one is named, are hidden values. A column or array that is not read is named,
//! and so is a variable that never changes or is never seen.
//!
//! The last `test-share` is tested on. Between fitted and tested windows a gap is left: windows
//! that share a step with both are dropped; of windows that came ready-made, `gap` of them, by
//! default one less than the steps, which is right for windows cut at every step.
//!
//! `truth` is a table with a row per edge: `from` and `to`, names of variables or their positions
//! from 0; or a network as `.bif`. Left out, nothing is known to be true, and only gauges that need no
//! truth have a value. Variables that act on each other in turn close a cycle: it is taken, and named.
//!
//! # Why it matters
//! Windows that overlap in time and are split at random are tested on what was fitted: the usual
//! leak.
//!
//! # Promise
//! No test window shares a step with a fitted one. A truth with an unknown name is refused with its
//! line.
//!
//! # Example
//! ```toml
//! [dataset.plant]
//! use    = "windows"
//! file   = "plant.csv"
//! truth  = "edges.csv"
//! steps  = 24
//! regime = "shift"
//! ```
//!
//! # Reference
//! Cerqueira, Torgo and Mozetič, Evaluating time series forecasting models, *Machine Learning* 109
//! (2020) 1997–2028, for splits by time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use duress_core::data::{Dataset, TableUse};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::truth::Truth;
use duress_tables::formats;
use duress_tables::formats::npz::{self, Tensor};
use duress_tables::layout::words::{TIME_COLUMNS, says_nothing};
use duress_tables::table::{Head, Table, Want, no_column};

use crate::causal::frame::clock::Clock;
use crate::causal::frame::edge_list::{self, true_graph};
use crate::causal::frame::time_series::{STANDARDISE, TEST_SHARE, TimeSeries, WindowCut};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "windows",
    version: 2,
    fields: &[
        Field {
            name: "file",
            takes: Takes::File,
            doc: "a table with a row per step, or an npy or npz file with windows",
            default: None,
        },
        Field {
            name: "truth",
            takes: Takes::File,
            doc: "a table with a row per edge, or a network as `.bif`",
            default: Some(""),
        },
        Field {
            name: "variables",
            takes: Takes::Texts,
            doc: "the columns to read, or the names of the variables of an array; all columns when left out",
            default: Some(""),
        },
        Field {
            name: "regime",
            takes: Takes::Text,
            doc: "the column with the regime",
            default: Some(""),
        },
        Field {
            name: "time",
            takes: Takes::Text,
            doc: "the column with the time of each row, as a number or a date; when left out, one called `time`, `timestamp`, `datetime` or `date`, unless `variables` has it",
            default: Some(""),
        },
        Field {
            name: "missing",
            takes: Takes::Number(f64::MIN, f64::MAX),
            doc: "the number that stands for a missing value",
            default: Some(""),
        },
        Field {
            name: "steps",
            takes: Takes::Whole(1, 100_000),
            doc: "steps in a window; windows that came ready-made keep theirs",
            default: Some("24"),
        },
        Field {
            name: "stride",
            takes: Takes::Whole(1, 100_000),
            doc: "steps from the beginning of a window to that of the next; as many as a window has when left out",
            default: Some(""),
        },
        Field {
            name: "gap",
            takes: Takes::Whole(0, 1_000_000),
            doc: "windows dropped between fitted and tested ones that came ready-made; one less than the steps when left out",
            default: Some(""),
        },
        TEST_SHARE,
        STANDARDISE,
    ],
    source: include_str!("windows.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::windows_with_graph(OwnWindows::new(params)))),
};

struct OwnWindows {
    file: PathBuf,
    truth: Option<PathBuf>,
    variables: Vec<String>,
    regime: Option<String>,
    time: Option<String>,
    missing: Option<f64>,
    gap: Option<usize>,
    cut: WindowCut,
}

impl OwnWindows {
    fn new(params: &Params) -> OwnWindows {
        let steps = params.count("steps");
        OwnWindows {
            file: params.file("file"),
            truth: params.file_if("truth"),
            variables: params.texts("variables").to_vec(),
            regime: params.text_if("regime").map(Into::into),
            time: params.text_if("time").map(Into::into),
            missing: params.number_if("missing"),
            gap: params.count_if("gap"),
            cut: WindowCut::from(params, steps, params.count_if("stride").unwrap_or(steps)),
        }
    }

    fn is_array(&self) -> bool {
        let ending = self
            .file
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        matches!(ending.as_deref(), Some("npy" | "npz"))
    }

    /// What is true, and what a reader should know about it.
    fn truth(&self, variables: &[String]) -> Result<(Truth, Vec<String>), Problem> {
        let Some(file) = &self.truth else {
            return Ok((Truth::Nothing, Vec::new()));
        };
        let published = true_graph(file, variables)?;
        Ok((Truth::Graph(published.graph), published.remarks))
    }

    fn value(&self, x: f64) -> Option<f64> {
        (!x.is_nan() && self.missing != Some(x)).then_some(x)
    }

    fn rows(&self) -> Result<OwnRows, Problem> {
        let mut variables = Vec::new();
        let mut regime = None;
        let mut time = None;
        let mut unread = Vec::new();
        let table = formats::read(&self.file, &mut |heads| {
            let there = |name: &String| heads.iter().any(|head| head.name == *name);
            if let Some(missing) = self
                .variables
                .iter()
                .chain(&self.regime)
                .chain(&self.time)
                .find(|name| !there(name))
            {
                return Err(no_column(missing, heads));
            }
            regime.clone_from(&self.regime);
            time = self.time.clone().or_else(|| self.usual_time(heads));
            let is_regime =
                |name: &String| self.regime.as_ref() == Some(name) || time.as_ref() == Some(name);
            variables = match self.variables.is_empty() {
                true => heads
                    .iter()
                    .map(|head| head.name.clone())
                    .filter(|name| !is_regime(name))
                    .collect(),
                false => self.variables.clone(),
            };
            let want = |name: &String| variables.contains(name) || is_regime(name);
            let wants = heads.iter().map(|head| {
                if want(&head.name) {
                    Want::TextsOrGaps
                } else {
                    Want::Nothing
                }
            });
            let not_read = heads.iter().filter(|head| !want(&head.name));
            unread = not_read.map(|head| head.name.clone()).collect();
            Ok(wants.collect())
        })?;
        let clock = self.clock(&table, time)?;
        let mut values = Vec::with_capacity(table.rows() * variables.len());
        for row in 0..table.rows() {
            for name in &variables {
                let number = number(table.texts(name).get(row)).map_err(|text| {
                    let wrong = Problem::new(format!("`{name}` is {text:?}"));
                    table.at(
                        row,
                        wrong.expected("a number, or nothing where there is none"),
                    )
                })?;
                values.push(number.and_then(|x| self.value(x)));
            }
        }
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut of_row = |row: usize| {
            let Some(regime) = &regime else { return 0 };
            let next = known.len() as u32;
            *known
                .entry(table.texts(regime).get(row).to_string())
                .or_insert(next)
        };
        let regimes = (0..table.rows()).map(&mut of_row).collect();
        let series = TimeSeries {
            variables,
            values,
            regimes,
            breaks: clock
                .iter()
                .flat_map(|clock| clock.breaks.clone())
                .collect(),
        };
        let mut remarks = unread_remark("column", &unread);
        remarks.extend(clock.map(|clock| clock.remark));
        Ok(OwnRows { series, remarks })
    }

    /// What the times say. Where the study names the variables and no time, a column that is only
    /// called as times are need not hold any.
    fn clock(&self, table: &Table, time: Option<String>) -> Result<Option<Clock>, Problem> {
        let Some(name) = time else { return Ok(None) };
        let may_be_other = self.time.is_none() && !self.variables.is_empty();
        if may_be_other && !Clock::is_in(table, &name) {
            return Ok(Some(Clock {
                breaks: Vec::new(),
                remark: format!("the column `{name}` is not read: it holds no times"),
            }));
        }
        Clock::read(table, &name).map(Some)
    }

    /// The column that is called as times are, where nobody has said that it is a variable.
    fn usual_time(&self, heads: &[Head]) -> Option<String> {
        TIME_COLUMNS
            .find(heads)
            .filter(|name| !self.variables.contains(name) && self.regime.as_ref() != Some(name))
    }

    fn array(&self) -> Result<Dataset, Problem> {
        let tensors = npz::tensors(&self.file)?;
        let wrong = |message: String| Problem::new(message).in_file(&self.file);
        let expected = "windows × steps × variables";
        let x = match (tensors.get("X"), tensors.len()) {
            (Some(x), _) => x,
            (None, 1) => tensors
                .values()
                .next()
                .unwrap_or_else(|| unreachable!("there is one")),
            (None, _) => return Err(wrong("there is no array `X`".into()).expected(expected)),
        };
        let (n, steps, d) = match x.shape.as_slice() {
            &[n, steps, d] if steps > 0 && d > 0 => (n, steps, d),
            shape => {
                return Err(
                    wrong(format!("the shape of the windows is {shape:?}")).expected(expected)
                );
            }
        };
        let mask = one_of(&tensors, MASKS).map_err(wrong)?;
        let regime = one_of(&tensors, REGIMES).map_err(wrong)?;
        let observed = fitting(mask, n * steps * d).map_err(wrong)?;
        let regimes = fitting(regime, n).map_err(wrong)?;
        if let Some(bad) = observed.and_then(|m| m.iter().find(|x| **x != 0.0 && **x != 1.0)) {
            return Err(wrong(format!("the mask has {bad}"))
                .expected("1 where a value was observed, 0 where it is hidden"));
        }
        if let Some(bad) = regimes.and_then(|r| r.iter().find(|x| x.fract() != 0.0 || **x < 0.0)) {
            return Err(
                wrong(format!("the regimes have {bad}")).expected("whole numbers at or above 0")
            );
        }
        let value = |at: usize| match observed {
            Some(mask) if mask[at] == 0.0 => None,
            _ => self.value(x.values[at]),
        };
        if let Some(at) = (0..x.values.len()).find(|&at| value(at).is_some_and(f64::is_infinite)) {
            return Err(wrong(format!(
                "window {} has an infinite value",
                at / (steps * d).max(1)
            )));
        }
        let variables = self.names(d)?;
        let ready = TimeSeries {
            variables: variables.clone(),
            values: (0..x.values.len()).map(value).collect(),
            regimes: (0..n * steps)
                .map(|row| regimes.map_or(0, |r| r[row / steps] as u32))
                .collect(),
            breaks: Vec::new(),
        };
        let cut = WindowCut { steps, ..self.cut };
        let (truth, mut remarks) = self.truth(&variables)?;
        let dataset = cut
            .ready_made(&ready, self.gap.unwrap_or(steps - 1), truth)
            .map_err(|problem| problem.in_file(&self.file))?;
        remarks.extend(self.unread_arrays(&tensors)?);
        Ok(remarks.into_iter().fold(dataset, Dataset::with_remark))
    }

    /// Which arrays nobody has read.
    fn unread_arrays(&self, tensors: &BTreeMap<String, Tensor>) -> Result<Vec<String>, Problem> {
        let read = |name: &str| {
            let known = ["X", "variables"];
            tensors.len() == 1
                || known.contains(&name)
                || MASKS.contains(&name)
                || REGIMES.contains(&name)
        };
        let heads = formats::heads(&self.file)?;
        let names = heads.into_iter().map(|head| head.name);
        let all: BTreeSet<String> = names.chain(tensors.keys().cloned()).collect();
        let unread: Vec<String> = all.into_iter().filter(|name| !read(name)).collect();
        Ok(unread_remark("array", &unread))
    }

    fn names(&self, d: usize) -> Result<Vec<String>, Problem> {
        let own = texts(&self.file, "variables");
        let names = match (self.variables.is_empty(), own) {
            (false, _) => self.variables.clone(),
            (true, Some(names)) => names,
            (true, None) => (0..d).map(|v| format!("x{v}")).collect(),
        };
        match names.len() == d {
            true => Ok(names),
            false => Err(
                Problem::new(format!("{} names for {d} variables", names.len()))
                    .in_file(&self.file),
            ),
        }
    }
}

/// What an array of observed values, and one of regimes, may be called.
const MASKS: [&str; 2] = ["mask", "M"];
const REGIMES: [&str; 2] = ["regimes", "e"];

/// Rows of a table, and what a reader should know about them.
struct OwnRows {
    series: TimeSeries,
    remarks: Vec<String>,
}

/// That some columns or arrays are not read, where there are such.
fn unread_remark(kind: &str, names: &[String]) -> Vec<String> {
    match names {
        [] => Vec::new(),
        [one] => vec![format!("the {kind} `{one}` is not read")],
        some => vec![format!("the {kind}s `{}` are not read", some.join("`, `"))],
    }
}

/// The array that has one of these names, of which only one may be there.
fn one_of<'a>(
    tensors: &'a BTreeMap<String, Tensor>,
    names: [&'static str; 2],
) -> Result<Option<(&'static str, &'a Tensor)>, String> {
    let mut found = names
        .into_iter()
        .filter_map(|name| Some((name, tensors.get(name)?)));
    match (found.next(), found.next()) {
        (Some((one, _)), Some((other, _))) => Err(format!(
            "`{one}` and `{other}` are there, which mean the same"
        )),
        (found, _) => Ok(found),
    }
}

/// The values of an array; a message if it has another size.
fn fitting<'a>(
    found: Option<(&str, &'a Tensor)>,
    size: usize,
) -> Result<Option<&'a [f64]>, String> {
    match found {
        Some((name, tensor)) if tensor.values.len() != size => Err(format!(
            "`{name}` has {} values, the windows need {size}",
            tensor.values.len()
        )),
        other => Ok(other.map(|(_, tensor)| tensor.values.as_slice())),
    }
}

/// The texts of an array, if there is one.
fn texts(file: &Path, name: &str) -> Option<Vec<String>> {
    let table = formats::read(file, &mut |heads| {
        let wants: Vec<Want> = heads
            .iter()
            .map(|head| {
                if head.name == name {
                    Want::Texts
                } else {
                    Want::Nothing
                }
            })
            .collect();
        match wants.contains(&Want::Texts) {
            true => Ok(wants),
            false => Err(Problem::new("there is no such array")),
        }
    });
    table
        .ok()
        .map(|table| table.texts(name).iter().map(String::from).collect())
}

fn number(text: &str) -> Result<Option<f64>, String> {
    match text.trim() {
        text if says_nothing(text) => Ok(None),
        text => match text.parse::<f64>() {
            Ok(x) if x.is_infinite() => Err(text.into()),
            Ok(x) => Ok(Some(x)),
            Err(_) => Err(text.into()),
        },
    }
}

impl Load for OwnWindows {
    fn load(&self) -> Result<Dataset, Problem> {
        if self.is_array() {
            return self.array();
        }
        let OwnRows {
            series,
            mut remarks,
        } = self.rows()?;
        let (truth, of_graph) = self.truth(&series.variables)?;
        remarks.extend(of_graph);
        let dataset = self
            .cut
            .dataset(&series, truth)
            .map_err(|problem| problem.in_file(&self.file))?;
        Ok(remarks.into_iter().fold(dataset, Dataset::with_remark))
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let truth = self.truth.iter();
        truth.map(|file| edge_list::table_use(file)).collect()
    }
}
