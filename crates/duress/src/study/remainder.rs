//! What is left of a study without the sections that are wrong: others are looked at all the same.

use std::ops::Range;

use duress_core::name::Name;
use duress_core::part::{Build, PartKind};
use duress_parts::registry::Registry;

use super::{Against, ConditionDecl, DatasetDecl, GaugeDecl, Origin, Press, StatementDecl, Study};

impl Study {
    /// The study without the sections at these places, and without what refers to one that is gone.
    /// What is then said to be missing may be among those, so nobody says it (`is_whole`).
    pub(crate) fn without(mut self, wrong: &[Range<usize>], registry: &Registry) -> Study {
        let is_sound = |span: &Range<usize>| !wrong.contains(span);
        self.is_whole = false;
        self.keep_datasets(&is_sound);
        let named: Vec<Name> = self.datasets.iter().map(|one| one.name.clone()).collect();
        let tested = |names: &[Name]| names.iter().all(|name| named.contains(name));
        let subjects = self.subjects.iter().cloned();
        self.subjects = subjects
            .filter(|one| is_sound(&one.span) && named.contains(&one.on) && tested(&one.test_on))
            .collect();
        self.ladders.retain(|one| is_sound(&one.span));
        self.conditions.retain(|one| is_whole(one, &is_sound));
        let raters = self.raters.iter().cloned();
        self.raters = raters
            .filter(|one| is_sound(&one.span))
            .filter(|one| one.on.as_ref().is_none_or(|on| named.contains(on)))
            .collect();
        self.keep_gauges(&is_sound, registry);
        self.keep_claims();
        self
    }

    /// How many sections there are that others may refer to.
    pub(crate) fn sections(&self) -> usize {
        self.datasets.len()
            + self.subjects.len()
            + self.ladders.len()
            + self.conditions.len()
            + self.raters.len()
            + self.gauges.len()
    }

    /// A base stands above what is derived from it.
    fn keep_datasets(&mut self, is_sound: &impl Fn(&Range<usize>) -> bool) {
        let mut kept: Vec<DatasetDecl> = Vec::new();
        for one in &self.datasets {
            let has_base = match &one.from {
                Origin::Part(_) => true,
                Origin::Derived { base, press, .. } => {
                    let is_kept = kept.iter().any(|other| other.name == *base);
                    is_kept && presses_are(press, is_sound)
                }
            };
            if has_base && is_sound(&one.span) {
                kept.push(one.clone());
            }
        }
        self.datasets = kept.into();
    }

    /// Gauges whose rater, and the gauge they read through, are there.
    fn keep_gauges(&mut self, is_sound: &impl Fn(&Range<usize>) -> bool, registry: &Registry) {
        let is_dataset = |name: &Name| self.datasets.iter().any(|one| one.name == *name);
        let is_rater = |name: &Name| self.raters.iter().any(|one| one.name == *name);
        let has_rater = |one: &&GaugeDecl| {
            let rater = one.rater.as_ref();
            let mut others = one.temperature_on.iter().chain(&one.chosen_on);
            is_sound(&one.span) && rater.is_none_or(is_rater) && others.all(is_dataset)
        };
        let kept: Vec<GaugeDecl> = self.gauges.iter().filter(has_rater).cloned().collect();
        let is_there = |name: &str| {
            let own = kept.iter().any(|one| one.name == name);
            own || registry.find(PartKind::Gauge, name).is_ok()
        };
        let can_read = |one: &&GaugeDecl| {
            let read = read_through(one);
            read.is_none_or(|name| is_there(&name))
        };
        self.gauges = kept.iter().filter(can_read).cloned().collect();
    }

    /// Claims of whose parts everything is there.
    fn keep_claims(&mut self) {
        let claims = std::mem::take(&mut self.claims);
        let is_said = |one: &StatementDecl| self.has_all_of(one);
        let kept = claims
            .into_iter()
            .filter(|claim| claim.statements.iter().all(is_said));
        self.claims = kept.collect();
    }

    fn has_all_of(&self, statement: &StatementDecl) -> bool {
        let subject = |name: &Name| self.subjects.iter().any(|one| one.name == *name);
        let against = match &statement.against {
            Against::Subject(other) => subject(other),
            Against::Nothing | Against::Clean | Against::MilderRung => true,
        };
        let stress = statement.place.under.stress().is_none_or(|name| {
            let ladder = self.ladders.iter().any(|one| one.name == *name);
            ladder || self.conditions.iter().any(|one| one.name == *name)
        });
        let dataset = |name: &Name| self.datasets.iter().any(|one| one.name == *name);
        let stress = stress && statement.minus_on.as_ref().is_none_or(dataset);
        let gauge = self.gauges.iter().any(|one| one.name == statement.gauge);
        subject(&statement.place.subject) && against && stress && gauge
    }
}

/// The gauge that another reads through, if it does.
fn read_through(gauge: &GaugeDecl) -> Option<String> {
    let Build::Gauge(build) = gauge.chosen.part.build else {
        return None;
    };
    let built = build(&gauge.chosen.params).ok()?;
    built.of().map(String::from)
}

fn is_whole(condition: &ConditionDecl, is_sound: &impl Fn(&Range<usize>) -> bool) -> bool {
    is_sound(&condition.span) && presses_are(&condition.press, is_sound)
}

fn presses_are(press: &[Press], is_sound: &impl Fn(&Range<usize>) -> bool) -> bool {
    press.iter().all(|one| is_sound(&one.span))
}
