//! What gauges of explanations that were put to the test share: one number from the row of each
//! item.

use std::sync::Arc;

use duress_core::answer::{Answers, CurveAnswers};
use duress_core::floor::Floor;
use duress_core::gauge::{CellGauge, CellRead, Detail, Mean, Meter, Scale, Undefined};

use super::explanation_scale::floors_of_test;

/// The number that a gauge makes of the row of an item.
pub(crate) type RowNumber = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A gauge that is the mean of one number from the row of each item.
pub(crate) struct CurveGauge {
    pub scale: Scale,
    pub number: Box<RowNumber>,
    /// What the points are and what stands at them, where the mean row is a curve to be shown.
    pub axes: Option<(&'static str, &'static str)>,
}

impl CellGauge for CurveGauge {
    fn scale(&self) -> Scale {
        self.scale.clone()
    }

    fn floors(&self) -> &'static [Floor] {
        floors_of_test(self.scale.reads)
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let curves = curves(read.answers)?;
        let rows = curves.rows().iter();
        let numbers = rows.map(|row| row.as_ref().ok().map(|row| (self.number)(row)));
        let numbers: Vec<Option<f64>> = numbers.collect();
        match numbers.iter().all(Option::is_none) {
            true => Err(Undefined::new("no item was explained")),
            false => Ok(Arc::new(Mean::over(numbers))),
        }
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let (x, y) = self.axes?;
        let curves = curves(read.answers).ok()?;
        let rows: Vec<&Vec<f64>> = curves.rows().iter().flatten().collect();
        let last = curves.points().len().checked_sub(1)?.max(1);
        let mean = |at: usize| {
            let sum: f64 = rows.iter().map(|row| row[at]).sum();
            (at as f64 / last as f64, sum / rows.len() as f64)
        };
        (!rows.is_empty()).then(|| Detail::Curve {
            x: x.into(),
            y: y.into(),
            points: (0..=last).map(mean).collect(),
        })
    }
}

/// The rows that were answered.
pub(crate) fn curves(answers: &Answers) -> Result<&CurveAnswers, Undefined> {
    match answers {
        Answers::Curves(curves) => Ok(curves),
        other => Err(Undefined::new(format!(
            "needs numbers about explanations, was given answers to `{}`",
            other.question()
        ))),
    }
}
