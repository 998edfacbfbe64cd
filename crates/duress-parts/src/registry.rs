//! The one door through which the stages know parts.

use duress_core::part::Part;
use duress_core::problem::Problem;

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
    ///
    /// ```
    /// use duress_core::part::{Build, Part};
    /// use duress_core::stressor::Stressor;
    /// use duress_parts::registry::Registry;
    ///
    /// static FOG: Part = Part {
    ///     name: "fog",
    ///     version: 1,
    ///     fields: &[],
    ///     source: "//! Fog that lay on the images when they were taken.",
    ///     build: Build::Stressor(|_| {
    ///         Ok(Stressor::Elsewhere {
    ///             unit: "as recorded".into(),
    ///             variants: Vec::new(),
    ///         })
    ///     }),
    /// };
    ///
    /// let registry = Registry::standard().with(&FOG);
    /// assert_eq!(registry.find("stressor", "fog")?.name, "fog");
    /// assert!(Registry::standard().find("stressor", "fog").is_err());
    /// # Ok::<(), duress_core::problem::Problem>(())
    /// ```
    #[must_use]
    pub fn with(mut self, part: &'static Part) -> Registry {
        self.parts.push(part);
        self
    }

    /// All parts, in the order they are listed.
    pub fn parts(&self) -> &[&'static Part] {
        &self.parts
    }

    /// The part of this kind and name, or the problem with the nearest right word.
    pub fn find(&self, kind: &str, name: &str) -> Result<&'static Part, Problem> {
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

/// Every part of every family, from the lines of their folders.
static STANDARD: &[&Part] = include!(concat!(env!("OUT_DIR"), "/parts.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_by_kind_and_name_and_no_name_means_two() {
        let registry = Registry::standard();
        let names: Vec<_> = registry
            .parts()
            .iter()
            .map(|part| (part.kind(), part.name))
            .collect();
        assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
    }

    #[test]
    fn every_family_is_in_the_list() {
        for (kind, name) in [
            ("gauge", "accuracy"),
            ("gauge", "shd"),
            ("gauge", "s-rob"),
            ("gauge", "monotonic"),
            ("gauge", "area"),
        ] {
            assert!(Registry::standard().find(kind, name).is_ok(), "{name}");
        }
    }
}
