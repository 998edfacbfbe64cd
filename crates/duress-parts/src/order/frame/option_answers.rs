//! What was said of the options of questions at every order of a ladder, and where each option
//! stood; read by the gauges of option order.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Detail, Direction, LadderGauge, Meter, Rung, RungAnswersGauge, RungRead, SHARE, Scale,
    Undefined, same_classes,
};
use duress_core::part::{Field, Takes};
use duress_text::arrangement::Permutation;

/// The key that names the gauge whose answers are read.
pub(crate) const OF: Field = Field {
    name: "of",
    takes: Takes::Text,
    doc: "a gauge of classes: its answers are read",
    default: Some("accuracy"),
};

/// What was said at every order; the first is the original.
pub(crate) struct OptionAnswers {
    /// The true option of every item.
    pub(crate) truth: Vec<usize>,
    /// How many options there are.
    pub(crate) options: usize,
    pub(crate) orders: Vec<OrderAnswers>,
}

/// What was said at one order.
pub(crate) struct OrderAnswers {
    pub(crate) name: String,
    /// Where each option stood; none where that differs from item to item.
    pub(crate) stood: Option<Vec<usize>>,
    /// The option that was said of each item.
    pub(crate) said: Vec<Option<usize>>,
}

impl OptionAnswers {
    fn of(rungs: &[RungRead<'_>]) -> Result<OptionAnswers, Undefined> {
        let Some(first) = rungs.first() else {
            return Err(Undefined::new("a ladder without rungs"));
        };
        let (labels, _) = same_classes(first.cell)?;
        let options = labels.classes().len();
        let truth: Vec<usize> = labels.of().iter().map(|label| *label as usize).collect();
        let order = |rung: &RungRead<'_>| {
            let (_, said) = same_classes(rung.cell)?;
            if said.len() != truth.len() {
                return Err(Undefined::new("the rungs are about different items"));
            }
            let said = (0..said.len()).map(|i| said.label(i).map(|label| label as usize));
            Ok(OrderAnswers {
                name: order_name(rung),
                stood: stood(rung, options),
                said: said.collect(),
            })
        };
        let orders = rungs.iter().map(order).collect::<Result<Vec<_>, _>>()?;
        match orders.len() {
            1 => Err(Undefined::new("the ladder has no rung but the clean one")),
            _ => Ok(OptionAnswers {
                options,
                orders,
                truth,
            }),
        }
    }

    /// The orders with where each option stood; sampled ones do not tell.
    pub(crate) fn placed(&self) -> Result<Vec<(&OrderAnswers, &[usize])>, Undefined> {
        let placed = |order| -> Option<(&OrderAnswers, &[usize])> {
            let order: &OrderAnswers = order;
            Some((order, order.stood.as_deref()?))
        };
        let all: Option<Vec<_>> = self.orders.iter().map(placed).collect();
        all.ok_or_else(|| {
            Undefined::new("orders that are drawn for each item do not tell where an option stood: use full or cyclic orders")
        })
    }

    /// Whether an item was answered in the original order and in another.
    pub(crate) fn takes_part(&self, item: usize) -> bool {
        let mut pressed = self.orders.iter().skip(1);
        self.orders[0].said[item].is_some() && pressed.any(|order| order.said[item].is_some())
    }
}

/// What an order is called; one without a name by how hard it presses.
fn order_name(rung: &RungRead<'_>) -> String {
    match &rung.name {
        Some(name) => name.clone(),
        None if rung.severity.is_clean() => "original".into(),
        None => rung.severity.to_string(),
    }
}

/// Where each option stands at a rung, by what the order is called.
fn stood(rung: &RungRead<'_>, options: usize) -> Option<Vec<usize>> {
    if rung.severity.is_clean() {
        return Some((0..options).collect());
    }
    let order = Permutation::named(rung.name.as_deref()?)?;
    let mut stood: Vec<usize> = (0..options).collect();
    for (place, &option) in order.order().iter().enumerate() {
        *stood.get_mut(option)? = place;
    }
    Some(stood)
}

/// What a gauge makes of such answers.
pub(crate) struct OptionReading {
    /// The definition, in words.
    pub(crate) convention: &'static str,
    pub(crate) direction: Direction,
    /// What perfection gives, where there is such a value.
    pub(crate) best: Option<f64>,
    pub(crate) open: fn(OptionAnswers) -> Result<Arc<dyn Meter>, Undefined>,
    pub(crate) detail: fn(&OptionAnswers) -> Option<Detail>,
}

/// A gauge of option order.
pub(crate) struct OptionGauge {
    pub(crate) of: String,
    pub(crate) reading: &'static OptionReading,
}

impl LadderGauge for OptionGauge {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        Scale {
            direction: self.reading.direction,
            best: self.reading.best,
            ends: SHARE,
            ..of.with_convention(self.reading.convention.into())
        }
    }

    fn open(&self, _rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        Err(Undefined::new(
            "it reads answers, not what a gauge makes of them",
        ))
    }

    fn on_answers(&self) -> Option<&dyn RungAnswersGauge> {
        Some(self)
    }
}

impl RungAnswersGauge for OptionGauge {
    fn open(&self, rungs: &[RungRead<'_>]) -> Result<Arc<dyn Meter>, Undefined> {
        (self.reading.open)(OptionAnswers::of(rungs)?)
    }

    fn detail(&self, rungs: &[RungRead<'_>]) -> Option<Detail> {
        (self.reading.detail)(&OptionAnswers::of(rungs).ok()?)
    }
}
