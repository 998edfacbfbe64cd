//! Learns a graph of messages between hidden states that are seen through noise, bias and gaps.
//!
//! # What it does
//! Each variable has a hidden state that remembers itself and hears messages, curves of other states
//! one step before. What is seen of it is that state on the median and scale of its regime (the bias),
//! with noise whose shape is learnt as a mixture of widths (the noise). A filter follows all states
//! with their covariances and skips what is hidden. Which pairs have a message is asked of all pairs
//! together: weights of a message are drawn from a wide normal, weights where there is none from a
//! narrow one, and how wide both are and how many messages there are is learnt. Those that are likely
//! are passed on (a window never hears a message learnt from it), states are followed anew, and so on
//! for `rounds`. The graph is the most edges, each more likely than not, of which at most `false-share`
//! are expected to be false, strongest first, none that closes a cycle unless `feedback = true`. Every
//! part can be switched off.
//!
//! # Why it matters
//! The protagonist of the stress tests: gaps, noise, bias and regimes each have a part of the model of
//! their own, and what each is worth can be asked by leaving it out.
//!
//! # Promise
//! The same graph for the same windows and seed. Which values are hidden is no evidence for edges
//! unless `gap-evidence = true`. A variable that is never seen to vary and windows of one step are a
//! failure with its reason, not an empty graph.
//!
//! # Example
//! ```toml
//! [subject.rc-gnn]
//! use = "rc-gnn"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Minka, *A family of algorithms for approximate Bayesian inference*, 2001, on assumed density
//! filtering; George and McCulloch, *JASA* 88 (1993) 881–889, on spike and slab; docs/rc-gnn.md.

use duress_core::part::{Build, Field, Part, Takes};
use duress_core::subject::SubjectPart;
use duress_core::word::Word;
use duress_graph::learner::StructureLearner;
use duress_graph::rc_gnn::{MessageShape, NoiseModel, RcGnn};

use crate::causal::frame::edge_selection::FALSE_SHARE;

const fn flag(name: &'static str, doc: &'static str, default: &'static str) -> Field {
    Field {
        name,
        takes: Takes::Flag,
        doc,
        default: Some(default),
    }
}

/// The part.
pub static PART: Part = Part {
    name: "rc-gnn",
    version: 4,
    fields: &[
        FALSE_SHARE,
        Field {
            name: "noise",
            takes: Takes::Choice(NoiseModel::spellings),
            doc: "what the noise may look like: widths whose shares depend on the signal, the same everywhere, or one width",
            default: Some("levels"),
        },
        Field {
            name: "messages",
            takes: Takes::Choice(MessageShape::spellings),
            doc: "what messages are made of: the first four, three or one Hermite polynomials of the sender's state",
            default: Some("cubic"),
        },
        Field {
            name: "rounds",
            takes: Takes::Whole(0, 50),
            doc: "how often messages are passed on and learnt again; 0 passes none",
            default: Some("4"),
        },
        flag(
            "bias",
            "whether each regime has a median and a scale of its own",
            "true",
        ),
        flag(
            "covariance",
            "whether the filter keeps covariances between variables",
            "true",
        ),
        flag(
            "invariance",
            "whether a message that differs between regimes counts less",
            "false",
        ),
        flag("feedback", "whether edges may close cycles", "false"),
        flag(
            "gap-evidence",
            "whether that a value is hidden says something about it, and so about edges",
            "false",
        ),
    ],
    source: include_str!("rc_gnn.rs"),
    build: Build::Subject(|params| {
        let model = RcGnn {
            noise: params.choice("noise"),
            bias: params.flag("bias"),
            shape: params.choice("messages"),
            covariance: params.flag("covariance"),
            rounds: params.count("rounds"),
            invariance: params.flag("invariance"),
            feedback: params.flag("feedback"),
            gaps: params.flag("gap-evidence"),
            false_share: params.number("false-share"),
        };
        Ok(SubjectPart::Live(Box::new(StructureLearner::resumable(
            move |windows, seed, keeper| Ok(model.fit_kept(windows, seed, keeper)?.answer),
        ))))
    }),
};
