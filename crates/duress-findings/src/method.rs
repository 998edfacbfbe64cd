//! How an interval was made. Code branches on the value; the sentence is written from it, once.

use std::fmt;

use duress_core::gauge::Ends;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::tagged::tagged;

/// How an interval was made, and between which ends it was kept.
///
/// ```
/// use duress_findings::method::{IntervalMethod, Method};
/// let method = Method::from(IntervalMethod::TOverSeeds).kept((Some(0.0), Some(1.0)));
/// assert_eq!(method.to_string(), "t over seeds, kept within 0 and 1");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Method {
    /// How it was made.
    pub made: IntervalMethod,
    /// The ends it was cut at, where it would have known none.
    pub kept: Ends,
}

tagged! {
    /// The ways to make an interval.
    pub enum IntervalMethod {
        /// There is none.
        None = "none" => "none";
        /// Student's t over the readings of seeds.
        TOverSeeds = "t-over-seeds" => "t over seeds";
        /// Student's t over items.
        TOverItems = "t-over-items" => "t over items";
        /// The same on the log-odds of a reading between two ends.
        ItemsLogOdds = "items-log-odds" => "t of log-odds over items";
        /// Student's t over clusters of items.
        TOverClusters = "t-over-clusters" => "t over clusters";
        /// The same on the log-odds of a reading between two ends.
        ClustersLogOdds = "clusters-log-odds" => "t of log-odds over clusters";
        /// Student's t with the variance of items crossed with seeds.
        Crossed = "crossed" => "crossed t";
        /// The same on the log-odds of a reading between two ends.
        CrossedLogOdds = "crossed-log-odds" => "crossed t of log-odds";
        /// A mean between two ends, of readings of which many lie on one.
        BoundedMean = "bounded-mean" => "bounded mean over seeds";
        /// Units that do not differ at all: how many others could, without one among so many.
        Unvaried = "unvaried" => "units that do not vary";
        /// Wilson's, of a share of items.
        Wilson = "wilson" => "Wilson";
        /// The quantiles of resamples.
        Percentile {
            /// How many.
            resamples: usize,
        } = "percentile-bootstrap" => "percentile bootstrap, {resamples} resamples";
        /// Resamples reflected about the reading, which takes its bias off.
        Basic {
            /// How many.
            resamples: usize,
        } = "basic-bootstrap" => "basic bootstrap, {resamples} resamples";
    }
}

impl IntervalMethod {
    /// Whether such an interval may reach beyond the ends its value has: shares and plain resamples
    /// stay within them by themselves.
    pub fn knows_no_ends(&self) -> bool {
        matches!(
            self,
            IntervalMethod::TOverSeeds
                | IntervalMethod::TOverItems
                | IntervalMethod::TOverClusters
                | IntervalMethod::Crossed
                | IntervalMethod::Basic { .. }
                | IntervalMethod::Percentile { .. }
        )
    }

    /// Its name alone, without how many resamples it drew.
    pub fn name(&self) -> String {
        match self {
            IntervalMethod::Percentile { .. } => "percentile bootstrap".into(),
            IntervalMethod::Basic { .. } => "basic bootstrap".into(),
            other => other.to_string(),
        }
    }
}

impl Method {
    /// The same, cut at these ends.
    #[must_use]
    pub fn kept(self, kept: Ends) -> Method {
        Method { kept, ..self }
    }
}

impl From<IntervalMethod> for Method {
    fn from(made: IntervalMethod) -> Method {
        Method {
            made,
            kept: (None, None),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.made)?;
        // What another version wrote is a sentence already, and says its ends.
        if matches!(self.made, IntervalMethod::Other { .. }) {
            return Ok(());
        }
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
        let mut map = serializer.serialize_map(None)?;
        self.made.write_fields(&mut map)?;
        if self.kept != (None, None) {
            map.serialize_entry("kept", &self.kept)?;
        }
        map.serialize_entry("text", &self.to_string())?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
        #[derive(Deserialize)]
        struct WrittenMethod {
            #[serde(flatten)]
            made: IntervalMethod,
            #[serde(default)]
            kept: Ends,
        }
        let WrittenMethod { made, kept } = WrittenMethod::deserialize(deserializer)?;
        Ok(Method { made, kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_comes_back_from_a_file() {
        let made = [
            IntervalMethod::None,
            IntervalMethod::TOverSeeds,
            IntervalMethod::TOverItems,
            IntervalMethod::ItemsLogOdds,
            IntervalMethod::TOverClusters,
            IntervalMethod::ClustersLogOdds,
            IntervalMethod::Crossed,
            IntervalMethod::CrossedLogOdds,
            IntervalMethod::BoundedMean,
            IntervalMethod::Unvaried,
            IntervalMethod::Wilson,
            IntervalMethod::Percentile { resamples: 2000 },
            IntervalMethod::Basic { resamples: 100 },
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
                let written = serde_json::to_string(&method).unwrap();
                assert_eq!(serde_json::from_str::<Method>(&written).unwrap(), method);
            }
        }
    }

    #[test]
    fn a_method_of_a_newer_version_keeps_its_sentence() {
        let newer = r#"{"kind": "jackknife", "folds": 5, "kept": [0.0, null], "text": "jackknife, 5 folds, kept not below 0"}"#;
        let method: Method = serde_json::from_str(newer).unwrap();
        assert_eq!(method.to_string(), "jackknife, 5 folds, kept not below 0");
    }

    #[test]
    fn a_known_method_without_its_numbers_is_refused() {
        let cut = r#"{"kind": "basic-bootstrap", "text": "basic bootstrap, 5 resamples"}"#;
        let why = serde_json::from_str::<Method>(cut).unwrap_err();
        assert!(why.to_string().contains("basic-bootstrap"), "{why}");
    }
}
