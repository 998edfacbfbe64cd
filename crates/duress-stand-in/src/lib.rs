//! A model server that misbehaves on purpose: what it does about each request is said in the test.
//!
//! It listens on the loopback address only, on a port of its own, keeps connections open as real
//! servers do, and remembers what it was asked.

mod act;
mod connection;
mod slots;

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use slots::Slots;

pub use act::{Act, chat_reply, messages_reply};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Which request this is, from 0.
    pub number: usize,
    /// The path.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where it is no JSON.
    pub body: Value,
}

impl Asked {
    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// What the user says last.
    pub fn prompt(&self) -> &str {
        let messages = self.body["messages"].as_array();
        let last = messages.and_then(|messages| messages.last());
        last.and_then(|message| message["content"].as_str())
            .unwrap_or_default()
    }
}

type Behaviour = dyn Fn(&Asked) -> Act + Send + Sync;

/// What the threads of a server share.
pub(crate) struct Shared {
    behaviour: Box<Behaviour>,
    seen: Mutex<Vec<Asked>>,
    slots: Slots,
    busy: AtomicUsize,
    most_busy: AtomicUsize,
    closed: AtomicBool,
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that runs until it is dropped.
pub struct StandIn {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl StandIn {
    /// Starts a server that does what `behaviour` says about each request.
    ///
    /// # Panics
    /// When the machine has no loopback address to listen on.
    pub fn start(behaviour: impl Fn(&Asked) -> Act + Send + Sync + 'static) -> StandIn {
        StandIn::listen(loopback(), behaviour)
    }

    /// The same with so many slots: as servers do, it answers no more at a time, and the others wait.
    ///
    /// # Panics
    /// When the machine has no loopback address to listen on.
    pub fn with_slots(
        slots: usize,
        behaviour: impl Fn(&Asked) -> Act + Send + Sync + 'static,
    ) -> StandIn {
        StandIn::serve(loopback(), Slots::new(slots), behaviour)
    }

    /// The same on a port that is taken already.
    ///
    /// # Panics
    /// When the listener has no address.
    pub fn listen(
        listener: TcpListener,
        behaviour: impl Fn(&Asked) -> Act + Send + Sync + 'static,
    ) -> StandIn {
        StandIn::serve(listener, Slots::new(usize::MAX), behaviour)
    }

    fn serve(
        listener: TcpListener,
        slots: Slots,
        behaviour: impl Fn(&Asked) -> Act + Send + Sync + 'static,
    ) -> StandIn {
        let address = listener.local_addr().expect("it listens");
        let shared = Arc::new(Shared {
            behaviour: Box::new(behaviour),
            seen: Mutex::default(),
            slots,
            busy: AtomicUsize::new(0),
            most_busy: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        });
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if served.closed.load(Ordering::Relaxed) {
                    return;
                }
                let served = Arc::clone(&served);
                thread::spawn(move || connection::serve(stream, &served));
            }
        });
        StandIn { address, shared }
    }

    /// The base address, with its `/v1`.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Everything it was asked, in order.
    pub fn seen(&self) -> Vec<Asked> {
        self.shared.seen().clone()
    }

    /// How many requests were answered at the same time, at most.
    pub fn most_at_once(&self) -> usize {
        self.shared.most_busy.load(Ordering::Relaxed)
    }

    /// Waits until so many requests have come.
    ///
    /// # Panics
    /// When they do not come within half a minute.
    pub fn wait_for(&self, requests: usize) {
        for _ in 0..3000 {
            if self.shared.seen().len() >= requests {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{} of {requests} requests came", self.shared.seen().len());
    }
}

fn loopback() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("the loopback address is there")
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = std::net::TcpStream::connect(self.address);
    }
}
