//! The crate's side of the benchmark: reads task names, does each once, prints nanoseconds and the
//! result.
//!
//! `peers/stats/bench.py` drives it, so that both sides run in turn, on the same data, in one run.
//! Data are made by SplitMix64 from the index, which NumPy can do as well; making them is not
//! timed.

use std::io::{BufRead, Write};
use std::time::Instant;

use duress_stats::bootstrap::{Config, Design, IntervalKind, bootstrap};
use duress_stats::statistic::{Auroc, SampleMean, auroc};
use duress_stats::tests::{delong_paired, kendall, spearman, wilcoxon};
use duress_stats::{Route, Side, UndefinedReason, Zeros};

fn main() -> std::io::Result<()> {
    let data = Data::new();
    let mut out = std::io::stdout();
    for task in std::io::stdin().lock().lines() {
        let (nanoseconds, value) = data.time(&task?);
        writeln!(out, "{nanoseconds} {value:e}")?;
        out.flush()?;
    }
    Ok(())
}

/// Uniform numbers in [0, 1), number `i` of column `column`.
fn column(n: u64, column: u64) -> Vec<f64> {
    (0..n)
        .map(|i| (mix(i + (column << 32)) >> 11) as f64 / (1_u64 << 53) as f64)
        .collect()
}

fn mix(index: u64) -> u64 {
    let mut z = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

struct Data {
    x: Vec<f64>,
    y: Vec<f64>,
    positive: Vec<bool>,
}

impl Data {
    fn new() -> Self {
        let n = 1_000_000;
        let (x, noise) = (column(n, 1), column(n, 2));
        let y = x.iter().zip(&noise).map(|(x, e)| 0.1 * x + e).collect();
        let positive = x
            .iter()
            .zip(column(n, 3))
            .map(|(x, u)| u < 0.25 + 0.5 * x)
            .collect();
        Self { x, y, positive }
    }

    /// Runs a task once and times it.
    fn time(&self, task: &str) -> (u128, f64) {
        let start = Instant::now();
        let value = self.run(task).unwrap_or_else(|why| panic!("{task}: {why}"));
        (start.elapsed().as_nanos(), value)
    }

    fn run(&self, task: &str) -> Result<f64, UndefinedReason> {
        let two = Side::TwoSided;
        let large = Route::Asymptotic { continuity: false };
        match task {
            "bca_mean" => {
                let mean = SampleMean::new(&self.x[..1000])?;
                Ok(
                    bootstrap(&mean, Design::Simple, IntervalKind::Bca, Config::default())?
                        .interval
                        .low,
                )
            }
            "auroc_bootstrap" => {
                let auroc = Auroc::new(&self.x[..2000], &self.positive[..2000])?;
                let config = Config {
                    resamples: 1000,
                    ..Config::default()
                };
                Ok(
                    bootstrap(&auroc, Design::Simple, IntervalKind::Percentile, config)?
                        .interval
                        .low,
                )
            }
            "auroc_bca_large" => {
                let auroc = Auroc::new(&self.x[..100_000], &self.positive[..100_000])?;
                let config = Config {
                    resamples: 10_000,
                    ..Config::default()
                };
                Ok(
                    bootstrap(&auroc, Design::Simple, IntervalKind::Bca, config)?
                        .interval
                        .low,
                )
            }
            "auroc" => auroc(&self.x, &self.positive),
            "kendall" => Ok(kendall(&self.x, &self.y, two, large)?.statistic),
            "spearman" => Ok(spearman(&self.x, &self.y, two, large)?.statistic),
            "wilcoxon" => Ok(wilcoxon(&self.x, &self.y, two, Zeros::Wilcox, large)?.statistic),
            "delong" => {
                let n = 100_000;
                Ok(
                    delong_paired(&self.x[..n], &self.y[..n], &self.positive[..n], two, 0.95)?
                        .statistic,
                )
            }
            unknown => panic!("no task {unknown}"),
        }
    }
}
