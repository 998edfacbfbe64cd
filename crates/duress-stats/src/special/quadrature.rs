//! Adaptive quadrature, for the noncentral t distribution.

/// Integrates `f` over `[low, high]` by adaptive Gauss–Legendre panels to about `1e-14` of the
/// whole.
///
/// A panel is accepted when ten points on it agree with ten on each half.
pub(crate) fn integrate(f: &impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let whole = panel(f, low, high);
    refine(f, low, high, whole, 40)
}

fn refine(f: &impl Fn(f64) -> f64, low: f64, high: f64, whole: f64, depth: u32) -> f64 {
    let middle = 0.5 * (low + high);
    let left = panel(f, low, middle);
    let right = panel(f, middle, high);
    let agreed = libm::fabs(left + right - whole) <= 1e-15 + 1e-14 * libm::fabs(whole);
    if depth == 0 || agreed {
        return left + right;
    }
    refine(f, low, middle, left, depth - 1) + refine(f, middle, high, right, depth - 1)
}

fn panel(f: &impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    // Ten-point Gauss–Legendre nodes and weights on [−1, 1], positive half.
    const NODES: [(f64, f64); 5] = [
        (0.148_874_338_981_631_22, 0.295_524_224_714_752_87),
        (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
        (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
        (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
        (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
    ];
    let centre = 0.5 * (low + high);
    let half = 0.5 * (high - low);
    half * NODES
        .iter()
        .map(|(x, w)| w * (f(centre - half * x) + f(centre + half * x)))
        .sum::<f64>()
}
