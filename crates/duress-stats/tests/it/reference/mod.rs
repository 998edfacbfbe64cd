//! Every function against values made with independent software (`peers/stats`, data in
//! `tests/data`).

mod case;
mod clusters;
mod dist;
mod estimates;
mod hypothesis;

use case::check_file;

#[test]
fn distributions_agree_with_mpmath() {
    check_file("dist", 2000, dist::answer);
}

#[test]
fn tests_agree_with_scipy_statsmodels_and_enumeration() {
    check_file("tests", 1200, hypothesis::answer);
}

#[test]
fn estimates_agree_with_scipy_statsmodels_pingouin_and_scikit_learn() {
    check_file("estimates", 500, estimates::answer);
}

#[test]
fn clusters_agree_with_statsmodels() {
    check_file("clusters", 25, clusters::answer);
}

#[test]
fn a_far_tail_is_compared_relatively() {
    assert_eq!(case::relative(2e-200, 1e-200), 1.0);
    assert_eq!(case::relative(0.0, 1e-300), 1.0);
    assert!(case::relative(1e-9, 0.0).is_infinite());
}
