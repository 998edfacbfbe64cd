//! Slots: so many requests are answered at a time, first come, first served.

use std::sync::{Condvar, Mutex, PoisonError};

pub(crate) struct Slots {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Slots {
    pub(crate) fn new(slots: usize) -> Slots {
        Slots {
            free: Mutex::new(slots),
            changed: Condvar::new(),
        }
    }

    /// Waits for a slot.
    pub(crate) fn take(&self) -> Slot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.changed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Slot { slots: self }
    }
}

/// A slot that is taken until this is dropped.
pub(crate) struct Slot<'a> {
    slots: &'a Slots,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut free = self
            .slots
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *free += 1;
        drop(free);
        self.slots.changed.notify_one();
    }
}
