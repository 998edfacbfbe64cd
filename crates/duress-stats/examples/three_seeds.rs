//! The worked example of `docs/which-test-when.md`: two models, three seeds, and what can be said.

use duress_stats::correct::Correction;
use duress_stats::power::{ExactTest, Setting};
use duress_stats::tests::{paired_t, sign_flip, wilcoxon};
use duress_stats::verdict::{Orientation, judge, units_to_decide};
use duress_stats::{Route, Side, UndefinedReason, Zeros, interval};

fn main() -> Result<(), UndefinedReason> {
    let ours = [0.612, 0.655, 0.634];
    let theirs = [0.214, 0.231, 0.262];
    let side = Side::Greater;

    println!("{}", paired_t(&ours, &theirs, side, 0.95)?);
    println!(
        "{}",
        wilcoxon(&ours, &theirs, side, Zeros::Wilcox, Route::Auto)?
    );
    println!("{}", sign_flip(&ours, &theirs, side, Route::Auto)?);

    let family = Setting {
        alpha: 0.01,
        side,
        correction: Correction::Holm,
        claims: 5,
    };
    println!("\n{}", family.critical_t(3)?);
    println!("{}", family.reach(ExactTest::SignFlip, 3)?);
    println!("{}", family.detectable(3, 0.8)?);
    println!("{}", family.detectable(10, 0.8)?);
    println!("{}", family.needed(1.0, 0.8)?);

    let gain = interval::paired_t(&ours, &theirs, 0.95)?;
    println!("\n{gain}");
    for margin in [0.0, 0.35] {
        println!(
            "more than {margin}: {}",
            judge(&gain, margin, Orientation::Higher)?
        );
    }
    println!("{}", units_to_decide(0.398, &gain, 0.35, 3)?);
    Ok(())
}
