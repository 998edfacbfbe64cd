//! How an interval was made. Code branches on the value; the sentence is written from it, once.

use std::fmt;

use duress_core::gauge::Ends;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How an interval was made, and between which ends it was kept.
///
/// ```
/// use duress_findings::method::{IntervalMethod, Method};
/// let method = Method::from(IntervalMethod::TOverSeeds).kept((Some(0.0), Some(1.0)));
/// assert_eq!(method.to_string(), "t over seeds, kept within 0 and 1");
/// assert_eq!(Method::read(&method.to_string()), method);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// How it was made.
    pub made: IntervalMethod,
    /// The ends it was cut at, where it would have known none.
    pub kept: Ends,
}

/// The ways to make an interval.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum IntervalMethod {
    /// There is none.
    None,
    /// Student's t over the readings of seeds.
    TOverSeeds,
    /// Student's t over items.
    TOverItems,
    /// The same on the log-odds of a reading between two ends.
    ItemsLogOdds,
    /// Student's t with the variance of items crossed with seeds.
    Crossed,
    /// The same on the log-odds of a reading between two ends.
    CrossedLogOdds,
    /// A mean between two ends, of readings of which many lie on one.
    BoundedMean,
    /// Units that do not differ at all: how many others could, without one among so many.
    Unvaried,
    /// Wilson's, of a share of items.
    Wilson,
    /// The quantiles of resamples.
    Percentile {
        /// How many.
        resamples: usize,
    },
    /// Resamples reflected about the reading, which takes its bias off.
    Basic {
        /// How many.
        resamples: usize,
    },
    /// Another way, as somebody says it.
    Other(String),
}

const PERCENTILE: &str = "percentile bootstrap";
const BASIC: &str = "basic bootstrap";

impl IntervalMethod {
    /// Whether such an interval may reach beyond the ends its value has: shares and plain resamples
    /// stay within them by themselves.
    pub fn knows_no_ends(&self) -> bool {
        matches!(
            self,
            IntervalMethod::TOverSeeds
                | IntervalMethod::TOverItems
                | IntervalMethod::Crossed
                | IntervalMethod::Basic { .. }
                | IntervalMethod::Percentile { .. }
        )
    }

    /// Reads what `Display` wrote.
    fn read(words: &str) -> IntervalMethod {
        let drawn = |kind: &str| {
            let rest = words.strip_prefix(kind)?.strip_prefix(", ")?;
            rest.strip_suffix(" resamples")?.parse().ok()
        };
        let all = [
            IntervalMethod::None,
            IntervalMethod::TOverSeeds,
            IntervalMethod::TOverItems,
            IntervalMethod::ItemsLogOdds,
            IntervalMethod::Crossed,
            IntervalMethod::CrossedLogOdds,
            IntervalMethod::BoundedMean,
            IntervalMethod::Unvaried,
            IntervalMethod::Wilson,
        ];
        let plain = all.into_iter().find(|one| one.to_string() == words);
        let percentile =
            || drawn(PERCENTILE).map(|resamples| IntervalMethod::Percentile { resamples });
        let basic = || drawn(BASIC).map(|resamples| IntervalMethod::Basic { resamples });
        plain
            .or_else(percentile)
            .or_else(basic)
            .unwrap_or_else(|| IntervalMethod::Other(words.into()))
    }
}

impl Method {
    /// The same, cut at these ends.
    #[must_use]
    pub fn kept(self, kept: Ends) -> Method {
        Method { kept, ..self }
    }

    /// Reads what `Display` wrote; what is not known is kept as it is said.
    pub fn read(words: &str) -> Method {
        let split = words.rsplit_once(", kept ");
        let kept = split.and_then(|(made, ends)| Some((made, read_ends(ends)?)));
        match kept {
            Some((made, ends)) => Method::from(IntervalMethod::read(made)).kept(ends),
            None => IntervalMethod::read(words).into(),
        }
    }
}

fn read_ends(words: &str) -> Option<Ends> {
    let number = |text: &str| text.replace('−', "-").parse::<f64>().ok();
    if let Some(both) = words.strip_prefix("within ") {
        let (low, high) = both.split_once(" and ")?;
        return Some((Some(number(low)?), Some(number(high)?)));
    }
    if let Some(low) = words.strip_prefix("not below ") {
        return Some((Some(number(low)?), None));
    }
    let high = words.strip_prefix("not above ")?;
    Some((None, Some(number(high)?)))
}

impl From<IntervalMethod> for Method {
    fn from(made: IntervalMethod) -> Method {
        Method {
            made,
            kept: (None, None),
        }
    }
}

impl fmt::Display for IntervalMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IntervalMethod::None => f.write_str("none"),
            IntervalMethod::TOverSeeds => f.write_str("t over seeds"),
            IntervalMethod::TOverItems => f.write_str("t over items"),
            IntervalMethod::ItemsLogOdds => f.write_str("t of log-odds over items"),
            IntervalMethod::Crossed => f.write_str("crossed t"),
            IntervalMethod::CrossedLogOdds => f.write_str("crossed t of log-odds"),
            IntervalMethod::BoundedMean => f.write_str("bounded mean over seeds"),
            IntervalMethod::Unvaried => f.write_str("units that do not vary"),
            IntervalMethod::Wilson => f.write_str("Wilson"),
            IntervalMethod::Percentile { resamples } => {
                write!(f, "{PERCENTILE}, {resamples} resamples")
            }
            IntervalMethod::Basic { resamples } => write!(f, "{BASIC}, {resamples} resamples"),
            IntervalMethod::Other(words) => f.write_str(words),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.made)?;
        let words = match self.kept {
            (None, None) => return Ok(()),
            (Some(low), Some(high)) => format!("within {low} and {high}"),
            (Some(low), None) => format!("not below {low}"),
            (None, Some(high)) => format!("not above {high}"),
        };
        write!(f, ", kept {}", words.replace('-', "−"))
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
        String::deserialize(deserializer).map(|words| Method::read(&words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_comes_back_from_its_words() {
        let made = [
            IntervalMethod::None,
            IntervalMethod::TOverSeeds,
            IntervalMethod::TOverItems,
            IntervalMethod::ItemsLogOdds,
            IntervalMethod::Crossed,
            IntervalMethod::CrossedLogOdds,
            IntervalMethod::BoundedMean,
            IntervalMethod::Unvaried,
            IntervalMethod::Wilson,
            IntervalMethod::Percentile { resamples: 2000 },
            IntervalMethod::Basic { resamples: 100 },
            IntervalMethod::Other("within 1e-9 of the area".into()),
        ];
        let ends = [
            (None, None),
            (Some(-1.0), Some(1.0)),
            (Some(0.0), None),
            (None, Some(1.0)),
        ];
        for one in made {
            for kept in ends {
                let method = Method::from(one.clone()).kept(kept);
                assert_eq!(Method::read(&method.to_string()), method);
            }
        }
    }
}
