//! Variance components: how much of what is uncertain comes from the items, how much from the
//! replicates, and how much from neither.
//!
//! Replicates and items are *crossed* when every replicate meets the same items. A reading then
//! varies because other items could have been drawn, because other replicates could have been, and
//! because the two interact. With `v_s` the reading of replicate s and `c_sj` what unit j adds to it
//! (`(x_sj − v_s)/n_s` for a mean, so that `Σ_j c_sj = 0`), the two-way analysis of variance of
//! `v_s + e_sj` with `e_sj = n c_sj` gives
//!
//! | source | mean square | degrees of freedom |
//! |---|---|---|
//! | items | `S Σ_j ē_j² / (n−1)` | n − 1 |
//! | replicates | `n Σ_s (v_s − v̄)² / (S−1)` | S − 1 |
//! | both | `Σ_sj (e_sj − ē_j)² / ((S−1)(n−1))` | (S−1)(n−1) |
//!
//! and the variance of the mean for new items *and* new replicates is
//! `(MS_items + MS_replicates − MS_both) / (nS)`, never below the larger of the two single ones,
//! with Satterthwaite's degrees of freedom. A unit without an answer adds nothing to that replicate,
//! and its others count for more: the linearised ratio `Σx / Σ1`. What a unit adds to a smooth
//! reading that is no mean is what the reading loses without it, times `(n−1)/n` (the jackknife).
//! Items of one cluster are added up first; the cluster is then the unit, also where replicates have
//! items of their own that come from the same clusters.
//!
//! Near an end of what a reading can be, few units carry the variance: of forty clusters two hold all
//! errors. With `c_j` what unit j adds in the mean over replicates, `m = (Σc²)²/Σc⁴` of them carry it,
//! and how far `Σc²` is known follows from those: its relative variance is about `1/m`, that of a χ²
//! with 2m degrees of freedom, of which the mean takes two. So `2(m − 1)` stand in the place of
//! `n − 1` where they are fewer ([`Components::carried_freedom`]). Where half of the units or more
//! carry the variance, as with a share in the middle, nothing changes.
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
    carriers: f64,
}

impl Components {
    /// The components of `readings`, one per replicate, to which unit j adds `added(s, j)`: `None`
    /// where it has no answer. With `clusters`, for every replicate a label for each of its units, the
    /// cluster is the unit; a label means the same cluster in all replicates.
    ///
    /// ```
    /// use duress_stats::components::{Components, Scope};
    ///
    /// let right = [[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    /// let added = |s: usize, j: usize| Some((right[s][j] - [0.75, 0.5][s]) / 4.0);
    /// let found = Components::crossed(&[0.75, 0.5], 4, added, None).unwrap();
    /// assert_eq!(found.estimate, 0.625);
    /// assert!(found.error(Scope::Both) >= found.error(Scope::Items));
    ///
    /// let of: &[usize] = &[0, 0, 1, 1];
    /// let clustered = Components::crossed(&[0.75, 0.5], 4, added, Some(&[of, of])).unwrap();
    /// assert_eq!(clustered.units, 2);
    /// ```
    ///
    /// # Errors
    /// No replicate, fewer than two units with an answer, other labels than a list for each
    /// replicate, or values that are not finite.
    pub fn crossed(
        readings: &[f64],
        units: usize,
        added: impl Fn(usize, usize) -> Option<f64>,
        clusters: Option<&[&[usize]]>,
    ) -> Result<Components, UndefinedReason> {
        let readings_of = Moments::from_values("replicates", readings, 1)?;
        let sums = match clusters {
            None => Sums::over_units(readings.len(), units, added),
            Some(labels) if labels.len() == readings.len() => Sums::over_clusters(labels, added),
            Some(labels) => {
                return Err(UndefinedReason::Unpaired {
                    left: readings.len(),
                    right: labels.len(),
                });
            }
        };
        check::at_least("items or clusters of items", sums.units, 2)?;
        let n = sums.units as f64;
        let s = readings.len() as f64;
        let per_freedom = |sum: f64, freedom: f64| if freedom > 0.0 { sum / freedom } else { 0.0 };
        let found = Components {
            estimate: readings_of.mean,
            units: sums.units,
            replicates: readings.len(),
            unit_square: s * n * n * sums.of_means / (n - 1.0),
            replicate_square: n * per_freedom(readings_of.sum_of_squares(), s - 1.0),
            both_square: per_freedom(n * n * sums.of_rest, (s - 1.0) * (n - 1.0)),
            carriers: sums.carriers(),
        };
        check::finite(
            "what units add",
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
        let of_units = self.units as f64 - 1.0;
        let of_replicates = self.replicates as f64 - 1.0;
        match scope {
            Scope::Items => of_units,
            Scope::Replicates => of_replicates.max(0.0),
            Scope::Both if self.replicates == 1 => of_units,
            Scope::Both => self.satterthwaite(of_units, of_replicates),
        }
    }

    /// How many units carry the variance between units, `(Σc²)²/Σc⁴`: all where each adds as much,
    /// one where no other adds anything.
    #[must_use]
    pub fn carriers(&self) -> f64 {
        self.carriers
    }

    /// Degrees of freedom of [`Components::error`] where fewer units carry the variance than there
    /// are degrees of freedom for; `None` where all of them count.
    ///
    /// ```
    /// use duress_stats::components::{Components, Scope};
    ///
    /// let one_in = |many: usize| {
    ///     let mean = 1.0 / many as f64;
    ///     let added = move |_: usize, j: usize| Some((f64::from(j % many == 0) - mean) / 40.0);
    ///     Components::crossed(&[mean], 40, added, None).unwrap()
    /// };
    /// assert_eq!(one_in(2).carried_freedom(Scope::Items), None);
    /// let few = one_in(20);
    /// assert!((few.carriers() - 2.21).abs() < 0.01);
    /// assert_eq!(few.carried_freedom(Scope::Items), Some(2.0 * (few.carriers() - 1.0)));
    /// ```
    #[must_use]
    pub fn carried_freedom(&self, scope: Scope) -> Option<f64> {
        let carried = (2.0 * (self.carriers - 1.0)).max(LEAST_FREEDOM);
        let of_replicates = self.replicates as f64 - 1.0;
        match scope {
            Scope::Replicates => None,
            _ if carried >= self.units as f64 - 1.0 => None,
            Scope::Both if self.replicates > 1 => Some(self.satterthwaite(carried, of_replicates)),
            Scope::Items | Scope::Both => Some(carried),
        }
    }

    /// Standard error and degrees of freedom for new units and new replicates, if there were so many
    /// of each with the variances that were found: what to plan with.
    #[must_use]
    pub fn error_with(&self, units: usize, replicates: usize) -> (f64, f64) {
        let [unit, replicate, both] = self.variances();
        let n = units as f64;
        let s = replicates as f64;
        let planned = Components {
            units,
            replicates,
            unit_square: both + s * unit,
            replicate_square: both + n * replicate,
            both_square: both,
            ..*self
        };
        (planned.error(Scope::Both), planned.freedom(Scope::Both))
    }

    fn satterthwaite(&self, of_units: f64, of_replicates: f64) -> f64 {
        let a = self.unit_square;
        let b = self.replicate_square;
        let c = self.both_square;
        let whole = self.square(Scope::Both);
        if whole == 0.0 {
            return of_units;
        }
        // What the floor of the variance leaves out does not enter the freedom either.
        let part = |square: f64, freedom: f64| square / whole * (square / whole) / freedom;
        if a + b - c >= a.max(b) {
            let both = (self.units as f64 - 1.0) * of_replicates;
            1.0 / (part(a, of_units) + part(b, of_replicates) + part(c, both))
        } else if a >= b {
            of_units
        } else {
            of_replicates
        }
    }

    /// The mean square that belongs to a scope.
    fn square(&self, scope: Scope) -> f64 {
        let a = self.unit_square;
        let b = self.replicate_square;
        let c = self.both_square;
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
        let n = self.units as f64;
        let s = self.replicates as f64;
        let above = |square: f64, times: f64| ((square - self.both_square) / times).max(0.0);
        [
            above(self.unit_square, s),
            above(self.replicate_square, n),
            self.both_square,
        ]
    }
}

/// One unit that carries everything says nothing of others: Student's t is told as good as nothing.
const LEAST_FREEDOM: f64 = 0.5;

/// Sums of squares of what units add.
struct Sums {
    /// Units with an answer in some replicate.
    units: usize,
    /// Of the mean over replicates.
    of_means: f64,
    /// Of the squares of that.
    of_fourths: f64,
    /// Of what a replicate adds to that.
    of_rest: f64,
}

impl Sums {
    fn over_units(
        replicates: usize,
        units: usize,
        added: impl Fn(usize, usize) -> Option<f64>,
    ) -> Sums {
        let mut row = vec![0.0; replicates];
        let mut sums = Sums::none();
        for unit in 0..units {
            let mut answered = false;
            for (replicate, slot) in row.iter_mut().enumerate() {
                let value = added(replicate, unit);
                answered |= value.is_some();
                *slot = value.unwrap_or(0.0);
            }
            if answered {
                sums.add(&row);
            }
        }
        sums
    }

    /// A cluster with more than its share of items adds more: it counts as it weighs.
    fn over_clusters(labels: &[&[usize]], added: impl Fn(usize, usize) -> Option<f64>) -> Sums {
        let replicates = labels.len();
        let last = labels.iter().flat_map(|own| own.iter()).max();
        let clusters = last.map_or(0, |last| last + 1);
        let mut rows = vec![0.0; clusters * replicates];
        let mut answered = vec![false; clusters];
        for (replicate, own) in labels.iter().enumerate() {
            for (unit, &label) in own.iter().enumerate() {
                if let Some(value) = added(replicate, unit) {
                    rows[label * replicates + replicate] += value;
                    answered[label] = true;
                }
            }
        }
        let mut sums = Sums::none();
        let rows = rows.chunks(replicates.max(1)).zip(answered);
        rows.filter(|(_, answered)| *answered)
            .for_each(|(row, _)| sums.add(row));
        sums
    }

    fn none() -> Sums {
        Sums {
            units: 0,
            of_means: 0.0,
            of_fourths: 0.0,
            of_rest: 0.0,
        }
    }

    /// How many units carry the sum of squares; all where there is none, or too little to tell.
    fn carriers(&self) -> f64 {
        let carriers = self.of_means * self.of_means / self.of_fourths;
        match carriers.is_finite() {
            true => carriers,
            false => self.units as f64,
        }
    }

    fn add(&mut self, row: &[f64]) {
        let mean = row.iter().sum::<f64>() / row.len() as f64;
        self.units += 1;
        self.of_means += mean * mean;
        self.of_fourths += mean * mean * (mean * mean);
        self.of_rest += row
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum::<f64>();
    }
}
