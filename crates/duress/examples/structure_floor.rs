//! Tables of scores with a known truth, read as people read theirs: how often the intervals of
//! MDR … S_rob hold it, how often S_struct finds structure where there is none, how far its floor is
//! off, and how far its p-value is off for the number of shuffles.
//!
//! `cargo run --release -p duress --example structure_floor -- [STUDIES] [SHUFFLED]`: so many tables of
//! each setting, and so many on which numbers of shuffles are compared.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use duress::Registry;
use duress::table_reading::{GaugeOptions, TableHints, gauge};
use duress_core::gauge::{Detail, GroupSpread};
use duress_core::seed::{Draws, Seed};
use duress_findings::{Gauged, Reading};
use duress_text::arrangement::Permutation;

const GAUGES: [&str; 6] = ["mdr", "mda", "s-seq", "s-struct", "s-struct-net", "s-rob"];
/// Shuffles where p-values are not what is looked at.
const FEW_SHUFFLES: usize = 999;
/// What numbers of shuffles are compared with.
const MANY_SHUFFLES: usize = 99_999;

/// How scores are made.
struct Setting {
    name: &'static str,
    /// About so many items of each group.
    groups: [usize; 6],
    /// How far groups lie apart: the standard deviation of what they lose.
    apart: f64,
    /// How much more the worst arrangement takes than the others.
    worst: f64,
}

const SIMPLIFIED: [usize; 6] = [14, 80, 138, 16, 535, 216];
const KOREAN: [usize; 6] = [19, 90, 178, 31, 68, 30];

const SETTINGS: [Setting; 4] = [
    Setting {
        name: "999 items, no structure",
        groups: SIMPLIFIED,
        apart: 0.0,
        worst: 0.1,
    },
    Setting {
        name: "999 items, structure",
        groups: SIMPLIFIED,
        apart: 0.05,
        worst: 0.1,
    },
    Setting {
        name: "416 items, structure",
        groups: KOREAN,
        apart: 0.05,
        worst: 0.1,
    },
    Setting {
        name: "999 items, structure, all arrangements alike",
        groups: SIMPLIFIED,
        apart: 0.05,
        worst: 0.0,
    },
];

/// What every arrangement takes, but for the worst.
const LOSS: f64 = 0.4;
/// The mean of S_orig, which is drawn evenly from .3 around it.
const ORIGINAL: f64 = 0.75;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let studies = numbers.next().transpose()?.unwrap_or(400);
    let shuffled = numbers.next().transpose()?.unwrap_or(40);
    let folder = tempfile::tempdir()?;
    for setting in &SETTINGS {
        setting.simulate(studies, folder.path())?;
    }
    compare_shuffles(shuffled, folder.path())
}

impl Setting {
    /// What each group loses more than the mean over items.
    fn shifts(&self) -> [f64; 6] {
        let raw = [-1.0, 1.0, 0.2, -0.6, 0.4, 0.0];
        let of = |values: [f64; 6], weights: [f64; 6]| {
            let sum: f64 = values
                .iter()
                .zip(weights)
                .map(|(value, weight)| value * weight)
                .sum();
            sum / weights.iter().sum::<f64>()
        };
        let spread = population_sd(raw);
        let centre = of(raw, self.groups.map(|size| size as f64));
        raw.map(|value| (value - centre) / spread * self.apart)
    }

    /// The true value of each gauge, in the order of [`GAUGES`].
    fn truth(&self) -> [f64; 6] {
        let mdr = LOSS + self.worst / 23.0;
        let mda = LOSS + self.worst;
        let s_seq = 1.0 - (mdr + mda) / 2.0;
        let s_struct = 1.0 - ORIGINAL * population_sd(self.shifts()) / 0.5;
        let s_rob = 2.0 * s_seq * s_struct / (s_seq + s_struct);
        [mdr, mda, s_seq, s_struct, s_struct, s_rob]
    }

    fn simulate(&self, studies: usize, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let truth = self.truth();
        let mut held = [0; 6];
        let mut intervals = [0; 6];
        let mut sums = [0.0; 6];
        let mut found_structure = 0;
        let mut floor = 0.0;
        for study in 0..studies {
            self.write(study, folder)?;
            let read = read(folder, FEW_SHUFFLES, &GAUGES)?;
            for (at, name) in GAUGES.iter().enumerate() {
                let quantity = &gauging(&read, name)?.quantity;
                // A group that few resamples have two items of leaves S_struct net without one.
                if let Ok(interval) = &quantity.interval {
                    let holds = interval.low <= truth[at] && truth[at] <= interval.high;
                    held[at] += usize::from(holds);
                    intervals[at] += 1;
                }
                sums[at] += value(&quantity.value)?;
            }
            let spread = spread(&read)?;
            found_structure += usize::from(spread.p <= 0.05);
            floor += spread.floor;
        }
        let n = studies as f64;
        println!("{} ({studies} tables)", self.name);
        for (at, name) in GAUGES.iter().enumerate() {
            let share = 100.0 * held[at] as f64 / intervals[at] as f64;
            let bias = sums[at] / n - truth[at];
            println!(
                "  {name}: truth {:.4}, off by {bias:+.4} in the mean, held by {share:.1} % of {} intervals",
                truth[at], intervals[at]
            );
        }
        let share = 100.0 * f64::from(found_structure as u32) / n;
        println!(
            "  p ≤ .05 in {share:.1} %; floor {:.4} in the mean",
            floor / n
        );
        Ok(())
    }

    /// Writes the scores of a table, and the structures of its items.
    fn write(&self, study: usize, folder: &Path) -> std::io::Result<()> {
        let mut draws = Seed::new(22)
            .child(self.name)
            .child(study.to_string())
            .draws();
        let items: usize = self.groups.iter().sum();
        let orders = Permutation::all_of_length(4);
        let heads: Vec<String> = orders
            .iter()
            .map(|order| format!("{order}_S_Acc"))
            .collect();
        let mut scores = format!("Idiom,{}\n", heads.join(","));
        let mut structures = String::new();
        let shifts = self.shifts();
        for item in 0..items {
            let group = self.group(draws.below(items));
            let text = made_up_text(item);
            let row = self.scores(shifts[group], &mut draws);
            let _ = writeln!(scores, "{text},{}", row.join(","));
            let _ = writeln!(structures, "{text},group {group}");
        }
        fs::write(folder.join("scores.csv"), scores)?;
        fs::write(folder.join("structures.csv"), structures)
    }

    /// The group that a draw below the number of items falls into.
    fn group(&self, mut draw: usize) -> usize {
        for (at, size) in self.groups.iter().enumerate() {
            if draw < *size {
                return at;
            }
            draw -= size;
        }
        self.groups.len() - 1
    }

    /// The score of an item of a group in every order, the original first.
    fn scores(&self, shift: f64, draws: &mut Draws) -> Vec<String> {
        let original = ORIGINAL + 0.3 * (draws.uniform() - 0.5);
        let own = shift + 0.1 * draws.normal();
        let mut row = vec![original.to_string()];
        for arrangement in 0..23 {
            let more = if arrangement == 16 { self.worst } else { 0.0 };
            let lost = LOSS + more + own + 0.15 * draws.normal();
            row.push((original * (1.0 - lost)).to_string());
        }
        row
    }
}

/// How far p-values are off with fewer shuffles.
fn compare_shuffles(tables: usize, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    println!("error of p beside {MANY_SHUFFLES} shuffles ({tables} tables without structure)");
    let numbers = [99, 999, 9_999];
    let mut squares = [0.0; 3];
    let mut most = [0.0_f64; 3];
    for table in 0..tables {
        SETTINGS[0].write(100_000 + table, folder)?;
        let p = |shuffles: usize| -> Result<f64, Box<dyn std::error::Error>> {
            Ok(spread(&read(folder, shuffles, &["s-struct"])?)?.p)
        };
        let known = p(MANY_SHUFFLES)?;
        for (at, shuffles) in numbers.into_iter().enumerate() {
            let off = p(shuffles)? - known;
            squares[at] += off * off;
            most[at] = most[at].max(off.abs());
        }
    }
    for (at, shuffles) in numbers.into_iter().enumerate() {
        let error = (squares[at] / tables as f64).sqrt();
        println!(
            "  {shuffles} shuffles: {error:.4} root mean square, {:.4} at most",
            most[at]
        );
    }
    Ok(())
}

fn read(
    folder: &Path,
    shuffles: usize,
    only: &[&str],
) -> Result<Gauged, Box<dyn std::error::Error>> {
    let options = GaugeOptions {
        hints: TableHints {
            structures: Some(folder.join("structures.csv")),
            ..TableHints::default()
        },
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        keys: vec![("s-struct".into(), "shuffles".into(), shuffles.to_string())],
        details: true,
        ..GaugeOptions::default()
    };
    let read = gauge(&folder.join("scores.csv"), &options, &Registry::standard());
    read.map_err(|problem| problem.to_string().into())
}

fn gauging<'a>(read: &'a Gauged, name: &str) -> Result<&'a duress_findings::Gauging, String> {
    let found = read.gauges.iter().find(|one| one.gauge == name);
    found.ok_or(format!("{name} was not read"))
}

fn spread(read: &Gauged) -> Result<&GroupSpread, String> {
    match &gauging(read, "s-struct")?.detail {
        Some(Detail::Spread(spread)) => Ok(spread),
        _ => Err("S_struct has no detail".into()),
    }
}

fn value(reading: &Reading) -> Result<f64, String> {
    match reading {
        Reading::Value(value) => Ok(*value),
        Reading::Undefined(why) => Err(why.to_string()),
    }
}

/// Four characters that no other item has.
fn made_up_text(item: usize) -> String {
    let character = |at: usize| char::from_u32(0x4e00 + (4 * item + at) as u32);
    (0..4).filter_map(character).collect()
}

fn population_sd(values: [f64; 6]) -> f64 {
    let mean = values.iter().sum::<f64>() / 6.0;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / 6.0).sqrt()
}
