//! Ids: how a finding is quoted, in an issue, a table or another program.
//!
//! An id says what the finding is about (which gauge, of whom, on what, under which stress) and
//! nothing else: neither where it stands in the file nor what was found. So it stays the same when
//! a subject or a gauge is added and when numbers change, and it is the same in two runs that are
//! compared. It is readable rather than a hash, since people type it and look for it by eye.

use std::fmt;

use duress_core::name::Name;
use duress_core::place::{Place, Under};
use serde::{Deserialize, Serialize};

/// The id of a finding, unique within a file.
///
/// ```
/// use duress_core::place::{Place, Under};
/// use duress_core::name::Name;
/// use duress_core::severity::Severity;
/// use duress_findings::Id;
///
/// let place = Place {
///     subject: Name::new("baseline").unwrap(),
///     dataset: Name::new("digits").unwrap(),
///     under: Under::Rung { ladder: Name::new("pgd").unwrap(), severity: Severity::parse("8/255").unwrap() },
/// };
/// assert_eq!(Id::estimate("accuracy", &place).as_str(), "estimate:accuracy:baseline:digits:pgd@8/255");
/// assert_eq!(Id::claim("it holds").as_str(), "claim:it%20holds");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// Of a gauge at a place; also of what changed there between two runs.
    pub fn estimate(gauge: &str, place: &Place) -> Id {
        Id(format!("estimate:{}:{}", part(gauge), at(place)))
    }

    /// Of a paired difference.
    pub fn contrast(gauge: &str, of: &Place, against: &Place) -> Id {
        Id(format!(
            "contrast:{}:{}:minus:{}",
            part(gauge),
            at(of),
            at(against)
        ))
    }

    /// Of a gauge on the items with one value in one column.
    pub fn slice(gauge: &str, place: &Place, column: &str, slice: &str) -> Id {
        Id(format!(
            "slice:{}:{}:{}:{}",
            part(gauge),
            at(place),
            part(column),
            part(slice)
        ))
    }

    /// Of a gauge over the severities of a ladder.
    pub fn curve(gauge: &str, subject: &Name, dataset: &Name, ladder: &Name) -> Id {
        Id(format!(
            "curve:{}:{subject}:{dataset}:{ladder}",
            part(gauge)
        ))
    }

    /// Of a claim, by its name: what it says may be mended, and it is still that claim.
    pub fn claim(name: &str) -> Id {
        Id(format!("claim:{}", part(name)))
    }

    /// Of a part of a claim.
    pub fn part(claim: &str, name: &str) -> Id {
        Id(format!("claim:{}:{}", part(claim), part(name)))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

fn at(place: &Place) -> String {
    format!(
        "{}:{}:{}",
        place.subject,
        place.dataset,
        under(&place.under)
    )
}

/// A name never holds `@`, so no stress is called as clean or everything is.
fn under(under: &Under) -> String {
    match under {
        Under::Clean => "clean".into(),
        Under::Rung { ladder, severity } => format!("{ladder}@{severity}"),
        Under::Condition(name) => format!("{name}@"),
        Under::Ladder(name) => format!("{name}@all"),
        Under::Everything => "everything".into(),
    }
}

/// Text of any kind as one part of an id: what a name cannot hold is written as in a URL, so that
/// two texts never become one.
fn part(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+') {
            written.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                written.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::severity::Severity;

    fn place(under: Under) -> Place {
        let name = |text| Name::new(text).unwrap();
        Place {
            subject: name("a"),
            dataset: name("d"),
            under,
        }
    }

    #[test]
    fn different_things_have_different_ids() {
        let name = |text| Name::new(text).unwrap();
        let severity = |text| Severity::parse(text).unwrap();
        let unders = [
            Under::Clean,
            Under::Everything,
            Under::Condition(name("clean")),
            Under::Condition(name("everything")),
            Under::Ladder(name("clean")),
            Under::Rung {
                ladder: name("clean"),
                severity: severity("0.5"),
            },
            Under::Rung {
                ladder: name("clean"),
                severity: severity("1/2"),
            },
        ];
        let mut ids: Vec<Id> = ["accuracy", "a:b", "a%3Ab", "a b", "a", "ä", "a/b"]
            .iter()
            .flat_map(|gauge| {
                unders
                    .iter()
                    .map(|under| Id::estimate(gauge, &place(under.clone())))
            })
            .collect();
        let all = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn a_part_cannot_end_early() {
        let clean = place(Under::Clean);
        assert_ne!(
            Id::slice("g", &clean, "a", "b:c"),
            Id::slice("g", &clean, "a:b", "c")
        );
        assert_ne!(Id::claim("a:b"), Id::claim("a%3Ab"));
    }
}
