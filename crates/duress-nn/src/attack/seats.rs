//! Items of an attack side by side in a batch, each at its own step.

/// One ascent of one item.
#[derive(Clone, Copy)]
pub(super) struct Climber {
    pub(super) item: usize,
    pub(super) start: usize,
    pub(super) step: usize,
    /// Whether it is only looked at where the rung below leads to; its ascent follows.
    pub(super) ahead: bool,
    /// Whether it only looks whether a larger budget is weaker; then nothing of it is kept.
    pub(super) again: bool,
}

/// Climbers side by side, each with where it is now.
pub(super) struct Seats {
    size: usize,
    pub(super) climbers: Vec<Climber>,
    pub(super) which: Vec<usize>,
    pub(super) pixels: Vec<f32>,
}

impl Seats {
    pub(super) fn new(size: usize, room: usize) -> Seats {
        let pixels = Vec::with_capacity(size * room);
        Seats {
            size,
            climbers: Vec::with_capacity(room),
            which: Vec::with_capacity(room),
            pixels,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.climbers.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.climbers.is_empty()
    }

    pub(super) fn pixels_at(&self, seat: usize) -> &[f32] {
        &self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    pub(super) fn pixels_at_mut(&mut self, seat: usize) -> &mut [f32] {
        &mut self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    pub(super) fn last_mut(&mut self) -> &mut [f32] {
        self.pixels_at_mut(self.len() - 1)
    }

    pub(super) fn seat_climber(&mut self, climber: Climber, here: &[f32]) {
        self.climbers.push(climber);
        self.which.push(climber.item);
        self.pixels.extend_from_slice(here);
    }

    /// Gives up a seat; whoever has the last one takes it.
    pub(super) fn leave(&mut self, seat: usize) {
        let last = self.len() - 1;
        self.climbers.swap_remove(seat);
        self.which.swap_remove(seat);
        self.pixels
            .copy_within(last * self.size.., seat * self.size);
        self.pixels.truncate(last * self.size);
    }

    pub(super) fn clear(&mut self) {
        self.climbers.clear();
        self.which.clear();
        self.pixels.clear();
    }
}
