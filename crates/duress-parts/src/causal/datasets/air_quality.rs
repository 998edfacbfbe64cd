//! UCI Air Quality: thirteen sensors in an Italian city, hour by hour for a year, from the user's
//! own copy.
//!
//! # What it does
//! Reads `AirQualityUCI.csv` as it is published (semicolons, decimal commas, −200 for a missing value, 114 blank lines at the end):
//! 9,357 hours of CO, S1, NMHC, C6H6, S2, NOx, S3, NO2, S4, S5, T, RH and AH, cut into windows of `steps` hours, `stride` hours apart; 9,334 of
//! them with 24 and 1. The last `test-share` is tested on, and windows that overlap both sides are dropped. With `regimes` above 1 the
//! year is cut into so many stretches, each a regime, fitted and tested within itself.
//!
//! The graph beside it has 13 edges: CO→S1, NMHC→S2, C6H6→S2, NOx→S3, NOx→NO2, S3→S5, NO2→S4,
//! T→NOx, T→RH, T→AH, RH→CO, RH→NMHC, RH→AH. It was drawn by hand, by nobody who measured it. It is
//! an opinion, and the report says so; `truth` names another list of edges.
//!
//! # Why it matters
//! Real gaps (a fifth of all values; NMHC is 90 % missing), real drift, real seasons: what
//! simulated data only pretend to have. No graph of it is known, so scores against one are scores
//! against an opinion; `held-out-likelihood` needs none.
//!
//! # Promise
//! A value of −200 is hidden, not read. Windows to fit and windows to test share no hour.
//!
//! # Example
//! ```toml
//! [dataset.air]
//! use  = "air-quality"
//! file = "AirQualityUCI.csv"
//! ```
//!
//! # Reference
//! De Vito et al., *Sensors and Actuators B* 129 (2008) 750–757; UCI Machine Learning Repository,
//! "Air Quality", CC BY 4.0.

use std::path::{Path, PathBuf};

use duress_core::data::Dataset;
use duress_core::graph::Graph;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::truth::Truth;

use crate::causal::frame::edge_list::{TrueGraph, true_graph};
use crate::causal::frame::time_series::{STANDARDISE, TEST_SHARE, TimeSeries, WindowCut};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "air-quality",
    version: 1,
    fields: &[
        Field {
            name: "file",
            takes: Takes::File,
            doc: "the user's copy of AirQualityUCI.csv",
            default: None,
        },
        Field {
            name: "truth",
            takes: Takes::File,
            doc: "a table with a row per edge, instead of the 13 drawn by hand",
            default: Some(""),
        },
        Field {
            name: "steps",
            takes: Takes::Whole(1, 1000),
            doc: "hours in a window",
            default: Some("24"),
        },
        Field {
            name: "stride",
            takes: Takes::Whole(1, 1000),
            doc: "hours from the beginning of a window to that of the next",
            default: Some("1"),
        },
        Field {
            name: "regimes",
            takes: Takes::Whole(1, 50),
            doc: "into how many stretches of time the year is cut, each a regime",
            default: Some("1"),
        },
        TEST_SHARE,
        STANDARDISE,
    ],
    source: include_str!("air_quality.rs"),
    build: Build::Dataset(|params| Ok(FixedSource::windows_with_graph(AirQuality::new(params)))),
};

/// The columns, as the file and as people call them.
const COLUMNS: [(&str, &str); 13] = [
    ("CO(GT)", "CO"),
    ("PT08.S1(CO)", "S1"),
    ("NMHC(GT)", "NMHC"),
    ("C6H6(GT)", "C6H6"),
    ("PT08.S2(NMHC)", "S2"),
    ("NOx(GT)", "NOx"),
    ("PT08.S3(NOx)", "S3"),
    ("NO2(GT)", "NO2"),
    ("PT08.S4(NO2)", "S4"),
    ("PT08.S5(O3)", "S5"),
    ("T", "T"),
    ("RH", "RH"),
    ("AH", "AH"),
];

/// What somebody thought acts on what.
const OPINION: [(u32, u32); 13] = [
    (0, 1),
    (2, 4),
    (3, 4),
    (5, 6),
    (5, 7),
    (6, 9),
    (7, 8),
    (10, 5),
    (10, 11),
    (10, 12),
    (11, 0),
    (11, 2),
    (11, 12),
];

/// How the file says that a value is missing.
const MISSING: f64 = -200.0;

struct AirQuality {
    file: PathBuf,
    truth: Option<PathBuf>,
    cut: WindowCut,
    regimes: u32,
}

impl AirQuality {
    fn new(params: &Params) -> AirQuality {
        AirQuality {
            file: params.file("file"),
            truth: params.file_if("truth"),
            cut: WindowCut::from(params, params.count("steps"), params.count("stride")),
            regimes: params.whole("regimes") as u32,
        }
    }
}

impl Load for AirQuality {
    fn load(&self) -> Result<Dataset, Problem> {
        let names: Vec<String> = COLUMNS.iter().map(|(_, name)| (*name).into()).collect();
        let values = read(&self.file)?;
        let rows = values.len() / COLUMNS.len();
        let regimes = (0..rows)
            .map(|row| (row * self.regimes as usize / rows.max(1)) as u32)
            .collect();
        let TrueGraph { graph, remarks } = match &self.truth {
            Some(file) => true_graph(file, &names)?,
            None => opinion(&names)?,
        };
        let series = TimeSeries {
            variables: names,
            values,
            regimes,
            breaks: Vec::new(),
        };
        let dataset = self.cut.dataset(&series, Truth::Graph(graph))?;
        Ok(remarks.into_iter().fold(dataset, Dataset::with_remark))
    }
}

/// The graph that somebody drew, and that it is no more than that.
fn opinion(names: &[String]) -> Result<TrueGraph, Problem> {
    let remark = "the graph of 13 edges beside these data was drawn by hand: it is an opinion, and a score against it is no more";
    Ok(TrueGraph {
        graph: Graph::new(names.to_vec(), OPINION).map_err(Problem::new)?,
        remarks: vec![remark.into()],
    })
}

/// The thirteen columns, row by row.
fn read(file: &Path) -> Result<Vec<Option<f64>>, Problem> {
    let unreadable =
        |error: std::io::Error| Problem::new(format!("cannot be read: {error}")).in_file(file);
    let bytes = std::fs::read(file).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| {
        line.trim_start_matches('\u{feff}').split(';').collect()
    });
    let places: Vec<usize> = COLUMNS
        .iter()
        .map(|(name, _)| {
            header
                .iter()
                .position(|own| own.trim() == *name)
                .ok_or_else(|| {
                    Problem::new(format!("there is no column `{name}`"))
                        .expected("AirQualityUCI.csv as the repository has it, with semicolons")
                        .in_file(file)
                        .on_line(1)
                })
        })
        .collect::<Result<_, _>>()?;
    let mut values = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.trim_matches([';', ' ', '\r']).is_empty()) {
        let fields: Vec<&str> = line.split(';').collect();
        for &place in &places {
            let field = fields.get(place).copied().unwrap_or("").trim();
            let number = field
                .replace(',', ".")
                .parse::<f64>()
                .ok()
                .filter(|x| x.is_finite());
            let number = number.ok_or_else(|| {
                Problem::new(format!("`{}` is {field:?}", header[place]))
                    .expected("a number with a decimal comma")
                    .in_file(file)
                    .on_line(at + 1)
            })?;
            values.push((number != MISSING).then_some(number));
        }
    }
    Ok(values)
}
