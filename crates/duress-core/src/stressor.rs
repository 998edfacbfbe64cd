//! Stressors: what makes life harder, and the promises they are held to.

use crate::data::{InputKind, Inputs, Items, Split};
use crate::seed::Seed;
use crate::severity::Severity;
use crate::subject::{Differentiable, Failure, FailureKind, Loss};
use crate::truth::{Labels, Truth};
use serde::{Deserialize, Serialize};

/// What a stressor is like, so that a plan can tell what fits together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// The inputs it can press.
    pub accepts: InputKind,
    /// What its severity counts, in words.
    pub unit: &'static str,
    /// The largest severity that makes sense.
    pub most: f64,
    /// Whether it looks at the truth; shown in the report.
    pub sees_truth: bool,
    /// What it will not do.
    pub promise: Promise,
}

/// For what it holds that distortion does not fall as severity rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotone {
    /// For every item by itself.
    EachItem,
    /// For the mean over items only: a change of contrast, a compression or a zoom may bring an
    /// item nearer to what it was at a harder rung.
    InTheMean,
}

/// A stressor part.
pub enum Stressor {
    /// Sees the item.
    Blind(Box<dyn Blind>),
    /// Asks the subject.
    Aware(Box<dyn Aware>),
    /// Was applied before the answers were recorded.
    Elsewhere {
        /// What its severity counts, in words.
        unit: String,
        /// The names of the ways to press, by severity, where there are several.
        variants: Vec<(Severity, Vec<String>)>,
        /// Whether a text takes part in the way of this name; all do where there is none.
        counts: Option<fn(text: &str, variant: &str) -> bool>,
    },
}

impl Stressor {
    /// What it is like; `None` for what happened elsewhere.
    pub fn pressure(&self) -> Option<Pressure> {
        match self {
            Stressor::Blind(blind) => Some(blind.pressure()),
            Stressor::Aware(aware) => Some(aware.pressure()),
            Stressor::Elsewhere { .. } => None,
        }
    }

    /// In how many ways it can press this hard.
    pub fn variants(&self, severity: &Severity) -> usize {
        match self {
            Stressor::Blind(blind) => blind.variants(severity),
            Stressor::Aware(_) => 1,
            Stressor::Elsewhere { .. } => self.named(severity).map_or(1, <[String]>::len),
        }
    }

    /// Whether an item takes part at this severity and variant; one that does not has no answer.
    pub fn takes_part(
        &self,
        items: &Items,
        item: usize,
        severity: &Severity,
        variant: usize,
    ) -> bool {
        match self {
            Stressor::Blind(blind) => blind.takes_part(items, item, severity, variant),
            Stressor::Aware(_) => true,
            Stressor::Elsewhere { counts, .. } => {
                let name = self.named(severity).and_then(|names| names.get(variant));
                match (counts, items.inputs(), name) {
                    (Some(counts), Inputs::Texts(texts), Some(name)) => {
                        counts(&texts[item].text, name)
                    }
                    _ => true,
                }
            }
        }
    }

    /// What one of several ways to press this hard is called, where they have names.
    pub fn variant_name(&self, severity: &Severity, variant: usize) -> Option<String> {
        match self {
            Stressor::Blind(blind) => blind.variant_name(severity, variant),
            Stressor::Aware(_) => None,
            Stressor::Elsewhere { .. } => self.named(severity)?.get(variant).cloned(),
        }
    }

    /// What the ways to press this hard are called, for what was applied elsewhere and can only be
    /// looked up by name.
    fn named(&self, severity: &Severity) -> Option<&[String]> {
        match self {
            Stressor::Elsewhere { variants, .. } => variants
                .iter()
                .find(|(at, _)| at == severity)
                .map(|(_, names)| names.as_slice()),
            Stressor::Blind(_) | Stressor::Aware(_) => None,
        }
    }
}

/// A corruption: it sees the item, not the subject.
pub trait Blind: Send + Sync {
    /// What it is like.
    fn pressure(&self) -> Pressure;

    /// In how many ways it can press this hard.
    fn variants(&self, _severity: &Severity) -> usize {
        1
    }

    /// What one of these ways is called, where there are several and they have names.
    fn variant_name(&self, _severity: &Severity, _variant: usize) -> Option<String> {
        None
    }

    /// Whether what happens to an item depends on the other items too, as for a threshold that is a
    /// quantile of them all.
    fn depends_on_other_items(&self) -> bool {
        false
    }

    /// For what it holds that it distorts no less as the severity rises.
    fn monotone(&self) -> Monotone {
        Monotone::EachItem
    }

    /// Whether an item takes part at this severity and variant; one that does not is not asked
    /// about, and has no answer.
    fn takes_part(
        &self,
        _items: &Items,
        _item: usize,
        _severity: &Severity,
        _variant: usize,
    ) -> bool {
        true
    }

    /// The items under stress. `seed` does not depend on the severity, so rungs of a ladder share
    /// their draws and nest; the draws of an item come from [`Items::seed`].
    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure>;
}

/// What a blind stressor is handed.
#[derive(Clone, Copy)]
pub struct Pressed<'a> {
    /// The items before stress.
    pub items: &'a Items,
    /// The truth, for a stressor that declared it.
    pub truth: Option<&'a Truth>,
    /// Which of the variants.
    pub variant: usize,
}

/// An attack: it asks the subject, through a loss that has the label inside.
pub trait Aware: Send + Sync {
    /// What it is like.
    fn pressure(&self) -> Pressure;

    /// The items at each severity, in the order given (rising). Draws of an item come from
    /// [`Items::seed`].
    fn climb(
        &self,
        items: &Items,
        target: &Target<'_>,
        severities: &[Severity],
        seed: Seed,
    ) -> Result<Climb, Failure>;
}

/// What came of an attack up a ladder.
#[derive(Clone, Debug)]
pub struct Climb {
    /// The items at each severity.
    pub rungs: Vec<Items>,
    /// What it had cost when each severity was done, from the beginning on.
    pub spent: Vec<Spent>,
    /// What a reader should know before trusting these numbers.
    pub doubts: Vec<String>,
}

/// How often a subject was asked about each item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// For its loss, with or without a gradient.
    pub queries: Vec<u32>,
    /// For a gradient as well.
    pub gradients: Vec<u32>,
}

/// What a press came to, beside what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Realised {
    /// The share hidden of the values that could be seen.
    pub hidden: f64,
    /// The share changed of the values that can still be seen.
    pub changed: f64,
    /// By how much those that can still be seen changed: the root of the mean square, in the data's
    /// own units.
    pub moved: f64,
}

/// What was done to windows between `before` and `after`; `None` for other inputs, and where
/// nothing could be seen.
pub fn realised(before: &Items, after: &Items) -> Option<Realised> {
    let (Inputs::Windows(a), Inputs::Windows(b)) = (before.inputs(), after.inputs()) else {
        return None;
    };
    let (mut seen, mut left, mut changed, mut squares) = (0.0, 0.0, 0.0, 0.0);
    for (window, (step, variable)) in (0..a.len()).flat_map(|w| places(a).map(move |at| (w, at))) {
        let Some(was) = a.get(window, step, variable) else {
            continue;
        };
        seen += 1.0;
        if let Some(is) = b.get(window, step, variable) {
            left += 1.0;
            changed += f64::from(u8::from(is != was));
            squares += (is - was) * (is - was);
        }
    }
    let share = |part: f64| if left > 0.0 { part / left } else { 0.0 };
    (seen > 0.0).then(|| Realised {
        hidden: 1.0 - left / seen,
        changed: share(changed),
        moved: libm::sqrt(share(squares)),
    })
}

/// The loss an attack climbs. The label is inside and cannot be got out.
pub struct Target<'a> {
    subject: &'a dyn Differentiable,
    labels: &'a Labels,
}

impl Target<'_> {
    /// The loss at `images` of the items at positions `which`, and its gradient where one is asked
    /// for.
    pub fn loss(
        &self,
        which: &[usize],
        images: &[f32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let labels: Vec<u32> = which.iter().map(|&i| self.labels.of()[i]).collect();
        self.subject.loss(images, &labels, gradient)
    }
}

/// Runs an attack up a ladder against a subject, on the split it is tested on.
pub fn climb(
    attack: &dyn Aware,
    subject: &dyn Differentiable,
    split: &Split,
    severities: &[Severity],
    seed: Seed,
) -> Result<Climb, Failure> {
    let Truth::Labels(labels) = split.truth().open() else {
        return Err(Failure::unable(format!(
            "an attack needs labels, not {}",
            split.truth().open().kind()
        )));
    };
    if labels.classes() != subject.classes() {
        return Err(Failure::unable(format!(
            "the subject's classes are {:?}, the dataset's are {:?}",
            subject.classes(),
            labels.classes()
        )));
    }
    let climb = attack.climb(split.items(), &Target { subject, labels }, severities, seed)?;
    let promise = attack.pressure().promise;
    for (rung, severity) in climb.rungs.iter().zip(severities) {
        promise.check(split.items(), rung, severity)?;
    }
    Ok(climb)
}

/// Presses a split with a blind stressor, and checks its promise. Severity 0 does not even call it.
pub fn press(
    stressor: &dyn Blind,
    split: &Split,
    severity: &Severity,
    variant: usize,
    seed: Seed,
) -> Result<Split, Failure> {
    if severity.is_clean() {
        return Ok(split.clone());
    }
    let pressure = stressor.pressure();
    let truth = pressure.sees_truth.then(|| split.truth().open());
    let pressed = stressor.press(
        Pressed {
            items: split.items(),
            truth,
            variant,
        },
        severity,
        seed,
    )?;
    pressure.promise.check(split.items(), &pressed, severity)?;
    Ok(split.with_items(pressed))
}

/// What a stressor will not do. It is checked by the caller: the stressor is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// No pixel moves by more than the severity, and none leaves [0, 1].
    Linf,
    /// No image moves by more than the severity in the Euclidean norm, and no pixel leaves [0, 1].
    L2,
    /// Nothing leaves [0, 1].
    InTheBox,
    /// Values are hidden, none is changed, and the share of what could be seen that is hidden is
    /// the severity.
    OnlyHides,
    /// Anything may happen, as long as the shape stays.
    KeepsShape,
}

/// What rounding to single precision may add to a budget.
const BUDGET_TOLERANCE: f64 = 1e-6;

impl Promise {
    /// Whether the promise was kept between `before` and `after`.
    pub fn check(self, before: &Items, after: &Items, severity: &Severity) -> Result<(), Failure> {
        let broken = |why: String| Err(Failure::new(FailureKind::OverBudget, why));
        if before.ids() != after.ids() || !same_shape(before.inputs(), after.inputs()) {
            return broken("the stressor returned other items, or items of another shape".into());
        }
        let allowed = severity.value() + BUDGET_TOLERANCE;
        for i in 0..before.len() {
            let used = match (self, before.inputs(), after.inputs()) {
                (Promise::Linf, Inputs::Images(a), Inputs::Images(b)) => {
                    linf(a.image(i), b.image(i))
                }
                (Promise::L2, Inputs::Images(a), Inputs::Images(b)) => l2(a.image(i), b.image(i)),
                (Promise::OnlyHides, Inputs::Windows(a), Inputs::Windows(b)) => {
                    if changes_what_it_shows(a, b, i) {
                        return broken(format!(
                            "item `{}`: a value was changed, not hidden",
                            &before.ids()[i]
                        ));
                    }
                    continue;
                }
                _ => continue,
            };
            if used.is_nan() || used > allowed {
                return broken(format!(
                    "item `{}` moved by {used}, allowed is {severity}",
                    &before.ids()[i]
                ));
            }
        }
        if let (Promise::OnlyHides, Inputs::Windows(a), Inputs::Windows(b)) =
            (self, before.inputs(), after.inputs())
        {
            hides_its_share(a, b, severity.value())?;
        }
        in_the_box(after)
    }
}

/// Whether the share hidden of what could be seen is the share asked for, up to five standard
/// errors and one value per variable, which a quantile may be off by.
fn hides_its_share(
    a: &crate::data::Windows,
    b: &crate::data::Windows,
    share: f64,
) -> Result<(), Failure> {
    let seen = |windows: &crate::data::Windows| {
        let at = |w: usize| {
            places(windows)
                .filter(|&(t, v)| windows.get(w, t, v).is_some())
                .count()
        };
        (0..windows.len()).map(at).sum::<usize>() as f64
    };
    let (before, after) = (seen(a), seen(b));
    if before == 0.0 {
        return Ok(());
    }
    let realised = 1.0 - after / before;
    let share = share.min(1.0);
    let off = 5.0 * libm::sqrt(share * (1.0 - share) / before)
        + a.variables().len() as f64 / before
        + 1e-9;
    if (realised - share).abs() <= off {
        return Ok(());
    }
    let why = format!(
        "{realised:.4} of the values that could be seen were hidden, {share} was asked for"
    );
    Err(Failure::new(FailureKind::OverBudget, why))
}

fn same_shape(a: &Inputs, b: &Inputs) -> bool {
    match (a, b) {
        (Inputs::Images(a), Inputs::Images(b)) => a.shape() == b.shape(),
        (Inputs::Windows(a), Inputs::Windows(b)) => {
            a.steps() == b.steps() && a.variables() == b.variables()
        }
        _ => a.kind() == b.kind(),
    }
}

fn in_the_box(items: &Items) -> Result<(), Failure> {
    let Inputs::Images(images) = items.inputs() else {
        return Ok(());
    };
    match images
        .pixels()
        .iter()
        .position(|p| !(0.0..=1.0).contains(p))
    {
        Some(at) => {
            let (id, pixel) = (&items.ids()[at / images.size()], images.pixels()[at]);
            Err(Failure::new(
                FailureKind::OverBudget,
                format!("item `{id}` has a pixel of {pixel}, outside [0, 1]"),
            ))
        }
        None => Ok(()),
    }
}

fn linf(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs())
        .fold(0.0, f64::max)
}

fn l2(a: &[f32], b: &[f32]) -> f64 {
    libm::sqrt(
        a.iter()
            .zip(b)
            .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
            .sum(),
    )
}

fn changes_what_it_shows(
    a: &crate::data::Windows,
    b: &crate::data::Windows,
    window: usize,
) -> bool {
    places(a).any(|(step, variable)| {
        let now = b.get(window, step, variable);
        now.is_some() && now != a.get(window, step, variable)
    })
}

fn places(windows: &crate::data::Windows) -> impl Iterator<Item = (usize, usize)> {
    let (steps, variables) = (windows.steps(), windows.variables().len());
    (0..steps).flat_map(move |step| (0..variables).map(move |variable| (step, variable)))
}

/// How far each item has moved: the Euclidean distance of images; for windows, that of what both
/// show, plus one for each value hidden; for texts, whether they differ.
pub fn distortion(before: &Items, after: &Items) -> Vec<f64> {
    let of = |i: usize| match (before.inputs(), after.inputs()) {
        (Inputs::Images(a), Inputs::Images(b)) => l2(a.image(i), b.image(i)),
        (Inputs::Windows(a), Inputs::Windows(b)) => {
            let moved = places(a).map(|(t, v)| match (a.get(i, t, v), b.get(i, t, v)) {
                (Some(x), Some(y)) => (x - y).powi(2),
                (Some(_), None) => 1.0,
                _ => 0.0,
            });
            moved.sum()
        }
        (Inputs::Texts(a), Inputs::Texts(b)) => f64::from(u8::from(a[i] != b[i])),
        _ => 0.0,
    };
    (0..before.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Images, Windows};

    fn image(pixel: f32) -> Items {
        let images = Images::new([1, 1, 2], vec![pixel, 0.5]).unwrap();
        Items::new(vec!["x".into()], Inputs::Images(images)).unwrap()
    }

    #[test]
    fn a_broken_budget_is_found_whoever_broke_it() {
        let eps = Severity::parse("8/255").unwrap();
        let check = |promise: Promise, pixel: f32, kept: bool| {
            assert_eq!(
                promise.check(&image(0.5), &image(pixel), &eps).is_ok(),
                kept,
                "{promise:?} {pixel}"
            );
        };
        check(Promise::Linf, 0.5 + 8.0 / 255.0, true);
        check(Promise::Linf, 0.5 + 9.0 / 255.0, false);
        check(Promise::L2, 0.5 - 8.0 / 255.0, true);
        check(Promise::L2, 0.5 - 8.1 / 255.0, false);
        check(Promise::InTheBox, 1.0, true);
    }

    #[test]
    fn a_stressor_that_may_only_hide_may_not_change() {
        let make = |value| {
            let windows = Windows::new(vec!["a".into()], 1, vec![0], vec![value]).unwrap();
            Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap()
        };
        let rate = Severity::new(0.5).unwrap();
        assert!(
            Promise::OnlyHides
                .check(&make(1.0), &make(2.0), &rate)
                .is_err()
        );
        let mut hidden = make(1.0).windows().unwrap().clone();
        hidden.hide(0, 0, 0);
        let hidden = make(1.0).with(Inputs::Windows(hidden));
        assert!(Promise::OnlyHides.check(&make(1.0), &hidden, &rate).is_ok());
    }

    #[test]
    fn what_a_press_came_to_counts_what_could_be_seen() {
        let mut before = Windows::new(vec!["a".into()], 5, vec![0], vec![1.0; 5]).unwrap();
        before.hide(0, 0, 0);
        let mut after = before.clone();
        after.hide(0, 1, 0);
        after.set(0, 2, 0, 4.0);
        let items =
            |windows: Windows| Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap();
        let found = realised(&items(before), &items(after)).unwrap();
        assert_eq!((found.hidden, found.changed), (0.25, 1.0 / 3.0));
        assert!((found.moved - libm::sqrt(3.0)).abs() < 1e-12, "{found:?}");
        assert_eq!(realised(&image(0.1), &image(0.2)), None);
    }

    #[test]
    fn a_stressor_that_hides_another_share_than_asked_is_found_out() {
        let windows = Windows::new(vec!["a".into()], 1000, vec![0], vec![1.0; 1000]).unwrap();
        let mut half = windows.clone();
        (0..500).for_each(|step| half.hide(0, step, 0));
        let items =
            |windows: Windows| Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap();
        let check = |share: f64| {
            let asked = Severity::new(share).unwrap();
            Promise::OnlyHides.check(&items(windows.clone()), &items(half.clone()), &asked)
        };
        assert!(check(0.5).is_ok() && check(0.45).is_ok());
        assert!(check(0.2).unwrap_err().why.contains("0.5000 of the values"));
    }
}
