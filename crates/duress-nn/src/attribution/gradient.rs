//! The slope of a class's logit with each pixel, and that slope times the pixel.

use duress_core::subject::{Failure, LogitSlopes};

use super::batch::{TargetBatch, target_slopes};
use super::channels::ChannelReduction;

/// How the target's logit changes with each place (Simonyan et al., 2014).
pub fn input_gradient(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    channels: ChannelReduction,
) -> Result<Vec<f32>, Failure> {
    slopes_as_maps(subject, batch, channels, |_, _| {})
}

/// The same, times what stands there (Shrikumar et al., 2016): pixels in [0, 1], before the network
/// normalises them, so that black counts nothing.
pub fn gradient_times_input(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    channels: ChannelReduction,
) -> Result<Vec<f32>, Failure> {
    slopes_as_maps(subject, batch, channels, |slopes, pixels| {
        let both = slopes.iter_mut().zip(pixels);
        both.for_each(|(slope, &pixel)| *slope *= pixel);
    })
}

fn slopes_as_maps(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    channels: ChannelReduction,
    change: impl Fn(&mut [f32], &[f32]),
) -> Result<Vec<f32>, Failure> {
    let mut maps = Vec::with_capacity(batch.len() * batch.places());
    for items in batch.parts(1) {
        let part = batch.part(items);
        let mut slopes = target_slopes(subject, part, |_| 1.0)?;
        change(&mut slopes, part.pixels());
        channels.extend(&mut maps, &slopes, batch.shape()[0], batch.places());
    }
    Ok(maps)
}
