//! Lines of the table: what was counted, and the bar it is held to.

use std::fmt;

use duress_stats::dist::Binomial;

/// What a count is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bar {
    /// Intervals hold the truth: at least 94 %.
    Cover,
    /// False verdicts: at most 5.5 %.
    False,
    /// Against the best rival that is valid: at least nine tenths.
    Power,
    /// None: told for the reader.
    Told,
}

const BARS: [(&str, Bar); 4] = [
    ("cover", Bar::Cover),
    ("false", Bar::False),
    ("power", Bar::Power),
    ("told", Bar::Told),
];

/// The setting of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) kind: String,
    pub(crate) dominates: String,
    pub(crate) seeds: usize,
    pub(crate) design: String,
    pub(crate) accuracy: String,
}

/// One count of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) row: Row,
    pub(crate) measure: String,
    pub(crate) bar: Bar,
    pub(crate) hits: u64,
    pub(crate) of: u64,
}

/// The head of the file.
pub(crate) const HEAD: &str = "kind,dominates,seeds,design,accuracy,measure,bar,hits,of";

/// A count that misses its bar and is known to: kind, what dominates, seeds, measure.
type Exception = (&'static str, &'static str, usize, &'static str);

/// docs/statistics.md has them in a table with the reason, and a caveat is raised at each such
/// number. Where a rival that takes seeds to be alike is right by chance, a test that is valid
/// whatever seeds do finds less; how much less it has to be, `peers/stats/power_bound.py` tells.
const EXCEPTIONS: [Exception; 7] = [
    ("gauges", "items", 3, "ece held"),
    ("gauges", "items", 10, "ece held"),
    ("power", "items", 3, BESIDE_RIVALS),
    ("power", "both", 3, BESIDE_RIVALS),
    ("power", "residual", 3, BESIDE_RIVALS),
    ("power", "residual", 5, BESIDE_RIVALS),
    ("power", "residual", 10, BESIDE_RIVALS),
];

/// What the default upholds beside what the best valid rival does.
pub(crate) const BESIDE_RIVALS: &str = "upheld beside the best valid";

impl Line {
    /// A line of the file, read.
    pub(crate) fn parse(text: &str) -> Option<Line> {
        let fields: Vec<&str> = text.split(',').collect();
        let &[
            kind,
            dominates,
            seeds,
            design,
            accuracy,
            measure,
            bar,
            hits,
            of,
        ] = fields.as_slice()
        else {
            return None;
        };
        Some(Line {
            row: Row {
                kind: kind.into(),
                dominates: dominates.into(),
                seeds: seeds.parse().ok()?,
                design: design.into(),
                accuracy: accuracy.into(),
            },
            measure: measure.into(),
            bar: BARS.iter().find(|(name, _)| *name == bar)?.1,
            hits: hits.parse().ok()?,
            of: of.parse().ok()?,
        })
    }

    pub(crate) fn share(&self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    /// Whether it misses its bar, by an exact binomial test at `level`; powers are compared as they
    /// are.
    pub(crate) fn misses(&self, level: f64) -> bool {
        let law = |p: f64| Binomial::new(self.of, p);
        match self.bar {
            Bar::Cover => law(0.94).is_ok_and(|law| law.cdf(self.hits) < level),
            Bar::False if self.hits == 0 => false,
            Bar::False => law(0.055).is_ok_and(|law| law.sf(self.hits - 1) < level),
            Bar::Power => self.share() < 0.9,
            Bar::Told => false,
        }
    }

    /// Whether the docs name it among the exceptions.
    pub(crate) fn is_exception(&self) -> bool {
        let Row {
            kind,
            dominates,
            seeds,
            ..
        } = &self.row;
        EXCEPTIONS.contains(&(kind, dominates, *seeds, &self.measure))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row {
            kind,
            dominates,
            seeds,
            design,
            accuracy,
        } = &self.row;
        let bar = BARS
            .iter()
            .find(|(_, bar)| *bar == self.bar)
            .map_or("", |(name, _)| name);
        write!(
            f,
            "{kind},{dominates},{seeds},{design},{accuracy},{},{bar},{},{}",
            self.measure, self.hits, self.of
        )
    }
}
