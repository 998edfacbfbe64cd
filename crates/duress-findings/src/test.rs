//! Tests against zero: which test, by which route, corrected how.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::method::{IntervalMethod, Method};
use crate::tagged::tagged;
use crate::words::Correction;

tagged! {
    /// How a p-value was found.
    pub enum TestRoute {
        /// Every arrangement was counted.
        Exact = "exact" => "exact";
        /// By the limiting distribution.
        Asymptotic = "asymptotic" => "asymptotic";
        /// By the limiting distribution, half a step towards the mean.
        Corrected = "asymptotic-corrected" => "asymptotic, corrected";
        /// Exact, with half of what was observed.
        MidP = "mid-p" => "mid-p";
        /// Arrangements were drawn.
        Drawn {
            /// How many.
            resamples: usize,
            /// From where on.
            seed: u64,
        } = "drawn" => "{resamples} random patterns, seed {seed}";
    }
}

tagged! {
    /// Which test a claim was put to, in which form.
    pub enum TestMethod {
        /// As items and seeds were drawn, by the method of the estimate.
        Design {
            /// That method.
            method: Method,
        } = "design" => "{method}";
        /// Student's t on paired differences.
        PairedT = "paired-t" => "paired t";
        /// Student's t on values themselves.
        OneSampleT = "one-sample-t" => "one-sample t";
        /// Two one-sided t tests on paired differences.
        PairedTost = "paired-tost" => "paired TOST";
        /// Two one-sided t tests on values themselves.
        OneSampleTost = "one-sample-tost" => "one-sample TOST";
        /// The sign test.
        Sign {
            /// How its p-value was found.
            route: TestRoute,
        } = "sign" => "sign test, {route}";
        /// All sign flips.
        SignFlip {
            /// How its p-value was found.
            route: TestRoute,
        } = "sign-flip" => "sign-flip test, {route}";
        /// Wilcoxon's signed ranks.
        Wilcoxon {
            /// How its p-value was found.
            route: TestRoute,
            /// Whether some differences are zero, which it leaves out.
            zeros: bool,
        } = "wilcoxon" => "Wilcoxon signed rank, {route}{}", if *zeros { ", zeros left out" } else { "" };
        /// McNemar on right and wrong.
        Mcnemar {
            /// How its p-value was found.
            route: TestRoute,
        } = "mcnemar" => "McNemar, {route}";
        /// DeLong's on areas under the ROC curve.
        Delong = "delong" => "DeLong";
    }
}

impl TestMethod {
    /// Whether its statistic is Student's t of the difference from zero.
    pub fn is_t(&self) -> bool {
        match self {
            TestMethod::PairedT | TestMethod::OneSampleT => true,
            TestMethod::Design { method } => matches!(
                method.made,
                IntervalMethod::Crossed
                    | IntervalMethod::TOverItems
                    | IntervalMethod::TOverClusters
                    | IntervalMethod::TOverSeeds
            ),
            _ => false,
        }
    }
}

/// Over what p-values were corrected together.
///
/// ```
/// use duress_findings::{Corrected, words::Correction};
/// let over = Corrected { by: Correction::HolmSidak, tests: 3, family: "H1".into() };
/// assert_eq!(over.to_string(), "Holm–Šidák over 3 tests of the family `H1`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corrected {
    /// How.
    pub by: Correction,
    /// The tests of the family that have a p-value; none before they are corrected.
    pub tests: usize,
    /// The family.
    pub family: String,
}

impl fmt::Display for Corrected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Corrected { by, tests, family } = self;
        match tests {
            0 => f.write_str(Correction::None.name()),
            tests => write!(
                f,
                "{} over {tests} tests of the family `{family}`",
                by.name()
            ),
        }
    }
}

/// A test against zero: significance, which is not the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TestCard {
    /// Which test, in which form.
    pub method: TestMethod,
    /// Its statistic.
    pub statistic: f64,
    /// Its p-value.
    pub p: f64,
    /// The p-value after correction over the family.
    pub p_adjusted: f64,
    /// The correction, with the size of the family.
    pub correction: Corrected,
    /// The level.
    pub alpha: f64,
    /// Whether the adjusted p-value is below the level.
    pub significant: bool,
    /// How many units the test saw.
    pub n: usize,
}

impl TestCard {
    /// A test of a family that is not corrected yet.
    pub fn new(
        method: TestMethod,
        (statistic, p): (f64, f64),
        n: usize,
        alpha: f64,
        family: &str,
    ) -> TestCard {
        TestCard {
            method,
            statistic,
            p,
            p_adjusted: p,
            correction: Corrected {
                by: Correction::None,
                tests: 0,
                family: family.into(),
            },
            alpha,
            significant: p <= alpha,
            n,
        }
    }

    /// Takes the p-value that a correction over so many tests gives.
    pub fn correct(&mut self, p_adjusted: f64, by: Correction, tests: usize) {
        self.p_adjusted = p_adjusted;
        self.significant = p_adjusted <= self.alpha;
        self.correction.by = by;
        self.correction.tests = tests;
    }
}
