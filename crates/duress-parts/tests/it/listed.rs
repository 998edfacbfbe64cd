//! Whatever a study can name is checked by the rules of its kind: what is registered is in a list
//! that the testkit runs over, and what is in a list is registered.

use std::collections::BTreeSet;

use duress_core::part::{Part, PartKind};
use duress_parts::registry::Registry;
use duress_parts::shared;

use crate::{
    causal, classify, command, images, judge, logged, option_order, order, recorded, text_noise,
    windows,
};

/// Parts that the testkit has no rules for, and why.
const WITHOUT_RULES: &[(&Part, &str)] = &[
    (
        &shared::stressors::elsewhere::PART,
        "it presses nothing here: it only names what was done before the answers were recorded",
    ),
    (
        &duress_parts::classify::gauges::certified_accuracy::PART,
        "it reads a severity, and is not at its best where stress changed nothing; its own test is beside the rules",
    ),
    (
        &duress_parts::classify::gauges::gate_gain::PART,
        "it chooses its thresholds on a second set of answers, which the rules do not have; its own tests are beside it",
    ),
];

type Named = BTreeSet<(PartKind, &'static str)>;

fn named(parts: impl IntoIterator<Item = &'static Part>) -> Named {
    let name = |part: &'static Part| (part.kind(), part.name);
    parts.into_iter().map(name).collect()
}

fn registered() -> Named {
    named(Registry::standard().parts().iter().copied())
}

fn listed() -> Named {
    let families = [
        causal::checked(),
        classify::checked(),
        command::checked(),
        images::checked(),
        judge::checked(),
        logged::checked(),
        option_order::checked(),
        order::checked(),
        text_noise::checked(),
        recorded::checked(),
        windows::checked(),
        #[cfg(feature = "endpoint")]
        crate::endpoint::checked(),
        #[cfg(feature = "endpoint")]
        crate::llm_judge::checked(),
    ];
    named(families.into_iter().flatten())
}

#[test]
fn every_registered_part_is_in_a_list_that_is_checked() {
    let excused = named(WITHOUT_RULES.iter().map(|(part, _)| *part));
    let known: Named = listed().union(&excused).copied().collect();
    let unlisted: Vec<_> = registered().difference(&known).copied().collect();
    assert!(
        unlisted.is_empty(),
        "registered and in no list of its family's tests: {unlisted:?}"
    );
}

#[test]
fn every_listed_part_is_registered_and_none_is_excused_too() {
    let unknown: Vec<_> = listed().difference(&registered()).copied().collect();
    assert!(
        unknown.is_empty(),
        "listed, but not registered: {unknown:?}"
    );
    for (part, why) in WITHOUT_RULES {
        assert!(
            !listed().contains(&(part.kind(), part.name)),
            "{} is checked, and excused because {why}",
            part.name
        );
    }
}
