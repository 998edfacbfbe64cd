//! Kernels: the loops where the time goes, each with a fixed order of summation.
//!
//! Weights lie as inputs × outputs, so that the innermost loops run over outputs: independent sums side by side, which the
//! compiler may put into vector registers without changing a bit.

/// How many partial sums a dot product has.
const LANES: usize = 8;

/// `out = bias + weights · x` for one item.
pub(crate) fn affine(x: &[f32], weights: &[f32], bias: &[f32], out: &mut [f32]) {
    for ((out, row), bias) in out.iter_mut().zip(weights.chunks_exact(x.len())).zip(bias) {
        *out = bias + dot(x, row);
    }
}

/// `slope += weightsᵀ · above` for one item: how a loss that changes by `above` with the outputs changes with the inputs.
pub(crate) fn affine_back(above: &[f32], weights: &[f32], slope: &mut [f32]) {
    for (&above, row) in above.iter().zip(weights.chunks_exact(slope.len())) {
        add_scaled(slope, above, row);
    }
}

/// `slope += x ⊗ above` for one item: how the loss changes with the weights.
pub(crate) fn outer(x: &[f32], above: &[f32], slope: &mut [f32]) {
    for (&x, row) in x.iter().zip(slope.chunks_exact_mut(above.len())) {
        add_scaled(row, x, above);
    }
}

/// `sum += x · y`, element by element.
pub(crate) fn add_scaled(sum: &mut [f32], x: f32, y: &[f32]) {
    for (sum, y) in sum.iter_mut().zip(y) {
        *sum += x * y;
    }
}

/// A dot product in [`LANES`] partial sums: always the same ones for the same length.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (mut left, mut right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut sums = [0.0_f32; LANES];
    for (a, b) in left.by_ref().zip(right.by_ref()) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for (lane, (a, b)) in left.remainder().iter().zip(right.remainder()).enumerate() {
        sums[lane] += a * b;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
