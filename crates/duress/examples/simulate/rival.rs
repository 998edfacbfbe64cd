//! What others would have made of the same answers: t over items, t over seeds, and resamples of
//! both at once (the pigeonhole bootstrap, A. B. Owen, Ann. Appl. Stat. 1 (2007) 386).

use std::collections::BTreeMap;
use std::sync::Mutex;

use duress_stats::dist::StudentT;
use duress_stats::random::RandomStream;

use crate::block::{Block, Kind, Tally};
use crate::line::{BESIDE_RIVALS, Bar, Line};
use crate::model::ITEMS;

/// Tests are one-sided at this level, as claims are.
const ALPHA: f64 = 0.05;
const RESAMPLES: u64 = 399;

/// How far apart subjects are, in standard errors of their difference.
const APART: f64 = 2.5;
/// Studies from which that error is taken, and where they begin: nobody else has their numbers.
const PILOT: usize = 400;
const PILOT_FIRST: usize = 900_000_000;

/// The p-value that a rival gives.
type Test = fn(&Differences) -> f64;

const RIVALS: [(&str, Test); 3] = [
    ("t over items", over_items),
    ("t over seeds", over_seeds),
    ("pigeonhole bootstrap", pigeonhole),
];

/// Differences of two subjects' answers: seed by seed, item by item.
struct Differences {
    rows: Vec<Vec<f64>>,
    study: usize,
}

impl Differences {
    fn of(block: &Block, study: usize, seeds: usize, gap: f64) -> Differences {
        let mut subjects = block.subjects(study);
        subjects[1].accuracy = block.accuracy - gap;
        let right = |who: usize, seed: u64| {
            let margins = subjects[who].margins(seed, 0.0);
            let right = margins
                .into_iter()
                .map(|one| f64::from(u8::from(one.is_some_and(|margin| margin > 0.0))));
            right.collect::<Vec<f64>>()
        };
        let row = |seed: u64| {
            let both = right(0, seed).into_iter().zip(right(1, seed));
            both.map(|(a, b)| a - b).collect()
        };
        Differences {
            rows: (1..=seeds as u64).map(row).collect(),
            study,
        }
    }

    fn of_seeds(&self) -> Vec<f64> {
        let mean = |row: &Vec<f64>| row.iter().sum::<f64>() / row.len() as f64;
        self.rows.iter().map(mean).collect()
    }

    fn of_items(&self) -> Vec<f64> {
        let seeds = self.rows.len() as f64;
        let mean = |item: usize| self.rows.iter().map(|row| row[item]).sum::<f64>() / seeds;
        (0..ITEMS).map(mean).collect()
    }

    fn mean(&self) -> f64 {
        let seeds = self.of_seeds();
        seeds.iter().sum::<f64>() / seeds.len() as f64
    }
}

/// The difference between the subjects of a block on power.
pub(crate) fn gap(block: &Block) -> f64 {
    static KNOWN: Mutex<BTreeMap<String, f64>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(|broken| broken.into_inner());
    *known.entry(block.name()).or_insert_with(|| {
        // Without a gap there is no need to know it.
        let null = Block {
            kind: Kind::Accuracy,
            ..block.clone()
        };
        let seeds = block.looks[0];
        let all = PILOT_FIRST..PILOT_FIRST + PILOT;
        let means: Vec<f64> = all
            .map(|study| Differences::of(&null, study, seeds, 0.0).mean())
            .collect();
        let squares = means.iter().map(|mean| mean * mean).sum::<f64>();
        let gap = APART * (squares / PILOT as f64).sqrt();
        (gap * 1e4).round() / 1e4
    })
}

/// Counts what rivals uphold where there is a difference, and where there is none, and holds the
/// default against the best of those that are valid.
pub(crate) fn run(block: &Block, first: usize, tally: &mut Tally) -> Result<(), String> {
    let seeds = block.looks[0];
    let row = block.row(seeds);
    let (gap, nulls) = (gap(block), first + block.studies);
    for at in 0..block.studies {
        let there = Differences::of(block, first + at, seeds, gap);
        let none = Differences::of(block, nulls + at, seeds, 0.0);
        for (name, p) in RIVALS {
            let measure = format!("upheld by {name}");
            tally.count(&row, &measure, Bar::Told, p(&there) <= ALPHA);
            let measure = format!("falsely upheld by {name}");
            tally.count(&row, &measure, Bar::Told, p(&none) <= ALPHA);
        }
    }
    let upheld = tally.hits(&row, "upheld by default");
    let mut best = upheld;
    for (name, _) in RIVALS {
        let falsely = Line {
            row: row.clone(),
            measure: String::new(),
            bar: Bar::False,
            hits: tally.hits(&row, &format!("falsely upheld by {name}")),
            of: block.studies as u64,
        };
        if !falsely.misses(0.001) {
            best = best.max(tally.hits(&row, &format!("upheld by {name}")));
        }
    }
    tally.set(&row, BESIDE_RIVALS, Bar::Power, upheld, best);
    Ok(())
}

fn over_items(all: &Differences) -> f64 {
    student(&all.of_items())
}

fn over_seeds(all: &Differences) -> f64 {
    student(&all.of_seeds())
}

/// The chance of such a mean or a higher one if there were no difference.
fn student(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    match StudentT::new(n - 1.0) {
        Ok(law) if error > 0.0 => law.sf(mean / error),
        _ => 1.0,
    }
}

fn pigeonhole(all: &Differences) -> f64 {
    let seeds = all.rows.len();
    let mut at_most_zero = 0;
    let mut counts = vec![0.0; ITEMS];
    for draw in 0..RESAMPLES {
        let mut stream = RandomStream::new(all.study as u64, 1000 + draw);
        counts.fill(0.0);
        for _ in 0..ITEMS {
            counts[stream.below(ITEMS as u32) as usize] += 1.0;
        }
        let mut sum = 0.0;
        for _ in 0..seeds {
            let row = &all.rows[stream.below(seeds as u32) as usize];
            sum += row.iter().zip(&counts).map(|(x, n)| x * n).sum::<f64>();
        }
        at_most_zero += u64::from(sum <= 0.0);
    }
    (1.0 + at_most_zero as f64) / (RESAMPLES as f64 + 1.0)
}
