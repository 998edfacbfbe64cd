//! Cells on their way to the disk. It takes milliseconds until a disk has a file, and not many more
//! until it has several: whoever answers goes on meanwhile, and a cell is told when it is kept.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use super::event::Event;
use super::queue::Queue;
use crate::ledger::WrittenCell;

/// Cells that wait for the disk at a time.
pub(super) const AT_ONCE: usize = 16;

/// A cell that is written, and what is told once it is kept.
pub(super) type CellToKeep = (WrittenCell, Vec<Event>);

/// The way of written cells; it is over when nobody can send any more.
pub(super) fn way() -> (SyncSender<CellToKeep>, Mutex<Receiver<CellToKeep>>) {
    let (send, receive) = sync_channel(AT_ONCE);
    (send, Mutex::new(receive))
}

/// Hands a cell over.
pub(super) fn send(way: &SyncSender<CellToKeep>, written: CellToKeep) -> io::Result<()> {
    way.send(written)
        .map_err(|_| io::Error::other("nobody puts cells in their places"))
}

/// Puts cells in their places until there are no more.
pub(super) fn finish(
    cells: &Mutex<Receiver<CellToKeep>>,
    queue: &Queue,
    tell: &(dyn Fn(&Event) + Sync),
) {
    while let Some((cell, events)) = next(cells) {
        match cell.place() {
            Ok(()) => events.iter().for_each(tell),
            Err(error) => queue.give_up(error),
        }
    }
}

fn next(cells: &Mutex<Receiver<CellToKeep>>) -> Option<CellToKeep> {
    let cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
    cells.recv().ok()
}
