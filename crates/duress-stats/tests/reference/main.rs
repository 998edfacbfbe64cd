//! Every function against values made with independent software (`peers/stats`, data in `tests/data`).

mod case;
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
