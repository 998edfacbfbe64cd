//! The keys with which learners say how edges are chosen, and what they mean.

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::part::{Field, Params, Takes};
use duress_core::seed::Seed;
use duress_core::subject::{Failure, SubjectPart};
use duress_core::word::Word;
use duress_graph::learner::StructureLearner;
use duress_graph::learners::independent_rows::{self, FitWeights};
use duress_graph::panel::{Scaling, StandardisedPanel};
use duress_graph::select::{self, EdgeScores, EdgeSelection, Null, Rule, Score};

/// What is made of outliers.
pub(crate) const SCALE: Field = Field {
    name: "scale",
    takes: Takes::Choice(Scaling::spellings),
    doc: "whether values count as they are (`moments`, as when it is not set) or are first drawn in to three robust standard deviations from their median (`robust`)",
    // Not a default: a key at its default is part of an identity, and what was learned before there
    // was this key has not changed.
    default: Some(""),
};

/// What is made of values before they are standardised.
pub(crate) fn scaling(params: &Params) -> Scaling {
    params.choice_if(SCALE.name).unwrap_or(Scaling::Moments)
}

/// How many of the chosen edges may be false.
pub(crate) const FALSE_SHARE: Field = Field {
    name: "false-share",
    takes: Takes::Number(0.0, 1.0),
    doc: "the share of the chosen edges that may be false",
    default: Some("0.05"),
};

/// What pairs without an edge score, for scores in standard errors.
pub(crate) const NULL: Field = Field {
    name: "null",
    takes: Takes::Choice(Null::spellings),
    doc: "what the scores of pairs without an edge are taken to look like",
    default: Some("empirical"),
};

/// What pairs without an edge score, for weights.
pub(crate) const WEIGHT_NULL: Field = Field {
    name: "null",
    takes: Takes::Choice(WeightNull::spellings),
    doc: "whether weights are held against those learnt from shuffled windows (`false-share`) or against `threshold`",
    default: Some("permutation"),
};

duress_core::words! {
    /// What weights are held against.
    enum WeightNull {
        /// Weights learnt from shuffled windows.
        Permutation = "permutation",
        /// A threshold.
        None = "none",
    }
}

/// Which weights are edges.
pub(crate) const THRESHOLD: Field = Field {
    name: "threshold",
    takes: Takes::Number(0.0, 1e6),
    doc: "weights above this, in standard deviations, are edges when there is no null",
    default: Some("0.3"),
};

/// Whether cycles are kept out.
pub(crate) const ACYCLIC: Field = Field {
    name: "acyclic",
    takes: Takes::Flag,
    doc: "whether an edge that would close a cycle with stronger ones is left out",
    default: Some("true"),
};

/// Whether edges must come back.
pub(crate) const STABLE: Field = Field {
    name: "stable",
    takes: Takes::Number(0.0, 1.0),
    doc: "the share of 50 random halves of the windows in which an edge must be chosen as well; none when left out",
    default: Some(""),
};

/// When tests of independence take a pair apart.
pub(crate) const ALPHA: Field = Field {
    name: "alpha",
    takes: Takes::Number(0.0, 1.0),
    doc: "a pair whose independence has a larger p than this is taken apart",
    default: Some("0.01"),
};

/// What share of the lines that tests leave may be false.
pub(crate) const FALSE_LINES: Field = Field {
    name: "false-share",
    takes: Takes::Number(0.0, 1.0),
    doc: "the share of the lines that may be false; with 1, `alpha` alone decides",
    default: Some("0.05"),
};

/// The share of lines that may be false, if it was asked for.
pub(crate) fn false_lines(params: &Params) -> Option<f64> {
    let share = params.number(FALSE_LINES.name);
    (share < 1.0).then_some(share)
}

/// The most variables that are conditioned on at once.
pub(crate) const fn depth(doc: &'static str) -> Field {
    Field {
        name: "depth",
        takes: Takes::Whole(0, 50),
        doc,
        default: Some("3"),
    }
}

/// What weights cost.
pub(crate) const fn penalty(name: &'static str, doc: &'static str) -> Field {
    Field {
        name,
        takes: Takes::Number(0.0, 1e6),
        doc,
        default: Some("0.1"),
    }
}

/// The keys of a learner made for independent rows, whose weights cost this much when nothing is
/// said.
pub(crate) const fn weight_keys(penalty: &'static str) -> [Field; 7] {
    [
        Field {
            default: Some(penalty),
            ..self::penalty(
                "penalty",
                "what is added to half the mean squared error for each unit of weight",
            )
        },
        WEIGHT_NULL,
        THRESHOLD,
        FALSE_SHARE,
        ACYCLIC,
        STABLE,
        SCALE,
    ]
}

/// The subject that such keys describe.
pub(crate) fn of_independent_rows(
    params: &Params,
    what: &'static str,
    fit: FitWeights,
) -> SubjectPart {
    let penalty = params.number("penalty");
    scoring(params, by_weights(params), what, move |panel| {
        independent_rows::score(panel, penalty, fit)
    })
}

/// How often an edge must be chosen; 0 asks for nothing.
pub(crate) fn stable(params: &Params) -> f64 {
    params.number_if("stable").unwrap_or(0.0)
}

/// The selection that `null`, `false-share`, `acyclic` and `stable` describe.
pub(crate) fn by_errors(params: &Params) -> EdgeSelection {
    let rule = Rule::FalseShare {
        share: params.number("false-share"),
        null: params.choice("null"),
    };
    EdgeSelection {
        rule,
        acyclic: params.flag("acyclic"),
        stable: stable(params),
    }
}

/// The selection that `null`, `threshold`, `false-share`, `acyclic` and `stable` describe.
pub(crate) fn by_weights(params: &Params) -> EdgeSelection {
    let rule = match params.choice("null") {
        WeightNull::None => Rule::Threshold(params.number("threshold")),
        WeightNull::Permutation => Rule::FalseShare {
            share: params.number("false-share"),
            null: Null::Permutation,
        },
    };
    EdgeSelection {
        rule,
        acyclic: params.flag("acyclic"),
        stable: stable(params),
    }
}

/// A subject that scores pairs and has edges chosen; `what` says in the rule what the scores are.
pub(crate) fn scoring(
    params: &Params,
    selection: EdgeSelection,
    what: &'static str,
    score: impl Fn(&StandardisedPanel) -> Result<EdgeScores, Failure> + Send + Sync + 'static,
) -> SubjectPart {
    let scaling = scaling(params);
    SubjectPart::Live(Box::new(StructureLearner::new(
        move |windows: &Windows, seed| {
            let panel = StandardisedPanel::scaled(windows, scaling)?;
            chosen(selection, what, &panel, seed, &score)
        },
    )))
}

/// A subject that learns a graph outright; `stable` may ask for edges that come back.
pub(crate) fn learning(
    params: &Params,
    learn: impl Fn(&StandardisedPanel) -> Result<GraphAnswer, Failure> + Send + Sync + 'static,
) -> SubjectPart {
    learning_from(params, StandardisedPanel::scaled, learn)
}

/// The same from panels read in another way.
pub(crate) fn learning_from(
    params: &Params,
    read: impl Fn(&Windows, Scaling) -> Result<StandardisedPanel, Failure> + Send + Sync + 'static,
    learn: impl Fn(&StandardisedPanel) -> Result<GraphAnswer, Failure> + Send + Sync + 'static,
) -> SubjectPart {
    let share = stable(params);
    let scaling = scaling(params);
    SubjectPart::Live(Box::new(StructureLearner::new(
        move |windows: &Windows, seed| {
            let panel = read(windows, scaling)?;
            select::stable(&panel, share, false, seed, &|panel, _| learn(panel))
        },
    )))
}

/// The graph of a panel by these scores, with `what` they are in its rule.
pub(crate) fn chosen(
    selection: EdgeSelection,
    what: &str,
    panel: &StandardisedPanel,
    seed: Seed,
    score: Score<'_>,
) -> Result<GraphAnswer, Failure> {
    let answer = selection.learn(panel, seed, score)?;
    Ok(GraphAnswer {
        rule: format!("{what}: {}", answer.rule),
        ..answer
    })
}
