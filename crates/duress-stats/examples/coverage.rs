//! How often intervals hold the truth: simulated over sample sizes and shapes, printed as the table
//! in `docs/statistics.md`.
//!
//! Run with `cargo run --release -p duress-stats --example coverage`; `-- 500` does fewer
//! repetitions. One seed, one table.

use duress_stats::bootstrap::{
    Config, Design, IntervalKind, Nesting, TwoLevelMean, bootstrap, bootstrap_two_level,
};
use duress_stats::dist::Normal;
use duress_stats::random::RandomStream;
use duress_stats::statistic::{Auroc, Calibration, Edges, Gap, SampleMean, Statistic};
use duress_stats::tests::delong;
use duress_stats::{Interval, Side, UndefinedReason, interval};

const LEVEL: f64 = 0.95;
const RESAMPLES: usize = 999;
const KINDS: [IntervalKind; 4] = [
    IntervalKind::Percentile,
    IntervalKind::Basic,
    IntervalKind::Bca,
    IntervalKind::Studentised { inner: 0 },
];

fn main() {
    let repetitions = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(4000);
    println!(
        "{repetitions} repetitions, {RESAMPLES} resamples, nominal {} %\n",
        100.0 * LEVEL
    );
    means(repetitions);
    proportions();
    aurocs(repetitions);
    two_levels(repetitions);
    calibration_errors(repetitions);
}

/// How often the truth was held, how often there was no interval, and how wide they were.
#[derive(Default, Clone, Copy)]
struct Tally {
    held: usize,
    made: usize,
    undefined: usize,
}

impl Tally {
    fn add(&mut self, interval: Result<Interval, UndefinedReason>, truth: f64) {
        match interval {
            Ok(interval) => {
                self.made += 1;
                self.held += usize::from(interval.contains(truth));
            }
            Err(_) => self.undefined += 1,
        }
    }

    fn merge(&mut self, other: Self) {
        self.held += other.held;
        self.made += other.made;
        self.undefined += other.undefined;
    }

    /// Coverage in percent among the intervals made; a note on those that were not.
    fn show(self) -> String {
        if self.made == 0 {
            return "–".to_owned();
        }
        let share = 100.0 * self.held as f64 / self.made as f64;
        let missing = 100.0 * self.undefined as f64 / (self.made + self.undefined) as f64;
        if missing < 0.05 {
            format!("{share:.1}")
        } else {
            format!("{share:.1} ({missing:.1} % undefined)")
        }
    }
}

/// Repeats an experiment that makes `N` intervals, on all cores; counts do not depend on the order.
fn repeat<const N: usize>(
    repetitions: usize,
    truth: f64,
    one: impl Fn(usize) -> [Result<Interval, UndefinedReason>; N] + Sync,
) -> [Tally; N] {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let run = |start: usize| {
        let mut tallies = [Tally::default(); N];
        for repetition in (start..repetitions).step_by(threads) {
            for (tally, interval) in tallies.iter_mut().zip(one(repetition)) {
                tally.add(interval, truth);
            }
        }
        tallies
    };
    let mut sum = [Tally::default(); N];
    std::thread::scope(|scope| {
        let run = &run;
        let workers: Vec<_> = (0..threads)
            .map(|start| scope.spawn(move || run(start)))
            .collect();
        for worker in workers {
            let part = worker.join().expect("a repetition does not panic");
            sum.iter_mut()
                .zip(part)
                .for_each(|(sum, part)| sum.merge(part));
        }
    });
    sum
}

fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

fn heading(cells: &[&str]) {
    row(&cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>());
    println!("|{}", "---|".repeat(cells.len()));
}

fn normal(stream: &mut RandomStream) -> f64 {
    let p = (stream.next_word() >> 11) as f64 + 0.5;
    Normal
        .quantile(p / (1_u64 << 53) as f64)
        .expect("inside (0, 1)")
}

type Shape = (&'static str, f64, fn(&mut RandomStream) -> f64);

/// Name, mean, and a draw.
const SHAPES: [Shape; 3] = [
    ("normal", 0.0, normal),
    ("exponential", 1.0, |s| -(1.0 - s.next_unit()).ln()),
    ("lognormal", 1.648_721_270_700_128_2, |s| normal(s).exp()),
];

fn config(seed: usize) -> Config {
    Config {
        resamples: RESAMPLES,
        level: LEVEL,
        seed: seed as u64,
        threads: 1,
    }
}

fn means(repetitions: usize) {
    println!("### Mean of n values\n");
    heading(&[
        "shape",
        "n",
        "t",
        "percentile",
        "basic",
        "BCa",
        "studentised",
    ]);
    for (name, truth, draw) in SHAPES {
        for n in [3, 5, 10, 30, 100] {
            let tallies = repeat(repetitions, truth, |repetition| {
                let mut stream = RandomStream::new(1, repetition as u64);
                let values: Vec<f64> = (0..n).map(|_| draw(&mut stream)).collect();
                let mean = SampleMean::new(&values).expect("finite values");
                let [a, b, c, d] = KINDS.map(|kind| {
                    bootstrap(&mean, Design::Simple, kind, config(repetition)).map(|r| r.interval)
                });
                [interval::student_t(&values, LEVEL), a, b, c, d]
            });
            let mut cells = vec![name.to_owned(), n.to_string()];
            cells.extend(tallies.map(Tally::show));
            row(&cells);
        }
    }
    println!();
}

/// Exact: summed over all outcomes, no simulation.
fn proportions() {
    println!("### Proportion of n trials, exact coverage summed over all outcomes\n");
    heading(&[
        "n",
        "p",
        "Wilson",
        "Clopper–Pearson",
        "percentile bootstrap (exact limit)",
    ]);
    for n in [5_u64, 10, 30, 100] {
        for p in [0.5, 0.8, 0.95] {
            let law = duress_stats::dist::Binomial::new(n, p).expect("p in [0, 1]");
            let coverage = |make: &dyn Fn(u64) -> Result<Interval, UndefinedReason>| {
                let held = |k: &u64| make(*k).is_ok_and(|i| i.contains(p));
                let share: f64 = (0..=n).filter(held).map(|k| law.pmf(k)).sum();
                format!("{:.1}", 100.0 * share)
            };
            row(&[
                n.to_string(),
                p.to_string(),
                coverage(&|k| interval::wilson(k, n, LEVEL)),
                coverage(&|k| interval::clopper_pearson(k, n, LEVEL)),
                coverage(&|k| percentile_limit(k, n)),
            ]);
        }
    }
    println!();
}

/// What the percentile bootstrap of a proportion tends to with the number of resamples: binomial
/// quantiles.
fn percentile_limit(k: u64, n: u64) -> Result<Interval, UndefinedReason> {
    let law = duress_stats::dist::Binomial::new(n, k as f64 / n as f64)?;
    let end = |p: f64| Ok(law.quantile(p)? as f64 / n as f64);
    let tail = 0.5 * (1.0 - LEVEL);
    Interval::new(end(tail)?, end(1.0 - tail)?, LEVEL, "limit")
}

fn aurocs(repetitions: usize) {
    println!("### AUROC, half of n positive, binormal scores\n");
    heading(&["AUROC", "n", "DeLong", "percentile", "BCa"]);
    for shift in [0.741_614_4, 1.812_388] {
        let truth = Normal.cdf(shift / std::f64::consts::SQRT_2);
        for n in [20, 50, 200] {
            let positive: Vec<bool> = (0..n).map(|i| i % 2 == 0).collect();
            let strata: Vec<usize> = positive.iter().map(|p| usize::from(*p)).collect();
            let tallies = repeat(repetitions.min(2000), truth, |repetition| {
                let mut stream = RandomStream::new(2, repetition as u64);
                let mut score = |p: &bool| normal(&mut stream) + if *p { shift } else { 0.0 };
                let scores: Vec<f64> = positive.iter().map(&mut score).collect();
                let auroc = Auroc::new(&scores, &positive).expect("finite scores");
                let resampled = |kind| {
                    bootstrap(
                        &auroc,
                        Design::Stratified(&strata),
                        kind,
                        config(repetition),
                    )
                    .map(|r| r.interval)
                };
                let test = delong(&scores, &positive, 0.5, Side::TwoSided, LEVEL);
                let wald = test.map(|t| t.interval.expect("DeLong gives one"));
                [
                    wald,
                    resampled(IntervalKind::Percentile),
                    resampled(IntervalKind::Bca),
                ]
            });
            let mut cells = vec![format!("{truth:.2}"), n.to_string()];
            cells.extend(tallies.map(Tally::show));
            row(&cells);
        }
    }
    println!();
}

fn replicate_means(grid: &TwoLevelMean) -> Vec<f64> {
    grid.0
        .iter()
        .map(|row| row.iter().sum::<f64>() / row.len() as f64)
        .collect()
}

/// Replicate effects, item effects (shared when crossed), and noise.
fn draw_grid(
    stream: &mut RandomStream,
    outer: usize,
    inner: usize,
    nesting: Nesting,
) -> TwoLevelMean {
    let (spread, shared) = (0.3, 1.0);
    let items: Vec<f64> = (0..inner).map(|_| shared * normal(stream)).collect();
    let mut row = || {
        let effect = spread * normal(stream);
        let mut value = |item: &f64| {
            let own = if nesting == Nesting::Crossed {
                *item
            } else {
                shared * normal(stream)
            };
            effect + own + normal(stream)
        };
        items.iter().map(&mut value).collect()
    };
    TwoLevelMean((0..outer).map(|_| row()).collect())
}

fn two_levels(repetitions: usize) {
    println!("### Mean over R replicates × n items (sd: replicates 0.3, items 1, noise 1)\n");
    heading(&[
        "design",
        "R",
        "n",
        "both levels, percentile",
        "items only, percentile",
        "t over replicates",
    ]);
    for nesting in [Nesting::Crossed, Nesting::Nested] {
        for (outer, inner) in [(3, 50), (5, 50), (10, 50), (20, 50), (3, 500)] {
            let tallies = repeat(repetitions.min(1000), 0.0, |repetition| {
                let grid = draw_grid(
                    &mut RandomStream::new(3, repetition as u64),
                    outer,
                    inner,
                    nesting,
                );
                let both = bootstrap_two_level(
                    &grid,
                    nesting,
                    IntervalKind::Percentile,
                    config(repetition),
                );
                let items = items_only(&grid, nesting, repetition);
                [
                    both.map(|r| r.interval),
                    items,
                    interval::student_t(&replicate_means(&grid), LEVEL),
                ]
            });
            let design = if nesting == Nesting::Crossed {
                "crossed"
            } else {
                "nested"
            };
            let mut cells = vec![design.to_owned(), outer.to_string(), inner.to_string()];
            cells.extend(tallies.map(Tally::show));
            row(&cells);
        }
    }
}

/// The replicates taken as fixed: what a bootstrap of items alone would say.
fn items_only(
    grid: &TwoLevelMean,
    nesting: Nesting,
    seed: usize,
) -> Result<Interval, UndefinedReason> {
    let columns = |grid: &TwoLevelMean| -> Vec<f64> {
        let count = grid.0.len() as f64;
        (0..grid.0[0].len())
            .map(|i| grid.0.iter().map(|row| row[i]).sum::<f64>() / count)
            .collect()
    };
    let values = match nesting {
        Nesting::Crossed => columns(grid),
        Nesting::Nested => grid.0.concat(),
    };
    let mean = SampleMean::new(&values)?;
    assert!(mean.units() > 1, "a grid has items");
    Ok(bootstrap(
        &mean,
        Design::Simple,
        IntervalKind::Percentile,
        config(seed),
    )?
    .interval)
}

/// How sure an answer is and how often such an answer is right, at a place `p` of the population
/// from 0 to 1.
fn answered(p: f64, temper: f64) -> (f64, f64) {
    let logit = 1.2 + 1.5 * Normal.quantile(p).expect("inside (0, 1)");
    let at = |logit: f64| 1.0 / (1.0 + (-logit).exp());
    (at(logit.abs()), at(temper * logit.abs()))
}

/// The error of a whole population, by a fine grid: no noise within bins.
fn true_error(temper: f64) -> f64 {
    const GRID: usize = 1_000_000;
    let mut gaps = [0.0; 15];
    for k in 0..GRID {
        let (sure, right) = answered((k as f64 + 0.5) / GRID as f64, temper);
        gaps[((15.0 * sure).ceil() as usize - 1).min(14)] += sure - right;
    }
    gaps.iter().map(|gap: &f64| gap.abs()).sum::<f64>() / GRID as f64
}

fn calibration_errors(repetitions: usize) {
    println!("\n### Calibration error of n answers, 15 bins\n");
    heading(&[
        "true",
        "n",
        "ece, percentile",
        "ece, basic",
        "debiased, percentile",
        "debiased, basic",
    ]);
    for temper in [1.0, 0.9, 0.7] {
        let truth = true_error(temper);
        for n in [300, 2000, 10_000] {
            let tallies = repeat(repetitions.min(400), truth, |repetition| {
                let mut stream = RandomStream::new(4, repetition as u64);
                let mut one = || {
                    let (sure, right) = answered(
                        ((stream.next_word() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64,
                        temper,
                    );
                    (sure, stream.next_unit() < right)
                };
                let (sure, right): (Vec<f64>, Vec<bool>) = (0..n).map(|_| one()).unzip();
                let error = |gap| {
                    Calibration::new(&sure, &right, 15, Edges::AboveLow, gap).expect("confidences")
                };
                let interval = |gap, kind| {
                    let made =
                        bootstrap(&error(gap), Design::Simple, kind, config(repetition))?.interval;
                    // An error is never below 0, so an interval that goes there says 0.
                    Interval::new(made.low.max(0.0), made.high.max(0.0), LEVEL, "within")
                };
                [
                    interval(Gap::Mean, IntervalKind::Percentile),
                    interval(Gap::Mean, IntervalKind::Basic),
                    interval(Gap::Debiased, IntervalKind::Percentile),
                    interval(Gap::Debiased, IntervalKind::Basic),
                ]
            });
            let mut cells = vec![format!("{truth:.4}"), n.to_string()];
            cells.extend(tallies.map(Tally::show));
            row(&cells);
        }
    }
}
