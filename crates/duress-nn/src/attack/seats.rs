//! Items of an attack side by side in a batch, each at its own step.

use super::ladder::Entry;

/// Whoever takes a seat: one way of attacking one item.
pub(super) trait Seated {
    /// The item it attacks.
    fn entry(&self) -> Entry;
}

/// Attackers side by side, each with where it is now.
pub(super) struct Seats<T> {
    size: usize,
    pub(super) seated: Vec<T>,
    pub(super) which: Vec<usize>,
    pub(super) pixels: Vec<f32>,
}

impl<T: Seated> Seats<T> {
    pub(super) fn new(size: usize, room: usize) -> Seats<T> {
        Seats {
            size,
            seated: Vec::with_capacity(room),
            which: Vec::with_capacity(room),
            pixels: Vec::with_capacity(size * room),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.seated.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seated.is_empty()
    }

    pub(super) fn pixels_at(&self, seat: usize) -> &[f32] {
        &self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    pub(super) fn pixels_at_mut(&mut self, seat: usize) -> &mut [f32] {
        &mut self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    /// Whoever has a seat, and where it is now.
    pub(super) fn at_mut(&mut self, seat: usize) -> (&mut T, &mut [f32]) {
        let pixels = &mut self.pixels[seat * self.size..(seat + 1) * self.size];
        (&mut self.seated[seat], pixels)
    }

    pub(super) fn take_seat(&mut self, one: T, here: &[f32]) {
        self.which.push(one.entry().item);
        self.seated.push(one);
        self.pixels.extend_from_slice(here);
    }

    /// Gives up a seat; whoever has the last one takes it.
    pub(super) fn leave(&mut self, seat: usize) -> T {
        let last = self.len() - 1;
        self.which.swap_remove(seat);
        self.pixels
            .copy_within(last * self.size.., seat * self.size);
        self.pixels.truncate(last * self.size);
        self.seated.swap_remove(seat)
    }

    pub(super) fn clear(&mut self) {
        self.seated.clear();
        self.which.clear();
        self.pixels.clear();
    }
}
