//! How the values of a place, one per channel, become one.

duress_core::words! {
    /// How the values of a place, one per channel, become one.
    pub enum ChannelReduction {
        /// Their sum, with their signs. Keeps what adds up: the completeness of integrated gradients.
        Sum = "sum",
        /// The sum of their absolute values.
        AbsoluteSum = "absolute-sum",
        /// The largest absolute value, as in the first saliency maps (Simonyan et al., 2014).
        AbsoluteMax = "absolute-max",
    }
}

impl ChannelReduction {
    /// Adds the maps of some images, given as channel after channel, to `maps`.
    pub(super) fn extend(
        self,
        maps: &mut Vec<f32>,
        values: &[f32],
        channels: usize,
        places: usize,
    ) {
        for image in values.chunks_exact(channels * places) {
            let start = maps.len();
            maps.resize(start + places, 0.0);
            for plane in image.chunks_exact(places) {
                let both = maps[start..].iter_mut().zip(plane);
                both.for_each(|(held, &value)| *held = self.joined(*held, value));
            }
        }
    }

    fn joined(self, held: f32, value: f32) -> f32 {
        match self {
            ChannelReduction::Sum => held + value,
            ChannelReduction::AbsoluteSum => held + value.abs(),
            ChannelReduction::AbsoluteMax => held.max(value.abs()),
        }
    }
}
