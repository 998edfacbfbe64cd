//! What a stressor will not do, and whether it kept to that.

use super::distance::{l1, l2, linf, places};
use crate::data::{Inputs, Items, Windows};
use crate::severity::Severity;
use crate::subject::{Failure, FailureKind};

/// What a stressor will not do. It is checked by the caller: the stressor is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// No pixel moves by more than the severity, and none leaves [0, 1].
    Linf,
    /// No image moves by more than the severity in the Euclidean norm, and no pixel leaves [0, 1].
    L2,
    /// The changes of an image's pixels sum to no more than the severity, and none leaves [0, 1].
    L1,
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

impl std::fmt::Display for Promise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Promise::Linf => "bounded in L∞",
            Promise::L2 => "bounded in L2",
            Promise::L1 => "bounded in L1",
            Promise::InTheBox | Promise::OnlyHides | Promise::KeepsShape => "bounded in no norm",
        })
    }
}

impl Promise {
    /// Whether the promise was kept between `before` and `after`.
    pub fn check(self, before: &Items, after: &Items, severity: &Severity) -> Result<(), Failure> {
        let broken = |why: String| Err(Failure::new(FailureKind::OverBudget, why));
        if before.ids() != after.ids() || !same_shape(before.inputs(), after.inputs()) {
            return broken("the stressor returned other items, or items of another shape".into());
        }
        // A sum of many changes rounds as often.
        let allowed = match self {
            Promise::L1 => severity.value() * (1.0 + BUDGET_TOLERANCE) + BUDGET_TOLERANCE,
            _ => severity.value() + BUDGET_TOLERANCE,
        };
        for i in 0..before.len() {
            let used = match (self, before.inputs(), after.inputs()) {
                (Promise::Linf, Inputs::Images(a), Inputs::Images(b)) => {
                    linf(a.image(i), b.image(i))
                }
                (Promise::L2, Inputs::Images(a), Inputs::Images(b)) => l2(a.image(i), b.image(i)),
                (Promise::L1, Inputs::Images(a), Inputs::Images(b)) => l1(a.image(i), b.image(i)),
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
fn hides_its_share(a: &Windows, b: &Windows, share: f64) -> Result<(), Failure> {
    let seen = |windows: &Windows| {
        let at = |w: usize| {
            places(windows)
                .filter(|&(t, v)| windows.get(w, t, v).is_some())
                .count()
        };
        (0..windows.len()).map(at).sum::<usize>() as f64
    };
    let before = seen(a);
    let after = seen(b);
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
            let id = &items.ids()[at / images.size()];
            let pixel = images.pixels()[at];
            Err(Failure::new(
                FailureKind::OverBudget,
                format!("item `{id}` has a pixel of {pixel}, outside [0, 1]"),
            ))
        }
        None => Ok(()),
    }
}

fn changes_what_it_shows(a: &Windows, b: &Windows, window: usize) -> bool {
    places(a).any(|(step, variable)| {
        let now = b.get(window, step, variable);
        now.is_some() && now != a.get(window, step, variable)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Images;

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
