//! The one door through which the stages know parts.

use std::path::Path;

use duress_core::part::{Build, Params, Part, PartKind, Takes};
use duress_core::problem::Problem;
use duress_core::question::{PlainQuestion, Question};
use duress_core::subject::SubjectPart;
use duress_core::word::Word;

/// All parts a study may name.
#[derive(Clone)]
pub struct Registry {
    parts: Vec<&'static Part>,
}

impl Registry {
    /// The parts that come with duress: by kind, and by name within it.
    pub fn standard() -> Registry {
        let mut parts = STANDARD.to_vec();
        parts.sort_by_key(|part| (part.kind(), part.name));
        Registry { parts }
    }

    /// The same with one more part: how a program adds its own, which studies name like any other.
    /// A name that is taken is refused, whatever kind of part has it: studies and messages could
    /// not tell the two apart.
    ///
    /// ```
    /// use duress_core::part::{Build, Part, PartKind};
    /// use duress_core::stressor::Stressor;
    /// use duress_parts::registry::Registry;
    ///
    /// static SLEET: Part = Part {
    ///     name: "sleet",
    ///     version: 1,
    ///     fields: &[],
    ///     source: "//! Sleet that fell when the images were taken.",
    ///     build: Build::Stressor(|_| {
    ///         Ok(Stressor::Elsewhere {
    ///             counts: None,
    ///             unit: "as recorded".into(),
    ///             variants: Vec::new(),
    ///         })
    ///     }),
    /// };
    ///
    /// let registry = Registry::standard().with(&SLEET)?;
    /// assert_eq!(registry.find(PartKind::Stressor, "sleet")?.name, "sleet");
    /// assert!(Registry::standard().find(PartKind::Stressor, "sleet").is_err());
    /// assert!(registry.with(&SLEET).is_err());
    /// # Ok::<(), duress_core::problem::Problem>(())
    /// ```
    pub fn with(mut self, part: &'static Part) -> Result<Registry, Problem> {
        if let Some(taken) = self.parts.iter().find(|one| one.name == part.name) {
            let name = part.name;
            let problem = Problem::new(format!("there is a {} called `{name}`", taken.kind()));
            return Err(problem.expected("a name that no part has"));
        }
        self.parts.push(part);
        Ok(self)
    }

    /// All parts, in the order they are listed.
    pub fn parts(&self) -> &[&'static Part] {
        &self.parts
    }

    /// The part that rates under this name: a rater, or a subject that may answer ratings.
    pub fn find_rater(&self, name: &str) -> Result<&'static Part, Problem> {
        let may = || self.raters();
        may().find(|part| part.name == name).ok_or_else(|| {
            let wrong = match self.parts.iter().find(|part| part.name == name) {
                Some(part) if part.kind() == PartKind::Subject => {
                    Problem::new(format!("subject `{name}` does not answer ratings"))
                }
                Some(part) => Problem::new(format!("`{name}` is a {}, not a rater", part.kind())),
                None => {
                    let unknown = Problem::new(format!("unknown rater `{name}`"));
                    return unknown.nearest(name, may().map(|part| part.name));
                }
            };
            wrong.expected("a rater, or a subject that answers ratings about texts")
        })
    }

    /// Whatever may rate: the raters, and the subjects that may answer ratings.
    pub fn raters(&self) -> impl Iterator<Item = &'static Part> + '_ {
        let rates =
            |part: &&'static Part| part.kind() == PartKind::Rater || may_answer_ratings(part);
        self.parts.iter().copied().filter(rates)
    }

    /// The part of this kind and name, or the problem with the nearest right word.
    pub fn find(&self, kind: PartKind, name: &str) -> Result<&'static Part, Problem> {
        let of_kind = || self.parts.iter().filter(|part| part.kind() == kind);
        of_kind()
            .find(|part| part.name == name)
            .copied()
            .ok_or_else(|| {
                let elsewhere = self.parts.iter().find(|part| part.name == name);
                match elsewhere {
                    Some(part) => {
                        Problem::new(format!("`{name}` is a {}, not a {kind}", part.kind()))
                    }
                    None => Problem::new(format!("unknown {kind} `{name}`"))
                        .nearest(name, of_kind().map(|part| part.name)),
                }
            })
    }
}

/// Whether a subject answers ratings, or does if its key `answers` says so.
fn may_answer_ratings(part: &Part) -> bool {
    let Build::Subject(build) = part.build else {
        return false;
    };
    if let Some(answers) = part.fields.iter().find(|field| field.name == "answers") {
        return matches!(answers.takes, Takes::Choice(words) if words().contains(&PlainQuestion::Ratings.word()));
    }
    let defaults = Params::check(part.fields, &[], Path::new(""));
    let built = defaults.ok().and_then(|params| build(&params).ok());
    matches!(built, Some(SubjectPart::Live(live)) if live.abilities().answers.contains(&Question::Ratings))
}

/// Every part of every family, from the lines of their folders.
static STANDARD: &[&Part] = include!(concat!(env!("OUT_DIR"), "/parts.rs"));

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn parts_are_listed_by_kind_and_name_and_no_name_means_two() {
        let registry = Registry::standard();
        let names: Vec<_> = registry
            .parts()
            .iter()
            .map(|part| (part.kind(), part.name))
            .collect();
        assert!(names.is_sorted(), "{names:?}");
        let different: BTreeSet<_> = names.iter().map(|(_, name)| name).collect();
        assert_eq!(different.len(), names.len(), "{names:?}");
    }

    #[test]
    fn a_part_under_a_name_that_is_taken_is_refused() {
        let own = |name: &'static str| -> &'static Part {
            Box::leak(Box::new(Part {
                name,
                version: 1,
                fields: &[],
                source: "//! A stressor.",
                build: Build::Stressor(|_| Err(Problem::new("never built"))),
            }))
        };
        let refused = |registry: Registry, name| registry.with(own(name)).err().unwrap().message;
        // Taken by a part of the same kind, and by one of another.
        let message = refused(Registry::standard(), "gaussian-noise");
        assert_eq!(message, "there is a stressor called `gaussian-noise`");
        let message = refused(Registry::standard(), "accuracy");
        assert_eq!(message, "there is a gauge called `accuracy`");
        // Taken by a part that the program itself has added.
        let registry = Registry::standard().with(own("sleet")).unwrap();
        assert_eq!(
            registry.parts().len(),
            Registry::standard().parts().len() + 1
        );
        let message = refused(registry, "sleet");
        assert_eq!(message, "there is a stressor called `sleet`");
    }

    #[test]
    fn every_family_is_in_the_list() {
        for name in ["accuracy", "shd", "s-rob", "monotonic", "area"] {
            let found = Registry::standard().find(PartKind::Gauge, name);
            assert!(found.is_ok(), "{name}");
        }
    }
}
