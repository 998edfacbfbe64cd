//! A trial of a gauge on made-up answers: whether it is a mean over items, which tests over items
//! need, known before anyone is asked.

use std::sync::Arc;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::gauge::{Columns, Gauge, Mean, Meter, Rung, open_cell};
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::truth::{Labels, Sealed, Truth};

use super::{Plan, PlannedGauge};
use crate::study::{ClaimTest, StatementDecl};

/// Claims that a run would leave undecided since their test counts items and their gauge is no mean
/// over items.
pub(super) fn untestable(plan: &Plan) -> Vec<String> {
    let needs_mean = |one: &StatementDecl| {
        let other = matches!(
            one.test,
            ClaimTest::Design | ClaimTest::Bootstrap | ClaimTest::Delong
        );
        let gauge = plan.study.gauges.position(|gauge| gauge.name == one.gauge);
        one.by_items
            && !other
            && gauge.and_then(|at| is_mean_over_items(&plan.gauges[at])) == Some(false)
    };
    let said = plan.study.claims.iter().flat_map(|claim| {
        let untestable = claim.statements.iter().filter(|one| needs_mean(one));
        untestable.map(|one| {
            format!(
                "{}: it will stay undecided: `{}` is no mean over items, which this test counts; `test = \"design\"` or `unit = \"seeds\"` would judge it",
                claim.quoted(one), one.gauge
            )
        })
    });
    said.collect()
}

/// Whether a gauge is a mean over items; `None` where made-up answers do not tell.
fn is_mean_over_items(planned: &PlannedGauge) -> Option<bool> {
    let meter: Arc<dyn Meter> = match &*planned.gauge {
        Gauge::Cell(gauge) if planned.scale.reads == Question::Classes => {
            let (truth, answers) = made_up();
            open_cell(gauge.as_ref(), &truth, &answers).ok()?
        }
        Gauge::Ladder(gauge) => gauge.open(&rungs()?, &Columns::new()).ok()?,
        Gauge::Cell(_) | Gauge::Pair(_) | Gauge::Subject(_) => return None,
    };
    Some(meter.per_item().is_some())
}

/// Six items of two classes, some of them right.
fn made_up() -> (Sealed<Truth>, Answers) {
    let classes = || vec!["0".to_string(), "1".to_string()];
    let second = [0.2, 0.9, 0.4, 0.7, 0.6, 0.1];
    let rows = second.iter().flat_map(|p| [1.0 - p, *p]).collect();
    let labels = Labels::new(classes(), vec![0, 1, 1, 1, 0, 0])
        .unwrap_or_else(|why| unreachable!("classes that were made up: {why}"));
    (
        Sealed::new(Truth::Labels(labels)),
        Answers::Classes(ClassAnswers::new(classes(), Said::Probabilities(rows))),
    )
}

/// Four items without stress and at three severities, worse with each.
fn rungs() -> Option<Vec<Rung>> {
    let rung = |level: usize| {
        let score = |item: usize| Some(0.9 - 0.1 * level as f64 - 0.05 * (item % 3) as f64);
        let severity = match level {
            0 => Severity::clean(),
            level => Severity::new(level as f64).ok()?,
        };
        Some(Rung {
            severity,
            variant: 0,
            name: None,
            meter: Arc::new(Mean::over((0..4).map(score).collect())),
        })
    };
    (0..4).map(rung).collect()
}
