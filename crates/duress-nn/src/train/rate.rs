//! Step sizes: how they rise at the beginning of training and fall until its end.

duress_core::words! {
    /// How the step size falls.
    pub enum RateSchedule {
        /// To zero along half a cosine.
        Cosine = "cosine",
        /// To a tenth after half of the steps, and to a hundredth after three quarters.
        Steps = "steps",
        /// Not at all.
        Constant = "constant",
    }
}

/// The step size of every step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateCurve {
    pub(super) schedule: RateSchedule,
    pub(super) highest: f64,
    /// Over how many steps it rises to the highest, in equal parts.
    pub(super) rising: usize,
    pub(super) steps: usize,
}

impl RateCurve {
    /// The size of a step, counted from 0.
    pub(super) fn at(&self, step: usize) -> f64 {
        if step < self.rising {
            return self.highest * (step + 1) as f64 / self.rising as f64;
        }
        let falling = (self.steps - self.rising.min(self.steps)).max(1);
        let done = (step - self.rising) as f64 / falling as f64;
        self.highest
            * match self.schedule {
                RateSchedule::Cosine => 0.5 * (1.0 + libm::cos(std::f64::consts::PI * done)),
                RateSchedule::Steps if done >= 0.75 => 0.01,
                RateSchedule::Steps if done >= 0.5 => 0.1,
                RateSchedule::Steps | RateSchedule::Constant => 1.0,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(schedule: RateSchedule, rising: usize) -> RateCurve {
        RateCurve {
            schedule,
            highest: 0.8,
            rising,
            steps: 12,
        }
    }

    #[test]
    fn rates_rise_in_equal_parts_and_fall_as_the_schedule_says() {
        let cosine = curve(RateSchedule::Cosine, 4);
        assert_eq!([0, 1, 3].map(|step| cosine.at(step)), [0.2, 0.4, 0.8]);
        assert_eq!(cosine.at(4), 0.8);
        assert!((cosine.at(8) - 0.4).abs() < 1e-12);
        let steps = curve(RateSchedule::Steps, 0);
        assert_eq!(
            [0, 5, 6, 8].map(|step| steps.at(step)),
            [0.8, 0.8, 0.8 * 0.1, 0.8 * 0.1]
        );
        assert_eq!(steps.at(9), 0.8 * 0.01);
        assert_eq!(curve(RateSchedule::Constant, 0).at(11), 0.8);
    }

    #[test]
    fn a_rise_longer_than_training_never_falls() {
        let curve = curve(RateSchedule::Cosine, 50);
        assert!((0..11).all(|step| curve.at(step) < curve.at(step + 1)));
    }
}
