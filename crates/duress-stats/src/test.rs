//! The result of a hypothesis test, as a value that can be printed and stored.

use std::fmt;

use crate::{Effect, Interval, Side};

/// How a p-value is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Exact where the test's documentation says so, else asymptotic without continuity correction.
    Auto,
    /// By counting every arrangement; `UndefinedReason::TooLarge` where that is out of reach.
    Exact,
    /// By the limiting distribution.
    Asymptotic {
        /// Whether the statistic is moved half a step towards its mean first.
        continuity: bool,
    },
    /// By random arrangements; p is (hits + 1) / (resamples + 1).
    Permutation {
        /// How many arrangements are drawn.
        resamples: usize,
        /// Where the draws start; one seed, one answer.
        seed: u64,
    },
}

/// The way a p-value was found, where a test has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RouteTaken {
    /// Every arrangement was counted.
    Exact,
    /// Every arrangement was counted, and what was observed counts half.
    MidP,
    /// By the limiting distribution.
    Asymptotic {
        /// Whether the statistic was moved half a step towards its mean first.
        continuity: bool,
    },
    /// Arrangements were drawn.
    Drawn {
        /// How many.
        resamples: usize,
        /// Where the draws start.
        seed: u64,
    },
}

impl fmt::Display for RouteTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::MidP => f.write_str("mid-p"),
            Self::Asymptotic { continuity: false } => f.write_str("asymptotic"),
            Self::Asymptotic { continuity: true } => f.write_str("asymptotic, corrected"),
            Self::Drawn { resamples, seed } => {
                write!(f, "{resamples} random patterns, seed {seed}")
            }
        }
    }
}

/// What a test found.
///
/// The fields are public and plain so that a caller can store them; `Display` gives one line.
///
/// ```
/// use duress_stats::{Side, tests::paired_t};
///
/// let ours = [0.71, 0.74, 0.69];
/// let theirs = [0.61, 0.66, 0.62];
/// let test = paired_t(&ours, &theirs, Side::Greater, 0.95).unwrap();
/// assert_eq!(
///     test.to_string(),
///     "paired t: t = 9.449, df = 2, p = 0.005508 (greater), n = 3, estimate 0.08333, \
///      95 % interval [0.05758, inf] (one-sample t), d_z = 5.455"
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TestResult {
    /// Name of the test together with the route its p-value took.
    pub method: String,
    /// That route as a value, for the paired tests that have several.
    pub route: Option<RouteTaken>,
    /// What the statistic is called.
    pub symbol: &'static str,
    /// The statistic.
    pub statistic: f64,
    /// Degrees of freedom, where the null distribution has them.
    pub df: Option<f64>,
    /// The p-value, in [0, 1].
    pub p: f64,
    /// The alternative.
    pub side: Side,
    /// Units that entered the statistic (pairs, discordant pairs, items).
    pub n: usize,
    /// The quantity tested, in its own unit, where the test has one.
    pub estimate: Option<f64>,
    /// Interval of that quantity.
    pub interval: Option<Interval>,
    /// Effect size, its denominator in its name.
    pub effect: Option<Effect>,
}

impl TestResult {
    /// A result without the optional parts; callers add what they have.
    #[must_use]
    pub fn without_extras(
        method: impl Into<String>,
        symbol: &'static str,
        statistic: f64,
        p: f64,
        side: Side,
        n: usize,
    ) -> Self {
        Self {
            method: method.into(),
            route: None,
            symbol,
            statistic,
            df: None,
            p: p.clamp(0.0, 1.0),
            side,
            n,
            estimate: None,
            interval: None,
            effect: None,
        }
    }

    /// Whether p is at or below `alpha`. Significance is not a verdict: see [`crate::verdict`].
    #[must_use]
    pub fn significant(&self, alpha: f64) -> bool {
        self.p <= alpha
    }
}

impl fmt::Display for TestResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} = {}",
            self.method,
            self.symbol,
            Short(self.statistic)
        )?;
        if let Some(df) = self.df {
            write!(f, ", df = {}", Short(df))?;
        }
        write!(f, ", p = {} ({}), n = {}", Short(self.p), self.side, self.n)?;
        if let Some(estimate) = self.estimate {
            write!(f, ", estimate {}", Short(estimate))?;
        }
        if let Some(interval) = &self.interval {
            write!(f, ", {interval}")?;
        }
        if let Some(effect) = &self.effect {
            write!(f, ", {effect}")?;
        }
        Ok(())
    }
}

/// A number at four significant digits, for people.
pub(crate) struct Short(pub(crate) f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let v = self.0;
        if v == 0.0 || !v.is_finite() {
            return write!(f, "{v}");
        }
        let magnitude = libm::floor(libm::log10(libm::fabs(v)));
        if !(-4.0..6.0).contains(&magnitude) {
            return write!(f, "{v:.3e}");
        }
        let places = (3.0 - magnitude).max(0.0) as usize;
        let text = format!("{v:.places$}");
        match text.contains('.') {
            true => f.write_str(text.trim_end_matches('0').trim_end_matches('.')),
            false => f.write_str(&text),
        }
    }
}
