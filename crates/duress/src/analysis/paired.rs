//! A run opened for comparison with another: its meters, seeds and items.

use std::sync::Arc;

use duress_core::gauge::{Direction, Ends, Meter, Scale, Scope, Unit};

use super::answers::Answered;
use super::series::{self, PlannedReading};
use crate::axis::{Axis, Position, ReplicateAt};
use crate::ledger::{Ledger, Unreadable};
use crate::plan::{Cell, Id, Plan};
use duress_findings::{AbsenceReason, Place};

pub(crate) use super::clusters::Clusters;
pub(crate) use super::sample::{Sampling, TwoSides};
pub(crate) use super::series::Series;

/// The answers of a run.
pub(crate) struct Run<'a> {
    plan: &'a Plan,
    answered: Answered,
}

/// A gauge at a place, opened.
pub(crate) struct Opened<'a> {
    plan: &'a Plan,
    wanted: PlannedReading,
    series: Series,
}

impl<'a> Run<'a> {
    /// Reads the ledger of a plan.
    pub(crate) fn read(plan: &'a Plan, ledger: &Ledger) -> Result<Run<'a>, Unreadable> {
        Ok(Run {
            plan,
            answered: Answered::read(plan, ledger)?,
        })
    }

    /// How many files the answers come from that have no checksum.
    pub(crate) fn unchecked_files(&self) -> usize {
        self.answered.unchecked()
    }

    /// Every gauge at every place, opened.
    pub(crate) fn opened(&self) -> Vec<Opened<'a>> {
        let wanted = series::wanted(self.plan).into_iter();
        wanted
            .map(|wanted| Opened {
                plan: self.plan,
                series: wanted.open(self.plan, &self.answered),
                wanted,
            })
            .collect()
    }

    /// The seeds, in order.
    pub(crate) fn seeds(&self) -> &Axis<ReplicateAt, u64> {
        &self.plan.study.seeds
    }

    /// The ids of the items without an answer in any cell that an opened gauge reads for one seed.
    pub(crate) fn unanswered(
        &self,
        opened: &Opened<'_>,
        replicate: ReplicateAt,
    ) -> Result<Vec<&str>, AbsenceReason> {
        let ids = self.ids(opened, replicate)?;
        let absent = opened.wanted.unread(self.plan, &self.answered, replicate);
        Ok(absent
            .into_iter()
            .filter_map(|i| ids.get(i))
            .map(String::as_str)
            .collect())
    }

    /// The ids of the items an opened gauge reads for one seed.
    pub(crate) fn ids(
        &self,
        opened: &Opened<'_>,
        replicate: ReplicateAt,
    ) -> Result<&[String], AbsenceReason> {
        let cell: Cell = opened.wanted.cell(replicate, None);
        self.answered
            .dataset(self.plan, cell)
            .map(|kept| kept.ids.as_slice())
            .ok_or(AbsenceReason::ItemsNotKept)
    }
}

impl Opened<'_> {
    /// Where.
    pub(crate) fn place(&self) -> &Place {
        &self.wanted.place
    }

    /// The gauge.
    pub(crate) fn gauge(&self) -> &str {
        &self.plan.study.gauges[self.wanted.gauge].name
    }

    /// What makes it the same thing in another run.
    pub(crate) fn name(&self) -> (&Place, &str) {
        (self.place(), self.gauge())
    }

    /// What it is like.
    pub(crate) fn scale(&self) -> &Scale {
        &self.plan.gauges[self.wanted.gauge].scale
    }

    /// What it reads: a cell, a pair, a ladder or all of a subject.
    pub(crate) fn scope(&self) -> Scope {
        self.plan.gauges[self.wanted.gauge].gauge.scope()
    }

    /// Whether it reads what a rater said of the subject's answers, and not the subject's own.
    pub(crate) fn is_of_rater(&self) -> bool {
        self.wanted.cell(ReplicateAt::FIRST, None).rater.is_some()
    }

    /// The fingerprints of what it was tested on, seed by seed.
    pub(crate) fn fingerprints(&self) -> Vec<Id> {
        let test = self.wanted.cell(ReplicateAt::FIRST, None).test;
        let replicates = self.plan.study.seeds.positions();
        let fingerprint = |at| self.plan.dataset(test, at).fingerprint;
        replicates.map(fingerprint).collect()
    }

    /// Which way is better.
    pub(crate) fn direction(&self) -> Direction {
        self.scale().direction
    }

    /// The smallest and the largest value it can have.
    pub(crate) fn ends(&self) -> Ends {
        self.series.ends
    }

    /// What can be resampled.
    pub(crate) fn unit(&self) -> Unit {
        self.series.unit
    }

    /// Whether every seed saw the same items.
    pub(crate) fn crossed(&self) -> bool {
        self.series.crossed
    }

    /// Which items belong together, where some do.
    pub(crate) fn clusters(&self) -> Option<&Arc<Clusters>> {
        self.series.clusters.as_ref()
    }

    /// The meter of one seed.
    pub(crate) fn meter(&self, replicate: ReplicateAt) -> Result<Arc<dyn Meter>, AbsenceReason> {
        self.series.meters[replicate.number()].clone()
    }
}
