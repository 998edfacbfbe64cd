//! Variance components: how much of what is uncertain comes from the items, how much from the
//! replicates, and how much from neither.
//!
//! Replicates and items are *crossed* when every replicate meets the same items. A reading then
//! varies because other items could have been drawn, because other replicates could have been, and
//! because the two interact. With `v_s` the reading of replicate s and `e_sj` what item j adds to it
//! (a deviation, so that `Σ_j e_sj = 0`), the two-way analysis of variance of `v_s + e_sj` gives
//!
//! | source | mean square | degrees of freedom |
//! |---|---|---|
//! | items | `S Σ_j ē_j² / (n−1)` | n − 1 |
//! | replicates | `n Σ_s (v_s − v̄)² / (S−1)` | S − 1 |
//! | both | `Σ_sj (e_sj − ē_j)² / ((S−1)(n−1))` | (S−1)(n−1) |
//!
//! and the variance of the mean for new items *and* new replicates is
//! `(MS_items + MS_replicates − MS_both) / (nS)`, never below the larger of the two single ones,
//! with Satterthwaite's degrees of freedom. Absent answers have `e_sj = 0` and the others of the
//! replicate count `n/n_s` times as much, which is the linearised ratio `Σx / Σ1`. Items of one
//! cluster are added up first; the cluster is then the unit.
//!
//! Sources: F. E. Satterthwaite, Biometrics Bull. 2 (1946) 110; S. R. Searle, G. Casella and C. E.
//! McCulloch, *Variance Components* (1992), chapter 4; A. B. Owen, Ann. Appl. Stat. 1 (2007) 386 on
//! crossed units.

use crate::moments::Moments;
use crate::{UndefinedReason, check};

/// What a number is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// New items (or clusters), these replicates.
    Items,
    /// New replicates, these items.
    Replicates,
    /// New items and new replicates.
    Both,
}

/// What the two-way analysis of variance found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components {
    /// The mean over replicates.
    pub estimate: f64,
    /// Items, or clusters of items.
    pub units: usize,
    /// Replicates.
    pub replicates: usize,
    unit_square: f64,
    replicate_square: f64,
    both_square: f64,
}

impl Components {
    /// The components of `readings`, one per replicate, where unit j adds `deviation(s, j)` to the
    /// reading of replicate s. With `clusters`, a label per unit below the number of clusters, the
    /// cluster is the unit.
    ///
    /// ```
    /// use duress_stats::components::{Components, Scope};
    ///
    /// let right = [[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    /// let found = Components::crossed(&[0.75, 0.5], 4, |s, j| right[s][j] - [0.75, 0.5][s], None).unwrap();
    /// assert_eq!(found.estimate, 0.625);
    /// assert!(found.error(Scope::Both) >= found.error(Scope::Items));
    /// ```
    ///
    /// # Errors
    /// No replicate, fewer than two units, a label for something else than each unit, or values that
    /// are not finite.
    pub fn crossed(
        readings: &[f64],
        units: usize,
        deviation: impl Fn(usize, usize) -> f64,
        clusters: Option<&[usize]>,
    ) -> Result<Components, UndefinedReason> {
        let readings_of = Moments::from_values("replicates", readings, 1)?;
        let sums = match clusters {
            None => Sums::over_units(readings.len(), units, deviation),
            Some(labels) => {
                check::at_least("labels of clusters", labels.len(), units)?;
                Sums::over_clusters(readings.len(), labels, deviation)
            }
        };
        check::at_least("items or clusters of items", sums.units, 2)?;
        let (n, s) = (sums.units as f64, readings.len() as f64);
        let per_freedom = |sum: f64, freedom: f64| if freedom > 0.0 { sum / freedom } else { 0.0 };
        let found = Components {
            estimate: readings_of.mean,
            units: sums.units,
            replicates: readings.len(),
            unit_square: s * sums.of_means / (n - 1.0),
            replicate_square: n * per_freedom(readings_of.sum_of_squares(), s - 1.0),
            both_square: per_freedom(sums.of_rest, (s - 1.0) * (n - 1.0)),
        };
        check::finite(
            "the deviations",
            &[found.unit_square, found.replicate_square, found.both_square],
        )?;
        Ok(found)
    }

    /// The standard error of the estimate.
    #[must_use]
    pub fn error(&self, scope: Scope) -> f64 {
        libm::sqrt(self.square(scope) / self.answers())
    }

    /// Degrees of freedom of [`Components::error`], by Satterthwaite where several squares enter.
    #[must_use]
    pub fn freedom(&self, scope: Scope) -> f64 {
        let (of_units, of_replicates) = (self.units as f64 - 1.0, self.replicates as f64 - 1.0);
        match scope {
            Scope::Items => of_units,
            Scope::Replicates => of_replicates.max(0.0),
            Scope::Both if self.replicates == 1 => of_units,
            Scope::Both => self.satterthwaite(of_units, of_replicates),
        }
    }

    fn satterthwaite(&self, of_units: f64, of_replicates: f64) -> f64 {
        let (a, b, c) = (self.unit_square, self.replicate_square, self.both_square);
        let whole = self.square(Scope::Both);
        if whole == 0.0 {
            return of_units;
        }
        // What the floor of the variance leaves out does not enter the freedom either.
        let part = |square: f64, freedom: f64| square / whole * (square / whole) / freedom;
        if a + b - c >= a.max(b) {
            let both = of_units * of_replicates;
            1.0 / (part(a, of_units) + part(b, of_replicates) + part(c, both))
        } else if a >= b {
            of_units
        } else {
            of_replicates
        }
    }

    /// The mean square that belongs to a scope.
    fn square(&self, scope: Scope) -> f64 {
        let (a, b, c) = (self.unit_square, self.replicate_square, self.both_square);
        match scope {
            Scope::Items => a,
            Scope::Replicates => b,
            Scope::Both => (a + b - c).max(a).max(b),
        }
    }

    fn answers(&self) -> f64 {
        self.units as f64 * self.replicates as f64
    }

    /// Whether every replicate said the same of every unit: more of them would say nothing new.
    #[must_use]
    pub fn identical_replicates(&self) -> bool {
        let nothing = 1e-20 * self.unit_square;
        self.replicates > 1 && self.replicate_square.max(self.both_square) <= nothing
    }

    /// The estimated variances of one answer: between units, between replicates, and the rest; none
    /// below zero. With one replicate the rest cannot be told from the units.
    #[must_use]
    pub fn variances(&self) -> [f64; 3] {
        let (n, s) = (self.units as f64, self.replicates as f64);
        let above = |square: f64, times: f64| ((square - self.both_square) / times).max(0.0);
        [
            above(self.unit_square, s),
            above(self.replicate_square, n),
            self.both_square,
        ]
    }
}

/// Sums of squares of what units add.
struct Sums {
    units: usize,
    /// Of the mean over replicates.
    of_means: f64,
    /// Of what a replicate adds to that.
    of_rest: f64,
}

impl Sums {
    fn over_units(
        replicates: usize,
        units: usize,
        deviation: impl Fn(usize, usize) -> f64,
    ) -> Sums {
        let mut row = vec![0.0; replicates];
        let mut sums = Sums::none(units);
        for unit in 0..units {
            for (replicate, slot) in row.iter_mut().enumerate() {
                *slot = deviation(replicate, unit);
            }
            sums.add(&row);
        }
        sums
    }

    /// Of a cluster with more than its share of items, the sum says so: it counts as it weighs.
    fn over_clusters(
        replicates: usize,
        labels: &[usize],
        deviation: impl Fn(usize, usize) -> f64,
    ) -> Sums {
        let clusters = labels.iter().max().map_or(0, |last| last + 1);
        let mut rows = vec![0.0; clusters * replicates];
        let mut used = vec![false; clusters];
        for (unit, &label) in labels.iter().enumerate() {
            used[label] = true;
            for replicate in 0..replicates {
                rows[label * replicates + replicate] += deviation(replicate, unit);
            }
        }
        let count = used.iter().filter(|used| **used).count();
        let scale = count as f64 / labels.len() as f64;
        rows.iter_mut().for_each(|value| *value *= scale);
        let mut sums = Sums::none(count);
        rows.chunks(replicates.max(1)).for_each(|row| sums.add(row));
        sums
    }

    fn none(units: usize) -> Sums {
        Sums {
            units,
            of_means: 0.0,
            of_rest: 0.0,
        }
    }

    fn add(&mut self, row: &[f64]) {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        self.of_means += mean * mean;
        self.of_rest += row
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum::<f64>();
    }
}
