//! A site: a place where an error can be made, and what can be made of it.

use std::collections::BTreeSet;
use std::ops::Range;

use duress_core::seed::Seed;

/// A place where an error can be made.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// What is replaced; empty where something is put in.
    pub(crate) span: Range<usize>,
    /// Sites of an earlier round are used before those of a later one.
    pub(crate) round: usize,
    pub(crate) what: What,
}

/// What goes wrong there.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// One of these, by kind of mistake, so that each kind is equally likely.
    OneOf(Vec<Vec<String>>),
    /// One of many, which are made for those sites only that are used: from what stands there, and
    /// the words that it must not become.
    Made(fn(&str, &BTreeSet<String>) -> Vec<Vec<String>>),
    /// A remark: the next that the text has not got yet.
    Remark,
}

impl Site {
    /// A site of the first round whose span becomes one of these; none where there are none.
    pub(crate) fn of_mistakes(span: Range<usize>, mut mistakes: Vec<Vec<String>>) -> Option<Site> {
        mistakes.retain(|kind| !kind.is_empty());
        (!mistakes.is_empty()).then_some(Site {
            span,
            round: 0,
            what: What::OneOf(mistakes),
        })
    }
}

/// The sites that overlap none before them; of two that start together the longer counts.
pub(crate) fn without_overlap(mut sites: Vec<Site>) -> Vec<Site> {
    sites.sort_by_key(|site| (site.span.start, usize::MAX - site.span.end));
    let mut kept: Vec<Site> = Vec::new();
    for site in sites {
        if kept
            .last()
            .is_none_or(|last| last.span.end <= site.span.start)
        {
            kept.push(site);
        }
    }
    kept
}

/// One of some mistakes: it depends on the site alone, never on how many errors there are.
pub(crate) fn choose_mistake(mistakes: &[Vec<String>], seed: Seed) -> String {
    let mut draws = seed.draws();
    let kind = &mistakes[draws.below(mistakes.len())];
    kind[draws.below(kind.len())].clone()
}
