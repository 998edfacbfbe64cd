//! Attacks: climbing a loss within a budget, up a ladder of budgets in one pass.
//!
//! Work is done only where it can change the answer. An item that is wrong when clean keeps its
//! clean image; an item that is broken keeps the image that broke it on every higher rung, where it
//! is still within the budget. So accuracy never rises with the budget, and a subject is asked
//! about fewer items the higher the rung. What that would hide, an attack that gets weaker as its
//! budget grows, is looked for in a fixed share of the settled items.
//!
//! The image that hurt a standing item most on the rung below shows where to look first on the
//! next: stretched to the new budget it costs one question, and where it breaks the item, all steps
//! are saved. Where it does not, the whole ascent follows, from its own start.
//!
//! Items sit side by side in a batch, each at its own step. Whoever breaks, or has taken its last
//! step, gives its seat to the next, so a subject is asked about full batches until there are no
//! more items. Pixels are moved in place, where the subject reads them.

mod aims;
mod apgd;
mod ascent;
mod bumps;
mod doubts;
mod fab;
mod fmn;
mod ladder;
mod nearest;
mod oracle;
mod rays;
mod seats;
mod square;
mod suite;
mod transfer;

use duress_core::data::{InputKind, Items};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{AttackDoubt, Aware, Climb, GoesBy, Needs, Pressure, Promise, Target};
use duress_core::subject::Failure;

pub use crate::ball::Norm;
pub use apgd::Apgd;
use apgd::ApgdMethod;
pub use ascent::Ascent;
use ascent::AscentMethod;
pub use fab::Fab;
use fab::FabMethod;
pub use fmn::Fmn;
use fmn::FmnMethod;
use ladder::{Method, climb_ladder};
pub use oracle::Ask;
use oracle::Asked;
pub use rays::Rays;
use rays::RaysMethod;
pub use square::Square;
pub use suite::Suite;
pub use transfer::Transfer;

/// What bounds an attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// In which sense the budget is meant.
    pub norm: Norm,
    /// Of how many answers of a randomised subject a loss or a gradient is the mean; three times as many
    /// further ones confirm a break.
    pub repeats: usize,
}

/// What an attack within a norm is like.
fn pressure(norm: Norm) -> Pressure {
    let (unit, most, promise) = match norm {
        Norm::Linf => ("ε in L∞, in pixel units", 1.0, Promise::Linf),
        Norm::L2 => ("ε in L2, in pixel units", f64::MAX, Promise::L2),
        Norm::L1 => ("ε in L1, in pixel units", f64::MAX, Promise::L1),
    };
    Pressure {
        accepts: InputKind::Images,
        unit,
        most,
        sees_truth: false,
        promise,
    }
}

/// What an attack is made of where a subject tells so much, and what is to be said of that.
type Lineup = (Vec<Box<dyn Method>>, Option<AttackDoubt>);

/// An attack of one method.
fn alone(method: impl Method + 'static) -> Result<Lineup, Failure> {
    Ok((vec![Box::new(method)], None))
}

/// An attack that its `limits` bound, of the methods that `$lineup` gives; what it goes by, and the
/// other subject that it climbs if it does.
macro_rules! aware {
    ($attack:ty, $needs:ident, $goes_by:ident, $lineup:expr $(, from $source:ident)?) => {
        impl Aware for $attack {
            fn pressure(&self) -> Pressure {
                pressure(self.limits.norm)
            }

            fn needs(&self) -> Needs {
                Needs::$needs
            }

            fn goes_by(&self) -> GoesBy {
                GoesBy::$goes_by
            }

            $(
                fn source(&self) -> Option<&str> {
                    Some(&self.$source)
                }
            )?

            fn climb(
                &self,
                items: &Items,
                target: &Target<'_>,
                severities: &[Severity],
                seed: Seed,
            ) -> Result<Climb, Failure> {
                let (methods, doubt) = $lineup(self, target.tells())?;
                let rungs = (items, severities, seed);
                let mut climb = climb_ladder(methods, self.limits, rungs, target)?;
                climb.doubts.extend(doubt);
                Ok(climb)
            }
        }
    };
}

aware!(Ascent, Gradients, Gradients, |how: &Ascent, _| alone(
    AscentMethod::new(*how)
));
aware!(Apgd, Gradients, Gradients, |how: &Apgd, _| alone(
    ApgdMethod::new(*how)
));
aware!(Fmn, Gradients, Gradients, |how: &Fmn, _| alone(
    FmnMethod::new(*how)
));
aware!(Fab, Gradients, Gradients, |how: &Fab, _| alone(
    FabMethod::new(*how)
));
aware!(Square, Answers, Answers, |how: &Square, _| alone(*how));
aware!(Rays, Answers, Answers, |how: &Rays, _| alone(
    RaysMethod::new(*how)
));
aware!(
    Transfer,
    Answers,
    Transfer,
    |how: &Transfer, _| alone(how.clone()),
    from from
);
// Of a subject that has no gradients it uses the answers.
aware!(Suite, Answers, Everything, Suite::lineup);

impl Ascent {
    /// Attacks `items` at each of the rising `severities`, asking `ask`.
    pub fn attack_ladder(
        &self,
        items: &Items,
        severities: &[Severity],
        seed: Seed,
        ask: &Ask<'_>,
    ) -> Result<Climb, Failure> {
        let rungs = (items, severities, seed);
        let method = Box::new(AscentMethod::new(*self));
        climb_ladder(vec![method], self.limits, rungs, &Asked(ask))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use duress_core::data::{Images, Inputs};
    use duress_core::objective::Objective;
    use duress_core::subject::{FailureKind, Loss};

    use super::*;
    use crate::ball::random_start;

    const LIMITS: Limits = Limits {
        norm: Norm::Linf,
        repeats: 8,
    };
    const PGD: Ascent = Ascent {
        limits: LIMITS,
        objective: Objective::CrossEntropy,
        targets: 0,
        steps: 4,
        step: 0.25,
        starts: 1,
        random_start: true,
    };
    const FGSM: Ascent = Ascent {
        limits: LIMITS,
        objective: Objective::CrossEntropy,
        targets: 0,
        steps: 1,
        step: 1.0,
        starts: 1,
        random_start: false,
    };

    /// `n` grey images of two pixels.
    fn items(n: usize) -> Items {
        let images = Images::new([1, 1, 2], vec![0.5; 2 * n]).unwrap();
        Items::new(
            (0..n).map(|i| i.to_string()).collect(),
            Inputs::Images(images),
        )
        .unwrap()
    }

    fn rungs(values: &[f64]) -> Vec<Severity> {
        values
            .iter()
            .map(|&value| Severity::new(value).unwrap())
            .collect()
    }

    /// A loss that is the first pixel; item i breaks once it reaches 0.5 + i/100.
    fn slope(
        which: &[usize],
        pixels: &[f32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        if let Some(gradient) = gradient {
            gradient.chunks_mut(2).for_each(|of| of[0] += 1.0);
        }
        let at = |(&i, image): (&usize, &[f32])| Loss {
            loss: f64::from(image[0]),
            right: f64::from(image[0]) <= 0.5 + i as f64 / 100.0,
        };
        Ok(which.iter().zip(pixels.chunks(2)).map(at).collect())
    }

    fn pixel(rung: &Items, i: usize) -> f32 {
        rung.images().unwrap().image(i)[0]
    }

    #[test]
    fn a_break_is_kept_and_nothing_is_asked_about_it_again() {
        let climb = FGSM
            .attack_ladder(&items(10), &rungs(&[0.035, 0.065]), Seed::new(1), &slope)
            .unwrap();
        assert_eq!(pixel(&climb.rungs[0], 3), 0.535);
        assert_eq!(pixel(&climb.rungs[1], 3), 0.535, "broken below, and kept");
        assert_eq!(pixel(&climb.rungs[1], 5), 0.565, "broken here");
        assert_eq!(
            pixel(&climb.rungs[1], 9),
            0.565,
            "not broken, hurt as far as it goes"
        );
        assert_eq!(
            climb.spent[1].queries[3], 5,
            "twice clean, twice to probe its gradient, once at the rung that broke it"
        );
        assert_eq!(
            climb.spent[1].queries[9], 5,
            "once clean, twice to probe its gradient, once per rung"
        );
        assert!(climb.doubts.is_empty(), "{:?}", climb.doubts);
    }

    /// One look at each of three items, and a second, as at the first few.
    fn assert_only_looked_at(climb: &Climb) {
        assert_eq!(climb.spent[0].queries, [2, 2, 2]);
    }

    #[test]
    fn an_item_that_is_wrong_when_clean_keeps_its_clean_image() {
        let wrong = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            Ok(losses
                .into_iter()
                .map(|loss| Loss {
                    right: false,
                    ..loss
                })
                .collect())
        };
        let climb = PGD
            .attack_ladder(&items(3), &rungs(&[0.1, 0.2]), Seed::new(1), &wrong)
            .unwrap();
        assert!(climb.rungs.iter().all(|rung| *rung == items(3)));
        assert_only_looked_at(&climb);
    }

    #[test]
    fn the_clean_rung_is_the_identity_and_costs_nothing_more() {
        let climb = FGSM
            .attack_ladder(&items(3), &rungs(&[0.0]), Seed::new(1), &slope)
            .unwrap();
        assert_eq!(climb.rungs, [items(3)]);
        assert_only_looked_at(&climb);
    }

    #[test]
    fn no_image_leaves_its_budget_or_the_box() {
        for norm in [Norm::Linf, Norm::L2, Norm::L1] {
            for random_start in [true, false] {
                let how = Ascent {
                    limits: Limits { norm, ..LIMITS },
                    random_start,
                    step: 0.7,
                    ..PGD
                };
                for budget in [0.01, 0.3, 5.0] {
                    let climb = how
                        .attack_ladder(&items(200), &rungs(&[budget]), Seed::new(2), &slope)
                        .unwrap();
                    for image in climb.rungs[0].images().unwrap().pixels().chunks(2) {
                        let by = image.iter().map(|x| (f64::from(*x) - 0.5).abs());
                        let used = match norm {
                            Norm::Linf => by.fold(0.0, f64::max),
                            Norm::L2 => libm::sqrt(by.map(|x| x * x).sum()),
                            Norm::L1 => by.sum(),
                        };
                        assert!(used <= budget + 1e-6, "{how:?} {budget} {used}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_trusted_is_said() {
        let check = |how: &Ascent, ask: &Ask<'_>, expected: &str| {
            let climb = how
                .attack_ladder(&items(400), &rungs(&[0.01, 0.02]), Seed::new(3), ask)
                .unwrap();
            assert_eq!(climb.doubts.len(), 1, "{:?}", climb.doubts);
            assert!(
                climb.doubts[0].to_string().contains(expected),
                "{:?}",
                climb.doubts
            );
        };
        let right = |which: &[usize], loss: f64| Ok(vec![Loss { loss, right: true }; which.len()]);
        check(
            &PGD,
            &|which, _, _| right(which, 0.0),
            "zero somewhere on the way for 400 of 400 items (400 with",
        );
        let calls = Cell::new(0.0);
        let moody = |which: &[usize], _: &[f32], gradient: Option<&mut [f32]>| {
            calls.set(calls.get() + 1.0);
            gradient
                .into_iter()
                .flatten()
                .for_each(|slope| *slope += 1.0);
            right(which, calls.get())
        };
        check(&PGD, &moody, "two different losses");
        // Broken by a small step, mended by a large one.
        let fragile = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            gradient
                .into_iter()
                .flatten()
                .for_each(|slope| *slope += 1.0);
            let at = |image: &[f32]| Loss {
                loss: f64::from(image[0]),
                right: !(0.505..0.515).contains(&image[0]),
            };
            assert_eq!(which.len(), pixels.len() / 2);
            Ok(pixels.chunks(2).map(at).collect())
        };
        check(&FGSM, &fragile, "a larger severity looks weaker");
        let uphill = |slope: f32| {
            move |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
                gradient
                    .into_iter()
                    .flat_map(|gradient| gradient.chunks_mut(2))
                    .for_each(|of| of[0] += slope);
                let at = |(_, image): (&usize, &[f32])| Loss {
                    loss: f64::from(image[0]),
                    right: true,
                };
                Ok(which.iter().zip(pixels.chunks(2)).map(at).collect())
            }
        };
        check(&PGD, &uphill(-1.0), "a small step along the gradient");
        let short = Ascent {
            steps: 8,
            step: 0.02,
            random_start: false,
            ..PGD
        };
        check(&short, &uphill(1.0), "the loss still rose at the last step");
        // Broken only in a narrow strip that starts hit by luck, and no step leads to.
        let lucky = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = uphill(1.0)(which, pixels, gradient)?;
            let strip = |image: &[f32]| (0.5045..0.5055).contains(&image[1]);
            let both = losses.into_iter().zip(pixels.chunks(2));
            Ok(both
                .map(|(loss, image)| Loss {
                    right: !strip(image),
                    ..loss
                })
                .collect())
        };
        let restarted = Ascent { starts: 3, ..PGD };
        let climb = restarted
            .attack_ladder(&items(400), &rungs(&[0.01]), Seed::new(3), &lucky)
            .unwrap();
        let [AttackDoubt::RestartsStillBreak { broken, tried }] = climb.doubts[..] else {
            panic!("{:?}", climb.doubts)
        };
        assert!(broken > 4 && broken < tried, "{broken} of {tried}");
    }

    #[test]
    fn an_attack_that_has_no_reason_doubts_nothing() {
        let climb = PGD
            .attack_ladder(&items(400), &rungs(&[0.01, 0.02]), Seed::new(3), &slope)
            .unwrap();
        assert!(climb.doubts.is_empty(), "{:?}", climb.doubts);
    }

    #[test]
    fn what_hurt_below_is_looked_at_further_out_before_anything_else() {
        let rungs = rungs(&[0.2, 0.4]);
        let stands = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            Ok(losses
                .into_iter()
                .map(|loss| Loss {
                    right: loss.loss < 0.75,
                    ..loss
                })
                .collect())
        };
        for norm in [Norm::Linf, Norm::L2] {
            let how = Ascent {
                limits: Limits { norm, ..LIMITS },
                steps: 10,
                ..PGD
            };
            let climb = how
                .attack_ladder(&items(40), &rungs, Seed::new(1), &stands)
                .unwrap();
            for i in 0..40 {
                let [low, high] = [pixel(&climb.rungs[0], i), pixel(&climb.rungs[1], i)];
                assert!(low < 0.75 && (0.75..=0.9).contains(&high), "{low} {high}");
                let [below, there] = [0, 1].map(|rung| climb.spent[rung].gradients[i]);
                let probed = u32::from(i < 16);
                assert_eq!(
                    (below - probed, there - probed),
                    (10, 10),
                    "one look ahead was enough, and asked for no gradient"
                );
                let asked = climb.spent[1].queries[i] - climb.spent[0].queries[i];
                assert_eq!(asked, 1);
            }
        }
        // Where the look ahead does not break an item, its ascent is the one it would have had.
        let corner = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            let broken = |image: &[f32]| image[0] > 0.5 && image[1] < 0.35;
            let turned = losses.into_iter().zip(pixels.chunks(2));
            Ok(turned
                .map(|(loss, image)| Loss {
                    right: !broken(image),
                    ..loss
                })
                .collect())
        };
        let alone = PGD
            .attack_ladder(&items(40), &rungs[1..], Seed::new(1), &corner)
            .unwrap();
        let both = PGD
            .attack_ladder(&items(40), &rungs, Seed::new(1), &corner)
            .unwrap();
        let broken = |climb: &Climb, i: usize| {
            let image = climb
                .rungs
                .last()
                .unwrap()
                .images()
                .unwrap()
                .image(i)
                .to_vec();
            image[0] > 0.5 && image[1] < 0.35
        };
        assert!(
            (0..40).all(|i| broken(&both, i) || !broken(&alone, i)),
            "nothing is lost by looking"
        );
        let hit = (0..40).filter(|&i| broken(&alone, i)).count();
        assert!((1..40).contains(&hit), "{hit}");
    }

    #[test]
    fn a_loss_that_is_not_a_number_is_nonsense_not_robustness() {
        let odd = |which: &[usize], _: &[f32], _: Option<&mut [f32]>| {
            Ok(vec![
                Loss {
                    loss: f64::NAN,
                    right: true
                };
                which.len()
            ])
        };
        let failure = FGSM
            .attack_ladder(&items(2), &rungs(&[0.1]), Seed::new(1), &odd)
            .unwrap_err();
        assert_eq!(failure.kind, FailureKind::Nonsense);
    }

    #[test]
    fn starts_are_shared_by_all_rungs_and_differ_between_items_and_starts() {
        let at = |item: &str, start: &str, budget: f64| {
            let mut here = [0.5; 2];
            let draws = Seed::new(4).child(item).child(start).draws();
            random_start(Norm::Linf, budget, draws, &mut here);
            here
        };
        let low = at("a", "0", 0.1);
        let high = at("a", "0", 0.2);
        assert!(((high[1] - 0.5) / (low[1] - 0.5) - 2.0).abs() < 1e-4);
        assert_ne!(low, at("b", "0", 0.1));
        assert_ne!(low, at("a", "1", 0.1));
    }

    /// Item i breaks after about i/100 of the way, so items leave at very different steps.
    #[test]
    fn seats_that_are_given_up_are_taken_so_that_batches_stay_full() {
        let n = 3000;
        let batch = 256;
        let sizes = RefCell::new(Vec::new());
        let counting = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let twice = which.iter().collect::<std::collections::HashSet<_>>().len() < which.len();
            assert!(!twice, "an item is asked about once in a batch");
            if gradient.is_some() {
                sizes.borrow_mut().push(which.len());
            }
            let which: Vec<usize> = which.iter().map(|i| i % 30).collect();
            slope(&which, pixels, gradient)
        };
        let how = Ascent {
            steps: 20,
            step: 0.1,
            ..PGD
        };
        let climb = how
            .attack_ladder(&items(n), &rungs(&[0.2]), Seed::new(6), &counting)
            .unwrap();
        let sizes = sizes.into_inner();
        let full = sizes.iter().filter(|&&size| size == batch).count();
        assert!(
            full >= sizes.len() - 21,
            "{sizes:?}: only the probe and the last items, at most twenty steps, sit in a batch with free seats"
        );
        assert!(
            (0..n).all(|i| pixel(&climb.rungs[0], i) > 0.5),
            "everyone had a turn"
        );
        let asked: u32 = climb.spent[0].gradients.iter().sum();
        assert_eq!(
            asked as usize,
            sizes.iter().sum::<usize>(),
            "every gradient is counted"
        );
        assert!(
            climb.spent[0]
                .queries
                .iter()
                .zip(&climb.spent[0].gradients)
                .all(|(all, some)| all > some)
        );
    }

    #[test]
    fn every_start_is_tried_until_one_breaks_the_item() {
        // Broken only within a corner that few starts reach, and no step does: there is no slope.
        let corner = |which: &[usize], pixels: &[f32], _: Option<&mut [f32]>| {
            let at = |image: &[f32]| Loss {
                loss: 1.0,
                right: !(image[0] > 0.58 && image[1] > 0.58),
            };
            assert_eq!(which.len(), pixels.len() / 2);
            Ok(pixels.chunks(2).map(at).collect())
        };
        let broken = |starts: usize| {
            let how = Ascent {
                starts,
                steps: 1,
                ..PGD
            };
            let climb = how
                .attack_ladder(&items(500), &rungs(&[0.1]), Seed::new(7), &corner)
                .unwrap();
            let queries = climb.spent[0].queries.iter().max().copied().unwrap();
            (
                (0..500)
                    .filter(|&i| pixel(&climb.rungs[0], i) > 0.58)
                    .count(),
                queries,
            )
        };
        let ((one, _), (fifty, most)) = (broken(1), broken(50));
        assert!(one < 20 && fifty > 150, "{one} {fifty}");
        assert!(
            (100..=104).contains(&most),
            "a few looks, then two queries from each start: {most}"
        );
    }
}
