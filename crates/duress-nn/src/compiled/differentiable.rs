//! A compiled network as attacks see it: its loss, its logits, and how they change with the pixels.

use duress_core::subject::{Differentiable, Failure, LogitSlope, LogitSlopes, Loss};

use super::Compiled;

impl Compiled {
    fn check_count(&self, pixels: &[f32], images: usize) -> Result<(), Failure> {
        if pixels.len() == images * self.network().input_size() {
            return Ok(());
        }
        Err(Failure::unable(format!(
            "{} pixels are not {images} images of {:?}",
            pixels.len(),
            self.network().input()
        )))
    }

    fn check_whole(&self, pixels: &[f32]) -> Result<(), Failure> {
        self.check_count(pixels, pixels.len() / self.network().input_size())
    }
}

impl Differentiable for Compiled {
    fn classes(&self) -> &[String] {
        self.network().classes()
    }

    fn loss(
        &self,
        images: &[f32],
        labels: &[u32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        self.check_count(images, labels.len())?;
        Ok(self.losses(images, labels, gradient))
    }

    fn logit_slopes(&self) -> Option<&dyn LogitSlopes> {
        Some(self)
    }
}

impl LogitSlopes for Compiled {
    fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure> {
        self.check_whole(images)?;
        Ok(Compiled::logits(self, images))
    }

    fn backward(
        &self,
        images: &[f32],
        slope: &LogitSlope<'_>,
        gradient: &mut [f32],
    ) -> Result<Vec<f32>, Failure> {
        self.check_whole(images)?;
        Ok(Compiled::backward(self, images, slope, gradient))
    }
}
