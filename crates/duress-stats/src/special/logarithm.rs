//! Logarithms that would cancel if written down plainly.

/// Half of ln 2π.
pub(crate) const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// `δ(x) = ln Γ(x+1) − (x+½) ln x + x − ½ ln 2π`, the error of Stirling's formula, for `x > 0`.
///
/// Below 16 the recurrence `δ(x) = δ(x+1) + (x+½) ln(1+1/x) − 1` climbs to where the series has
/// settled.
pub(crate) fn stirling_error(x: f64) -> f64 {
    let mut sum = 0.0;
    let mut at = x;
    while at < 16.0 {
        sum += (at + 0.5) * libm::log1p(1.0 / at) - 1.0;
        at += 1.0;
    }
    sum + stirling_series(at)
}

fn stirling_series(x: f64) -> f64 {
    // B_{2k} / (2k (2k−1)), the coefficients of DLMF 5.11.1.
    const C: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let square = 1.0 / (x * x);
    C.iter().rev().fold(0.0, |sum, c| sum * square + c) / x
}

/// `ln(1+e) − e` where `ratio = 1+e`; both are given because each is the accurate one somewhere.
fn ln_minus_linear(e: f64, ratio: f64) -> f64 {
    if libm::fabs(e) > 0.5 {
        return libm::log(ratio) - e;
    }
    let v = e / (2.0 + e);
    let square = v * v;
    let mut sum = 0.0;
    let mut power = 1.0;
    let mut k = 3.0;
    loop {
        let term = power / k;
        sum += term;
        if term < sum * 1e-17 {
            return 2.0 * v * square * sum - e * v;
        }
        power *= square;
        k += 2.0;
    }
}

/// Loader's deviance part `k ln(k/m) + m − k`, given `m/k` and the exact difference `m − k`.
pub(crate) fn deviance(k: f64, difference: f64, ratio: f64) -> f64 {
    -k * ln_minus_linear(difference / k, ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stirling_error_agrees_with_log_gamma() {
        for x in [0.01, 0.25, 0.5, 1.0, 2.5, 15.9, 16.0, 100.0] {
            let plain = libm::lgamma(x + 1.0) - (x + 0.5) * libm::log(x) + x - HALF_LN_TWO_PI;
            assert!(libm::fabs(stirling_error(x) - plain) < 2e-13, "{x}");
        }
    }

    #[test]
    fn deviance_is_smooth_where_the_formula_changes() {
        let below = deviance(10.0, 4.999_999_999_9, 1.499_999_999_99);
        let above = deviance(10.0, 5.000_000_000_1, 1.500_000_000_01);
        assert!(libm::fabs(above - below) < 1e-9);
    }
}
