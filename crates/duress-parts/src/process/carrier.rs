//! Two threads and two short queues, so that a process that does not read, or writes without end,
//! can neither block nor fill us.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Bytes handed over at a time: a pipe's worth.
pub const PIECE: usize = 64 * 1024;

/// Pieces that may wait in each direction.
const WAITING: usize = 32;

/// A side that ran out of room is woken when only this many wait: waking it for each piece costs
/// more than moving the piece.
const WAKE: usize = WAITING / 2;

/// What the talking side can do next.
pub enum CarrierTurn {
    /// There is room for another piece; this is an empty one.
    Room(Vec<u8>),
    /// A piece has come.
    Came(Vec<u8>),
    /// Nothing more will come, or nothing more can be sent.
    Ended,
    /// It took too long.
    Late,
}

/// Carries bytes to a process and from it.
pub struct Carrier {
    shared: Arc<SharedCarrier>,
}

#[derive(Default)]
struct SharedCarrier {
    state: Mutex<CarrierState>,
    talker: Condvar,
    writer: Condvar,
    reader: Condvar,
}

#[derive(Default)]
struct CarrierState {
    to_send: VecDeque<Vec<u8>>,
    came: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
    /// Nobody will send or listen any more.
    closed: bool,
    deaf: bool,
    silent: bool,
}

impl Carrier {
    /// Starts carrying.
    pub fn start(
        to: impl Write + Send + 'static,
        from: impl Read + Send + 'static,
    ) -> std::io::Result<Carrier> {
        let shared = Arc::new(SharedCarrier::default());
        let writer = Arc::clone(&shared);
        let reader = Arc::clone(&shared);
        thread::Builder::new()
            .name("to a process".into())
            .spawn(move || writer.write_all(to))?;
        thread::Builder::new()
            .name("from a process".into())
            .spawn(move || reader.read_all(from))?;
        Ok(Carrier { shared })
    }

    /// Waits until something has come or, if something is left to send, there is room for it.
    pub fn turn(&self, sends: bool, until: Instant) -> CarrierTurn {
        let mut state = self.shared.state();
        loop {
            if let Some(piece) = state.came.pop_front() {
                if state.came.len() == WAKE {
                    self.shared.reader.notify_one();
                }
                return CarrierTurn::Came(piece);
            }
            if state.silent || (sends && state.deaf) {
                return CarrierTurn::Ended;
            }
            if sends && state.to_send.len() < WAITING {
                return CarrierTurn::Room(state.empty());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return CarrierTurn::Late;
            }
            let waited = self.shared.talker.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sends a piece that [`CarrierTurn::Room`] made room for.
    pub fn send(&self, piece: Vec<u8>) {
        let mut state = self.shared.state();
        state.to_send.push_back(piece);
        if state.to_send.len() == 1 {
            self.shared.writer.notify_one();
        }
    }

    /// Gives back a piece that has been read.
    pub fn done_with(&self, mut piece: Vec<u8>) {
        piece.clear();
        self.shared.state().spare.push(piece);
    }

    /// Closes the process's input once everything is sent; what comes is no longer kept.
    pub fn close(&self) {
        self.shared.state().closed = true;
        self.shared.writer.notify_one();
        self.shared.reader.notify_one();
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        self.close();
    }
}

impl CarrierState {
    fn empty(&mut self) -> Vec<u8> {
        self.spare
            .pop()
            .unwrap_or_else(|| Vec::with_capacity(PIECE))
    }
}

impl SharedCarrier {
    fn state(&self) -> MutexGuard<'_, CarrierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut to: impl Write) {
        while let Some(mut piece) = self.next_to_send() {
            if to.write_all(&piece).and_then(|()| to.flush()).is_err() {
                break;
            }
            piece.clear();
            let mut state = self.state();
            state.spare.push(piece);
            if state.to_send.len() <= WAKE {
                self.talker.notify_one();
            }
        }
        self.state().deaf = true;
        self.talker.notify_one();
    }

    fn next_to_send(&self) -> Option<Vec<u8>> {
        let mut state = self.state();
        loop {
            match state.to_send.pop_front() {
                Some(piece) => return Some(piece),
                None if state.closed => return None,
                None => {
                    state = self
                        .writer
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
    }

    fn read_all(&self, mut from: impl Read) {
        loop {
            let mut piece = self.state().empty();
            piece.resize(PIECE, 0);
            match from.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => piece.truncate(read),
                Err(why) if why.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            }
            self.keep(piece);
        }
        self.state().silent = true;
        self.talker.notify_one();
    }

    /// Keeps what came, once there is room; after closing it is read and forgotten, so that the
    /// process can end.
    fn keep(&self, piece: Vec<u8>) {
        let mut state = self.state();
        while state.came.len() >= WAITING && !state.closed {
            state = self
                .reader
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if !state.closed {
            state.came.push_back(piece);
            self.talker.notify_one();
        }
    }
}
