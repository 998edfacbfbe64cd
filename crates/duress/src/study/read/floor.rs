//! Gauges that a study reads without naming them: the floors of those that it names.

use duress_core::floor::{Floor, FloorKind};
use duress_core::gauge::Gauge;
use duress_core::part::Build;
use duress_core::place::Under;
use duress_findings::GaugeFloor;

use crate::study::{Chosen, GaugeDecl};

/// The gauges, each with its floors behind it. A gauge of the study that is a floor of another is
/// taken for that, whatever it is called, and two gauges may have one floor.
pub(super) fn beside(named: Vec<GaugeDecl>) -> Vec<GaugeDecl> {
    let mut all = named.clone();
    for gauge in &named {
        for floor in built(&gauge.chosen).map_or(&[][..], |built| built.floors()) {
            let wanted = floor_of(gauge, floor);
            let known = all.iter_mut().find(|one| is_same(one, &wanted));
            match known {
                Some(known) => match &mut known.floor {
                    Some(known) => known.of.push(gauge.name.clone()),
                    none => *none = wanted.floor,
                },
                None => {
                    let after = all.iter().rposition(|one| {
                        let of = one.floor.as_ref().map(|floor| &floor.of);
                        one.name == gauge.name || of.is_some_and(|of| of.contains(&gauge.name))
                    });
                    let name = free_name(&all, wanted.name.clone());
                    let at = after.map_or(all.len(), |after| after + 1);
                    all.insert(at, GaugeDecl { name, ..wanted });
                }
            }
        }
    }
    all
}

/// Whether two gauges read the same at the same places, whatever they are called.
fn is_same(one: &GaugeDecl, other: &GaugeDecl) -> bool {
    let part = |decl: &GaugeDecl| decl.chosen.part.name;
    let is_read_alike = (&one.datasets, &one.at) == (&other.datasets, &other.at);
    part(one) == part(other) && one.chosen.params == other.chosen.params && is_read_alike
}

fn floor_of(gauge: &GaugeDecl, floor: &Floor) -> GaugeDecl {
    let Chosen { part, params } = &gauge.chosen;
    let mut params = params.with_defaults(part.fields, floor.leaves_out);
    for (key, text) in floor.sets {
        params = params.with_spelled(part.fields, key, text);
    }
    GaugeDecl {
        name: format!("{}-{}", gauge.name, floor.name),
        chosen: Chosen { part, params },
        at: match floor.kind {
            FloorKind::KnowsNothing => gauge.at.clone(),
            // What chance does needs no stress to show.
            FloorKind::OtherDraws => Some(vec![Under::Clean]),
        },
        floor: Some(GaugeFloor {
            kind: floor.kind,
            of: vec![gauge.name.clone()],
        }),
        ..gauge.clone()
    }
}

/// A name that no gauge has.
fn free_name(all: &[GaugeDecl], mut name: String) -> String {
    while all.iter().any(|one| one.name == name) {
        name.push_str("-floor");
    }
    name
}

/// The gauge, unless its keys are wrong, which whoever plans says.
fn built(chosen: &Chosen) -> Option<Gauge> {
    let Build::Gauge(build) = chosen.part.build else {
        return None;
    };
    build(&chosen.params).ok()
}
