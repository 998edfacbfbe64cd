//! Learns a graph by VARLiNGAM: a vector autoregression, then the order within a step that the shape
//! of its residuals shows.
//!
//! # What it does
//! Every variable is given mean 0 and variance 1 within each regime and regressed on the whole of the
//! step before. DirectLiNGAM orders what that leaves: again and again the variable whose residuals
//! depend least on what the others leave of it comes next. Each variable is then regressed on the
//! step before and on those before it in the order; the score of a pair is the larger of its two
//! coefficients in standard errors, made smaller by what two looks are worth. Edges are chosen as for
//! `lagged-regression`. Made for complete data: a hidden value of the step before counts as the mean
//! of its variable when residuals are formed.
//!
//! # Why it matters
//! The rival that tells direction within a step from the shape of the noise, where independence
//! cannot: on linear data whose noise is not normal.
//!
//! # Promise
//! A variable that is never seen to vary and windows of one step are a failure with its reason, not an
//! empty graph. On normal noise the order within a step is arbitrary.
//!
//! # Example
//! ```toml
//! [subject.var-lingam]
//! use = "var-lingam"
//! on  = "sensors"
//! ```
//!
//! # Reference
//! Hyvärinen, Zhang, Shimizu and Hoyer, *JMLR* 11 (2010) 1709–1731; Shimizu et al., *JMLR* 12 (2011)
//! 1225–1248.

use duress_core::part::{Build, Part};
use duress_graph::learners::var_lingam;

use crate::causal::frame::edge_selection::{
    ACYCLIC, FALSE_SHARE, NULL, SCALE, STABLE, by_errors, scoring,
};

/// The part.
pub static PART: Part = Part {
    name: "var-lingam",
    version: 1,
    fields: &[NULL, FALSE_SHARE, ACYCLIC, STABLE, SCALE],
    source: include_str!("var_lingam.rs"),
    build: Build::Subject(|params| {
        let what = "VARLiNGAM";
        Ok(scoring(params, by_errors(params), what, var_lingam::score))
    }),
};
