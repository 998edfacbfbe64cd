//! The keys of learners that test pairs one step apart or more: PCMCI+ and its form with context.

use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;
use duress_graph::learners::pcmci::{PairTest, Pcmci};

use crate::causal::frame::edge_selection::{ALPHA, FALSE_LINES, SCALE, STABLE, depth, false_lines};

/// The keys.
pub(crate) const KEYS: [Field; 7] = [
    ALPHA,
    Field {
        name: "lags",
        takes: Takes::Whole(1, 20),
        doc: "how many steps back a cause can be",
        default: Some("1"),
    },
    depth("the most variables of the same step that are conditioned on at once"),
    Field {
        name: "test",
        takes: Takes::Choice(PairTest::spellings),
        doc: "what is asked of a pair: whether lines, lines of normal scores, or curves join them",
        default: Some("lines"),
    },
    FALSE_LINES,
    STABLE,
    SCALE,
];

/// The learner that they describe.
pub(crate) fn tests(params: &Params) -> Pcmci {
    Pcmci {
        alpha: params.number("alpha"),
        lags: params.count("lags"),
        depth: params.count("depth"),
        test: params.choice("test"),
        context: false,
        false_share: false_lines(params),
    }
}
