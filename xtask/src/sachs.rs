//! Made-up tables of the shape of the Sachs data, which are not ours to ship: eleven proteins, the
//! published graph with its cycle, cells without time.

use std::fmt::Write;
use std::path::Path;

use crate::step::Done;

const PROTEINS: [&str; 11] = [
    "praf", "pmek", "plcg", "PIP2", "PIP3", "p44/42", "pakts473", "PKA", "PKC", "P38", "pjnk",
];

/// The edges of the table in the package `cdt`: 18, three of which close a cycle.
const EDGES: [(&str, &str); 18] = [
    ("PKC", "praf"),
    ("PKC", "pmek"),
    ("PKC", "pjnk"),
    ("PKC", "P38"),
    ("PKC", "PKA"),
    ("PKA", "praf"),
    ("PKA", "pmek"),
    ("PKA", "p44/42"),
    ("PKA", "pakts473"),
    ("PKA", "pjnk"),
    ("PKA", "P38"),
    ("praf", "pmek"),
    ("pmek", "p44/42"),
    ("p44/42", "pakts473"),
    ("plcg", "PIP2"),
    ("PIP3", "plcg"),
    ("PIP2", "PIP3"),
    ("PIP3", "pakts473"),
];

/// The proteins in an order in which causes come first; the edge back from PIP2 is left out.
const ORDER: [&str; 11] = [
    "PKC", "PKA", "praf", "pmek", "p44/42", "PIP3", "plcg", "PIP2", "pakts473", "P38", "pjnk",
];

/// Cells: enough for every learner, few enough for seconds.
const CELLS: usize = 400;

/// Writes `cyto_full_data.csv` and `cyto_full_target.csv` into a folder; always the same.
pub(crate) fn write(folder: &Path) -> Done {
    let mut draws = StandInDraws(2005);
    let mut cells = PROTEINS.join(",") + "\n";
    for _ in 0..CELLS {
        let mut cell = [0.0_f64; PROTEINS.len()];
        for name in ORDER {
            let causes = EDGES
                .iter()
                .filter(|(from, to)| *to == name && (*from, *to) != ("PIP2", "PIP3"));
            let moved: f64 = causes.map(|(from, _)| 0.6 * cell[at(from)]).sum();
            cell[at(name)] = moved + draws.next();
        }
        let row: Vec<String> = cell
            .iter()
            .map(|value| format!("{:.4}", 50.0 + 10.0 * value))
            .collect();
        let _ = writeln!(cells, "{}", row.join(","));
    }
    let edges: String = EDGES
        .iter()
        .map(|(from, to)| format!("{from},{to}\n"))
        .collect();
    let put = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    put("cyto_full_data.csv", cells)?;
    put("cyto_full_target.csv", format!("Cause,Effect\n{edges}"))
}

fn at(protein: &str) -> usize {
    PROTEINS
        .iter()
        .position(|name| *name == protein)
        .unwrap_or_default()
}

/// Roughly normal draws from sums of a linear congruential generator: the same on every machine.
pub(crate) struct StandInDraws(pub(crate) u64);

impl StandInDraws {
    pub(crate) fn next(&mut self) -> f64 {
        let mut sum = -6.0;
        for _ in 0..12 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum
    }
}
