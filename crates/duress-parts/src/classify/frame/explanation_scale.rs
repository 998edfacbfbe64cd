//! What gauges of explanations are like: their scale, and the floors that are read beside them.

use duress_core::explanation::Explanation;
use duress_core::floor::{Floor, FloorKind};
use duress_core::gauge::{Direction, Ends, Scale, Unit};
use duress_core::part::{Field, Takes};
use duress_core::question::Question;
use duress_core::word::Word;

/// The scale of a gauge of explanations: its convention says what is asked, too.
pub(crate) fn explanation_scale(
    reads: Question,
    direction: Direction,
    best: Option<f64>,
    ends: Ends,
    convention: &str,
) -> Scale {
    Scale {
        reads,
        direction,
        best,
        ends,
        unit: Unit::Items,
        convention: format!("{convention}; {reads}"),
        compat: false,
    }
}

duress_core::words! {
    /// A tool whose numbers a gauge can give where they are not those of the paper.
    pub(crate) enum CompatTool {
        Quantus = "quantus",
    }
}

/// The key `compat`.
pub(crate) const COMPAT: Field = Field {
    name: "compat",
    takes: Takes::Choice(CompatTool::spellings),
    doc: "another tool whose number is given instead, where that is not what the paper says",
    default: Some(""),
};

/// The same scale for the number of another tool.
pub(crate) fn compat_scale(of: Scale, best: Option<f64>, ends: Ends, convention: &str) -> Scale {
    Scale {
        best,
        ends,
        compat: true,
        convention: format!("{convention}; {}", of.reads),
        ..of
    }
}

/// The keys of maps that mean nothing where no network is looked at.
const OF_NETWORKS: &[&str] = &["layer", "samples", "noise", "baseline", "patch", "draw"];

/// Maps that ask nobody.
static KNOW_NOTHING: [Floor; 2] = [
    Floor {
        name: "centre-gaussian",
        kind: FloorKind::KnowsNothing,
        sets: &[("attribution", "centre-gaussian")],
        leaves_out: OF_NETWORKS,
    },
    Floor {
        name: "edge-detector",
        kind: FloorKind::KnowsNothing,
        sets: &[("attribution", "edge-detector")],
        leaves_out: OF_NETWORKS,
    },
];

/// The same maps with other draws.
static OTHER_DRAWS: [Floor; 1] = [Floor {
    name: "other-draws",
    kind: FloorKind::OtherDraws,
    sets: &[("redrawn", "true")],
    leaves_out: &[],
}];

/// Maps that ask nobody, for a gauge by which a map that knows the network should be the better one.
/// A map that never looks at it is perfectly stable, so stability has no such floor.
pub(crate) fn maps_that_know_nothing(question: Question) -> &'static [Floor] {
    let asked = asked(question).and_then(Explanation::attribution);
    match asked.is_some_and(|of| !of.method.is_floor()) {
        true => &KNOW_NOTHING,
        false => &[],
    }
}

/// The same maps with other draws, where their method draws by chance.
pub(crate) fn other_draws(question: Question) -> &'static [Floor] {
    let of = asked(question).filter(|asked| !matches!(asked, Explanation::Redrawn { .. }));
    let of = of.and_then(Explanation::attribution);
    match of.is_some_and(|of| of.method.draws()) {
        true => &OTHER_DRAWS,
        false => &[],
    }
}

/// The floors of a gauge of what becomes of maps that are put to the test.
pub(crate) fn floors_of_test(question: Question) -> &'static [Floor] {
    match asked(question) {
        // Infidelity that is not scaled depends on the unit of a map, and these have none.
        Some(Explanation::Curve { .. } | Explanation::Infidelity { scaled: true, .. }) => {
            maps_that_know_nothing(question)
        }
        Some(Explanation::Steadiness { .. }) => other_draws(question),
        _ => &[],
    }
}

fn asked(question: Question) -> Option<&'static Explanation> {
    match question {
        Question::Explanation(asked) => Some(asked.explanation()),
        _ => None,
    }
}
