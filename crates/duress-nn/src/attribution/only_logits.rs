//! A subject that tells logits and no slopes.

use duress_core::subject::{Failure, LogitSlope, LogitSlopes};

/// A subject that tells logits and no slopes: enough for what covers pixels and looks what becomes of
/// the answer. Logarithms of probabilities are logits.
pub struct OnlyLogits<F>(pub F);

impl<F> LogitSlopes for OnlyLogits<F>
where
    F: Fn(&[f32]) -> Result<Vec<f32>, Failure> + Send + Sync,
{
    fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure> {
        (self.0)(images)
    }

    fn backward(
        &self,
        _images: &[f32],
        _slope: &LogitSlope<'_>,
        _gradient: &mut [f32],
    ) -> Result<Vec<f32>, Failure> {
        Err(Failure::unable("it tells no gradients"))
    }
}
